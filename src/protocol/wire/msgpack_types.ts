/*
 * The meaning of the first byte of a packed value. All readers use this table.
 * https://github.com/msgpack/msgpack/blob/master/spec.md#formats
 */

/** The bits of a row with the kind of the value: one of the constants that follow. */
export const KIND = 0xff20;
/** The kind of nil, booleans and numbers. The count is the number of bytes. */
export const PLAIN = 0;
/** The kind of str. The count is the number of bytes. */
export const STR = 0x20;
/** The kind of bin. The count is the number of bytes. */
export const BIN = 0x100;
/** The kind of extensions. The count is the number of bytes after the byte with the extension's type. */
export const EXT = 0x200;
/** The kind of arrays. The count is the number of items. */
export const ARRAY = 0x400;
/** The kind of maps. The count is the number of pairs. */
export const MAP = 0x800;
/** The kind of a byte with which no value begins. */
export const UNUSED = 0x1000;

/** The bits of a row with the count, if the first byte holds the count. */
export const COUNT = 0x1f;
/** The bits of a row with the width of the count, if the count follows the first byte. */
export const WIDTH = 0xc0;
export const ONE_BYTE = 0x40;
export const TWO_BYTES = 0x80;
const FOUR_BYTES = 0xc0;
/** Rows below this number have their count in the first byte. */
export const SHORT = 0x40;

/** One row for each value of the first byte. */
export const TYPES = new Uint16Array(256);

export const kindOf = (type: number): number => TYPES[type]! & KIND;

/** The number of bytes of the count that follow the first byte. */
export function widthOf(type: number): number {
  const width = TYPES[type]! & WIDTH;
  return width === FOUR_BYTES ? 4 : width / ONE_BYTE;
}

const rows = (from: number, kind: number, those: readonly number[]) =>
  TYPES.set(those.map((bits) => kind | bits), from);
const upTo = (end: number) => Array.from({ length: end }, (_, count) => count);

// Values of one byte (small integers, nil and the booleans) have the row 0: kind PLAIN, count 0.
rows(0x80, MAP, upTo(16));
rows(0x90, ARRAY, upTo(16));
rows(0xa0, STR, upTo(32));
rows(0xc1, UNUSED, [0]);
rows(0xc4, BIN, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
rows(0xc7, EXT, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
// The rows of two floats, four unsigned and four signed integers.
rows(0xca, PLAIN, [4, 8, 1, 2, 4, 8, 1, 2, 4, 8]);
rows(0xd4, EXT, [1, 2, 4, 8, 16]);
rows(0xd9, STR, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
rows(0xdc, ARRAY, [TWO_BYTES, FOUR_BYTES]);
rows(0xde, MAP, [TWO_BYTES, FOUR_BYTES]);

/** The content of a packed str or bin, as a view; undefined for any other value. The value MUST be complete. */
export function contentOf(packed: Uint8Array): Uint8Array | undefined {
  const type = packed[0] ?? 0;
  const kind = kindOf(type);
  return kind === STR || kind === BIN ? packed.subarray(1 + widthOf(type)) : undefined;
}
