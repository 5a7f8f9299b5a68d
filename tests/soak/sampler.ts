/** What the processes of a fleet hold, read from the system and from their status reports. Linux only. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Sample } from "./judge.ts";

/** A process that is looked at. */
export interface Watched {
  name: string;
  /** Undefined while it is not there. */
  pid(): number | undefined;
  /** How often it was started. */
  life(): number;
  /** True once it answers: before that, SIGUSR1 could end it. */
  settled(): boolean;
  /** Its status report. @default none is asked for */
  report?: string;
  /** Directories whose files are counted. @default none */
  directories?: readonly string[];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** pid → its parent's, of all processes. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = read(`/proc/${pid}/stat`);
    // pid (comm) state ppid: a comm may have blanks and brackets.
    if (stat !== undefined) found.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  return found;
}

/** All processes below one. */
function below(pid: number, all: ReadonlyMap<number, number>): number[] {
  const own = [...all].filter(([, parent]) => parent === pid).map(([child]) => child);
  return own.flatMap((child) => [child, ...below(child, all)]);
}

function rssOf(pid: number): number | undefined {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "") ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function isHeldPipe(descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).includes("/brine-pipes-");
  } catch {
    // It has been closed meanwhile.
    return true;
  }
}

function descriptorsOf(pid: number): number | undefined {
  try {
    // Pipes that are held for programs to come are made many at once.
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => !isHeldPipe(`/proc/${pid}/fd/${fd}`)).length;
  } catch {
    return undefined;
  }
}

function filesBelow(directory: string): number {
  return existsSync(directory) ? readdirSync(directory, { recursive: true }).length : 0;
}

/** Of a status report: the JavaScript heap, timers, and what waits in each queue. */
function reported(file: string, pid: number): Record<string, number> {
  let report: Record<string, unknown>;
  try {
    report = JSON.parse(read(file) ?? "{}");
  } catch {
    return {};
  }
  if (report.pid !== pid) return {};
  const figures: Record<string, number> = {};
  const { memory, resources, queues, jobs, requests_in_progress: requests } = report as {
    memory?: { heapUsed?: number };
    resources?: Record<string, number>;
    queues?: Record<string, { length: number }>;
    jobs?: Record<string, number>;
    requests_in_progress?: number;
  };
  if (memory?.heapUsed) figures.heap = memory.heapUsed;
  if (resources?.Timeout !== undefined) figures.timers = resources.Timeout;
  for (const [name, { length }] of Object.entries(queues ?? {})) figures[`queue:${name}`] = length;
  for (const [name, count] of Object.entries(jobs ?? {})) figures[`jobs:${name}`] = count;
  if (typeof requests === "number") figures["queue:requests"] = requests;
  return figures;
}

/** Takes samples of processes; a series for each figure. */
export class Sampler {
  readonly series = new Map<string, Sample[]>();
  readonly #watched: readonly Watched[];
  readonly #began = performance.now();

  constructor(watched: readonly Watched[]) {
    this.#watched = watched;
  }

  /** Takes one sample of each process that is there. */
  take(): void {
    const all = parents();
    const atMs = Math.round(performance.now() - this.#began);
    for (const { name, pid: pidOf, life: lifeOf, settled, report, directories } of this.#watched) {
      const pid = pidOf();
      if (pid === undefined || !all.has(pid)) continue;
      const life = lifeOf();
      const add = (figure: string, value: number | undefined) => {
        if (value === undefined) return;
        const key = `${name} ${figure}`;
        if (!this.series.has(key)) this.series.set(key, []);
        this.series.get(key)!.push({ atMs, life, value });
      };
      const children = below(pid, all);
      add("rss", rssOf(pid));
      add("descriptors", descriptorsOf(pid));
      add("children", children.length);
      if (directories !== undefined) add("files", directories.reduce((sum, one) => sum + filesBelow(one), 0));
      if (report === undefined || !settled()) continue;
      // What the last signal has brought; then the next one.
      for (const [figure, value] of Object.entries(reported(report, pid))) add(figure, value);
      try {
        process.kill(pid, "SIGUSR1");
      } catch {
        // It ended after it was looked at.
      }
    }
  }
}

/** Processes whose environment has this line. */
export function processesWith(line: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid).flatMap((pid) => {
    const environment = read(path.join("/proc", pid, "environ"));
    if (environment === undefined || !environment.split("\0").includes(line)) return [];
    return [`${pid} ${(read(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ").trim()}`];
  });
}
