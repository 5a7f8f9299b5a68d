/** A soak: a fleet under mixed load, of which parts are killed and restarted, for as long as is asked for. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pause, until } from "../../bench/bed/until.ts";
import type { RuntimeName } from "../../bench/bed/runtimes.ts";
import { sqliteJobCache } from "../../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { type Random, seeded } from "../faults/history.ts";
import { boundOf } from "./bounds.ts";
import { Fleet } from "./fleet.ts";
import { judge, type Verdict, warm } from "./judge.ts";
import { load, type Tally } from "./load.ts";
import { Sampler } from "./sampler.ts";
import type { Testimony } from "./witness.ts";

export interface SoakOptions {
  minutes: number;
  runtime: RuntimeName;
  seed: number;
  /** @default 4 */
  real?: number;
  /** @default 40 */
  swarm?: number;
  /** The mean time between two pieces of work. @default 400 */
  everyMs?: number;
  /** Takes lines of progress. */
  say?(line: string): void;
  /** A file for the series, as JSON. @default none is written */
  record?: string;
  /** The directory of the run is kept. @default false */
  keep?: boolean;
}

/** What became of a soak. */
export interface SoakReport {
  verdicts: Verdict[];
  jobs: Testimony;
  work: Record<string, Tally>;
  restarts: Record<string, number>;
  /** Processes that were left when all was stopped. */
  left: string[];
  /** Open jobs of the master when the load had been gone for a while. */
  open: number;
}

/** What a run has found wrong; empty if nothing. */
export function wrongs({ verdicts, jobs, work, left, open }: SoakReport): string[] {
  const unsteady = verdicts.filter(({ flat }) => !flat).map(({ name, growth, allowed, judgedMs }) =>
    `${name} grew by ${Math.round(growth)} in ${Math.round(judgedMs / 1000)} s: at most ${
      Math.round(allowed)
    } is allowed`
  );
  const failed = Object.entries(work).filter(([, tally]) => tally.failed > 0).map(([name, tally]) =>
    `${name} failed ${tally.failed} times: ${tally.why}`
  );
  const undone = Object.entries(work).filter(([, { done, excused }]) => done === 0 && excused > 2).map((
    [name, tally],
  ) => `${name} was never done: ${tally.why}`);
  return [
    ...unsteady,
    ...jobs.violations.slice(0, 20),
    ...failed,
    ...undone,
    ...left.map((line) => `left behind: ${line}`),
    ...(open > 0 ? [`${open} jobs of the master are still open`] : []),
    ...(jobs.parts === 0 ? ["no job was looked at"] : []),
  ];
}

/**
 * Takes parts of the fleet away at random: in the first third of the run any of them, then only minions and the swarm's, so that
 * master, gateway and the first minion live long enough to be judged.
 */
async function disturb(
  fleet: Fleet,
  random: Random,
  minutes: number,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const began = performance.now();
  const counts: Record<string, number> = {};
  const share = () => (performance.now() - began) / (minutes * 60_000);
  // So that a long run has some two hundred restarts, and a short one a dozen.
  const everyMs = Math.max(6000, minutes * 300);
  while (!isOver()) {
    await pause(everyMs * (0.5 + random()));
    if (isOver() || share() > 0.9) break;
    const early = share() < 0.33;
    const late = fleet.real.slice(1);
    const names = early ? [...fleet.members.keys()] : late;
    const name = names[Math.floor(random() * names.length)]!;
    const how = random() < 0.5 ? "kill" : "stop";
    await fleet.end(name, how);
    await pause(2000 * random());
    await fleet.begin(name);
    counts[`${name} ${how}`] = (counts[`${name} ${how}`] ?? 0) + 1;
  }
  return counts;
}

/** Opens the master's job cache, and holds all jobs of that age against it. */
async function holdJobs(fleet: Fleet, ageMs: number): Promise<void> {
  const { databases, fs, later, clock } = await currentRuntime();
  const file = fleet.path("master", "cache", "jobs.sqlite");
  const jobs = sqliteJobCache({ databases, fs, later, path: file, now: () => clock.now() });
  try {
    await fleet.witness.check(jobs, ageMs);
  } finally {
    await jobs.close();
  }
}

/** Looks at the fleet again and again. */
async function watch(sampler: Sampler, everyMs: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    sampler.take();
    await pause(everyMs);
  }
}

/** An age at which every job has ended: what is queued waits a minute, what is lost is asked for. */
const ENDED_MS = 240_000;

async function holdAlong(fleet: Fleet, isOver: () => boolean, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  let next = began + ENDED_MS;
  while (!isOver()) {
    await pause(1000);
    if (performance.now() < next) continue;
    next += 60_000;
    await holdJobs(fleet, ENDED_MS);
    const { jobs, parts, violations } = fleet.witness.found;
    const minutes = Math.round((performance.now() - began) / 60_000);
    say(`${minutes} min: ${jobs} jobs with ${parts} targets held against the record, ${violations.length} violations`);
  }
}

/** Runs a soak. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, runtime, seed, real = 4, swarm = 40, everyMs = 400, say = () => {}, record, keep = false } = options;
  const long = minutes >= 30;
  const fleet = await Fleet.start({
    runtime,
    real,
    swarm,
    renewSeconds: long ? 20 : 5,
    keepSeconds: long ? 900 : 86_400,
  });
  say(
    `${runtime}, seed ${seed}: ${real} minions as processes, ${swarm} in one, ${minutes} minutes in ${fleet.directory}`,
  );
  let left: string[] | undefined;
  try {
    const end = performance.now() + minutes * 60_000;
    const isOver = () => performance.now() > end;
    const sampler = new Sampler(fleet.watched());
    const [work, restarts] = await Promise.all([
      load(fleet, seeded(seed), everyMs, isOver),
      disturb(fleet, seeded(seed + 1), minutes, isOver),
      watch(sampler, long ? 10_000 : 1500, isOver),
      holdAlong(fleet, isOver, say),
    ]);
    const open = await settled(fleet);
    await holdJobs(fleet, 0);
    if (record !== undefined) {
      mkdirSync(path.dirname(record), { recursive: true });
      writeFileSync(record, JSON.stringify({ minutes, runtime, seed, series: Object.fromEntries(sampler.series) }));
    }
    left = await fleet.stop({ keep: keep || fleet.witness.found.violations.length > 0 });
    const warmMs = Math.min(600_000, minutes * 60_000 / 5);
    const verdicts = [...sampler.series].map(([name, samples]) =>
      judge(name, warm(samples, warmMs), boundOf(name, minutes))
    ).filter(({ judgedMs }) => judgedMs >= minutes * 60_000 / LEAST_JUDGED);
    return { verdicts, jobs: fleet.witness.found, work, restarts, left, open };
  } finally {
    if (left === undefined) await fleet.stop({ keep });
  }
}

/** A process is judged if one of its lives, without its warm-up, was this part of the run: of a shorter one a slope says nothing. */
const LEAST_JUDGED = 8;

/** Waits until no job is open. @returns how many still are, after the longest time that a job may take */
async function settled(fleet: Fleet): Promise<number> {
  let open = Infinity;
  const look = async () => {
    const counters = await fleet.client.ask("job_counters", {}).catch(() => undefined) as { open: number } | undefined;
    open = counters?.open ?? Infinity;
    return open === 0;
  };
  await until("no job is open", look, { timeoutMs: ENDED_MS }).catch(() => {});
  return open;
}
