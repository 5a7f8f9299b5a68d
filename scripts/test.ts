/**
 * Runs test files on the runtimes that `tests/tiers.ts` gives them, beside each other, and prints a screen: failures first, each with its
 * file and line. `npm test` runs the fast tier; see {@link USAGE}.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type RuntimeName, type TestFile, testFiles, type Tier } from "../tests/tiers.ts";
import { type Report, reportOf } from "./test/report.ts";

const USAGE = `Usage: npm test -- [options] [words]

Without words: the fast tier. With words: every file of any tier whose path contains one of them.
  npm test -- zmtp            files with "zmtp" in their path, on all their runtimes
  npm test -- --node zmtp     the same on Node alone (also --bun, --deno)
  npm test -- --watch zmtp    again on Node at each change

  --slow            the slow tier (npm run test:slow)
  --nightly         what .ci/nightly runs beside them (npm run test:nightly)
  --all             all three tiers (npm run test:all)
  --everywhere      on all three runtimes, whatever tests/tiers.ts says
  --shard N/COUNT   one part of the files
  --times N         the files so often, and stop after a failure
  --jobs N          processes beside each other (default: one more than processors, at least 3)
`;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A process that prints nothing for so long is ended: a test hangs. */
const SILENCE_MS = 300_000;

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    slow: { type: "boolean" },
    nightly: { type: "boolean" },
    all: { type: "boolean" },
    everywhere: { type: "boolean" },
    watch: { type: "boolean" },
    node: { type: "boolean" },
    bun: { type: "boolean" },
    deno: { type: "boolean" },
    shard: { type: "string" },
    times: { type: "string", default: "1" },
    jobs: { type: "string", default: String(Math.max(3, availableParallelism() + 1)) },
  },
});

/** How many processes a runtime's files are spread over, so that no runtime ends long after the others. Slow files are Node's nearly all. */
const PROCESSES: Record<RuntimeName, number> = { node: options.slow ? 6 : 5, bun: 2, deno: 3 };

/** Files that one process runs. */
interface Unit {
  name: string;
  runtime: RuntimeName;
  files: string[];
}

/** Files that are named as the slowest. */
const MOST_SLOW = 10;

interface Ended {
  unit: Unit;
  report: Report;
  seconds: number;
}

const RUNTIMES: RuntimeName[] = ["deno", "node", "bun"];
const running = new Set<ChildProcess>();

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function chosenFiles(): TestFile[] {
  const tiers: Tier[] = options.all || words.length > 0
    ? ["fast", "slow", "nightly"]
    : options.slow
    ? ["slow"]
    : options.nightly
    ? ["nightly"]
    : ["fast"];
  const all = testFiles(ROOT).filter(({ tier }) => tiers.includes(tier));
  const named = words.length === 0 ? all : all.filter(({ file }) => words.some((word) => file.includes(word)));
  if (named.length === 0) {
    fail(`No test file has ${words.map((word) => `"${word}"`).join(" or ")} in its path.`);
  }
  if (options.shard === undefined) return named;
  const [, part, count] = /^(\d+)\/(\d+)$/.exec(options.shard) ??
    fail(`--shard ${options.shard}: expected N/COUNT, such as 1/2.`);
  return named.filter((_, at) => at % Number(count) === Number(part) - 1);
}

function unitsOf(files: TestFile[]): Unit[] {
  const asked = RUNTIMES.filter((runtime) => options[runtime as "node"]);
  const units: Unit[] = [];
  for (const runtime of asked.length > 0 ? asked : RUNTIMES) {
    const own = files.filter(({ runtimes }) => options.everywhere || runtimes.includes(runtime)).map(({ file }) =>
      file
    );
    const count = Math.min(PROCESSES[runtime] * (own.length > 20 ? 1 : 0) || 1, own.length);
    for (let part = 0; part < count; part++) {
      const name = count === 1 ? runtime : `${runtime} ${part + 1}/${count}`;
      units.push({ name, runtime, files: own.filter((_, at) => at % count === part) });
    }
  }
  // A part of each runtime at a time: they take different times, and end together.
  const partOf = ({ name }: Unit) => Number(/ (\d+)\//.exec(name)?.[1] ?? 1);
  return units.sort((a, b) => partOf(a) - partOf(b));
}

function commandOf({ runtime, files }: Unit, junit: string): [string, string[]] {
  const program = (name: string) => path.join(ROOT, "node_modules/.bin", name);
  switch (runtime) {
    case "node": {
      const reporters = [`--test-reporter=junit`, `--test-reporter-destination=${junit}`, "--test-reporter=dot"];
      const words = ["--test", "--test-isolation=none", ...reporters, "--test-reporter-destination=stdout"];
      return [process.execPath, [...words, ...files]];
    }
    case "bun": {
      // Bun ends tests and hooks after 5 s by default, whatever the describe around them allows.
      const words = ["test", "--timeout", "120000", "--reporter=junit", `--reporter-outfile=${junit}`];
      return [program("bun"), [...words, ...files.map((file) => `./${file}`)]];
    }
    case "deno":
      return [program("deno"), [
        "test",
        "-A",
        "--no-check",
        "--node-modules-dir=manual",
        `--junit-path=${junit}`,
        ...files,
      ]];
  }
}

/** Runs one process to its end. */
async function run(unit: Unit, scratch: string): Promise<Ended> {
  const junit = path.join(scratch, `${unit.name.replaceAll(/\W/g, "-")}.xml`);
  rmSync(junit, { force: true });
  const [program, argv] = commandOf(unit, junit);
  const begun = performance.now();
  const child = spawn(program, argv, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  running.add(child);
  let said = "";
  let hung = false;
  const silence = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, SILENCE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-100_000);
      silence.refresh();
    });
  }
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      said += error.message;
      resolve(null);
    });
    child.once("close", resolve);
  });
  clearTimeout(silence);
  running.delete(child);
  if (hung) said += `\nNothing was printed for ${SILENCE_MS / 1000} s: a test hangs. The process was ended.`;
  let xml = "";
  try {
    xml = readFileSync(junit, "utf8");
  } catch {
    // A runtime that could not load a file writes none; what it said is reported.
  }
  return { unit, report: reportOf({ xml, code, said, root: ROOT }), seconds: (performance.now() - begun) / 1000 };
}

