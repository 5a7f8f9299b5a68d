import { type Args, entriesOf, isMap, splitInput, str, truthy } from "../../../language/python/values.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";

/** The keyword arguments that all functions of `cmd` share, in the order in which Salt takes them by position. */
export const COMMON_KEYWORDS = `cwd=None, stdin=None, runas=None, group=None, shell=None, python_shell=None, env=None,
  clean_env=False, template=None, rstrip=True, umask=None, output_encoding=None, output_loglevel='debug',
  log_callback=None, hide_output=False, timeout=None, reset_system_locale=True, ignore_retcode=False, saltenv=None,
  use_vt=False`;

export interface CommandOptions {
  cwd: string | undefined;
  stdin: string | undefined;
  runas: string | undefined;
  group: string | undefined;
  /** The shell that reads the command; undefined when it is split into words and executed as it is. */
  shell: string | undefined;
  /** Null removes a variable. */
  env: Record<string, string | null>;
  cleanEnv: boolean;
  prependPath: string | undefined;
  rstrip: boolean;
  /** Permission bits that new files do not get. */
  umask: number | undefined;
  encoding: string;
  hideOutput: boolean;
  /** Seconds, as they were given. */
  timeout: number | undefined;
  resetSystemLocale: boolean;
  ignoreRetcode: boolean;
  background: boolean;
  redirectStderr: boolean;
  successRetcodes: number[];
  successStdout: string[];
  successStderr: string[];
  /** True for the command of a job itself; false for one that a function or a state runs. */
  ofJob: boolean;
}

/** Where the minion has none of its own (`SHELL`). */
const DEFAULT_SHELL = "/bin/sh";

type Host = Pick<JobContext, "opts" | "runtime" | "runas">;

const optional = (value: unknown) => value === null || value === undefined || value === "" ? undefined : str(value);

function umaskOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const text = str(value).replace(/^0+(?=.)/, "");
  if (!/^[0-7]{1,4}$/.test(text)) throw new CommandExecutionError(`Invalid umask: '${str(value)}'`);
  const mask = parseInt(text, 8);
  if (mask === 0) throw new CommandExecutionError("Zero umask is not allowed.");
  return mask;
}

function timeoutOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const seconds = Number(typeof value === "boolean" ? NaN : value);
  if (!Number.isFinite(seconds)) throw new CommandExecutionError(`Error: timeout ${str(value)} must be a number`);
  // Zero or less means no limit.
  return seconds > 0 ? seconds : undefined;
}

/** A map, or a list of maps, of variables. */
function environmentOf(value: unknown): Record<string, string | null> {
  if (!truthy(value)) return {};
  const maps = Array.isArray(value) ? value : [value];
  const entries = maps.flatMap((map) => isMap(map) ? entriesOf(map) : []);
  return Object.fromEntries(entries.map(([name, text]) => {
    const key = str(name);
    if (key === "" || /[=\0]/.test(key)) throw new SaltInvocationError(`Invalid name of a variable in env: '${key}'`);
    return [key, text === null || text === undefined ? null : str(text)];
  }));
}

/** A list given as a list, as one value, or as text with commas. */
const splitOrNone = (value: unknown): string[] =>
  value === "" || value === null || value === undefined ? [] : splitInput(value);

function codesOf(value: unknown): number[] {
  return splitOrNone(value).map((text) => {
    if (!/^-?\d+$/.test(text)) throw new SaltInvocationError("success_retcodes must be a list of integers");
    return Number(text);
  });
}

/**
 * The shell that a command asks for: `python_shell`, a `shell` of its own, or the option `cmd_safe: False`. Without a word
 * of that, a job that was published or called has a shell, and a call from another module has none, as in every release
 * but 3007.0; `cmd_published_shell: False` behaves like 3007.0. A list
 * of words never meets a shell unasked.
 *
 * @see salt/modules/cmdmod.py _python_shell_default
 */
function shellOf(args: Args, { opts, runtime: { process } }: Host): string | undefined {
  const { shell, python_shell: wanted } = args;
  const named = typeof shell === "string" && shell !== "" ? shell : undefined;
  const use = wanted === null || wanted === undefined
    ? shell !== false && truthy(shell) || opts.cmd_safe === false ||
      (opts.cmd_published_shell !== false && !Array.isArray(args.cmd) && truthy(args.__pub_jid))
    : truthy(wanted);
  return use ? named ?? process.env("SHELL") ?? DEFAULT_SHELL : undefined;
}

/** Text for standard input. A backslash and an n are the end of a line, as nobody can type one on a command line. */
function stdinOf({ stdin, stdin_raw_newlines: raw }: Args): string | undefined {
  if (stdin === null || stdin === undefined) return undefined;
  return truthy(raw ?? false) ? str(stdin) : str(stdin).replaceAll("\\n", "\n");
}

/** Reads the keyword arguments of a function of `cmd`. */
export function commandOptions(bound: Args, host: Host): CommandOptions {
  const args: Args = { ...bound.kwargs as Args, ...bound };
  return {
    cwd: optional(args.cwd),
    stdin: stdinOf(args),
    runas: optional(args.runas) ?? optional(host.runas),
    group: optional(args.group),
    shell: shellOf(args, host),
    env: environmentOf(args.env),
    cleanEnv: truthy(args.clean_env),
    prependPath: optional(args.prepend_path),
    rstrip: truthy(args.rstrip ?? true),
    umask: umaskOf(args.umask),
    encoding: optional(args.output_encoding) ?? "utf-8",
    hideOutput: truthy(args.hide_output),
    timeout: timeoutOf(args.timeout),
    resetSystemLocale: truthy(args.reset_system_locale ?? true),
    ignoreRetcode: truthy(args.ignore_retcode),
    background: truthy(args.bg),
    redirectStderr: truthy(args.redirect_stderr),
    successRetcodes: codesOf(args.success_retcodes),
    successStdout: splitOrNone(args.success_stdout),
    successStderr: splitOrNone(args.success_stderr),
    ofJob: Object.hasOwn(args, "__pub_jid"),
  };
}
