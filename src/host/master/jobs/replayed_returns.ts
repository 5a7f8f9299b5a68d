import { messageOf } from "../../../base/errors.ts";
import { jobReturn } from "../../../model/event/tag.ts";
import type { JobCache, JobLoad, StoredReturn } from "../../../model/job/job_cache.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import type { Logger } from "../../../base/log.ts";
import type { Cluster } from "../cluster_contract.ts";
import type { JobStore } from "./durable_saves.ts";
import type { Ledger } from "./ledger.ts";

/** How long the announcement of returns found in the store waits, in milliseconds: subscribers reconnect meanwhile, or the event still comes. */
const WAIT_MS = 2000;

/** The parts of a master that {@link ReplayedReturns} uses. */
interface ReplayParts {
  jobs: JobCache;
  store: Pick<JobStore, "unannounced">;
  ledger: Pick<Ledger, "loadOf" | "told">;
  bus: Pick<EventBus, "fire">;
  cluster: Pick<Cluster, "untoldSinceMs" | "hasTold" | "isNews"> | undefined;
  runtime: { clock: Pick<Clock, "after"> };
  log: Logger;
}

/** Returns the data of a return's event, as far as the job cache has them. */
export function eventOfStored(jid: string, load: JobLoad, stored: StoredReturn): Record<string, unknown> {
  const { minion, retcode, success, out } = stored;
  return {
    cmd: "_return",
    id: minion,
    jid,
    fun: load.fun,
    fun_args: load.arg,
    return: stored.return,
    retcode,
    success,
    ...(out === undefined ? {} : { out }),
  };
}

/**
 * Announces returns that a killed process has stored and perhaps not announced. Only open jobs have such returns, since no job is settled
 * before its returns are announced. Some may have been announced already, so each event has the field `replayed`.
 */
export class ReplayedReturns {
  readonly #services: () => ReplayParts;
  /** Jid → the minions whose returns must be announced. */
  readonly #found = new Map<string, Set<string>>();
  #stop: (() => void) | undefined;
  #telling: Promise<void> | undefined;
  #closed = false;

  /** @param services returns the master's parts; called each time, since they are made later */
  constructor(services: () => ReplayParts) {
    this.#services = services;
  }

  /**
   * Finds the unannounced returns of a job. {@link Ledger.told} is called once they are announced.
   *
   * @returns how many returns must be announced
   */
  async find(jid: string, returned: readonly string[]): Promise<number> {
    const { jobs, cluster, store } = this.#services();
    const sinceMs = cluster === undefined ? store.unannounced.sinceMs : cluster.untoldSinceMs;
    if (sinceMs === undefined || returned.length === 0) return 0;
    const found = new Set<string>();
    for (const { minion, storedMs } of await jobs.returns(jid)) {
      if (storedMs >= sinceMs && cluster?.hasTold(jid, minion) !== true) found.add(minion);
    }
    if (found.size > 0) this.#found.set(jid, found);
    return found.size;
  }

  /** Announces the returns that were found, after a short wait. Resolves when that is done. */
  tell(): Promise<void> {
    return this.#telling ??= this.#tell().finally(() => this.#telling = undefined);
  }

  async #tell(): Promise<void> {
    const { runtime: { clock }, log } = this.#services();
    while (this.#found.size > 0 && !this.#closed) {
      await new Promise<void>((resolve) => this.#stop = clock.after(WAIT_MS, resolve));
      for (const [jid, minions] of [...this.#found]) {
        if (this.#closed) return;
        try {
          await this.#announce(jid, minions);
          this.#found.delete(jid);
        } catch (error) {
          log.warning("events of returns from before the restart not sent yet: trying again", {
            jid,
            error: messageOf(error),
          });
        }
      }
    }
  }

  async #announce(jid: string, minions: ReadonlySet<string>): Promise<void> {
    const { jobs, ledger, bus, cluster } = this.#services();
    const load = ledger.loadOf(jid) ?? await jobs.load(jid) ?? {};
    for (const stored of await jobs.returns(jid)) {
      if (!minions.has(stored.minion) || cluster?.isNews(jid, stored.minion) === false) continue;
      bus.fire(jobReturn(jid, stored.minion), { ...eventOfStored(jid, load, stored), replayed: true });
    }
    ledger.told(jid);
  }

  close(): void {
    this.#closed = true;
    this.#stop?.();
  }
}
