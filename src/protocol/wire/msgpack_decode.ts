import { ProtocolError } from "../../base/errors.ts";
import * as msgpack from "./msgpack_types.ts";
import { Constant, DateTime, Float, Packed } from "./msgpack_values.ts";
import { TextCache, textOf } from "./utf8.ts";

/**
 * How byte strings become values: `"wire"` recovers text (valid UTF-8 is text, the rest bytes), `"raw"` leaves values as
 * bytes and recovers map keys only, `"bin"` follows the type byte. In all three, invalid UTF-8 is a `Uint8Array`.
 */
export type Mode = "wire" | "raw" | "bin";

/** How msgpack is decoded, and its bounds. */
export interface DecodeOptions {
  /** How strings and binaries are decoded. */
  mode: Mode;
  /** The keys of the outermost map whose values stay packed, as {@link Packed}. */
  keep?: readonly string[] | undefined;
  /** Entries of the outermost map with a name in this object are written to this object, and not to the value. Their texts stay bytes. */
  apart?: Record<string, unknown>;
  /** The most levels of nesting. @default 511, as in Python's codec */
  maxDepth?: number;
  /** The most bytes of input. @default no bound: transports have their own */
  maxBytes?: number;
  /**
   * The most values that are built, in all containers together: items, keys and map values. One byte can stand for a map that
   * takes a hundred bytes in memory, so a limit on bytes alone is not enough. @default 8388608
   */
  maxValues?: number;
  /** The most values that are skipped within packed entries, which cost only time. @default no bound */
  maxKept?: number;
}

export const DEFAULT_MAX_DEPTH = 511;
const DEFAULT_MAX_VALUES = 2 ** 23;

// The constants are copied: reading a constant of the same module is faster than reading an import.
const CONTAINER = msgpack.ARRAY | msgpack.MAP;
const { TYPES, KIND, PLAIN, STR, BIN, ARRAY, MAP, UNUSED, COUNT, WIDTH, ONE_BYTE, TWO_BYTES, SHORT } = msgpack;

const unused = (type: number) =>
  new ProtocolError(`Cannot unpack a value: 0x${type.toString(16)} is not a msgpack type`);
const containerAsKey = () => new ProtocolError("Cannot unpack a map: a key is an array or a map, expected a scalar");

const scratch = new DataView(new ArrayBuffer(8));

function float32(bits: number): number | Float {
  scratch.setUint32(0, bits);
  return floatOf(scratch.getFloat32(0));
}

function float64(high: number, low: number): number | Float {
  scratch.setUint32(0, high);
  scratch.setUint32(4, low);
  return floatOf(scratch.getFloat64(0));
}

