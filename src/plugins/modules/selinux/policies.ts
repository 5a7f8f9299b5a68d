/** Policies for files and ports, by semanage and restorecon. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, operand, runAll } from "../../commands.ts";

/** Kinds of files, by semanage's letters. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  a: "all files",
  f: "regular file",
  d: "directory",
  c: "character device",
  b: "block device",
  s: "socket",
  l: "symbolic link",
  p: "named pipe",
};

/** @throws {SaltInvocationError} if there is no such kind */
export function fileType(letter: unknown): string {
  if (Object.hasOwn(FILE_TYPES, str(letter))) return FILE_TYPES[str(letter)]!;
  throw new SaltInvocationError(`Invalid filetype given: ${str(letter)}`);
}

interface FileContext {
  sel_user: string;
  sel_role: string;
  sel_type: string;
  sel_level: string;
}

function contextOf(text: string): FileContext {
  const [, sel_user = "", sel_role = "", sel_type = "", sel_level] = /^([^:]+):([^:]+):([^:]+):([^:]+)$/.exec(text) ??
    [];
  if (sel_level !== undefined) return { sel_user, sel_role, sel_type, sel_level };
  throw new SaltInvocationError(
    `Invalid SELinux context string: ${text}. Expected "sel_user:sel_role:sel_type:sel_level"`,
  );
}

const listed = async (context: JobContext, what: string): Promise<string[]> =>
  splitLines((await runAll(context, ["semanage", what, "-l"], { ignore_retcode: true })).stdout);

/** The policy for a path, which is a regular expression; null if there is none with those parts. */
export async function getFilePolicy(context: JobContext, args: Args): Promise<Record<string, string> | null> {
  const name = str(args.name);
  const type = truthy(args.filetype) ? fileType(args.filetype) : undefined;
  for (const line of await listed(context, "fcontext")) {
    if (!line.startsWith(`${name} `)) continue;
    const [, filetype = "", label] = /^ +([A-Za-z]+(?: [A-Za-z]+)*) +(\S+)[ \t]*$/.exec(line.slice(name.length)) ?? [];
    if (label === undefined || (type !== undefined && filetype !== type)) continue;
    const parts = label.split(":");
    if (parts.length !== 4) continue;
    const wanted = [args.sel_user, null, args.sel_type, args.sel_level];
    if (wanted.some((value, at) => truthy(value) && str(value) !== parts[at])) continue;
    return { filespec: name, filetype, ...contextOf(label) };
  }
  return null;
}

export async function changeFilePolicy(
  context: JobContext,
  action: "add" | "delete",
  args: Args,
): Promise<CommandOutcome> {
  const name = operand(args.name, "a path of a policy");
  const { filetype, sel_type: type, sel_user: user, sel_level: level } = args;
  const there = action === "add" &&
    (await listed(context, "fcontext")).some((line) => line.startsWith(`${name} `));
  return await runAll(context, [
    "semanage",
    "fcontext",
    // What is there already cannot be added.
    `--${there ? "modify" : action}`,
    ...(filetype !== null && filetype !== "a" && fileType(filetype) ? ["--ftype", str(filetype)] : []),
    ...(type === null ? [] : ["--type", operand(type, "a type")]),
    ...(user === null ? [] : ["--seuser", operand(user, "a user of SELinux")]),
    ...(level === null ? [] : ["--range", operand(level, "a level")]),
    name,
  ]);
}

/** What restorecon would change, as it says it; empty if nothing. */
export async function pendingLabels(context: JobContext, { name, recursive }: Args): Promise<string> {
  const words = ["-n", "-v", ...(truthy(recursive) ? ["-R"] : []), operand(name, "a path")];
  return (await runAll(context, ["restorecon", ...words])).stdout;
}

/** The changes in what restorecon says; undefined if it says something else. */
function changesIn(text: string): Record<string, { old: object; new: object }> | undefined {
  const pattern = text.startsWith("Would relabel")
    ? /^Would relabel (.*) from (.*) to (.*)$/gm
    : text.startsWith("restorecon reset")
    ? /^restorecon reset (.*) context (.*)->(.*)$/gm
    : undefined;
  if (pattern === undefined) return undefined;
  return Object.fromEntries([...text.matchAll(pattern)].map(([, path = "", before = "", after = ""]) => {
    const [was, is] = [contextOf(before), contextOf(after)];
    const differing = (one: FileContext) =>
      Object.fromEntries(
        Object.entries(one).filter(([key]) => was[key as keyof FileContext] !== is[key as keyof FileContext]),
      );
    return [path, { old: differing(was), new: differing(is) }];
  }));
}

export async function applyFilePolicy(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  const before = await pendingLabels(context, args);
  const words = ["-v", "-F", ...(truthy(args.recursive) ? ["-R"] : []), operand(args.name, "a path")];
  const done = await runAll(context, ["restorecon", ...words]);
  if (done.retcode !== 0) return { ...done };
  const changes = changesIn(before);
  if (changes === undefined) {
    return { ...done, retcode: 1, error: "Unrecognized response from restorecon command." };
  }
  return Object.keys(changes).length === 0 ? { ...done } : { ...done, changes };
}

/** @throws {SaltInvocationError} if neither the name nor the two say it */
function protocolAndPort({ name, protocol, port }: Args): [protocol: string, port: string] {
  for (const text of [str(name), `${str(protocol)}/${str(port)}`]) {
    const [, found = "", number] = /^(tcp|udp)\/(\d+-?\d+)$/.exec(text) ?? [];
    if (number !== undefined) return [found, number];
  }
  throw new SaltInvocationError(
    `Invalid name "${str(name)}" format and protocol and port not provided or invalid: "${str(protocol)}" "${
      str(port)
    }".`,
  );
}

export async function getPortPolicy(context: JobContext, args: Args): Promise<Record<string, string> | null> {
  const [protocol, port] = protocolAndPort(args);
  for (const line of await listed(context, "port")) {
    const [, type = "", of, ports = ""] = /^(\w+) +(\w+) +(\S.*)$/.exec(line) ?? [];
    if (of !== protocol || (truthy(args.sel_type) && type !== str(args.sel_type))) continue;
    if (!ports.split(",").some((one) => one.trim() === port)) continue;
    if (!/^[\d\-, ]+$/.test(ports)) {
      throw new CommandExecutionError(`Port policy ${repr(line)} did not match expected format`);
    }
    return { sel_type: type, protocol: of, port: ports.trim() };
  }
  return null;
}

export async function changePortPolicy(
  context: JobContext,
  action: "add" | "delete",
  args: Args,
): Promise<CommandOutcome> {
  if (action === "add" && !truthy(args.sel_type)) {
    throw new SaltInvocationError("SELinux Type is required to add a policy");
  }
  const [protocol, port] = protocolAndPort(args);
  return await runAll(context, [
    "semanage",
    "port",
    `--${action}`,
    "--proto",
    protocol,
    ...(truthy(args.sel_type) ? ["--type", operand(args.sel_type, "a type")] : []),
    ...(truthy(args.sel_range) ? ["--range", operand(args.sel_range, "a range")] : []),
    port,
  ]);
}
