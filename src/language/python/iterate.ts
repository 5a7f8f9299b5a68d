import { isMap, PythonObject, typeName } from "./values.ts";
import { DictView } from "./dict_view.ts";
import { typeError } from "./python_error.ts";
import { PythonRange } from "./range.ts";

/** A Python iterator or generator: its values can be read once. */
export class PythonIterator extends PythonObject {
  override readonly typeName: string;
  readonly #values: Iterator<unknown>;
  readonly #name: string | undefined;

  /** @param typeName `generator`, `zip`, `list_reverseiterator`, … @param name the function of the generator */
  constructor(typeName: string, values: Iterable<unknown>, name?: string) {
    super();
    this.typeName = typeName;
    this.#name = name;
    this.#values = values[Symbol.iterator]();
  }

  [Symbol.iterator](): Iterator<unknown> {
    // There is no return(): a loop that ends early leaves the rest of the values to the next loop.
    return { next: () => this.#values.next() };
  }

  override repr(): string {
    const own = this.#name === undefined ? "" : ` ${this.#name}`;
    return `<${this.typeName} object${own} at 0x7f0000000000>`;
  }
}

/** The number of characters of a text: Python counts code points. */
export function textLength(text: string): number {
  // deno-lint-ignore no-control-regex
  return /^[\u0000-\ud7ff]*$/.test(text) ? text.length : Array.from(text).length;
}

/**
 * The values that a Python `for` would see; undefined if the value cannot be iterated.
 *
 * Lists are followed as they grow; texts give characters, maps their keys.
 */
export function tryIterate(value: unknown): Iterable<unknown> | undefined {
  if (Array.isArray(value) || typeof value === "string" || value instanceof Set || value instanceof Uint8Array) {
    return value;
  }
  if (value instanceof Map) return value.keys();
  if (value instanceof PythonObject) {
    const iterable = value as unknown as Iterable<unknown>;
    return typeof iterable[Symbol.iterator] === "function" ? iterable : undefined;
  }
  return isMap(value) ? Object.keys(value) : undefined;
}

/** As {@link tryIterate}. @throws {PythonError} if the value cannot be iterated */
export function iterate(value: unknown): Iterable<unknown> {
  const values = tryIterate(value);
  if (values !== undefined) return values;
  if (value instanceof PythonObject) value.truth();
  throw typeError(`'${typeName(value)}' object is not iterable`);
}

/** Python's `len()`. @throws {PythonError} if the value has none */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return textLength(value);
  if (
    Array.isArray(value) || value instanceof Uint8Array || value instanceof PythonRange || value instanceof DictView
  ) {
    return value.length;
  }
  if (value instanceof Map || value instanceof Set) return value.size;
  if (value instanceof PythonObject && !(value instanceof PythonIterator)) {
    const own = (value as { length?: unknown }).length;
    if (typeof own === "number") return own;
  } else if (isMap(value)) return Object.keys(value).length;
  throw typeError(`object of type '${typeName(value)}' has no len()`);
}

/** Joins texts by a separator: `str.join`. Anything that is no text is an error. */
export function joinItems(separator: string, items: Iterable<unknown>): string {
  const texts: string[] = [];
  for (const item of items) {
    if (typeof item !== "string") {
      throw typeError(`sequence item ${texts.length}: expected str instance, ${typeName(item)} found`);
    }
    texts.push(item);
  }
  return texts.join(separator);
}
