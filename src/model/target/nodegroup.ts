import { str } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";

const OPERATORS = new Set(["and", "or", "not", "(", ")"]);

/** True for the words that join the terms of a compound target; case counts. */
export function isOperator(word: string): boolean {
  return OPERATORS.has(word);
}

/**
 * The words of a compound target that define a node group, with nested groups expanded. Empty for a group that is unknown,
 * malformed or part of itself.
 *
 * @see salt/utils/minions.py nodegroup_comp
 */
export function expandNodegroup(name: string, nodegroups: Record<string, unknown>): string[] {
  return expand(name, nodegroups, []);
}

/**
 * A target for a master whose minions do not know the node groups: `nodegroup` becomes `compound`, and each `N@name` in a
 * compound target becomes the words of that group. Other targets are returned unchanged.
 *
 * @param onEmpty called with the name of each group without words; may throw
 */
export function inlineNodegroups<T extends string | string[]>(
  { tgt, tgt_type }: { tgt: T; tgt_type: string },
  nodegroups: Record<string, unknown>,
  onEmpty: (name: string) => void = () => {},
): { tgt: T | string; tgt_type: string } {
  const wordsOf = (name: string): string[] => {
    const words = expandNodegroup(name, nodegroups);
    if (words.length === 0) onEmpty(name);
    return words;
  };
  if (tgt_type === "nodegroup") return { tgt: wordsOf(String(tgt)).join(" "), tgt_type: "compound" };
  if (tgt_type !== "compound" || typeof tgt !== "string" || !/\bN@/.test(tgt)) return { tgt, tgt_type };
  const words = tgt.split(/\s+/).flatMap((word) => word.startsWith("N@") ? wordsOf(word.slice(2)) : [word]);
  return { tgt: words.join(" "), tgt_type };
}

function expand(name: string, nodegroups: Record<string, unknown>, above: readonly string[]): string[] {
  const definition = Object.hasOwn(nodegroups, name) ? nodegroups[name] : undefined;
  if (above.includes(name)) return [];
  const words = Array.isArray(definition)
    ? definition.map(str)
    : typeof definition === "string"
    ? splitWords(definition)
    : undefined;
  if (words === undefined) return [];
  const list = nameList(words);
  if (list !== undefined) return [list];
  const nested = words.some(isReference);
  if (!nested && above.length === 0) return words;
  const expanded = words.flatMap((word) =>
    isReference(word) ? expand(word.slice(2), nodegroups, [...above, name]) : [word]
  );
  return expanded.length === 0 ? [] : ["(", ...expanded, ")"];
}

function isReference(word: string): boolean {
  return word.startsWith("N@") && word.length >= 3;
}

/** The single term for a group that only lists minion ids; undefined for any other definition. */
function nameList(words: string[]): string | undefined {
  if (words.some((word) => isOperator(word) || word.includes("*") || /^[A-Z]@/.test(word))) return undefined;
  const joined = words.join(",");
  return /[()[\]{}\\?]/.test(joined) ? `E@${joined}` : `L@${joined}`;
}
