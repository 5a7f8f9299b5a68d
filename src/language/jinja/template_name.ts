import { isMap, typeName } from "../python/values.ts";
import { typeError } from "../python/python_error.ts";
import { receiver } from "./attributes.ts";
import { Undefined } from "./undefined.ts";

/** The name of a template from the value of an expression. @throws {PythonError} if the value is not a text */
export function templateName(value: unknown): string {
  if (value instanceof Undefined) value.fail();
  const name = receiver(value);
  if (typeof name === "string") return name;
  const what = isMap(name) ? "dict" : typeName(name);
  throw typeError(`expected the name of a template, got ${what}`);
}
