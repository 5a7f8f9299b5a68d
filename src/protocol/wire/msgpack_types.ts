/*
 * What the first byte of a packed value says: the one place that knows.
 * https://github.com/msgpack/msgpack/blob/master/spec.md#formats
 */

/** The bits of a row with what a value is: one of the kinds that follow. */
export const KIND = 0xff20;
/** Nothing, a boolean or a number. Its count is of bytes. */
export const PLAIN = 0;
/** Text. Its count is of bytes. */
export const STR = 0x20;
/** Bytes. */
export const BIN = 0x100;
/** An extension: one byte of its kind, and then as many as its count says. */
export const EXT = 0x200;
/** A list. Its count is of items. */
export const ARRAY = 0x400;
/** A map. Its count is of pairs. */
export const MAP = 0x800;
/** No value begins with this byte. */
export const UNUSED = 0x1000;

/** The bits with the count, if it is in the first byte. */
export const COUNT = 0x1f;
/** Those that say how many bytes the count takes behind the first byte: none, or as many. */
export const WIDTH = 0xc0;
export const ONE_BYTE = 0x40;
export const TWO_BYTES = 0x80;
const FOUR_BYTES = 0xc0;
/** Rows below this are of values that end as many bytes behind their first as their count says. */
export const SHORT = 0x40;

/** A row for each first byte of a value. */
export const TYPES = new Uint16Array(256);

export const kindOf = (type: number): number => TYPES[type]! & KIND;

/** How many bytes of its count follow the first byte of a value. */
export function widthOf(type: number): number {
  const width = TYPES[type]! & WIDTH;
  return width === FOUR_BYTES ? 4 : width / ONE_BYTE;
}

const rows = (from: number, kind: number, those: readonly number[]) =>
  TYPES.set(those.map((bits) => kind | bits), from);
const upTo = (end: number) => Array.from({ length: end }, (_, count) => count);

// Those of one byte alone, small integers, nil and the booleans, have 0.
rows(0x80, MAP, upTo(16));
rows(0x90, ARRAY, upTo(16));
rows(0xa0, STR, upTo(32));
rows(0xc1, UNUSED, [0]);
rows(0xc4, BIN, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
rows(0xc7, EXT, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
// Two floats, four unsigned and four signed integers.
rows(0xca, PLAIN, [4, 8, 1, 2, 4, 8, 1, 2, 4, 8]);
rows(0xd4, EXT, [1, 2, 4, 8, 16]);
rows(0xd9, STR, [ONE_BYTE, TWO_BYTES, FOUR_BYTES]);
rows(0xdc, ARRAY, [TWO_BYTES, FOUR_BYTES]);
rows(0xde, MAP, [TWO_BYTES, FOUR_BYTES]);

/** What a packed text or packed bytes hold, as a view of them; undefined for any other value. The value MUST be complete. */
export function contentOf(packed: Uint8Array): Uint8Array | undefined {
  const type = packed[0] ?? 0;
  const kind = kindOf(type);
  return kind === STR || kind === BIN ? packed.subarray(1 + widthOf(type)) : undefined;
}
