/** Finds the expressions of a template that are the same in every render: they are evaluated once, in the first render. */
import type { CallArguments, Expression } from "./nodes.ts";
import type { Evaluate } from "./runtime.ts";

/** The most characters of a text that is kept with its template. */
const MAX_KEPT_CHARACTERS = 4096;

type Parts = readonly (Expression | undefined)[];

const argumentsOf = ({ positional, keywords, rest, restKeywords }: CallArguments): Parts => [
  ...positional,
  ...keywords.map(({ value }) => value),
  rest,
  restKeywords,
];

/** The parts of an expression; undefined for an expression whose value may change between renders. */
function partsOf(node: Expression, steady: ReadonlySet<string>): Parts | undefined {
  switch (node.kind) {
    case "const":
      return [];
    case "tuple":
    case "list":
    case "concat":
      return node.items;
    case "dict":
      return node.items.flatMap(({ key, value }) => [key, value]);
    case "if":
      return [node.test, node.then, node.otherwise];
    case "and":
    case "or":
    case "binary":
      return [node.left, node.right];
    case "not":
    case "negative":
    case "positive":
      return [node.value];
    case "compare":
      return [node.first, ...node.rest.map(({ value }) => value)];
    case "item":
      return [node.of, node.key];
    case "slice":
      return [node.start, node.stop, node.step];
    case "test":
      return [node.value, ...argumentsOf(node.args)];
    case "filter":
      return steady.has(node.name) && namesSteadyFilter(node.name, node.args, steady)
        ? [node.value, ...argumentsOf(node.args)]
        : undefined;
    default:
      return undefined;
  }
}

/** True for `map('upper')` if the named filter is steady. */
function namesSteadyFilter(name: string, { positional: [first] }: CallArguments, steady: ReadonlySet<string>): boolean {
  if (name !== "map" || first === undefined) return true;
  return first.kind === "const" && steady.has(String(first.value));
}

/**
 * True for an expression that has the same value in every render.
 *
 * @param steady names of the filters whose result depends only on their arguments
 */
export function isConstant(node: Expression, steady: ReadonlySet<string>): boolean {
  const open: Expression[] = [node];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const parts = partsOf(one, steady);
    if (parts === undefined) return false;
    for (const part of parts) if (part !== undefined) open.push(part);
  }
  return true;
}

/** Evaluates a constant and keeps its result if that is a short text; an error is thrown each time. */
export function rememberText(evaluate: Evaluate): Evaluate {
  let known: string | undefined;
  return (frame) => {
    if (known !== undefined) return known;
    const value = evaluate(frame);
    if (typeof value === "string" && value.length <= MAX_KEPT_CHARACTERS) known = value;
    return value;
  };
}
