import { SaltError } from "../../base/errors.ts";

/** An exception as Python would raise it: `TypeError: can only concatenate str (not "int") to str`. */
export class PythonError extends SaltError {
  /** The name of the exception's class. */
  readonly type: string;

  constructor(type: string, message: string) {
    super("PYTHON", message);
    this.name = type;
    this.type = type;
  }
}

export const typeError = (message: string) => new PythonError("TypeError", message);
export const valueError = (message: string) => new PythonError("ValueError", message);

const WRITTEN = new WeakMap<Error, string>();

/** Keeps the text that Python printed of an exception. */
export function tracebackIs(error: Error, text: string): void {
  WRITTEN.set(error, text);
}

/** The text that Python printed of an exception; undefined for one that was never in Python. */
export function writtenTraceback(error: unknown): string | undefined {
  return error instanceof Error ? WRITTEN.get(error) : undefined;
}
