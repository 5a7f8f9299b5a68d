/**
 * Question: what does it cost on this disk that acknowledged data survives a loss of power?
 *
 * Control rows: the same with `durability: process`, where the system decides when to write; both take turns within a round.
 * `alone` waits for each before the next comes; `at once` is a number that arrive together, as from a fleet. The stall is the
 * longest time for which the event loop of the master was blocked. Network and processes are left out: with them the
 * difference is smaller.
 *
 * Run: node bench/durability.ts [--runtimes node,bun,deno] [--json] [--quick]
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "../src/base/log.ts";
import { JobStore } from "../src/host/master/jobs/durable_saves.ts";
import { Journal } from "../src/host/minion/jobs/journal.ts";
import { sqliteJobCache } from "../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import type { JobCache } from "../src/model/job/job_cache.ts";
import { type Durability, durableFiles } from "../src/runtime/fs.ts";
import { encode, Packed } from "../src/protocol/wire/msgpack.ts";
import { runOn } from "./bed/run_on.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface DurabilityBenchOptions extends BenchOptions {
  runtimes?: readonly RuntimeName[];
}

const SIDES: readonly Durability[] = ["process", "power"];
const ALONE = 100;
const TOGETHER = 1000;
const MINION_TOGETHER = 50;
const LOAD = { fun: "cmd.run", arg: ["uptime"], tgt: "*", tgt_type: "glob", user: "root", ret: "" };

/** Milliseconds for each action, or of the longest stall, by name and durability. */
type Measured = Record<string, Record<Durability, number>>;

const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;

/** What a master and a minion keep with one durability. */
interface Side {
  durability: Durability;
  jobs: JobCache;
  store: JobStore;
  journal: Journal;
}

function openSide({ databases, fs, later, clock }: Runtime, durability: Durability, folder: string): Side {
  const directory = path.join(folder, durability);
  mkdirSync(directory);
  const now = () => clock.now();
  const jobs = sqliteJobCache({ databases, fs, later, now, durability, path: path.join(directory, "jobs.sqlite") });
  const store = new JobStore({ jobs, later, now, log: silentLogger });
  const journal = new Journal({ fs: durableFiles(fs, durability), log: silentLogger, directory, remembered: 0 });
  journal.open();
  return { durability, jobs, store, journal };
}

const VALUE = new Packed(encode("x".repeat(200), "bin"));

/** The master's part of a return: saved and durable. */
async function saveReturn({ jobs, store }: Side, jid: string, minion: string): Promise<void> {
  await jobs.saveReturn(jid, { minion, return: VALUE, retcode: 0, success: true, storedMs: 0 });
  await store.durable();
}

/** The minion's part of a job: its marks in the journal. */
async function markJob({ journal }: Side, jid: string): Promise<void> {
  journal.take(jid, { ...LOAD, jid }, "tcp://127.0.0.1:4506", 0);
  journal.mark(jid, "starting");
  await journal.synced();
  journal.end(jid);
}

/** Saves many returns at once; resolves with the longest time for which the event loop was blocked. */
async function saveTogether(side: Side, jid: string, later: Runtime["later"]): Promise<number> {
  let [over, stall, before] = [false, 0, performance.now()];
  const watch = () => {
    stall = Math.max(stall, performance.now() - before);
    before = performance.now();
    if (!over) later(watch);
  };
  later(watch);
  const saving: Promise<void>[] = [];
  for (let at = 0; at < TOGETHER; at++) {
    saving.push(saveReturn(side, jid, `m${at}`));
    // They come over many connections: some in each turn of the loop.
    if (at % 20 === 19) await new Promise<void>(later);
  }
  await Promise.all(saving);
  over = true;
  return stall;
}

/** One of the things that are timed. */
interface Action {
  name: string;
  count: number;
  /** Does it `count` times; may resolve with the longest stall. */
  act(side: Side): Promise<number | void>;
}

function actions({ later }: Runtime): Action[] {
  let number = 0;
  const nextJid = () => jidOf(++number);
  return [
    {
      name: "a return into the job cache, alone",
      count: ALONE,
      async act(side) {
        const jid = nextJid();
        for (let at = 0; at < ALONE; at++) await saveReturn(side, jid, `m${at}`);
      },
    },
    {
      name: `a return into the job cache, ${TOGETHER} at once`,
      count: TOGETHER,
      act: (side) => saveTogether(side, nextJid(), later),
    },
    {
      name: "the marks of a job at its minion, alone",
      count: ALONE,
      async act(side) {
        for (let at = 0; at < ALONE; at++) await markJob(side, nextJid());
      },
    },
    {
      name: `the marks of a job at its minion, ${MINION_TOGETHER} at once`,
      count: MINION_TOGETHER,
      async act(side) {
        await Promise.all(Array.from({ length: MINION_TOGETHER }, () => markJob(side, nextJid())));
      },
    },
  ];
}

/** Measures on the runtime of this process. */
async function measure(rounds: number): Promise<Measured> {
  const runtime = await currentRuntime();
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-durability-"));
  const sides = SIDES.map((durability) => openSide(runtime, durability, folder));
  const times: Record<string, Record<Durability, number[]>> = {};
  const note = (name: string, { durability }: Side, ms: number) =>
    (times[name] ??= { process: [], power: [] })[durability].push(ms);
  try {
    const all = actions(runtime);
    for (let round = 0; round <= rounds; round++) {
      for (const { name, count, act } of all) {
        for (const side of sides) {
          const before = performance.now();
          const stall = await act(side);
          // The first round is warm-up.
          if (round === 0) continue;
          note(name, side, (performance.now() - before) / count);
          if (typeof stall === "number") note(`longest stall of the loop, ${TOGETHER} returns at once`, side, stall);
        }
      }
    }
    for (const { jobs } of sides) await jobs.close();
    return Object.fromEntries(
      Object.entries(times).map((
        [name, { process, power }],
      ) => [name, { process: median(process), power: median(power) }]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function run(options: DurabilityBenchOptions = {}): Row[] {
  const { quick = false, say = () => {} } = options;
  return installed(options.runtimes).flatMap((runtime): Row[] => {
    say(`durability: ${runtime}`);
    const words = ["--here", ...(quick ? ["--quick"] : [])];
    const measured = runOn(runtime, import.meta.filename, words) as Measured;
    return Object.entries(measured).flatMap(([name, sides]) =>
      SIDES.map((durability): Row => ({
        name,
        value: rounded(sides[durability] * 1000),
        unit: "us",
        note: `${runtime}, ${durability}`,
        ...(durability === "power" ? { ratio: rounded(sides.process / sides.power) } : {}),
      }))
    );
  }).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { here: { type: "boolean" }, quick: { type: "boolean" } }, strict: false });
  if (values.here) console.log(JSON.stringify(await measure(values.quick ? 2 : 9)));
  else await runProgram({}, run);
}
