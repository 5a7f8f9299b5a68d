/** The text of a function's signature in the tables: annotated where names and defaults say less, or something else. */
import { ARGUMENT_TYPES } from "../../src/client/functions/signature_types.ts";
import type { Parameter } from "../../src/model/loader/signature.ts";
import type { Declared } from "./declared_functions.ts";

/** Argument, or `module.argument`, or `module.function.argument` → its annotation. */
const ROWS: ReadonlyMap<string, string> = new Map(
  Object.entries(ARGUMENT_TYPES).flatMap(([annotation, names]) =>
    names.trim().split(/\s+/).map((name): [string, string] => [name, annotation])
  ),
);

/** Rows that an argument was found in. */
const used = new Set<string>();

function ofDefault(text: string | undefined): string {
  if (text === "True" || text === "False") return "bool";
  if (text?.startsWith("'")) return "str";
  if (text === "[]") return "list[any]";
  return text !== undefined && /^-?\d/.test(text) ? "int" : "any";
}

/** A default as Python writes it; undefined for an argument that must be given. */
function defaultText(parameter: Parameter): string | undefined {
  if (!("default" in parameter)) return undefined;
  const { default: value } = parameter;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  // A comma would end the argument.
  if (typeof value === "string") return value.includes(",") ? "'...'" : `'${value}'`;
  return Array.isArray(value) ? "[]" : typeof value === "object" && !(value instanceof Number) ? "{}" : String(value);
}

function annotationOf(fun: string, parameter: Parameter): string {
  const module = fun.slice(0, fun.indexOf("."));
  const row = [`${fun}.${parameter.name}`, `${module}.${parameter.name}`, parameter.name].find((key) => ROWS.has(key));
  if (row === undefined) return ofDefault(defaultText(parameter));
  used.add(row);
  return ROWS.get(row)!;
}

/** One argument of several files: it may be whatever it may be in one of them. */
function pieceOf(name: string, functions: readonly Declared[]): string {
  const found = functions.flatMap((one) =>
    one.signature.params.filter((parameter) => parameter.name === name).map((parameter) => ({
      annotation: annotationOf(one.name, parameter),
      text: defaultText(parameter),
    }))
  );
  const texts = new Set(found.map(({ text }) => text));
  if (found.length < functions.length) texts.add("...");
  const optional = texts.size > 1 || !texts.has(undefined);
  const text = texts.has("None") ? "None" : optional ? [...texts].find((one) => one !== undefined) : undefined;
  const kinds = new Set(found.flatMap(({ annotation }) => annotation.split(" | ")));
  const annotation = kinds.has("any") ? "any" : [...kinds].join(" | ");
  const said = annotation === (ROWS.get(name) ?? ofDefault(text)) ? name : `${name}: ${annotation}`;
  return text === undefined ? said : `${said}=${text}`;
}

/** Names that stand at the same place in all signatures. */
function commonOrder([first = [], ...others]: string[][]): string[] {
  const end = first.findIndex((name, at) => others.some((order) => order[at] !== name));
  return end < 0 ? first : first.slice(0, end);
}

/** The signature of a function, or of several of one name in different files as one. */
export function signatureText(functions: readonly Declared[]): string {
  const orders = functions.map(({ signature }) => signature.params.map(({ name }) => name));
  const order = commonOrder(orders);
  const byName = [...new Set(orders.flat())].filter((name) => !order.includes(name));
  const named = [order, byName].map((names) => names.map((name) => pieceOf(name, functions)));
  return [
    ...named[0]!,
    ...(functions.every(({ signature }) => signature.varargs !== undefined) ? ["*args"] : []),
    ...(byName.length > 0 ? ["*", ...named[1]!] : []),
    ...(functions.some(({ signature }) => signature.keywords !== undefined) ? ["**kwargs"] : []),
  ].join(", ");
}

/** @throws {Error} for a row of `ARGUMENT_TYPES` that is of no argument; after all families were read */
export function refuseDeadRows(): void {
  const dead = [...ROWS.keys()].filter((row) => !used.has(row));
  if (dead.length > 0) throw new Error(`ARGUMENT_TYPES has rows for arguments that no function has: ${dead.join(" ")}`);
}
