/** How the encodings UTF-16 and UTF-32 write code units. */
export interface Units {
  /** The codec's name in Python's errors. */
  name: string;
  /** The size of a code unit, in bytes. */
  size: 2 | 4;
  /** True for little-endian. Undefined: written as little-endian after a byte order mark, read in the order of the mark. */
  little: boolean | undefined;
}

export const UNITS: Readonly<Record<string, Units>> = {
  utf_16: { name: "utf-16", size: 2, little: undefined },
  utf_16_le: { name: "utf-16-le", size: 2, little: true },
  utf_16_be: { name: "utf-16-be", size: 2, little: false },
  utf_32: { name: "utf-32", size: 4, little: undefined },
  utf_32_le: { name: "utf-32-le", size: 4, little: true },
  utf_32_be: { name: "utf-32-be", size: 4, little: false },
};

const MARK = 0xfeff;

/** The bytes of one code point, which may be a lone surrogate. */
export function unitBytes({ size, little }: Units, code: number): number[] {
  const units = size === 4 || code <= 0xffff
    ? [code]
    : [0xd800 + (code - 0x10000 >> 10), 0xdc00 + (code - 0x10000 & 0x3ff)];
  return units.flatMap((unit) => {
    const bytes = Array.from({ length: size }, (_, at) => unit >>> 8 * at & 0xff);
    return little === false ? bytes.reverse() : bytes;
  });
}

/** The byte order mark at the start of a text whose encoding names no order. */
export const markOf = (units: Units): number[] => units.little === undefined ? unitBytes(units, MARK) : [];

/** A code point, its number of bytes, and the reason if it is invalid. */
interface Read {
  code: number;
  length: number;
  wrong?: string;
}

/** The byte order of a text, and the offset of its first character after the mark. */
export function orderOf(units: Units, bytes: Uint8Array): { units: Units; from: number } {
  if (units.little !== undefined) return { units, from: 0 };
  for (const little of [true, false]) {
    const mark = unitBytes({ ...units, little }, MARK);
    if (bytes.length >= mark.length && mark.every((byte, at) => bytes[at] === byte)) {
      return { units: { ...units, little }, from: mark.length };
    }
  }
  return { units: { ...units, little: true }, from: 0 };
}

/** Reads one code point. */
export function readUnit({ size, little }: Units, bytes: Uint8Array, at: number): Read {
  const unit = (from: number) => {
    let value = 0;
    for (let index = 0; index < size; index++) {
      value = value * 256 + bytes[little ? from + size - 1 - index : from + index]!;
    }
    return value;
  };
  if (at + size > bytes.length) return { code: 0, length: bytes.length - at, wrong: "truncated data" };
  const first = unit(at);
  if (size === 4) {
    if (first > 0x10ffff) return { code: 0, length: 4, wrong: "code point not in range(0x110000)" };
    const surrogate = first >= 0xd800 && first <= 0xdfff;
    return surrogate
      ? { code: first, length: 4, wrong: "code point in surrogate code point range(0xd800, 0xe000)" }
      : { code: first, length: 4 };
  }
  if (first < 0xd800 || first > 0xdfff) return { code: first, length: 2 };
  if (first >= 0xdc00) return { code: first, length: 2, wrong: "illegal encoding" };
  if (at + 4 > bytes.length) return { code: first, length: bytes.length - at, wrong: "unexpected end of data" };
  const second = unit(at + 2);
  if (second < 0xdc00 || second > 0xdfff) return { code: first, length: 2, wrong: "illegal UTF-16 surrogate" };
  return { code: 0x10000 + (first - 0xd800 << 10) + (second - 0xdc00), length: 4 };
}
