/**
 * Every benchmark in one table: `npm run bench`. See README.md for the question of each.
 *
 * Run: npm run bench -- [--only NAME[,NAME]] [--quick] [--json] [--raw FILE] [--runtimes node,bun,deno]
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";
import { runOn } from "./bed/run_on.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { realSalt } from "./bed/sides.ts";
import { appendRaw } from "./raw.ts";
import { type BenchOptions, type Figure, machine, type Row, table } from "./rows.ts";

interface PartOptions extends BenchOptions {
  runtimes?: readonly RuntimeName[];
}

/** Runs `bench/zmtp.ts`, which measures its own runtime, on each runtime. */
function zmtp({ quick = false, say = () => {}, runtimes }: PartOptions): Row[] {
  return installed(runtimes).flatMap((runtime) => {
    say(`zmtp: ${runtime}`);
    const how = quick ? ["--rounds=1", "--scale=0.5"] : ["--rounds=3"];
    return (runOn(runtime, `${ROOT}/bench/zmtp.ts`, ["--json", ...how]) as Row[]).map((row): Row => ({
      ...row,
      note: row.note?.startsWith(runtime) ? row.note : `  beside ${runtime}: ${row.note}`,
    }));
  });
}

/** Runs a benchmark that prints its own table. */
function printed(file: string): (options: PartOptions) => Row[] {
  return ({ runtimes, say = () => {} }) => {
    for (const runtime of installed(runtimes)) {
      const [program, ...words] = runtimeCommand(runtime)!;
      const { stdout, stderr } = spawnSync(program!, [...words, `${ROOT}/bench/${file}`], { encoding: "utf8" });
      say(stdout + stderr);
    }
    return [];
  };
}

/** The parts by name; parts with `own` tables only run with `--only`. */
const PARTS: Record<string, { run(options: PartOptions): Promise<Row[]> | Row[]; own?: boolean }> = {
  cli: { run: async (options) => (await import("./cli.ts")).run(options) },
  roundtrip: { run: async (options) => (await import("./roundtrip.ts")).run(options) },
  memory: { run: async (options) => (await import("./memory.ts")).run(options) },
  start: { run: async (options) => (await import("./start.ts")).run(options) },
  one_file: { run: async (options) => (await import("./one_file.ts")).run(options) },
  module_table: { run: async (options) => (await import("./module_table.ts")).run(options) },
  job_start: { run: async (options) => (await import("./job_start.ts")).run(options) },
  master: { run: async (options) => (await import("./master.ts")).run(options) },
  cluster: { run: async (options) => (await import("./cluster.ts")).run(options) },
  cost: { run: async (options) => (await import("./cost.ts")).run(options), own: true },
  transports: { run: async (options) => (await import("./transports.ts")).run(options) },
  herd: { run: async (options) => (await import("./herd.ts")).run(options) },
  fleet: { run: async (options) => (await import("./fleet.ts")).run(options) },
  scale: { run: async (options) => (await import("./scale.ts")).run(options) },
  isolation: { run: async (options) => (await import("./isolation.ts")).run(options) },
  telemetry: { run: async (options) => (await import("./telemetry.ts")).run(options) },
  jobs: { run: async (options) => (await import("./jobs.ts")).run(options) },
  durability: { run: async (options) => (await import("./durability.ts")).run(options) },
  audit: { run: async (options) => (await import("./audit.ts")).run(options) },
  pillar: { run: async (options) => (await import("./pillar.ts")).run(options) },
  states: { run: async (options) => (await import("./states.ts")).run(options) },
  python: { run: async (options) => (await import("./python.ts")).run(options) },
  workers: { run: async (options) => (await import("./workers.ts")).run(options) },
  files: { run: async (options) => (await import("./files.ts")).run(options) },
  gateway: { run: async (options) => (await import("./gateway.ts")).run(options) },
  events: { run: async (options) => (await import("./events.ts")).run(options) },
  reactor: { run: async (options) => (await import("./reactor.ts")).run(options) },
  quick: { run: async (options) => (await import("./quick.ts")).run(options), own: true },
  zmtp: { run: zmtp },
  msgpack: { run: printed("msgpack.ts"), own: true },
  crypticle: { run: printed("crypticle.ts"), own: true },
  patterns: { run: printed("patterns.ts"), own: true },
};

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    raw: { type: "string" },
    runtimes: { type: "string" },
  },
});
const names = values.only?.split(",") ?? Object.keys(PARTS).filter((name) => !PARTS[name]!.own);
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(", ")}: expected some of ${Object.keys(PARTS).join(", ")}`);
  process.exit(64);
}
const say = (line: string) => console.error(line);
const runtimes = values.runtimes?.split(",") as RuntimeName[] | undefined;
const rows: Row[] = [];
const failed: string[] = [];
for (const name of names) {
  try {
    const found = await PARTS[name]!.run({ quick: values.quick, say, ...(runtimes === undefined ? {} : { runtimes }) });
    rows.push(...found);
    if (values.raw !== undefined) appendRaw(values.raw, name, found);
  } catch (error) {
    // If one part fails, the figures of the others are still printed.
    failed.push(name);
    say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
  }
}
const where = machine();
if (values.json) {
  const figures = rows.map(({ name, note, value, unit, ratio }): Figure => ({
    name: note === undefined ? name : `${name} (${note.trim()})`,
    value,
    unit,
    ...(ratio === undefined ? {} : { ratio }),
    machine: where,
  }));
  console.log(JSON.stringify({ figures, quick: values.quick, failed }));
} else if (rows.length > 0) {
  console.log(`${where}${values.quick ? "; a quick look, not a record" : ""}`);
  console.log(
    `The last column is how many times better Brine is than ${
      realSalt() === undefined ? "the" : "real Salt or the"
    } control\n`,
  );
  console.log(table(rows));
}
process.exit(failed.length === 0 ? 0 : 1);
