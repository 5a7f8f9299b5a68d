import { HttpError } from "./errors.ts";

/**
 * Bounds of bodies. Every client can send a body, and a few bytes can expand: an empty list takes two bytes in JSON and one in
 * msgpack, and fifty times as many in memory. So values are counted before a body is parsed.
 */

/** The most values in a body; a value that appears in several places counts each time. */
export const MAX_VALUES = 200_000;
/** The most levels of nested lists and maps. */
export const MAX_DEPTH = 100;
/** The most fields of a form. */
export const MAX_FIELDS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const AMPERSAND = 0x26;

export const tooManyValues = () => new HttpError(400, `The body has too many values: at most ${MAX_VALUES} are read`);
export const tooDeep = () =>
  new HttpError(400, `Lists and maps of the body are nested too deep: at most ${MAX_DEPTH} levels are read`);

/** The end of a JSON string. @param at the first byte after its opening quote */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at;
  }
  return at;
}

/** Checks JSON, well-formed or not. @throws {HttpError} 400 for too many values or levels */
export function checkJson(bytes: Uint8Array): void {
  let left = MAX_VALUES;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    // A value comes at the start, and after each comma and colon.
    else if (byte === COMMA || byte === COLON) left--;
    // [ and {, ] and }: they differ in one bit.
    else if ((byte & 0xdf) === 0x5b) {
      left--;
      if (++depth > MAX_DEPTH) throw tooDeep();
    } else if ((byte & 0xdf) === 0x5d) depth--;
    if (left < 0) throw tooManyValues();
  }
}

/** Checks a form. @throws {HttpError} 400 for too many fields */
export function checkForm(bytes: Uint8Array): void {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++fields > MAX_FIELDS) throw new HttpError(400, `A form has at most ${MAX_FIELDS} fields`);
  }
}

/** The most bytes of a YAML body, and the most of them that can begin or end a node: each of these costs 20 µs at worst. */
const MAX_YAML = 128 * 1024;
const MAX_INDICATORS = 5000;
const INDICATORS = new Set([..."[]{},:-?&*!#%|>\n"].map((character) => character.charCodeAt(0)));

/** Checks YAML, well-formed or not. @throws {HttpError} 413 if it would take long to read */
export function checkYaml(bytes: Uint8Array): void {
  if (bytes.length > MAX_YAML) throw new HttpError(413, `A YAML body has at most ${MAX_YAML} bytes: send JSON`);
  let left = MAX_INDICATORS;
  for (const byte of bytes) {
    if (INDICATORS.has(byte) && --left < 0) {
      throw new HttpError(
        413,
        `A YAML body has at most ${MAX_INDICATORS} lines and marks ([, {, ",", :, -, …): send JSON`,
      );
    }
  }
}
