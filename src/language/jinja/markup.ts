import { joinTexts } from "../python/arithmetic.ts";
import { type AnyMap, entriesOf, isMap, PythonObject, stringRepr, Tuple, tupleOf } from "../python/values.ts";

/** A text that is HTML already: it is not escaped again. */
export class Markup extends PythonObject {
  override readonly typeName = "Markup";
  readonly qualifiedType = "markupsafe.Markup";
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override repr(): string {
    return `Markup(${stringRepr(this.text)})`;
  }

  override str(): string {
    return this.text;
  }

  override truth(): boolean {
    return this.text !== "";
  }

  override equals(other: unknown): boolean {
    return other === this.text || other instanceof Markup && other.text === this.text;
  }

  get length(): number {
    return this.text.length;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.text[Symbol.iterator]();
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

/** Escapes the five special characters of HTML in a text. */
export function escapeMarkup(text: string): Markup {
  return new Markup(text.replace(/[&<>'"]/g, (character) => ENTITIES[character]!));
}

/** Converts a text, or the texts of a list or tuple, to markup. Other values stay unchanged. */
export function asMarkup(value: unknown): unknown {
  if (typeof value === "string") return new Markup(value);
  if (!Array.isArray(value)) return value;
  return value instanceof Tuple ? tupleOf(value.map(asMarkup)) : value.map(asMarkup);
}

/** The form of a value inside markup: a text is escaped, markup stays unchanged. */
export function escaped(value: unknown): unknown {
  return typeof value === "string" ? escapeMarkup(value).text : value instanceof Markup ? value.text : value;
}

/** Adds two texts if one of them is markup: the other one is escaped. Undefined if one value is not a text. */
export function addMarkup(a: unknown, b: unknown): Markup | undefined {
  const [left, right] = [escaped(a), escaped(b)];
  return typeof left === "string" && typeof right === "string" ? new Markup(joinTexts([left, right])) : undefined;
}

/** True if a value contains markup at any depth. Each list and map is checked once, since it may occur many times, or contain itself. */
function hasMarkup(value: unknown, seen: Set<unknown>): boolean {
  if (value instanceof Markup) return true;
  if (!Array.isArray(value) && !isMap(value) || seen.has(value)) return false;
  seen.add(value);
  const inside = Array.isArray(value) ? value : entriesOf(value).flat();
  return inside.some((item) => typeof item === "object" && hasMarkup(item, seen));
}

/** A copy with plain texts. A value that occurs twice, or contains itself, does so in the copy as well. */
function plainCopy(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (value instanceof Markup) return value.text;
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return value;
  if (copies.has(value)) return copies.get(value);
  // A tuple can contain itself only through a list or map, which is in `copies` by then.
  if (value instanceof Tuple) return tupleOf(value.map((item) => plainCopy(item, copies)));
  const copy: unknown[] | Map<unknown, unknown> = isList ? [] : new Map();
  copies.set(value, copy);
  if (Array.isArray(copy)) { for (const item of value as unknown[]) copy.push(plainCopy(item, copies)); }
  else for (const [key, item] of entriesOf(value as AnyMap)) copy.set(plainCopy(key, copies), plainCopy(item, copies));
  return copy;
}

/** Converts all markup in a value to plain texts; returns the same value if there is no markup. */
export function withoutMarkup(value: unknown): unknown {
  if (value === null || typeof value !== "object" || !hasMarkup(value, new Set())) return value;
  return plainCopy(value, new Map());
}
