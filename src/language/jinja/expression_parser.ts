import { TemplateSyntaxError } from "./errors.ts";
import type { AssignTarget, CallArguments, Expression, FilterNode, SliceNode } from "./nodes.ts";
import { describe, matches, quoted, type TokenStream } from "./token_stream.ts";

const COMPARISONS = new Set(["==", "!=", "<", "<=", ">", ">="]);
const FACTORS = new Set(["*", "/", "//", "%"]);
const TUPLE_ENDS = ["variable_end", "block_end", ")"];
/** The tokens that may begin the argument of a test without parentheses. */
const TEST_ARGUMENTS = ["name", "string", "integer", "float", "(", "[", "{"];
const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
/** The most nested parentheses, lists and operators: deeper ones are refused before they fill the stack. */
const MAX_DEPTH = 200;

interface TupleOptions {
  /** Accepts only names and literals, for the left side of an assignment. */
  simplified?: boolean;
  conditional?: boolean;
  endsAt?: readonly string[];
  /** True inside parentheses, where no expression at all is an empty tuple. */
  parenthesized?: boolean;
  /** Accepts `ns.x` as a part. */
  namespaces?: boolean;
}

const NO_ARGUMENTS: CallArguments = { positional: [], keywords: [], rest: undefined, restKeywords: undefined };