/** Runs all units, `jobs` at a time, and tells of each as it ends. */
async function runAll(units: Unit[], jobs: number, scratch: string): Promise<Ended[]> {
  const waiting = [...units];
  const ended: Ended[] = [];
  const worker = async () => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      const one = await run(unit, scratch);
      ended.push(one);
      const { passed, skipped, failures } = one.report;
      const what = `${passed} passed${skipped > 0 ? `, ${skipped} skipped` : ""}${
        failures.length > 0 ? `, ${failures.length} FAILED` : ""
      }`;
      console.log(
        `  ${one.unit.name.padEnd(9)} ${String(unit.files.length).padStart(3)} files  ${
          one.seconds.toFixed(0).padStart(4)
        } s  ${what}`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return ended;
}

/** Prints what failed, then why tests were skipped, then the sum. */
function conclude(ended: Ended[], seconds: number): boolean {
  const failures = ended.flatMap(({ unit, report }) =>
    report.failures.map((failure) => ({ ...failure, on: unit.runtime }))
  );
  for (const { place, name, text, on } of failures) {
    console.log(`\nFAILED ${place ?? "(no place known)"}  ${name}  [${on}]`);
    console.log(text.split("\n").slice(0, 40).map((line) => `    ${line}`).join("\n"));
  }
  const reasons = new Map<string, number>();
  for (const reason of ended.flatMap(({ report }) => report.skipReasons)) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  if (reasons.size > 0) console.log("\nSkipped:");
  const most = [...reasons].sort((a, b) => b[1] - a[1]);
  for (const [reason, count] of most.slice(0, 12)) {
    console.log(`  ${String(count).padStart(4)}  ${reason.slice(0, 110)}`);
  }
  if (most.length > 12) console.log(`        and ${most.length - 12} other reasons`);
  const slowest = ended.flatMap(({ unit, report }) => [...report.seconds].map((one) => [...one, unit.runtime] as const))
    .sort(([, a], [, b]) => b - a).slice(0, MOST_SLOW);
  if (slowest.length > 1) console.log("\nSlowest:");
  for (const [file, took, on] of slowest) console.log(`  ${took.toFixed(0).padStart(4)} s  ${file} [${on}]`);
  const sum = (of: (report: Report) => number) => ended.reduce((total, { report }) => total + of(report), 0);
  console.log(`\n${seconds.toFixed(0)} s`);
  console.log(
    `${sum(({ passed }) => passed)} passed, ${failures.length} failed, ${sum(({ skipped }) => skipped)} skipped`,
  );
  return failures.length === 0;
}

if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const files = chosenFiles();
if (options.watch) {
  const argv = ["--test", "--watch", "--test-isolation=none", ...files.map(({ file }) => file)];
  process.exitCode = await new Promise<number>((resolve) => {
    spawn(process.execPath, argv, { cwd: ROOT, stdio: "inherit" }).once("close", (code) => resolve(code ?? 1));
  });
} else {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      for (const child of running) child.kill("SIGKILL");
      process.exit(130);
    });
  }
  const scratch = mkdtempSync(path.join(tmpdir(), "brine-tests-"));
  const begun = performance.now();
  const units = unitsOf(files);
  console.log(`${files.length} test files in ${units.length} processes, ${options.jobs} at a time`);
  let green = true;
  for (let time = 0; green && time < Number(options.times); time++) {
    const ended = await runAll(units, Number(options.jobs), scratch);
    green = conclude(ended, (performance.now() - begun) / 1000);
  }
  rmSync(scratch, { recursive: true, force: true });
  process.exitCode = green ? 0 : 1;
}
