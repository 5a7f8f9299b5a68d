import { PythonError } from "../../python/python_error.ts";

const utf8 = new TextEncoder();
const LIMITS: Readonly<Record<string, [name: string, first: number]>> = {
  ascii: ["ascii", 0x80],
  "us-ascii": ["ascii", 0x80],
  "latin-1": ["latin-1", 0x100],
  latin1: ["latin-1", 0x100],
  "iso-8859-1": ["latin-1", 0x100],
};

/**
 * Python's `str.encode`, for UTF-8, ASCII and Latin-1.
 *
 * @throws {PythonError} LookupError for another encoding, UnicodeEncodeError for a character that it does not have
 */
export function encodeText(text: string, encoding: string, errors: string): Uint8Array {
  const name = encoding.toLowerCase().replaceAll("_", "-");
  if (name === "utf-8" || name === "utf8") return utf8.encode(text);
  const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  if (limit === undefined) throw new PythonError("LookupError", `unknown encoding: ${encoding}`);
  const [codec, first] = limit;
  const bytes: number[] = [];
  for (const [at, character] of Array.from(text).entries()) {
    const code = character.codePointAt(0)!;
    if (code < first) bytes.push(code);
    else if (errors === "replace") bytes.push(0x3f);
    else if (errors !== "ignore") throw cannotEncode(codec, character, at, first);
  }
  return Uint8Array.from(bytes);
}

function cannotEncode(codec: string, character: string, at: number, limit: number): PythonError {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  const escaped = code < 0x100
    ? `\\x${hex.padStart(2, "0")}`
    : code < 0x10000
    ? `\\u${hex.padStart(4, "0")}`
    : `\\U${hex.padStart(8, "0")}`;
  return new PythonError(
    "UnicodeEncodeError",
    `'${codec}' codec can't encode character '${escaped}' in position ${at}: ordinal not in range(${limit})`,
  );
}
