import { ConfigError } from "../../base/errors.ts";
import { type Durability, durableFiles } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Reads the option `durability`. @throws {ConfigError} for an unknown value */
export function durabilityOf(opts: { durability?: unknown }): Durability {
  const { durability } = opts;
  if (durability === undefined || durability === "power") return "power";
  if (durability === "process") return "process";
  throw new ConfigError(
    `Unknown durability "${
      String(durability)
    }": expected "power" (acknowledged data survives a power failure) or "process" (it survives a ` +
      `crash of the process; faster)`,
  );
}

/** A runtime that syncs its files as the option `durability` says. */
export function durableRuntime<R extends Pick<Runtime, "fs">>(runtime: R, opts: { durability?: unknown }): R {
  const durability = durabilityOf(opts);
  return durability === "power" ? runtime : { ...runtime, fs: durableFiles(runtime.fs, durability) };
}
