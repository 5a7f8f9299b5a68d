import { isMap, OrderedMap, str } from "../../python/values.ts";
import { DateTime } from "../../../protocol/wire/msgpack_values.ts";
import { PythonError } from "../../python/python_error.ts";
import { bind, JINJA_GLOBALS, Lazy, makeDict, NativeFunction } from "../../jinja/mod.ts";

function ifElse(args: readonly unknown[]): unknown {
  if (args.length % 2 === 0) {
    const problem = "The ifelse function must have an odd number of arguments!";
    throw new PythonError("salt.exceptions.SaltException", problem);
  }
  // In Salt itself the function fails for more than a default.
  if (args.length > 1) throw new PythonError("NameError", "name '__context__' is not defined");
  return args[0];
}

const isSimple = (value: unknown) =>
  value === null || ["string", "number", "boolean", "bigint"].includes(typeof value) || Array.isArray(value) ||
  isMap(value) ||
  value instanceof DateTime || value instanceof Set;

const native = (name: string, call: ConstructorParameters<typeof NativeFunction>[1]): [string, NativeFunction] => [
  name,
  new NativeFunction(name, call),
];

/** The functions that all templates of Salt can call. */
export const SALT_GLOBALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...JINJA_GLOBALS,
  native("odict", (args, keywords) => new OrderedMap(makeDict(args, keywords))),
  native("raise", (args, keywords) => {
    const { msg } = bind("jinja_raise", ["msg"], args, keywords);
    throw new PythonError("salt.exceptions.TemplateError", str(msg));
  }),
  native("ifelse", ifElse),
]);

/** The function `show_full_context()`: returns the names that a template was given, if they are data. */
export function showFullContext(context: ReadonlyMap<string, unknown>): NativeFunction {
  return new NativeFunction("show_full_context", () => {
    const plain = [...context].map((
      [key, value],
    ): [string, unknown] => [key, value instanceof Lazy ? value.value : value]);
    return new Map(plain.filter(([, value]) => isSimple(value)));
  });
}
