/**
 * Text in the encodings that Python has under a name. The web's decoder takes `latin1` and `ascii` for windows-1252, which
 * has letters where those have none.
 */

/** Python's names of what the web's decoder has under no name, or under another. */
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

/** Code units that one call takes. */
const PIECE = 8192;

/**
 * The text of bytes in an encoding by one of Python's names; bytes that are none in it become U+FFFD.
 *
 * @throws {RangeError} if there is no encoding of that name here
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
