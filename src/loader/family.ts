import type { Context, JobContext, RunnerContext } from "./context.ts";
import type { BoundArguments } from "./signature.ts";

/** One function that a job can call. */
export interface ExecutionFunction {
  /** In Python's notation: `cmd, cwd=None, **kwargs`; see {@link parseSignature}. */
  signature: string;
  /** Shown by `sys.doc`, and when the arguments do not fit. */
  doc: string;
  /** The outputter of its return. @default "nested" */
  out?: string;
  /** Must not block the event loop: other jobs share it. */
  run(context: JobContext, args: BoundArguments): unknown;
}

/** What a file under `plugins/modules/` exports as `module`. */
export interface ExecutionModule {
  /** True, another name to go by, or why it is not available on this host. */
  virtual?(context: Context): true | string | { unavailable: string };
  functions: Record<string, ExecutionFunction>;
}

/** What a file under `plugins/grains/` exports as `grains`: facts, merged over those before. */
export type GrainsFunction = (
  context: Pick<Context, "runtime" | "log" | "opts">,
) => Promise<Record<string, unknown>>;

/** A command could not do its work: the return is `ERROR: …`. Salt's CommandExecutionError. */
export class CommandExecutionError extends Error {
  /** Shown below the message, in nested form. */
  readonly info: unknown;

  constructor(message: string, options: { cause?: unknown; info?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CommandExecutionError";
    this.info = options.info;
  }
}

/** The arguments make no sense together: the return is `ERROR executing '<fun>': …`. Salt's SaltInvocationError. */
export class SaltInvocationError extends Error {
  override name = "SaltInvocationError";
}

/** A program that the function needs is not there. Salt's CommandNotFoundError. */
export class CommandNotFoundError extends Error {
  override name = "CommandNotFoundError";
}

/** The value is of the wrong kind: treated as arguments that do not fit, as a TypeError in a Salt module is. */
export class InvalidArgumentsError extends TypeError {
  override name = "TypeError";
}

/** One function of a runner. */
export interface RunnerFunction {
  /** In Python's notation, as of an {@link ExecutionFunction}. */
  signature: string;
  doc: string;
  run(context: RunnerContext, args: BoundArguments): unknown;
}

/** What a file under `plugins/runners/` exports as `runner`. */
export interface RunnerModule {
  functions: Record<string, RunnerFunction>;
}

/** A runner's return that names its own outputter. */
export interface RunnerOutput {
  data: unknown;
  outputter: string;
}
