import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/containers.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** What a module of `master_tops` is called with. */
export interface TopsContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The minion whose states it is asked for: the id of its key, whatever the minion says. */
  readonly id: string;
  /** As the minion sends them. */
  readonly grains: Record<string, unknown>;
}

/** What a file under `plugins/tops/` exports as `tops`: names of SLS files for a minion, from elsewhere than top files. */
export interface MasterTops {
  /**
   * Environment → names of SLS files.
   *
   * @param settings what `master_tops` has under the name of the module
   * @throws any error: it is logged, and the minion has none of them
   */
  run(context: TopsContext, settings: unknown): Promise<AnyMap>;
}

/** Modules of `master_tops` by name → how to load them. */
export type TopsRegistry = Record<string, () => Promise<{ tops: MasterTops }>>;
