import { beaconCommands, Beacons, BeaconWatch, type FiredEvent } from "../../../feature/beacon/mod.ts";
import type { MinionOpts } from "../../../model/config/minion_opts.ts";
import { messageOf } from "../../../base/errors.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { withCustomBeacons } from "../../../model/loader/custom_beacons.ts";
import type { BeaconRegistry } from "../../../model/loader/beacons.ts";
import type { Context } from "../../../model/loader/family.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { RunningJobs } from "../jobs/running_jobs.ts";
import type { LocalCommands } from "../local_commands.ts";
import type { Masters } from "../masters.ts";
import type { MinionContext } from "../minion_context.ts";
import type { PillarRefresh } from "../pillar_refresh.ts";
import { callFunction } from "../processes/execute_job.ts";

export interface MinionBeaconsOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  bus: EventBus;
  context: MinionContext;
  pillar: PillarRefresh;
  masters: Masters;
  runningJobs: RunningJobs;
  /** @default there are none */
  beacons: BeaconRegistry | undefined;
}

/** The beacons of a minion: from its configuration, from its pillar, and those that `beacons.*` adds. */
export class MinionBeacons {
  readonly #options: MinionBeaconsOptions;
  readonly #beacons: Beacons;
  readonly #watch: BeaconWatch;
  /** The most events that are on their way to the master: they must not pile up if it does not answer. */
  #unsent = 0;
  #isStarted = false;

  constructor(options: MinionBeaconsOptions) {
    this.#options = options;
    const { runtime: { clock }, opts, log, context, pillar, runningJobs, beacons = {} } = options;
    this.#beacons = new Beacons(opts.beacons, () => pillar.current.beacons, (name) => this.#watch.close(name));
    this.#watch = new BeaconWatch({
      id: opts.id,
      clock,
      log,
      loopInterval: opts.loop_interval,
      modules: () => withCustomBeacons(beacons, context.of()),
      context: () => callingContext(context),
      statesRun: () => runningJobs.running().some(({ fun }) => /^state\./.test(String(fun))),
      // Programs that follow the minion's bus see the events of beacons, as in Salt.
      send: (events) => options.bus.fire("__beacons_return", { beacons: events }),
    }, this.#beacons);
  }

  /** Begins to run the beacons until the signal aborts; a second call does nothing. */
  start(signal: AbortSignal): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#watch.keep(signal);
  }

  #send(events: FiredEvent[]): void {
    const { masters, log, opts } = this.#options;
    if (events.length === 0) return;
    if (this.#unsent >= opts.beacon_queue_events) {
      return log.warning("no master is connected: events of beacons are dropped", { dropped: events.length });
    }
    this.#unsent += events.length;
    masters.sendToAll({ cmd: "_minion_event", pretag: null, events }).catch((error: unknown) => {
      log.warning("the master did not accept events of beacons", { events: events.length, error: messageOf(error) });
    }).finally(() => this.#unsent -= events.length);
  }

  /** Handles the requests to the beacons that come as events on the minion's bus. */
  commands(): LocalCommands {
    const { bus } = this.#options;
    const send = ({ beacons }: Record<string, unknown>) => this.#send(Array.isArray(beacons) ? beacons : []);
    const fire = (tag: string, data: Record<string, unknown>) => bus.fire(tag, data);
    return {
      manage_beacons: beaconCommands({ beacons: this.#beacons, watch: this.#watch, fire }),
      // Custom beacons may have changed.
      beacons_refresh: () => this.#watch.refresh(),
      __beacons_return: send,
    };
  }
}

/** The context of beacons, which call execution functions in the minion's process. */
function callingContext({ functions, of }: MinionContext): Context {
  const context = of();
  return {
    ...context,
    async call(fun, positional = [], keyword = {}) {
      const load = { fun, arg: [...positional, { __kwarg__: true, ...keyword }], jid: "", tgt: "", ret: "" };
      return (await callFunction({ functions, context: () => context, load, published: {}, ownProcess: () => {} }))
        .return;
    },
  };
}
