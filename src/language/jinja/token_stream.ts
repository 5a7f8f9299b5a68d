import { TemplateSyntaxError } from "./errors.ts";
import type { JinjaToken } from "./lexer.ts";

const DESCRIBED: Readonly<Record<string, string>> = {
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  data: "template data / text",
  eof: "end of template",
};

const describeType = (type: string) => DESCRIBED[type] ?? type;

/** A token in the words of Jinja2's messages. */
export function describe({ type, value }: JinjaToken): string {
  return type === "name" ? String(value) : describeType(type);
}

/** The tokens of a template, one at a time. An expectation is a type, or `name:` and a word. */
export class TokenStream {
  readonly #tokens: readonly JinjaToken[];
  readonly #end: JinjaToken;
  #at = 0;

  constructor(tokens: readonly JinjaToken[]) {
    this.#tokens = tokens;
    this.#end = { type: "eof", value: "", line: tokens.at(-1)?.line ?? 1 };
  }

  /** @throws {TemplateSyntaxError} if there is no token, but an error */
  get current(): JinjaToken {
    const token = this.#tokens[this.#at] ?? this.#end;
    if (token.type === "error") throw token.value;
    return token;
  }

  /** The token after the current one. */
  look(): JinjaToken {
    return this.#tokens[this.#at + 1] ?? this.#end;
  }

  /** Returns the current token, and moves to the next one. */
  next(): JinjaToken {
    const token = this.current;
    this.#at++;
    return token;
  }

  test(expected: string): boolean {
    return matches(this.current, expected);
  }

  testAny(expected: readonly string[]): boolean {
    return expected.some((one) => this.test(one));
  }

  /** Moves to the next token if the current one is as expected. */
  skipIf(expected: string): boolean {
    if (!this.test(expected)) return false;
    this.#at++;
    return true;
  }

  /** The current token, which has to be as expected. @throws {TemplateSyntaxError} */
  expect(expected: string): JinjaToken {
    const token = this.current;
    if (matches(token, expected)) return this.next();
    const wanted = expected.startsWith("name:") ? expected.slice(5) : describeType(expected);
    if (token.type === "eof") {
      throw new TemplateSyntaxError(`unexpected end of template, expected '${wanted}'.`, token.line);
    }
    throw new TemplateSyntaxError(`expected token '${wanted}', got ${quoted(describe(token))}`, token.line);
  }
}

/** A text as Python shows it in messages. */
export function quoted(text: string): string {
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text}'`;
}

export function matches({ type, value }: JinjaToken, expected: string): boolean {
  return type === expected || type === "name" && expected.startsWith("name:") && expected.slice(5) === value;
}
