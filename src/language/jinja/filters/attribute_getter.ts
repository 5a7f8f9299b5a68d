import type { Run } from "../runtime.ts";
import { Undefined } from "../undefined.ts";

/** The parts of an attribute such as `a.b.0`; a part of digits becomes a number. */
function partsOf(attribute: unknown): unknown[] {
  if (attribute === null) return [];
  if (typeof attribute !== "string") return [attribute];
  return attribute.split(".").map((part) => /^\d+$/.test(part) ? Number(part) : part);
}

/** Reads an attribute of an item, or an attribute of an attribute. */
export function attributeGetter(
  run: Run,
  attribute: unknown,
  otherwise: unknown = null,
): (item: unknown) => unknown {
  const parts = partsOf(attribute);
  const { attributes } = run.environment;
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = attributes.item(value, part);
      if (otherwise !== null && value instanceof Undefined) value = otherwise;
    }
    return value;
  };
}

/** As {@link attributeGetter}, for several attributes separated by commas: returns a list of values. */
export function attributesGetter(run: Run, attribute: unknown): (item: unknown) => unknown[] {
  const names = typeof attribute === "string" ? attribute.split(",") : [attribute];
  const getters = names.map((name) => attributeGetter(run, name));
  return (item) => getters.map((get) => get(item));
}
