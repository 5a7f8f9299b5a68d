import { tokenizeCompound } from "./compound.ts";
import { expandNodegroup } from "./nodegroup.ts";
import { type Target, TargetError } from "./target.ts";

/** Engines in compound targets that match pillar. */
const PILLAR_ENGINES = new Set(["I", "J"]);

/**
 * Replaces patterns on pillar in a target by exact comparisons: with patterns, a caller could find out a pillar's values
 * character by character. A target without pillar is returned unchanged.
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

/** True if a target matches pillar in any term, including those of node groups. */
export function asksPillar({ tgt, tgt_type }: Target, nodegroups: Record<string, unknown>): boolean {
  if (tgt_type === "pillar" || tgt_type === "pillar_pcre" || tgt_type === "pillar_exact") return true;
  if (tgt_type !== "compound" && tgt_type !== "nodegroup") return false;
  try {
    const words = tgt_type === "nodegroup" ? expandNodegroup(String(tgt), nodegroups) : tgt;
    return tokenizeCompound(words, nodegroups).some((token) =>
      typeof token === "object" && PILLAR_ENGINES.has(token.engine ?? "")
    );
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}

/**
 * True if a target has a pattern on pillar. Patterns in node groups do not count, because an operator of the master writes
 * those.
 */
export function guessesPillar({ tgt, tgt_type }: Target): boolean {
  const isPattern = (text: string) => /[*?[]/.test(text);
  if (tgt_type === "pillar_pcre") return true;
  if (tgt_type === "pillar") return isPattern(String(tgt));
  if (tgt_type !== "compound") return false;
  try {
    return tokenizeCompound(tgt, {}).some((token) =>
      typeof token === "object" && (token.engine === "J" || token.engine === "I" && isPattern(token.pattern))
    );
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}
