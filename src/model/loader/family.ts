import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Context, JobContext, RunnerContext } from "./context.ts";
import type { Virtual } from "./loaded_file.ts";
import {
  type Args,
  type Declare,
  type DeclareAll,
  declareFunction,
  declareFunctions,
  type Signature,
} from "./signature.ts";

/** One function that a job can call. */
export interface ExecutionFunction {
  /** In Python's notation: `cmd, cwd=None, **kwargs`; see {@link parseSignature}. Or what that would make of it. */
  signature: string | Signature;
  /** Shown by `sys.doc`, and when the arguments do not fit. */
  doc: string;
  /** The outputter of its return. @default "nested" */
  out?: string;
  /**
   * True if it cannot crash, leak or block the event loop with any arguments: then it runs in the minion's own
   * process rather than in one of its own. @default false
   */
  inline?: boolean;
  /** Runs the function; may return a promise of its return. */
  run(context: JobContext, args: Args): unknown;
}

/** Declares an execution function: its arguments have the names and types that its signature says. */
export const executionFunction: Declare<ExecutionFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const executionFunctions: DeclareAll<ExecutionFunction> = declareFunctions as DeclareAll<ExecutionFunction>;

/** What a file under `plugins/modules/` exports as `module`. */
export interface ExecutionModule {
  /** True, another name to go by, or why it is not available on this host. */
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
  /** The functions by name, without the module's name. */
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
  /** As of an {@link ExecutionFunction}. */
  signature: string | Signature;
  doc: string;
  /** True if its arguments are secrets: they are not fired on the bus. @default false */
  secret?: boolean;
  run(context: RunnerContext, args: Args): unknown;
}

/** Declares a function of a runner: its arguments have the names and types that its signature says. */
export const runnerFunction: Declare<RunnerFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const runnerFunctions: DeclareAll<RunnerFunction> = declareFunctions as DeclareAll<RunnerFunction>;

/** What a file under `plugins/runners/` exports as `runner`. */
export interface RunnerModule {
  /** Its name, instead of that of its file. */
  name?: string;
  functions: Record<string, RunnerFunction>;
}

/** A runner's return that names its own outputter. The data may be a {@link StreamedMap}, as any return may. */
export interface RunnerOutput {
  data: unknown;
  outputter: string;
}

/** What a returner is called with: on a minion, or on the master if it is the `ext_job_cache`. */
export interface ReturnerContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Record<string, unknown>;
  /** `--return-config`: its options are looked up under `<word>.<returner>.<option>` first. */
  readonly retConfig?: string;
  /** `--return-kwargs`: options for this return alone. */
  readonly retKwargs?: Record<string, unknown>;
}

/** An event as an event return gets it. */
export interface ReturnedEvent {
  /** Differs from that of any other event of any master: `<process of the master>-<number>`. */
  readonly id: string;
  readonly tag: string;
  readonly data: Record<string, unknown>;
}

/** Events that are stored together. */
export interface EventBatch {
  /** The same when the same events are given again, also by another process. */
  readonly id: string;
  readonly events: readonly ReturnedEvent[];
  /** They were given before, and it is not known whether they were stored. */
  readonly again: boolean;
}

/** A store will never take these events, as they are; another try is of no use, others may be taken. */
export class EventsRefused extends Error {
  readonly code = "EVENTS_REFUSED";
}

/** What a file under `plugins/returners/` exports as `returner`. The last six are those of an `ext_job_cache`. */
export interface ReturnerModule {
  /** Its name, instead of that of its file. */
  name?: string;
  /** True, or why it cannot be used on this host. */
  virtual?(context: ReturnerContext): true | { unavailable: string };
  /** Options that a job may set (`--return-kwargs`): they name no place and no secret. @default none */
  readonly fromJob?: readonly string[];
  /**
   * Takes one return: `{jid, id, fun, fun_args, return, retcode, success, …}`, as the minion sends it.
   *
   * @throws any error; the return still goes to the master
   */
  returner(context: ReturnerContext, ret: Record<string, unknown>): Promise<void>;
  saveLoad?(
    context: ReturnerContext,
    jid: string,
    load: Record<string, unknown>,
    minions: readonly string[],
  ): Promise<void>;
  /** The publication, or undefined. */
  getLoad?(context: ReturnerContext, jid: string): Promise<Record<string, unknown> | undefined>;
  /** Minion → its return. */
  getJid?(
    context: ReturnerContext,
    jid: string,
  ): Promise<Record<string, { return: unknown; retcode?: unknown; success?: unknown; out?: string }>>;
  /** jid → publication, newest first. */
  getJids?(context: ReturnerContext): AsyncIterable<[string, Record<string, unknown>]>;
  /**
   * Stores events of a master (`event_return`). Resolves once they are safe.
   *
   * @throws {EventsRefused} if another try would fail as well; for any other error they are given again, later and later
   */
  eventReturn?(context: ReturnerContext, batch: EventBatch): Promise<void>;
  /** Ends connections that it keeps open. */
  close?(): Promise<void>;
  /** The functions of a custom one, as they are listed. @default those of this interface that it has */
  readonly listed?: ReadonlyMap<string, { signature: string | Signature; doc: string }>;
}

/** Returners by name → how to load them. */
export type ReturnerRegistry = Record<string, () => Promise<{ returner: ReturnerModule }>>;
