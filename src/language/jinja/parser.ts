import { ExpressionParser } from "./expression_parser.ts";
import { tokenize } from "./lexer.ts";
import type { CallNode, DataFormat, Expression, IfNode, MacroSignature, Statement, TemplateNode } from "./nodes.ts";
import type { JinjaOptions } from "./options.ts";
import { matches, quoted, TokenStream } from "./token_stream.ts";

/** Reads a tag from its name up to its end. */
type TagReader = (parser: TemplateParser, line: number) => Statement;

/** The most nested tags: deeper ones are refused before they fill the stack. */
const MAX_DEPTH = 200;

/** Reads a template into a tree. @throws {TemplateSyntaxError} with Jinja2's text and line */
export function parseTemplate(source: string, options: JinjaOptions): TemplateNode {
  const tokens = tokenize(source, options);
  return { ...new TemplateParser(new TokenStream(tokens)).template(), tokens: tokens.length };
}

/** Reads the tags and data of a template; expressions are {@link ExpressionParser}'s. */
class TemplateParser {
  readonly stream: TokenStream;
  readonly expressions: ExpressionParser;
  readonly blocks: TemplateNode["blocks"] = new Map();
  readonly #tags: string[] = [];
  readonly #ends: (readonly string[])[] = [];

  constructor(stream: TokenStream) {
    this.stream = stream;
    this.expressions = new ExpressionParser(stream);
  }

