/** Several masters of one cluster in one process, each with its own disk, over one storage and one bus in memory. */
import { systemClock } from "../../src/base/async/clock.ts";
import type { BusWire } from "../../src/feature/cluster/bus.ts";
import { MemoryBroker } from "../../src/feature/cluster/memory_wire.ts";
import { MemoryLedger, type MemoryLedgerStorage } from "../../src/plugins/ledger_storages/memory.ts";
import { memoryNet } from "../../src/runtime/memory/memory_runtime.ts";
import { Cluster, type ClusterOptions } from "./start_cluster.ts";

/** One of the masters. */
export interface OneMaster {
  place: Cluster;
  storage: MemoryLedgerStorage;
  wire: BusWire;
}

export class Masters implements AsyncDisposable {
  readonly net = memoryNet();
  readonly broker = new MemoryBroker(systemClock);
  readonly ledger = new MemoryLedger(systemClock);
  readonly all: OneMaster[] = [];
  readonly #options: ClusterOptions;
  readonly #leaseSeconds: number;

  private constructor(options: ClusterOptions, leaseSeconds: number) {
    this.#options = options;
    this.#leaseSeconds = leaseSeconds;
  }

  /** @param minions of each master, by its place */
  static async start(minions: string[][], options: ClusterOptions = {}, leaseSeconds = 1): Promise<Masters> {
    const masters = new Masters(options, leaseSeconds);
    try {
      for (const _ of minions) await masters.add();
      const ids = minions.flat();
      for (const { place } of masters.all) for (const id of ids) place.acceptKey(id);
      await Promise.all(
        minions.flatMap((ids, at) =>
          ids.map((id) => masters.all[at]!.place.startMinion(id).then((minion) => minion.ready))
        ),
      );
    } catch (error) {
      await masters.close();
      throw error;
    }
    return masters;
  }

  async add(): Promise<OneMaster> {
    const one = {} as OneMaster;
    const name = String.fromCharCode(97 + this.all.length);
    one.place = await Cluster.start({
      ...this.#options,
      minions: [],
      root: `/${name}`,
      net: this.net,
      clock: systemClock,
      master: {
        id: name,
        job_resend_interval: 1,
        job_delivery_timeout: 20,
        gather_job_timeout: 2,
        ...this.#options.master,
      },
      shared: () => {
        one.storage = this.ledger.open();
        return {
          storage: one.storage,
          openWire: () => Promise.resolve(one.wire = this.broker.wire()),
          name: "test",
          leaseSeconds: this.#leaseSeconds,
        };
      },
    });
    this.all.push(one);
    return one;
  }

  at(index: number): Cluster {
    return this.all[index]!.place;
  }

  /** Cuts a master off from storage and bus, as a stopped process or a partition does, or mends that. */
  cut(index: number, isCut = true): void {
    const { storage, wire } = this.all[index]!;
    storage.cut(isCut);
    if (isCut) this.broker.cut(wire);
    else this.broker.mend(wire);
  }

  async close(): Promise<void> {
    for (const [index] of this.all.entries()) this.cut(index, false);
    for (const { place } of this.all) await place.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
