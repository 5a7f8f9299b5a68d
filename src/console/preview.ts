import { parseTerm } from "../target/compound.ts";
import { matchMinion } from "../target/match.ts";
import { targetMistake } from "../target/mistake.ts";
import { PatternCache } from "../target/patterns.ts";
import { countText } from "./text.ts";

/** The ways to name minions that a person may choose from, in the order of the menu. */
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
 * Who a target means, as far as it can be told without asking a minion.
 * `here`: worked out over what is known, `unknown` being those of whose grains nothing is known, so that they may be meant,
 * too; `master`: only the master can tell; `unknown`: nobody has told; `invalid`: nobody will match, because of what `why` says.
 */
export type Preview =
  | { kind: "here"; matched: string[]; unknown: string[]; why?: string }
  | { kind: "master"; why: string }
  | { kind: "unknown"; why: string }
  | { kind: "invalid"; why: string };

/** How many minions a target means; undefined unless that is known for certain. */
export function countOf(preview: Preview): number | undefined {
  if (preview.kind === "invalid") return 0;
  return preview.kind === "here" && preview.unknown.length === 0 ? preview.matched.length : undefined;
}

/** The same in words: `5,000 minions`, `at least 3 minions`, `an unknown number of minions`. */
export function countWords(preview: Preview): string {
  const count = countOf(preview);
  if (count !== undefined) return countText(count, "minion");
  if (preview.kind !== "here" || preview.matched.length === 0) return "an unknown number of minions";
  return `at least ${countText(preview.matched.length, "minion")}`;
}

export interface Known {
  /** Of the accepted keys; undefined where this account was not told them. */
  ids: readonly string[] | undefined;
  grains(id: string): Record<string, unknown> | undefined;
}

const NEEDS_GRAINS: ReadonlySet<string> = new Set(["grain", "grain_pcre", "ipcidr"]);
const ENGINES_OF_GRAINS: ReadonlySet<string> = new Set(["G", "P", "S"]);
const OF_THE_MASTER: Record<string, string> = {
  pillar: "pillar is known to the master alone",
  pillar_pcre: "pillar is known to the master alone",
  nodegroup: "node groups are in the master's configuration",
  range: "ranges need a library on the master",
};
const ENGINES_OF_THE_MASTER: Record<string, string> = {
  I: OF_THE_MASTER.pillar!,
  J: OF_THE_MASTER.pillar!,
  N: OF_THE_MASTER.nodegroup!,
  R: OF_THE_MASTER.range!,
};

/** True if a preview of this target looks at grains. */
export function needsGrains(tgt: string, type: string): boolean {
  if (type !== "compound") return NEEDS_GRAINS.has(type);
  return tgt.split(/\s+/).some((word) => ENGINES_OF_GRAINS.has(parseTerm(word).engine ?? ""));
}

/** Works out whom a target means. Uses the minion's own matchers, so that what is shown is what will answer. */
export function previewTarget(tgt: string, type: string, known: Known, patterns = new PatternCache()): Preview {
  if (tgt.trim() === "") return { kind: "here", matched: [], unknown: [], why: "Nothing is entered yet" };
  if (!Object.hasOwn(TARGET_TYPES, type)) return { kind: "invalid", why: `There is no target type "${type}"` };
  if (Object.hasOwn(OF_THE_MASTER, type)) return { kind: "master", why: OF_THE_MASTER[type]! };
  const bad = mistake(tgt, type);
  if (bad !== undefined) return bad;
  if (known.ids === undefined) return { kind: "master", why: "this account was not told which minions there are" };
  const usesGrains = needsGrains(tgt, type);
  const matched: string[] = [];
  const unknown: string[] = [];
  for (const id of known.ids) {
    const grains = usesGrains ? known.grains(id) : {};
    if (grains === undefined) unknown.push(id);
    else if (matchMinion({ tgt, tgt_type: type }, { id, grains, pillar: {} }, patterns)) matched.push(id);
  }
  if (type === "list") {
    const accepted = new Set(known.ids);
    const strangers = tgt.split(",").filter((id) => id !== "" && !accepted.has(id));
    if (strangers.length > 0) {
      return { kind: "here", matched, unknown, why: `No accepted key: ${strangers.slice(0, 5).join(", ")}` };
    }
  }
  return { kind: "here", matched, unknown };
}

/** What makes a target match nobody before any minion is looked at; or that it has to be asked of the master. */
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

/** The target that means exactly these minions. */
export function targetOf(ids: readonly string[]): { tgt: string; tgt_type: string } {
  return { tgt: ids.join(","), tgt_type: "list" };
}
