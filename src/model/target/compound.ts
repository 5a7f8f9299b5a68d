import { str } from "../../language/python/values.ts";
import { CostError } from "../../language/python/steps.ts";
import { splitWords } from "../../language/python/text.ts";
import { expandNodegroup, isOperator } from "./nodegroup.ts";
import { TargetError, type TargetType } from "./target.ts";

/** One term of a compound target: `G|@os|Ubuntu` has engine `G`, delimiter `|` and pattern `os|Ubuntu`. */
export interface Term {
  /** Letter of the matcher; undefined for a glob of the id. */
  engine?: string | undefined;
  /** Delimiter, only for `G`, `P`, `I` and `J`. */
  delimiter?: string;
  pattern: string;
}

/** Letters in compound targets → type of target. `N` and `R` are handled separately. */
export const COMPOUND_ENGINES: Record<string, TargetType> = {
  G: "grain",
  P: "grain_pcre",
  I: "pillar",
  J: "pillar_pcre",
  L: "list",
  S: "ipcidr",
  E: "pcre",
};

const TERM = /^(?:([GPIJ])(.)?|([LNSER]))@(.+)$/su;

/** Parses one term of a compound target; a word that does not have the form of a term is a glob as a whole. */
export function parseTerm(word: string): Term {
  const match = TERM.exec(word);
  if (match === null) return { pattern: word };
  const [, nested, delimiter, simple, pattern = ""] = match;
  const term: Term = { pattern };
  if (nested ?? simple) term.engine = nested ?? simple;
  if (delimiter !== undefined) term.delimiter = delimiter;
  return term;
}

/** A token of a compound target: an operator as written, or a parsed term. */
type CompoundToken = string | Term;

/**
 * Splits a compound target into operators and terms, with node groups expanded.
 *
 * @param nodegroups the table of node groups; without it `N@` is an error
 * @throws {TargetError} if the target is neither text nor an array
 */
export function tokenizeCompound(tgt: unknown, nodegroups?: Record<string, unknown>): CompoundToken[] {
  if (typeof tgt !== "string" && !Array.isArray(tgt)) {
    throw new TargetError("Cannot read a compound target: expected text or an array");
  }
  const words = typeof tgt === "string" ? splitWords(tgt) : tgt.map(str);
  return words.flatMap((word): CompoundToken[] => {
    if (isOperator(word)) return [word];
    const term = parseTerm(word);
    if (term.engine !== "N") return [term];
    if (nodegroups === undefined) throw new TargetError(`Cannot expand "${word}" without node groups`);
    // The expanded words contain no reference to a node group: expansion is complete.
    return expandNodegroup(term.pattern, nodegroups).map((part) => isOperator(part) ? part : parseTerm(part));
  });
}

/** Operations on the results of terms: booleans on a minion, sets on a master. */
export interface Algebra<T> {
  term(term: Term, negated: boolean): T;
  and(left: T, right: T): T;
  or(left: T, right: T): T;
  not(operand: T): T;
  /** The result of an empty pair of parentheses. */
  empty(): T;
}

/**
 * Checks the syntax that both minions and masters require, and inserts the implied `and` before a `not`.
 *
 * @throws {TargetError} on a target that begins with a binary operator, at all or inside a parenthesis
 */
export function normalize(tokens: readonly CompoundToken[]): CompoundToken[] {
  const out: CompoundToken[] = [];
  for (const token of tokens) {
    const last = out[out.length - 1];
    if (token === "and" || token === "or") {
      if (last === undefined || last === "(") throw new TargetError(`Cannot begin a compound target with "${token}"`);
    } else if (token === ")" && last === undefined) {
      throw new TargetError(`Cannot begin a compound target with ")"`);
    } else if (token === "not" && last !== undefined && last !== "and" && last !== "or" && last !== "(") {
      // As in Salt, also between two "not"s, where it causes a syntax error.
      out.push("and");
    }
    out.push(token);
  }
  return out;
}

/** Maximum of words, and of nested parentheses or negations; larger targets are refused. */
const MAX_TOKENS = 4096;
const MAX_DEPTH = 100;

/**
 * Evaluates normalized tokens; `not` binds tighter than `and`, `and` tighter than `or`.
 *
 * @throws {TargetError} on any syntax error, an empty target included
 */
export function evaluate<T>(tokens: readonly CompoundToken[], algebra: Algebra<T>): T {
  if (tokens.length > MAX_TOKENS) {
    throw new CostError(`Cannot evaluate a compound target of more than ${MAX_TOKENS} words`);
  }
  let at = 0;
  let depth = 0;

  function deeper(): void {
    if (++depth > MAX_DEPTH) {
      throw new CostError(`Cannot evaluate more than ${MAX_DEPTH} levels of parentheses`);
    }
  }
  function or(): T {
    let value = and();
    while (tokens[at] === "or") {
      at++;
      value = algebra.or(value, and());
    }
    return value;
  }
  function and(): T {
    let value = not();
    while (tokens[at] === "and") {
      at++;
      value = algebra.and(value, not());
    }
    return value;
  }
  function not(): T {
    if (tokens[at] !== "not") return atom();
    at++;
    deeper();
    const operand = not();
    depth--;
    return algebra.not(operand);
  }
  function atom(): T {
    const token = tokens[at++];
    if (token === "(") {
      if (tokens[at] === ")") {
        at++;
        return algebra.empty();
      }
      deeper();
      const value = or();
      depth--;
      if (tokens[at++] !== ")") throw new TargetError("Missing right parenthesis in a compound target");
      return value;
    }
    if (token === undefined) throw new TargetError("Incomplete compound target: expected a term at its end");
    if (typeof token === "string") throw new TargetError(`Did not expect "${token}" in a compound target`);
    return algebra.term(token, tokens[at - 2] === "not");
  }

  const value = or();
  if (at < tokens.length) throw new TargetError("Missing operator between two terms of a compound target");
  return value;
}
