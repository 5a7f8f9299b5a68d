import { str } from "../python/repr.ts";
import { splitWords } from "../python/whitespace.ts";

const OPERATORS = new Set(["and", "or", "not", "(", ")"]);

/** True for the words that join the terms of a compound target; case counts. */
export function isOperator(word: string): boolean {
  return OPERATORS.has(word);
}

/**
 * The words of a compound target that a node group stands for, with the groups in it expanded. Empty for a group that
 * is unknown, of no usable form, or part of itself.
 *
 * @see salt/utils/minions.py nodegroup_comp
 */
export function expandNodegroup(name: string, nodegroups: Record<string, unknown>): string[] {
  return expand(name, nodegroups, []);
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

/** A definition that only names minions, as the one term that says so. */
function nameList(words: string[]): string | undefined {
  if (words.some((word) => isOperator(word) || word.includes("*") || /^[A-Z]@/.test(word))) return undefined;
  const joined = words.join(",");
  return /[()[\]{}\\?]/.test(joined) ? `E@${joined}` : `L@${joined}`;
}
