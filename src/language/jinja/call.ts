import { entriesOf, typeName } from "../python/values.ts";
import { iterate } from "../python/iterate.ts";
import { typeError } from "../python/python_error.ts";
import { receiver } from "./attributes.ts";
import { Callable, type Keywords, NO_KEYWORDS } from "./callable.ts";
import { evaluateAll, then } from "./compiled.ts";
import { mapOnly } from "./methods/dict.ts";
import type { CallArguments } from "./nodes.ts";
import type { Evaluate, Frame } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

/** Evaluates the arguments of a call, then calls a function with them. */
type WithArguments = <T>(
  frame: Frame,
  call: (args: readonly unknown[], keywords: Keywords) => T,
) => T | Promise<Awaited<T>>;

/** Calls a value. @throws {PythonError} if it cannot be called */
export function callValue(value: unknown, args: readonly unknown[], keywords: Keywords): unknown {
  if (value instanceof Callable) return value.call(args, keywords);
  if (value instanceof Undefined) return value.fail();
  throw typeError(`'${typeName(value)}' object is not callable`);
}

export function compileArguments(
  node: CallArguments,
  compile: (node: CallArguments["positional"][number]) => Evaluate,
): WithArguments {
  const positional = node.positional.map(compile);
  const names = node.keywords.map(({ name }) => name);
  const values = node.keywords.map(({ value }) => compile(value));
  const rest = node.rest === undefined ? undefined : compile(node.rest);
  const restKeywords = node.restKeywords === undefined ? undefined : compile(node.restKeywords);
  if (names.length === 0 && rest === undefined && restKeywords === undefined) {
    if (positional.length === 0) return (_frame, call) => call([], NO_KEYWORDS);
    return (frame, call) => then(evaluateAll(positional, frame), (args) => call(args as unknown[], NO_KEYWORDS));
  }
  const parts = [...positional, ...values, ...rest === undefined ? [] : [rest], ...restKeywords ? [restKeywords] : []];
  return (frame, call) =>
    then(evaluateAll(parts, frame), (known) => {
      const all = known as unknown[];
      const args = all.slice(0, positional.length);
      const keywords = new Map<string, unknown>();
      names.forEach((name, at) => keywords.set(name, all[positional.length + at]));
      let at = positional.length + names.length;
      if (rest !== undefined) { for (const value of iterate(all[at++])) args.push(value); }
      if (restKeywords !== undefined) addKeywords(keywords, all[at]);
      return call(args, keywords);
    });
}

function addKeywords(keywords: Map<string, unknown>, map: unknown): void {
  if (map instanceof Undefined) map.fail();
  for (const [key, value] of entriesOf(mapOnly(receiver(map)))) {
    if (typeof key !== "string") throw typeError("keywords must be strings");
    if (keywords.has(key)) throw typeError(`got multiple values for keyword argument '${key}'`);
    keywords.set(key, value);
  }
}
