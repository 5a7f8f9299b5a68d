import { refuseEndless } from "../file/content.ts";
import { joinPath } from "../../../base/paths.ts";
import { executionFunction, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { splitWords, strip } from "../../../language/python/text.ts";
import { needProgram, run } from "../../commands.ts";
import { type UserFile, userFile } from "../../user_files.ts";
import { accountOf } from "./authorized.ts";
import { fingerprintOf } from "./keys.ts";

const SSH_PORT = 22;

/** How often a host is asked that does not answer. */
const ATTEMPTS = 5;

interface HostKey {
  hostname: unknown;
  key: unknown;
  enc: unknown;
  fingerprint?: string;
  port?: unknown;
}

/** What stands in the place of an answer. */
interface Failure {
  status: "error";
  error: string;
}

const failure = (error: string): Failure => ({ status: "error", error });

const isFailure = (value: unknown): value is Failure => typeof value === "object" && value !== null && "error" in value;

async function fileOf(context: JobContext, { user, config }: Args): Promise<UserFile | Failure> {
  const path = truthy(config) ? str(config) : truthy(user) ? ".ssh/known_hosts" : "/etc/ssh/ssh_known_hosts";
  if (!truthy(user)) {
    return path.startsWith("/")
      ? userFile(context, path, undefined)
      : failure("Cannot determine absolute path to file.");
  }
  const account = await accountOf(context, user);
  if (account === undefined && !path.startsWith("/")) return failure(`User ${str(user)} does not exist`);
  return userFile(context, path.startsWith("/") ? path : joinPath(account!.home, path), account);
}

/** As the file has it: with a port that is not the usual one in brackets. */
function hostName(hostname: unknown, port: unknown): string {
  const name = str(hostname);
  // It stands in lines of files and on command lines.
  if (/[\s\0]/.test(name)) throw new SaltInvocationError(`A host name has no blanks: ${JSON.stringify(name)}`);
  return !truthy(port) || Number(port) === SSH_PORT ? name : `[${name}]:${str(port)}`;
}

function* hostKeysIn(context: JobContext, text: string, hashType: unknown): Iterable<HostKey> {
  for (const line of text.split("\n").map(strip)) {
    const words = splitWords(line);
    if (line.startsWith("#") || words.length !== 3) continue;
    const [hostname, enc, key] = words as [string, string, string];
    const fingerprint = fingerprintOf(context, key, hashType);
    if (fingerprint !== undefined && fingerprint !== "") yield { hostname, key, enc, fingerprint };
  }
}

const orNone = <T>(list: T[]): T[] | null => list.length > 0 ? list : null;

/** Options of a program that is given the path of a file. @throws {CommandExecutionError} for what it would never read to an end */
function running({ runtime: { fs } }: JobContext, file: UserFile) {
  refuseEndless(fs, file.path);
  return file.runas === undefined ? {} : { runas: file.runas, cwd: "/" };
}

const search = (context: JobContext, file: UserFile, name: string) =>
  run(context, ["ssh-keygen", "-F", name, "-f", file.path], { ignore_retcode: true, ...running(context, file) });

/** `ssh.get_known_host_entries`. @throws {CommandNotFoundError} without ssh-keygen */
export async function knownHost(context: JobContext, args: Args): Promise<HostKey[] | null | Failure> {
  needProgram(context, "ssh-keygen");
  const file = await fileOf(context, args);
  if (isFailure(file)) return file;
  const text = await search(context, file, hostName(args.hostname, args.port));
  return orNone([...hostKeysIn(context, text, args.fingerprint_hash_type)]);
}

/** `ssh.recv_known_host_entries`: asks the host itself. @throws {CommandNotFoundError} without ssh-keyscan */
export async function askHost(context: JobContext, args: Args): Promise<HostKey[] | null> {
  needProgram(context, "ssh-keyscan");
  const { hostname, enc, port, hash_known_hosts: hash, timeout } = args;
  const argv = ["ssh-keyscan"];
  if (truthy(port)) argv.push("-p", str(port));
  if (truthy(enc)) argv.push("-t", str(enc));
  if (truthy(hash)) argv.push("-H");
  argv.push("-T", str(timeout), "--", hostName(hostname, null));
  let text = "";
  for (let tries = 0; tries < ATTEMPTS && text === ""; tries++) text = await run(context, argv);
  return orNone([...hostKeysIn(context, text, args.fingerprint_hash_type)]);
}

export async function checkKnownHost(context: JobContext, args: Args): Promise<unknown> {
  const { hostname, key, fingerprint } = args;
  if (!truthy(hostname)) return failure("hostname argument required");
  const known = await knownHost(context, args);
  if (isFailure(known)) return known;
  if (known === null) return "add";
  if (truthy(key)) return known.some((one) => one.key === key) ? "exists" : "update";
  if (truthy(fingerprint)) return known.some((one) => one.fingerprint === fingerprint) ? "exists" : "update";
  return "exists";
}

/** `ssh.rm_known_host`. */
export const removeKnownHost = executionFunction({
  signature: "user=None, hostname=None, config=None, port=None",
  doc: "Forgets the keys of a host.\n\n    salt '*' ssh.rm_known_host root github.com",
  async run(context, args): Promise<unknown> {
    if (!truthy(args.hostname)) return failure("hostname argument required");
    const file = await fileOf(context, args);
    if (isFailure(file)) return file;
    if (!await file.exists()) return failure(`Known hosts file ${file.path} does not exist`);
    needProgram(context, "ssh-keygen");
    const argv = ["ssh-keygen", "-R", hostName(args.hostname, args.port), "-f", file.path];
    const before = context.runtime.fs.stat(file.path);
    const comment = await run(context, argv, running(context, file));
    await giveBack(context, args, file, before?.mode);
    return { status: "removed", comment };
  },
});

/** ssh-keygen puts a new file in the place of the old one: it is the user's again. */
async function giveBack(context: JobContext, args: Args, file: UserFile, mode: number | undefined) {
  const { fs, process } = context.runtime;
  if (file.runas !== undefined) return;
  if (mode !== undefined) fs.chmod(file.path, mode);
  if (process.uid() !== 0 || !truthy(args.user)) return;
  const account = await accountOf(context, args.user);
  if (account !== undefined) fs.chown(file.path, account.uid, account.gid);
}

export const hashKnownHosts = executionFunction({
  signature: "user=None, config=None",
  doc: "Hides the names of known hosts.\n\n    salt '*' ssh.hash_known_hosts root",
  async run(context, args): Promise<unknown> {
    const file = await fileOf(context, args);
    if (isFailure(file)) return file;
    if (!await file.exists()) return failure(`Known hosts file ${file.path} does not exist`);
    needProgram(context, "ssh-keygen");
    const mode = context.runtime.fs.stat(file.path)?.mode;
    const comment = await run(context, ["ssh-keygen", "-H", "-f", file.path], running(context, file));
    await giveBack(context, args, file, mode);
    return { status: "updated", comment };
  },
});

/** Numbers of the lines of a host in what ssh-keygen has found, of one kind of key if it is given. */
function linesFound(text: string, enc: unknown): Set<number> {
  const lines = text.split("\n").filter((line) => line !== "");
  const found = new Set<number>();
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const number = Number(splitWords(lines[at]!).at(-1));
    if (enc === null || splitWords(lines[at + 1]!).at(-2) === enc) found.add(number);
  }
  return found;
}