function floatOf(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

/**
 * True for keys that a plain object would not keep as they are: canonical array indices, which JavaScript sorts to the
 * front, and `__proto__`.
 */
function reordersObject(key: string): boolean {
  const first = key.charCodeAt(0);
  if (first === 0x5f) return key === "__proto__";
  if (!(first >= 0x30 && first <= 0x39) || key.length > 10) return false;
  return String(Number(key) >>> 0) === key && key !== "4294967295";
}

// All messages share the caches on purpose; their content affects only speed. Values have a separate cache, so that
// jids and nonces do not replace the field names.
const keyTexts = new TextCache();
const valueTexts = new TextCache();

/** Reads one object after another from bytes, each checked against the bounds before memory is allocated for it. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly maxDepth: number;
  readonly maxValues: number;
  readonly maxKept: number;
  at: number;
  /** The number of values that may still be built, and that may still be skipped. */
  valuesLeft: number;
  keptLeft: number;
  readonly strText: boolean;
  readonly binText: boolean;
  /** True if bin as a map key becomes text. */
  readonly binKeyText: boolean;

  constructor(
    bytes: Uint8Array,
    mode: Mode,
    maxDepth: number,
    maxValues: number = DEFAULT_MAX_VALUES,
    maxKept: number = Infinity,
  ) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.at = 0;
    this.maxDepth = maxDepth;
    this.maxValues = this.valuesLeft = maxValues;
    this.maxKept = this.keptLeft = maxKept;
    this.strText = mode !== "raw";
    this.binText = mode === "wire";
    this.binKeyText = mode !== "bin";
  }

  truncated(need: number): ProtocolError {
    return new ProtocolError(
      `Cannot unpack a value: ${need} bytes are announced at ${this.at} and only ${this.end - this.at} follow`,
    );
  }

  tooDeep(): ProtocolError {
    return new ProtocolError(`Cannot unpack a value nested deeper than ${this.maxDepth} levels`);
  }

  /** Counts values that are about to be built: called once for each container, whatever its size. */
  spend(count: number): void {
    if ((this.valuesLeft -= count) < 0) {
      throw new ProtocolError(`Cannot unpack a value of more than ${this.maxValues} parts`);
    }
  }

  /** Counts values that are about to be skipped. */
  pass(count: number): void {
    if ((this.keptLeft -= count) < 0) {
      throw new ProtocolError(`Cannot unpack a value: a packed value has more than ${this.maxKept} parts`);
    }
  }

  need(count: number): void {
    if (this.end - this.at < count) throw this.truncated(count);
  }

  uint8(): number {
    this.need(1);
    return this.bytes[this.at++]!;
  }

  uint16(): number {
    this.need(2);
    const { bytes, at } = this;
    this.at = at + 2;
    return (bytes[at]! << 8) | bytes[at + 1]!;
  }

  uint32(): number {
    this.need(4);
    const { bytes, at } = this;
    this.at = at + 4;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  /** The number of bytes, items or pairs of a value, by its row of {@link TYPES}. To be called after its first byte was read. */
  count(row: number): number {
    return (row & WIDTH) === 0 ? row & COUNT : this.longCount(row);
  }

  longCount(row: number): number {
    switch (row & WIDTH) {
      case ONE_BYTE:
        return this.uint8();
      case TWO_BYTES:
        return this.uint16();
      default:
        return this.uint32();
    }
  }

  /** The row of {@link TYPES} of the next value; the row of nil if there is none. */
  nextRow(): number {
    return this.at < this.end ? TYPES[this.bytes[this.at]!]! : PLAIN;
  }

  /** Passes the first byte of a value. @returns its count */
  nextCount(row: number): number {
    this.at += 1;
    return this.count(row);
  }

  value(depth: number): unknown {
    if (this.at >= this.end) throw this.truncated(1);
    const type = this.bytes[this.at++]!;
    if (type < 0x80) return type;
    const row = TYPES[type]!;
    switch (row & KIND) {
      case STR:
        return this.str(this.count(row));
      case MAP:
        return this.map(this.count(row), depth);
      case ARRAY:
        return this.array(this.count(row), depth);
      case BIN:
        return this.bin(this.count(row));
      case PLAIN:
        return this.plain(type);
      case UNUSED:
        throw unused(type);
      default:
        return this.ext(this.count(row), depth);
    }
  }

  plain(type: number): unknown {
    if (type >= 0xe0) return type - 0x100;
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return float32(this.uint32());
      case 0xcb: {
        this.need(8);
        const high = this.uint32();
        return float64(high, this.uint32());
      }
      case 0xcc:
        return this.uint8();
      case 0xcd:
        return this.uint16();
      case 0xce:
        return this.uint32();
      case 0xcf:
        return this.uint64();
      case 0xd0:
        return (this.uint8() << 24) >> 24;
      case 0xd1:
        return (this.uint16() << 16) >> 16;
      case 0xd2:
        return this.uint32() | 0;
      default:
        return this.int64();
    }
  }

  uint64(): number | bigint {
    this.need(8);
    const high = this.uint32();
    const low = this.uint32();
    return high < 0x200000 ? high * 0x100000000 + low : (BigInt(high) << 32n) | BigInt(low);
  }

  int64(): number | bigint {
    this.need(8);
    const high = this.uint32() | 0;
    const low = this.uint32();
    const value = high * 0x100000000 + low;
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
  }

  /** The next `length` bytes, as a view of the input. */
  take(length: number): Uint8Array {
    this.need(length);
    return this.bytes.subarray(this.at, this.at += length);
  }

  text(length: number): string | Uint8Array {
    this.need(length);
    const start = this.at;
    this.at = start + length;
    return valueTexts.text(this.bytes, start, this.at) ?? this.bytes.subarray(start, this.at);
  }

  str(length: number): string | Uint8Array {
    return this.strText ? this.text(length) : this.take(length);
  }

  bin(length: number): string | Uint8Array {
    return this.binText ? this.text(length) : this.take(length);
  }

  array(length: number, depth: number): unknown[] {
    if (depth >= this.maxDepth) throw this.tooDeep();
    // Each item takes at least one byte: a hostile length is refused here.
    this.need(length);
    this.spend(length);
    const items: unknown[] = [];
    for (let index = 0; index < length; index++) items.push(this.value(depth + 1));
    return items;
  }

  /** A map key: text wherever possible, any scalar otherwise. */
  key(depth: number): unknown {
    if (this.at >= this.end) throw this.truncated(1);
    const row = TYPES[this.bytes[this.at]!]!;
    const kind = row & KIND;
    if (kind === STR || kind === BIN && this.binKeyText) {
      const length = this.nextCount(row);
      this.need(length);
      const start = this.at;
      this.at = start + length;
      return keyTexts.text(this.bytes, start, this.at) ?? this.bytes.subarray(start, this.at);
    }
    if ((row & CONTAINER) !== 0) throw containerAsKey();
    return this.value(depth);
  }

  map(length: number, depth: number): unknown {
    if (depth >= this.maxDepth) throw this.tooDeep();
    this.need(length * 2);
    this.spend(length * 2);
    const record: Record<string, unknown> = {};
    for (let index = 0; index < length; index++) {
      const key = this.key(depth + 1);
      if (typeof key !== "string" || reordersObject(key)) return this.otherMap(record, key, index, length, depth);
      record[key] = this.value(depth + 1);
    }
    return record;
  }

  /** Continues with a map that turned out not to fit a plain object, at its key number `index`. */
  otherMap(record: Record<string, unknown>, key: unknown, index: number, length: number, depth: number): unknown {
    const map = new Map<unknown, unknown>(Object.entries(record));
    map.set(key, this.value(depth + 1));
    for (index += 1; index < length; index++) {
      const next = this.key(depth + 1);
      map.set(next, this.value(depth + 1));
    }
    return map;
  }

  /** Reads the outermost value. The named entries stay packed; entries with a name in `apart` are written there. */
  keeping(keep: readonly string[], apart?: Record<string, unknown>): unknown {
    const row = this.nextRow();
    if ((row & KIND) !== MAP) return this.value(0);
    const length = this.nextCount(row);
    this.need(length * 2);
    this.spend(length * 2);
    const record: Record<string, unknown> = {};
    let map: Map<unknown, unknown> | undefined;
    for (let index = 0; index < length; index++) {
      const key = this.key(1);
      let value: unknown;
      if (typeof key === "string" && keep.includes(key)) {
        const start = this.at;
        this.skip(1);
        value = new Packed(this.bytes.subarray(start, this.at));
      } else {
        if (apart !== undefined && typeof key === "string" && Object.hasOwn(apart, key)) {
          apart[key] = this.bytesOrValue();
          continue;
        }
        value = this.value(1);
      }
      if (map === undefined && (typeof key !== "string" || reordersObject(key))) map = new Map(Object.entries(record));
      if (map === undefined) record[key as string] = value;
      else map.set(key, value);
    }
    return map ?? record;
  }

  /** The next value of the outermost map; str or bin is returned as bytes, in every mode. */
  bytesOrValue(): unknown {
    const row = this.nextRow();
    const kind = row & KIND;
    return kind === STR || kind === BIN ? this.take(this.nextCount(row)) : this.value(1);
  }

  /** Builds the named entries of the outermost map and skips all others. Returns an empty record if it is not a map. */
  picking(names: readonly string[]): Record<string, unknown> {
    const row = this.nextRow();
    const length = (row & KIND) === MAP ? this.nextCount(row) : 0;
    this.need(length * 2);
    this.spend(length);
    const record: Record<string, unknown> = {};
    for (let index = 0; index < length; index++) {
      const key = this.key(1);
      if (typeof key === "string" && names.includes(key)) record[key] = this.value(1);
      else this.skip(1);
    }
    return record;
  }

  ext(length: number, depth: number): unknown {
    const kind = this.uint8();
    if (kind === 78) {
      const payload = this.take(length);
      const value = length === 24 ? DateTime.parse(textOf(payload, 0, length) ?? "") : undefined;
      if (value === undefined) throw new ProtocolError("Cannot unpack a date-time: its text is malformed");
      return value;
    }
    if (kind === 79) {
      const payload = this.take(length);
      const inner = new Reader(payload, "bin", this.maxDepth, this.valuesLeft);
      const pair = inner.value(depth + 1);
      this.valuesLeft = inner.valuesLeft;
      if (inner.at !== inner.end || !Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") {
        throw new ProtocolError("Cannot unpack a named constant: expected a name and a value");
      }
      return new Constant(pair[0], pair[1]);
    }
    // Salt returns the payload of an extension that it does not know, and text recovery applies to it.
    return this.bin(length);
  }

  /** Skips one value, with all checks of {@link Reader.value}, but without building it. */
  skip(depth: number): void {
    if (this.at >= this.end) throw this.truncated(1);
    const type = this.bytes[this.at++]!;
    const row = TYPES[type]!;
    if (row < SHORT) return this.skipBytes(row & COUNT);
    switch (row & KIND) {
      case MAP:
        return this.skipMap(this.count(row), depth);
      case ARRAY:
        return this.skipArray(this.count(row), depth);
      case STR:
      case BIN:
        return this.skipBytes(this.count(row));
      case UNUSED:
        throw unused(type);
      default:
        // Extensions are rare and short: building one is the simplest check, and a malformed one must not be passed on to other peers.
        return void this.ext(this.count(row), depth);
    }
  }

  skipBytes(length: number): void {
    this.need(length);
    this.at += length;
  }

  skipArray(length: number, depth: number): void {
    if (depth >= this.maxDepth) throw this.tooDeep();
    this.need(length);
    this.pass(length);
    for (let index = 0; index < length; index++) this.skip(depth + 1);
  }

  skipMap(length: number, depth: number): void {
    if (depth >= this.maxDepth) throw this.tooDeep();
    this.need(length * 2);
    this.pass(length * 2);
    for (let index = 0; index < length; index++) {
      if ((TYPES[this.bytes[this.at] ?? 0]! & CONTAINER) !== 0) throw containerAsKey();
      this.skip(depth + 1);
      this.skip(depth + 1);
    }
  }
}

