/**
 * Question: what does a return cost masters that work as one (docs/cluster.md), and how soon do all minions answer again after one of
 * them was killed?
 *
 * Control: one master with the same job cache settings and no cluster; and one master that is a cluster by itself. The three take turns.
 * Two masters have half of the minions each (`swarm.ts`), and publish in turn. Where there are fewer cores than masters, returns a second
 * say nothing of what a second master brings: what counts is how many returns a second of processor time of the busier master gives,
 * against that of the one master. PostgreSQL and NATS run on the same host and are not counted.
 *
 * Run: node bench/cluster.ts [--minions 400] [--jobs 20] [--rounds 3] [--runtimes node] [--source] [--quick] [--json]
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { noNats, noPostgres, startNats, startPostgres } from "../tests/support/servers.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Side } from "./bed/sides.ts";
import { pause, until } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";

export interface ClusterBenchOptions extends BenchOptions {
  /** @default 400 */
  minions?: number;
  /** Back to back, after two for warm-up. @default 20 */
  jobs?: number;
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** @default "bundle" */
  form?: "source" | "bundle";
}

/** How many masters, and whether they are a cluster. */
const SETUPS = {
  "one master without a cluster": { masters: 1, clustered: false },
  "one master of a cluster": { masters: 1, clustered: true },
  "two masters of a cluster": { masters: 2, clustered: true },
} as const;
type Setup = keyof typeof SETUPS;

/** The minions of the run in which a master is killed: whole ones, which fail over. */
const WHOLE_MINIONS = 4;

interface Measured {
  /** Processor time of each master for all returns of the setup, in milliseconds. */
  cpuMs: number[];
  returns: number;
  ms: number;
}

/** Masters of one setup, with what they share. */
class Site implements AsyncDisposable {
  readonly beds: Bed[] = [];
  readonly masters: Daemon[] = [];
  readonly clients: LocalClient[] = [];
  readonly #stack = new AsyncDisposableStack();

