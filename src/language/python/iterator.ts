import { PythonObject } from "./values.ts";

/** A Python iterator or generator: its values can be read once. */
export class PythonIterator extends PythonObject {
  override readonly typeName: string;
  readonly #values: Iterator<unknown>;
  readonly #name: string | undefined;

  /**
   * @param typeName `generator`, `zip`, `list_reverseiterator`, …
   * @param name the function of the generator
   */
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