/** What is to be written: what was given, or what the host says; undefined if it is there already. */
async function wantedKeys(
  context: JobContext,
  args: Args,
  stored: HostKey[] | null,
): Promise<HostKey[] | Failure | undefined> {
  const { hostname, key, enc, fingerprint } = args;
  const storedKeys = (stored ?? []).filter((one) => enc === null || one.enc === enc).map((one) => one.key);
  const differs = stored === null ||
    (truthy(fingerprint) && !stored.some((one) => one.fingerprint === fingerprint)) ||
    (truthy(key) && !storedKeys.includes(key));
  const unknown = !differs && key === null && fingerprint === null;
  if (!differs && !unknown) return undefined;
  if (truthy(key)) return [{ hostname, enc, key }];
  const asked = await askHost(context, args);
  if (asked === null) return failure("Unable to receive remote host keys");
  if (truthy(fingerprint) && !asked.some((one) => one.fingerprint === fingerprint)) {
    return failure(
      "Remote host public keys found but none of their fingerprints match the one you have provided",
    );
  }
  const same = asked.every((one) => storedKeys.includes(one.key)) &&
    storedKeys.every((one) => asked.some(({ key: theirs }) => theirs === one));
  return unknown && same ? undefined : asked;
}

function lineOf(entry: HostKey, { port, hash_known_hosts: hash }: Args): string {
  const { hostname, enc, key } = entry;
  const name = str(hostname);
  const plain = truthy(hash) || port === null || Number(port) === SSH_PORT || name.includes(":");
  return `${plain ? name : `[${name}]:${str(port)}`} ${str(enc)} ${str(key)}\n`;
}

/** Why a port cannot be noted: a hidden name has none. Undefined if it can. */
export function portComplaint({ port, hash_known_hosts: hash }: Args): string | undefined {
  return port !== null && port !== SSH_PORT && truthy(hash)
    ? "argument port can not be used in conjunction with argument hash_known_hosts"
    : undefined;
}

export async function setKnownHost(context: JobContext, args: Args): Promise<unknown> {
  const { hostname, port, enc, key, hash_known_hosts: hash } = args;
  if (!truthy(hostname)) return failure("hostname argument required");
  const complaint = portComplaint(args);
  if (complaint !== undefined) return failure(complaint);
  const stored = await knownHost(context, args);
  if (isFailure(stored)) return stored;
  const wanted = await wantedKeys(context, args, stored);
  if (wanted === undefined) {
    const keys = (stored ?? []).filter((one) => enc === null || one.enc === enc).map((one) => one.key);
    return { status: "exists", keys };
  }
  if (isFailure(wanted)) return wanted;
  if (wanted.some((entry) => /[\r\n]/.test(lineOf(entry, args).slice(0, -1)))) {
    return failure("A key has no line feeds");
  }
  const file = await fileOf(context, args);
  if (isFailure(file)) return file;
  const text = await file.read();
  const old = text === "" ? new Set<number>() : linesFound(await search(context, file, hostName(hostname, port)), enc);
  const kept = text.split(/(?<=\n)/).filter((_, at) => !old.has(at + 1)).join("");
  await file.write(kept + wanted.map((entry) => lineOf(entry, args)).join(""));
  if (truthy(key) && truthy(hash)) {
    await context.call("ssh.hash_known_hosts", [], { user: args.user, config: file.path });
  }
  return { status: "updated", old: stored, new: wanted };
}
