import { tokenize } from "./compound.ts";
import { expandNodegroup } from "./nodegroup.ts";
import { type Target, TargetError } from "./target.ts";

/** Engines of a compound target that match pillar. */
const PILLAR_ENGINES = new Set(["I", "J"]);

/**
 * The same target without patterns on pillar: a caller that may try patterns can find out, character by character, what a pillar
 * holds. A target without pillar is returned as it is.
 */
export function exactTarget(target: Target, nodegroups: Record<string, unknown>): Target {
  const { tgt, tgt_type } = target;
  switch (tgt_type) {
    case "pillar":
    case "pillar_pcre":
      return { ...target, tgt_type: "pillar_exact" };
    case "compound":
      return { ...target, tgt_type: "compound_pillar_exact" };
    case "nodegroup":
      return {
        ...target,
        tgt: typeof tgt === "string" ? expandNodegroup(tgt, nodegroups) : [],
        tgt_type: "compound_pillar_exact",
      };
  }
  return target;
}

/** True if a target matches pillar anywhere, node groups included. */
export function asksPillar({ tgt, tgt_type }: Target, nodegroups: Record<string, unknown>): boolean {
  if (tgt_type === "pillar" || tgt_type === "pillar_pcre" || tgt_type === "pillar_exact") return true;
  if (tgt_type !== "compound" && tgt_type !== "nodegroup") return false;
  try {
    const words = tgt_type === "nodegroup" ? expandNodegroup(String(tgt), nodegroups) : tgt;
    return tokenize(words, nodegroups).some((token) =>
      typeof token === "object" && PILLAR_ENGINES.has(token.engine ?? "")
    );
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}

/** True if there is a pattern on pillar in a target as it was given; node groups are written by the master's operator, and may have them. */
export function guessesPillar({ tgt, tgt_type }: Target): boolean {
  const isPattern = (text: string) => /[*?[]/.test(text);
  if (tgt_type === "pillar_pcre") return true;
  if (tgt_type === "pillar") return isPattern(String(tgt));
  if (tgt_type !== "compound") return false;
  try {
    return tokenize(tgt, {}).some((token) =>
      typeof token === "object" && (token.engine === "J" || token.engine === "I" && isPattern(token.pattern))
    );
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}
