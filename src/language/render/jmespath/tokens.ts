import { valueError } from "../../python/python_error.ts";
import { parseOrderedJson } from "../../python/json.ts";

/** A part of an expression: its kind, which for punctuation is its text. */
export interface JmespathToken {
  kind: string;
  value: unknown;
  /** The offset of the token, from 0. */
  at: number;
}

/** The most characters, and the most tokens, of one expression: each token may be a nested call. */
const MAX_CHARACTERS = 65_536;
const MAX_TOKENS = 2000;

/** The kinds of tokens with their patterns; the first matching one counts. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["space", /[ \t\r\n]+/y],
  ["name", /[A-Za-z_]\w*/y],
  ["number", /-?\d+/y],
  ["quoted", /"(?:[^"\\]|\\.)*"/sy],
  ["raw", /'(?:[^'\\]|\\.)*'/sy],
  ["literal", /`(?:[^`\\]|\\.)*`/sy],
  ["punctuation", /\[\?|\[\]|\|\||&&|[<>!=]=|[.*\[\](),:@{}|&<>!]/y],
];

/** A JSON literal; invalid JSON is a text, as in older versions of JMESPath. */
function literal(text: string): unknown {
  for (const json of [text, `"${text.trimStart()}"`]) {
    try {
      return parseOrderedJson(json);
    } catch {
      // Tries the next form.
    }
  }
  throw valueError(`Bad token ${text}`);
}

function valueOf(kind: string, text: string): unknown {
  const inner = text.slice(1, -1);
  if (kind === "number") return Number(text);
  if (kind === "quoted") return literal(text);
  if (kind === "raw") return inner.replaceAll("\\'", "'");
  return kind === "literal" ? literal(inner.replaceAll("\\`", "`")) : text;
}

/**
 * The tokens of an expression, with a token of the kind `end` after them.
 *
 * @throws {PythonError} for text that is not a token
 */
export function tokensOf(expression: string): JmespathToken[] {
  if (expression === "") throw valueError("Invalid JMESPath expression: cannot be empty.");
  if (expression.length > MAX_CHARACTERS) {
    throw valueError(`The expression is longer than ${MAX_CHARACTERS} characters`);
  }
  const tokens: JmespathToken[] = [];
  for (let at = 0; at < expression.length;) {
    const found = KINDS.find(([, pattern]) => {
      pattern.lastIndex = at;
      return pattern.test(expression);
    });
    if (found === undefined) {
      throw valueError(
        `Bad jmespath expression: Unknown token ${expression[at]}:\n${expression}\n${" ".repeat(at)}^`,
      );
    }
    const [kind, pattern] = found;
    const text = expression.slice(at, pattern.lastIndex);
    if (kind !== "space") {
      const known = kind === "raw" ? "literal" : kind === "punctuation" ? text : kind;
      tokens.push({ kind: known, value: valueOf(kind, text), at });
      if (tokens.length > MAX_TOKENS) throw valueError(`The expression has more than ${MAX_TOKENS} parts`);
    }
    at += text.length;
  }
  tokens.push({ kind: "end", value: "", at: expression.length });
  return tokens;
}
