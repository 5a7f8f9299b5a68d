import { SaltError } from "../../base/errors.ts";
import { repr } from "../../language/python/values.ts";
import { pythonName, writtenTraceback } from "../../language/python/python_error.ts";

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
  const own = pythonName(name);
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
