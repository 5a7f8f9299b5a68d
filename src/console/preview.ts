import { parseTerm } from "../model/target/compound.ts";
import { matchMinion } from "../model/target/match.ts";
import { targetDoubt, targetMistake } from "../model/target/mistake.ts";
import { PatternCache } from "../model/target/patterns.ts";
import { countText } from "./text.ts";

export interface TargetValue {
  tgt: string;
  type: string;
}

/** The target types, in the order of the menu. */
export const TARGET_TYPES: Record<string, { label: string; example: string }> = {
  glob: { label: "Glob", example: "web*" },
  list: { label: "List", example: "web1,web2" },
  grain: { label: "Grain", example: "os:Debian" },
  compound: { label: "Compound", example: "web* and G@os:Debian" },
  pcre: { label: "Regular expression", example: "web[0-9]+" },
  grain_pcre: { label: "Grain, regular expression", example: "os:(Debian|Ubuntu)" },
  nodegroup: { label: "Node group", example: "frontends" },
  ipcidr: { label: "Network", example: "10.0.0.0/24" },
  pillar: { label: "Pillar", example: "role:web" },
  pillar_pcre: { label: "Pillar, regular expression", example: "role:(web|db)" },
  range: { label: "Range", example: "%cluster" },
};

/**
 * The minions that a target matches, as known without asking a minion.
 * `here`: `matched` match, and `unknown` may match, because their grains are not known; `master`: only the master knows;
 * `unknown`: the master did not say; `invalid`: matches no minion, for the reason in `why`.
 */
export type Preview =
  | { kind: "here"; matched: string[]; unknown: string[]; why?: string }
  | { kind: "master"; why: string }
  | { kind: "unknown"; why: string }
  | { kind: "invalid"; why: string };

/** The number of matching minions; undefined unless it is known exactly. */
export function previewCount(preview: Preview): number | undefined {
  if (preview.kind === "invalid") return 0;
  return preview.kind === "here" && preview.unknown.length === 0 ? preview.matched.length : undefined;
}

/** The number of matching minions in words: `5,000 minions`, `at most 3 minions`, `an unknown number of minions`. */
export function countWords(preview: Preview): string {
  const count = previewCount(preview);
  if (count !== undefined) return countText(count, "minion");
  if (preview.kind !== "here") return "an unknown number of minions";
  return `at most ${countText(preview.matched.length + preview.unknown.length, "minion")}`;
}

interface Known {
  /** Ids with accepted keys; undefined if this account may not list them. */
  ids: readonly string[] | undefined;
  grains(id: string): Record<string, unknown> | undefined;
}

const NEEDS_GRAINS: ReadonlySet<string> = new Set(["grain", "grain_pcre", "ipcidr"]);
const ENGINES_OF_GRAINS: ReadonlySet<string> = new Set(["G", "P", "S"]);
const OF_THE_MASTER: Record<string, string> = {
  pillar: "only the master knows pillar data",
  pillar_pcre: "only the master knows pillar data",
  nodegroup: "only the master knows its node groups",
  range: "only the master resolves ranges",
};
const ENGINES_OF_THE_MASTER: Record<string, string> = {
  I: OF_THE_MASTER.pillar!,
  J: OF_THE_MASTER.pillar!,
  N: OF_THE_MASTER.nodegroup!,
  R: OF_THE_MASTER.range!,
};

/** A preview after its target was pinged: minions that may match and did not answer do not count. */
export function answeredPreview(
  { matched, unknown }: Preview & { kind: "here" },
  answered: readonly string[],
): Preview {
  const open = new Set(unknown);
  const found = answered.filter((id) => open.has(id));
  const why = `${found.length.toLocaleString("en")} of ${
    countText(unknown.length, "minion")
  } without known grains answered`;
  return { kind: "here", matched: [...matched, ...found], unknown: [], why };
}

/** True if the target depends on grains. */
export function needsGrains(tgt: string, type: string): boolean {
  if (type !== "compound") return NEEDS_GRAINS.has(type);
  return tgt.split(/\s+/).some((word) => ENGINES_OF_GRAINS.has(parseTerm(word).engine ?? ""));
}

/** Matches a target in the browser, with the matchers of the minion. */
export function previewTargetOf(tgt: string, type: string, known: Known, patterns = new PatternCache()): Preview {
  if (tgt.trim() === "") return { kind: "here", matched: [], unknown: [], why: "no target entered" };
  if (!Object.hasOwn(TARGET_TYPES, type)) return { kind: "invalid", why: `unknown target type "${type}"` };
  if (Object.hasOwn(OF_THE_MASTER, type)) return { kind: "master", why: OF_THE_MASTER[type]! };
  const bad = mistake(tgt, type);
  if (bad !== undefined) return bad;
  if (known.ids === undefined) return { kind: "master", why: "this account may not list minions" };
  if (type === "list") return previewList(tgt, known.ids);
  if (type === "glob" && tgt === "*") return { kind: "here", matched: [...known.ids], unknown: [] };
  const usesGrains = needsGrains(tgt, type);
  const matched: string[] = [];
  const unknown: string[] = [];
  for (const id of known.ids) {
    const grains = usesGrains ? known.grains(id) : {};
    // It is unknown whether a minion without grains in the master's cache matches.
    if (grains === undefined || (usesGrains && Object.keys(grains).length === 0)) unknown.push(id);
    else if (matchMinion({ tgt, tgt_type: type }, { id, grains, pillar: {} }, patterns)) matched.push(id);
  }
  return doubted({ kind: "here", matched, unknown }, tgt, type);
}

/** A preview without any minion says what looks mistyped in its target. */
export function doubted(preview: Preview, tgt: string, type: string): Preview {
  if (preview.kind !== "here" || preview.why !== undefined || preview.matched.length + preview.unknown.length > 0) {
    return preview;
  }
  const why = targetDoubt(tgt, type);
  return why === undefined ? preview : { ...preview, why };
}

/** The preview of a list target. Ids are looked up in a set, since there may be thousands. */
function previewList(tgt: string, ids: readonly string[]): Preview {
  const listed = new Set(tgt.split(","));
  const matched = ids.filter((id) => listed.has(id));
  for (const id of matched) listed.delete(id);
  listed.delete("");
  if (listed.size === 0) return { kind: "here", matched, unknown: [] };
  return { kind: "here", matched, unknown: [], why: `No accepted key: ${[...listed].slice(0, 5).join(", ")}` };
}

/** Why a target matches no minion at all, or that only the master can match it. */
function mistake(tgt: string, type: string): Preview | undefined {
  if (type === "compound") {
    for (const word of tgt.split(/\s+/)) {
      const { engine } = parseTerm(word);
      if (engine !== undefined && Object.hasOwn(ENGINES_OF_THE_MASTER, engine)) {
        return { kind: "master", why: ENGINES_OF_THE_MASTER[engine]! };
      }
    }
  }
  const why = targetMistake(tgt, type);
  return why === undefined ? undefined : { kind: "invalid", why };
}

/** The target that matches exactly these minions. */
export function targetOf(ids: readonly string[]): { tgt: string; tgt_type: string } {
  return { tgt: ids.join(","), tgt_type: "list" };
}
