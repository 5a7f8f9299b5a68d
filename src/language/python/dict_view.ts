import { type AnyMap, entriesOf, OrderedMap, PythonObject, repr, sizeOf, tupleOf } from "./values.ts";

/** The result of `.keys()`, `.values()` and `.items()` of a dict; it reflects later changes of the dict. */
export class DictView extends PythonObject {
  readonly #kind: "keys" | "values" | "items";
  readonly #map: AnyMap;

  constructor(kind: "keys" | "values" | "items", map: AnyMap) {
    super();
    this.#kind = kind;
    this.#map = map;
  }

  override get typeName(): string {
    return `${this.#map instanceof OrderedMap ? "odict" : "dict"}_${this.#kind}`;
  }

  get length(): number {
    return sizeOf(this.#map);
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const [key, value] of entriesOf(this.#map)) {
      yield this.#kind === "keys" ? key : this.#kind === "values" ? value : tupleOf([key, value]);
    }
  }

  override repr(): string {
    return `${this.typeName}([${Array.from(this, repr).join(", ")}])`;
  }

  override truth(): boolean {
    return this.length > 0;
  }
}
