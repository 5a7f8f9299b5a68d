import { within } from "../../base/async/within.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import type { MinionIdentity } from "../../protocol/channel/auth_client.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf } from "../../base/errors.ts";
import type { EventBus } from "../../model/event/bus.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import { MasterConnection } from "./connection.ts";
import type { MinionGrains } from "./grains.ts";
import { Dispatcher } from "./jobs/dispatcher.ts";
import type { MasterJobs } from "./jobs/master_jobs.ts";
import type { MinionJobs } from "./jobs/minion_jobs.ts";
import type { Candidate } from "./failover.ts";
import type { MasterAddress } from "./master_address.ts";
import type { Masters } from "./masters.ts";
import type { PillarRefresh } from "./pillar_refresh.ts";
import type { Refreshes } from "./refreshes.ts";

export interface ServedMasterOptions {
  runtime: Runtime;
  opts: MinionOpts;
  /** Option names that the configuration sets itself, beyond the defaults. */
  given: ReadonlySet<string>;
  log: Logger;
  sockets: Transport;
  identity: MinionIdentity;
  grains: MinionGrains;
  pillar: PillarRefresh;
  refreshes: Refreshes;
  bus: EventBus;
  masters: Masters;
  jobs: MinionJobs;
  /** Called when the master asks the minion to change its key. */
  onRotationAsked?(): void;
  /** The stream of publications of a master has been opened or lost. */
  onState?(master: ServedMaster, connected: boolean): void;
}

/** How long a connection may take while there are other masters to try. */
const REACH_MS = 3000;
/** How long the publisher of a master, and its reply about missed jobs, may take. */
const LISTEN_MS = 15_000;

/** One of the masters of a minion: the connection to it, and the part that gives its jobs to the minion. */
export class ServedMaster implements Candidate {
  readonly connection: MasterConnection;
  readonly #master: MasterAddress;
  readonly #options: ServedMasterOptions;
  readonly #dispatcher: Dispatcher;
  readonly #jobs: MasterJobs;

  /** @param first the first master also takes returns that are left for masters that are not configured any more */
  constructor(options: ServedMasterOptions, master: MasterAddress, first: boolean) {
    this.#options = options;
    this.#master = master;
    this.connection = this.#connect(master);
    this.#dispatcher = this.#dispatch();
    const { connection } = this;
    this.#jobs = options.jobs.attach({
      address: connection.address,
      get isBrine() {
        return connection.isBrine;
      },
      send: (load, how) => connection.requests.send(load, how),
    }, first);
  }

  /** Signs in and listens, takes the pillar into use, and takes the jobs that the minion has missed. */
  async open(): Promise<void> {
    const { masters, pillar } = this.#options;
    await this.connection.open();
    masters.markConnected(this.connection, true);
    await this.#firstPillar(pillar);
    await this.#present(true);
  }

  get address(): string {
    return this.connection.address;
  }

  get host(): string {
    return this.#master.host;
  }

  /** Like {@link ServedMaster.open}, but gives up at the first failure. */
  async tryToOpen(signal: AbortSignal): Promise<void> {
    const { runtime: { clock }, masters, pillar } = this.#options;
    await this.connection.reach(REACH_MS, signal);
    await this.connection.tryToOpen(signal, LISTEN_MS);
    masters.markConnected(this.connection, true);
    await pillar.refresh(this.connection);
    signal.throwIfAborted();
    await within(clock, LISTEN_MS, signal, this.#present(true));
  }

  async leave(): Promise<void> {
    this.#options.masters.markLeft(this.connection);
    this.#jobs.leave();
    await this.connection.leave();
  }

  /** True while the stream of publications is open. */
  get isConnected(): boolean {
    return this.#options.masters.isConnected(this.connection);
  }

  /** Gives the connections up and opens new ones: they look open, and nothing comes through. */
  async reconnect(): Promise<void> {
    const { masters } = this.#options;
    masters.markConnected(this.connection, false);
    this.#options.onState?.(this, false);
    await this.connection.leave();
    await this.connection.open();
    masters.markConnected(this.connection, true);
    await this.#present(true);
  }

  async ping(timeoutMs: number, signal: AbortSignal): Promise<void> {
    await this.connection.ping(timeoutMs, signal);
  }

  /** Asks for the pillar until the master has one to give: a master in trouble now may be out of it in a minute. */
  async #firstPillar(pillar: PillarRefresh): Promise<void> {
    const { log, runtime: { clock, random } } = this.#options;
    const { connection } = this;
    for (let failures = 0;; failures++) {
      try {
        return await pillar.refresh(connection);
      } catch (error) {
        connection.closing.throwIfAborted();
        if (failures === 0) {
          log.warning("no pillar from the master, trying again: jobs are accepted after that", {
            master: connection.address,
            error: messageOf(error),
          });
        }
      }
      await clock.sleep(backoffDelay(failures, { initialMs: 1000, maxMs: 60_000 }, random()), connection.closing);
    }
  }

  /** Reports to the master and takes missed jobs. @param hurry returns that wait are sent at once */
  #present(hurry: boolean): Promise<void> {
    return this.#jobs.present((...job) => this.#dispatcher.dispatch(...job), hurry);
  }

  #connect(master: MasterAddress): MasterConnection {
    const { runtime, opts, given, log, sockets, identity, grains, bus, masters } = this.#options;
    const connection: MasterConnection = new MasterConnection({
      runtime,
      opts,
      log,
      sockets,
      identity,
      master,
      ...(given.has("publish_port") && opts.publish_port !== 4506 ? { publishPort: opts.publish_port } : {}),
      ...(opts.autosign_grains.length === 0 ? {} : { autosignGrains: grains.pick(opts.autosign_grains) }),
      onRotationAsked: () => this.#options.onRotationAsked?.(),
      onPublication: (load) => void this.#dispatcher.dispatch(load),
      onState: (up) => {
        masters.markConnected(connection, up);
        this.#options.onState?.(this, up);
        // A minion that fails over fires this event once it has given the master up.
        if (opts.master_type === "str" || up) {
          bus.fire(up ? "__master_connected" : "__master_disconnected", { master: master.host });
        }
        if (up && masters.isServing(connection)) void this.#present(true);
      },
      onReturn: () => {
        // The report does not hurry: this connection is also renewed after each return that gets no reply.
        if (masters.isServing(connection)) void this.#present(false);
      },
    });
    return connection;
  }

  #dispatch(): Dispatcher {
    const { opts, log, grains, pillar, refreshes, jobs } = this.#options;
    return new Dispatcher({
      queued: jobs.queued,
      refreshed: () => refreshes.over(),
      log: log.child("dispatcher"),
      subject: () => ({ id: opts.id, grains: grains.current, pillar: pillar.current }),
      remembered: opts.minion_jid_queue_hwm,
      processCountMax: opts.process_count_max,
      taken: (jid) => this.#jobs.known(jid),
      again: (jid) => this.#jobs.again(jid),
      asked: (jid, wasSeen) => this.#jobs.asked(jid, wasSeen),
      take: (load) => {
        const run = this.#jobs.take(load);
        return () => run().catch((error) => log.error("job failed", { jid: load.jid, error: messageOf(error) }));
      },
    });
  }
}
