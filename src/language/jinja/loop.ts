import { equal, tupleOf } from "../python/values.ts";
import { iterate, lengthOf } from "../python/iterate.ts";
import { PythonError, typeError } from "../python/python_error.ts";
import type { Described } from "./attributes.ts";
import { Callable, type Keywords, NativeFunction } from "./callable.ts";
import { Undefined } from "./undefined.ts";

/** Renders a recursive loop for other values, when `loop` is called. */
type Recurse = (values: unknown, depth: number) => unknown;

/** The value of the name `loop` in a `for`. It reads ahead only if the template asks for it, so that a list may grow meanwhile. */
export class LoopContext extends Callable implements Described {
  override readonly typeName = "LoopContext";
  readonly qualifiedType = "jinja2.runtime.LoopContext";
  readonly #source: unknown;
  readonly #values: Iterator<unknown>;
  readonly #depth: number;
  readonly #recurse: Recurse | undefined;
  readonly #ahead: unknown[] = [];
  #index = -1;
  #current: unknown;
  #previous: unknown;
  #lastChanged: unknown;
  #hasChanged = false;
  #length: number | undefined;

  constructor(source: unknown, depth: number, recurse?: Recurse) {
    super();
    this.#source = source;
    this.#values = iterate(source)[Symbol.iterator]();
    this.#depth = depth;
    this.#recurse = recurse;
  }

  /** Moves to the next round. @returns false at the end */
  next(): boolean {
    const step: IteratorResult<unknown> = this.#ahead.length > 0
      ? { done: false, value: this.#ahead.shift() }
      : this.#values.next();
    if (step.done) return false;
    this.#previous = this.#current;
    this.#current = step.value ?? null;
    this.#index++;
    return true;
  }

  get current(): unknown {
    return this.#current;
  }

  #hasNext(): boolean {
    if (this.#ahead.length > 0) return true;
    const step = this.#values.next();
    if (!step.done) this.#ahead.push(step.value ?? null);
    return !step.done;
  }

  #count(): number {
    if (this.#length !== undefined) return this.#length;
    try {
      this.#length = lengthOf(this.#source);
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
      for (let step = this.#values.next(); !step.done; step = this.#values.next()) this.#ahead.push(step.value ?? null);
      this.#length = this.#index + 1 + this.#ahead.length;
    }
    return this.#length;
  }

  #cycle(values: readonly unknown[]): unknown {
    if (values.length === 0) throw typeError("no items for cycling given");
    return values[this.#index % values.length];
  }

  #changed(values: readonly unknown[]): boolean {
    const now = tupleOf(values);
    if (this.#hasChanged && equal(now, this.#lastChanged)) return false;
    this.#hasChanged = true;
    this.#lastChanged = now;
    return true;
  }

  override attribute(name: string): unknown {
    switch (name) {
      case "index":
        return this.#index + 1;
      case "index0":
        return this.#index;
      case "revindex":
        return this.#count() - this.#index;
      case "revindex0":
        return this.#count() - this.#index - 1;
      case "first":
        return this.#index === 0;
      case "last":
        return !this.#hasNext();
      case "length":
        return this.#count();
      case "depth":
        return this.#depth + 1;
      case "depth0":
        return this.#depth;
      case "previtem":
        return this.#index > 0 ? this.#previous : new Undefined("there is no previous item");
      case "nextitem":
        return this.#hasNext() ? this.#ahead[0] : new Undefined("there is no next item");
      case "cycle":
        return new NativeFunction("cycle", (values) => this.#cycle(values), { typeName: "method" });
      case "changed":
        return new NativeFunction("changed", (values) => this.#changed(values), { typeName: "method" });
    }
    return undefined;
  }

  override call(args: readonly unknown[], _keywords: Keywords): unknown {
    if (this.#recurse === undefined) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    }
    return this.#recurse(args[0], this.#depth + 1);
  }

  override repr(): string {
    return `<LoopContext ${this.#index + 1}/${this.#count()}>`;
  }
}
