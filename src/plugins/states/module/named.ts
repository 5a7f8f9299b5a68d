/** The older form of module.run: one function by its name, with its arguments beside it. */
import { messageOf } from "../../../base/errors.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { entriesOf, isMap, str } from "../../../language/python/values.ts";
import type { Signature } from "../../../model/loader/signature.ts";

/** Most levels of a return that are looked at. */
const DEPTH = 100;

/** Whether a function succeeded, by its return: false, or a map that says so at any level, is failure. */
export function callSucceeded(value: unknown, depth = 0): boolean {
  if (typeof value === "boolean") return value;
  return !isMap(value) || depth > DEPTH || entriesOf(value).every(([key, item]) => {
    if (key === "result" && item === false) return false;
    if (key === "retcode" && item !== 0 && item !== false) return false;
    return !isMap(item) || callSucceeded(item, depth + 1);
  });
}

/** Parameters whose names a chunk has for itself; these are given as `m_name`. */
const PREFIXED = ["name", "fun", "names", "state", "saltenv"];

const argumentFor = (parameter: string) => PREFIXED.includes(parameter) ? `m_${parameter}` : parameter;

/** The arguments of a call, or why there can be none. */
type Arguments = { positional: unknown[]; keyword: Record<string, unknown> } | { wrong: string };

/** A return with its keys in the order that Salt has here. */
const ended = (
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: StateReturn["changes"] = {},
): StateReturn => ({
  name: name as string,
  changes,
  comment,
  result,
});

/** Calls one function. What the chunk has beside its parameters is left alone. */
export async function runNamed(context: StateContext, kwargs: Record<string, unknown>): Promise<StateReturn> {
  const { name, ...given } = kwargs;
  const fun = str(name);
  const found = await context.functions.find(fun);
  if ("message" in found) return ended(name, false, `Module function ${fun} is not available`);
  if (context.test) return ended(name, null, `Module function ${fun} is set to execute`);
  const args = argumentsFor(found.signature, given);
  if ("wrong" in args) return ended(name, false, args.wrong);
  try {
    const value = await context.call(fun, args.positional, args.keyword) ?? null;
    return ended(name, callSucceeded(value), `Module function ${fun} executed`, { ret: value });
  } catch (error) {
    context.signal.throwIfAborted();
    return ended(name, false, `Module function ${fun} threw an exception. Exception: ${messageOf(error)}`);
  }
}

function argumentsFor({ params, varargs, keywords }: Signature, given: Record<string, unknown>): Arguments {
  const has = (key: string) => Object.hasOwn(given, key);
  const positional: unknown[] = [];
  const missing: string[] = [];
  for (const parameter of params) {
    const name = argumentFor(parameter.name);
    // A parameter with a default may be given by its own name too.
    const key = has(name) ? name : "default" in parameter && has(parameter.name) ? parameter.name : undefined;
    if (key !== undefined) positional.push(given[key]);
    else if ("default" in parameter) positional.push(parameter.default);
    else missing.push(name);
  }
  if (missing.length > 0) return { wrong: `The following arguments are missing: ${missing.join(" ")}` };
  const more = varargs === undefined ? [] : given[argumentFor(varargs)] ?? [];
  if (!Array.isArray(more)) return { wrong: `'${varargs}' must be a list.` };
  const keyword = keywords === undefined ? {} : given[keywords] ?? {};
  if (!isMap(keyword)) return { wrong: `'${keywords}' must be a dict.` };
  return { positional: [...positional, ...more], keyword: Object.fromEntries(entriesOf(keyword)) };
}
