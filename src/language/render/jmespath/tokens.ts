import { parseOrderedJson } from "../../python/json.ts";

/** A part of an expression: its kind, which for punctuation is its text. */
export interface Token {
  kind: string;
  /** The name, number or literal. */
  value: unknown;
  /** Where it begins, from 0. */
  at: number;
}

/** An expression that is none. */
export class QueryError extends Error {
  override name = "JMESPathError";
}

/** Characters and parts of one expression: each part may be a call within another. */
const LONGEST = 65_536;
const MOST = 2000;

/** Kinds and how they are written; the first that fits counts. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["space", /[ \t\r\n]+/y],
  ["name", /[A-Za-z_]\w*/y],
  ["number", /-?\d+/y],
  ["quoted", /"(?:[^"\\]|\\.)*"/sy],
  ["raw", /'(?:[^'\\]|\\.)*'/sy],
  ["literal", /`(?:[^`\\]|\\.)*`/sy],
  ["punctuation", /\[\?|\[\]|\|\||&&|[<>!=]=|[.*\[\](),:@{}|&<>!]/y],
];

/** A JSON literal; what is no JSON is a text, as it once was. */
function literal(text: string): unknown {
  for (const json of [text, `"${text.trimStart()}"`]) {
    try {
      return parseOrderedJson(json);
    } catch {
      // The next one.
    }
  }
  throw new QueryError(`Bad token ${text}`);
}

function valueOf(kind: string, text: string): unknown {
  const inner = text.slice(1, -1);
  if (kind === "number") return Number(text);
  if (kind === "quoted") return literal(text);
  if (kind === "raw") return inner.replaceAll("\\'", "'");
  return kind === "literal" ? literal(inner.replaceAll("\\`", "`")) : text;
}

/**
 * The parts of an expression, with one of kind `end` behind them.
 *
 * @throws {QueryError} for what can be no part
 */
export function tokensOf(expression: string): Token[] {
  if (expression === "") throw new QueryError("Invalid JMESPath expression: cannot be empty.");
  if (expression.length > LONGEST) throw new QueryError(`The expression is longer than ${LONGEST} characters`);
  const tokens: Token[] = [];
  for (let at = 0; at < expression.length;) {
    const found = KINDS.find(([, pattern]) => {
      pattern.lastIndex = at;
      return pattern.test(expression);
    });
    if (found === undefined) {
      throw new QueryError(
        `Bad jmespath expression: Unknown token ${expression[at]}:\n${expression}\n${" ".repeat(at)}^`,
      );
    }
    const [kind, pattern] = found;
    const text = expression.slice(at, pattern.lastIndex);
    if (kind !== "space") {
      const known = kind === "raw" ? "literal" : kind === "punctuation" ? text : kind;
      tokens.push({ kind: known, value: valueOf(kind, text), at });
      if (tokens.length > MOST) throw new QueryError(`The expression has more than ${MOST} parts`);
    }
    at += text.length;
  }
  tokens.push({ kind: "end", value: "", at: expression.length });
  return tokens;
}
