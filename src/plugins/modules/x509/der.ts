import { decodeText } from "../../../language/python/codecs.ts";
import { type DerElement, readElement } from "../../../runtime/bytes.ts";
import { hex } from "../../../protocol/crypto/hex.ts";

/** Bytes of a number: a key of 32768 bits, and more than any serial number. */
const LONGEST_NUMBER = 4100;
const LONGEST_OID = 128;

/** An element of DER, with what it may stand for. */
export class Der implements DerElement {
  readonly tag: number;
  readonly whole: Uint8Array;
  readonly content: Uint8Array;

  constructor(tag: number, whole: Uint8Array, content: Uint8Array) {
    this.tag = tag;
    this.whole = whole;
    this.content = content;
  }

  /** The elements inside. @throws {SyntaxError} if the content is none */
  get children(): Der[] {
    const found: Der[] = [];
    for (let at = 0; at < this.content.length;) {
      const element = readDer(this.content.subarray(at));
      found.push(element);
      at += element.whole.length;
    }
    return found;
  }

  /** The element at a place inside. @throws {SyntaxError} if there is none */
  child(at: number): Der {
    const found = this.children[at];
    if (found === undefined) throw new SyntaxError(`There is no element ${at} in this DER`);
    return found;
  }

  /** The element inside with a context tag of that number, or undefined. */
  tagged(number: number): Der | undefined {
    return this.children.find(({ tag }) => (tag & 0xdf) === (0x80 | number));
  }

  /** The number of an INTEGER or ENUMERATED. */
  get integer(): bigint {
    // To put a number together takes the square of its length.
    if (this.content.length > LONGEST_NUMBER) throw new SyntaxError("A number of this DER is too long");
    let value = 0n;
    for (const byte of this.content) value = (value << 8n) | BigInt(byte);
    return (this.content[0] ?? 0) >= 0x80 ? value - (1n << BigInt(this.content.length * 8)) : value;
  }

  get boolean(): boolean {
    return (this.content[0] ?? 0) !== 0;
  }

  /** An OBJECT IDENTIFIER in dots. */
  get oid(): string {
    if (this.content.length > LONGEST_OID) throw new SyntaxError("An object identifier of this DER is too long");
    const parts: bigint[] = [];
    let value = 0n;
    for (const byte of this.content) {
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte >= 0x80) continue;
      parts.push(value);
      value = 0n;
    }
    const [first = 0n, ...rest] = parts;
    const top = first < 40n ? 0n : first < 80n ? 1n : 2n;
    return [top, first - top * 40n, ...rest].join(".");
  }

  get text(): string {
    if (this.tag === TAG.BMP) return new TextDecoder("utf-16be").decode(this.content);
    return decodeText(this.content, this.tag === TAG.TELETEX ? "latin-1" : "utf-8", "replace");
  }

  /** The bytes of a BIT STRING. */
  get bits(): Uint8Array {
    return this.content.subarray(1);
  }

  /** Whether a bit of a BIT STRING is set; the first is number 0. */
  bit(number: number): boolean {
    return ((this.content[1 + (number >> 3)] ?? 0) & (0x80 >> (number & 7))) !== 0;
  }

  /** The time of a UTCTime or GeneralizedTime. @throws {SyntaxError} if it is none */
  get time(): Date {
    const [, year = "", rest = ""] = (this.tag === TAG.UTC_TIME ? /^(\d{2})(\d{10})Z$/ : /^(\d{4})(\d{10})Z$/)
      .exec(this.text) ?? [];
    if (rest === "") throw new SyntaxError(`Not a time: "${this.text}"`);
    const full = year.length === 4 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900);
    const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = rest.match(/\d{2}/g)!.map(Number);
    return new Date(Date.UTC(full, month - 1, day, hour, minute, second));
  }
}

export const TAG = {
  BOOLEAN: 0x01,
  INTEGER: 0x02,
  BIT_STRING: 0x03,
  OCTET_STRING: 0x04,
  OID: 0x06,
  TELETEX: 0x14,
  IA5: 0x16,
  UTC_TIME: 0x17,
  BMP: 0x1e,
  SEQUENCE: 0x30,
  SET: 0x31,
} as const;

/** Reads the first element of some bytes. @throws {SyntaxError} if there is none, or it is cut short */
export function readDer(bytes: Uint8Array): Der {
  const { tag, whole, content } = readElement(bytes);
  return new Der(tag, whole, content);
}

/** Bytes, or a number, as pairs of digits with colons between. */
export function prettyHex(value: Uint8Array | bigint): string {
  const digits = value instanceof Uint8Array ? hex(value) : value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (even.match(/../g) ?? []).join(":").toUpperCase();
}

/** A time as functions of certificates write it, in UTC. */
export function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}
