/**
 * Question: how many highstates a second does a master serve, when a hundred minions ask at once for all that theirs need: pillar, top
 * file, lists of files, the hashes of fifteen SLS files and of twenty-five that they manage, and, the first time, their contents?
 *
 * Control row: real Salt 3006's master with its defaults, under the same swarm (`swarm.ts`), which asks as real Salt's minion does, over
 * the same trees, in the same run. The first round is shown by itself, since it carries the contents; the others are a median.
 *
 * Run: node bench/highstate.ts [--minions 100] [--rounds 4] [--runtimes node,bun,deno] [--alone] [--json]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Bed } from "./bed/bed.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";

export interface HighstateBenchOptions extends BenchOptions {
  /** @default 100 */
  minions?: number;
  /** The first, and those after it. @default 4, quick 2 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Leave out the control. */
  alone?: boolean;
}

type Round = Extract<SwarmEvent, { event: "highstate" }> & {
  /** Of all processes of the master in this round; undefined where the system does not report it. */
  cpuMs: number | undefined;
};

const SLS = Array.from({ length: 15 }, (_, at) => `service_${at}/init.sls`);
const MANAGED = Array.from({ length: 25 }, (_, at) => `files/${at}.conf`);

/** Writes states and pillar as a site has them. */
function writeTrees(folder: string): { states: string; pillar: string } {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const names = SLS.map((name) => `    - ${path.dirname(name)}\n`).join("");
  write("states/top.sls", `base:\n  '*':\n${names}`);
  for (const name of SLS) write(`states/${name}`, `${path.dirname(name)}:\n  test.nop: []\n`);
  for (const name of MANAGED) write(`states/${name}`, `${"setting = value\n".repeat(120)}# ${name}\n`);
  write("pillar/top.sls", "base:\n  '*':\n    - all\n");
  write(
    "pillar/all.sls",
    "settings:\n" + Array.from({ length: 40 }, (_, at) => `  name_${at}: value ${at}\n`).join(""),
  );
  return { states: path.join(folder, "states"), pillar: path.join(folder, "pillar") };
}

/** Lets the minions ask a master for all that their highstates need, so many times. */
export async function measure(side: Side, minions: number, rounds: number): Promise<Round[]> {
  await using bed = new Bed();
  const { states, pillar } = writeTrees(bed.path("trees"));
  const daemon = await bed.startMaster(side, { file_roots: { base: [states] }, pillar_roots: { base: [pillar] } });
  // Real Salt's workers are there a moment after its port.
  await pause(1500);
  const runtime = runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath];
  const master = `127.0.0.1:${bed.requestPort}`;
  const words = ["--minions", `${minions}`, "--master", master, "--highstate", `${rounds}`, "--files"];
  const files = [...SLS, ...MANAGED].join(",");
  const swarm = bed.run([...runtime, `${ROOT}/bench/swarm.ts`, "--json", ...words, files]);
  const seen: Round[] = [];
  let before = daemon.cpuMs();
  while (seen.length < rounds) {
    const event = JSON.parse(await swarm.line()) as SwarmEvent;
    // What comes before the first round is signing in.
    const now = daemon.cpuMs();
    const cpuMs = before === undefined || now === undefined ? undefined : now - before;
    before = now;
    if (event.event !== "highstate") continue;
    if (event.failed > 0) throw new Error(`${side.name}: ${event.failed} highstates failed:\n${swarm.tail()}`);
    seen.push({ ...event, cpuMs });
  }
  return seen;
}

export async function run(options: HighstateBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = 100, rounds = quick ? 2 : 4 } = options;
  buildBundle();
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const sides: Side[] = installed(options.runtimes).map((runtime) => brine(runtime, "bundle"));
  if (real !== undefined) sides.push(real);
  const seen = new Map<Side, Round[]>();
  for (const side of sides) {
    say(`highstate: ${side.name}`);
    seen.set(side, await measure(side, minions, side === real ? 2 : Math.max(2, rounds)));
  }
  const cached = ([, ...rest]: Round[], of: (round: Round) => number) => median(rest.map(of));
  const cpu = (all: Round[]) => cached(all, ({ cpuMs }) => cpuMs ?? NaN) / minions;
  const processor = (): Row[] =>
    sides.map((side) => {
      const value = cpu(seen.get(side)!);
      const beside = real === undefined || side === real ? {} : { ratio: cpu(seen.get(real)!) / value };
      const name = `${minions} minions at once, files cached, processor time of the master`;
      return { name, value: rounded(value), unit: "ms/highstate", note: side.name, ...beside };
    });
  const figure = (name: string, of: (all: Round[]) => number): Row[] =>
    sides.map((side) => {
      const perSecond = minions / of(seen.get(side)!) * 1000;
      const control = real === undefined || side === real ? undefined : minions / of(seen.get(real)!) * 1000;
      return {
        name,
        value: rounded(perSecond),
        unit: "highstates/s",
        note: side.name,
        ...(control === undefined ? {} : { ratio: perSecond / control }),
      };
    });
  const [{ requests = 0 } = {}] = seen.get(sides[0]!) ?? [];
  return [
    ...figure(`${minions} minions at once, the first time, ${requests} requests each`, ([first]) => first!.ms),
    ...figure(`${minions} minions at once, files cached`, (all) => cached(all, ({ ms }) => ms)),
    ...processor(),
  ];
}

if (import.meta.main) {
  await runProgram({ minions: "number", rounds: "number", alone: "flag" }, run);
}
