import { yamlifyArg } from "../job/args.ts";

/** One parameter of a function; without `default` it must be given. */
export interface Parameter {
  name: string;
  default?: unknown;
}

/**
 * What a function takes, in Python's terms, since that is how its callers think and how `sys.argspec` shows it.
 *
 * @internal
 */
export interface Signature {
  params: Parameter[];
  /** Name of `*args`, if it takes any number of values. */
  varargs: string | undefined;
  /** Name of `**kwargs`, if it takes any keyword. */
  keywords: string | undefined;
}

/** The arguments do not fit the signature; the message is Python's. */
export class ArgumentMismatchError extends TypeError {}

const LITERALS: Record<string, unknown> = { None: null, True: true, False: false, "()": [], "[]": [], "{}": {} };

function literal(text: string): unknown {
  // A text in quotes is what is in them: as an argument of a command it would keep them where there is a # inside.
  const quoted = /^'([^'\\]*)'$/.exec(text);
  if (quoted !== null) return quoted[1];
  if (Object.hasOwn(LITERALS, text)) {
    const value = LITERALS[text];
    return typeof value === "object" && value !== null ? structuredClone(value) : value;
  }
  return yamlifyArg(text);
}

/**
 * Reads a signature in Python's notation: `text`, `code=42`, `*args`, `**kwargs`, separated by commas. Defaults are
 * Python literals without commas of their own. What was read already is given back.
 */
export function parseSignature(text: string | Signature): Signature {
  if (typeof text !== "string") return text;
  const signature: Signature = { params: [], varargs: undefined, keywords: undefined };
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    if (part.startsWith("**")) signature.keywords = part.slice(2);
    else if (part.startsWith("*")) signature.varargs = part.slice(1);
    else {
      const at = part.indexOf("=");
      if (at < 0) signature.params.push({ name: part });
      else signature.params.push({ name: part.slice(0, at).trim(), default: literal(part.slice(at + 1).trim()) });
    }
  }
  return signature;
}

function quotedList(names: string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 3) return quoted.join(" and ");
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted[quoted.length - 1]}`;
}

const were = (count: number) => count === 1 ? "was" : "were";

/**
 * Arguments by the names of the signature; `*args` is an array and `**kwargs` a map under their names.
 *
 * @internal
 */
// A function knows the types of its own parameters; the binder cannot.
// deno-lint-ignore no-explicit-any
export type BoundArguments = Record<string, any>;

/**
 * Binds values to the parameters of `name`.
 *
 * @throws {ArgumentMismatchError} in Python's words
 */
export function bindArguments(
  name: string,
  signature: Signature,
  positional: readonly unknown[],
  keyword: ReadonlyMap<string, unknown>,
): BoundArguments {
  const { params, varargs, keywords } = signature;
  const bound: BoundArguments = Object.create(null);
  if (positional.length > params.length && varargs === undefined) {
    const required = params.filter((param) => !("default" in param)).length;
    const takes = required === params.length
      ? `${params.length} positional argument${params.length === 1 ? "" : "s"}`
      : `from ${required} to ${params.length} positional arguments`;
    throw new ArgumentMismatchError(
      `${name}() takes ${takes} but ${positional.length} ${were(positional.length)} given`,
    );
  }
  params.forEach((param, index) => {
    if (index < positional.length) bound[param.name] = positional[index];
  });
  if (varargs !== undefined) bound[varargs] = positional.slice(params.length);
  const rest: [string, unknown][] = [];
  const known = new Set(params.map((param) => param.name));
  for (const [key, value] of keyword) {
    if (known.has(key)) {
      if (key in bound) throw new ArgumentMismatchError(`${name}() got multiple values for argument '${key}'`);
      bound[key] = value;
    } else if (keywords !== undefined) rest.push([key, value]);
    else throw new ArgumentMismatchError(`${name}() got an unexpected keyword argument '${key}'`);
  }
  // Not by assignment: a keyword called __proto__ is a keyword like any other.
  if (keywords !== undefined) bound[keywords] = Object.fromEntries(rest);
  const missing = params.filter((param) => !(param.name in bound) && !("default" in param)).map((param) => param.name);
  if (missing.length > 0) {
    throw new ArgumentMismatchError(
      `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${
        quotedList(missing)
      }`,
    );
  }
  for (const param of params) {
    if (!(param.name in bound)) bound[param.name] = defaultOf(param);
  }
  return bound;
}

/** What a parameter is where it is not given: a list or a map of its own. */
export function defaultOf({ default: value }: Parameter): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}
