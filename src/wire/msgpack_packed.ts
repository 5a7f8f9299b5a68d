import { decode, type DecodeOptions, DEFAULT_MAX_DEPTH, type Mode, plainOctets, Reader } from "./msgpack_decode.ts";
import { encode, type Profile } from "./msgpack_encode.ts";
import { Packed } from "./msgpack_values.ts";
import { isUtf8 } from "./utf8.ts";

/** Packs a value once, to be spliced into several messages. */
export function pack(value: unknown, profile: Profile): Packed {
  return value instanceof Packed ? value : new Packed(encode(value, profile));
}

/** The value of packed octets. @throws {ProtocolError} as {@link decode} does */
export function unpack(packed: Packed, mode: Mode, options: Omit<DecodeOptions, "mode"> = {}): unknown {
  return decode(packed.bytes, { ...options, mode });
}

/** Where a str begins whose octets are not text: its header and its octets. */
interface Offence {
  header: number;
  start: number;
  end: number;
}

/** Walks packed octets and reports each str that is not valid UTF-8. */
class TextChecker extends Reader {
  readonly offences: Offence[] = [];

  override skip(depth: number): void {
    const header = this.at;
    const type = this.bytes[header] ?? 0;
    super.skip(depth);
    let size: number;
    if (type >= 0xa0 && type < 0xc0) size = 1;
    else if (type === 0xd9) size = 2;
    else if (type === 0xda) size = 3;
    else if (type === 0xdb) size = 5;
    else return;
    if (!isUtf8(this.bytes, header + size, this.at)) {
      this.offences.push({ header, start: header + size, end: this.at });
    }
  }
}

function binHeader(length: number): Uint8Array {
  if (length < 0x100) return Uint8Array.of(0xc4, length);
  if (length < 0x10000) return Uint8Array.of(0xc5, length >>> 8, length);
  return Uint8Array.of(0xc6, length >>> 24, length >>> 16, length >>> 8, length);
}

/**
 * Packed octets of the wire profile, made fit for readers of the bin profile, who take str for text: the same object
 * when every str is valid UTF-8, as nearly always, else a copy in which the others are bin.
 *
 * @throws {ProtocolError} if it is not one complete value
 */
export function packedForBin(packed: Packed): Packed {
  const bytes = plainOctets(packed.bytes);
  const checker = new TextChecker(bytes, "raw", DEFAULT_MAX_DEPTH);
  checker.skip(0);
  // A value with a tail would put whatever the tail says into the message that it is spliced into.
  if (checker.at !== bytes.length) decode(bytes, { mode: "raw" });
  if (checker.offences.length === 0) return packed;
  const parts: Uint8Array[] = [];
  let copied = 0;
  for (const { header, start, end } of checker.offences) {
    parts.push(bytes.subarray(copied, header), binHeader(end - start), bytes.subarray(start, end));
    copied = end;
  }
  parts.push(bytes.subarray(copied));
  return new Packed(concat(parts));
}

/** All parts in one new array. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
