import type { Clock } from "../async/clock.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";

/** The grains of a minion as they were last gathered. */
export class MinionGrains {
  readonly #gather: (fresh: boolean) => Promise<Record<string, unknown>>;
  #current: Record<string, unknown> = {};

  /** @param gather gathers them; `fresh`: those that are cached do not count */
  constructor(gather: (fresh: boolean) => Promise<Record<string, unknown>>) {
    this.#gather = gather;
  }

  get current(): Record<string, unknown> {
    return this.#current;
  }

  /** Gathers them again. @param fresh without those that are cached */
  async gather(fresh: boolean): Promise<void> {
    this.#current = await this.#gather(fresh);
  }

  /** Some of them by name, with null for those that do not exist. */
  pick(names: readonly unknown[]): Record<string, unknown> {
    return Object.fromEntries(names.map((name) => [String(name), this.#current[String(name)] ?? null]));
  }
}

/**
 * Refreshes the grains every `grains_refresh_every` minutes, since a host may change at any time; 0 = never. Returns when the
 * signal aborts.
 *
 * @param refresh gathers them, and sends them to the masters if one has changed
 */
export async function keepGrains(
  { clock, log, minutes, refresh }: { clock: Clock; log: Logger; minutes: number; refresh(): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const every = Math.abs(minutes) * 60_000;
  if (!(every > 0)) return;
  while (true) {
    await clock.sleep(every, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await refresh();
    } catch (error) {
      log.error("grains could not be refreshed", { error: messageOf(error) });
    }
  }
}
