import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { str } from "../../../language/python/values.ts";
import { programPath, run, runAll } from "../../commands.ts";
import { checkProgramPath, exists } from "../../linux/paths.ts";
import { shellWords } from "../../linux/words.ts";

const EXTENDED = /[aAcCdDeijPsStTu]/g;
const PLAIN = /[acdijstuADST]/g;

/** True if the tools of this host know the attributes that came with version 1.41.12. */
async function knowsExtended(context: JobContext): Promise<boolean> {
  const program = programPath(context, "tune2fs");
  if (program === undefined) return false;
  const text = await run(context, [program], { ignore_retcode: true });
  const version = /tune2fs ([0-9.]+)/.exec(text)?.[1]?.split(".").map(Number);
  if (version === undefined) return false;
  for (const [at, least] of [1, 41, 12].entries()) {
    const part = version[at] ?? 0;
    if (part !== least) return part > least;
  }
  return false;
}

/** Attributes of a file on ext file systems: path → letters; null where there is no `lsattr`. */
export async function listAttributes(context: JobContext, path: string): Promise<Record<string, string[]> | null> {
  if (programPath(context, "lsattr") === undefined) return null;
  if (!exists(context.runtime.fs, path)) {
    throw new SaltInvocationError(`File or directory does not exist: ${path}`);
  }
  const text = await run(context, ["lsattr", path], { ignore_retcode: true });
  const letters = await knowsExtended(context) ? EXTENDED : PLAIN;
  const found: [string, string[]][] = [];
  for (const line of splitLines(text)) {
    if (line.startsWith("lsattr: ")) continue;
    const [, attributes = "", file = ""] = /^\s*(\S+)\s+(.*)$/.exec(line) ?? [];
    found.push([file, attributes.match(letters) ?? []]);
  }
  return Object.fromEntries(found);
}

/** The attributes that a file lacks, and those that it has beyond these; undefined if they are unknown. */
export async function compareAttributes(
  context: JobContext,
  path: string,
  attributes: string,
): Promise<{ added: string; removed: string } | undefined> {
  const listed = await listAttributes(context, path);
  if (listed === null) return undefined;
  const [wanted, has] = [new Set(attributes), new Set(listed[path] ?? [])];
  // Extents are the file system's own business.
  if (has.has("e")) wanted.add("e");
  return { added: [...wanted.difference(has)].join(""), removed: [...has.difference(wanted)].join("") };
}

export async function runChattr(
  context: JobContext,
  files: readonly string[],
  options: Record<string, unknown>,
): Promise<boolean> {
  const { operator, attributes, flags, version } = options;
  if (operator !== "add" && operator !== "remove") {
    throw new SaltInvocationError("Need an operator: 'add' or 'remove' to modify attributes.");
  }
  if (attributes === undefined || attributes === null) {
    throw new SaltInvocationError("Need attributes: [aAcCdDeijPsStTu]");
  }
  for (const file of files) checkProgramPath(context, file);
  const words = ["chattr", `${operator === "add" ? "+" : "-"}${str(attributes)}`];
  if (flags !== undefined && flags !== null) words.push(`-${str(flags)}`);
  if (version !== undefined && version !== null) words.push("-v", str(version));
  return await run(context, [...words, ...files]) === "";
}

export async function selinuxContext(context: JobContext, path: string): Promise<string> {
  const { retcode, stdout } = await runAll(context, ["stat", "-c", "%C", path]);
  return retcode === 0 ? stdout : `No selinux context information is available for ${path}`;
}

export async function setSelinuxContext(context: JobContext, args: Record<string, unknown>): Promise<string | boolean> {
  const path = str(args.path);
  const given = ([["-u", "user"], ["-r", "role"], ["-t", "type"], ["-l", "range"]] as const)
    .filter(([, name]) => args[name] !== null && args[name] !== "");
  if (given.length === 0) return false;
  checkProgramPath(context, path);
  const words = ["chcon", ...given.flatMap(([option, name]) => [option, str(args[name])]), path];
  const code = await context.call("cmd.retcode", [words], { python_shell: false });
  return code === 0 ? await selinuxContext(context, path) : false;
}

/** The attributes that a state names: letters, in a text or a list. */
export const attributeLetters = (attributes: unknown): string =>
  Array.isArray(attributes) ? attributes.map(str).join("") : str(attributes);

/** Splits options that a caller passed as one text. */
export const attributeWords = (options: unknown): string[] => shellWords(str(options ?? ""));

/** Gives a new file the label that the policy has for its path, where SELinux is enforcing. It was made with that of its directory. */
export async function restoreLabel(context: JobContext, path: string): Promise<void> {
  const { fs } = context.runtime;
  const enforce = ["/sys/fs/selinux/enforce", "/selinux/enforce"].find((file) => exists(fs, file));
  if (enforce === undefined || fs.readText(enforce).trim() !== "1") return;
  const program = programPath(context, "restorecon");
  if (program !== undefined) await runAll(context, [program, path], { ignore_retcode: true });
}
