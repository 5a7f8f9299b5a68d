import { SaltError } from "../../base/errors.ts";
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

/** One function that a job may call. */
export interface ExecutionFunction {
  /** Signature in Python's notation: `cmd, cwd=None, **kwargs` (see {@link parseSignature}); or a parsed one. */
  signature: string | Signature;
  /** Documentation, for `sys.doc` and for errors about wrong arguments. */
  doc: string;
  /** The outputter for the return. @default "nested" */
  out?: string;
  /**
   * True if the function cannot crash, leak or block the event loop, whatever its arguments: it then runs in the minion's own
   * process instead of a separate process. @default false
   */
  inline?: boolean;
  /** Runs the function; it may return a promise. */
  run(context: JobContext, args: Args): unknown;
}

/** Declares an execution function, with arguments typed by its signature. */
export const executionFunction: Declare<ExecutionFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const executionFunctions: DeclareAll<ExecutionFunction> = declareFunctions as DeclareAll<ExecutionFunction>;

/** The export `module` of a file under `plugins/modules/`. */
export interface ExecutionModule {
  /** True, another name to go by, or why it is not available on this host. */
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /** Further names that it goes by. @default none */
  aliases?: readonly string[];
  /** The functions by name, without the module's name. */
  functions: Record<string, ExecutionFunction>;
}

/** The export `grains` of a file under `plugins/grains/`: facts, merged over earlier ones. */
export type GrainsFunction = (
  context: Pick<Context, "runtime" | "log" | "opts">,
) => Promise<Record<string, unknown>>;

/** A command has failed: the return is `ERROR: …`. Salt's CommandExecutionError. */
export class CommandExecutionError extends SaltError {
  /** Data that is shown below the message, in nested form. */
  readonly info: unknown;

  constructor(message: string, { cause, info }: { cause?: unknown; info?: unknown } = {}) {
    super("EXECUTION", message, { cause });
    this.info = info;
  }
}

/** The combination of arguments makes no sense: the return is `ERROR executing '<fun>': …`. Salt's SaltInvocationError. */
export class SaltInvocationError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("INVOCATION", message, options);
  }
}

/** A program that the function needs is missing. Salt's CommandNotFoundError. */
export class CommandNotFoundError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("NO_COMMAND", message, options);
  }
}

/** A value of the wrong kind: handled like wrong arguments, as a TypeError in a module of Salt is. */
export class InvalidArgumentsError extends TypeError {
  override name = "TypeError";
}

/** One function of a runner. */
export interface RunnerFunction {
  /** Signature, as of an {@link ExecutionFunction}. */
  signature: string | Signature;
  doc: string;
  /** True if the arguments are secrets, which must not be fired on the bus. @default false */
  secret?: boolean;
  run(context: RunnerContext, args: Args): unknown;
}

/** Declares a function of a runner, with arguments typed by its signature. */
export const runnerFunction: Declare<RunnerFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const runnerFunctions: DeclareAll<RunnerFunction> = declareFunctions as DeclareAll<RunnerFunction>;

/** The export `runner` of a file under `plugins/runners/`. */
export interface RunnerModule {
  /** Name of the runner, if not that of its file. */
  name?: string;
  functions: Record<string, RunnerFunction>;
}

/** A runner's return that names an outputter. Like any return, its data may be a {@link StreamedMap}. */
export interface RunnerOutput {
  data: unknown;
  outputter: string;
}

/** What a returner receives: on a minion, or on the master if the returner is the `ext_job_cache`. */
export interface ReturnerContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Record<string, unknown>;
  /** `--return_config`: options are first looked up under `<word>.<returner>.<option>`. */
  readonly retConfig?: string;
  /** `--return_kwargs`: options for this return only. */
  readonly retKwargs?: Record<string, unknown>;
}

/** An event in the form that event returns receive. */
export interface ReturnedEvent {
  /** Id that no other event of any master has: `<process of the master>-<number>`. */
  readonly id: string;
  readonly tag: string;
  readonly data: Record<string, unknown>;
}

/** Events to store together. */
export interface EventBatch {
  /** Id of the batch: the same if the same events are passed again, even by another process. */
  readonly id: string;
  readonly events: readonly ReturnedEvent[];
  /** True if the events were passed before, and it is unknown whether they were stored. */
  readonly again: boolean;
}

/** The store will never accept these events, so that another attempt is useless; other events may be accepted. */
export class EventsRefused extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("EVENTS_REFUSED", message, options);
  }
}

/** The export `returner` of a file under `plugins/returners/`. The last six functions are for an `ext_job_cache`. */
export interface ReturnerModule {
  /** Name of the returner, if not that of its file. */
  name?: string;
  /** True, or the reason why the returner cannot be used on this host. */
  virtual?(context: ReturnerContext): true | { unavailable: string };
  /** Options that a job may set (`--return_kwargs`): none of them may name a place or a secret. @default none */
  readonly fromJob?: readonly string[];
  /**
   * Stores one return: `{jid, id, fun, fun_args, return, retcode, success, …}`, as the minion sends it.
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
  /** The publication of a job; undefined if there is none. */
  getLoad?(context: ReturnerContext, jid: string): Promise<Record<string, unknown> | undefined>;
  /** The returns of a job: minion → return. */
  getJid?(
    context: ReturnerContext,
    jid: string,
  ): Promise<Record<string, { return: unknown; retcode?: unknown; success?: unknown; out?: string }>>;
  /** The stored jobs: jid → publication, newest first. */
  getJids?(context: ReturnerContext): AsyncIterable<[string, Record<string, unknown>]>;
  /**
   * Stores events of a master (`event_return`). Resolves when they are safely stored.
   *
   * @throws {EventsRefused} if another attempt would fail, too; after any other error the events are passed again, with growing
   * delays
   */
  eventReturn?(context: ReturnerContext, batch: EventBatch): Promise<void>;
  /** Closes connections that the returner keeps open. */
  close?(): Promise<void>;
  /** The functions of a custom one, as they are listed. @default those of this interface that it has */
  readonly listed?: ReadonlyMap<string, { signature: string | Signature; doc: string }>;
}

/** Returners: name → function that loads the returner. */
export type ReturnerRegistry = Record<string, () => Promise<{ returner: ReturnerModule }>>;
