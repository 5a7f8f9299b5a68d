/**
 * `optimizeLate` for Bun, to be imported before everything else that takes time. JavaScriptCore reads its options only from the
 * environment, before the first line of a program: so `salt-call` starts once more in the same process, which takes a few
 * milliseconds. Its compilers took a third of the processor time of 500 states, and a fifth of one state's.
 */
import { builtin } from "../src/runtime/node/builtin.ts";

/** Ten times JavaScriptCore's own numbers, after which a function is compiled to better machine code. */
const OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeSoon: "10000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForFTLOptimizeSoon: "100000",
};

/** True if these words run `salt-call`, by its file, its link, or the word after `brine`. Others may, too: they lose a start. */
function isCall(words: readonly string[]): boolean {
  return words.slice(0, 3).some((word) => /(?:^|\/)(?:salt-)?call(?:\.m?[jt]s)?$/.test(word));
}

function optimizeLate(): void {
  const { execve } = process as { execve?: (file: string, argv: string[], env: Record<string, string>) => never };
  if (!("Bun" in globalThis) || execve === undefined) return;
  if (Object.keys(OPTIONS).some((name) => process.env[name] !== undefined)) {
    // The programs that this one starts get the environment of its caller.
    for (const [name, value] of Object.entries(OPTIONS)) if (process.env[name] === value) delete process.env[name];
    try {
      // The system names a process by the file that was started: `pkill salt-call` must find this one.
      builtin("node:fs").writeFileSync("/proc/self/comm", builtin("node:path").basename(process.argv0));
    } catch {
      // Only the name of the process in lists differs.
    }
    return;
  }
  try {
    const words = builtin("node:fs").readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(0, -1);
    if (isCall(words)) execve("/proc/self/exe", words, { ...process.env as Record<string, string>, ...OPTIONS });
  } catch {
    // Without /proc, or if the system refuses: it runs with the options of the runtime.
  }
}

optimizeLate();
