/** `brine compat` and `--check-tree`: lists what states, pillar and custom modules need that Brine lacks or does differently. */
import { messageOf } from "../../src/base/errors.ts";
import { baseName } from "../../src/base/paths.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import type { Host } from "../../src/model/config/review.ts";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { reactionFiles } from "../../src/feature/reactor/reaction_files.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";
import { readConfig } from "../program/read_config.ts";
import { rootsOf } from "./tree_files.ts";
import { type MissingPart, type Status, type TreeOptions, type TreeReport, treeReport } from "./tree_report.ts";

/** Places of each missing part that the text shows, at most; JSON has all places. */
const MAX_PLACES = 5;

/** Runs `brine compat [DIRECTORY…]` for these directories of states and pillar, or else for those of the master's configuration. */
export async function compatMain(context: ProgramContext, directories: readonly string[]): Promise<number> {
  const { runtime: { fs }, options } = context;
  if (directories.length === 0) return await checkTree(context, "master", String(options.output ?? "text"));
  for (const path of directories) {
    if (fs.stat(path)?.kind !== "directory") throw new Exit(1, `${path} is not a directory: name one with SLS files`);
  }
  // The name of a clone shows whether it holds pillar.
  const isPillar = (path: string) => /pillar/i.test(baseName(fs.realpath(path)));
  const report = await treeReport(context.runtime, {
    states: directories.filter((path) => !isPillar(path)),
    pillar: directories.filter(isPillar),
  });
  return print(context, report, [], String(options.output ?? "text"));
}

/** Runs `--check-tree` of a daemon. @param format `text` or `json` @returns 1 if something is missing */
export async function checkTree(context: ProgramContext, kind: Host, format: string): Promise<number> {
  const { opts } = await readConfig(context, kind, kind === "master" ? MASTER_OPTIONS : MINION_OPTIONS, false);
  const { runtime } = context;
  const tree: TreeOptions = {
    states: rootsOf(runtime.fs, opts.file_roots),
    pillar: rootsOf(runtime.fs, opts.pillar_roots),
    files: await reactorFiles(runtime, opts.reactor),
    opts,
  };
  if (tree.states.length + tree.pillar.length === 0) {
    throw new Exit(1, "No directory of file_roots or pillar_roots exists: name one, as in brine compat /srv/salt");
  }
  const backends = [opts.fileserver_backend ?? []].flat().map(String);
  const notes = backends.some((name) => name === "git" || name === "gitfs")
    ? ["Repositories of gitfs were not read: clone them, and run brine compat DIRECTORY"]
    : [];
  return print(context, await treeReport(runtime, tree), notes, format);
}

/** The files in the option `reactor` on this host; files of `salt://` are in the tree anyway. */
async function reactorFiles({ fs }: Runtime, reactor: unknown): Promise<string[]> {
  const references = (Array.isArray(reactor) ? reactor : []).flatMap((entry) =>
    isMap(entry) ? entriesOf(entry).flatMap(([, files]) => [files].flat()) : []
  ).filter((file): file is string => typeof file === "string" && !file.startsWith("salt://"));
  const found: string[] = [];
  for (const reference of references) {
    try {
      found.push(...await reactionFiles(reference, { fetch: () => Promise.resolve(undefined) }, fs));
    } catch (error) {
      throw new Exit(1, `reactor: ${reference} cannot be read: ${messageOf(error)}`);
    }
  }
  return found;
}

function print(
  { print }: ProgramContext,
  report: TreeReport,
  notes: readonly string[],
  format: string,
): number {
  const code = report.parts.length > 0 ? 1 : 0;
  if (format === "json") {
    print(`${JSON.stringify({ ...report, notes }, null, 4)}\n`);
    return code;
  }
  const { roots, files, unread, parts } = report;
  print(`${files} ${files === 1 ? "file was" : "files were"} read in ${roots.join(", ")}. Nothing was rendered.\n`);
  for (const part of parts) print(partText(part));
  for (const path of unread) print(`\nNOT READ      ${path}: it is larger than 1 MiB, or this user may not read it\n`);
  for (const note of notes) print(`\n${note}\n`);
  const counts = COUNTED.map(([status, words]) => `${parts.filter((part) => part.status === status).length} ${words}`);
  print(`\nParts: ${counts.join(", ")}\n`);
  if (code !== 0) {
    print("docs/compatibility-table.md lists what is here, docs/modules.md shows how to write the rest.\n");
  }
  return code;
}

const COUNTED: readonly (readonly [Status, string])[] = [
  ["not here", "not here"],
  ["needs Python", "need Python"],
  ["differs", "differ"],
  ["cannot be read", "cannot be read"],
];

function partText({ status, kind, name, remedy, dependents, places }: MissingPart): string {
  const used = dependents === 0
    ? "no file names it"
    : dependents === 1
    ? "1 file needs it"
    : `${dependents} files need it`;
  const lines = places.slice(0, MAX_PLACES).map(({ file, line }) => `    ${file}, line ${line}`);
  if (places.length > MAX_PLACES) lines.push(`    and ${places.length - MAX_PLACES} more places`);
  const advice = remedy === "" ? "" : `. ${status === "cannot be read" ? "Reason" : "Remedy"}: ${remedy}`;
  return `\n${[`${status.toUpperCase().padEnd(14)} ${kind} ${name}: ${used}${advice}`, ...lines].join("\n")}\n`;
}
