/** A value of a template that is computed at its first use. */
export class Lazy {
  #make: (() => unknown) | undefined;
  #value: unknown;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  get value(): unknown {
    if (this.#make !== undefined) {
      this.#value = this.#make() ?? null;
      this.#make = undefined;
    }
    return this.#value;
  }
}
