import { CostError } from "../../../language/python/steps.ts";
import { exactTarget } from "../../../model/target/exact.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = Pick<MasterServices, "cache" | "expand" | "log" | "opts" | "rules" | "steps">;

/** The key that marks a mine entry which says, beside its data, which minions may read it. */
const ACL_MARKER = "__saltmine_acl__";

export function mineStore(services: Services, load: Load): unknown {
  const { id, data } = load;
  if (typeof id !== "string" || !isRecord(data)) return {};
  if (!services.opts.minion_data_cache && !services.opts.enforce_mine_cache) return true;
  // With `clear` the minion asks to replace what is stored. Salt fails here.
  const before = load.clear === true ? {} : services.cache.mine(id) ?? {};
  services.cache.saveMine(id, { ...before, ...data });
  return true;
}

/** `_mine_delete`: removes one function from the mine of the asking minion. */
export function mineDelete(services: Services, load: Load): unknown {
  const { id, fun } = load;
  if (typeof id !== "string" || typeof fun !== "string") return {};
  const mine = services.cache.mine(id);
  if (mine !== undefined) {
    delete mine[fun];
    services.cache.saveMine(id, mine);
  }
  return true;
}

/** `_mine_flush`: removes everything that the asking minion has stored. */
export function mineFlush(services: Services, load: Load): unknown {
  return typeof load.id === "string" && services.cache.flushMine(load.id);
}

/** The limit of matching steps of one request: each mine entry may have its own `allow_tgt`. */
const STEPS = 100_000_000;

/** True if the minion `reader` may read a mine entry. Every minion may read entries without an ACL. */
function readable(services: Services, entry: unknown, reader: string): boolean {
  if (!isRecord(entry) || !(ACL_MARKER in entry)) return true;
  const { allow_tgt, allow_tgt_type } = entry;
  if (allow_tgt === undefined || allow_tgt === null || allow_tgt === "") return true;
  const type = typeof allow_tgt_type === "string" ? allow_tgt_type : "glob";
  return services.expand({ tgt: allow_tgt, tgt_type: type }, { greedy: false }).minions.includes(reader);
}

/** True if the master's `mine_get` option lets this minion read these functions; without the option all may. */
function permitted(services: Services, reader: string, functions: readonly string[]): boolean {
  const rules = services.opts.mine_get;
  return !isRecord(rules) || services.rules.tableAllows(rules, reader, functions);
}

/** `_mine_get`: returns the data that other minions stored in the mine. */
export function mineGet(services: Services, load: Load): unknown {
  try {
    return services.steps.within(STEPS, () => entriesFor(services, load));
  } catch (error) {
    if (!(error instanceof CostError)) throw error;
    services.log.warning("mine request refused", { id: load.id, reason: error.message });
    return {};
  }
}

function entriesFor(services: Services, load: Load): unknown {
  const { id, tgt } = load;
  if (typeof id !== "string" || tgt === undefined || load.fun === undefined) return {};
  const several = Array.isArray(load.fun) || (typeof load.fun === "string" && load.fun.includes(","));
  const functions = (Array.isArray(load.fun) ? load.fun.map(String) : String(load.fun).split(",")).map((name) =>
    name.trim()
  );
  if (!permitted(services, id, functions)) return {};
  const asked = [load.tgt_type, load.expr_form].find((type) => typeof type === "string") ?? "glob";
  // Pillar is matched exactly: patterns on pillar could be used to guess secrets.
  const target = exactTarget({ tgt, tgt_type: asked as string }, services.opts.nodegroups);
  const { minions } = services.expand(target, { greedy: false });
  // Maps, not objects: names come from minions, and `__proto__` means something else on an object.
  const found = new Map<string, Map<string, unknown>>();
  for (const minion of minions) {
    const mine = services.cache.mine(minion);
    if (mine === undefined) continue;
    for (const fun of functions) {
      const entry = Object.hasOwn(mine, fun) ? mine[fun] : undefined;
      if (entry === undefined || !readable(services, entry, id)) continue;
      const value = isRecord(entry) && ACL_MARKER in entry ? entry.__data__ : entry;
      const byMinion = found.get(fun) ?? new Map<string, unknown>();
      found.set(fun, byMinion.set(minion, value));
    }
  }
  return several ? found : found.get(functions[0]!) ?? {};
}
