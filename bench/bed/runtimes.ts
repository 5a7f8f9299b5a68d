import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";

/** The root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

export type RuntimeName = "node" | "bun" | "deno";
export const RUNTIMES: readonly RuntimeName[] = ["node", "bun", "deno"];

/** The runtime of this process. */
export const OWN_RUNTIME: RuntimeName = process.versions.bun !== undefined
  ? "bun"
  : process.versions.deno !== undefined
  ? "deno"
  : "node";

/**
 * Flags for daemons, as in the first lines of the programs: the young generation of V8 grows to 16 MB three times over under a
 * burst of requests, and never shrinks again.
 */
export const DAEMON_FLAGS: Record<RuntimeName, readonly string[]> = {
  node: ["--max-semi-space-size=1"],
  bun: [],
  deno: ["--v8-flags=--max-semi-space-size=1"],
};

/** For a master: a burst of returns fills a smaller one hundreds of times a second, and a third of its time went into collections. It is given back when the burst is over. */
export const MASTER_FLAGS: Record<RuntimeName, readonly string[]> = {
  node: ["--max-semi-space-size=16"],
  bun: [],
  deno: ["--v8-flags=--max-semi-space-size=16"],
};

/** @throws {RangeError} for a name that is none of {@link RUNTIMES} */
export function runtimeNamed(name: string): RuntimeName {
  const found = RUNTIMES.find((runtime) => runtime === name);
  if (found === undefined) throw new RangeError(`Unknown runtime "${name}": expected one of ${RUNTIMES.join(", ")}`);
  return found;
}

/** The file of a program: in `node_modules`, else on the PATH. */
export function which(name: string): string | undefined {
  const own = path.join(ROOT, "node_modules/.bin", name);
  if (existsSync(own)) return own;
  return (process.env.PATH ?? "").split(":").map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** The words that run a file on a runtime; undefined if it is not installed. */
export function runtimeCommand(runtime: RuntimeName, flags: readonly string[] = []): string[] | undefined {
  const program = which(runtime) ?? (runtime === OWN_RUNTIME ? process.execPath : undefined);
  if (program === undefined) return undefined;
  return runtime === "deno" ? [program, "run", "-A", "--no-check", "--quiet", ...flags] : [program, ...flags];
}

/** The installed runtimes. */
export function installed(only?: readonly RuntimeName[]): RuntimeName[] {
  return RUNTIMES.filter((runtime) => (only?.includes(runtime) ?? true) && runtimeCommand(runtime) !== undefined);
}

/**
 * The words that start a program of Brine from source.
 *
 * @throws {RangeError} if the runtime is not installed
 */
export function brineCommand(program: string, runtime: RuntimeName, flags: readonly string[] = []): string[] {
  const words = runtimeCommand(runtime, flags);
  if (words === undefined) throw new RangeError(`Cannot start ${program}: ${runtime} is not installed`);
  return [...words, path.join(ROOT, "cli", `${program}.ts`)];
}
