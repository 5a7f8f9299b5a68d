import { joinTexts } from "../python/arithmetic.ts";
import { entriesOf, isMap, Tuple } from "../python/containers.ts";
import { PythonObject } from "../python/object.ts";
import { stringRepr } from "../python/repr.ts";
import { tupleOf } from "../python/tuple.ts";

/** A text that is HTML already: it is not escaped again. */
export class Markup extends PythonObject {
  override readonly typeName = "Markup";
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

/** A text with the five characters of HTML as entities. */
export function escapeHtml(text: string): Markup {
  return new Markup(text.replace(/[&<>'"]/g, (character) => ENTITIES[character]!));
}

/** A text as markup, and the texts of a list or tuple. Other values stay what they are. */
export function asMarkup(value: unknown): unknown {
  if (typeof value === "string") return new Markup(value);
  if (!Array.isArray(value)) return value;
  return value instanceof Tuple ? tupleOf(value.map(asMarkup)) : value.map(asMarkup);
}

/** What is put into a markup: a text with its five characters as entities, a markup as it is. */
export function escaped(value: unknown): unknown {
  return typeof value === "string" ? escapeHtml(value).text : value instanceof Markup ? value.text : value;
}

/** `a + b` where one of them is a markup: the other text is escaped. Undefined if one is no text. */
export function addMarkup(a: unknown, b: unknown): Markup | undefined {
  const [left, right] = [escaped(a), escaped(b)];
  return typeof left === "string" && typeof right === "string" ? new Markup(joinTexts([left, right])) : undefined;
}

/** A value whose texts are plain ones: the same value where no markup is in it. */
export function withoutMarkup(value: unknown): unknown {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) {
    const items = value.map(withoutMarkup);
    if (items.every((item, at) => item === value[at])) return value;
    return value instanceof Tuple ? tupleOf(items) : items;
  }
  if (!isMap(value)) return value;
  const entries = entriesOf(value);
  const plain = entries.map(([key, item]): [unknown, unknown] => [withoutMarkup(key), withoutMarkup(item)]);
  const isPlain = plain.every(([key, item], at) => key === entries[at]![0] && item === entries[at]![1]);
  return isPlain ? value : new Map(plain);
}
