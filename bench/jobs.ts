/**
 * Question: what do 100,000 jobs on record cost: to list them, to find some of them, and every publication after them?
 *
 * Control row: a publication with an empty file, in the same run. The file is that of the SQLite job cache, with 10 returns
 * a job; a publication is the job cache's part of one: reserve(), saveLoad(), flush(). Listing reads every page and keeps
 * none; the memory is the growth of the process between the first page and the last (resident set).
 *
 * Run: node bench/jobs.ts [--jobs 100000] [--returns 10] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { JobCache, JobSearch } from "../src/model/job/job_cache.ts";
import { sqliteJobCache } from "../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { encode, Packed } from "../src/protocol/wire/msgpack.ts";
import { runOn } from "./bed/run_on.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface JobsBenchOptions extends BenchOptions {
  /** @default 100000 */
  jobs?: number;
  /** Of each job. @default 10 */
  returns?: number;
  runtimes?: readonly RuntimeName[];
}

/** The figures of one runtime, in milliseconds and bytes. */
interface Measured {
  list: number;
  grown: number;
  exact: number;
  prefix: number;
  last: number;
  empty: number;
  idle: number;
  saved: number;
}

const START_MS = Date.UTC(2024, 0, 1);
const jidOf = (n: number) =>
  new Date(START_MS + n * 1000).toISOString().replace(/[-:.TZ]/g, "").slice(0, 14) + String(n % 1e6).padStart(6, "0");
const loadOf = (n: number) => ({
  cmd: "publish",
  fun: n % 1000 === 0 ? "state.apply" : "test.echo",
  arg: [`argument ${n}`, { __kwarg__: true, timeout: 5 }],
  tgt: "web*",
  tgt_type: "glob",
  user: "root",
  ret: "",
  jid: jidOf(n),
});
const MINIONS = Array.from({ length: 10 }, (_, n) => `web${n}.example.com`);
const VALUE = new Packed(encode("argument", "bin"));

async function publish(jobs: JobCache, first: number, count: number): Promise<number> {
  const times: number[] = [];
  for (let n = first; n < first + count; n++) {
    const before = performance.now();
    await jobs.reserve(jidOf(n));
    await jobs.saveLoad(jidOf(n), loadOf(n), MINIONS);
    await jobs.flush();
    times.push(performance.now() - before);
  }
  return median(times);
}

async function through(jobs: JobCache, search: JobSearch): Promise<number> {
  let count = 0;
  for await (const page of jobs.list(search)) count += page.length;
  return count;
}

/** The median of some rounds, after one for warm-up. */
async function timed(rounds: number, act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = performance.now();
    await act();
    if (round > 0) times.push(performance.now() - before);
  }
  return median(times);
}

/** Measures on the runtime of this process. */
async function measure(count: number, returns: number, rounds: number): Promise<Measured> {
  const { databases, fs, later } = await currentRuntime();
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-jobs-"));
  try {
    // The time of syncs is measured by bench/durability.ts.
    const options = { databases, fs, later, now: () => Date.now(), durability: "process" } as const;
    const open = (name: string) => sqliteJobCache({ ...options, path: path.join(folder, name) });
    const bare = open("empty.sqlite");
    // The first publications are slower with any file.
    await publish(bare, 0, 200);
    const jobs = open("full.sqlite");
    const before = performance.now();
    for (let n = 0; n < count; n++) {
      const jid = jidOf(n);
      await jobs.saveLoad(jid, loadOf(n), MINIONS);
      for (let at = 0; at < returns; at++) {
        const minion = `web${at}.example.com`;
        await jobs.saveReturn(jid, { minion, return: VALUE, retcode: 0, success: true, storedMs: START_MS + n });
      }
      await jobs.settle(jid);
      if (n % 100 === 99) await jobs.flush();
    }
    await jobs.flush();
    const saved = (performance.now() - before) / (count * returns);
    let grown = 0;
    const list = await timed(rounds, async () => {
      let start: number | undefined;
      let found = 0;
      for await (const page of jobs.list()) {
        start ??= process.memoryUsage().rss;
        found += page.length;
      }
      if (found !== count) throw new Error(`${found} jobs listed of ${count}`);
      grown = process.memoryUsage().rss - start!;
    });
    const exact = await timed(rounds, () => through(jobs, { fun: ["state.apply"] }));
    const prefix = await timed(rounds, () => through(jobs, { fun: ["state.*"] }));
    const last = await timed(rounds, () => through(jobs, { limit: 10 }));
    // In turns, so that other load affects both.
    const pair: { empty: number[]; idle: number[] } = { empty: [], idle: [] };
    for (let round = 0; round < rounds * 2; round++) {
      pair.empty.push(await publish(bare, 200 + round * 200, 200));
      pair.idle.push(await publish(jobs, count + round * 200, 200));
    }
    await bare.close();
    await jobs.close();
    return { list, grown, exact, prefix, last, empty: median(pair.empty), idle: median(pair.idle), saved };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function run(options: JobsBenchOptions = {}): Row[] {
  const { quick = false, say = () => {}, jobs = 100_000, returns = 10 } = options;
  return installed(options.runtimes).flatMap((runtime): Row[] => {
    say(`jobs: ${runtime}`);
    const words = ["--here", `--jobs=${jobs}`, `--returns=${returns}`, ...(quick ? ["--quick"] : [])];
    const measured = runOn(runtime, import.meta.filename, words) as Measured;
    const { list, grown, exact, prefix, last, empty, idle, saved } = measured;
    const of = `${jobs.toLocaleString("en")} jobs`;
    const row = (name: string, value: number, unit: string, ratio?: number): Row => ({
      name,
      value: rounded(value),
      unit,
      note: runtime,
      ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
    });
    return [
      row(`list ${of}`, list, "ms"),
      row(`memory while ${of} are listed`, Math.max(0, grown) / 1e6, "MB"),
      row(`find by function in ${of}`, exact, "ms"),
      row(`find by a function's beginning in ${of}`, prefix, "ms"),
      row(`the last ten of ${of}`, last, "ms"),
      row("publication into an empty job cache", empty * 1000, "us"),
      row(`publication into ${of}`, idle * 1000, "us", empty / idle),
      row("a return with its share of the job", saved * 1000, "us"),
    ];
  }).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      jobs: { type: "string" },
      returns: { type: "string" },
      here: { type: "boolean" },
      quick: { type: "boolean" },
    },
    strict: false,
  });
  if (values.here) {
    const [jobs, returns] = [Number(values.jobs), Number(values.returns)];
    console.log(JSON.stringify(await measure(jobs, returns, values.quick ? 1 : 5)));
  } else {
    await runProgram(
      { jobs: "number", returns: "number" },
      (options) => run({ jobs: 100_000, returns: 10, ...options }),
    );
  }
}
