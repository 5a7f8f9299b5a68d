/**
 * Question: how fast does a minion fetch a large file from its master, and how much memory does that take on both sides?
 *
 * Control row: real Salt 3006's master and minion with the same file, in the same run. The time is that of one job
 * `cp.get_file` as its caller sees it: the hash on the master, which both cache after the first round, the transfer over
 * loopback, the checks on each side, and the disk. The memory is the peak of all processes of the daemon, jobs included,
 * during the fetch, above what they had before it (proportional set size). The processor time is that of all processes of
 * both sides, which is the limit where few processors are shared. Some of it is system time for the pages of the new file; a
 * virtual machine that returns free memory to its host needs several times as much for those.
 *
 * Run: node bench/files.ts [--megabytes 1024] [--rounds 3] [--runtimes node,bun,deno] [--json]
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { MINION, type Pair, startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface FilesBenchOptions extends BenchOptions {
  /** Size of the file. @default 1024, quick 64 */
  megabytes?: number;
  /** @default 3, quick 2 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

const MEGABYTE = 1024 * 1024;
const LOOK_MS = 100;
const SETTLED_MS = 500;

/** A process and all its descendants: the jobs of Brine have process groups of their own. */
function tree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const parent = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
      children.set(parent, [...children.get(parent) ?? [], Number(name)]);
    } catch {
      // The process ended after the directory was read.
    }
  }
  const found = [root];
  for (let at = 0; at < found.length; at++) found.push(...children.get(found[at]!) ?? []);
  return found;
}

/** Proportional set size of a process with its descendants, in bytes; undefined where the system does not report it. */
function pss(root: number): number | undefined {
  let total: number | undefined;
  for (const pid of tree(root)) {
    try {
      const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))!;
      total = (total ?? 0) + Number(kilobytes) * 1024;
    } catch {
      // The process ended after the directory was read.
    }
  }
  return total;
}

/** Processor time of a process with its descendants, ended ones included, in seconds. */
function cpu(root: number): number | undefined {
  let ticks: number | undefined;
  for (const pid of tree(root)) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const stat = text.slice(text.lastIndexOf(")") + 2).split(" ");
      // User and system time, then the same of children that were waited for.
      ticks = stat.slice(11, 15).reduce((sum, field) => sum + Number(field), ticks ?? 0);
    } catch {
      // The process ended after the directory was read.
    }
  }
  // Linux reports a hundred ticks a second, whatever the rate of the kernel.
  return ticks === undefined ? undefined : ticks / 100;
}

function writeFile(file: string, megabytes: number): void {
  const descriptor = openSync(file, "w");
  const piece = randomBytes(MEGABYTE);
  for (let count = 0; count < megabytes; count++) {
    // Each piece is different and cannot be compressed.
    piece.writeUInt32LE(count, 0);
    writeSync(descriptor, piece);
  }
  closeSync(descriptor);
}

interface Measured {
  seconds: number[];
  master: number[];
  minion: number[];
  /** Of both sides, in seconds. */
  cpu: number[];
}

async function fetchOnce(pair: Pair, name: string, megabytes: number, measured?: Measured): Promise<void> {
  const to = pair.bed.path("fetched");
  rmSync(to, { force: true });
  await using client = await LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: pair.bed.clientOptions,
  });
  const sides = { master: pair.master.pid, minion: pair.minion.pid };
  const before = { master: pss(sides.master), minion: pss(sides.minion) };
  const most = { ...before };
  const worked = () => (cpu(sides.master) ?? 0) + (cpu(sides.minion) ?? 0);
  const workedBefore = worked();
  let done = false;
  const began = performance.now();
  const fetching = client.command(
    { tgt: MINION, fun: "cp.get_file", arg: [`salt://${name}`, to] },
    { timeoutMs: 600_000, gatherMs: 60_000 },
  ).finally(() => done = true);
  while (measured !== undefined && !done) {
    for (const daemon of ["master", "minion"] as const) {
      most[daemon] = Math.max(most[daemon] ?? 0, pss(sides[daemon]) ?? 0);
    }
    await Promise.race([fetching, pause(LOOK_MS)]);
  }
  const answer = (await fetching)[MINION];
  const seconds = (performance.now() - began) / 1000;
  if (answer !== to) {
    throw new Error(`cp.get_file of ${megabytes} MiB on ${pair.side.name} gave ${JSON.stringify(answer)}`);
  }
  measured?.seconds.push(seconds);
  // The processor time of the job counts once its parent has waited for it.
  if (measured !== undefined) await pause(SETTLED_MS);
  const used = worked() - workedBefore;
  if (used > 0) measured?.cpu.push(used);
  for (const daemon of ["master", "minion"] as const) {
    if (before[daemon] !== undefined) measured?.[daemon].push(most[daemon]! - before[daemon]!);
  }
}

export async function run(options: FilesBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, megabytes = quick ? 64 : 1024, rounds = quick ? 2 : 3 } = options;
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const ours = installed(options.runtimes).map((runtime) => brine(runtime, "bundle"));
  const sides = real === undefined ? ours : [...ours, real];
  const found = new Map<Side, Measured>(sides.map((side) => [side, { seconds: [], master: [], minion: [], cpu: [] }]));
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-files-"));
  try {
    mkdirSync(path.join(folder, "srv"));
    writeFile(path.join(folder, "srv", "large"), megabytes);
    writeFile(path.join(folder, "srv", "small"), 1);
    const pairs: Pair[] = [];
    try {
      for (const side of sides) {
        say(`files: starting ${side.name}`);
        pairs.push(await startPair(side, {}, { file_roots: { base: [path.join(folder, "srv")] } }));
      }
      // The first round is dropped: it loads modules and computes the hash.
      for (const pair of pairs) {
        await fetchOnce(pair, "small", 1);
        await fetchOnce(pair, "large", megabytes);
      }
      for (let round = 0; round < rounds; round++) {
        for (const pair of pairs) {
          say(`files: round ${round + 1} of ${rounds}, ${pair.side.name}`);
          await fetchOnce(pair, "large", megabytes, found.get(pair.side)!);
        }
      }
    } finally {
      await Promise.all(pairs.map((pair) => pair.bed.stop()));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const speed = (side: Side) => megabytes * MEGABYTE / 1e6 / median(found.get(side)!.seconds);
  const rows = sides.map((side): Row => ({
    name: `cp.get_file of ${megabytes} MiB`,
    value: rounded(speed(side)),
    unit: "MB/s",
    note: side.name,
    ...(real === undefined || side === real ? {} : { ratio: speed(side) / speed(real) }),
  }));
  const work = (side: Side) => found.get(side)!.cpu;
  for (const side of sides.filter((side) => work(side).length > 0)) {
    rows.push({
      name: "processor time of it, both sides",
      value: rounded(median(work(side)) * 1000 / megabytes),
      unit: "ms/MiB",
      note: side.name,
      ...(real === undefined || side === real || work(real).length === 0
        ? {}
        : { ratio: median(work(real)) / median(work(side)) }),
    });
  }
  for (const daemon of ["master", "minion"] as const) {
    for (const side of sides) {
      const grown = found.get(side)![daemon];
      if (grown.length === 0) continue;
      rows.push({
        name: `${daemon} during it, beyond idle`,
        value: rounded(Math.max(...grown) / 1e6),
        unit: "MB (PSS)",
        note: side.name,
      });
    }
  }
  return rows;
}

if (import.meta.main) {
  await runProgram({ megabytes: "number", rounds: "number" }, run);
}
