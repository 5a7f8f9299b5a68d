import { typeError } from "../python/python_error.ts";
import type { Keywords } from "./callable.ts";

/** A parameter: `name`, or `name` with a default. */
type Parameter = string | [name: string, otherwise: unknown];

/** The arguments of a call, by the names of the parameters. */
export type Bound = Record<string, unknown>;

/**
 * Binds arguments to parameters as Python does.
 *
 * @param name the name of the function, for messages
 * @param given the number of parameters that are not written in the template, such as the value of a filter
 * @throws {PythonError} with Python's text
 */
export function bind(
  name: string,
  parameters: readonly Parameter[],
  args: readonly unknown[],
  keywords: Keywords,
): Bound {
  const names = parameters.map((parameter) => typeof parameter === "string" ? parameter : parameter[0]);
  const bound: Bound = {};
  for (const parameter of parameters) if (typeof parameter !== "string") bound[parameter[0]] = parameter[1];
  if (args.length > names.length) throw tooMany(name, parameters, args.length);
  args.forEach((value, at) => bound[names[at]!] = value);
  for (const [keyword, value] of keywords) {
    const at = names.indexOf(keyword);
    if (at < 0) throw typeError(`${name}() got an unexpected keyword argument '${keyword}'`);
    if (at < args.length) throw typeError(`${name}() got multiple values for argument '${keyword}'`);
    bound[keyword] = value;
  }
  const missing = parameters.filter((one, at) =>
    typeof one === "string" && at >= args.length && !keywords.has(one)
  ) as string[];
  if (missing.length > 0) throw typeError(missingText(name, missing));
  return bound;
}

function tooMany(name: string, parameters: readonly Parameter[], given: number): Error {
  const required = parameters.filter((one) => typeof one === "string").length;
  const most = parameters.length;
  const count = required === most ? String(most) : `from ${required} to ${most}`;
  return typeError(
    `${name}() takes ${count} positional argument${most === 1 && required === most ? "" : "s"} but ${given} ${
      given === 1 ? "was" : "were"
    } given`,
  );
}

function missingText(name: string, missing: readonly string[]): string {
  const quoted = missing.map((one) => `'${one}'`);
  const list = quoted.length === 1
    ? quoted[0]
    : quoted.length === 2
    ? quoted.join(" and ")
    : `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
  return `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${list}`;
}
