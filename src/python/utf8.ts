/** The bytes are not valid UTF-8; the message is Python's. */
export class UnicodeDecodeError extends Error {
  override name = "UnicodeDecodeError";
}

/** The number of bytes of a character with this first byte; 0 if no character begins with it. */
function lengthOf(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

/** The bounds of a second byte: they exclude overlong forms, surrogates and code points above U+10FFFF. */
function secondBounds(first: number): [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  if (first === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}

/** Where and why bytes are not valid UTF-8, as Python words it. */
function problem(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    const length = lengthOf(first);
    const place = (count: number) =>
      count === 1
        ? `byte 0x${first.toString(16).padStart(2, "0")} in position ${at}`
        : `bytes in position ${at}-${at + count - 1}`;
    if (length === 0) return `${place(1)}: invalid start byte`;
    for (let index = 1; index < length; index++) {
      const next = bytes[at + index];
      if (next === undefined) return `${place(index)}: unexpected end of data`;
      const [low, high] = index === 1 ? secondBounds(first) : [0x80, 0xbf];
      if (next < low! || next > high!) return `${place(index)}: invalid continuation byte`;
    }
    at += length;
  }
  return "bytes: no reason found";
}

/**
 * Decodes UTF-8; a byte order mark stays in the text.
 *
 * @throws {UnicodeDecodeError} if the bytes are not valid UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UnicodeDecodeError(`'utf-8' codec can't decode ${problem(bytes)}`, { cause });
  }
}
