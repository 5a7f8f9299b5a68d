import { codeOf, messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { PythonError } from "../../../language/python/python_error.ts";
import { repr, str } from "../../../language/python/values.ts";
import { stripEnd } from "../../../language/python/text.ts";
import { LIMIT_VARIABLE, limitForPrograms } from "../../../runtime/descriptors.ts";
import type { Child, SpawnOptions } from "../../../runtime/process.ts";
import { isProgram, programProblem } from "../../linux/programs.ts";
import { Capture } from "./capture.ts";
import { commandIdentity } from "./identity.ts";
import type { CommandOptions } from "./options.ts";
import { shellWords } from "../../linux/words.ts";
import { fnmatch } from "../../../model/event/tag.ts";

/** The globs of an option, where `config.get` finds it. @throws {CommandExecutionError} if they cannot be read: nothing runs then */
async function globsOf(context: JobContext, option: string): Promise<string[]> {
  const value = await context.call("config.get", [option, null]);
  if (value === null || value === undefined || value === "") return [];
  const globs = [value].flat();
  if (globs.every((glob) => typeof glob === "string")) return globs;
  throw new CommandExecutionError(`Cannot use ${option}: expected a list of globs, got ${JSON.stringify(value)}`);
}

/**
 * Refuses a command of a job that `cmd_blacklist_glob` matches, or that `cmd_whitelist_glob` does not. As in Salt, commands that states and
 * other functions run are not checked: a whitelist would keep every package manager from working.
 *
 * @param command its text, or its words
 * @throws {CommandExecutionError} in Salt's words
 * @see salt/modules/cmdmod.py _check_avail
 */
async function checkPermitted(context: JobContext, command: unknown): Promise<void> {
  const text = Array.isArray(command) ? command.map(str).join(" ") : str(command);
  const matches = (globs: string[]) => globs.some((glob) => fnmatch(glob)(text));
  const allowed = await globsOf(context, "cmd_whitelist_glob");
  if (!matches(await globsOf(context, "cmd_blacklist_glob")) && (allowed.length === 0 || matches(allowed))) return;
  throw new CommandExecutionError(`The shell command "${str(command)}" is not permitted`);
}

/** The result of a command, in Salt's order of keys. */
export interface CommandResult {
  pid: number;
  /** Null if it was ended because it took too long. */
  retcode: number | null;
  stdout: string;
  stderr: string;
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
/** Time that the output of a killed command may take to come to its end. */
const DRAIN_MS = 1000;

const LOCALE_VARIABLES = [
  "LC_CTYPE",
  "LC_NUMERIC",
  "LC_TIME",
  "LC_COLLATE",
  "LC_MONETARY",
  "LC_MESSAGES",
  "LC_PAPER",
  "LC_NAME",
  "LC_ADDRESS",
  "LC_TELEPHONE",
  "LC_MEASUREMENT",
  "LC_IDENTIFICATION",
  "LANGUAGE",
];

const REASONS = { ENOENT: "[Errno 2] No such file or directory", EACCES: "[Errno 13] Permission denied" };

/** A command ready to be started. */
interface Prepared {
  spawn: SpawnOptions;
  /** As a message shows it: the text a shell reads, or the list of words. */
  shown: string;
  /** Its first word: all that is logged, for the others may be secret. */
  name: string;
  /** Why it cannot be run, in Python's words. */
  complain(reason: string): CommandExecutionError;
}

/** The words of a command: a list as it is, a text split as a shell splits it. */
function wordsOf(command: unknown): string[] {
  let words: string[];
  try {
    words = Array.isArray(command) ? command.map(str) : shellWords(str(command));
  } catch (error) {
    throw new SaltInvocationError(messageOf(error));
  }
  if (words.some((word) => word.includes("\0"))) throw new SaltInvocationError("embedded null byte");
  return words;
}

function environment(
  context: JobContext,
  own: Record<string, string> | undefined,
  options: CommandOptions,
): Record<string, string> {
  const inherited = own ?? context.runtime.process.environment();
  const env = new Map(Object.entries(options.cleanEnv ? {} : inherited));
  env.delete(LIMIT_VARIABLE);
  if (options.resetSystemLocale) {
    // Programs are to speak the one language that functions can parse.
    for (const name of LOCALE_VARIABLES) env.set(name, "C");
    env.delete("LC_ALL");
  }
  for (const [name, value] of Object.entries(options.env)) {
    if (value === null) env.delete(name);
    else env.set(name, value);
  }
  if (options.prependPath !== undefined) {
    const path = env.get("PATH");
    env.set("PATH", path === undefined ? options.prependPath : `${options.prependPath}:${path}`);
  }
  return Object.fromEntries(env);
}

function directoryOf(context: JobContext, home: string, wanted: string | undefined): string {
  const { fs } = context.runtime;
  const isDirectory = (path: string) => {
    try {
      return fs.stat(path)?.kind === "directory";
    } catch {
      // What may not be looked at cannot be gone into.
      return false;
    }
  };
  if (wanted === undefined) return isDirectory(home) ? home : "/";
  const cwd = wanted.replace(/^~(?=\/|$)/, home);
  if (!cwd.startsWith("/") || !isDirectory(cwd)) {
    throw new CommandExecutionError(`Specified cwd '${wanted}' either not absolute or does not exist`);
  }
  return cwd;
}

function prepare(context: JobContext, command: unknown, options: CommandOptions): Prepared {
  const { runtime } = context;
  const identity = commandIdentity(runtime, options);
  const cwd = directoryOf(context, identity.home, options.cwd);
  const env = environment(context, identity.env, options);
  const script = Array.isArray(command) ? command.map(str).join(" ") : str(command);
  // A shell would take it for success: an empty condition of a state is a mistake, not one that holds.
  if (script.trim() === "") throw new SaltInvocationError("There is no command to run: it is empty");
  const { shell } = options;
  if (shell !== undefined && !isProgram(runtime.fs, shell)) {
    throw new CommandExecutionError(`The shell ${shell} is not available`);
  }
  const words = shell === undefined ? wordsOf(command) : [shell, "-c", script];
  const shown = shell === undefined ? repr(words) : script;
  const complain = (reason: string) => {
    const shownEnv = Object.fromEntries(Object.keys(options.env).map((name) => [name, "..."]));
    // Only names of variables: values may be secret, and this text goes to the master.
    const details = {
      cwd,
      shell: shell !== undefined,
      env: shownEnv,
      stdin: options.stdin === undefined ? null : "...",
      stdout: -1,
      stderr: options.redirectStderr ? -2 : -1,
      with_communicate: !options.background,
      timeout: options.timeout ?? null,
      bg: options.background,
      close_fds: true,
    };
    return new CommandExecutionError(
      `Unable to run command '${shown}' with the context '${repr(details)}', reason: ${reason}`,
    );
  };
  const problem = programProblem(runtime.fs, words[0]!, env.PATH, cwd);
  if (problem !== undefined) throw complain(`${REASONS[problem]}: ${repr(words[0])}`);
  return {
    spawn: {
      argv: [...identity.prefix, ...around(words, options, limitForPrograms(runtime))],
      cwd,
      env,
      uid: identity.uid,
      gid: identity.gid,
      detached: true,
      ...(options.stdin === undefined ? {} : { stdin: new TextEncoder().encode(options.stdin) }),
    },
    shown,
    name: shell === undefined ? words[0]! : script.trim().split(/\s/, 1)[0]!,
    complain,
  };
}

/** What no runtime can do to a child, done by a shell that then becomes the command; it reads no word of it. */
function around(words: string[], options: CommandOptions, openFiles: number | undefined): string[] {
  const steps: string[] = [];
  if (openFiles !== undefined) steps.push(`ulimit -S -n ${openFiles} 2>/dev/null;`);
  if (options.umask !== undefined) steps.push(`umask ${options.umask.toString(8).padStart(4, "0")};`);
  // One pipe for both streams is the only way to keep their order.
  const redirect = options.background ? " >/dev/null 2>&1" : options.redirectStderr ? " 2>&1" : "";
  if (steps.length === 0 && redirect === "") return words;
  return ["/bin/sh", "-c", [...steps, `exec "$@"${redirect}`].join(" "), "sh", ...words];
}

/** Runs a command to its end, or starts it when it is to run in the background; sets the return code of the job. */
export async function runCommand(
  context: JobContext,
  command: unknown,
  options: CommandOptions,
): Promise<CommandResult> {
  context.signal.throwIfAborted();
  if (options.ofJob) await checkPermitted(context, command);
  const prepared = prepare(context, command, options);
  const [stdout, stderr] = [new Capture(context.opts.cmd_max_output), new Capture(context.opts.cmd_max_output)];
  // What must not be returned must not be shown on its way either.
  const live = options.hideOutput || options.background ? undefined : context.output;
  const child = await context.runtime.process.spawn({
    ...prepared.spawn,
    onStdout(chunk) {
      stdout.add(chunk);
      // A promise: the command waits until there is room for more.
      return live?.("stdout", chunk);
    },
    onStderr(chunk) {
      stderr.add(chunk);
      return live?.("stderr", chunk);
    },
  }).catch((error: unknown) => {
    throw prepared.complain(Object.hasOwn(REASONS, codeOf(error)) ? `${codeOf(error)}` : messageOf(error));
  });
  if (options.background) return { pid: child.pid, retcode: null, stdout: "", stderr: "" };
  context.ownProcess(child.pid);
  const ended = await watch(context, child, options.timeout);
  const result: CommandResult = ended === undefined
    ? {
      pid: child.pid,
      retcode: null,
      stdout: `${prepared.shown} : Timed out after ${options.timeout} seconds`,
      stderr: "",
    }
    : { pid: child.pid, retcode: ended, ...texts(stdout, stderr, options) };
  if (result.retcode !== null && counts(result as CommandResult & { retcode: number }, options)) result.retcode = 0;
  if (options.hideOutput) result.stdout = result.stderr = "";
  context.retcode = options.ignoreRetcode ? 0 : result.retcode;
  if (result.retcode !== 0 && !options.ignoreRetcode) {
    context.log.error("command failed", { command: prepared.name, retcode: result.retcode });
  }
  return result;
}

function texts(stdout: Capture, stderr: Capture, options: CommandOptions) {
  const text = (capture: Capture) => {
    try {
      const whole = capture.text(options.encoding);
      return options.rstrip ? stripEnd(whole) : whole;
    } catch (error) {
      if (error instanceof PythonError) throw new SaltInvocationError(`unknown encoding: ${options.encoding}`);
      throw error;
    }
  };
  return { stdout: text(stdout), stderr: text(stderr) };
}

/** True if what a command did counts as success, whatever its code. */
function counts(result: CommandResult & { retcode: number }, options: CommandOptions): boolean {
  return options.successRetcodes.includes(result.retcode) ||
    options.successStdout.some((text) => result.stdout.includes(text)) ||
    options.successStderr.some((text) => result.stderr.includes(text));
}

/**
 * Waits for a child. Its whole group is killed when time is up, and asked to end, then killed, when the job is.
 *
 * @returns its code; undefined if time was up
 */
async function watch(context: JobContext, child: Child, timeout: number | undefined): Promise<number | undefined> {
  const { clock, process } = context.runtime;
  const killGroup = (signal: "SIGTERM" | "SIGKILL") => {
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      context.log.warning("command not killed", { pid: child.pid, error: messageOf(error) });
    }
  };
  let cancel = () => {};
  let onAbort = () => {};
  try {
    const late = new Promise<"late">((resolve) => {
      if (timeout !== undefined) cancel = clock.after(timeout * 1000, () => resolve("late"));
    });
    const killed = new Promise<never>((_resolve, reject) => {
      onAbort = () => {
        killGroup("SIGTERM");
        // Members of the group may outlive its leader: it is the group that is looked at again.
        clock.after(GRACE_MS, () => killGroup("SIGKILL"));
        reject(context.signal.reason);
      };
      if (context.signal.aborted) onAbort();
      else context.signal.addEventListener("abort", onAbort, { once: true });
    });
    const status = await Promise.race([child.exited, late, killed]);
    if (status !== "late") return status.code ?? -signalNumber(status.signal);
    killGroup("SIGKILL");
    // A process that left the group may hold the pipes open; it is not waited for.
    await Promise.race([child.exited, clock.sleep(DRAIN_MS)]);
    return undefined;
  } finally {
    cancel();
    context.signal.removeEventListener("abort", onAbort);
  }
}

const SIGNALS: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** Python reports a signal as a negative return code. */
function signalNumber(name: string | null): number {
  return name !== null && Object.hasOwn(SIGNALS, name) ? SIGNALS[name]! : 1;
}
