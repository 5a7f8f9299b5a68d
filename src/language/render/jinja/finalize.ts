import { entriesOf, isMap, PythonObject, repr, str, Tuple } from "../../python/values.ts";
import { typeError } from "../../python/python_error.ts";
import { GroupTuple, Undefined } from "../../jinja/mod.ts";
import { doubleQuoted } from "../../yaml/quoted.ts";

const MAX_DEPTH = 500;

/** True for a text whose Python repr YAML could not read back. */
const needsQuotes = (value: unknown): value is string => typeof value === "string" && /[\n\r\t]/.test(value);

function show(value: unknown, above: readonly unknown[]): string {
  if (above.length > MAX_DEPTH) throw typeError("maximum recursion depth exceeded while getting the repr of an object");
  if (above.includes(value)) return isMap(value) ? "{...}" : "[...]";
  if (isMap(value)) {
    const inside = [...above, value];
    const items = entriesOf(value).map(([key, item]) => {
      if (item instanceof Undefined) item.fail();
      return `${repr(key)}: ${needsQuotes(item) ? doubleQuoted(item) : show(item, inside)}`;
    });
    return `{${items.join(", ")}}`;
  }
  if (value instanceof GroupTuple) {
    // Salt rebuilds each tuple to print it, which fails for a tuple with names.
    throw typeError("_GroupTuple.__new__() missing 1 required positional argument: 'list'");
  }
  if (Array.isArray(value)) {
    const inside = [...above, value];
    const items = Array.from(value, (item) => show(item, inside));
    if (!(value instanceof Tuple)) return `[${items.join(", ")}]`;
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;
  }
  if (value instanceof Set) {
    return value.size === 0 ? "set()" : `{${Array.from(value, (item) => show(item, above)).join(", ")}}`;
  }
  return repr(value);
}

/**
 * The text of a value that a template prints: as in Python, but texts in maps that contain line ends are in YAML's double quotes,
 * so that the result can be read as YAML.
 */
export function finalize(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof PythonObject) return value.str();
  return typeof value === "object" && value !== null ? isPlain(value) ? show(value, []) : str(value) : str(value);
}

const isPlain = (value: object) => Array.isArray(value) || isMap(value) || value instanceof Set;
