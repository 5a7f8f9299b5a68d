import { spawnSync } from "node:child_process";
import path from "node:path";
import { runtimeCommand, type RuntimeName } from "./runtimes.ts";

/**
 * Runs a benchmark in a process of its own on a runtime.
 *
 * @returns the last line of its output, parsed as JSON
 * @throws {Error} with its stderr if it fails
 */
export function runOn(runtime: RuntimeName, file: string, words: readonly string[]): unknown {
  const [program, ...runtimeWords] = runtimeCommand(runtime)!;
  const { status, stdout, stderr } = spawnSync(program!, [...runtimeWords, file, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ${path.basename(file)} on ${runtime}: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
