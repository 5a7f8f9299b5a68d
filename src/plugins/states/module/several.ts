/** The newer form of module.run: several functions, each with its list of arguments. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import type { Signature } from "../../../model/loader/signature.ts";
import { hasFunction, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { entriesOf, isMap, lookup, str } from "../../../language/python/values.ts";
import { callSucceeded } from "./named.ts";

const plural = (names: readonly string[]) => names.length > 1 ? "True" : "";

/** `test.echo:2` is a second call of `test.echo`. */
const functionOf = (key: string) => key.split(":")[0]!;

/** Calls functions in turn. One that fails does not keep the others from being called. */
export async function runSeveral(context: StateContext, kwargs: Record<string, unknown>): Promise<StateReturn> {
  const { name: _, ...given } = kwargs;
  const keys = Object.keys(given).filter((key) => key.includes("."));
  const ret: StateReturn = { name: Object.keys(given), changes: {}, comment: "", result: null };
  const planned = await plan(context, keys);
  if (planned !== undefined) return { ...ret, ...planned };
  const failures: string[] = [];
  const successes: string[] = [];
  for (const key of keys) {
    try {
      const value = await callWith(context, functionOf(key), given[key]);
      if (!callSucceeded(value)) failures.push(failureOf(key, value));
      else {
        successes.push(`${key}: ${isMap(value) ? str(lookup(value, "comment") ?? "Success") : str(value)}`);
        ret.changes[key] = value;
      }
    } catch (error) {
      if (!(error instanceof SaltInvocationError || error instanceof TypeError)) throw error;
      failures.push(`'${key}' failed: ${error.message}`);
    }
  }
  return { ...ret, comment: [...failures, ...successes].join(", "), result: failures.length === 0 };
}

function failureOf(key: string, value: unknown): string {
  if (!isMap(value)) return `'${key}': False`;
  return `'${key}' failed: ${str(lookup(value, "comment") ?? "(error message N/A)")}`;
}

/** What is said of functions that are not called: since one is missing, or this is a dry run. */
async function plan(context: StateContext, keys: readonly string[]): Promise<Partial<StateReturn> | undefined> {
  const names = keys.map(functionOf);
  const missing: string[] = [];
  for (const name of names) if (!await hasFunction(context, name)) missing.push(name);
  const tests = context.test ? names.filter((name) => !missing.includes(name)) : [];
  if (missing.length === 0 && tests.length === 0) return undefined;
  const texts = [
    ...(missing.length === 0 ? [] : [`Unavailable function${plural(missing)}: ${missing.join(", ")}.`]),
    ...(tests.length === 0 ? [] : [`Function${plural(tests)} ${tests.join(", ")} to be executed.`]),
  ];
  return { comment: texts.join(" "), result: missing.length === 0 ? null : false };
}

/** Calls a function with a list of values and of maps of keywords. */
async function callWith(context: StateContext, name: string, given: unknown): Promise<unknown> {
  const found = await context.functions.find(name);
  if ("message" in found) throw new SaltInvocationError(found.message);
  const { positional, keyword } = argumentsFor(found.signature, iterated(given));
  return await context.call(name, positional, Object.fromEntries(keyword)) ?? null;
}

function iterated(given: unknown): unknown[] {
  if (given === null || given === undefined) return [];
  if (isMap(given)) return entriesOf(given).map(([key]) => key);
  return Array.isArray(given) ? given : typeof given === "string" ? Array.from(given) : [given];
}

/** @see salt/utils/functools.py call_function */
function argumentsFor({ params }: Signature, given: readonly unknown[]) {
  const required = params.filter((param) => !("default" in param)).map(({ name }) => name);
  const keyword = new Map<string, unknown>(
    params.filter((param) => "default" in param).map((param) => [param.name, param.default]),
  );
  const byName = new Map<string, unknown>();
  const positional: unknown[] = [];
  // From the last to the first: that is how the keywords get their order.
  for (const one of given.toReversed()) {
    if (!isMap(one)) positional.unshift(one);
    else {for (const [key, value] of entriesOf(one)) {
        (required.includes(str(key)) ? byName : keyword).set(str(key), value);
      }}
  }
  for (const name of required) if (byName.has(name)) positional.push(byName.get(name));
  const missing = params.slice(positional.length).filter(({ name }) => !keyword.has(name)).map(({ name }) => name);
  if (positional.length < required.length && missing.length > 0) {
    throw new SaltInvocationError(`Missing arguments: ${missing.join(", ")}`);
  }
  // An argument that is given by its place goes over the default of that parameter.
  for (const { name } of params.slice(required.length, positional.length)) keyword.delete(name);
  return { positional, keyword };
}
