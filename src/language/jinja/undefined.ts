import { PythonObject } from "../python/values.ts";
import { SecurityError, UndefinedError } from "./errors.ts";

/** An undefined value. Using it fails with its message, unless it is lenient, such as the value of an `if` without `else`. */
export class Undefined extends PythonObject {
  override readonly typeName = "Undefined";
  readonly message: string;
  readonly isLenient: boolean;
  readonly #isUnsafe: boolean;

  constructor(message: string, options: { lenient?: boolean; unsafe?: boolean } = {}) {
    super();
    this.message = message;
    this.isLenient = options.lenient ?? false;
    this.#isUnsafe = options.unsafe ?? false;
  }

  fail(): never {
    throw this.#isUnsafe ? new SecurityError(this.message) : new UndefinedError(this.message);
  }

  override repr(): string {
    return "Undefined";
  }

  override str(): string {
    return this.isLenient && !this.#isUnsafe ? "" : this.fail();
  }

  override truth(): boolean {
    return this.isLenient && !this.#isUnsafe ? false : this.fail();
  }

  override equals(other: unknown): boolean {
    return this.isLenient && !this.#isUnsafe ? other instanceof Undefined : this.fail();
  }

  get length(): number {
    return this.isLenient && !this.#isUnsafe ? 0 : this.fail();
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.isLenient && !this.#isUnsafe ? [][Symbol.iterator]() : this.fail();
  }
}
