import { HttpError } from "./errors.ts";

/**
 * What a body may stand for. Anybody can send one, and a few bytes can stand for much: an empty list takes two in JSON and
 * one in msgpack, and fifty times as many in memory. So bytes are counted before a parser sees them.
 */

/** Values within a body, however they are shared. */
export const MOST_VALUES = 200_000;
/** Lists and maps within each other. */
export const DEEPEST = 100;
/** Fields of a form. */
export const MOST_FIELDS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const AMPERSAND = 0x26;

export const tooMuch = () => new HttpError(400, `The body stands for too many values: at most ${MOST_VALUES} are read`);
export const tooDeep = () =>
  new HttpError(400, `Lists and maps of the body lie too deep within each other: at most ${DEEPEST} levels are read`);

/** Where a text of JSON ends that begins before `at`. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at;
  }
  return at;
}

/** @throws {HttpError} 400 for JSON that stands for too much, whether it is well-formed or not */
export function checkJson(bytes: Uint8Array): void {
  let left = MOST_VALUES;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    // A value stands at the beginning, and behind each of these.
    else if (byte === COMMA || byte === COLON) left--;
    // [ and {, ] and }: they differ in one bit.
    else if ((byte & 0xdf) === 0x5b) {
      left--;
      if (++depth > DEEPEST) throw tooDeep();
    } else if ((byte & 0xdf) === 0x5d) depth--;
    if (left < 0) throw tooMuch();
  }
}

/** @throws {HttpError} 400 for a form of too many fields */
export function checkForm(bytes: Uint8Array): void {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++fields > MOST_FIELDS) throw new HttpError(400, `A form has ${MOST_FIELDS} fields at most`);
  }
}

/** Bytes of a body of YAML, and those of them that can begin or end something: each of these costs 20 µs at worst. */
const MOST_YAML = 128 * 1024;
const MOST_INDICATORS = 5000;
const INDICATORS = new Set([..."[]{},:-?&*!#%|>\n"].map((character) => character.charCodeAt(0)));

/** @throws {HttpError} 413 for YAML that takes long to read, whether it is well-formed or not */
export function checkYaml(bytes: Uint8Array): void {
  if (bytes.length > MOST_YAML) throw new HttpError(413, `A body of YAML has ${MOST_YAML} bytes at most: send JSON`);
  let left = MOST_INDICATORS;
  for (const byte of bytes) {
    if (INDICATORS.has(byte) && --left < 0) {
      throw new HttpError(
        413,
        `A body of YAML has ${MOST_INDICATORS} lines and marks ([, {, ",", :, -, …) at most: send JSON`,
      );
    }
  }
}

/** Bytes of bodies that are arriving, all together and of one address. */
const MOST_OCTETS = 256 * 1024 * 1024;
const MOST_OF_ADDRESS = 64 * 1024 * 1024;

/** How much the bodies that have begun to arrive hold, so that many slow ones cannot fill the memory. */
export class ArrivingBodies {
  #total = 0;
  readonly #of = new Map<string, number>();

  /** @throws {HttpError} 503 when there is no room for so many bytes more */
  take(address: string, bytes: number): void {
    const ofAddress = (this.#of.get(address) ?? 0) + bytes;
    if (this.#total + bytes > MOST_OCTETS || ofAddress > MOST_OF_ADDRESS) {
      throw new HttpError(503, "Too many bodies arrive at once", { "Retry-After": "5", Connection: "close" });
    }
    this.#total += bytes;
    this.#of.set(address, ofAddress);
  }

  give(address: string, bytes: number): void {
    this.#total -= bytes;
    const left = (this.#of.get(address) ?? 0) - bytes;
    if (left > 0) this.#of.set(address, left);
    else this.#of.delete(address);
  }
}
