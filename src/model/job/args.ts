import { SaltError } from "../../base/errors.ts";
import { entriesOf, isInteger, isMap, lookup, mapOf, str } from "../../language/python/values.ts";
import { strip } from "../../language/python/text.ts";
import type { YamlBudget } from "../../language/yaml/budget.ts";
import { YamlLimitError } from "../../language/yaml/construct.ts";
import { parseLine } from "../../language/yaml/line.ts";

/** The job has keyword arguments that its function does not accept. */
export class InvocationError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("INVOCATION", message, options);
  }
}

/** The key that marks the one map in `arg` that holds keyword arguments. */
const KWARG_MARKER = "__kwarg__";

// Python's `^([^\d\W][\w.-]*)=(?!=)(.*)$`: its `\w` is any letter or digit of any script, its `$` may stand before a
// final line feed, and its `.` is anything but a line feed.
const KWARG = /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u;

/**
 * Splits `name=value` at its first `=`; undefined if the word is not a keyword argument.
 *
 * @see salt/utils/args.py parse_kwarg
 */
export function splitKwarg(word: string): [name: string, value: string] | undefined {
  const match = KWARG.exec(word);
  return match === null ? undefined : [match[1] ?? "", match[2] ?? ""];
}

/**
 * Converts one word of a command line to the value it stands for: numbers, booleans, null, quoted text, `[…]` and
 * `{…}` as YAML 1.1 has them; every other word stays text.
 *
 * @param budget bound on the values of all words of one request. @default a bound for each word
 * @throws {YamlLimitError} for a word that expands to too much
 * @see salt/utils/args.py yamlify_arg
 */
export function yamlifyArg(word: unknown, budget?: YamlBudget): unknown {
  if (typeof word !== "string") return word;
  const trimmed = strip(word);
  if (trimmed === "" || trimmed === "---" || trimmed === "...") return word;
  if (word.includes("_") && /^[\d_]+$/.test(trimmed)) return word;
  if (/[\t\r\n]/.test(word)) return word;
  if (word === "None") return null;
  let value: unknown;
  try {
    value = parseLine(word, budget);
  } catch (error) {
    if (error instanceof SyntaxError && !(error instanceof YamlLimitError)) return word;
    throw error;
  }
  if (value instanceof Uint8Array) return word;
  // YAML drops text after "#" as a comment: the word is kept, unless its value is something else than text.
  if (word.includes("#")) return typeof value === "string" || value === null ? word : value;
  if (Array.isArray(value)) return word.startsWith("[") ? value : word;
  if (isMap(value)) return word.startsWith("{") ? value : word;
  return value === "" && (word === "|" || word === "!") ? word : value;
}

/** How {@linkcode parseInput} reads words. */
interface ParseInputOptions {
  /** Names of keyword arguments whose value stays the text after `=` (`--no-parse`). */
  noParse?: Iterable<string>;
}

function isKwargMap(value: unknown): value is Map<unknown, unknown> | Record<string, unknown> {
  return isMap(value) && (value instanceof Map ? value.get(KWARG_MARKER) : value[KWARG_MARKER]) === true;
}

/** Separates positional and keyword arguments, before the rules of a client or a minion apply. */
function split(
  words: readonly unknown[],
  noParse: ReadonlySet<string>,
  convert: boolean,
): { positional: unknown[]; named: [unknown, unknown][] } {
  const positional: unknown[] = [];
  const named: [unknown, unknown][] = [];
  for (const word of words) {
    const pair = typeof word === "string" ? splitKwarg(word) : undefined;
    if (pair !== undefined) named.push([pair[0], noParse.has(pair[0]) ? pair[1] : yamlifyArg(pair[1])]);
    else if (isKwargMap(word)) named.push(...unmarked(word));
    else positional.push(convert ? yamlifyArg(word) : word);
  }
  return { positional, named };
}

function unmarked(map: Map<unknown, unknown> | Record<string, unknown>): [unknown, unknown][] {
  return entriesOf(map).filter(([key]) => key !== KWARG_MARKER);
}