  template(): Omit<TemplateNode, "tokens"> {
    return { body: this.#until(undefined), blocks: this.blocks };
  }

  fail(message: string, line?: number): never {
    return this.expressions.fail(message, line);
  }

  /** Reads statements up to one of the tags, which is the current token then. */
  body(...ends: string[]): Statement[] {
    const { stream } = this;
    stream.skipIf(":");
    stream.expect("block_end");
    const names = ends.map((end) => `name:${end}`);
    const statements = this.#until(names);
    if (stream.current.type === "eof") this.#failUnknown(undefined, [...this.#ends, names], stream.current.line);
    return statements;
  }

  /** As {@link body}, for a single tag, which is read as well. */
  bodyTo(end: string): Statement[] {
    const statements = this.body(end);
    this.stream.next();
    return statements;
  }

  #until(ends: readonly string[] | undefined): Statement[] {
    const { stream } = this;
    const body: Statement[] = [];
    let output: { kind: "output"; parts: (string | Expression)[]; line: number } | undefined;
    const add = (part: string | Expression, line: number) => {
      if (output === undefined) body.push(output = { kind: "output", parts: [], line });
      output.parts.push(part);
    };
    if (ends !== undefined) this.#ends.push(ends);
    while (stream.current.type !== "eof") {
      const { type, line } = stream.current;
      if (type === "data") {
        add(String(stream.next().value), line);
      } else if (type === "variable_begin") {
        stream.next();
        const value = this.expressions.tuple();
        add(value, value.line);
        stream.expect("variable_end");
      } else {
        output = undefined;
        stream.next();
        if (ends !== undefined && stream.testAny(ends)) break;
        body.push(this.#statement());
        stream.expect("block_end");
      }
    }
    if (ends !== undefined) this.#ends.pop();
    return body;
  }

  #statement(): Statement {
    const token = this.stream.current;
    if (token.type !== "name") this.fail("tag name expected", token.line);
    const name = String(token.value);
    if (!Object.hasOwn(TAGS, name)) this.#failUnknown(name, this.#ends, token.line);
    if (this.#tags.length >= MAX_DEPTH) this.fail(`tags are nested more than ${MAX_DEPTH} levels deep`, token.line);
    this.#tags.push(name);
    this.stream.next();
    const statement = TAGS[name]!(this, token.line);
    this.#tags.pop();
    return statement;
  }

  #failUnknown(name: string | undefined, stack: readonly (readonly string[])[], line: number): never {
    const wanted = stack.at(-1)?.map((end) => quoted(end.slice(5))).join(" or ");
    const message = [name === undefined ? "Unexpected end of template." : `Encountered unknown tag ${quoted(name)}.`];
    if (wanted !== undefined) {
      message.push(
        name !== undefined && stack.flat().includes(`name:${name}`)
          ? `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
          : `Jinja was looking for the following tags: ${wanted}.`,
      );
    }
    const innermost = this.#tags.at(-1);
    if (innermost !== undefined) message.push(`The innermost block that needs to be closed is ${quoted(innermost)}.`);
    return this.fail(message.join(" "), line);
  }

  /** Reads `with context` or `without context`, if present. */
  context(otherwise: boolean): boolean {
    const { stream } = this;
    if (!stream.testAny(["name:with", "name:without"]) || !matches(stream.look(), "name:context")) return otherwise;
    const withContext = stream.next().value === "with";
    stream.next();
    return withContext;
  }

  signature(): MacroSignature {
    const { stream, expressions } = this;
    const names: string[] = [];
    const defaults: Expression[] = [];
    stream.expect("(");
    while (!stream.test(")")) {
      if (names.length > 0) stream.expect(",");
      const { name } = expressions.name();
      if (stream.skipIf("=")) defaults.push(expressions.expression());
      else if (defaults.length > 0) this.fail("non-default argument follows default argument");
      names.push(name);
    }
    stream.expect(")");
    return { names, defaults };
  }
}

const readFor: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const target = expressions.target({ endsAt: ["name:in"] });
  stream.expect("name:in");
  const iterable = expressions.tuple({ conditional: false, endsAt: ["name:recursive"] });
  const test = stream.skipIf("name:if") ? expressions.expression() : undefined;
  const recursive = stream.skipIf("name:recursive");
  const body = parser.body("endfor", "else");
  const otherwise = stream.next().value === "endfor" ? [] : parser.bodyTo("endfor");
  return { kind: "for", target, iterable, test, recursive, body, otherwise, line };
};

const readIf: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const branches: IfNode["branches"] = [];
  for (;;) {
    const test = expressions.tuple({ conditional: false });
    branches.push({ test, body: parser.body("elif", "else", "endif") });
    const { value } = stream.next();
    if (value === "elif") continue;
    return { kind: "if", branches, otherwise: value === "else" ? parser.bodyTo("endif") : [], line };
  }
};

const readSet: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const target = expressions.target({ namespaces: true });
  if (stream.skipIf("=")) return { kind: "set", target, value: expressions.tuple(), line };
  const filter = expressions.filters(undefined);
  return { kind: "set block", target, filter, body: parser.bodyTo("endset"), line };
};

const readWith: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const [targets, values]: [ReturnType<typeof expressions.target>[], Expression[]] = [[], []];
  while (!stream.test("block_end")) {
    if (targets.length > 0) stream.expect(",");
    targets.push(expressions.target());
    stream.expect("=");
    values.push(expressions.expression());
  }
  return { kind: "with", targets, values, body: parser.bodyTo("endwith"), line };
};

const readBlock: TagReader = (parser, line) => {
  const { stream, blocks } = parser;
  const name = String(stream.expect("name").value);
  if (blocks.has(name)) parser.fail(`block ${quoted(name)} defined twice`, line);
  const node = { kind: "block", name, scoped: false, required: false, body: [] as Statement[], line } as const;
  const block: Extract<Statement, { kind: "block" }> = { ...node };
  blocks.set(name, block);
  block.scoped = stream.skipIf("name:scoped");
  block.required = stream.skipIf("name:required");
  if (stream.test("-")) {
    parser.fail(
      "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
    );
  }
  block.body = parser.bodyTo("endblock");
  const isBlank = (statement: Statement) =>
    statement.kind === "output" && statement.parts.every((part) => typeof part === "string" && part.trim() === "");
  if (block.required && !block.body.every(isBlank)) {
    parser.fail("Required blocks can only contain comments or whitespace");
  }
  stream.skipIf(`name:${name}`);
  return block;
};

const readInclude: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  const ignoreMissing = stream.test("name:ignore") && matches(stream.look(), "name:missing");
  if (ignoreMissing) {
    stream.next();
    stream.next();
  }
  return { kind: "include", template, ignoreMissing, withContext: parser.context(true), line };
};

const readImport: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  stream.expect("name:as");
  const { name: target } = expressions.name();
  return { kind: "import", template, target, withContext: parser.context(false), line };
};

const readFrom: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  stream.expect("name:import");
  const names: { name: string; as: string }[] = [];
  const contextFollows = () => stream.testAny(["name:with", "name:without"]) && matches(stream.look(), "name:context");
  for (;;) {
    if (names.length > 0) stream.expect(",");
    if (contextFollows()) break;
    const { name, line: at } = expressions.name();
    if (name.startsWith("_")) parser.fail("names starting with an underline can not be imported", at);
    names.push({ name, as: stream.skipIf("name:as") ? expressions.name().name : name });
    if (contextFollows() || !stream.test(",")) break;
  }
  return { kind: "from", template, names, withContext: parser.context(false), line };
};

const readCall: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const signature = stream.test("(") ? parser.signature() : { names: [], defaults: [] };
  const call = expressions.expression();
  if (call.kind !== "call") parser.fail("expected call", line);
  return { kind: "call block", call: call as CallNode, signature, body: parser.bodyTo("endcall"), line };
};

const readMacro: TagReader = (parser, line) => {
  const { name } = parser.expressions.name();
  const signature = parser.signature();
  return { kind: "macro", name, signature, body: parser.bodyTo("endmacro"), line };
};

const readFilter: TagReader = (parser, line) => {
  const filter = parser.expressions.filters(undefined, true)!;
  return { kind: "filter block", filter, body: parser.bodyTo("endfilter"), line };
};

const readPrint: TagReader = (parser, line) => {
  const { stream, expressions } = parser;
  const parts: Expression[] = [];
  while (!stream.test("block_end")) {
    if (parts.length > 0) stream.expect(",");
    parts.push(expressions.expression());
  }
  return { kind: "output", parts, line };
};

/** Reads Salt's `load_yaml as x`, `load_json as x` and `load_text as x`. */
const readLoad = (format: DataFormat): TagReader => (parser, line) => {
  parser.stream.expect("name:as");
  const target = parser.expressions.target();
  return { kind: "load", format, target, body: parser.bodyTo("endload"), line };
};

/** Reads Salt's `import_yaml 'path' as x`, and the same for JSON and text. */
const readImportData = (format: DataFormat): TagReader => (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  stream.expect("name:as");
  const { name: target } = expressions.name();
  return { kind: "import data", format, template, target, withContext: parser.context(false), line };
};

const readProfile: TagReader = (parser, line) => {
  parser.stream.expect("name:as");
  const label = parser.expressions.expression();
  return { kind: "profile", label, body: parser.bodyTo("endprofile"), line };
};

const TAGS: Readonly<Record<string, TagReader>> = {
  for: readFor,
  if: readIf,
  set: readSet,
  with: readWith,
  block: readBlock,
  include: readInclude,
  import: readImport,
  from: readFrom,
  call: readCall,
  macro: readMacro,
  filter: readFilter,
  print: readPrint,
  autoescape: (parser, line) => {
    const value = parser.expressions.expression();
    return { kind: "autoescape", value, body: parser.bodyTo("endautoescape"), line };
  },
  extends: (parser, line) => ({ kind: "extends", template: parser.expressions.expression(), line }),
  do: (parser, line) => ({ kind: "do", value: parser.expressions.tuple(), line }),
  break: (_parser, line) => ({ kind: "break", line }),
  continue: (_parser, line) => ({ kind: "continue", line }),
  load_yaml: readLoad("yaml"),
  load_json: readLoad("json"),
  load_text: readLoad("text"),
  import_yaml: readImportData("yaml"),
  import_json: readImportData("json"),
  import_text: readImportData("text"),
  profile: readProfile,
};
