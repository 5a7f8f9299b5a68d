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

/**
 * Names of errors in Python: a plain Error is an Exception, and errors of Salt and Jinja carry their module's name. Other names are the
 * same.
 */
const PYTHON_NAMES: Record<string, string> = {
  Error: "Exception",
  RangeError: "ValueError",
  SyntaxError: "ValueError",
  ReferenceError: "NameError",
  CommandExecutionError: "salt.exceptions.CommandExecutionError",
  CommandNotFoundError: "salt.exceptions.CommandNotFoundError",
  InvalidArgumentsError: "TypeError",
  SaltInvocationError: "salt.exceptions.SaltInvocationError",
  SaltRenderError: "salt.exceptions.SaltRenderError",
  TemplateNotFound: "jinja2.exceptions.TemplateNotFound",
};

/** The class of an error as Python's tracebacks write it. */
export const pythonName = (name: string): string => Object.hasOwn(PYTHON_NAMES, name) ? PYTHON_NAMES[name]! : name;
