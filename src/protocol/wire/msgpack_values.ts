/** Values of Salt's msgpack for which JavaScript has no type. */

/**
 * A float64 whose value is integral, such as Python's `1.0`: a plain `1` would come back to a Python peer as an `int`.
 * Decoding returns it, encoding writes `cb`; in arithmetic and JSON it behaves like the number.
 *
 * @example
 * ```ts
 * import { decode, encode, Float } from "brine/wire";
 *
 * const value = decode(encode(new Float(1), "wire"), { mode: "wire" });
 * console.log(value instanceof Float, Number(value) + 1); // true 2
 * ```
 */
export class Float extends Number {
  /**
   * Marks a number that is a float in Python.
   *
   * @param value the number, encoded as a float even if it is integral
   */
  constructor(value: number) {
    super(value);
  }
}

const DATE_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{6})$/;

/**
 * A date-time without zone and with microseconds (ext type 78): Python's `datetime` on Salt's wire.
 *
 * @example
 * ```ts
 * import { DateTime, decode, encode } from "brine/wire";
 *
 * const value = decode(encode(new DateTime(Date.UTC(2026, 10, 21), 123), "bin"), { mode: "bin" });
 * console.log(String(value)); // 2026-11-21T00:00:00.000123
 * ```
 */
export class DateTime {
  /** Milliseconds since 1970-01-01T00:00:00, reading the wall-clock time as if it were UTC. */
  readonly epochMs: number;
  /** The microseconds within that millisecond, 0 to 999. */
  readonly micros: number;

  /**
   * A moment in milliseconds since the epoch, and microseconds beyond them.
   *
   * @param micros microseconds beyond the milliseconds, 0 to 999
   * @throws {RangeError} outside the years 1 to 9999, or if `micros` is not 0 to 999
   */
  constructor(epochMs: number, micros = 0) {
    if (!Number.isInteger(epochMs) || epochMs < -62135596800000 || epochMs > 253402300799999) {
      throw new RangeError(`Cannot make a date-time of ${epochMs} ms: expected an integer within the years 1 to 9999`);
    }
    if (!Number.isInteger(micros) || micros < 0 || micros > 999) {
      throw new RangeError(`Cannot make a date-time with ${micros} µs: expected 0 to 999`);
    }
    this.epochMs = epochMs;
    this.micros = micros;
  }

  /** The value of `YYYYMMDDTHH:MM:SS.ffffff`, or `undefined` if the text is not such a time. */
  static parse(text: string): DateTime | undefined {
    const match = DATE_TIME.exec(text);
    if (match === null) return undefined;
    const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const fraction = Number(match[7]);
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    // setUTCFullYear() carries 30 February over into March, which Python refuses.
    if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
    if (hour > 23 || minute > 59 || second > 59) return undefined;
    date.setUTCHours(hour, minute, second, Math.trunc(fraction / 1000));
    return new DateTime(date.getTime(), fraction % 1000);
  }

  /** ISO 8601 without zone: `2024-02-29T13:14:15.123456`. */
  toString(): string {
    return new Date(this.epochMs).toISOString().slice(0, -1) + String(this.micros).padStart(3, "0");
  }

  /** The time as ISO 8601 text. */
  toJSON(): string {
    return this.toString();
  }

  /** The text of the extension's payload. */
  toWire(): string {
    return this.toString().replaceAll("-", "");
  }
}

/**
 * A named constant (ext type 79), as Salt uses for values such as `salt.defaults.NOT_SET`.
 *
 * @example
 * ```ts
 * import { Constant, decode, encode } from "brine/wire";
 *
 * const value = decode(encode(new Constant("not_set"), "bin"), { mode: "bin" });
 * console.log(value instanceof Constant && value.name); // not_set
 * ```
 */
export class Constant {
  /** The name of the constant. */
  readonly name: string;
  /** The value of the constant. */
  readonly value: unknown;

  /**
   * A constant by its name in Python.
   *
   * @param value the value of the constant, if it has one
   */
  constructor(name: string, value: unknown = null) {
    this.name = name;
    this.value = value;
  }
}

/**
 * A value that is already packed: encoding inserts its bytes unchanged. A job return passes through the master
 * in this form, so that a client reads exactly what the minion sent.
 *
 * @example
 * ```ts
 * import { decode, encode, Packed } from "brine/wire";
 *
 * const packed = new Packed(encode({ ok: true }, "bin"));
 * console.log(JSON.stringify(decode(encode({ return: packed }, "bin"), { mode: "bin" }))); // {"return":{"ok":true}}
 * ```
 */
export class Packed {
  /** One complete msgpack object. */
  readonly bytes: Uint8Array;

  /**
   * Holds the bytes of one value.
   *
   * @param bytes one whole msgpack value
   */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}
