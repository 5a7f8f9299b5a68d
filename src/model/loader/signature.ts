import { yamlifyArg } from "../job/args.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";

/** Types that a signature may give to a parameter: `force: bool=False`. Any given value is converted. */
const TYPES = {
  bool: truthy,
  str,
};

type Types = typeof TYPES;

/** One parameter of a function; without `default` the caller must pass it. */
export interface Parameter {
  name: string;
  type?: keyof Types;
  default?: unknown;
}

/**
 * The parameters of a function, in Python's terms, because callers think in them and `sys.argspec` shows them.
 *
 * @internal
 */
export interface Signature {
  params: Parameter[];
  /** Name of `*args`; undefined if the function takes no further positional values. */
  varargs: string | undefined;
  /** Name of `**kwargs`; undefined if the function takes no further keywords. */
  keywords: string | undefined;
}

/** The arguments do not fit the signature; the message is Python's. */
export class ArgumentMismatchError extends TypeError {}

const LITERALS: Record<string, unknown> = { None: null, True: true, False: false, "()": [], "[]": [], "{}": {} };

function literal(text: string): unknown {
  // Strip the quotes here: the parser of command-line arguments would keep them around a text with #.
  const quoted = /^'([^'\\]*)'$/.exec(text);
  if (quoted !== null) return quoted[1];
  if (Object.hasOwn(LITERALS, text)) {
    const value = LITERALS[text];
    return typeof value === "object" && value !== null ? structuredClone(value) : value;
  }
  return yamlifyArg(text);
}

/**
 * Reads a signature in Python's notation: `text`, `code=42`, `force: bool=False`, `*args`, `**kwargs`, separated by commas.
 * Defaults are Python literals without commas. A parsed signature is returned unchanged.
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
      const [name = "", type] = (at < 0 ? part : part.slice(0, at)).split(":").map((piece) => piece.trim());
      const parameter: Parameter = { name };
      if (type !== undefined && Object.hasOwn(TYPES, type)) parameter.type = type as keyof Types;
      if (at >= 0) parameter.default = literal(part.slice(at + 1).trim());
      signature.params.push(parameter);
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

export type Trim<S extends string> = S extends `${" " | "\n"}${infer T}` ? Trim<T>
  : S extends `${infer T}${" " | "\n"}` ? Trim<T>
  : S;

/**
 * The parameters in the text of a signature, as written.
 *
 * @internal
 */
export type Pieces<S extends string, Seen extends string[] = []> = S extends `${infer One},${infer Rest}`
  ? Pieces<Rest, [...Seen, Trim<One>]>
  : Trim<S> extends "" ? Seen
  : [...Seen, Trim<S>];

/** A parameter without its default. */
export type Left<P extends string> = P extends `${infer N}=${string}` ? Trim<N> : P;

export type NameOf<P extends string> = P extends `**${infer N}` ? N
  : P extends `*${infer N}` ? N
  : Left<P> extends `${infer N}:${string}` ? Trim<N>
  : Left<P>;

type ValueOf<P extends string> = P extends `**${string}` ? Record<string, unknown>
  : P extends `*${string}` ? unknown[]
  : Left<P> extends `${string}:${infer T}` ? Trim<T> extends keyof Types ? ReturnType<Types[Trim<T>]> : never
  : unknown;

/**
 * The type of a function's arguments, from the text of its signature: `"name, force: bool=False, **kwargs"` makes `{name:
 * unknown; force: boolean; kwargs: Record<string, unknown>}`. A default does not decide the type, because a caller may pass any
 * value.
 */
export type Arguments<S> = S extends string
  ? string extends S ? Args : { [P in Pieces<S>[number] as NameOf<P>]: ValueOf<P> }
  : Args;

interface AnyFunction {
  signature: string | Signature;
  run(context: never, args: never): unknown;
}

/** The declaration of a function: its signature decides the type of the arguments of `run`. */
export type Declared<F extends AnyFunction, S, R> = Omit<F, "signature" | "run"> & {
  signature: S;
  run(context: Parameters<F["run"]>[0], args: Arguments<S>): R;
};

/** Declares a function; the signature types the arguments of `run`, and the result keeps the type of the return. */
export type Declare<F extends AnyFunction> = <S extends string | Signature, R extends ReturnType<F["run"]>>(
  fun: Declared<F, S, R>,
) => Declared<F, Signature | string, R>;

/** The name of a function in `"greet(who, times=1)"`. */
export type Head<P> = P extends `${infer N}(${string}` ? N : P;

/** The arguments of a function that is declared as `"greet(who, times=1)"`. */
export type Signed<P> = P extends `${string}(${infer S}` ? Arguments<S extends `${infer R})` ? R : S> : Args;

/** A function in a table, without its signature if its name has it. */
export type Row<F extends AnyFunction, P> = P extends `${string}(${string}` ? Omit<F, "signature" | "run"> & {
    run(context: Parameters<F["run"]>[0], args: Signed<P>): ReturnType<F["run"]>;
  }
  : F;

/**
 * Declares functions by name and signature: `"greet(who, times=1)": { doc, run }`. The signature types the arguments of each
 * `run`; the result has the names of the functions and the types of their returns. A function that is declared elsewhere stands
 * under its name alone.
 */