/** Reads expressions by Jinja2's grammar: `**` binds to the left, and a test takes one primary without parentheses. */
export class ExpressionParser {
  readonly stream: TokenStream;
  #depth = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  fail(message: string, line: number = this.stream.current.line): never {
    throw new TemplateSyntaxError(message, line);
  }

  expression(conditional = true): Expression {
    if (++this.#depth > MAX_DEPTH) this.fail(`expressions are nested more than ${MAX_DEPTH} levels deep`);
    const value = conditional ? this.#conditional() : this.#or();
    this.#depth--;
    return value;
  }

  /** One expression, or several with commas: a tuple. */
  tuple(options: TupleOptions = {}): Expression {
    const { simplified = false, conditional = true, endsAt = [], parenthesized = false, namespaces = false } = options;
    const { stream } = this;
    let { line } = stream.current;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) stream.expect(",");
      if (stream.testAny(TUPLE_ENDS) || stream.testAny(endsAt)) break;
      items.push(simplified ? this.#primary(namespaces) : this.expression(conditional));
      if (!stream.test(",")) break;
      isTuple = true;
      line = stream.current.line;
    }
    if (!isTuple) {
      if (items.length > 0) return items[0]!;
      if (!parenthesized) this.fail(`Expected an expression, got ${quoted(describe(stream.current))}`);
    }
    return { kind: "tuple", items, line };
  }

  /** The left side of an assignment. */
  target(options: Pick<TupleOptions, "endsAt" | "namespaces"> = {}): AssignTarget {
    return this.#assignable(this.tuple({ ...options, simplified: true }));
  }

  #assignable(node: Expression): AssignTarget {
    const { kind, line } = node;
    if (kind === "name" && !(node.name in CONSTANTS)) return node;
    if (kind === "namespace") return node;
    if (kind === "tuple" || kind === "list") {
      if (node.items.every((item) => isAssignable(item))) return node as AssignTarget;
    }
    return this.fail(`can't assign to '${kind}'`, line);
  }

  /** A single name on the left side of an assignment. */
  name(): { name: string; line: number } {
    const { value, line } = this.stream.expect("name");
    const name = String(value);
    if (name in CONSTANTS) this.fail("can't assign to 'name'", line);
    return { name, line };
  }

  #conditional(): Expression {
    const { stream } = this;
    let { line } = stream.current;
    let value = this.#or();
    while (stream.skipIf("name:if")) {
      const test = this.#or();
      const otherwise = stream.skipIf("name:else") ? this.expression() : undefined;
      value = { kind: "if", test, then: value, otherwise, line };
      line = stream.current.line;
    }
    return value;
  }

  #or(): Expression {
    let { line } = this.stream.current;
    let left = this.#and();
    while (this.stream.skipIf("name:or")) {
      left = { kind: "or", left, right: this.#and(), line };
      line = this.stream.current.line;
    }
    return left;
  }

  #and(): Expression {
    let { line } = this.stream.current;
    let left = this.#not();
    while (this.stream.skipIf("name:and")) {
      left = { kind: "and", left, right: this.#not(), line };
      line = this.stream.current.line;
    }
    return left;
  }

  #not(): Expression {
    const { line } = this.stream.current;
    let count = 0;
    while (this.stream.skipIf("name:not")) count++;
    let value = this.#comparison();
    for (; count > 0; count--) value = { kind: "not", value, line };
    return value;
  }

  #comparison(): Expression {
    const { stream } = this;
    const { line } = stream.current;
    const first = this.#sum();
    const rest: { operator: string; value: Expression }[] = [];
    for (;;) {
      const { type } = stream.current;
      if (COMPARISONS.has(type)) {
        stream.next();
        rest.push({ operator: type, value: this.#sum() });
      } else if (stream.skipIf("name:in")) {
        rest.push({ operator: "in", value: this.#sum() });
      } else if (stream.test("name:not") && matches(stream.look(), "name:in")) {
        stream.next();
        stream.next();
        rest.push({ operator: "not in", value: this.#sum() });
      } else break;
    }
    return rest.length === 0 ? first : { kind: "compare", first, rest, line };
  }

  #sum(): Expression {
    const { stream } = this;
    let left = this.#concat();
    while (stream.test("+") || stream.test("-")) {
      const { type: operator, line } = stream.next();
      left = { kind: "binary", operator, left, right: this.#concat(), line };
    }
    return left;
  }

  #concat(): Expression {
    const { line } = this.stream.current;
    const items = [this.#product()];
    while (this.stream.skipIf("~")) items.push(this.#product());
    return items.length === 1 ? items[0]! : { kind: "concat", items, line };
  }

  #product(): Expression {
    const { stream } = this;
    let left = this.#power();
    while (FACTORS.has(stream.current.type)) {
      const { type: operator, line } = stream.next();
      left = { kind: "binary", operator, left, right: this.#power(), line };
    }
    return left;
  }

  #power(): Expression {
    const { stream } = this;
    let left = this.#unary();
    while (stream.test("**")) {
      const { type: operator, line } = stream.next();
      left = { kind: "binary", operator, left, right: this.#unary(), line };
    }
    return left;
  }

  #unary(withFilter = true): Expression {
    const { type, line } = this.stream.current;
    let value: Expression;
    if (type === "-" || type === "+") {
      if (++this.#depth > MAX_DEPTH) this.fail(`expressions are nested more than ${MAX_DEPTH} levels deep`);
      this.stream.next();
      value = { kind: type === "-" ? "negative" : "positive", value: this.#unary(false), line };
      this.#depth--;
    } else {
      value = this.#primary();
    }
    value = this.#postfix(value);
    return withFilter ? this.#filtered(value) : value;
  }

  #primary(namespaces = false): Expression {
    const { stream } = this;
    const token = stream.current;
    const { line } = token;
    switch (token.type) {
      case "name":
        stream.next();
        return this.#nameOrConstant(String(token.value), line, namespaces);
      case "string": {
        let text = "";
        while (stream.test("string")) text += stream.next().value;
        return { kind: "const", value: text, line };
      }
      case "integer":
      case "float":
        stream.next();
        return { kind: "const", value: token.value, line };
      case "(": {
        stream.next();
        const value = this.tuple({ parenthesized: true });
        stream.expect(")");
        return value;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#dict();
    }
    return this.fail(`unexpected ${quoted(describe(token))}`, line);
  }

  #nameOrConstant(name: string, line: number, namespaces: boolean): Expression {
    if (Object.hasOwn(CONSTANTS, name)) return { kind: "const", value: CONSTANTS[name], line };
    if (namespaces && this.stream.skipIf(".")) {
      return { kind: "namespace", name, attribute: String(this.stream.expect("name").value), line };
    }
    return { kind: "name", name, line };
  }

  #list(): Expression {
    const { stream } = this;
    const { line } = stream.expect("[");
    const items: Expression[] = [];
    while (!stream.test("]")) {
      if (items.length > 0) stream.expect(",");
      if (stream.test("]")) break;
      items.push(this.expression());
    }
    stream.expect("]");
    return { kind: "list", items, line };
  }

  #dict(): Expression {
    const { stream } = this;
    const { line } = stream.expect("{");
    const items: { key: Expression; value: Expression }[] = [];
    while (!stream.test("}")) {
      if (items.length > 0) stream.expect(",");
      if (stream.test("}")) break;
      const key = this.expression();
      stream.expect(":");
      items.push({ key, value: this.expression() });
    }
    stream.expect("}");
    return { kind: "dict", items, line };
  }

  #postfix(node: Expression): Expression {
    let value = node;
    for (;;) {
      if (this.stream.test(".")) value = this.#dotted(value);
      else if (this.stream.test("[")) value = this.#subscript(value);
      else if (this.stream.test("(")) value = this.#call(value);
      else return value;
    }
  }

  #filtered(node: Expression): Expression {
    let value = node;
    for (;;) {
      if (this.stream.test("|")) value = this.filters(value)!;
      else if (this.stream.test("name:is")) value = this.#test(value);
      else if (this.stream.test("(")) value = this.#call(value);
      else return value;
    }
  }

  #dotted(of: Expression): Expression {
    const { line } = this.stream.next();
    const token = this.stream.next();
    if (token.type === "name") return { kind: "attribute", of, name: String(token.value), line };
    if (token.type !== "integer") this.fail("expected name or number", token.line);
    return { kind: "item", of, key: { kind: "const", value: token.value, line: token.line }, line };
  }

  #subscript(of: Expression): Expression {
    const { stream } = this;
    const { line } = stream.next();
    const parts: Expression[] = [];
    while (!stream.test("]")) {
      if (parts.length > 0) stream.expect(",");
      parts.push(this.#subscribed());
    }
    stream.expect("]");
    const key: Expression = parts.length === 1 ? parts[0]! : { kind: "tuple", items: parts, line };
    return { kind: "item", of, key, line };
  }

  /** An index, or a slice. */
  #subscribed(): Expression {
    const { stream } = this;
    const { line } = stream.current;
    let start: Expression | undefined;
    if (!stream.skipIf(":")) {
      start = this.expression();
      if (!stream.skipIf(":")) return start;
    }
    const part = () => stream.testAny(["]", ",", ":"]) ? undefined : this.expression();
    const stop = part();
    const step = stream.skipIf(":") ? part() : undefined;
    return { kind: "slice", start, stop, step, line } satisfies SliceNode;
  }

  #call(callee: Expression): Expression {
    const { line } = this.stream.current;
    return { kind: "call", callee, args: this.#arguments(), line };
  }

  #arguments(): CallArguments {
    const { stream } = this;
    const { line } = stream.expect("(");
    const args: CallArguments = { positional: [], keywords: [], rest: undefined, restKeywords: undefined };
    const ensure = (holds: boolean) => {
      if (!holds) this.fail("invalid syntax for function call expression", line);
    };
    for (let isFirst = true; !stream.test(")"); isFirst = false) {
      if (!isFirst) {
        stream.expect(",");
        if (stream.test(")")) break;
      }
      if (stream.skipIf("*")) {
        ensure(args.rest === undefined && args.restKeywords === undefined);
        args.rest = this.expression();
      } else if (stream.skipIf("**")) {
        ensure(args.restKeywords === undefined);
        args.restKeywords = this.expression();
      } else if (stream.test("name") && stream.look().type === "=") {
        ensure(args.restKeywords === undefined);
        const name = String(stream.next().value);
        stream.next();
        args.keywords.push({ name, value: this.expression() });
      } else {
        ensure(args.rest === undefined && args.restKeywords === undefined && args.keywords.length === 0);
        args.positional.push(this.expression());
      }
    }
    stream.expect(")");
    return args;
  }

  /** `a | b | c`; the first filter may stand without its bar. */
  filters(node: Expression | undefined, startsInline = false): FilterNode | undefined {
    const { stream } = this;
    let value = node;
    for (let inline = startsInline; stream.test("|") || inline; inline = false) {
      if (!inline) stream.next();
      const { line } = stream.current;
      const name = this.#dottedName();
      const args = stream.test("(") ? this.#arguments() : NO_ARGUMENTS;
      value = { kind: "filter", value, name, args, line };
    }
    return value as FilterNode | undefined;
  }

  #dottedName(): string {
    let name = String(this.stream.expect("name").value);
    while (this.stream.skipIf(".")) name += `.${this.stream.expect("name").value}`;
    return name;
  }

  #test(value: Expression): Expression {
    const { stream } = this;
    const { line } = stream.next();
    const isNegated = stream.skipIf("name:not");
    const name = this.#dottedName();
    let args = NO_ARGUMENTS;
    if (stream.test("(")) args = this.#arguments();
    else if (stream.testAny(TEST_ARGUMENTS) && !stream.testAny(["name:else", "name:or", "name:and"])) {
      if (stream.test("name:is")) this.fail("You cannot chain multiple tests with is");
      args = { ...NO_ARGUMENTS, positional: [this.#postfix(this.#primary())] };
    }
    const test: Expression = { kind: "test", value, name, args, line };
    return isNegated ? { kind: "not", value: test, line } : test;
  }
}

function isAssignable(node: Expression): boolean {
  if (node.kind === "name") return !(node.name in CONSTANTS);
  if (node.kind === "namespace") return true;
  return (node.kind === "tuple" || node.kind === "list") && node.items.every(isAssignable);
}
