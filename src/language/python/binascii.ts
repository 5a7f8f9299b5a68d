const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Map([...ALPHABET].map((character, value) => [character.charCodeAt(0), value]));
const PAD = "=".charCodeAt(0);
/** The bytes of one line of {@link encodeBase64Lines}, which become 76 characters. */
const LINE = 57;

/** Encodes bytes as base64 without line ends: `base64.b64encode`. */
export function encodeBase64(bytes: Uint8Array): string {
  let out = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    const left = bytes.length - at;
    out += ALPHABET[bits >> 18]! + ALPHABET[(bits >> 12) & 63]! +
      (left > 1 ? ALPHABET[(bits >> 6) & 63]! : "=") + (left > 2 ? ALPHABET[bits & 63]! : "=");
  }
  return out;
}

/** Encodes bytes as base64 in lines of 76 characters, each ended by a line feed: `base64.encodebytes`. */
export function encodeBase64Lines(bytes: Uint8Array): string {
  let out = "";
  for (let at = 0; at < bytes.length; at += LINE) out += `${encodeBase64(bytes.subarray(at, at + LINE))}\n`;
  return out;
}

/**
 * Decodes base64: `base64.b64decode`. Characters outside the alphabet are skipped, and everything after the padding is
 * ignored.
 *
 * @throws {SyntaxError} with Python's message, if the text is incomplete
 */
export function decodeBase64(text: Uint8Array): Uint8Array {
  const out: number[] = [];
  let place = 0;
  let pads = 0;
  let left = 0;
  for (const byte of text) {
    if (byte === PAD) {
      pads += 1;
      if (place >= 2 && place + pads >= 4) return Uint8Array.from(out);
      continue;
    }
    const value = VALUES.get(byte);
    if (value === undefined) continue;
    pads = 0;
    if (place === 0) left = value;
    else {
      const shift = place * 2;
      out.push(((left << shift) | (value >> (6 - shift))) & 0xff);
      left = value & (0x3f >> shift);
    }
    place = (place + 1) % 4;
  }
  if (place === 1) {
    const count = Math.floor(out.length / 3) * 4 + 1;
    throw new SyntaxError(
      `Invalid base64-encoded string: number of data characters (${count}) cannot be 1 more than a multiple of 4`,
    );
  }
  if (place !== 0) throw new SyntaxError("Incorrect padding");
  return Uint8Array.from(out);
}
