/** What the run does with states of packages beside calling them: folding several into one, watching, beacons. */
import { tagOf } from "../../../content/state/run/chunk.ts";
import type { LowChunk, StateContext, StateReturn } from "../../../model/loader/states.ts";
import { hasFunction, outcome } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { writeRefreshTag } from "../../packages/lists.ts";

/** Lets the first state of a run refresh the lists of packages. */
export async function init(context: StateContext, low: LowChunk): Promise<boolean> {
  const ret = await hasFunction(context, "pkg.ex_mod_init")
    ? truthy(await context.call("pkg.ex_mod_init", [low]))
    : true;
  if (low.fun !== "installed" && low.fun !== "latest") return false;
  writeRefreshTag(context);
  return ret;
}

/** What a chunk asks for that can be had together with others; undefined if it must stand alone. */
function packagesOf(chunk: LowChunk): { kind: "pkgs" | "sources"; items: unknown[] } | undefined {
  if ("sources" in chunk) return { kind: "sources", items: chunk.sources as unknown[] };
  if ("hold" in chunk) return undefined;
  if ("pkgs" in chunk) return { kind: "pkgs", items: chunk.pkgs as unknown[] };
  if (!("name" in chunk)) return undefined;
  const { name, version = null } = chunk;
  return { kind: "pkgs", items: [version === null ? name : { [String(name)]: version }] };
}

/** Folds the packages of later chunks of the same function into this one. */
export function aggregatePackages(
  _context: StateContext,
  low: LowChunk,
  chunks: readonly LowChunk[],
  running: ReadonlyMap<string, StateReturn>,
): LowChunk {
  if (!["installed", "latest", "removed", "purged"].includes(String(low.fun))) return low;
  const own = packagesOf(low);
  const found: unknown[] = [];
  let kind: "pkgs" | "sources" | undefined;
  for (const chunk of chunks) {
    if (chunk === low || running.has(tagOf(chunk)) || chunk.state !== "pkg" || "__agg__" in chunk) continue;
    if (chunk.fun !== low.fun || (chunk.fromrepo ?? null) !== (low.fromrepo ?? null)) continue;
    const packages = packagesOf(chunk);
    kind ??= packages?.kind;
    if (packages === undefined || packages.kind !== kind) continue;
    found.push(...packages.items);
    if (packages.kind === "pkgs" && !("pkgs" in chunk)) delete chunk.version;
    chunk.__agg__ = true;
  }
  if (kind === undefined || found.length === 0) return low;
  if (Array.isArray(low[kind])) (low[kind] as unknown[]).push(...found);
  // Salt forgets the package of a chunk that has it by its name alone.
  else low[kind] = [...(own?.kind === kind ? own.items : []), ...found];
  return low;
}

/** Has a beacon watch the packages of a state with `beacon: true`. */
export async function packageBeacon(context: StateContext, args: Record<string, unknown>): Promise<StateReturn> {
  const { name, sfun } = args;
  if (sfun !== "installed" && sfun !== "removed") {
    return outcome(name, false, `pkg.${sfun} does not work with the mod_beacon state function`);
  }
  if (!truthy(args.beacon)) return outcome(name, true, "Not adding beacon.");
  return await context.callState("beacon.present", {
    name: `beacon_pkg_${name}`,
    pkgs: args.pkgs ?? [name],
    interval: 60,
    beacon_module: "pkg",
  });
}
