import { joinTexts } from "../python/arithmetic.ts";
import { dictSet } from "../python/dict.ts";
import { str, truthy, tupleOf } from "../python/values.ts";
import { receiver } from "./attributes.ts";
import { BlockReference } from "./blocks.ts";
import { callValue, compileArguments } from "./call.ts";
import { NO_KEYWORDS } from "./callable.ts";
import { evaluateAll, then } from "./compiled.ts";
import { TemplateRuntimeError, TemplateSyntaxError } from "./errors.ts";
import { Macro } from "./macro.ts";
import { ESCAPING_FILTERS } from "./filters/escaping.ts";
import { asMarkup } from "./markup.ts";
import type { CallNode, Expression, FilterNode, SliceNode, TestNode } from "./nodes.ts";
import { BINARY, COMPARISONS, UNARY } from "./operators.ts";
import type { Evaluate, Filter, JinjaEnvironment, Test } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

/** The state of the compilation of a template. */
export interface Compiler {
  filters: JinjaEnvironment["filters"];
  tests: JinjaEnvironment["tests"];
  /** The filters whose result depends only on their arguments. */
  steady: JinjaEnvironment["steady"];
  /** True behind a condition, where an unknown filter fails only when it runs. */
  isSoft: boolean;
  /** True if printed values are escaped for HTML. */
  autoescape: boolean;
  /** True within a loop, where `break` and `continue` are allowed. */
  inLoop: boolean;
}

type Compile = (node: never, compiler: Compiler) => Evaluate;

/** Compiles an expression. @throws {TemplateSyntaxError} for unknown filters and tests */
export function compileExpression(node: Expression, compiler: Compiler): Evaluate {
  return (COMPILE[node.kind] as (node: Expression, compiler: Compiler) => Evaluate)(node, compiler);
}

function two(left: Evaluate, right: Evaluate, operation: (a: unknown, b: unknown) => unknown): Evaluate {
  return (frame) => {
    const a = left(frame);
    if (a instanceof Promise) return a.then((known) => then(right(frame), (b) => operation(known, b)));
    const b = right(frame);
    return b instanceof Promise ? b.then((known) => operation(a, known)) : operation(a, b);
  };
}

function constant(value: unknown): Evaluate {
  return () => value;
}

const COMPILE: Readonly<Record<Expression["kind"], Compile>> = {
  const: ({ value }: { value: unknown }) => constant(value),
  name: ({ name }: { name: string }) => (frame) => frame.resolve(name),
  tuple: sequenceOf((items) => tupleOf(items)),
  list: sequenceOf((items) => items),
  dict: compileDict,
  if: compileCondition,
  and: compileLogic(false),
  or: compileLogic(true),
  not: ({ value }: { value: Expression }, compiler) => {
    const inner = compileExpression(value, compiler);
    return (frame) => then(inner(frame), (known) => !truthy(known));
  },
  negative: compileUnary,
  positive: compileUnary,
  binary: ({ operator, left, right }: Extract<Expression, { kind: "binary" }>, compiler) =>
    two(compileExpression(left, compiler), compileExpression(right, compiler), BINARY[operator]!),
  concat: ({ items }: { items: Expression[] }, compiler) => {
    const parts = items.map((item) => compileExpression(item, compiler));
    return (frame) => then(evaluateAll(parts, frame), (values) => joinTexts((values as unknown[]).map(str)));
  },
  compare: compileComparison,
  attribute: ({ of, name }: { of: Expression; name: string }, compiler) => {
    const inner = compileExpression(of, compiler);
    return (frame) => {
      const value = inner(frame);
      const { attributes } = frame.run.environment;
      return value instanceof Promise
        ? value.then((known) => attributes.attribute(known, name))
        : attributes.attribute(value, name);
    };
  },
  item: compileItem,
  slice: ({ line }: { line: number }) => {
    throw new TemplateSyntaxError("a slice is only allowed in brackets after a value", line);
  },
  call: compileCall,
  filter: (node: FilterNode, compiler) => {
    const value = compileExpression(node.value!, compiler);
    return compileFilter(node, compiler, value);
  },
  test: compileTest,
  namespace: ({ line }: { line: number }) => {
    throw new TemplateSyntaxError("a namespace is assigned to, not read so", line);
  },
};

