/** Engines: programs that run beside a master or minion for its whole life, receive its events and fire others. */
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { JobPublisher } from "./job_publisher.ts";
import type { Args } from "../../language/python/values.ts";

export interface EngineEvent {
  tag: string;
  data: Record<string, unknown>;
}

/** Events as they arrive. Leaving the loop unsubscribes. */
export interface EngineEvents extends AsyncIterable<EngineEvent> {
  /** Number of events that were dropped so far, because the engine was slow. */
  readonly missed: number;
}

/** The master of an engine's host, with the permissions of the user that it runs as. */
export interface EngineMaster {
  /** Runs a job on minions: id → return; minions that did not answer are left out. Undefined if no minion matches. */
  command(
    request: {
      tgt: string | string[];
      tgt_type?: string;
      fun: string;
      arg?: unknown[];
      kwarg?: Record<string, unknown>;
    },
    options?: { timeoutMs?: number },
  ): Promise<Record<string, unknown> | undefined>;
  /** Jobs that are published without waiting for them. */
  readonly jobPublisher: JobPublisher;
  /** Starts a runner. @returns its jid */
  runner(fun: string, arg?: unknown[], kwarg?: Record<string, unknown>): Promise<string>;
  /** Runs a runner, and waits for its end. @returns its return @throws {Error} if it fails */
  runnerReturn(fun: string, arg?: unknown[], kwarg?: Record<string, unknown>): Promise<unknown>;
  /** Runs a wheel function. @throws {Error} if it fails */
  wheel(fun: string, arg?: unknown[], kwarg?: Record<string, unknown>): Promise<unknown>;
  /** Ids of the minions whose keys are accepted. */
  accepted(): Promise<string[]>;
  /** Ids of the accepted minions that are connected now. */
  connected(): Promise<string[]>;
}

export interface EngineContext {
  readonly name: string;
  readonly role: "master" | "minion";
  readonly id: string;
  /** Options of the engine's host. */
  readonly opts: Record<string, unknown>;
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Aborted when the engine has to stop: it must release its resources and return. */
  readonly signal: AbortSignal;
  /**
   * Events on the bus of the engine's host, from now on. Events that the engine does not read in time are dropped and counted.
   *
   * @param wants true for tags of wanted events. @default all events
   */
  events(wants?: (tag: string) => boolean): EngineEvents;
  /**
   * Fires an event on the master's bus. An engine of a minion fires it on the bus of its masters, or on the minion's own bus if
   * it has no master, or with `here`. The promise waits while the engine exceeds `engine_events_per_second`.
   *
   * @throws {TypeError} for an invalid tag
   * @throws {RangeError} if a thousand events are waiting already
   */
  fire(tag: string, data: Record<string, unknown>, options?: { here?: boolean }): Promise<void>;
  /** Sets details that `salt-run engines.status` shows for the engine; they are merged into earlier ones. */
  report(details: Record<string, unknown>): void;
  /** The master; only for engines of a master. */
  readonly master?: EngineMaster;
  /** Calls an execution function on this host. */
  call(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

export interface EngineModule {
  /** Options of the engine, in Python's notation: `address=None, port=5000`. */
  signature: string;
  /** Description of the engine in one sentence. */
  doc: string;
  /** The reason why the engine cannot run on this host; undefined if it can. */
  unavailable?(context: Pick<EngineContext, "role" | "opts">): string | undefined;
  /** Runs until the engine has to stop. If it returns earlier or throws, it is started again; the status shows the error. */
  start(engine: EngineContext, settings: Args): Promise<void>;
}

/** Engines: name → function that loads the engine. */
export type EngineRegistry = Readonly<Record<string, () => Promise<{ engine: EngineModule }>>>;

/** A custom engine. Its settings are unchanged from the configuration. */
export type CustomEngine = (engine: EngineContext, settings: Record<string, unknown>) => Promise<void>;
