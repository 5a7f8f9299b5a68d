/** Engines: programs that run beside a master or a minion as long as it runs, listen to its events and fire others. */
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Args } from "./signature.ts";

/** An event as an engine gets it. */
export interface EngineEvent {
  tag: string;
  /** With `_stamp`. */
  data: Record<string, unknown>;
}

/** Events as they come. Leaving the loop ends it. */
export interface EngineEvents extends AsyncIterable<EngineEvent> {
  /** Events that were left out so far, because the engine did not read for a while. */
  readonly missed: number;
}

/** The master on whose host an engine runs, with the rights of its user. */
export interface EngineMaster {
  /** Runs a job on minions: id → return, without minions that did not answer. Undefined if no minion matches. */
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
  /** Starts a runner. @returns its jid */
  runner(fun: string, arg?: unknown[], kwarg?: Record<string, unknown>): Promise<string>;
  /** Runs a function of a wheel module. @throws {Error} if it failed */
  wheel(fun: string, arg?: unknown[], kwarg?: Record<string, unknown>): Promise<unknown>;
  /** Ids of the minions whose keys are accepted. */
  accepted(): Promise<string[]>;
  /** Ids of those of them that are connected now. */
  connected(): Promise<string[]>;
}

/** What an engine is given. */
export interface EngineContext {
  /** Its name in the configuration. */
  readonly name: string;
  readonly role: "master" | "minion";
  /** The id of the host that it runs beside. */
  readonly id: string;
  /** The options of that host. */
  readonly opts: Record<string, unknown>;
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Aborted when the engine is to end: it should let go of what it holds and return. */
  readonly signal: AbortSignal;
  /**
   * The events of the bus of its host from now on. What it does not read in time is left out, and counted.
   *
   * @param wants by the tag. @default all of them
   */
  events(wants?: (tag: string) => boolean): EngineEvents;
  /**
   * Fires an event: on the master's bus, from a minion on that of its masters, and on its own if it has none. It waits while the engine fires more than
   * `engine_events_per_second`.
   *
   * @throws {TypeError} for a tag that cannot be one
   * @throws {RangeError} if a thousand events wait already
   */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /** What `salt-run engines.status` shows of it; the fields are added to those before. */
  report(details: Record<string, unknown>): void;
  /** Of engines of a master. */
  readonly master?: EngineMaster;
  /** Calls an execution function on this host. */
  call(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

/** An engine, as a file of `src/plugins/engines` has it. */
export interface EngineModule {
  /** Its options in Python's notation: `address=None, port=5000`. */
  signature: string;
  /** What it does, in a sentence. */
  doc: string;
  /** Why it cannot run here; undefined if it can. */
  unavailable?(context: Pick<EngineContext, "role" | "opts">): string | undefined;
  /** Runs until it is to end. What it throws is the error that its status shows; it is started again then, as when it returns. */
  start(engine: EngineContext, settings: Args): Promise<void>;
}

/** Where engines come from: name → how to load it. */
export type EngineRegistry = Readonly<Record<string, () => Promise<{ engine: EngineModule }>>>;

/** A custom engine: its options are as the configuration has them. */
export type CustomEngine = (engine: EngineContext, settings: Record<string, unknown>) => Promise<void>;
