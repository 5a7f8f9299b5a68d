import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { lookAt } from "../../linux/paths.ts";
import { cachedSource } from "../../sources.ts";
import { attributeLetters, compareAttributes } from "./attributes.ts";
import { contentsOf } from "./content.ts";
import { difference, obfuscated } from "./difference.ts";
import { type SourceSum, sumOf } from "./hash.ts";
import { managedSource, sourceList, sourceMode } from "./managed_source.ts";
import { normalizeMode, pathOf, stats } from "./stats.ts";

/** Kinds of what `file.managed` puts a file in the place of. */
const REPLACED: readonly string[] = ["fifo", "socket", "character", "block"];

/** What managing a file would change. */
export async function checkFileMeta(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  const name = pathOf(context, args.name);
  const sum = sumOf(args.source_sum);
  // What is no file is replaced by one, and has no content to compare.
  if (REPLACED.includes(lookAt(context.runtime.fs, name)?.kind ?? "")) return { newfile: name };
  let current: ReturnType<typeof stats>;
  try {
    current = stats(context, name, sum.hash_type ?? null, args.follow_symlinks);
  } catch (error) {
    if (error instanceof CommandExecutionError) return { newfile: name };
    throw error;
  }
  const changes: Record<string, unknown> = {};
  if (sum.hsum !== undefined && sum.hsum !== current.sum) {
    const source = truthy(args.source) ? str(args.source) : undefined;
    const file = truthy(args.sfn)
      ? str(args.sfn)
      : source === undefined
      ? undefined
      : await cachedSource(context, source, { ...args, source_hash: sum.hsum });
    if (file === undefined) changes.sum = "Checksum differs";
    else if (args.rendered instanceof Uint8Array) {
      changes.diff = difference(context, name, args.rendered, { template: true });
    } else changes.diff = difference(context, name, file, { template: true });
  }
  const contents = contentsOf(args.contents);
  if (contents !== undefined) {
    const text = difference(context, name, contents, {});
    if (text !== "") changes.diff = obfuscated(context) ? "<Obfuscated Template>" : text;
  }
  const { user, group } = args;
  if (user !== null && user !== current.user && user !== current.uid) changes.user = user;
  if (group !== null && group !== current.group && group !== current.gid) changes.group = group;
  const mode = normalizeMode(args.mode);
  if (mode !== null && mode !== current.mode) changes.mode = mode;
  if (truthy(args.attrs)) {
    const apart = await compareAttributes(context, name, attributeLetters(args.attrs));
    if (apart !== undefined && (apart.added !== "" || apart.removed !== "")) changes.attrs = args.attrs;
  }
  return changes;
}

/** What managing a file would change, or `[false, reason]` if that is unknown. */
export async function checkManagedChanges(context: JobContext, args: Args): Promise<unknown> {
  const [source, hash] = await sourceList(context, args);
  let [file, sum]: [string, Partial<SourceSum>] = ["", {}];
  let rendered: Uint8Array | undefined;
  let mode = args.mode;
  if (args.contents === null) {
    const managed = await managedSource(context, { ...args, source, source_hash: hash });
    ({ file, sum, rendered } = managed);
    if (managed.comment !== "") return [false, managed.comment];
    if (truthy(args.keep_mode) && truthy(source)) mode = await sourceMode(context, str(source), args) ?? mode;
  }
  return await checkFileMeta(context, { ...args, source, mode, sfn: file, source_sum: sum, rendered });
}

/** Whether managing a file would change it, with a comment. */
export async function checkManaged(context: JobContext, args: Args): Promise<unknown> {
  const changes = await checkManagedChanges(context, args);
  if (!isMap(changes)) return changes;
  const name = str(args.name);
  const shown = entriesOf(changes).filter(([key]) =>
    !(name.startsWith(context.runtime.process.env("TMPDIR") ?? "/tmp") && ["user", "group", "mode"].includes(str(key)))
  );
  if (shown.length === 0) return [true, `The file ${name} is in the correct state`];
  const lines = shown.map(([key, value]) => `${str(key)}: ${str(value)}\n`).join("");
  return [null, `The following values are set to be changed:\n${lines}`];
}
