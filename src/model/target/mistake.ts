/** Finds mistakes in targets: without this, a user would only read that no minion matched. */
import { nearestName } from "../../base/nearest_name.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { evaluate, normalize, parseTerm, tokenizeCompound } from "./compound.ts";
import { parseIpTarget } from "./ipcidr.ts";
import { TargetError } from "./target.ts";

const OPERATORS = ["and", "or", "not"];
/** Letters of the matchers in compound targets. */
const ENGINES = "GPIJSELNR";

/** Operators of other languages → Salt's operators. */
const SIGNS: Record<string, string> = { "&&": "and", "&": "and", "||": "or", "|": "or", "!": "not" };

/** The pattern after the last colon of `grain:pattern`. */
const last = (expression: string) => expression.slice(expression.lastIndexOf(":") + 1);

/** @throws {SyntaxError} or {TargetError} on a compound target that no minion can parse */
function checkCompound(tgt: unknown): void {
  for (const word of wordsOf(tgt)) {
    const { engine, pattern } = parseTerm(word);
    if (engine === "E") compilePattern(pattern);
    if (engine === "P") compilePattern(last(pattern));
    if (engine === "S") checkAddress(pattern);
  }
  evaluate(normalize(tokenizeCompound(tgt)), {
    term: () => true,
    and: (left, right) => left && right,
    or: (left, right) => left || right,
    not: (operand) => !operand,
    empty: () => false,
  });
}

/** @throws {TargetError} if the text is neither an address nor a network */
function checkAddress(text: string): void {
  if (parseIpTarget(text) !== undefined) return;
  throw new TargetError(`"${text}" is neither an IP address nor a network, as in 10.1.2.3 or 10.1.0.0/16`);
}

/** The doubt about a word that is read as a minion id, but was probably meant otherwise. */
function suspicious(word: string): string | undefined {
  const engine = /^(\w)@(.*)$/s.exec(word)?.[1];
  if (engine !== undefined && parseTerm(word).engine === undefined) {
    const upper = engine.toUpperCase();
    const remedy = ENGINES.includes(upper)
      ? `did you mean "${upper}@"?`
      : `expected one of ${[...ENGINES].join("@, ")}@`;
    return `"${word}" is read as the id of a minion: ${remedy}`;
  }
  if (engine === undefined && /^\(.|.\)$/.test(word)) {
    return `"${word}" is read as the id of a minion: write blanks around parentheses, as in "( web1 or web2 )"`;
  }
  if (OPERATORS.includes(word) || /[*?[\]@:.()]/.test(word)) return undefined;
  const meant = SIGNS[word] ?? nearestName(word, OPERATORS, { letters: 1 });
  return meant === undefined ? undefined : `"${word}" is read as the id of a minion: did you mean "${meant}"?`;
}

/**
 * The reason why a target can match no minion at all; undefined if it could match one.
 *
 * @param tgt a text, or the words of a compound target
 */
export function targetMistake(tgt: unknown, type: string): string | undefined {
  const text = typeof tgt === "string" ? tgt : undefined;
  try {
    if (type === "pcre" && text !== undefined) compilePattern(text);
    if ((type === "grain_pcre" || type === "pillar_pcre") && text !== undefined) compilePattern(last(text));
    if (type === "ipcidr" && text !== undefined) checkAddress(text);
    if (type === "compound") checkCompound(tgt);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TargetError) return error.message;
    throw error;
  }
  if (["grain", "grain_pcre", "pillar", "pillar_pcre"].includes(type) && text !== undefined && !text.includes(":")) {
    const what = type.startsWith("grain") ? "grain" : "pillar";
    return `a ${what} target is ${what}:value, as in "${what === "grain" ? "os:Debian" : "role:web"}"`;
  }
  return undefined;
}

/** The part of a valid compound target that looks mistyped; undefined if none does. */
export function targetDoubt(tgt: unknown, type: string): string | undefined {
  if (type !== "compound") return undefined;
  for (const word of wordsOf(tgt)) {
    const doubt = suspicious(word);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

function wordsOf(tgt: unknown): string[] {
  return (Array.isArray(tgt) ? tgt : String(tgt).split(/\s+/)).map(String).filter((word) => word !== "");
}
