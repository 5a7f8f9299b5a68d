import { CommandNotFoundError, type Context, type JobContext, SaltInvocationError } from "../model/loader/family.ts";
import { repr, str } from "../language/python/values.ts";
import { which } from "./linux/programs.ts";

export interface CommandOutcome {
  pid: number;
  retcode: number;
  stdout: string;
  stderr: string;
}

/** Keyword arguments of a command that a module runs: without a shell, and with its input as it is. */
const keywords = (options: Record<string, unknown>) => ({
  python_shell: false,
  ...(options.stdin === undefined ? {} : { stdin_raw_newlines: true }),
  ...options,
});

/** Runs a program by its words, without a shell, as a function of a module does on its caller's behalf. */
export async function runAll(
  context: JobContext,
  argv: readonly string[],
  options: Record<string, unknown> = {},
): Promise<CommandOutcome> {
  return await context.call("cmd.run_all", [argv], keywords(options)) as CommandOutcome;
}

/** The same; what it prints on both streams. */
export async function run(
  context: JobContext,
  argv: readonly string[],
  options: Record<string, unknown> = {},
): Promise<string> {
  return await context.call("cmd.run", [argv], keywords(options)) as string;
}

/** The full path of a program, or undefined. */
export function programPath(context: Pick<JobContext, "runtime">, name: string): string | undefined {
  return which(context.runtime.fs, name, context.runtime.process.env("PATH"));
}

/** @throws {CommandNotFoundError} if there is no such program */
export function needProgram(context: Pick<JobContext, "runtime">, name: string): void {
  if (programPath(context, name) === undefined) {
    throw new CommandNotFoundError(`The '${name}' binary was not found in $PATH.`);
  }
}

/** @throws {CommandNotFoundError} if there is none of these programs */
export function needAnyProgram(context: Pick<JobContext, "runtime">, names: readonly string[]): void {
  if (names.every((name) => programPath(context, name) === undefined)) {
    throw new CommandNotFoundError(
      `None of provided binaries(${repr(names.map((name) => `'${name}'`))}) were found in $PATH.`,
    );
  }
}

/** Words in front of a command that shall go on when systemd ends the minion's service: those of a scope of its own. */
export function scopeWords(context: Pick<Context, "runtime" | "opts">): string[] {
  const scoped = context.runtime.fs.stat("/run/systemd/system") !== undefined &&
    programPath(context, "systemd-run") !== undefined && context.opts["systemd.scope"] !== false;
  return scoped ? ["systemd-run", "--scope"] : [];
}

/**
 * A value that a program is to take as it is, and not as one of its options.
 *
 * @param what such as "a device"
 * @throws {SaltInvocationError} if it is empty, begins with `-` or has a NUL
 */
export function operand(value: unknown, what: string): string {
  const text = value === null || value === undefined ? "" : str(value);
  if (text !== "" && !text.startsWith("-") && !text.includes("\0")) return text;
  throw new SaltInvocationError(`Cannot use ${JSON.stringify(text)} as ${what}: it is empty, or reads as an option`);
}

/** Several of them: a list, or a text with commas. */
export function operands(values: unknown, what: string): string[] {
  const list = Array.isArray(values) ? values : str(values ?? "").split(",");
  return list.map((value) => operand(value, what));
}

/** True if a command ends with 0. */
export async function succeeds(context: JobContext, argv: string[]): Promise<boolean> {
  return (await runAll(context, argv)).retcode === 0;
}
