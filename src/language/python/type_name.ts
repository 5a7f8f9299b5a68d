import { OrderedMap, Tuple } from "./containers.ts";
import { isFloat, isInteger } from "./float.ts";
import { PythonObject } from "./object.ts";

/** The name of a value's Python type, as in `type(value).__name__`: `"str"`, `"NoneType"`, `"dict"`, … */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  if (isInteger(value)) return "int";
  if (isFloat(value)) return "float";
  if (value instanceof PythonObject) return value.typeName;
  if (value instanceof Uint8Array) return "bytes";
  if (Array.isArray(value)) return value instanceof Tuple ? "tuple" : "list";
  if (value instanceof OrderedMap) return "OrderedDict";
  if (value instanceof Set) return "set";
  return typeof value === "function" ? "function" : "dict";
}
