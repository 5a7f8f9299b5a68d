import { PythonObject, repr } from "../python/values.ts";
import type { Described } from "./attributes.ts";

/** Jinja's `namespace()`: values that can be set from within loops. */
export class Namespace extends PythonObject implements Described {
  override readonly typeName = "Namespace";
  readonly qualifiedType = "jinja2.utils.Namespace";
  readonly values = new Map<string, unknown>();

  attribute(name: string): unknown {
    return this.values.get(name);
  }

  item(key: unknown): unknown {
    return typeof key === "string" ? this.values.get(key) : undefined;
  }

  override repr(): string {
    return `<Namespace ${repr(this.values)}>`;
  }
}
