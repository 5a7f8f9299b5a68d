/** An element of DER: a tag, and bytes or further elements. */
export interface DerElement {
  tag: number;
  /** The bytes of the whole element: tag, length and content. */
  whole: Uint8Array;
  content: Uint8Array;
}

/** Reads the first element of some bytes, as views of them. @throws {SyntaxError} if there is none, or it is cut short */
export function readElement(bytes: Uint8Array): DerElement {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new SyntaxError("Not DER");
  let start = 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new SyntaxError("Not DER: a length without bound");
    length = 0;
    for (let at = 0; at < count; at++) length = length * 256 + (bytes[start++] ?? 0);
  }
  if (start + length > bytes.length) throw new SyntaxError("Not DER: cut short");
  return { tag, whole: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) };
}
