import { CommandExecutionError, InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy, typeName } from "../../../language/python/values.ts";
import { run } from "../../commands.ts";
import { isFile } from "../../linux/paths.ts";

const FLAGS = "aBhHiklPtTxv";

/** Options of `df`, each a letter. */
function flagsOf(args: unknown, caller: string): string[] {
  if (args === null) return [];
  if (typeof args !== "string" && !Array.isArray(args)) {
    throw new InvalidArgumentsError(`'${typeName(args)}' object is not iterable`);
  }
  const flags = [...args].map(str);
  if (flags.some((flag) => flag.length !== 1 || !FLAGS.includes(flag))) {
    throw new CommandExecutionError(`Invalid flag passed to ${caller}`);
  }
  return flags.length === 0 ? [] : [`-${flags.join("")}`];
}

/** The rows of `df` in words; a name of several words, or on a line of its own, is one. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let before = "";
  for (const line of splitLines(text)) {
    if (line === "" || line.startsWith("Filesystem")) continue;
    const words = splitWords(`${before} ${line}`);
    before = words.length === 1 ? words[0]! : "";
    if (words.length === 1) continue;
    while (words.length >= 2 && !/^\d+$/.test(words[1]!)) words.splice(0, 2, `${words[0]} ${words[1]}`);
    if (words.length >= 2) rows.push(words);
  }
  return rows;
}

/** A map by the sixth word of each row, the mount; empty if a row is cut short. */
function byMount<T>(rows: string[][], make: (row: string[]) => T): Record<string, T> {
  if (rows.some((row) => row.length < 6)) return {};
  return Object.fromEntries(rows.map((row) => [row[5]!, make(row)]));
}

export async function usage(context: JobContext, args: unknown): Promise<Record<string, unknown>> {
  const flags = flagsOf(args, "disk.usage");
  if (!isFile(context.runtime.fs, "/etc/mtab")) {
    context.log.error("df cannot run without /etc/mtab");
    return {};
  }
  return byMount(rowsOf(await run(context, ["df", "-P", ...flags])), (row) => ({
    filesystem: row[0],
    "1K-blocks": row[1],
    used: row[2],
    available: row[3],
    capacity: row[4],
  }));
}

export async function inodeUsage(context: JobContext, args: unknown): Promise<Record<string, unknown>> {
  const text = await run(context, ["df", "-iP", ...flagsOf(args, "disk.inodeusage")]);
  const rows = splitLines(text).filter((line) => line !== "" && !line.startsWith("Filesystem")).map(splitWords);
  return byMount(rows, (row) => ({ inodes: row[1], used: row[2], free: row[3], use: row[4], filesystem: row[0] }));
}

export async function percent(context: JobContext, mount: unknown): Promise<unknown> {
  const all = byMount(rowsOf(await run(context, ["df", "-P"])), (row) => row[4]!);
  if (!truthy(mount)) return all;
  return Object.hasOwn(all, str(mount)) ? all[str(mount)] : {};
}
