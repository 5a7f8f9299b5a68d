import { typeError } from "../../python/python_error.ts";
import { Callable, type Keywords } from "../callable.ts";

/** A method of a built-in type. @param self the value before the dot @throws {PythonError} */
export interface Method {
  call(self: never, args: readonly unknown[], keywords: Keywords): unknown;
}

export type MethodTable = Readonly<Record<string, Method>>;

/** A method with a fixed number of arguments, none of them by name. */
export function positional<T>(
  name: string,
  least: number,
  most: number,
  call: (self: T, args: readonly unknown[]) => unknown,
): Method {
  const own = name.slice(name.indexOf(".") + 1);
  return {
    call(self, args, keywords) {
      if (keywords.size > 0) throw typeError(`${name}() takes no keyword arguments`);
      if (args.length < least || args.length > most) throw wrongCount(name, own, args.length, least, most);
      return call(self as T, args);
    },
  };
}

function wrongCount(name: string, own: string, given: number, least: number, most: number): Error {
  if (most === 0) return typeError(`${name}() takes no arguments (${given} given)`);
  if (least === most && most === 1) return typeError(`${name}() takes exactly one argument (${given} given)`);
  const plural = (count: number) => `${count} argument${count === 1 ? "" : "s"}`;
  if (least === most) return typeError(`${own} expected ${plural(most)}, got ${given}`);
  return given < least
    ? typeError(`${own} expected at least ${plural(least)}, got ${given}`)
    : typeError(`${own} expected at most ${plural(most)}, got ${given}`);
}

/** A method with its value: `text.split`, not called yet. */
export class BoundMethod extends Callable {
  readonly #name: string;
  readonly #owner: string;
  readonly #self: unknown;
  readonly #method: Method;

  constructor(name: string, owner: string, self: unknown, method: Method) {
    super();
    this.#name = name;
    this.#owner = owner;
    this.#self = self;
    this.#method = method;
  }

  /** The type's name; the sandbox replaces `str.format` by a function. */
  override get typeName(): string {
    return this.#name === "format" || this.#name === "format_map" ? "function" : "builtin_function_or_method";
  }

  override call(args: readonly unknown[], keywords: Keywords): unknown {
    return this.#method.call(this.#self as never, args, keywords);
  }

  override repr(): string {
    return `<built-in method ${this.#name} of ${this.#owner} object at 0x7f0000000000>`;
  }

  override equals(other: unknown): boolean {
    return other instanceof BoundMethod && other.#self === this.#self && other.#name === this.#name;
  }
}
