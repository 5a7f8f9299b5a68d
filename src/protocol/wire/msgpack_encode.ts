import { Constant, DateTime, Float, Packed } from "./msgpack_values.ts";
import { writeUtf8 } from "./utf8.ts";

/**
 * The two dialects of Salt: `"wire"` writes text and bytes alike as raw strings without str8, `"bin"` (events, caches)
 * as str and bin. @see docs/internals/protocol.md 1.1
 */
export type Profile = "wire" | "bin";

/** The most levels of nesting: Python's packer refuses more, and the bound also stops at a cycle. */
const MAX_DEPTH = 511;
const FIRST_SIZE = 4096;
/** The size in bytes beyond which a buffer is not kept for the next call, but returned or dropped. */
const KEEP_SIZE = 65536;
/** The most characters of a text for which a loop is faster than the runtime's encoder. */
const LOOP_LIMIT = 48;
/** The most characters of a text for which room for three bytes each is made at once; for longer texts only if needed. */
const LONG_TEXT = 4096;

/** The size in bytes from which keeping bytes as a separate part costs less than copying them. */
const LONG_BYTES = 65536;

const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

const scratch = new DataView(new ArrayBuffer(8));

class Encoder {
  buffer: Uint8Array = new Uint8Array(FIRST_SIZE);
  at = 0;
  bin = false;
  busy = false;
  /** Long bytes that were not copied, with their offset in the output; undefined if all bytes are copied. */
  cuts: { at: number; bytes: Uint8Array }[] | undefined;

  /** Makes room for `count` more bytes. */
  room(count: number): void {
    if (this.at + count > this.buffer.length) this.grow(count);
  }

  grow(count: number): void {
    // Makes more room than requested: the few fields after a long text should not double the buffer.
    const next = new Uint8Array(Math.max(this.buffer.length * 2, this.at + count + 4096));
    next.set(this.buffer.subarray(0, this.at));
    this.buffer = next;
  }

