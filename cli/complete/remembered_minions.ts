/** Ids of minions from a user's earlier jobs, to complete targets for users who may not read the master's keys. */
import { joinPath } from "../../src/base/paths.ts";
import { isMinionId } from "../../src/base/minion_id.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { userCache } from "./function_names.ts";

/** Ids that are kept, at most; ids of the latest jobs replace older ones. */
const MAX_IDS = 10_000;

/** True for an id that can be a line of the file. */
const isLine = (id: string) => isMinionId(id) && !id.includes("\n");

type Host = Pick<Runtime, "fs" | "host" | "process">;

const fileOf = (runtime: Host) => joinPath(userCache(runtime), "minions");

/** The ids, newest first; empty if there is no such file. */
export function rememberedMinions(runtime: Host): string[] {
  try {
    return runtime.fs.readText(fileOf(runtime)).split("\n").filter(isLine).slice(0, MAX_IDS);
  } catch {
    return [];
  }
}

/** Adds the minions of a job. An error in writing is not worth a message. */
export function rememberMinions(runtime: Host, ids: readonly string[]): void {
  const known = rememberedMinions(runtime);
  const names = new Set(known);
  if (ids.every((id) => names.has(id))) return;
  const all = [...new Set([...ids.filter(isLine), ...known])].slice(0, MAX_IDS);
  try {
    runtime.fs.mkdir(userCache(runtime));
    runtime.fs.write(fileOf(runtime), `${all.join("\n")}\n`, { mode: 0o600 });
  } catch {
    // The home directory is not writable.
  }
}
