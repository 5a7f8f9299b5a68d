import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

export interface PingedMaster {
  readonly address: string;
  readonly isConnected: boolean;
  readonly connection: {
    readonly requests: {
      send(load: Record<string, unknown>, how: { timeoutMs: number; tries: number }): Promise<unknown>;
    };
  };
  reconnect(): Promise<void>;
}

interface PingOptions {
  runtime: { clock: Clock };
  opts: { ping_interval: number; auth_timeout: number };
  log: Logger;
}

const TRIES = 3;

/**
 * Fires the event `minion_ping` at each connected master every `ping_interval` minutes, as Salt does: it keeps the connection
 * alive where a firewall forgets idle ones. A master that does not reply is connected to again, by a new look-up of its name.
 * Returns when the signal aborts.
 */
export async function keepPinging(
  masters: readonly PingedMaster[],
  { runtime: { clock }, opts, log }: PingOptions,
  signal: AbortSignal,
): Promise<void> {
  const everyMs = opts.ping_interval * 60_000;
  if (!(everyMs > 0)) return;
  const ping = async (master: PingedMaster) => {
    if (!master.isConnected) return;
    const load = { cmd: "_minion_event", pretag: null, data: "ping", tag: "minion_ping" };
    try {
      await master.connection.requests.send(load, { timeoutMs: opts.auth_timeout * 1000, tries: TRIES });
    } catch (error) {
      if (signal.aborted || !master.isConnected) return;
      log.warning("the master did not reply to a ping: connecting again", {
        master: master.address,
        error: messageOf(error),
      });
      await master.reconnect();
    }
  };
  while (true) {
    await clock.sleep(everyMs, signal).catch(() => {});
    if (signal.aborted) return;
    for (const master of masters) {
      ping(master).catch((error) => log.debug("connection given up", { error: messageOf(error) }));
    }
  }
}
