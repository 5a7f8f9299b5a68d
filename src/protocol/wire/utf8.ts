/** UTF-8 as Salt's text recovery needs it: strict, and without a cost per call for the short texts of a job load. */

// ignoreBOM keeps a leading U+FEFF, which would otherwise vanish from file contents and returns. The option `fatal` is not used: it
// takes Deno 90 µs for 100 KB instead of 8, and costs every runtime an exception for each byte string that is not text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT = "\ufffd";
const encoder = new TextEncoder();

/** The most bytes for which a loop is faster than the runtime's decoder. */
const LOOP_LIMIT = 40;
/** The most characters of a text that is cached. */
const CACHED_LIMIT = 32;
/** How many bytes of a long byte string are checked before the whole is decoded. */
const GLANCE = 64;

/**
 * The length of the UTF-8 sequence at `at` in bytes, or 0 if it is not valid: an overlong form, a surrogate, or cut off by `end`.
 */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > end) return 0;
  const second = bytes[at + 1]!;
  if ((second & 0xc0) !== 0x80) return 0;
  if (lead === 0xe0 && second < 0xa0) return 0;
  if (lead === 0xed && second > 0x9f) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  if (lead === 0xf4 && second > 0x8f) return 0;
  if (length > 2 && (bytes[at + 2]! & 0xc0) !== 0x80) return 0;
  if (length > 3 && (bytes[at + 3]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** The offset of the first invalid sequence of `bytes[start, end)` before `limit`, or -1. */
function firstInvalid(bytes: Uint8Array, start: number, end: number, limit: number): number {
  let at = start;
  while (at < limit) {
    if (bytes[at]! < 0x80) {
      at += 1;
    } else {
      const length = sequenceLength(bytes, at, end);
      if (length === 0) return at;
      at += length;
    }
  }
  return -1;
}

/** The text of `bytes[start, end)`, or `undefined` if it is not valid UTF-8. */
export function textOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  const length = end - start;
  if (length <= LOOP_LIMIT) {
    const short = asciiOf(bytes, start, end);
    if (short !== undefined) return short;
  }
  // Random bytes nearly always fail within the first few, so a ciphertext is not decoded for nothing.
  if (firstInvalid(bytes, start, end, Math.min(end, start + GLANCE)) >= 0) return undefined;
  const text = decoder.decode(bytes.subarray(start, end));
  // A replacement character in the text stands for an invalid sequence, or for itself.
  return text.includes(REPLACEMENT) && firstInvalid(bytes, start, end, end) >= 0 ? undefined : text;
}

/** The text of a short ASCII string, or `undefined` if a byte is above 0x7f. Groups of eight save string joins. */
function asciiOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  let at = start;
  let seen = 0;
  for (; at + 8 <= end; at += 8) {
    const a = bytes[at]!, b = bytes[at + 1]!, c = bytes[at + 2]!, d = bytes[at + 3]!;
    const e = bytes[at + 4]!, f = bytes[at + 5]!, g = bytes[at + 6]!, h = bytes[at + 7]!;
    seen |= a | b | c | d | e | f | g | h;
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  if (end - at >= 4) {
    const a = bytes[at]!, b = bytes[at + 1]!, c = bytes[at + 2]!, d = bytes[at + 3]!;
    seen |= a | b | c | d;
    text += String.fromCharCode(a, b, c, d);
    at += 4;
  }
  for (; at < end; at++) {
    const a = bytes[at]!;
    seen |= a;
    text += String.fromCharCode(a);
  }
  return seen < 0x80 ? text : undefined;
}

/**
 * A cache of short ASCII texts, so that field names, ids and function names are not built again for each message. Slots are
 * overwritten, never added: at most 2048 texts of 32 characters, whatever peers send.
 */
export class TextCache {
  readonly #texts: string[] = new Array(2048).fill("");

  /** As {@link textOf}, with short ASCII texts from the cache. */
  text(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start;
    if (length > CACHED_LIMIT) return textOf(bytes, start, end);
    let hash = length;
    let seen = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      seen |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (seen > 0x7f) return textOf(bytes, start, end);
    const slot = (hash ^ (hash >>> 11)) & 2047;
    const known = this.#texts[slot]!;
    if (known.length === length) {
      let index = 0;
      while (index < length && known.charCodeAt(index) === bytes[start + index]) index += 1;
      if (index === length) return known;
    }
    return this.#texts[slot] = asciiOf(bytes, start, end)!;
  }
}

/** True if `bytes[start, end)` is valid UTF-8. */
export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start <= 256 ? firstInvalid(bytes, start, end, end) < 0 : textOf(bytes, start, end) !== undefined;
}

/** The UTF-8 bytes of a text; lone surrogates become U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes as much of `text` as fits after `at`, as UTF-8; returns the characters read and the bytes written. */
export function writeUtf8(text: string, into: Uint8Array, at: number): { read: number; written: number } {
  return encoder.encodeInto(text, into.subarray(at));
}