/** Returns a Node `Buffer` as a plain `Uint8Array`: each view of a `Buffer` would be a `Buffer` as well, which is slow. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Unpacks exactly one value. Byte strings, and entries kept packed, are views of `bytes`, which MUST NOT change afterwards.
 *
 * Maps are plain objects where that loses nothing, else a `Map`; integers beyond ±2^53 are `bigint`; a float of integral
 * value is a {@link Float}. Of equal keys the last wins.
 *
 * @example
 * ```ts
 * import { decode, encode } from "brine/wire";
 *
 * const bytes = encode({ fun: "test.ping", arg: [] }, "wire");
 * console.log(JSON.stringify(decode(bytes, { mode: "wire" }))); // {"fun":"test.ping","arg":[]}
 * ```
 * @throws {ProtocolError} if `bytes` is empty, cut off, followed by more, too deep, too long, of too many values, or not msgpack
 */
export function decode(bytes: Uint8Array, options: DecodeOptions): unknown {
  const { mode, keep, apart, maxDepth = DEFAULT_MAX_DEPTH, maxBytes = Infinity, maxValues, maxKept } = options;
  if (bytes.length > maxBytes) {
    throw new ProtocolError(`Cannot unpack ${bytes.length} bytes: at most ${maxBytes} are accepted`);
  }
  const reader = new Reader(plainBytes(bytes), mode, maxDepth, maxValues, maxKept);
  const value = keep === undefined && apart === undefined ? reader.value(0) : reader.keeping(keep ?? [], apart);
  if (reader.at !== reader.end) {
    throw new ProtocolError(`Cannot unpack a value: ${reader.end - reader.at} bytes follow it`);
  }
  return value;
}