  static async start(side: Side, { masters, clustered }: { masters: number; clustered: boolean }): Promise<Site> {
    const site = new Site();
    try {
      await site.#start(side, masters, clustered);
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
    return site;
  }

  async #start(side: Side, masters: number, clustered: boolean): Promise<void> {
    let cluster = {};
    if (clustered) {
      const postgres = this.#stack.use(await startPostgres());
      const nats = this.#stack.use(await startNats());
      cluster = {
        cluster: {
          postgres: `postgres://salt@127.0.0.1:${postgres.port}/postgres`,
          nats: `nats://127.0.0.1:${nats.port}`,
        },
      };
    }
    for (let at = 0; at < masters; at++) {
      const bed = this.#stack.use(new Bed());
      this.beds.push(bed);
      if (at > 0) copyKey(this.beds[0]!, bed);
      this.masters.push(await bed.startMaster(side, { id: `master${at + 1}`, timeout: 120, ...cluster }));
      this.clients.push(this.#stack.use(await openClient(bed)));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

function copyKey(from: Bed, to: Bed): void {
  mkdirSync(to.path("master", "pki"), { recursive: true, mode: 0o700 });
  for (const name of ["master.pem", "master.pub"]) {
    copyFileSync(from.path("master", "pki", name), to.path("master", "pki", name));
  }
}

function openClient(bed: Bed): Promise<LocalClient> {
  return LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: bed.clientOptions,
    requestTimeoutMs: 120_000,
  });
}

/** How many minions have answered a ping. */
async function ping(client: LocalClient, timeoutMs: number, tgt: string[] | "*" = "*"): Promise<number> {
  let returned = 0;
  const request = tgt === "*" ? { tgt, fun: "test.ping" } : { tgt, tgt_type: "list" as const, fun: "test.ping" };
  for await (const outcome of client.run(request, { timeoutMs, gatherMs: timeoutMs / 4 })) {
    if (outcome.kind === "returned" && outcome.return === true) returned++;
  }
  return returned;
}

/** Starts a part of the swarm at each master; resolves once all listen. */
async function startSwarms({ beds }: Site, minions: number): Promise<void> {
  const command = [...runtimeCommand("bun") ?? runtimeCommand("node")!, `${ROOT}/bench/swarm.ts`];
  await Promise.all(beds.map(async (bed, at) => {
    const swarm = bed.run([
      ...command,
      ...["--json", "--minions", String(minions), "--master", `127.0.0.1:${bed.requestPort}`],
      ...["--part", `${at}/${beds.length}`],
    ]);
    swarm.tell("go");
    while ((JSON.parse(await swarm.line()) as SwarmEvent).event !== "listening");
  }));
}

async function measure(side: Side, setup: Setup, minions: number, jobs: number): Promise<Measured> {
  await using site = await Site.start(side, SETUPS[setup]);
  await startSwarms(site, minions);
  const turn = (job: number) => site.clients[job % site.clients.length]!;
  // Each master knows the minions of the other, and has compiled what it needs.
  for (const client of site.clients) {
    await until("all minions answer", async () => await ping(client, 120_000) === minions, { timeoutMs: 240_000 });
    await ping(client, 120_000);
  }
  const before = site.masters.map((master) => master.cpuMs() ?? 0);
  const began = performance.now();
  for (let job = 0; job < jobs; job++) {
    const returned = await ping(turn(job), 120_000);
    if (returned !== minions) throw new Error(`${setup}: ${returned} of ${minions} minions have answered`);
  }
  const ms = performance.now() - began;
  return { cpuMs: site.masters.map((master, at) => (master.cpuMs() ?? 0) - before[at]!), returns: minions * jobs, ms };
}

/** From kill -9 of a master to the end of a ping that all minions have answered at the other, in milliseconds. */
async function killOne(side: Side): Promise<number> {
  await using site = await Site.start(side, SETUPS["two masters of a cluster"]);
  const [dying, other] = site.beds as [Bed, Bed];
  const masters = site.beds.map(({ requestPort }) => `127.0.0.1:${requestPort}`);
  const ids = Array.from({ length: WHOLE_MINIONS }, (_, at) => `whole${at}`);
  const more = { master: masters, master_type: "failover", auth_timeout: 3, recon_default: 100, recon_max: 500 };
  for (const id of ids) dying.startMinion(side, id, { ...more, enable_fqdns_grains: false, enable_gpu_grains: false });
  const client = site.clients[1]!;
  const complete = () =>
    until(
      `all minions answer at port ${other.requestPort}`,
      async () => await ping(client, 2000, ids).catch(() => 0) === ids.length,
      { timeoutMs: 240_000 },
    );
  await complete();
  // All of them are at the master that they were given first.
  await pause(1000);
  site.masters[0]!.kill();
  const began = performance.now();
  await complete();
  return performance.now() - began;
}

/** The three setups in turns, then the kills. */
export async function run(options: ClusterBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = quick ? 100 : 400, form = "bundle" } = options;
  const { jobs = quick ? 5 : 20, rounds = quick ? 1 : 3 } = options;
  const missing = noNats() ?? noPostgres();
  if (missing !== undefined) {
    say(missing);
    return [];
  }
  if (form === "bundle") buildBundle();
  const rows: Row[] = [];
  for (const runtime of installed(options.runtimes ?? ["node"])) {
    const side = brine(runtime, form);
    const measured = new Map<Setup, Measured[]>();
    const kills: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const setup of Object.keys(SETUPS) as Setup[]) {
        say(`cluster: round ${round + 1} of ${rounds}, ${side.name}, ${setup}`);
        const one = await measure(side, setup, minions, jobs);
        measured.set(setup, [...measured.get(setup) ?? [], one]);
        say(`  ${one.cpuMs.map((ms) => Math.round(ms * 1000 / one.returns)).join(" + ")} µs/return`);
      }
      kills.push(await killOne(side));
    }
    rows.push(...rowsOf(side, measured, kills, minions));
  }
  return rows;
}

function rowsOf(side: Side, measured: Map<Setup, Measured[]>, kills: number[], minions: number): Row[] {
  const micros = (one: Measured) => Math.max(...one.cpuMs) * 1000 / one.returns;
  const of = (setup: Setup, pick: (one: Measured) => number) => median(measured.get(setup)!.map(pick));
  const control = of("one master without a cluster", micros);
  const single = of("one master of a cluster", micros);
  const rows: Row[] = [];
  for (const setup of measured.keys()) {
    const busiest = of(setup, micros);
    const note = `${side.name}, ${setup}`;
    const name = `${minions} minions, '*' test.ping`;
    rows.push(
      {
        name: `${name}, busier master`,
        value: rounded(busiest),
        unit: "µs/return",
        note,
        ratio: rounded(control / busiest),
      },
      {
        name: `${name}, all masters`,
        value: rounded(of(setup, (one) => one.cpuMs.reduce((sum, ms) => sum + ms, 0) * 1000 / one.returns)),
        unit: "µs/return",
        note,
      },
      { name, value: rounded(of(setup, (one) => one.returns * 1000 / one.ms)), unit: "returns/s", note },
    );
    if (setup === "two masters of a cluster") {
      rows.push({
        name: `${name}, returns a second of the busier master's core, against one master of a cluster`,
        value: rounded(single / busiest),
        unit: "times",
        note,
      });
    }
  }
  rows.push({
    name: `kill -9 of one of two masters, ${WHOLE_MINIONS} minions that fail over: complete ping`,
    value: rounded(median(kills)),
    unit: "ms",
    note: side.name,
  });
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { minions: "number", jobs: "number", rounds: "number", source: "flag" },
    ({ source, ...options }) => run({ ...options, form: source ? "source" : "bundle" }),
  );
}
