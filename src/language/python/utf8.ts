/** The bytes are not valid in their encoding; the message is Python's. */
export class UnicodeDecodeError extends SyntaxError {
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

/** The number of bytes of a character; or the number of invalid bytes, and the reason in Python's words. */
export function readUtf8(bytes: Uint8Array, at: number): { length: number; wrong?: string } {
  const first = bytes[at]!;
  const length = lengthOf(first);
  if (length === 0) return { length: 1, wrong: "invalid start byte" };
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index];
    if (next === undefined) return { length: index, wrong: "unexpected end of data" };
    const [low, high] = index === 1 ? secondBounds(first) : [0x80, 0xbf];
    if (next < low || next > high) return { length: index, wrong: "invalid continuation byte" };
  }
  return { length };
}

/** An error of decoding in Python's words. @param codec Python's name in errors, such as `utf-8` */
export function cannotDecode(
  codec: string,
  bytes: Uint8Array,
  { at, length, wrong }: { at: number; length: number; wrong: string },
  cause?: unknown,
): UnicodeDecodeError {
  const place = length === 1
    ? `byte 0x${bytes[at]!.toString(16).padStart(2, "0")} in position ${at}`
    : `bytes in position ${at}-${at + length - 1}`;
  return new UnicodeDecodeError(`'${codec}' codec can't decode ${place}: ${wrong}`, { cause });
}

/** Decodes UTF-8; a byte order mark stays in the text. @throws {UnicodeDecodeError} if the bytes are not valid UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    for (let at = 0; at < bytes.length;) {
      const { length, wrong } = readUtf8(bytes, at);
      if (wrong !== undefined) throw cannotDecode("utf-8", bytes, { at, length, wrong }, cause);
      at += length;
    }
    throw cause;
  }
}
