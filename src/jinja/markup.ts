import { PythonObject } from "../python/object.ts";
import { stringRepr } from "../python/repr.ts";

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
