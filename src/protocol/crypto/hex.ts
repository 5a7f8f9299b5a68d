const DIGITS = "0123456789abcdef";
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => DIGITS[byte >> 4]! + DIGITS[byte & 15]!);

/** Bytes as lower-case hex, as Salt writes hashes, nonces and names of files. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) text += PAIRS[bytes[at]!]!;
  return text;
}

/** The bytes of a text of hex digits, which must be well-formed. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
