import { concat } from "../../../runtime/bytes.ts";
import { TAG } from "./der.ts";

const ascii = (text: string) => new TextEncoder().encode(text);

/** Bytes one behind the other. */
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => concat(parts);

function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = joined(...parts);
  const length: number[] = [];
  for (let left = content.length; left > 0; left = Math.floor(left / 256)) length.unshift(left % 256);
  const head = content.length < 128 ? [tag, content.length] : [tag, 0x80 | length.length, ...length];
  return joined(Uint8Array.from(head), content);
}

export const derSequence = (...parts: readonly Uint8Array[]): Uint8Array => tlv(TAG.SEQUENCE, ...parts);

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return a.length - b.length;
}

/** A SET OF, whose elements DER wants in order. */
export const derSet = (...parts: readonly Uint8Array[]): Uint8Array => tlv(TAG.SET, ...[...parts].sort(compareBytes));

/** The content of an INTEGER: as few bytes as hold it with its sign. */
function integerBytes(value: bigint): Uint8Array {
  let bits = 8n;
  while (value >= 1n << (bits - 1n) || value < -(1n << (bits - 1n))) bits += 8n;
  const digits = BigInt.asUintN(Number(bits), value).toString(16).padStart(Number(bits) / 4, "0");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export const derInteger = (value: bigint | number, tag: number = TAG.INTEGER): Uint8Array =>
  tlv(tag, integerBytes(BigInt(value)));

export const derBoolean = (value: boolean, tag: number = TAG.BOOLEAN): Uint8Array =>
  tlv(tag, Uint8Array.of(value ? 0xff : 0));

export const octets = (content: Uint8Array): Uint8Array => tlv(TAG.OCTET_STRING, content);

/** A BIT STRING of whole bytes. */
export const bitString = (content: Uint8Array): Uint8Array => tlv(TAG.BIT_STRING, Uint8Array.of(0), content);

/** A BIT STRING of named bits, number 0 first, without those behind the last that is set. */
export function namedBits(set: readonly number[], tag: number = TAG.BIT_STRING): Uint8Array {
  const last = Math.max(-1, ...set);
  const bytes = new Uint8Array((last >> 3) + 1);
  for (const bit of set) bytes[bit >> 3]! |= 0x80 >> (bit & 7);
  return tlv(tag, Uint8Array.of(last < 0 ? 0 : 7 - (last & 7)), bytes);
}

/** The content of an OBJECT IDENTIFIER in dots. @throws {SyntaxError} if it is none */
function oidBytes(text: string): Uint8Array {
  const parts = text.split(".");
  const valid = parts.length >= 2 && parts.every((part) => /^(?:0|[1-9]\d{0,38})$/.test(part));
  const [first = 0n, second = 0n, ...rest] = valid ? parts.map(BigInt) : [];
  if (!valid || first > 2n || (first < 2n && second > 39n)) throw new SyntaxError(`Invalid object identifier: ${text}`);
  const bytes: number[] = [];
  for (const part of [first * 40n + second, ...rest]) {
    const group = [Number(part & 0x7fn)];
    for (let left = part >> 7n; left > 0n; left >>= 7n) group.unshift(Number(left & 0x7fn) | 0x80);
    bytes.push(...group);
  }
  return Uint8Array.from(bytes);
}

export const oid = (text: string, tag: number = TAG.OID): Uint8Array => tlv(tag, oidBytes(text));

export const nothing: Uint8Array = Uint8Array.of(0x05, 0x00);
export const utf8String = (text: string): Uint8Array => tlv(0x0c, ascii(text));
export const printableString = (text: string): Uint8Array => tlv(0x13, ascii(text));
export const ia5 = (text: string, tag: number = TAG.IA5): Uint8Array => tlv(tag, ascii(text));

/** Whole elements within a context tag of that number. */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Uint8Array => tlv(0xa0 | number, ...parts);

/** The content of an element under a context tag of that number in place of its own. */
export function implicit(number: number, element: Uint8Array): Uint8Array {
  const changed = element.slice();
  changed[0] = 0x80 | (element[0]! & 0x20) | number;
  return changed;
}

const timeDigits = (time: Date) => time.toISOString().slice(0, 19).replace(/[-T:]/g, "");

/** A GeneralizedTime, to the second. */
export const generalizedTime = (time: Date): Uint8Array => tlv(0x18, ascii(`${timeDigits(time)}Z`));

/** A time as certificates have it: of two digits of the year before 2050. */
export function certificateTime(time: Date): Uint8Array {
  return time.getUTCFullYear() >= 2050
    ? generalizedTime(time)
    : tlv(TAG.UTC_TIME, ascii(`${timeDigits(time).slice(2)}Z`));
}
