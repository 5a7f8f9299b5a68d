/**
 * Question: what does it cost to run a job in a process of its own, in time and in memory?
 *
 * Control row: the same function in the minion's process. The function does almost nothing, so that its row is the cost of
 * starting it; it runs through the minion's own execution, with the options and grains of a real minion. `warm` finds a
 * waiting process, as a single job does; `cold` is the first job, or one of a burst. The processes are those of the bundle.
 * The memory is that of an idle minion (proportional set size), without and with a waiting process.
 *
 * Run: node bench/job_start.ts [--jobs 50] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { MINION_OPTIONS, type MinionOpts } from "../src/model/config/minion_opts.ts";
import { openFiles } from "../src/content/fileserver/client.ts";
import type { Context } from "../src/model/loader/family.ts";
import { hostContext } from "../src/model/loader/host_context.ts";
import { createFunctionTable } from "../src/model/loader/loader.ts";
import { silentLogger } from "../src/base/log.ts";
import type { Execution } from "../src/host/minion/processes/execution.ts";
import { inProcess } from "../src/host/minion/processes/choose_process.ts";
import { ProcessPool } from "../src/host/minion/processes/process_pool.ts";
import { gatherGrains } from "../src/plugins/grains/mod.ts";
import { MODULES } from "../src/plugins/modules/mod.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { runOn } from "./bed/run_on.ts";
import { installed, ROOT, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, fromCopy } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface JobStartBenchOptions extends BenchOptions {
  /** Jobs of each kind. @default 50 */
  jobs?: number;
  runtimes?: readonly RuntimeName[];
}

/** The figures of one runtime, in milliseconds. */
interface Measured {
  here: number;
  warm: number;
  cold: number;
  burst: number;
}

/** A trivial function that does not run in the minion's process. */
const FUN = "test.random_hash";
const IDLE_MS = 5000;
/** Jobs that come at the same time. */
const BURST = 20;

async function measure(name: RuntimeName, jobs: number): Promise<Measured> {
  const runtime = await currentRuntime();
  const directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-bench-"));
  const log = silentLogger;
  const opts = Object.fromEntries(Object.entries(MINION_OPTIONS).map(([key, { default: value }]) => [key, value]));
  const grains = await gatherGrains({ runtime, log, opts: { ...opts, id: "m1" } as unknown as MinionOpts });
  const functions = createFunctionTable(MODULES, () => context);
  const context: Context = hostContext(functions, {
    runtime,
    log,
    opts,
    grains,
    pillar: {},
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log, opts, request: undefined }),
  });
  const [program, ...words] = brine(name, "bundle").command("salt-minion");
  const pool = (spares: number) =>
    new ProcessPool({
      runtime,
      log,
      command: { argv: [program!, ...words, "--job-process"] },
      socket: { kind: "unix", path: path.join(directory, `${spares}.ipc`) },
      context: () => context,
      spares,
      idleMs: 0,
    });
  let count = 0;
  const one = async (execution: Execution): Promise<number> => {
    const load = { fun: FUN, arg: [], jid: String(++count), tgt: "m1", tgt_type: "glob", ret: "", user: "root" };
    const began = performance.now();
    const outcome = await execution.run({
      load,
      signal: new AbortController().signal,
      ownProcess: () => {},
      output: undefined,
    });
    const took = performance.now() - began;
    if (outcome.retcode !== 0) throw new Error(`The job failed: ${outcome.return}`);
    return took;
  };
  const series = async (execution: Execution, times: number, before = () => Promise.resolve()): Promise<number> => {
    const found: number[] = [];
    // Warm-up: the first jobs compile the code.
    for (let at = -Math.min(5, times); at < times; at++) {
      await before();
      const took = await one(execution);
      if (at >= 0) found.push(took);
    }
    return median(found);
  };
  try {
    const here = await series(inProcess({ functions, context: () => context }), jobs);
    const warm = pool(1);
    const warmMs = await series(warm, jobs, async () => {
      while (warm.ready === 0) await pause(10);
      // The waiting process has loaded everything.
      await pause(200);
    });
    await warm.close();
    const cold = pool(0);
    const coldMs = await series(cold, Math.max(3, Math.round(jobs / 5)), () => pause(100));
    const began = performance.now();
    await Promise.all(Array.from({ length: BURST }, () => one(cold)));
    const burst = (performance.now() - began) / BURST;
    await cold.close();
    return { here, warm: warmMs, cold: coldMs, burst };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Proportional set size of the children of a process, in bytes. */
function childrenPss(parent: number): number {
  let total = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) !== parent) continue;
      total += Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))![1]) * 1024;
    } catch {
      // The process ended after the directory was read.
    }
  }
  return total;
}

/** Memory of an idle minion without and with a waiting process, in bytes. */
async function memory(name: RuntimeName): Promise<{ without: number; with: number } | undefined> {
  const found: number[] = [];
  for (const more of [{}, { process_pool_idle: 0 }]) {
    const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-runtime-"));
    await using _copy = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    await using pair = await startPair(fromCopy(brine(name, "bundle"), folder), more);
    await pause(IDLE_MS);
    const own = pair.minion.pss();
    if (own === undefined) return undefined;
    found.push(own + childrenPss(pair.minion.pid));
  }
  return { without: found[0]!, with: found[1]! };
}

export async function run(options: JobStartBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, jobs = quick ? 10 : 50 } = options;
  buildBundle();
  const rows: Row[] = [];
  for (const runtime of installed(options.runtimes)) {
    say(`job start: ${runtime}`);
    const words = ["--one", runtime, "--jobs", String(jobs)];
    const { here, warm, cold, burst } = runOn(runtime, path.join(ROOT, "bench/job_start.ts"), words) as Measured;
    const ms = (note: string, value: number) => ({
      name: "start of a job",
      value: rounded(value),
      unit: "ms",
      note: `${runtime}, ${note}`,
    });
    rows.push(
      ms("in the minion", here),
      ms("own process, warm", warm),
      ms("own process, cold", cold),
      ms(`own process, each of ${BURST} at once`, burst),
    );
    const bytes = await memory(runtime);
    if (bytes === undefined) say("job start: this system does not tell the proportional set size");
    else {
      for (const [note, value] of [["no process waits", bytes.without], ["one process waits", bytes.with]] as const) {
        rows.push({ name: "idle minion", value: rounded(value / 1e6), unit: "MB (PSS)", note: `${runtime}, ${note}` });
      }
    }
  }
  return rows.toSorted((a, b) => a.name < b.name ? 1 : a.name > b.name ? -1 : 0);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { one: { type: "string" }, jobs: { type: "string" } }, strict: false });
  if (values.one !== undefined) {
    console.log(JSON.stringify(await measure(values.one as RuntimeName, Number(values.jobs ?? 50))));
    process.exit(0);
  }
  await runProgram({ jobs: "number" }, run);
}
