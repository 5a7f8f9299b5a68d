import { HttpError } from "./errors.ts";

/**
 * How many values a body may contain. Every client can send one, and a few bytes can become much: an empty list takes two
 * bytes in JSON and one in msgpack, and fifty times as many in memory. So values are counted before a parser sees them.
 */

/** Values in a body; one that appears in several places counts each time. */
export const MAX_VALUES = 200_000;
/** Levels of lists and maps inside each other. */
export const MAX_DEPTH = 100;
/** Fields of a form. */
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

/** @throws {HttpError} 400 for JSON with too many values or levels, whether it is well-formed or not */
export function checkJson(bytes: Uint8Array): void {
  let left = MAX_VALUES;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    // A value is at the start, and after each of these.
    else if (byte === COMMA || byte === COLON) left--;
    // [ and {, ] and }: they differ in one bit.
    else if ((byte & 0xdf) === 0x5b) {
      left--;
      if (++depth > MAX_DEPTH) throw tooDeep();
    } else if ((byte & 0xdf) === 0x5d) depth--;
    if (left < 0) throw tooManyValues();
  }
}

/** @throws {HttpError} 400 for a form of too many fields */
export function checkForm(bytes: Uint8Array): void {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++fields > MAX_FIELDS) throw new HttpError(400, `A form has at most ${MAX_FIELDS} fields`);
  }
}

/** Bytes of a YAML body, and those of them that can begin or end something: each of these costs 20 µs at worst. */
const MAX_YAML = 128 * 1024;
const MAX_INDICATORS = 5000;
const INDICATORS = new Set([..."[]{},:-?&*!#%|>\n"].map((character) => character.charCodeAt(0)));

/** @throws {HttpError} 413 for YAML that would take long to read, whether it is well-formed or not */
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