  value(value: unknown, depth: number): void {
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "number":
        return this.number(value);
      case "boolean":
        this.room(1);
        this.buffer[this.at++] = value ? 0xc3 : 0xc2;
        return;
      case "undefined":
        this.room(1);
        this.buffer[this.at++] = 0xc0;
        return;
      case "bigint":
        return this.bigint(value);
      case "object":
        if (value === null) {
          this.room(1);
          this.buffer[this.at++] = 0xc0;
          return;
        }
        return this.object(value, depth);
      default:
        throw new TypeError(`Cannot pack a ${typeof value}`);
    }
  }

  number(value: number): void {
    this.room(9);
    const { buffer } = this;
    // 0 and -0 are equal, but only one of them is an integer to a Python peer.
    if (!Number.isSafeInteger(value) || (value === 0 && 1 / value < 0)) return this.float(value);
    if (value >= 0) {
      if (value < 0x80) {
        buffer[this.at++] = value;
      } else if (value < 0x100) {
        buffer[this.at++] = 0xcc;
        buffer[this.at++] = value;
      } else if (value < 0x10000) {
        buffer[this.at++] = 0xcd;
        this.uint16(value);
      } else if (value < 0x100000000) {
        buffer[this.at++] = 0xce;
        this.uint32(value);
      } else {
        buffer[this.at++] = 0xcf;
        this.uint32(Math.floor(value / 0x100000000));
        this.uint32(value % 0x100000000);
      }
    } else if (value >= -0x20) {
      buffer[this.at++] = value;
    } else if (value >= -0x80) {
      buffer[this.at++] = 0xd0;
      buffer[this.at++] = value;
    } else if (value >= -0x8000) {
      buffer[this.at++] = 0xd1;
      this.uint16(value & 0xffff);
    } else if (value >= -0x80000000) {
      buffer[this.at++] = 0xd2;
      this.uint32(value);
    } else {
      buffer[this.at++] = 0xd3;
      const high = Math.floor(value / 0x100000000);
      this.uint32(high);
      this.uint32(value - high * 0x100000000);
    }
  }

  float(value: number): void {
    this.room(9);
    this.buffer[this.at++] = 0xcb;
    scratch.setFloat64(0, value);
    this.uint32(scratch.getUint32(0));
    this.uint32(scratch.getUint32(4));
  }

  bigint(value: bigint): void {
    if (value > MAX_UINT64 || value < MIN_INT64) return this.text(value.toString());
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return this.number(Number(value));
    this.room(9);
    this.buffer[this.at++] = value < 0n ? 0xd3 : 0xcf;
    this.uint32(Number((value >> 32n) & 0xffffffffn));
    this.uint32(Number(value & 0xffffffffn));
  }

  uint16(value: number): void {
    this.buffer[this.at++] = value >>> 8;
    this.buffer[this.at++] = value;
  }

  uint32(value: number): void {
    const { buffer } = this;
    buffer[this.at++] = value >>> 24;
    buffer[this.at++] = value >>> 16;
    buffer[this.at++] = value >>> 8;
    buffer[this.at++] = value;
  }

  /** Writes the header of a str of `length` bytes; the buffer must have room for five. */
  strHeader(length: number): void {
    if (length < 32) {
      this.buffer[this.at++] = 0xa0 | length;
    } else if (length < 0x100 && this.bin) {
      this.buffer[this.at++] = 0xd9;
      this.buffer[this.at++] = length;
    } else if (length < 0x10000) {
      this.buffer[this.at++] = 0xda;
      this.uint16(length);
    } else if (length < 0x100000000) {
      this.buffer[this.at++] = 0xdb;
      this.uint32(length);
    } else {
      throw new RangeError(`Cannot pack a text of ${length} bytes: msgpack allows less than 4 GiB`);
    }
  }

  strHeaderSize(length: number): number {
    return length < 32 ? 1 : length < 0x100 && this.bin ? 2 : length < 0x10000 ? 3 : 5;
  }

  text(value: string): void {
    const { length } = value;
    // A character takes three bytes at most; room for long texts is made as for ASCII, which most texts are.
    this.room(length <= LONG_TEXT ? length * 3 + 5 : length + 5);
    const start = this.at;
    this.strHeader(length);
    if (length <= LOOP_LIMIT) {
      const { buffer } = this;
      let at = this.at;
      for (let index = 0; index < length; index++) {
        const code = value.charCodeAt(index);
        if (code > 0x7f) return this.wideText(value, start);
        buffer[at++] = code;
      }
      this.at = at;
      return;
    }
    this.wideText(value, start);
  }

  /** As {@link text}, for any text: the header is written as for ASCII, and the bytes are moved if it was too short. */
  wideText(value: string, start: number): void {
    this.at = start;
    this.strHeader(value.length);
    const header = this.at;
    let { read, written } = writeUtf8(value, this.buffer, header);
    // The text did not fit, or there is no room for a header longer by four bytes.
    if (read < value.length || header + written + 4 > this.buffer.length) {
      this.room(value.length * 3 + 4);
      ({ read, written } = writeUtf8(value, this.buffer, header));
    }
    if (written !== value.length) {
      // Moves the bytes first: a longer header would overwrite them.
      const body = start + this.strHeaderSize(written);
      if (body !== header) this.buffer.copyWithin(body, header, header + written);
      this.at = start;
      this.strHeader(written);
    }
    this.at += written;
  }

  binary(value: Uint8Array): void {
    const { length } = value;
    const cut = this.cuts !== undefined && length >= LONG_BYTES;
    this.room(cut ? 5 : length + 5);
    if (!this.bin) {
      this.strHeader(length);
    } else if (length < 0x100) {
      this.buffer[this.at++] = 0xc4;
      this.buffer[this.at++] = length;
    } else if (length < 0x10000) {
      this.buffer[this.at++] = 0xc5;
      this.uint16(length);
    } else {
      this.buffer[this.at++] = 0xc6;
      this.uint32(length);
    }
    if (cut) this.cuts!.push({ at: this.at, bytes: value });
    else this.raw(value);
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  arrayHeader(length: number): void {
    this.room(5);
    if (length < 16) {
      this.buffer[this.at++] = 0x90 | length;
    } else if (length < 0x10000) {
      this.buffer[this.at++] = 0xdc;
      this.uint16(length);
    } else {
      this.buffer[this.at++] = 0xdd;
      this.uint32(length);
    }
  }

  mapHeader(length: number): void {
    this.room(5);
    if (length < 16) {
      this.buffer[this.at++] = 0x80 | length;
    } else if (length < 0x10000) {
      this.buffer[this.at++] = 0xde;
      this.uint16(length);
    } else {
      this.buffer[this.at++] = 0xdf;
      this.uint32(length);
    }
  }

  object(value: object, depth: number): void {
    if (depth >= MAX_DEPTH) throw new RangeError(`Cannot pack a value nested deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      this.arrayHeader(value.length);
      // Reads by index: holes become nil, and an iterator would cost more than the values of most arrays.
      for (let index = 0; index < value.length; index++) this.value(value[index], depth + 1);
      return;
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      return this.record(value as Record<string, unknown>, depth);
    }
    if (value instanceof Packed) return this.raw(value.bytes);
    if (value instanceof Map) return this.map(value, depth);
    if (value instanceof Uint8Array) return this.binary(value);
    if (value instanceof Float) return this.float(value.valueOf());
    if (value instanceof Set) {
      this.arrayHeader(value.size);
      for (const item of value) this.value(item, depth + 1);
      return;
    }
    if (value instanceof DateTime) return this.dateTime(value);
    if (value instanceof Date) return this.dateTime(new DateTime(value.getTime()));
    if (value instanceof Constant) return this.constant(value, depth);
    if (ArrayBuffer.isView(value)) return this.binary(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof ArrayBuffer) return this.binary(new Uint8Array(value));
    if (value instanceof String) return this.text(value.valueOf());
    if (value instanceof Number) return this.number(value.valueOf());
    if (value instanceof Boolean) return this.value(value.valueOf(), depth);
    // The Object.prototype of another realm (a vm context) has no prototype either.
    if (Object.getPrototypeOf(prototype) === null) return this.record(value as Record<string, unknown>, depth);
    throw new TypeError(`Cannot pack an object of class "${prototype.constructor?.name}": expected plain data`);
  }

  record(value: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(value);
    const start = this.at;
    this.mapHeader(keys.length);
    for (const key of keys) {
      const item = value[key];
      if (item === undefined) {
        // Undefined values are rare, and the header is already written: starts over with the remaining entries.
        this.at = start;
        const present = keys.filter((name) => value[name] !== undefined);
        this.mapHeader(present.length);
        for (const name of present) {
          this.text(name);
          this.value(value[name], depth + 1);
        }
        return;
      }
      this.text(key);
      this.value(item, depth + 1);
    }
  }

  map(value: Map<unknown, unknown>, depth: number): void {
    let size = value.size;
    for (const item of value.values()) if (item === undefined) size -= 1;
    this.mapHeader(size);
    for (const [key, item] of value) {
      if (item === undefined) continue;
      this.value(key, depth + 1);
      this.value(item, depth + 1);
    }
  }

  dateTime(value: DateTime): void {
    const text = value.toWire();
    this.room(text.length + 3);
    this.buffer[this.at++] = 0xc7;
    this.buffer[this.at++] = text.length;
    this.buffer[this.at++] = 78;
    for (let index = 0; index < text.length; index++) this.buffer[this.at++] = text.charCodeAt(index);
  }

  constant(value: Constant, depth: number): void {
    const inner = new Encoder();
    inner.bin = true;
    // Continues the depth: a constant inside a constant counts as nesting, too.
    inner.value([value.name, value.value], depth + 1);
    const { at: length } = inner;
    this.room(length + 6);
    if (length === 1 || length === 2 || length === 4 || length === 8 || length === 16) {
      this.buffer[this.at++] = 0xd4 + Math.log2(length);
    } else if (length < 0x100) {
      this.buffer[this.at++] = 0xc7;
      this.buffer[this.at++] = length;
    } else if (length < 0x10000) {
      this.buffer[this.at++] = 0xc8;
      this.uint16(length);
    } else {
      this.buffer[this.at++] = 0xc9;
      this.uint32(length);
    }
    this.buffer[this.at++] = 79;
    this.raw(inner.buffer.subarray(0, length));
  }
}

// One buffer is reused from call to call, which no caller can observe: the result is a copy, and a nested call (a getter that
// packs) gets a new encoder.
const shared = new Encoder();

/** Runs `write` on the shared encoder and returns what it wrote. */
function written(profile: Profile, write: (encoder: Encoder) => void): Uint8Array {
  const encoder = shared.busy ? new Encoder() : shared;
  encoder.busy = true;
  encoder.at = 0;
  encoder.bin = profile === "bin";
  try {
    write(encoder);
    const { buffer, at } = encoder;
    // A large buffer is returned rather than copied, unless most of it is unused and would waste memory.
    return buffer.length > KEEP_SIZE && at * 2 > buffer.length ? buffer.subarray(0, at) : buffer.slice(0, at);
  } finally {
    encoder.busy = false;
    encoder.cuts = undefined;
    if (encoder.buffer.length > KEEP_SIZE) encoder.buffer = new Uint8Array(FIRST_SIZE);
  }
}

/**
 * Packs a value. `undefined` is nil in arrays and left out of maps; integers beyond 64 bits become decimal text; lone
 * surrogates become U+FFFD.
 *
 * @example
 * ```ts
 * import { encode } from "brine/wire";
 *
 * console.log(encode({ a: 1 }, "bin").join(" ")); // 129 161 97 1
 * ```
 * @throws {TypeError} for functions, symbols and instances of classes
 * @throws {RangeError} if it nests deeper than 511 levels, as a cycle does
 */
export function encode(value: unknown, profile: Profile): Uint8Array {
  return written(profile, (encoder) => encoder.value(value, 0));
}

/** `head` and then a packed value, in one array: for layouts with a prefix. */
export function encodeAfter(head: Uint8Array, value: unknown, profile: Profile): Uint8Array {
  return written(profile, (encoder) => {
    encoder.raw(head);
    encoder.value(value, 0);
  });
}

/** As {@link encodeAfter}, as consecutive parts: bytes of 64 KiB and more become a separate part and are not copied. */
export function encodePartsAfter(head: Uint8Array, value: unknown, profile: Profile): Uint8Array[] {
  const cuts: NonNullable<Encoder["cuts"]> = [];
  const whole = written(profile, (encoder) => {
    encoder.cuts = cuts;
    encoder.raw(head);
    encoder.value(value, 0);
  });
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { at, bytes } of cuts) {
    parts.push(whole.subarray(from, at), bytes);
    from = at;
  }
  return from === whole.length ? parts : [...parts, whole.subarray(from)];
}
