import type { MinionIdentity } from "../channel/auth_client.ts";
import type { MinionOpts } from "../config/minion_opts.ts";
import { messageOf } from "../errors.ts";
import type { EventBus } from "../event/bus.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { Transport } from "../transport/mod.ts";
import { MasterConnection } from "./connection.ts";
import type { MinionGrains } from "./grains.ts";
import { Dispatcher } from "./jobs/dispatcher.ts";
import type { MasterJobs } from "./jobs/master_jobs.ts";
import type { MinionJobs } from "./jobs/minion_jobs.ts";
import type { MasterAddress } from "./master_address.ts";
import type { Masters } from "./masters.ts";
import type { PillarRefresh } from "./pillar_refresh.ts";

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
  bus: EventBus;
  masters: Masters;
  jobs: MinionJobs;
}

/** One of the masters of a minion: the connection to it, and the way of its jobs into the minion. */
export class ServedMaster {
  readonly connection: MasterConnection;
  readonly #options: ServedMasterOptions;
  readonly #dispatcher: Dispatcher;
  readonly #jobs: MasterJobs;

  /** @param first the first master also takes returns that are left for masters that are not configured any more */
  constructor(options: ServedMasterOptions, master: MasterAddress, first: boolean) {
    this.#options = options;
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
    await pillar.refresh(this.connection);
    await this.#present(true);
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
      onPublication: (load) => void this.#dispatcher.dispatch(load),
      onState: (up) => {
        masters.markConnected(connection, up);
        bus.fire(up ? "__master_connected" : "__master_disconnected", { master: master.host });
        if (up && masters.isServing(connection)) void this.#present(true);
      },
      onReturn: () => {
        // Without hurry: this connection is also renewed after each return that gets no reply.
        if (masters.isServing(connection)) void this.#present(false);
      },
    });
    return connection;
  }

  #dispatch(): Dispatcher {
    const { opts, log, grains, pillar } = this.#options;
    return new Dispatcher({
      log: log.child("dispatcher"),
      subject: () => ({ id: opts.id, grains: grains.current, pillar: pillar.current }),
      remembered: opts.minion_jid_queue_hwm,
      processCountMax: opts.process_count_max,
      taken: (jid) => this.#jobs.known(jid),
      again: (jid) => this.#jobs.again(jid),
      take: (load) => {
        const run = this.#jobs.take(load);
        return () => run().catch((error) => log.error("job failed", { jid: load.jid, error: messageOf(error) }));
      },
    });
  }
}
