/**
 * `optimizeLate` for Bun, to be imported before everything else that takes time: most commands end before machine code has paid for
 * itself. Its compilers took a quarter of the processor time of `salt web1 test.ping`.
 */
import { builtin } from "../src/runtime/node/builtin.ts";

declare const Bun: { unsafe: { setJITPolicy?(scale: number): void } } | undefined;

/** How many times later than usual a command compiles functions. */
const COMMAND_SCALE = 30;
/** After so many milliseconds it is a daemon, or a command for thousands of minions, and compiles as usual. */
const LONG_MS = 250;
/** How many times later a run of states compiles functions: it is longer, and {@link OPTIONS} delay the better machine code. */
const STATES_SCALE = 3;

/**
 * Ten times JavaScriptCore's own numbers, after which a function is compiled to better machine code. That took a third of the
 * processor time of 500 states. They are read only from the environment, before the first line of a program: so a run of states
 * starts once more in the same process, which takes a few milliseconds.
 */
const OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeSoon: "10000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForFTLOptimizeSoon: "100000",
};

/** True if these words run states by `salt-call`, by its file, its link, or the word after `brine`. Others may, too: they lose a start. */
function runsStates(words: readonly string[]): boolean {
  return words.slice(0, 3).some((word) => /(?:^|\/)(?:salt-)?call(?:\.[cm]?[jt]s)?$/.test(word)) &&
    words.some((word) => word.startsWith("state."));
}

/** Starts once more with {@link OPTIONS}, if the system lets it. */
function startAgain(): void {
  const { execve } = process as { execve?: (file: string, argv: string[], env: Record<string, string>) => never };
  if (execve === undefined) return;
  try {
    const words = builtin("node:fs").readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(0, -1);
    execve("/proc/self/exe", words, { ...process.env as Record<string, string>, ...OPTIONS });
  } catch {
    // Without /proc, or if the system refuses: it runs with the options of the runtime.
  }
}

/** True if this is the second start. The programs that it starts get the environment of its caller. */
function isSecondStart(): boolean {
  if (!Object.keys(OPTIONS).some((name) => process.env[name] !== undefined)) return false;
  for (const [name, value] of Object.entries(OPTIONS)) if (process.env[name] === value) delete process.env[name];
  try {
    // The system names a process by the file that was started: `pkill salt-call` must find this one.
    builtin("node:fs").writeFileSync("/proc/self/comm", builtin("node:path").basename(process.argv0));
  } catch {
    // Only the name of the process in lists differs.
  }
  return true;
}

function optimizeLate(): void {
  if (typeof Bun === "undefined") return;
  const compile = (scale: number) => Bun.unsafe.setJITPolicy?.(scale);
  if (isSecondStart()) return compile(STATES_SCALE);
  if (runsStates([process.argv0, ...process.argv.slice(1)])) startAgain();
  compile(COMMAND_SCALE);
  setTimeout(() => compile(1), LONG_MS).unref();
}

optimizeLate();