function sequenceOf(make: (items: unknown[]) => unknown) {
  return ({ items }: { items: Expression[] }, compiler: Compiler): Evaluate => {
    const parts = items.map((item) => compileExpression(item, compiler));
    return (frame) => then(evaluateAll(parts, frame), (values) => make(values as unknown[]));
  };
}

function compileDict({ items }: Extract<Expression, { kind: "dict" }>, compiler: Compiler): Evaluate {
  const parts = items.flatMap((
    { key, value },
  ) => [compileExpression(key, compiler), compileExpression(value, compiler)]);
  return (frame) =>
    then(evaluateAll(parts, frame), (known) => {
      const values = known as unknown[];
      const map = new Map<unknown, unknown>();
      for (let at = 0; at < values.length; at += 2) {
        const key = receiver(values[at]);
        if (key instanceof Undefined) key.fail();
        dictSet(map, key, values[at + 1]);
      }
      return map;
    });
}

function compileCondition(node: Extract<Expression, { kind: "if" }>, compiler: Compiler): Evaluate {
  const soft = { ...compiler, isSoft: true };
  const test = compileExpression(node.test, soft);
  const first = compileExpression(node.then, soft);
  const otherwise = node.otherwise === undefined
    ? constant(
      new Undefined(
        `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`,
        { lenient: true },
      ),
    )
    : compileExpression(node.otherwise, soft);
  return (frame) => then(test(frame), (holds) => truthy(holds) ? first(frame) : otherwise(frame));
}

/** Compiles `and` and `or`: the result is the first value that decides. */
function compileLogic(decides: boolean) {
  return (node: { left: Expression; right: Expression }, compiler: Compiler): Evaluate => {
    const left = compileExpression(node.left, compiler);
    const right = compileExpression(node.right, compiler);
    return (frame) => then(left(frame), (value) => truthy(value) === decides ? value : right(frame));
  };
}

function compileUnary(node: { kind: "negative" | "positive"; value: Expression }, compiler: Compiler): Evaluate {
  const inner = compileExpression(node.value, compiler);
  const operation = UNARY[node.kind];
  return (frame) => then(inner(frame), operation);
}

function compileComparison({ first, rest }: Extract<Expression, { kind: "compare" }>, compiler: Compiler): Evaluate {
  const start = compileExpression(first, compiler);
  const steps = rest.map(({ operator, value }) => ({
    compare: COMPARISONS[operator]!,
    value: compileExpression(value, compiler),
  }));
  if (steps.length === 1) return two(start, steps[0]!.value, steps[0]!.compare);
  return (frame) => {
    const from = (left: unknown, at: number): unknown =>
      then(steps[at]!.value(frame), (right) => {
        const compared = steps[at]!.compare(left, right);
        return then(compared, (holds) => !truthy(holds) || at === steps.length - 1 ? holds : from(right, at + 1));
      });
    return then(start(frame), (left) => from(left, 0));
  };
}

function compileItem({ of, key }: Extract<Expression, { kind: "item" }>, compiler: Compiler): Evaluate {
  const value = compileExpression(of, compiler);
  if (key.kind === "slice") return compileSlice(value, key, compiler);
  const index = compileExpression(key, compiler);
  return (frame) => {
    const { attributes } = frame.run.environment;
    const known = value(frame);
    if (known instanceof Promise) {
      return known.then((inner) => then(index(frame), (at) => attributes.item(inner, receiver(at))));
    }
    const at = index(frame);
    if (at instanceof Promise) return at.then((place) => attributes.item(known, receiver(place)));
    return attributes.item(known, receiver(at));
  };
}

function compileSlice(value: Evaluate, { start, stop, step }: SliceNode, compiler: Compiler): Evaluate {
  const part = (node: Expression | undefined) =>
    node === undefined ? constant(null) : compileExpression(node, compiler);
  const parts = [value, part(start), part(stop), part(step)];
  return (frame) =>
    then(evaluateAll(parts, frame), (known) => {
      const [inner, first, last, by] = known as unknown[];
      return frame.run.environment.attributes.slice(inner, { start: first, stop: last, step: by });
    });
}

