import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { needAnyProgram, needProgram, programPath, run, runAll } from "../../commands.ts";
import { shellWords } from "../../linux/words.ts";
import { pythonError } from "../../python_errors.ts";

export async function blkid(context: JobContext, device: unknown, token: unknown): Promise<Record<string, unknown>> {
  needProgram(context, "blkid");
  const words = truthy(device) ? [str(device)] : truthy(token) ? ["-t", str(token)] : [];
  const { retcode, stdout } = await runAll(context, ["blkid", ...words]);
  if (retcode > 0) return {};
  return Object.fromEntries(
    splitLines(stdout).filter((line) => line !== "").map((line) => {
      const [name = ""] = splitWords(line);
      const tags = [...line.matchAll(/([^\s"=]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
      return [name.slice(0, -1), Object.fromEntries(tags)];
    }),
  );
}

/** The parameters that `blockdev` is asked for, in the order of its answers. */
const QUESTIONS = [
  "getro",
  "getsz",
  "getss",
  "getpbsz",
  "getiomin",
  "getioopt",
  "getalignoff",
  "getmaxsect",
  "getsize",
  "getsize64",
  "getra",
  "getfra",
];

export async function dumpDevice(context: JobContext, device: unknown, args: unknown): Promise<unknown> {
  const { retcode, stdout } = await runAll(context, [
    "blockdev",
    ...QUESTIONS.map((question) => `--${question}`),
    ...shellWords(str(device)),
  ]);
  if (retcode !== 0) return false;
  const lines = splitLines(stdout).filter((line) => line !== "");
  const all = Object.fromEntries(lines.map((line, at) => [QUESTIONS[at]!, line]));
  if (!truthy(args)) return all;
  return Object.fromEntries(
    [args].flat().map((name) => {
      const key = str(name);
      if (!Object.hasOwn(all, key)) throw pythonError("KeyError", `'${key}'`);
      return [key, all[key]];
    }),
  );
}

/** The parameters of a device that can be changed, with their options of blockdev. */
const TUNABLES: Record<string, string> = {
  "read-ahead": "setra",
  "filesystem-read-ahead": "setfra",
  "read-only": "setro",
  "read-write": "setrw",
};

/** Words for blockdev, and the parameters that are shown then. @throws {SaltInvocationError} for other parameters */
export function tuneWords(options: Record<string, unknown>): { words: string[]; shown: string[] } {
  const words: string[] = [];
  const shown: string[] = [];
  const invalid: string[] = [];
  for (const [key, value] of Object.entries(options)) {
    if (key.startsWith("__")) continue;
    const option = Object.hasOwn(TUNABLES, key) ? TUNABLES[key]! : undefined;
    const bare = key === "read-only" || key === "read-write";
    if (option === undefined || (bare && value !== true && value !== "True")) {
      invalid.push(`${key}=${str(value)}`);
      continue;
    }
    words.push(`--${option}`, ...(bare ? [] : [str(value)]));
    shown.push(key === "read-write" ? "getro" : option.replace("set", "get"));
  }
  if (invalid.length > 0) throw new SaltInvocationError(`Invalid keyword arguments: ${invalid.join(", ")}`);
  return { words, shown };
}

export async function tune(context: JobContext, device: unknown, options: Record<string, unknown>): Promise<unknown> {
  const { words, shown } = tuneWords(options);
  const { retcode, stderr } = await runAll(context, ["blockdev", ...words, ...shellWords(str(device))]);
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return await dumpDevice(context, device, shown);
}

export const formatDevice = executionFunction({
  signature: "device: str, fs_type: str='ext4', inode_size=None, lazy_itable_init=None, fat=None, force: bool=False",
  doc: "Creates a file system on a device.\n\n    salt '*' disk.format /dev/sdX1",
  async run(context, args): Promise<boolean> {
    needProgram(context, "mkfs");
    needProgram(context, "sync");
    const type = args.fs_type;
    const words = ["mkfs", "-t", type];
    if (args.inode_size !== null) {
      if (type.startsWith("ext")) words.push("-i", str(args.inode_size));
      else if (type === "xfs") words.push("-i", `size=${str(args.inode_size)}`);
    }
    if (args.lazy_itable_init !== null && type.startsWith("ext")) {
      words.push("-E", `lazy_itable_init=${str(args.lazy_itable_init)}`);
    }
    if ([12, 16, 32].includes(Number(args.fat)) && type.endsWith("fat")) words.push("-F", str(args.fat));
    if (args.force) {
      if (type.startsWith("ext")) words.push("-F");
      else if (type === "xfs") words.push("-f");
    }
    const made = await runAll(context, [...words, args.device], { ignore_retcode: true });
    const written = await runAll(context, ["sync"], { ignore_retcode: true });
    return made.retcode === 0 && written.retcode === 0;
  },
});

export async function fstype(context: JobContext, device: unknown): Promise<string> {
  needAnyProgram(context, ["lsblk", "df"]);
  const words = shellWords(str(device));
  if (programPath(context, "lsblk") !== undefined) {
    const found = splitLines(await run(context, ["lsblk", "-o", "fstype", ...words]))[1]?.trim();
    if (truthy(found)) return found!;
  }
  if (programPath(context, "df") === undefined) return "";
  return splitLines(await run(context, ["df", "-T", ...words]))[1] ?? "";
}
