/**
 * Where each test file runs. Its name and its folder say so; `tests/README.md` explains how to choose, and `tests/repo/tiers_test.ts` holds
 * that each file has exactly one tier and one set of runtimes.
 */
import { readdirSync } from "node:fs";
import path from "node:path";

export type RuntimeName = "node" | "bun" | "deno";
/** `fast`: `npm test`. `slow`: `npm run test:slow`. `nightly`: `npm run test:nightly`. `own`: the folder has a command of its own. */
export type Tier = "fast" | "slow" | "nightly" | "own";

const EACH: RuntimeName[] = ["node", "bun", "deno"];
const ENGINES: RuntimeName[] = ["node", "bun"];
const ONCE: RuntimeName[] = ["node"];

/** Folders whose tests need more than a test runner, with the command of `package.json` that runs them. */
export const OWN_COMMANDS: Record<string, string> = {
  "tests/chroot": "test:chroot",
  "tests/docs": "test:docs",
  "tests/faults": "test:faults",
  "tests/interop": "test:interop",
  "tests/one_file": "test:compile",
  "tests/soak": "test:soak",
};

/**
 * Values and text in, values and text out, or what reaches the host through the interfaces of `src/runtime` alone, whose promises are
 * tested on each runtime. Two JavaScript engines can still differ, and Deno has Node's.
 */
const PURE = [
  "base/telemetry",
  "cli",
  "console",
  "content/pillar",
  "content/state",
  "feature/beacon",
  "feature/engine",
  "feature/event_return",
  "feature/reactor",
  "generated",
  "host/gateway",
  "host/master",
  "host/minion",
  "host/syndic",
  "language",
  "model/config",
  "model/job",
  "model/schedule",
  "model/target",
  "plugins",
];

/** Looks at files of the repository, or at whole fleets in the memory runtime, which is the same on each. */
const SAME = ["bench", "fuzz", "golden", "integration", "repo", "sdk", "simulation"];

/** Where fast files run. The longest name that fits counts; all others run on each runtime. */
const FAST: Record<string, RuntimeName[]> = {
  ...Object.fromEntries(PURE.map((name) => [`tests/${name}`, ENGINES])),
  ...Object.fromEntries(SAME.map((name) => [`tests/${name}`, ONCE])),
  // Commands are processes of the runtime, and SQLite is a driver of it.
  "tests/plugins/cmd_test.ts": EACH,
  "tests/plugins/job_caches_test.ts": EACH,
  "tests/plugins/local_job_caches_test.ts": EACH,
  // Applies states for real, three times each: what starts programs there is tested on each runtime by itself.
  "tests/content/state/run_golden_test.ts": ONCE,
};

/** Slow files run on Node, except where processes, sockets or drivers of a runtime are what is tested. */
const SLOW: Record<string, RuntimeName[]> = {
  "tests/feature/cluster": EACH,
  "tests/host/minion/processes": EACH,
  "tests/plugins/job_cache_servers_slow_test.ts": EACH,
  "tests/plugins/returners_slow_test.ts": EACH,
  "tests/host/runner": EACH,
  "tests/runtime": EACH,
  "tests/feature/supervise": EACH,
  "tests/model/loader/python": EACH,
  "tests/protocol/transport": EACH,
};

export interface TestFile {
  /** From the root of the repository: `tests/protocol/zmtp/peer_test.ts`. */
  file: string;
  tier: Tier;
  runtimes: RuntimeName[];
}

/** The rows of a table that a file is below, the longest first. */
function rowsOf<T>(table: Record<string, T>, file: string): T[] {
  return Object.entries(table)
    .filter(([place]) => file === place || file.startsWith(`${place}/`))
    .sort(([a], [b]) => b.length - a.length)
    .map(([, row]) => row);
}

/** The tier and runtimes of a test file. */
export function placeOf(file: string): TestFile {
  if (rowsOf(OWN_COMMANDS, file).length > 0) return { file, tier: "own", runtimes: ONCE };
  if (file.endsWith("_slow_test.ts")) return { file, tier: "slow", runtimes: rowsOf(SLOW, file)[0] ?? ONCE };
  if (file.endsWith("_nightly_test.ts")) return { file, tier: "nightly", runtimes: ONCE };
  return { file, tier: "fast", runtimes: rowsOf(FAST, file)[0] ?? EACH };
}

/** Every place that a table names, for the test that holds that it exists. */
export const NAMED_PLACES: readonly string[] = [OWN_COMMANDS, FAST, SLOW].flatMap((table) => Object.keys(table));

/** Every test file of the repository, in order of name. @param root its directory */
export function testFiles(root: string): TestFile[] {
  return readdirSync(path.join(root, "tests"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("_test.ts"))
    .map((name) => `tests/${name.replaceAll(path.sep, "/")}`)
    .sort()
    .map(placeOf);
}
