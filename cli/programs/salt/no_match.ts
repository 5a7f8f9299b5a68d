/** Explains why no minion matched. For the log, because scripts compare stdout. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import type { KeyStatus } from "../../../src/protocol/channel/key_store.ts";
import { MinionCache } from "../../../src/host/master/minion_cache.ts";
import { expandTarget } from "../../../src/model/target/expand.ts";
import { nearestName } from "../../../src/base/nearest_name.ts";
import { targetDoubt, targetMistake } from "../../../src/model/target/mistake.ts";
import type { Logger } from "../../../src/base/log.ts";
import { printable } from "../../../src/base/printable.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

/** Names that are listed, at most; the others are counted. */
const NAMED = 5;
const CACHED = ["grain", "grain_pcre", "pillar", "pillar_pcre", "ipcidr", "compound"];

interface Place {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
}

function names(ids: readonly string[]): string {
  const more = ids.length - NAMED;
  return `${ids.slice(0, NAMED).map((id) => printable(id)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A reason and its log level: a correct target that matches no minion today is not a mistake. */
export interface NoMatch {
  level: "warning" | "info";
  why: string;
}

const warn = (why: string): NoMatch => ({ level: "warning", why });

/** Keys that a mistyped id is compared with, at most: the time grows with their number. */
const COMPARED = 20_000;

/** The id that was probably meant by a mistyped id; undefined for patterns and lists. */
function nearestId(tgt: unknown, accepted: readonly string[]): string | undefined {
  const ids = [tgt].flat();
  const [id] = ids;
  if (ids.length !== 1 || typeof id !== "string" || !/^[\w.-]+$/.test(id)) return undefined;
  return nearestName(id, accepted.slice(0, COMPARED), { letters: id.length > 4 ? 2 : 1 });
}

/** Searches the keys on this host, if this user may read them. */
function amongKeys({ runtime, log, opts }: Place, target: { tgt: unknown; tgt_type: string }): NoMatch | undefined {
  const keys = new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir);
  const cache = new MinionCache(runtime.fs, log, opts.cachedir);
  // Keys of other statuses can only be matched by id, because the master has data of accepted minions only.
  const byId = ["glob", "pcre", "list"].includes(target.tgt_type);
  const of = (state: KeyStatus) =>
    !byId ? [] : expandTarget(target, {
      accepted: () => keys.list(state),
      cached: () => [],
      data: () => undefined,
      nodegroups: opts.nodegroups,
    }).minions.filter((id) => keys.list(state).includes(id));
  // The minion's key may be pending or rejected.
  for (
    const [state, word] of [["pre", "not accepted yet"], ["rejected", "rejected"], ["denied", "denied"]] as const
  ) {
    const found = of(state);
    if (found.length === 0) continue;
    const remedy = state === "pre"
      ? `. To accept: salt-key -a ${found.length === 1 ? printable(found[0]!) : "ID"}`
      : "";
    return warn(`The key of ${names(found)} is ${word}${remedy}`);
  }
  const accepted = keys.list("accepted");
  if (accepted.length === 0) return warn("This master has no accepted keys. To list pending keys: salt-key -L");
  const meant = byId ? nearestId(target.tgt, accepted) : undefined;
  if (meant !== undefined) return warn(`No minion has this id. Did you mean ${printable(meant)}?`);
  if (target.tgt_type === "range") return warn("Brine does not support range expressions");
  if (!CACHED.includes(target.tgt_type) || [...cache.ids()].length === 0) return undefined;
  const why = `None of the ${accepted.length} minions with an accepted key matches by the grains and pillar that ` +
    "the master has cached. To refresh them: saltutil.refresh_pillar";
  return { level: "info", why };
}

/**
 * The reason why a target matches no minion, in a sentence. Undefined if it is unknown, as for users who may not read the keys.
 */
export function whyNoMatch(place: Place, target: { tgt: unknown; tgt_type: string }): NoMatch | undefined {
  const mistake = targetMistake(target.tgt, target.tgt_type);
  if (mistake !== undefined) return warn(`The target cannot be read: ${mistake}`);
  const doubt = targetDoubt(target.tgt, target.tgt_type);
  if (doubt !== undefined) return warn(doubt);
  try {
    return amongKeys(place, target);
  } catch {
    // Users who may not read the master's keys get no reason.
    return undefined;
  }
}
