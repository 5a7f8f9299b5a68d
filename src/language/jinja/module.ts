import { PythonObject, repr } from "../python/values.ts";
import type { Described } from "./attributes.ts";
import type { Frame } from "./runtime.ts";

/** An imported template: its macros and values as attributes, its text when it is printed. */
export class TemplateModule extends PythonObject implements Described {
  override readonly typeName = "TemplateModule";
  readonly qualifiedType = "jinja2.environment.TemplateModule";
  readonly #name: string;
  readonly #text: string;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(name: string, text: string, frame: Frame) {
    super();
    this.#name = name;
    this.#text = text;
    this.#values = frame.names;
  }

  attribute(name: string): unknown {
    // Names with an underscore, and names that the template itself imported, are private.
    return name.startsWith("_") || name === "self" ? undefined : this.#values.get(name);
  }

  override repr(): string {
    return `<TemplateModule ${repr(this.#name)}>`;
  }

  override str(): string {
    return this.#text;
  }
}
