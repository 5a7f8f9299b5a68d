import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** What a module of `master_tops` receives. */
export interface TopsContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Id of the minion whose states are wanted, from its key, not from what the minion says. */
  readonly id: string;
  /** Grains as the minion sent them. */
  readonly grains: Record<string, unknown>;
}

/** The export `tops` of a file under `plugins/tops/`: names of SLS files for a minion, in addition to top files. */
export interface MasterTops {
  /**
   * Returns environment → names of SLS files.
   *
   * @param settings the value of `master_tops` under the module's name
   * @throws any error: it is logged, and the minion gets no names from this module
   */
  run(context: TopsContext, settings: unknown): Promise<AnyMap>;
}

/** Modules of `master_tops`: name → function that loads the module. */
export type TopsRegistry = Record<string, () => Promise<{ tops: MasterTops }>>;
