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
