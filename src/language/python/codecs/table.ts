/** Characters of bytes, and back. */
export interface CodecTable {
  /** The codec's name in Python's errors. */
  name: string;
  /** Python's error texts for a character that the encoding does not have, and for invalid bytes. */
  noCharacter: string;
  noBytes: string;
  /** The character at a position, and its number of bytes; undefined for invalid bytes. */
  read(bytes: Uint8Array, at: number): { character: string; length: number } | undefined;
  /** The bytes of a character; undefined if the encoding does not have it. */
  write(character: string): readonly number[] | undefined;
}
