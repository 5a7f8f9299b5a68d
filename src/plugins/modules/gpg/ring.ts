/** Whose key ring is worked on, and gpg run on it. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { gpgOptionsOf } from "../../../language/render/renderer.ts";
import { type GpgRun, runGpg } from "../../../language/render/gpg_program.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import { pythonError } from "../../python_errors.ts";
import { commandIdentity } from "../cmd/identity.ts";

/** Bytes of a file or text that gpg takes or gives. */
export const LARGEST = 256 * 1024 * 1024;
/** Bytes that are returned to the caller rather than written to a file. */
const LARGEST_RETURN = 16 * 1024 * 1024;
/** Time for one run; keys with many bits take long. */
const TIMEOUT_MS = 600_000;
/** Characters of gpg's messages that are logged. */
const LOGGED = 2000;

const utf8 = new TextEncoder();

/** A directory of keys, and the user who works on it. */
export interface Ring {
  home: string;
  /** Undefined for our own user. */
  runas: string | undefined;
}

export interface RingRun extends GpgRun {
  output: Uint8Array;
  status: [keyword: string, value: string][];
  messages: string;
}

function homeOf(context: JobContext, user: string | undefined, gnupghome: unknown): string {
  const { runtime, opts } = context;
  if (truthy(gnupghome)) return str(gnupghome);
  if (user === "salt") return gpgOptionsOf({ conf_file: opts.conf_file }).home;
  if (user === undefined) return `${runtime.host.user().home}/.gnupg`;
  const account = findAccount(runtime, user);
  if (account === undefined) throw new SaltInvocationError(`User ${user} does not exist`);
  return `${account.home}/.gnupg`;
}

/**
 * The ring that `user` and `gnupghome` name. Root works on another user's as that user: a configuration there names programs that
 * gpg runs, and links lead where its owner likes.
 *
 * @throws {SaltInvocationError} if there is no such user
 * @throws {CommandExecutionError} if the directory is somebody else's
 */
export function ringOf(context: JobContext, { user: given, gnupghome }: Args): Ring {
  const { fs, host } = context.runtime;
  const user = truthy(given) ? str(given) : undefined;
  const home = homeOf(context, user, gnupghome);
  const stat = fs.stat(home);
  if (stat?.kind !== "directory") {
    throw pythonError("ValueError", `gnupghome should be a directory (it isn't): ${home}`);
  }
  const us = host.user();
  if (us.uid !== 0) return { home, runas: undefined };
  const owner = findAccount(context.runtime, stat.uid);
  const whose = owner?.name ?? `user ${stat.uid}`;
  if (user !== undefined && user !== "salt") {
    const named = findAccount(context.runtime, user);
    if (named === undefined) throw new SaltInvocationError(`User ${user} does not exist`);
    if (named.uid !== stat.uid) {
      throw new CommandExecutionError(
        `The directory ${home} belongs to ${whose}, and not to ${user}: change its owner, or name no user`,
      );
    }
  }
  if (stat.uid === 0) return { home, runas: undefined };
  if (owner === undefined) {
    throw new CommandExecutionError(`The directory ${home} belongs to ${whose}, whom this host does not know`);
  }
  return { home, runas: owner.name };
}

function statusLines(said: string): Pick<RingRun, "status" | "messages"> {
  const status: RingRun["status"] = [];
  const messages: string[] = [];
  for (const line of said.split("\n")) {
    const found = /^\[GNUPG:\] (\S+)\s*(.*?)\s*$/.exec(line);
    if (found === null) messages.push(line);
    else status.push([found[1]!, found[2]!]);
  }
  return { status, messages: messages.join("\n").trim() };
}

/** A pass phrase as gpg reads it: one line. @throws a `ValueError` for one that is none */
function passphraseLine(passphrase: string): Uint8Array {
  if (/[\n\r\0]/.test(passphrase)) throw pythonError("ValueError", "Invalid passphrase");
  return utf8.encode(`${passphrase}\n`);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

interface RingInput {
  stdin?: Uint8Array;
  passphrase?: string | undefined;
  /** The file that its output is for, if any. */
  output?: unknown;
}

/**
 * Runs gpg on a ring. A pass phrase goes in front of what it reads, and never into its words.
 *
 * @throws {CommandExecutionError} if it takes too long or gives too much
 */
export async function onRing(
  context: JobContext,
  ring: Ring,
  args: readonly string[],
  { stdin = new Uint8Array(), passphrase, output }: RingInput = {},
): Promise<RingRun> {
  const { runtime, signal } = context;
  if (args.some((word) => word.includes("\0"))) throw new SaltInvocationError("embedded null byte");
  const identity = commandIdentity(runtime, { runas: ring.runas, group: undefined });
  // English messages, and names in UTF-8.
  const env = { ...identity.env ?? runtime.process.environment(), LC_ALL: "C.UTF-8", LANGUAGE: "C" };
  const secret = passphrase === undefined ? [] : ["--pinentry-mode", "loopback", "--passphrase-fd", "0"];
  const common = ["--status-fd", "2", "--no-tty", "--no-verbose", "--fixed-list-mode", "--batch", "--with-colons"];
  const largest = truthy(output) ? LARGEST : LARGEST_RETURN;
  const run = await runGpg(runtime, {
    args: [...common, "--homedir", ring.home, ...secret, ...args],
    stdin: passphrase === undefined ? stdin : joined(passphraseLine(passphrase), stdin),
    prefix: identity.prefix,
    ...(ring.runas === undefined ? {} : { cwd: "/", uid: identity.uid, gid: identity.gid }),
    env,
    timeoutMs: TIMEOUT_MS,
    largest,
    signal,
    started: (pid) => context.ownProcess(pid),
  });
  if (run.late) throw new CommandExecutionError(`gpg took more than ${TIMEOUT_MS / 1000} seconds`);
  if (run.output === undefined) {
    const remedy = truthy(output) ? "" : ": where there is one, name a file as output";
    throw new CommandExecutionError(`gpg gives more than ${largest} bytes${remedy}`);
  }
  const lines = statusLines(run.said);
  if (run.code !== 0) {
    context.log.warning("gpg failed", { retcode: run.code, said: lines.messages.slice(0, LOGGED) });
  }
  return { ...run, output: run.output, ...lines };
}

/** The pillar's pass phrase; undefined if it has none. */
export async function pillarPassphrase(context: JobContext): Promise<string | undefined> {
  const value = await context.call("pillar.get", ["gpg_passphrase"]);
  return truthy(value) ? str(value) : undefined;
}

/** The pillar's pass phrase if `wanted`. @throws {SaltInvocationError} if the pillar has none */
export async function passphraseFor(context: JobContext, wanted: unknown): Promise<string | undefined> {
  if (!truthy(wanted)) return undefined;
  const passphrase = await pillarPassphrase(context);
  if (passphrase === undefined) throw new SaltInvocationError("gpg_passphrase not available in pillar.");
  return passphrase;
}
