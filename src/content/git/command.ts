import type { Clock } from "../../base/async/clock.ts";
import { codeOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Child } from "../../runtime/process.ts";

export interface GitHost {
  runtime: Pick<Runtime, "fs" | "process" | "crypto" | "later"> & { clock: Clock };
  log: Logger;
}

/** How to sign in to a remote. */
export interface GitAuth {
  user?: string | undefined;
  password?: string | undefined;
  privateKey?: string | undefined;
  passphrase?: string | undefined;
  /** Check the server's certificate for https. */
  sslVerify: boolean;
}

/** A failed run of git. The message has no secrets. */
export class GitError extends SaltError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("GIT", message, options);
  }
}

interface GitRun {
  /** Further environment variables. */
  env?: Record<string, string>;
  stdin?: Uint8Array;
  /** Timeout in milliseconds. */
  limitMs: number;
  /** Called with each chunk of stdout; without this function stdout is returned. */
  onStdout?(chunk: Uint8Array): void;
  /** Maximum of bytes on stdout. @default 268435456 (256 MiB) */
  mostBytes?: number;
  /** Maximum size, in bytes, of a file that git writes. @default no maximum */
  largestFile?: number;
  /** Texts to remove from messages. */
  secrets?: readonly string[];
}

/** Bytes that git may print, at most: a list of all files of a repository with a million files. */
const MAX_BYTES = 2 ** 28;
/** Bytes of an error of git that a message shows at most. */
const MAX_SHOWN_BYTES = 500;

/**
 * Settings for every run. Brine writes the repository's configuration and hooks, but a remote must not make git start programs,
 * ask a person, or continue in the background.
 */
const SETTINGS: [string, string][] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", ""],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  ["http.lowSpeedLimit", "100"],
  ["http.lowSpeedTime", "60"],
];

/** Passes settings in environment variables: arguments would show in the list of processes. */
function settingsEnv(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([key, value], at) => {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  });
  return env;
}

function environment({ runtime: { process } }: GitHost, settings: readonly [string, string][]): Record<string, string> {
  const own = Object.entries(process.environment()).filter(([name]) =>
    !name.startsWith("GIT_") || /^GIT_(SSL|TRACE|CURL)/.test(name)
  );
  return {
    ...Object.fromEntries(own),
    ...settingsEnv([...SETTINGS, ...settings]),
    // The protocol `ext` would run a program that the address names.
    GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    LANGUAGE: "C",
  };
}

function shownError(bytes: readonly Uint8Array[], secrets: readonly string[]): string {
  const decoder = new TextDecoder();
  let text = bytes.map((chunk) => decoder.decode(chunk, { stream: true })).join("").trim();
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, "…");
  // deno-lint-ignore no-control-regex
  return text.slice(-MAX_SHOWN_BYTES).replace(/[\x00-\x1f\x7f]+/g, " ");
}

/** Limits the size of the files that the command writes, if the host's shell has `ulimit -f`. */
function argvOf(args: readonly string[], largestFile: number | undefined): string[] {
  if (largestFile === undefined) return ["git", ...args];
  const blocks = String(Math.ceil(largestFile / 512));
  return ["/bin/sh", "-c", 'ulimit -f "$1" 2>/dev/null; shift; exec git "$@"', "sh", blocks, ...args];
}

/**
 * Runs git, and returns what it prints.
 *
 * @param args an argument that comes from a user must not begin with a dash
 * @param settings of git, for this run
 * @throws {GitError} if it fails, takes too long or prints too much
 */
export async function runGit(
  host: GitHost,
  args: readonly string[],
  options: GitRun,
  settings: readonly [string, string][] = [],
): Promise<Uint8Array> {
  const { runtime: { process, clock } } = host;
  const { mostBytes = MAX_BYTES, limitMs, secrets = [], onStdout } = options;
  const [chunks, errors]: [Uint8Array[], Uint8Array[]] = [[], []];
  let [printed, told] = [0, 0];
  let failure: string | undefined;
  const verb = args.find((arg) => !arg.startsWith("-"));
  const end = (why: string) => {
    failure ??= why;
    process.kill(-child.pid, "SIGKILL");
  };
  let child: Child;
  try {
    child = await process.spawn({
      argv: argvOf(args, options.largestFile),
      env: { ...environment(host, settings), ...options.env },
      detached: true,
      stdin: options.stdin,
      onStdout(chunk) {
        printed += chunk.length;
        if (printed > mostBytes) end(`it printed more than ${mostBytes} bytes`);
        else if (failure === undefined && onStdout !== undefined) {
          try {
            onStdout(chunk);
          } catch (error) {
            end(error instanceof Error ? error.message : String(error));
          }
        } else if (onStdout === undefined) chunks.push(chunk);
      },
      onStderr(chunk) {
        if (told > 2 * MAX_SHOWN_BYTES) errors.shift();
        told += chunk.length;
        errors.push(chunk.subarray(-2 * MAX_SHOWN_BYTES));
      },
    });
  } catch (error) {
    const why = codeOf(error) === "ENOENT"
      ? "the program git is missing: install git"
      : `git cannot be started: ${codeOf(error)}`;
    throw new GitError(why, { cause: error });
  }
  const cancel = clock.after(limitMs, () => end(`it took longer than ${limitMs / 1000} s`));
  const { code, signal } = await child.exited;
  cancel();
  if (failure !== undefined) throw new GitError(`git ${verb} was ended: ${failure}`);
  if (code !== 0) {
    const said = shownError(errors, secrets);
    const how = signal === "SIGXFSZ" ? "it wrote a file that is too large" : said || `exit code ${code ?? signal}`;
    throw new GitError(`git ${verb} failed: ${how}`);
  }
  return joined(chunks);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Settings and environment variables that let git log in; other users cannot see either. */
export function signIn(
  auth: GitAuth,
  url: string,
  askPass: () => string,
): { settings: [string, string][]; env: Record<string, string>; secrets: string[] } {
  const settings: [string, string][] = [];
  const env: Record<string, string> = {};
  const origin = /^(https?:\/\/[^/]+)/.exec(url)?.[1];
  if (!auth.sslVerify) settings.push(["http.sslVerify", "false"]);
  if (auth.password !== undefined && origin !== undefined) {
    env.BRINE_GIT_USER = auth.user ?? "";
    env.BRINE_GIT_PASSWORD = auth.password;
    // The password is for this host only: a host that the server redirects to does not get it.
    settings.push(["credential.helper", ""], [
      `credential.${origin}.helper`,
      `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$BRINE_GIT_USER" "$BRINE_GIT_PASSWORD"; }; f`,
    ]);
  }
  const ssh = ["ssh", "-o", "PasswordAuthentication=no"];
  if (auth.privateKey !== undefined) ssh.push("-i", quoted(auth.privateKey), "-o", "IdentitiesOnly=yes");
  if (auth.passphrase === undefined) ssh.push("-o", "BatchMode=yes");
  else {
    Object.assign(env, { BRINE_GIT_PASSPHRASE: auth.passphrase, SSH_ASKPASS: askPass(), SSH_ASKPASS_REQUIRE: "force" });
  }
  env.GIT_SSH_COMMAND = ssh.join(" ");
  return { settings, env, secrets: [auth.password || (auth.user ?? ""), auth.passphrase ?? ""] };
}