/** Arguments of a call: those by position, and those by name in the order given. */
interface CallArguments {
  positional: unknown[];
  keyword: Map<string, unknown>;
}

/**
 * The arguments in words of a command line, for a runner or a local call.
 *
 * @see salt/utils/args.py parse_input, with `condition=False`
 */
export function parseArguments(words: readonly unknown[], options: ParseInputOptions = {}): CallArguments {
  const { positional, named } = split(words, new Set(options.noParse), true);
  return { positional, keyword: new Map(named) as Map<string, unknown> };
}

/**
 * Makes a job's `arg` as a client sends it: positional values, then one map of the keyword arguments with its marker first. An
 * integer that looks like a job id is sent as text.
 *
 * @see salt/utils/args.py parse_input and condition_input
 */
export function parseInput(words: readonly unknown[], options: ParseInputOptions = {}): unknown[] {
  const { positional, named } = split(words, new Set(options.noParse), true);
  return conditionInput(positional, new Map(named));
}

/** Packs positional and keyword arguments into the form of a job's `arg`. */
export function conditionInput(positional: readonly unknown[], keyword: ReadonlyMap<unknown, unknown>): unknown[] {
  const arg = positional.map((value) => isInteger(value) && str(value).length === 20 ? str(value) : value);
  if (keyword.size > 0) arg.push(mapOf([[KWARG_MARKER, true], ...keyword]));
  return arg;
}

/**
 * Splits a job's `arg` as a minion does, for any function. A map with the marker and a text of the form `name=value` are
 * keyword arguments, wherever they stand; the last value of a name counts. Permissions must be checked on this result.
 *
 * @see salt/minion.py load_args_and_kwargs
 */
export function splitArguments(arg: readonly unknown[]): { positional: unknown[]; named: [unknown, unknown][] } {
  return split(arg, new Set(), false);
}

/** Parameters of a function, as needed to bind arguments. */
export interface ArgumentNames {
  args: readonly string[];
  /** True if the function takes arbitrary keyword arguments (`**kwargs`). */
  keywords: boolean;
}

/**
 * The arguments of one function, from a job's `arg`: maps with the marker are keyword arguments wherever they
 * stand, and a text of the form `name=value` is one too. Other texts stay as they are. A function with arbitrary
 * keywords also receives each field of `load` as `__pub_<field>`.
 *
 * @param load the publication; undefined without one
 * @throws {InvocationError} listing the keyword arguments that the function does not accept
 * @see salt/minion.py load_args_and_kwargs
 */
export function loadArgsAndKwargs(
  signature: ArgumentNames,
  arg: readonly unknown[],
  load?: Record<string, unknown> | null,
): CallArguments {
  const { positional, keyword } = bind(signature, arg);
  if (signature.keywords && load) {
    for (const [field, value] of Object.entries(load)) keyword.set(`__pub_${field}`, value);
  }
  return { positional, keyword };
}

function bind(signature: ArgumentNames, arg: readonly unknown[]): CallArguments {
  const { positional, named } = splitArguments(arg);
  const keyword = new Map<string, unknown>();
  const invalid: string[] = [];
  for (const [name, item] of named as [string, unknown][]) {
    if (signature.keywords || signature.args.includes(name)) keyword.set(name, item);
    else invalid.push(`${str(name)}=${str(item)}`);
  }
  if (invalid.length > 0) {
    throw new InvocationError(`The following keyword arguments are not valid: ${invalid.join(", ")}`, { invalid });
  }
  return { positional, keyword };
}

/** The arguments of a publication for display: the map of keyword arguments without its marker. */
export function argumentsShown(arg: unknown): unknown[] {
  return (Array.isArray(arg) ? arg : []).map((one) => {
    if (!isMap(one) || lookup(one, "__kwarg__") !== true) return one;
    return Object.fromEntries(entriesOf(one).filter(([key]) => key !== "__kwarg__"));
  });
}
