import type { Clock } from "../../base/async/clock.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import type { MasterConnection } from "./connection.ts";
import type { MinionGrains } from "./grains.ts";

/** Formats a time as Python's `time.ctime` does, but in UTC. */
export function ctime(ms: number): string {
  const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString())!;
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`;
}

/** Fires the events by which a master learns that the minion has started. */
export async function fireStartEvents(
  connection: MasterConnection,
  { opts, grains, clock }: { opts: MinionOpts; grains: MinionGrains; clock: Clock },
): Promise<void> {
  const { id } = opts;
  const data = `Minion ${id} started at ${ctime(clock.now())}`;
  const tags = opts.enable_legacy_startup_events ? ["minion_start"] : [];
  for (const tag of [...tags, `salt/minion/${id}/start`]) {
    const load: Record<string, unknown> = { cmd: "_minion_event", pretag: null, data, tag };
    if (opts.start_event_grains.length > 0) load.grains = grains.pick(opts.start_event_grains);
    await connection.requests.send(load);
  }
}
