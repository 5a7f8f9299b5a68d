const DIGITS = "0123456789abcdef";

/** Bytes as lower-case hex, as Salt writes hashes, nonces and names of files. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    text += DIGITS[byte >> 4]! + DIGITS[byte & 15]!;
  }
  return text;
}
