import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { Failover } from "./failover.ts";
import { type MasterPlan, printPlan } from "./master_plan.ts";
import { keepPinging } from "./keep_pinging.ts";
import { type MineOptions, updateMine } from "./mine.ts";
import type { Execution } from "./processes/execution.ts";
import { ServedMaster, type ServedMasterOptions } from "./served_master.ts";
import { RejectedError } from "./sign_in.ts";
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
async function fireStartEvents(
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

interface ServeMastersOptions {
  plan: MasterPlan;
  connecting: ServedMasterOptions;
  execution: Execution;
  mine: MineOptions;
  /** The jobs that run by time, the update of the mine among them; begun once a master serves the minion. */
  schedule: { start(signal: AbortSignal): void };
}

/** The masters of a minion, as its plan has them. */
interface MastersServed {
  /** Set for a minion that uses one of several masters. */
  failover: Failover<ServedMaster> | undefined;
  /**
   * Signs in. Resolves when all masters serve the minion, or the one that it serves.
   *
   * @throws {RejectedError} if every master has refused the minion for good
   */
  open(): Promise<void>;
}

/** Makes the connections to the masters of a plan; `stack` ends what they do, and closes them. */
export function serveMasters(options: ServeMastersOptions, stack: AsyncDisposableStack): MastersServed {
  const { plan, connecting } = options;
  const { opts, log, masters } = connecting;
  let failover: Failover<ServedMaster> | undefined;
  const onState: ServedMasterOptions["onState"] = (master, up) => failover?.markConnected(master, up);
  const served = plan.masters.map((address, index) => {
    const master = new ServedMaster({ ...connecting, onState }, address, index === 0);
    masters.add(master.connection);
    stack.defer(() => master.connection.close());
    return master;
  });
  const stopping = new AbortController();
  stack.defer(() => stopping.abort());
  const { signal } = stopping;
  if (opts.scheduler_before_connect) options.schedule.start(signal);
  const types = { master_type: opts.master_type, masters: printPlan(plan) };
  if (plan.serve === "none") {
    log.info("the minion runs without a master (master_type: disable)");
    return { failover, open: () => openWithout(options, signal) };
  }
  void keepPinging(served, connecting, signal);
  if (plan.serve === "all") {
    if (served.length > 1) log.info("connecting to all masters", types);
    return {
      failover,
      open: async () => {
        await startupDelay(connecting, signal);
        await signInToAll(served, options, signal);
      },
    };
  }
  log.info("connecting to the first master that accepts the minion", types);
  const opened = Promise.withResolvers<void>();
  const one = failover = openFailover(served, options, signal, () => opened.resolve());
  return {
    failover,
    open: () => {
      startupDelay(connecting, signal).then(() => one.run(signal)).catch(opened.reject);
      return opened.promise;
    },
  };
}

/** Waits for a random part of `random_startup_delay`, so that hosts that start together do not sign in together. */
async function startupDelay({ runtime: { clock, random }, opts, log }: ServedMasterOptions, signal: AbortSignal) {
  if (!(opts.random_startup_delay > 0)) return;
  const seconds = Math.round(opts.random_startup_delay * random());
  log.info("waiting before the first sign-in (random_startup_delay)", { seconds });
  await clock.sleep(seconds * 1000, signal);
}

/** Serves no master: the only pillar is that of the minion's own files. */
async function openWithout(options: ServeMastersOptions, signal: AbortSignal): Promise<void> {
  await options.connecting.pillar.refreshOwn();
  options.schedule.start(signal);
}

/** Tells the master that the minion has started, and the log which master it is. */
async function announce({ connection }: ServedMaster, { connecting }: ServeMastersOptions): Promise<void> {
  const { runtime: { clock }, opts, grains, log } = connecting;
  await fireStartEvents(connection, { opts, grains, clock });
  log.info("minion is ready", { id: opts.id, master: connection.address });
}

/** Signs in to all masters. Once the first one serves the minion, its schedule begins. */
async function signInToAll(
  served: readonly ServedMaster[],
  options: ServeMastersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { connecting: { masters, log }, mine, schedule } = options;
  const opening = served.map(async (master) => {
    await openForGood(master, options, signal);
    // The mine of the first master is updated by the schedule.
    if (masters.anyServing) void updateMine(mine, signal);
    masters.markServing(master.connection);
    await announce(master, options);
  });
  // Wait for one master only: another master that is away must not delay the start.
  void Promise.any(opening).then(() => schedule.start(signal), () => {});
  const ended = await Promise.allSettled(opening);
  const reasons = ended.flatMap((end) => end.status === "rejected" ? [end.reason] : []);
  const others = reasons.find((reason) => !(reason instanceof RejectedError));
  if (others !== undefined) throw others;
  if (reasons.length === served.length) throw reasons[0];
  for (const reason of reasons) {
    log.error("a master refuses the minion: no further attempts before a restart", {
      reason: messageOf(reason),
    });
  }
}

/** Signs in to a master, and tries again when that or its pillar fails. @throws {RejectedError} if it refuses for good */
async function openForGood(
  master: ServedMaster,
  { connecting }: ServeMastersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { runtime: { clock }, opts, log } = connecting;
  for (;;) {
    try {
      return await master.open();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RejectedError) throw error;
      warnAgain(log, master, error);
      await clock.sleep(Math.max(1, opts.acceptance_wait_time) * 1000, signal);
    }
  }
}

function warnAgain(log: Logger, { address }: ServedMaster, error: unknown): void {
  log.warning("the master accepted the minion but does not serve it: trying again", {
    master: address,
    reason: messageOf(error),
  });
}

/** Serves one master after the other. @param opened called with the first one */
function openFailover(
  served: readonly ServedMaster[],
  options: ServeMastersOptions,
  signal: AbortSignal,
  opened: () => void,
): Failover<ServedMaster> {
  const { connecting, execution, mine, schedule } = options;
  const { runtime: { clock, random }, opts, log, bus, masters, grains } = connecting;
  let isFirst = true;
  return new Failover({
    clock,
    random,
    log: log.child("failover"),
    opts,
    candidates: served,
    fire: (tag, data) => bus.fire(tag, data),
    async serve(master) {
      // Functions and grains know the master that the minion serves, as in Salt.
      opts.master_list ??= served.map(({ host }) => host);
      opts.master = master.host;
      opts.master_uri = master.address;
      masters.markServing(master.connection);
      await grains.gather(false);
      execution.renew();
      try {
        await announce(master, options);
      } catch (error) {
        log.warning("the start event was not sent to the master", {
          master: master.address,
          error: messageOf(error),
        });
      }
      if (isFirst) schedule.start(signal);
      else void updateMine(mine, signal);
      isFirst = false;
      opened();
    },
  });
}
