/**
 * Question: what does it cost that what is acknowledged outlives a loss of power, on this disk?
 *
 * Control rows: the same with `durability: process`, which leaves the time of writing to the system; both take turns within a
 * round. `alone` waits for each before the next comes; `at once` are so many that come together, as from a fleet. The stall is
 * the longest time in which the event loop of the master did nothing else meanwhile. Network and processes are left out:
 * beside them the difference is smaller.
 *
 * Run: node bench/durability.ts [--runtimes node,bun,deno] [--json] [--quick]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "../src/log.ts";
import { JobStore } from "../src/master/jobs/durable_saves.ts";
import { Journal } from "../src/minion/jobs/journal.ts";
import { sqliteJobCache } from "../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { type Durability, durableFiles } from "../src/runtime/fs.ts";
import { encode, Packed } from "../src/wire/msgpack.ts";
import { installed, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./report.ts";

export interface DurabilityBenchOptions extends BenchOptions {
  runtimes?: readonly RuntimeName[];
}

const SIDES: readonly Durability[] = ["process", "power"];
const ALONE = 100;
const TOGETHER = 1000;
const MINION_TOGETHER = 50;
const LOAD = { fun: "cmd.run", arg: ["uptime"], tgt: "*", tgt_type: "glob", user: "root", ret: "" };

/** Milliseconds for each, or the longest stall. */
type Measured = Record<string, Record<Durability, number>>;

const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;

/** Measures on the runtime that this runs on. */
async function measure(rounds: number): Promise<Measured> {
  const { databases, fs, later, clock } = await currentRuntime();
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-durability-"));
  let jid = 0;
  const sides = SIDES.map((durability) => {
    const own = path.join(folder, durability);
    mkdirSync(own);
    const now = () => clock.now();
    const jobs = sqliteJobCache({ databases, fs, later, now, durability, path: path.join(own, "jobs.sqlite") });
    const store = new JobStore({ jobs, later, now, log: silentLogger });
    const files = durableFiles(fs, durability);
    const journal = new Journal({ fs: files, log: silentLogger, directory: own, remembered: 0 });
    journal.open();
    return { durability, jobs, store, journal };
  });
  type Side = typeof sides[number];
  const value = new Packed(encode("x".repeat(200), "bin"));
  const giveBack = async ({ jobs, store }: Side, job: string, minion: string) => {
    await jobs.saveReturn(job, { minion, return: value, retcode: 0, success: true, storedMs: 0 });
    await store.durable();
  };
  const begin = async ({ journal }: Side) => {
    const own = jidOf(++jid);
    journal.take(own, { ...LOAD, jid: own }, "tcp://127.0.0.1:4506", 0);
    journal.mark(own, "starting");
    await journal.synced();
    journal.end(own);
  };
  let stall = 0;
  const kinds: Record<string, { count: number; act(side: Side): Promise<unknown> }> = {
    "a return into the job cache, alone": {
      count: ALONE,
      async act(side) {
        const job = jidOf(++jid);
        for (let at = 0; at < ALONE; at++) await giveBack(side, job, `m${at}`);
      },
    },
    [`a return into the job cache, ${TOGETHER} at once`]: {
      count: TOGETHER,
      async act(side) {
        const job = jidOf(++jid);
        let over = false;
        stall = 0;
        let before = performance.now();
        const watch = () => {
          stall = Math.max(stall, performance.now() - before);
          before = performance.now();
          if (!over) later(watch);
        };
        later(watch);
        const going: Promise<void>[] = [];
        for (let at = 0; at < TOGETHER; at++) {
          going.push(giveBack(side, job, `m${at}`));
          // They come over many connections: some in each turn of the loop.
          if (at % 20 === 19) await new Promise<void>(later);
        }
        await Promise.all(going);
        over = true;
      },
    },
    "the marks of a job at its minion, alone": {
      count: ALONE,
      async act(side) {
        for (let at = 0; at < ALONE; at++) await begin(side);
      },
    },
    [`the marks of a job at its minion, ${MINION_TOGETHER} at once`]: {
      count: MINION_TOGETHER,
      act: (side) => Promise.all(Array.from({ length: MINION_TOGETHER }, () => begin(side))),
    },
  };
  try {
    const times = new Map<string, number[]>();
    const note = (name: string, side: Side, ms: number) => {
      const key = `${name}\n${side.durability}`;
      times.set(key, [...times.get(key) ?? [], ms]);
    };
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { count, act }] of Object.entries(kinds)) {
        for (const side of sides) {
          const before = performance.now();
          await act(side);
          if (round === 0) continue;
          note(name, side, (performance.now() - before) / count);
          if (count === TOGETHER) note(`longest stall of the loop, ${TOGETHER} returns at once`, side, stall);
        }
      }
    }
    for (const { jobs } of sides) await jobs.close();
    const measured: Measured = {};
    for (const [key, all] of times) {
      const [name, durability] = key.split("\n") as [string, Durability];
      (measured[name] ??= {} as Record<Durability, number>)[durability] = median(all);
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function run(options: DurabilityBenchOptions = {}): Row[] {
  const { quick = false, say = () => {} } = options;
  return installed(options.runtimes).flatMap((runtime): Row[] => {
    say(`durability: ${runtime}`);
    const [program, ...words] = runtimeCommand(runtime)!;
    const argv = [...words, import.meta.filename, "--here", ...(quick ? ["--quick"] : [])];
    const { status, stdout, stderr } = spawnSync(program!, argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`bench/durability.ts on ${runtime}: ${stderr}`);
    const measured = JSON.parse(stdout.trim().split("\n").at(-1)!) as Measured;
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
