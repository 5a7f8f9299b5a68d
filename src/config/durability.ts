import { ConfigError } from "../errors.ts";
import { type Durability, durableFiles } from "../runtime/fs.ts";
import type { Runtime } from "../runtime/mod.ts";

/** The choice that a configuration makes by `durability`. @throws {ConfigError} if there is no such choice */
export function durabilityOf({ durability }: { durability?: unknown }): Durability {
  if (durability === undefined || durability === "power") return "power";
  if (durability === "process") return "process";
  throw new ConfigError(
    `Unknown durability "${String(durability)}": expected "power" (what is acknowledged outlives a loss of power) or ` +
      `"process" (it outlives the end of the process, and costs less)`,
  );
}

/** A runtime whose files are synced as a configuration wants it. */
export function durableRuntime<R extends Pick<Runtime, "fs">>(runtime: R, opts: { durability?: unknown }): R {
  const durability = durabilityOf(opts);
  return durability === "power" ? runtime : { ...runtime, fs: durableFiles(runtime.fs, durability) };
}
