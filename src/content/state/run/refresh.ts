import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import type { StateTable } from "../../../model/loader/state_table.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { sizeOf, str, truthy } from "../../../language/python/values.ts";
import type { UnifiedReturn } from "./unify.ts";

/** How a run reads grains and pillar again after a state. Without a function the values stay as they are. */
export interface Reloads {
  grains?(): Promise<Record<string, unknown>>;
  pillar?(): Promise<Record<string, unknown>>;
}

/** Names of files that may be modules. */
const MODULE_FILE = /\.(?:py|pyx|pyo|pyc|so|m?[jt]s)$/;

const asked = (low: LowChunk, name: string) => truthy(low[name] ?? null);

/** True if modules must be loaded again: the state may have added some, or made others available. */
function reloadsModules(low: LowChunk, ret: UnifiedReturn): boolean {
  if (sizeOf(ret.changes) === 0) return asked(low, "force_reload_modules");
  if (["reload_modules", "reload_grains", "reload_pillar"].some((name) => asked(low, name))) return true;
  const { state, fun } = low;
  if (state === "pkg" || state === "ports" || state === "pip") return true;
  if (state !== "file") return false;
  return fun === "recurse" || (fun === "managed" && MODULE_FILE.test(str(low.name))) ||
    (fun === "symlink" && str(low.name).includes("bin"));
}

/** True if grains, pillar or modules are to be read again after a state. */
export function needsRefresh(low: LowChunk, ret: UnifiedReturn): boolean {
  return asked(low, "reload_grains") || asked(low, "reload_pillar") || reloadsModules(low, ret);
}

/**
 * Reads grains, pillar and modules again, if the chunk asks for it or if states of its kind usually need it.
 *
 * @returns the context for the states after it
 * @see salt/state.py State.check_refresh
 */
export async function refreshed(
  context: JobContext,
  states: StateTable,
  reloads: Reloads,
  low: LowChunk,
  ret: UnifiedReturn,
): Promise<JobContext> {
  let fresh = context;
  if (asked(low, "reload_grains") && reloads.grains !== undefined) {
    fresh = fresh.with({ grains: await reloads.grains() });
  }
  if (asked(low, "reload_pillar") && reloads.pillar !== undefined) {
    fresh = fresh.with({ pillar: await reloads.pillar() });
  }
  if (reloadsModules(low, ret)) await reloadModules(fresh, states);
  return fresh;
}

async function reloadModules(context: JobContext, states: StateTable): Promise<void> {
  context.functions.reload();
  states.reload();
  if (context.master === undefined) return;
  try {
    // Jobs after this one need the new modules, too.
    await context.call("saltutil.refresh_modules");
  } catch (error) {
    context.log.debug("the minion could not be informed about new modules", { error: messageOf(error) });
  }
}
