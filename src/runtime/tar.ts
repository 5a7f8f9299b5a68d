/** Bytes of a block of an archive. */
export const TAR_BLOCK = 512;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;

/**
 * The head of a plain file in an archive.
 *
 * @param name at most 100 bytes
 * @param seconds when it was changed, since the epoch
 */
export function tarHead(name: string, size: number, { mode = 0o644, seconds = 0 } = {}): Uint8Array {
  const head = new Uint8Array(TAR_BLOCK);
  const put = (text: string, at: number) => head.set(new TextEncoder().encode(text), at);
  if (new TextEncoder().encode(name).length > 100) {
    throw new RangeError(`the name of a file in an archive has at most 100 bytes: ${name}`);
  }
  put(name, 0);
  put(octal(mode, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(seconds, 12), 136);
  // The checksum is computed with blanks in its own field.
  put("        0", 148);
  put("ustar\0" + "00", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** The number of zero bytes that fill the last block of a file. */
export const tarFilling = (size: number): number => (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
