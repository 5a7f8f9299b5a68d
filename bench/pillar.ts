/**
 * Question: how many pillars a second does a master compile when a thousand minions ask at once, as they do after a restart
 * or a change of a pillar file?
 *
 * The tree is a typical one: a top file that targets by glob, grain, list and compound expression, twelve files of which a
 * minion gets nine, and includes. It has no templates, so that both masters can compile it.
 *
 * Control row: real Salt 3006's master with its defaults, under the same swarm (`swarm.ts`) and over the same tree, in the
 * same run. Masters take turns; each figure is the median of the rounds, after one for warm-up.
 *
 * Run: node bench/pillar.ts [--minions 1000] [--rounds 3] [--runtimes node,bun,deno] [--json]
 */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";

export interface PillarBenchOptions extends BenchOptions {
  /** @default 1000 */
  minions?: number;
  /** Of each master, after one for warm-up; real Salt has one. @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Leave out the control. */
  alone?: boolean;
  /** @default "bundle" */
  form?: "source" | "bundle";
}

/** Top-level keys in the pillar of every minion of the swarm. */
const KEYS = 10;

function entries(name: string, count: number): string {
  const lines = Array.from(
    { length: count },
    (_, at) => `  setting_${at}:\n    value: ${name} ${at}\n    on: true\n    size: ${at}\n`,
  );
  return `${name}:\n${lines.join("")}`;
}

const FILES: Record<string, string> = {
  "top.sls": `base:
  '*':
    - common
    - users
  'os:Debian':
    - match: grain
    - debian
  'G@roles:web and swarm*':
    - web
    - web.sites
  'swarm*':
    - order: 2
    - swarm
  'db1,db2':
    - match: list
    - db
  'not G@kernel:Linux':
    - other
`,
  "common.sls": entries("common", 20),
  "users.sls": entries("users", 20),
  "debian.sls": `include:\n  - packages\n${entries("debian", 10)}`,
  "packages.sls": entries("packages", 20),
  "web/init.sls": `include:\n  - .defaults\n  - shared:\n      key: shared_web\n${entries("web", 10)}`,
  "web/defaults.sls": `${entries("web", 20)}${entries("web_defaults", 5)}`,
  "web/sites.sls": entries("sites", 20),
  "shared.sls": entries("shared", 10),
  "swarm.sls": `${entries("swarm", 10)}common:\n  setting_0:\n    value: overridden\nlast: true\n`,
  "db.sls": entries("db", 20),
  "other.sls": entries("other", 20),
};

/** Writes the tree; its files are an hour old, like most files of a real tree. */
function writeTree(directory: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    const then = Date.now() / 1000 - 3600;
    utimesSync(file, then, then);
  }
}

async function next(swarm: Daemon): Promise<Extract<SwarmEvent, { event: "pillar" }>> {
  for (;;) {
    const line = JSON.parse(await swarm.line()) as SwarmEvent;
    if (line.event === "pillar") return line;
  }
}

/** Milliseconds that each round took, and the processor time of the master for one pillar. */
async function measure(
  side: Side,
  minions: number,
  rounds: number,
): Promise<{ ms: number[]; cpuMs: number | undefined }> {
  await using bed = new Bed();
  const tree = bed.path("pillar");
  writeTree(tree);
  const master = await bed.startMaster(side, { pillar_roots: { base: [tree] } });
  await pause(1500);
  const runtime = runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath];
  const words = [
    "--minions",
    String(minions),
    "--master",
    `127.0.0.1:${bed.requestPort}`,
    "--pillar",
    String(rounds + 1),
  ];
  const swarm = bed.run([...runtime, `${ROOT}/bench/swarm.ts`, "--json", ...words]);
  await next(swarm);
  const before = master.cpuMs();
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { ms: took, failed, keys } = await next(swarm);
    if (failed > 0 || keys !== KEYS) {
      throw new Error(`${side.name}: ${failed} failed, ${keys} names instead of ${KEYS}`);
    }
    ms.push(took);
  }
  const after = master.cpuMs();
  await master.stop();
  return { ms, cpuMs: before === undefined || after === undefined ? undefined : (after - before) / (minions * rounds) };
}

/** All masters, one after the other. */
export async function run(options: PillarBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "bundle" } = options;
  const { minions = quick ? 100 : 1000, rounds = quick ? 1 : 3 } = options;
  if (form === "bundle") buildBundle();
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const sides: Side[] = installed(options.runtimes).map((runtime) => brine(runtime, form));
  if (real !== undefined) sides.push(real);
  const perSecond = new Map<Side, number>();
  const micros = new Map<Side, number>();
  for (const side of sides) {
    say(`pillar: ${side.name}`);
    const { ms, cpuMs } = await measure(side, minions, side === real ? 1 : rounds);
    perSecond.set(side, minions / median(ms) * 1000);
    if (cpuMs !== undefined) micros.set(side, cpuMs * 1000);
  }
  const rows: Row[] = [];
  const figure = (
    name: string,
    unit: string,
    of: Map<Side, number>,
    ratio: (own: number, control: number) => number,
  ) => {
    const control = real === undefined ? undefined : of.get(real);
    for (const [side, value] of of) {
      const beside = control === undefined || side === real ? {} : { ratio: rounded(ratio(value, control)) };
      rows.push({ name, value: rounded(value), unit, note: side.name, ...beside });
    }
  };
  const who = `${minions} minions ask for pillar at once`;
  figure(who, "pillars/s", perSecond, (own, control) => own / control);
  figure(`${who}, processor time of the master`, "µs/pillar", micros, (own, control) => control / own);
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { minions: "number", rounds: "number", source: "flag", alone: "flag" },
    ({ source, ...options }) => run({ ...options, form: source ? "source" : "bundle" }),
  );
}
