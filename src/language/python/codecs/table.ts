/** Characters of bytes, and back. */
export interface Table {
  /** The codec's name in Python's errors. */
  name: string;
  /** What Python says of a character that it does not have, and of bytes that mean nothing. */
  noCharacter: string;
  noBytes: string;
  /** The character at a position, and how many bytes it takes; undefined for bytes that mean nothing. */
  read(bytes: Uint8Array, at: number): { character: string; length: number } | undefined;
  /** The bytes of a character; undefined if it has none. */
  write(character: string): readonly number[] | undefined;
}
