/** What the masters of a simulated cluster share: a database and a message server behind the contracts, slow, and away at times. */
import type { BusState, BusWire } from "../../src/feature/cluster/bus.ts";
import { MemoryBroker } from "../../src/feature/cluster/memory_wire.ts";
import type { LedgerStorage } from "../../src/feature/cluster/storage.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { MemoryLedger } from "../../src/plugins/ledger_storages/memory.ts";
import type { Life, World } from "./world.ts";

/** Milliseconds that a request or a reply is on its way, at most. */
const WAY_MS = 4;

/** Which of both a host cannot reach. */
export type Server = "storage" | "bus";

/** Both servers. They never fail themselves: hosts are cut off from them, one or all. */
export class Servers {
  readonly #world: World;
  readonly #ledger: MemoryLedger;
  readonly #broker: MemoryBroker;
  readonly #cut: Record<Server, Set<string>> = { storage: new Set(), bus: new Set() };
  /** The wire of each process. */
  readonly #wires = new Map<Life, BusWire>();

  constructor(world: World) {
    const clock = world.clock({ host: "servers", alive: true }, () => 0);
    this.#world = world;
    this.#ledger = new MemoryLedger(clock);
    this.#broker = new MemoryBroker(clock);
  }

  /** The jobs, as they are at the server. */
  get jobs(): JobCache {
    return this.#ledger.jobs;
  }

  /** A host reaches a server no more, or again. */
  cut(server: Server, host: string, isCut = true): void {
    if (isCut) this.#cut[server].add(host);
    else this.#cut[server].delete(host);
    if (server === "bus") {
      for (const [life, wire] of this.#wires) {
        if (life.host === host && life.alive) this.#broker[isCut ? "cut" : "mend"](wire);
      }
    }
  }

  /** Everybody reaches both. */
  healAll(): void {
    for (const server of ["storage", "bus"] as const) {
      for (const host of [...this.#cut[server]]) this.cut(server, host, false);
    }
  }

  /** Resolves later, unless the process is dead by then. */
  #way(life: Life): Promise<void> {
    return new Promise((resolve) => void this.#world.after(this.#world.random() * WAY_MS, life, resolve));
  }

  /** The storage as one process has it. What was done may be unknown to it: the reply is lost. */
  storage(life: Life): LedgerStorage {
    const shared = this.#ledger.open();
    const reach = () => {
      if (this.#cut.storage.has(life.host)) throw new SystemError("ENOTCONN", "Cannot reach the storage: cut off");
    };
    const called = async <T>(work: () => T | Promise<T>): Promise<T> => {
      await this.#way(life);
      try {
        reach();
        return await work();
      } finally {
        await this.#way(life);
        reach();
      }
    };
    const slow = <T extends object>(part: T): T =>
      Object.fromEntries(
        Object.entries(part).map(([name, value]) => [
          name,
          typeof value === "function" && name !== "list"
            ? (...args: never[]) => called(() => (value as (...args: never[]) => unknown)(...args))
            : value,
        ]),
      ) as T;
    return {
      place: shared.place,
      leases: { ...slow(shared.leases), list: (prefix) => called(() => shared.leases.list(prefix)) },
      records: slow(shared.records),
      audit: slow(shared.audit),
      jobs: slow(shared.jobs),
      sealOf: (jid) => called(() => shared.sealOf(jid)),
      get state() {
        return shared.state;
      },
      own: (lease) => shared.own(lease),
      takeOver: (dead, by) => called(() => shared.takeOver(dead, by)),
      ping: () => called(() => {}),
      close: () => Promise.resolve(),
    };
  }

  /** The bus as one process has it. */
  wire(life: Life): BusWire {
    const shared = this.#broker.wire();
    const world = this.#world;
    this.#wires.set(life, shared);
    if (this.#cut.bus.has(life.host)) this.#broker.cut(shared);
    // In order, whatever each takes.
    let lastAt = 0;
    const inOrder = (call: () => void) => {
      lastAt = Math.max(lastAt, world.now + world.random() * WAY_MS);
      world.after(lastAt - world.now, life, call);
    };
    const alive = () => life.alive && shared.state.connected;
    return {
      place: shared.place,
      get state(): BusState {
        return shared.state;
      },
      maxBytes: shared.maxBytes,
      onState: (listener) => shared.onState((state) => void (life.alive && listener(state))),
      publish: (channel, bytes) => alive() && shared.publish(channel, bytes),
      subscribe: (channel, handler) => shared.subscribe(channel, (bytes) => inOrder(() => handler(bytes))),
      append: async (stream, bytes, id, timeoutMs) => {
        await this.#way(life);
        const seq = await shared.append(stream, bytes, id, timeoutMs);
        await this.#way(life);
        return seq;
      },
      follow: (stream, reader) =>
        shared.follow(stream, {
          record: (seq, bytes) => inOrder(() => reader.record(seq, bytes)),
          missed: (count) => inOrder(() => reader.missed(count)),
        }),
      last: async (stream) => {
        await this.#way(life);
        return await shared.last(stream);
      },
      flush: () => Promise.resolve(),
      close: () => shared.close(),
    };
  }
}
