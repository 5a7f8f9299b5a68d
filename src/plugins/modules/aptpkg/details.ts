import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { keywords } from "../../keywords.ts";
import { lookAt } from "../../linux/paths.ts";
import { fieldFormat, fieldRows, utcDate } from "../../packages/fields.ts";
import { type Files, oneOrAll } from "../../packages/shared_functions.ts";
import { targetsOf } from "./change.ts";
import { ask, installed, paragraphs, policies, type Versions } from "./dpkg.ts";
import { refresh } from "./refresh.ts";

/** The files of packages; a text if dpkg does not know one of them. */
export async function files(context: JobContext, names: string[]): Promise<Files> {
  const packages: Record<string, string[]> = {};
  const wanted = names.length > 0 ? names : Object.keys(await installed(context));
  for (const name of wanted) {
    const { retcode, stderr } = await runAll(context, ["dpkg", "-l", name]);
    if (retcode !== 0) return `Error:  ${stderr}`;
    const { stdout } = await ask(context, ["dpkg", "-L", name]);
    packages[name] = splitLines(stdout).filter((line) => line.startsWith("/"));
  }
  return { errors: [], packages };
}

export async function owner(context: JobContext, paths: string[]): Promise<unknown> {
  const found: Versions = {};
  for (const path of paths) {
    const { stdout } = await runAll(context, ["dpkg-query", "-S", path]);
    found[path] = splitLines(stdout).filter((line) => !line.startsWith("diversion "))[0]?.split(":", 1)[0] ?? "";
  }
  return oneOrAll(found, paths.length);
}

/** Fields of dpkg and the names that callers know them by. */
const FIELDS: [field: string, name: string][] = [
  ["Package", "name"],
  ["Architecture", "architecture"],
  ["Maintainer", "packager"],
  ["source:Package", "source"],
  ["Version", "version"],
  ["Section", "group"],
  ["Homepage", "url"],
  ["Description", "description"],
];

/** The licences that the copyright file of a package names. */
export function license({ runtime: { fs } }: JobContext, name: string): string {
  const path = `/usr/share/doc/${name}/copyright`;
  if (lookAt(fs, path)?.kind !== "file") return "";
  const names = [...fs.readText(path).matchAll(/^license:\s*(.+)$/gim)].map(([, text]) => text!.trim());
  return [...new Set(names)].sort().join(", ");
}

export async function info(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, unknown>> {
  const { failhard = true } = keywords(kwargs, "failhard");
  const { fs } = context.runtime;
  const format = fieldFormat(FIELDS.map(([field]) => `\${${field}}`));
  const { retcode, stdout, stderr } = await runAll(context, ["dpkg-query", "-W", "-f", format, ...names]);
  if (retcode !== 0 && truthy(failhard)) {
    throw new CommandExecutionError(`Error getting packages information: ${stderr}`);
  }
  const found: Record<string, unknown> = {};
  for (const values of fieldRows(stdout, FIELDS.length)) {
    const { description = "", ...entry }: Record<string, string> = Object.fromEntries(
      FIELDS.map(([, name], at) => [name, values[at]!]),
    );
    const { name = "", architecture } = entry;
    const list = [`/var/lib/dpkg/info/${name}.list`, `/var/lib/dpkg/info/${name}:${architecture}.list`]
      .map((path) => lookAt(fs, path)).find((stat) => stat !== undefined);
    if (list !== undefined) entry.install_date = utcDate(list.mtimeMs);
    // What dpkg has in front of each further line of a description stays.
    entry.description = description.includes("\n") ? `${description}\n` : description;
    entry.license = license(context, name);
    found[name] = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== ""));
  }
  return found;
}

export async function show(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, unknown>> {
  if (truthy(kwargs.refresh)) await refresh(context, {});
  const wanted = truthy(kwargs.filter)
    ? [...targetsOf(kwargs.filter).keys()].map((name) => name.toLowerCase())
    : undefined;
  const { stdout } = await runAll(context, ["apt-cache", "show", ...names]);
  const found: Record<string, Record<string, unknown>> = {};
  for (const { Package: name = "", Version: of = "", ...fields } of paragraphs(stdout)) {
    (found[name] ??= {})[of] = Object.fromEntries(
      Object.entries(fields).filter(([field]) => wanted === undefined || wanted.includes(field.toLowerCase())),
    );
  }
  return found;
}

export async function repoPackages(context: JobContext, names: string[]): Promise<Record<string, string[]>> {
  const wanted = names.length > 0 ? names : splitLines((await ask(context, ["apt-cache", "pkgnames"])).stdout);
  const found = await policies(context, wanted);
  return Object.fromEntries(
    Object.entries(found).filter(([, { all }]) => all.length > 0).map(([name, { all }]) => [name, all]),
  );
}
