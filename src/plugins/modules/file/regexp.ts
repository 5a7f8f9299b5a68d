import { CommandExecutionError, InvalidArgumentsError } from "../../../model/loader/family.ts";
import { isInteger, str, typeName } from "../../../language/python/values.ts";
import type { RegexpFlags } from "../../../language/python/regexp.ts";
import { compileSearch } from "../../../language/python/substitute.ts";
import { pythonError } from "../../python_errors.ts";

/** Python's flags by number. The rest (`LOCALE`, `UNICODE`, `DEBUG`) change nothing here. */
const BITS: Record<number, "a" | "i" | "m" | "s" | "x"> = { 2: "i", 8: "m", 16: "s", 64: "x", 256: "a" };
const [LOCALE, UNICODE, ASCII] = [4, 32, 256];
const NUMBERS: Record<string, number> = {
  I: 2,
  IGNORECASE: 2,
  L: 4,
  LOCALE: 4,
  M: 8,
  MULTILINE: 8,
  S: 16,
  DOTALL: 16,
  U: 32,
  UNICODE: 32,
  X: 64,
  VERBOSE: 64,
  A: 256,
  ASCII: 256,
};

/** Flags given as a number, a name, or a list of names. @param bytes true for a pattern and a text of bytes */
export function regexpFlags(value: unknown, { bytes = false } = {}): RegexpFlags {
  const number = flagBits(value);
  const refuse = (why: string) => {
    throw pythonError("ValueError", why);
  };
  if (bytes && number & UNICODE) refuse("cannot use UNICODE flag with a bytes pattern");
  if (!bytes && number & LOCALE) refuse("cannot use LOCALE flag with a str pattern");
  if (number & ASCII && number & UNICODE) refuse("ASCII and UNICODE flags are incompatible");
  if (number & ASCII && number & LOCALE) refuse("ASCII and LOCALE flags are incompatible");
  const flags: RegexpFlags = bytes ? { bytes } : {};
  for (const [bit, name] of Object.entries(BITS)) if (number & Number(bit)) flags[name] = true;
  return flags;
}

/** The flags as a number, as Python has them. */
export function flagBits(value: unknown): number {
  if (isInteger(value) || typeof value === "boolean") return Number(value);
  if (typeof value !== "string" && !Array.isArray(value)) {
    throw new CommandExecutionError(
      `Invalid re flags: "${str(value)}", must be given either as a single flag string, a list of strings, as an ` +
        "integer, or as an re flag",
    );
  }
  return [value].flat().map((name) => {
    const upper = str(name).toUpperCase();
    if (!Object.hasOwn(NUMBERS, upper)) throw new CommandExecutionError(`Invalid re flag given: ${str(name)}`);
    return NUMBERS[upper]!;
  }).reduce((sum, bit) => sum | bit, 0);
}

/** A pattern that a caller gave, compiled for searches. */
export function searchFor(pattern: unknown, flags: RegexpFlags = {}): RegExp {
  if (typeof pattern !== "string") {
    throw new InvalidArgumentsError(`first argument must be string or compiled pattern, not ${typeName(pattern)}`);
  }
  try {
    return compileSearch(pattern, flags);
  } catch (error) {
    throw error instanceof SyntaxError ? pythonError("re.error", error.message) : error;
  }
}

/** True if a pattern is found at the very beginning of a text: `re.match`. */
export function matchesStart(expression: RegExp, text: string): boolean {
  const sticky = new RegExp(expression.source, expression.flags.replace("g", "y"));
  return sticky.test(text);
}
