/**
 * Decoding of text by Python's names of encodings. The web's `TextDecoder` reads `latin1` and `ascii` as windows-1252, which
 * has letters where those two have control characters or nothing.
 */

/** Encodings that `TextDecoder` does not have. */
const OWN: Record<string, (byte: number) => number> = {
  "latin-1": (byte) => byte,
  ascii: (byte) => byte < 0x80 ? byte : 0xfffd,
};
const ALIASES: Record<string, string> = {
  latin1: "latin-1",
  latin: "latin-1",
  l1: "latin-1",
  "8859": "latin-1",
  cp819: "latin-1",
  iso8859: "latin-1",
  "iso8859-1": "latin-1",
  "iso-8859-1": "latin-1",
  "us-ascii": "ascii",
  "646": "ascii",
  "ansi-x3.4-1968": "ascii",
  utf: "utf-8",
  u8: "utf-8",
  cp65001: "utf-8",
  "utf-8-sig": "utf-8",
  "utf16": "utf-16",
};

/** Bytes decoded per call: `String.fromCharCode` takes a limited number of arguments. */
const PIECE = 8192;

/**
 * Decodes bytes in an encoding, given by one of Python's names for it; invalid bytes become U+FFFD.
 *
 * @throws {RangeError} if no encoding of that name is known here
 */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  const plain = encoding.toLowerCase().replaceAll("_", "-");
  const name = Object.hasOwn(ALIASES, plain) ? ALIASES[plain]! : plain;
  if (!Object.hasOwn(OWN, name)) return new TextDecoder(name, { ignoreBOM: plain !== "utf-8-sig" }).decode(bytes);
  const unit = OWN[name]!;
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...Array.from(bytes.subarray(at, at + PIECE), unit));
  }
  return text;
}
