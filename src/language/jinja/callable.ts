import { PythonObject } from "../python/values.ts";

/** The named arguments of a call, in their order. */
export type Keywords = ReadonlyMap<string, unknown>;

export const NO_KEYWORDS: Keywords = new Map();

/** A value that a template can call. If the result is a promise, it is awaited. */
export abstract class Callable extends PythonObject {
  abstract call(args: readonly unknown[], keywords: Keywords): unknown;

  /** An attribute that templates may read; undefined if there is none of that name. */
  attribute(_name: string): unknown {
    return undefined;
  }
}

interface NativeOptions {
  /** The name of the Python type. @default "function" */
  typeName?: string;
  repr?: string;
}

/** A function that is implemented in TypeScript. */
export class NativeFunction extends Callable {
  override readonly typeName: string;
  readonly #call: (args: readonly unknown[], keywords: Keywords) => unknown;
  readonly #repr: string;

  constructor(
    name: string,
    call: (args: readonly unknown[], keywords: Keywords) => unknown,
    options: NativeOptions = {},
  ) {
    super();
    this.typeName = options.typeName ?? "function";
    this.#call = call;
    this.#repr = options.repr ?? `<function ${name} at 0x7f0000000000>`;
  }

  override call(args: readonly unknown[], keywords: Keywords): unknown {
    return this.#call(args, keywords);
  }

  override repr(): string {
    return this.#repr;
  }
}
