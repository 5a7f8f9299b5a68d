/**
 * Question: what does the one file of `npm run compile` cost: how large is it, how long do its programs take, and how much memory do an
 * idle master and minion of it take?
 *
 * Control rows: real Salt 3006, and Brine from the bundle on Node and unbuilt on Bun, in the same run. The size of the others is that of
 * everything that a host needs: the runtime with the bundle; the virtual environment and the standard library of its Python. Programs
 * take turns within a round, after one round for warm-up; each figure is the median. Memory is as in `bench/memory.ts`: the proportional
 * set size of all processes of the daemon, five seconds after a ping, each run from a copy of its file.
 *
 * Run: node bench/one_file.ts [--rounds 9] [--json] [--quick]. It needs `npm run compile`.
 */
import { existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand } from "./bed/run_command.ts";
import { ROOT, runtimeCommand } from "./bed/runtimes.ts";
import { SALT_HOME } from "./bed/salt_release.ts";
import {
  brine,
  buildBundle,
  fromCopy,
  NO_SALT,
  ONE_FILE,
  oneFile,
  realSalt,
  saltPython,
  type Side,
} from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { MINION, type Pair, startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface OneFileBenchOptions extends BenchOptions {
  /** @default 9, quick 3 */
  rounds?: number;
}

const IDLE_MS = 5000;

/** Bytes of a file, or of all files below a directory. */
function bytesOf(place: string): number {
  const stat = lstatSync(place);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(place).reduce((sum, name) => sum + bytesOf(path.join(place, name)), 0);
}

/** What a host needs of each side. */
async function sizes(real: Side | undefined): Promise<Row[]> {
  const row = (note: string, bytes: number): Row => ({ name: "size", note, value: rounded(bytes / 1e6), unit: "MB" });
  // What is in the path may be a link to the program.
  const program = (runtime: "node" | "bun") => bytesOf(realpathSync(runtimeCommand(runtime)![0]!));
  const bundle = bytesOf(path.join(ROOT, "dist/bin"));
  const found = [
    row("one file", bytesOf(ONE_FILE)),
    row("node with the bundle", program("node") + bundle),
    row("bun with the bundle", program("bun") + bundle),
  ];
  if (real === undefined) return found;
  const { stdout } = await runCommand([saltPython(), "-c", "import os; print(os.path.dirname(os.__file__))"]);
  return [
    ...found,
    row("real Salt 3006 with Python's library", bytesOf(path.join(SALT_HOME, "3006")) + bytesOf(stdout.trim())),
  ];
}

interface Timed {
  name: string;
  words: readonly string[];
  expect: RegExp;
}

/** What is timed, beside a pair of the same side. */
const timed = ({ bed }: Pair): Timed[] => [
  { name: "salt --version", words: ["salt", "--version"], expect: /^salt \d/ },
  {
    name: "salt-call --local test.ping",
    words: ["salt-call", "-c", bed.config(MINION), "--local", "test.ping"],
    expect: /^local:\n {4}True\n$/,
  },
  {
    name: "salt m1 test.ping",
    words: ["salt", "-c", bed.config("master"), MINION, "test.ping"],
    expect: /^m1:\n {4}True\n$/,
  },
];

async function times(pairs: readonly Pair[], rounds: number): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  // The first round is warm-up.
  for (let round = -1; round < rounds; round++) {
    for (const pair of pairs) {
      for (const { name, words: [program, ...words], expect } of timed(pair)) {
        const argv = [...pair.side.command(program!), ...words];
        const { code, stdout, stderr, ms } = await runCommand(argv);
        if (code !== 0 || !expect.test(stdout)) throw new Error(`${argv.join(" ")}: exit ${code}\n${stdout}${stderr}`);
        const key = `${name}, whole process\n${pair.side.name}`;
        if (round >= 0) found.set(key, [...found.get(key) ?? [], ms]);
      }
    }
  }
  return found;
}

export async function run(options: OneFileBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 3 : 9 } = options;
  if (!existsSync(ONE_FILE)) {
    say(`one_file: ${ONE_FILE} is not there: npm run compile`);
    return [];
  }
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-runtime-"));
  const ours = [brine("node", "bundle"), brine("bun", "source")].map((side) => fromCopy(side, folder));
  const sides = [oneFile(folder), ...ours, ...real === undefined ? [] : [real]];
  const figures = new Map<string, number[]>();
  const pairs: Pair[] = [];
  try {
    for (const side of sides) {
      say(`one_file: ${side.name}`);
      const pair = await startPair(side);
      pairs.push(pair);
      await pause(IDLE_MS);
      for (const daemon of ["master", "minion"] as const) {
        const bytes = pair[daemon].pss();
        if (bytes !== undefined) figures.set(`idle ${daemon}\n${side.name}`, [bytes / 1e6]);
      }
    }
    say(`one_file: ${rounds} rounds`);
    for (const [key, values] of await times(pairs, rounds)) figures.set(key, values);
  } finally {
    await Promise.all(pairs.map((pair) => pair.bed.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  const names = new Set([...figures.keys()].map((key) => key.split("\n")[0]!));
  const rows = [...names].sort().flatMap((name) =>
    sides.filter((side) => figures.has(`${name}\n${side.name}`)).map((side): Row => {
      const value = median(figures.get(`${name}\n${side.name}`)!);
      const control = real === undefined ? undefined : figures.get(`${name}\n${real.name}`);
      return {
        name,
        note: side.name,
        value: rounded(value),
        unit: name.startsWith("idle") ? "MB" : "ms",
        ...(side === real || control === undefined ? {} : { ratio: rounded(median(control) / value) }),
      };
    })
  );
  return [...await sizes(real), ...rows];
}

if (import.meta.main) await runProgram({ rounds: "number" }, run);
