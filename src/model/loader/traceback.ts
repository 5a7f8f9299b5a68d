import { SaltError } from "../../base/errors.ts";
import { repr } from "../../language/python/values.ts";
import { writtenTraceback } from "../../language/python/python_error.ts";

/** Frames that are shown; the innermost ones say most. */
const MAX_FRAMES = 30;

interface Frame {
  fun: string;
  file: string;
  line: string;
}

// V8: `    at fun (file:1:2)` or `    at file:1:2`; JavaScriptCore: `fun@file:1:2`.
const FRAME = /^\s*(?:at (?:async )?(?:(.*?) \()?|(.*)@)((?:[a-z]+:\/\/)?[^\s()]+?):(\d+):\d+\)?$/;

function frames(stack: string): Frame[] {
  const found: Frame[] = [];
  for (const text of stack.split("\n")) {
    const match = FRAME.exec(text);
    if (match === null) continue;
    const file = (match[3] ?? "").replace(/^file:\/\//, "");
    found.push({ fun: match[1] || match[2] || "<module>", file, line: match[4] ?? "0" });
  }
  return found.slice(0, MAX_FRAMES).reverse();
}

/**
 * Names of errors in Python: a plain Error is an Exception, and Salt's errors carry their module's name. Other names are the
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
};

/** To Python a function that is not there is a key that its table lacks. */
const isMissingFunction = (error: unknown): error is SaltError & { fun: string } =>
  error instanceof SaltError && error.code === "MISSING_FUNCTION";

/**
 * Formats an error as Python does: frames with the innermost last, then `Name: message`, then a line feed.
 * Tools that read returns look for its first and last line.
 */
export function traceback(error: unknown): string {
  const written = writtenTraceback(error);
  if (written !== undefined) return written;
  const { name, message, stack } = error instanceof Error
    ? error
    : { name: "Error", message: String(error), stack: undefined };
  const lines = frames(stack ?? "").map(({ fun, file, line }) => `  File "${file}", line ${line}, in ${fun}`);
  const own = Object.hasOwn(PYTHON_NAMES, name) ? PYTHON_NAMES[name] : name;
  const said = isMissingFunction(error) ? `KeyError: ${repr(error.fun)}` : undefined;
  const last = said ?? (message === "" ? own : `${own}: ${message}`);
  // At least one frame: a reader may expect to find some.
  return [
    "Traceback (most recent call last):",
    ...(lines.length > 0 ? lines : ['  File "<unknown>", line 0']),
    last,
    "",
  ]
    .join("\n");
}