export type DeclareAll<F extends AnyFunction> = <
  K extends string,
  T extends { [P in K]: { run(context: never, args: never): unknown } },
>(table: T & { [P in K]: Row<F, P> }) => {
  [P in keyof T & string as Head<P> & string]: Omit<F, "run"> & {
    run(context: Parameters<F["run"]>[0], args: Signed<P>): ReturnType<T[P]["run"]>;
  };
};

export function declareFunctions(table: Record<string, Omit<AnyFunction, "signature">>): Record<string, never> {
  return Object.fromEntries(
    Object.entries(table).map(([head, fun]) => {
      const at = head.indexOf("(");
      if (at < 0) return [head, fun as never];
      return [head.slice(0, at), declareFunction({ ...fun, signature: head.slice(at + 1, -1) }) as never];
    }),
  );
}

/** Converts arguments to the types in the signature before the function runs. The signature is parsed on the first call. */
export function declareFunction<F extends AnyFunction>(fun: F): F {
  if (typeof fun.signature === "string" && !fun.signature.includes(":")) return fun;
  let typed: Parameter[] | undefined;
  const run = (context: never, args: Args) => {
    typed ??= parseSignature(fun.signature).params.filter(({ type }) => type !== undefined);
    if (typed.length === 0) return fun.run(context, args as never);
    const coerced = { ...args };
    for (const { name, type } of typed) coerced[name] = TYPES[type!](args[name]);
    return fun.run(context, coerced as never);
  };
  return { ...fun, run };
}

/** What all calls of a function have in common. */
interface Frame {
  /** Each parameter with its default, then `*args` and `**kwargs`: copying it takes a fraction of setting its keys one by one. */
  args: Readonly<Args>;
  /** Parameter → its place. */
  places: ReadonlyMap<string, number>;
  /** Parameters without a default. */
  required: readonly string[];
  /** Parameters whose default is a list or a map. */
  copied: readonly Parameter[];
}

const FRAMES = new WeakMap<Signature, Frame>();

function frameOf(signature: Signature): Frame {
  let frame = FRAMES.get(signature);
  if (frame === undefined) FRAMES.set(signature, frame = makeFrame(signature));
  return frame;
}

function makeFrame({ params, varargs, keywords }: Signature): Frame {
  const rest = [varargs, keywords].filter((name) => name !== undefined);
  return {
    args: Object.fromEntries([
      ...params.map((param) => [param.name, param.default]),
      ...rest.map((name) => [name, undefined]),
    ]),
    places: new Map(params.map(({ name }, at) => [name, at])),
    required: params.filter((param) => !("default" in param)).map(({ name }) => name),
    copied: params.filter(({ default: value }) => typeof value === "object" && value !== null),
  };
}

/** The names of the parameters without a default. */
export function requiredNames(signature: Signature): readonly string[] {
  return frameOf(signature).required;
}

/** The names of the parameters, without `*args` and `**kwargs`, with their places. */
export function parametersOf(signature: Signature): ReadonlyMap<string, number> {
  return frameOf(signature).places;
}

/** The defaults of all parameters, empty `*args` and `**kwargs`; lists and maps are copied, so that a function may change them. */
export function defaultArguments(signature: Signature): Args {
  const { args, copied } = frameOf(signature);
  const bound: Args = { ...args };
  for (const { name, default: value } of copied) bound[name] = structuredClone(value);
  if (signature.varargs !== undefined) bound[signature.varargs] = [];
  if (signature.keywords !== undefined) bound[signature.keywords] = {};
  return bound;
}

/** Binds values to the parameters of the function `name`. @throws {ArgumentMismatchError} in Python's words */
export function bindArguments(
  name: string,
  signature: Signature,
  positional: readonly unknown[],
  keyword: ReadonlyMap<string, unknown>,
): Args {
  const { params, varargs, keywords } = signature;
  const { places, required } = frameOf(signature);
  if (positional.length > params.length && varargs === undefined) {
    const takes = required.length === params.length
      ? `${params.length} positional argument${params.length === 1 ? "" : "s"}`
      : `from ${required.length} to ${params.length} positional arguments`;
    throw new ArgumentMismatchError(
      `${name}() takes ${takes} but ${positional.length} ${were(positional.length)} given`,
    );
  }
  const bound = defaultArguments(signature);
  const given = Math.min(positional.length, params.length);
  for (let at = 0; at < given; at++) bound[params[at]!.name] = positional[at];
  if (varargs !== undefined) bound[varargs] = positional.slice(params.length);
  const rest: [string, unknown][] = [];
  for (const [key, value] of keyword) {
    const place = places.get(key);
    if (place !== undefined) {
      if (place < given) throw new ArgumentMismatchError(`${name}() got multiple values for argument '${key}'`);
      bound[key] = value;
    } else if (keywords !== undefined) rest.push([key, value]);
    else throw new ArgumentMismatchError(`${name}() got an unexpected keyword argument '${key}'`);
  }
  // `Object.fromEntries`, because assigning to `__proto__` would set the prototype instead of a keyword with this name.
  if (rest.length > 0) bound[keywords!] = Object.fromEntries(rest);
  const missing = required.filter((param) => places.get(param)! >= given && !keyword.has(param));
  if (missing.length > 0) {
    throw new ArgumentMismatchError(
      `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${
        quotedList(missing)
      }`,
    );
  }
  return bound;
}
