/** Two masters as one over real PostgreSQL and NATS, and minions that have both. */
import { Buffer } from "node:buffer";
import { freePort } from "../../bench/bed/ports.ts";
import { pause, until } from "../../bench/bed/until.ts";
import { openPostgresLedger } from "../../src/plugins/ledger_storages/postgres.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { startNats, startPostgres, type TestServer } from "../support/servers.ts";
import { Bed, giveKey } from "./bed.ts";
import { type Part, told } from "./history.ts";

/** `cluster: lease_seconds`. */
export const LEASE_SECONDS = 3;

export class ClusterBed implements AsyncDisposable {
  readonly masters: readonly Bed[];
  readonly postgres: TestServer;
  readonly nats: TestServer;
  readonly #stack: AsyncDisposableStack;

  private constructor(masters: readonly Bed[], postgres: TestServer, nats: TestServer, stack: AsyncDisposableStack) {
    this.masters = masters;
    this.postgres = postgres;
    this.nats = nats;
    this.#stack = stack;
  }

  /** @param minions half of them fail over, the others have both masters all the time */
  static async start(minions: number): Promise<ClusterBed> {
    await using stack = new AsyncDisposableStack();
    const postgres = stack.use(await startPostgres());
    const nats = stack.use(await startNats());
    const ports: { publish: number; request: number }[] = [];
    for (let count = 0; count < 2; count++) ports.push({ publish: await freePort(), request: await freePort() });
    const failover = { master_type: "failover", auth_timeout: 3, acceptance_wait_time: 1 };
    const minion = (id: string) => ({
      multiprocessing: false,
      master: ports.map(({ request }) => `127.0.0.1:${request}`),
      ...(Number(id.slice(1)) % 2 === 0 ? failover : {}),
    });
    const beds: Bed[] = [];
    for (const [at, own] of ports.entries()) {
      const master = {
        id: `master${at + 1}`,
        cluster: {
          postgres: postgresUrl(postgres),
          nats: `nats://127.0.0.1:${nats.port}`,
          lease_seconds: LEASE_SECONDS,
        },
      };
      const [home] = beds;
      const options = home === undefined ? { minions, minion } : { minions: 0, home };
      beds.push(stack.use(await Bed.start({ ...options, master, ports: own, prepare: giveKey })));
    }
    const bed = new ClusterBed(beds, postgres, nats, stack.move());
    for (const at of [0, 1]) await bed.reachesAll(at);
    return bed;
  }

  get ids(): readonly string[] {
    return this.masters[0]!.ids;
  }

  /** Pings all minions until all have answered one ping. Resolves to the milliseconds until then. */
  async reachesAll(at: number): Promise<number> {
    const began = performance.now();
    const missing = new Set<string>();
    try {
      await until(`all minions answer master${at + 1}`, () => this.#ping(at, missing), { timeoutMs: 120_000 });
    } catch (error) {
      throw new Error(`${(error as Error).message}; without an answer: ${[...missing]}\n${this.report()}`);
    }
    return performance.now() - began;
  }

  async #ping(at: number, missing: Set<string>): Promise<boolean> {
    missing.clear();
    for (const id of this.ids) missing.add(id);
    try {
      const request = { tgt: [...this.ids], tgt_type: "list" as const, fun: "test.ping" };
      for await (
        const outcome of this.masters[at]!.client.run(request, { timeoutMs: 2000, gatherMs: 1000 })
      ) if (outcome.kind === "returned" && outcome.return === true) missing.delete(outcome.id);
    } catch {
      // Refused, or the master is away.
    }
    return missing.size === 0;
  }

  /** Publishes so many jobs, at either master as chance has it; `midst` is begun after a third of them. */
  async publishAround(jobs: number, midst: () => Promise<void>): Promise<void> {
    const [{ random }] = this.masters as [Bed];
    let done: Promise<void> | undefined;
    for (let job = 0; job < jobs; job++) {
      if (job === Math.floor(jobs / 3)) {
        done = midst();
        // It is looked at below.
        done.catch(() => {});
      }
      // Some take long enough for a master to die in their midst.
      const before = random() < 0.4 ? `sleep ${(3 * random()).toFixed(2)};` : "";
      await this.masters[random() < 0.5 ? 0 : 1]!.publish({ before });
      await pause(150 * random());
    }
    await done;
  }

  /** The masters' own record against what was done, once no job is open. @returns every target of every acknowledged job */
  async verify(): Promise<Part[]> {
    for (const bed of this.masters) await bed.settled();
    const { clock } = await currentRuntime();
    const storage = await openPostgresLedger({
      url: postgresUrl(this.postgres),
      clock,
      hex: (bytes) => Buffer.from(bytes).toString("hex"),
    });
    try {
      const found = [];
      for (const bed of this.masters) found.push(await bed.history.check(storage.jobs));
      const violations = found.flatMap((one) => one.violations);
      if (violations.length > 0) throw new Error(`${told(violations)}\n${this.report()}`);
      return found.flatMap(({ parts }) => parts);
    } finally {
      await storage.close();
    }
  }

  report(): string {
    return this.masters.map((bed) => bed.report()).join("");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

function postgresUrl({ port }: TestServer): string {
  return `postgres://salt@127.0.0.1:${port}/postgres`;
}