/**
 * Checks one value without building anything, for codecs that have no bounds of their own.
 *
 * @example
 * ```ts
 * import { checkPacked, encode } from "brine/wire";
 *
 * checkPacked(encode([1, 2, 3], "bin"), { maxValues: 10, maxDepth: 5 });
 * console.log("within bounds"); // within bounds
 * ```
 * @throws {ProtocolError} as {@link decode}
 */
export function checkPacked(bytes: Uint8Array, { maxValues, maxDepth }: { maxValues: number; maxDepth: number }): void {
  const reader = new Reader(plainBytes(bytes), "raw", maxDepth, maxValues, maxValues);
  reader.skip(0);
  if (reader.at !== reader.end) {
    throw new ProtocolError(`Cannot unpack a value: ${reader.end - reader.at} bytes follow it`);
  }
}

/**
 * Reads some entries of a map without building the others, to find the sender before memory is allocated for the rest.
 * Returns an empty record for any other value.
 *
 * @param options `maxValues` bounds the keys and the values that are built, `maxKept` those that are skipped
 * @example
 * ```ts
 * import { encode, pick } from "brine/wire";
 *
 * const bytes = encode({ cmd: "_return", id: "web1", return: { much: "more" } }, "wire");
 * console.log(pick(bytes, ["id"], { mode: "wire", maxValues: 100, maxKept: 1000 }).id); // web1
 * ```
 * @throws {ProtocolError} as {@link decode}
 */
export function pick(
  bytes: Uint8Array,
  names: readonly string[],
  options: { mode: Mode; maxValues: number; maxKept: number },
): Record<string, unknown> {
  const { mode, maxValues, maxKept } = options;
  return new Reader(plainBytes(bytes), mode, DEFAULT_MAX_DEPTH, maxValues, maxKept).picking(names);
}