function compileCall(node: CallNode, compiler: Compiler): Evaluate {
  const { callee } = node;
  checkKeywords(node);
  const args = compileArguments(node.args, (part) => compileExpression(part, compiler));
  if (callee.kind === "attribute") return compileMethodCall(callee, args, compiler);
  const call = compiler.autoescape ? callEscaping : callValue;
  const value = compileExpression(callee, compiler);
  return (frame) => {
    frame.run.budget.step();
    return then(value(frame), (known) => {
      if (known instanceof Undefined) known.fail();
      return args(frame, (list, keywords) => call(known, list, keywords));
    });
  };
}

/** As {@link callValue}; the text of a macro or a block is not escaped again. */
const callEscaping: typeof callValue = (callee, args, keywords) => {
  const value = callValue(callee, args, keywords);
  return callee instanceof Macro || callee instanceof BlockReference ? then(value, asMarkup) : value;
};

/** Compiles `value.name(…)`: a method of a built-in type is called without being bound first. */
function compileMethodCall(
  { of, name }: Extract<Expression, { kind: "attribute" }>,
  args: ReturnType<typeof compileArguments>,
  compiler: Compiler,
): Evaluate {
  const owner = compileExpression(of, compiler);
  const call = compiler.autoescape ? callEscaping : callValue;
  return (frame) => {
    frame.run.budget.step();
    const { attributes } = frame.run.environment;
    return then(owner(frame), (self) => {
      const method = attributes.method(self, name);
      if (method !== undefined) {
        return args(frame, (list, keywords) => method.call(receiver(self) as never, list.map(plain), keywords));
      }
      return then(attributes.attribute(self, name), (value) => {
        if (value instanceof Undefined) value.fail();
        return args(frame, (list, keywords) => call(value, list, keywords));
      });
    });
  };
}

/** An argument of a built-in method: markup is passed as its text. */
const plain = (value: unknown) => receiver(value);

function checkKeywords({ args: { keywords }, line }: CallNode | FilterNode | TestNode): void {
  const names = keywords.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TemplateSyntaxError(`keyword argument repeated: ${twice}`, line);
}

/** The entry of a table; a missing entry fails at once, or behind a condition when it is used. */
function entryOf<T extends Filter | Test>(
  table: Readonly<Record<string, T>>,
  kind: "filter" | "test",
  { name, line }: FilterNode | TestNode,
  isSoft: boolean,
): T {
  if (Object.hasOwn(table, name)) return table[name]!;
  if (!isSoft) throw new TemplateSyntaxError(`No ${kind} named '${name}'.`, line);
  return (() => {
    throw new TemplateRuntimeError(`No ${kind} named '${name}' found.`);
  }) as unknown as T;
}

/** Compiles a filter on a value: that of an expression, or the body of a block. */
export function compileFilter(node: FilterNode, compiler: Compiler, value: Evaluate): Evaluate {
  checkKeywords(node);
  const filters = compiler.autoescape ? { ...compiler.filters, ...ESCAPING_FILTERS } : compiler.filters;
  const filter = entryOf(filters, "filter", node, compiler.isSoft);
  const args = compileArguments(node.args, (part) => compileExpression(part, compiler));
  const hasNone = node.args.positional.length === 0 && node.args.keywords.length === 0 &&
    node.args.rest === undefined && node.args.restKeywords === undefined;
  if (hasNone) return (frame) => then(value(frame), (known) => filter(frame.run, known, [], NO_KEYWORDS));
  return (frame) =>
    then(value(frame), (known) => args(frame, (list, keywords) => filter(frame.run, known, list, keywords)));
}

/** Compiles a chain of filters on the body of a block: `{% set x | a | b %}`. */
export function compileFilters(node: FilterNode, compiler: Compiler, body: Evaluate): Evaluate {
  const value = node.value === undefined ? body : compileFilters(node.value as FilterNode, compiler, body);
  return compileFilter(node, compiler, value);
}

function compileTest(node: TestNode, compiler: Compiler): Evaluate {
  checkKeywords(node);
  const test = entryOf(compiler.tests, "test", node, compiler.isSoft);
  const value = compileExpression(node.value, compiler);
  const args = compileArguments(node.args, (part) => compileExpression(part, compiler));
  return (frame) =>
    then(value(frame), (known) => args(frame, (list, keywords) => test(frame.run, known, list, keywords)));
}
