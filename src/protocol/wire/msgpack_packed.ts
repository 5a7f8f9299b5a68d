import { decode, type DecodeOptions, DEFAULT_MAX_DEPTH, type Mode, plainBytes, Reader } from "./msgpack_decode.ts";
import { encode, type Profile } from "./msgpack_encode.ts";
import { kindOf, STR, widthOf } from "./msgpack_types.ts";
import { Packed } from "./msgpack_values.ts";
import { isUtf8 } from "./utf8.ts";

/**
 * Packs a value once, to be spliced into several messages.
 *
 * @example
 * ```ts
 * import { encode, pack } from "brine/wire";
 *
 * const shared = pack({ fun: "test.ping" }, "wire");
 * console.log(encode([shared, shared], "wire").length > shared.bytes.length); // true
 * ```
 */
export function pack(value: unknown, profile: Profile): Packed {
  return value instanceof Packed ? value : new Packed(encode(value, profile));
}

/**
 * The value of packed bytes.
 *
 * @example
 * ```ts
 * import { pack, unpack } from "brine/wire";
 *
 * console.log(unpack(pack([1, 2], "bin"), "bin")); // [ 1, 2 ]
 * ```
 * @throws {ProtocolError} as {@link decode} does
 */
export function unpack(packed: Packed, mode: Mode, options: Omit<DecodeOptions, "mode"> = {}): unknown {
  return decode(packed.bytes, { ...options, mode });
}

/** The size of a str's header in bytes, by its first byte; 0 for other types. */
const STR_HEADERS = Uint8Array.from({ length: 256 }, (_, type) => kindOf(type) === STR ? 1 + widthOf(type) : 0);

/** Walks packed bytes and finds each str that is not valid UTF-8. Keeps no list: there may be nearly as many as bytes. */
abstract class TextChecker extends Reader {
  protected abstract offence(header: number, start: number, end: number): void;

  override skip(depth: number): void {
    const header = this.at;
    const size = STR_HEADERS[this.bytes[header] ?? 0]!;
    super.skip(depth);
    if (size > 0 && !isUtf8(this.bytes, header + size, this.at)) this.offence(header, header + size, this.at);
  }
}

/** Counts the bytes by which the value grows. */
class TextMeasure extends TextChecker {
  found = 0;
  /** The number of bytes by which the value grows when each invalid str becomes bin. */
  growth = 0;

  protected override offence(header: number, start: number, end: number): void {
    this.found += 1;
    this.growth += binHeader(end - start).length - (start - header);
  }
}

/** Writes the value with each invalid str as bin. */
class TextFitter extends TextChecker {
  readonly #target: Uint8Array;
  #to = 0;
  #copied = 0;

  constructor(bytes: Uint8Array, target: Uint8Array) {
    super(bytes, "raw", DEFAULT_MAX_DEPTH);
    this.#target = target;
  }

  protected override offence(header: number, start: number, end: number): void {
    this.#write(this.bytes.subarray(this.#copied, header));
    this.#write(binHeader(end - start));
    this.#copied = start;
  }

  /** Copies the bytes after the last invalid str. To be called after the walk. */
  finish(): void {
    this.#write(this.bytes.subarray(this.#copied));
  }

  #write(part: Uint8Array): void {
    this.#target.set(part, this.#to);
    this.#to += part.length;
  }
}

function binHeader(length: number): Uint8Array {
  if (length < 0x100) return Uint8Array.of(0xc4, length);
  if (length < 0x10000) return Uint8Array.of(0xc5, length >>> 8, length);
  return Uint8Array.of(0xc6, length >>> 24, length >>> 16, length >>> 8, length);
}

/**
 * Converts packed bytes of the wire profile for readers of the bin profile, which read str as text. Returns the same object
 * when every str is valid UTF-8, as nearly always, else a copy in which the invalid ones are bin.
 *
 * @example
 * ```ts
 * import { pack, packedForBin, unpack } from "brine/wire";
 *
 * console.log(unpack(packedForBin(pack("text", "wire")), "bin")); // text
 * ```
 * @throws {ProtocolError} if the bytes are not one complete value
 */
export function packedForBin(packed: Packed): Packed {
  const bytes = plainBytes(packed.bytes);
  const measure = new TextMeasure(bytes, "raw", DEFAULT_MAX_DEPTH);
  measure.skip(0);
  // Trailing bytes would become part of the message that the value is spliced into.
  if (measure.at !== bytes.length) decode(bytes, { mode: "raw" });
  if (measure.found === 0) return packed;
  const fit = new Uint8Array(bytes.length + measure.growth);
  const fitter = new TextFitter(bytes, fit);
  fitter.skip(0);
  fitter.finish();
  return new Packed(fit);
}
