import { ProtocolError } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import { decode, type DecodeOptions, plainBytes } from "./msgpack_decode.ts";
import { encode, encodeAfter } from "./msgpack_encode.ts";
import { concat } from "../../runtime/bytes.ts";
import { packedForBin, unpack } from "./msgpack_packed.ts";
import { Packed } from "./msgpack_values.ts";
import { textKeyed } from "./payload.ts";
import { textOf, utf8 } from "./utf8.ts";

const TRIMMED = "VALUE_TRIMMED";
/** The bytes that Python's `sys.getsizeof()` adds to the length of packed bytes: Salt measures events with it. */
const BYTES_OVERHEAD = 33;

let lastSecond = { ms: NaN, text: "" };

/**
 * Time as events carry it: UTC, microseconds, no zone; Python leaves out a fraction of exactly 0.
 *
 * @param nowMs milliseconds since the epoch, with fractions
 * @example
 * ```ts
 * import { eventStamp } from "brine/wire";
 *
 * console.log(eventStamp(Date.UTC(2026, 10, 21, 10, 15, 0, 250))); // 2026-11-21T10:15:00.250000
 * ```
 */
export function eventStamp(nowMs: number): string {
  const micros = Math.round(nowMs * 1000);
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  const secondsMs = (micros - fraction) / 1000;
  // The text of the second is kept, since thousands of events have the same.
  if (secondsMs !== lastSecond.ms) {
    lastSecond = { ms: secondsMs, text: new Date(secondsMs).toISOString().slice(0, 19) };
  }
  const seconds = lastSecond.text;
  return fraction === 0 ? seconds : `${seconds}.${String(fraction).padStart(6, "0")}`;
}

/** How an event is packed. */
export interface PackEventOptions {
  /** The value of `_stamp`, which replaces an existing one. @default the data is packed unchanged */
  stamp?: string;
  /** The time from which the stamp is made, in milliseconds since the epoch. */
  now?: number;
  /** The most bytes of packed data; beyond that large values are trimmed. Salt's `max_event_size`. @default no bound */
  maxBytes?: number;
}

/**
 * An event as it crosses processes: `tag ‖ "\n\n" ‖ msgpack(data)`, bin profile. {@link Packed} values of the wire profile are
 * converted to it.
 *
 * @example
 * ```ts
 * import { packEvent, unpackEvent } from "brine/wire";
 *
 * const bytes = packEvent("my/tag", { answer: 42 }, { stamp: "2026-11-21T10:15:00.000000" });
 * console.log(unpackEvent(bytes).data.answer); // 42
 * ```
 * @throws {TypeError} if the tag is empty or contains an empty line, where readers would split it
 * @see salt/utils/event.py SaltEvent.pack
 */
export function packEvent(tag: string, data: Record<string, unknown>, options: PackEventOptions = {}): Uint8Array {
  const { maxBytes = Infinity } = options;
  const stamp = options.stamp ?? (options.now === undefined ? undefined : eventStamp(options.now));
  if (tag === "" || tag.includes("\n\n")) throw new TypeError(`Cannot fire an event under ${JSON.stringify(tag)}`);
  let whole: Record<string, unknown> | undefined;
  for (const key in data) {
    const value = data[key];
    if (!(value instanceof Packed)) continue;
    const fit = packedForBin(value);
    if (fit === value) continue;
    whole ??= { ...data };
    whole[key] = fit;
  }
  if (stamp !== undefined) whole = { ...(whole ?? data), _stamp: stamp };
  whole ??= data;
  const head = utf8(`${tag}\n\n`);
  const bytes = encodeAfter(head, whole, "bin");
  if (bytes.length - head.length + BYTES_OVERHEAD <= maxBytes) return bytes;
  return concat([head, trimmed(whole, maxBytes)]);
}

/**
 * Reads the event in `bytes`. Its data are views of them, and keys that are not text are converted to text.
 *
 * @example
 * ```ts
 * import { packEvent, unpackEvent } from "brine/wire";
 *
 * const { tag, data } = unpackEvent(packEvent("my/tag", { answer: 42 }));
 * console.log(tag, data.answer); // my/tag 42
 * ```
 * @throws {ProtocolError} if there is no tag, or the data is not a map
 */
export function unpackEvent(
  bytes: Uint8Array,
  options: Omit<DecodeOptions, "mode"> = {},
): { tag: string; data: Record<string, unknown> } {
  const end = tagEnd(bytes);
  const tag = end > 0 ? textOf(bytes, 0, end) : undefined;
  if (tag === undefined) throw new ProtocolError("Cannot unpack an event: it has no tag");
  const data = decode(plainBytes(bytes).subarray(end + 2), { ...options, mode: "bin" });
  if (data instanceof Map) return { tag, data: textKeyed(data) };
  if (!isRecord(data)) {
    throw new ProtocolError(`Cannot unpack an event: expected a map as the data of "${tag}"`);
  }
  return { tag, data };
}

/**
 * The tag of an event, without reading its data; `""` if it has none or it is not text.
 *
 * @example
 * ```ts
 * import { eventTag, packEvent } from "brine/wire";
 *
 * console.log(eventTag(packEvent("my/tag", { answer: 42 }))); // my/tag
 * ```
 */
export function eventTag(bytes: Uint8Array): string {
  const end = tagEnd(bytes);
  return end > 0 ? textOf(bytes, 0, end) ?? "" : "";
}

/** The offset at which the tag ends: at the first empty line. */
function tagEnd(bytes: Uint8Array): number {
  let at = bytes.indexOf(0x0a);
  while (at >= 0 && bytes[at + 1] !== 0x0a) at = bytes.indexOf(0x0a, at + 1);
  return at;
}

/**
 * Packs data with large values replaced: first those above 50 % of the limit, then 40 %, and so on until the data fits or
 * nothing is left to replace. Salt measures objects in memory, so which values are replaced is an estimate on both sides.
 */
function trimmed(data: Record<string, unknown>, maxBytes: number): Uint8Array {
  let current: unknown = data;
  let bytes = new Uint8Array(0) as Uint8Array;
  for (let percent = 50; percent > 0; percent -= 10) {
    current = withoutLarge(current, maxBytes * percent / 100);
    bytes = encode(current, "bin");
    if (bytes.length + BYTES_OVERHEAD < maxBytes) break;
  }
  return bytes;
}

/** The most parts of a packed value that are checked one by one; a value of more parts is replaced as a whole. */
const MAX_PARTS = 500_000;

/** A packed value, unpacked to be trimmed; undefined if it has too many parts for that. */
function opened(value: Packed): unknown {
  try {
    return unpack(value, "bin", { maxValues: MAX_PARTS });
  } catch {
    return undefined;
  }
}

/** A copy of a map in which values larger than `most` are trimmed; maps inside are searched, arrays count as one. */
function withoutLarge(map: unknown, most: number): unknown {
  const trim = (value: unknown): unknown => {
    const open = value instanceof Packed ? opened(value) : value;
    if (open === undefined && value instanceof Packed) return TRIMMED;
    if (open instanceof Map || isRecord(open)) return withoutLarge(open, most);
    return memorySize(open) > most ? TRIMMED : value;
  };
  if (map instanceof Map) return new Map(Array.from(map, ([key, value]) => [key, trim(value)]));
  return Object.fromEntries(Object.entries(map as Record<string, unknown>).map(([key, value]) => [key, trim(value)]));
}

/** Roughly what Python's `sys.getsizeof()` returns: for arrays without their items. */
function memorySize(value: unknown): number {
  if (typeof value === "string") return value.length + 49;
  if (value instanceof Uint8Array) return value.length + BYTES_OVERHEAD;
  if (Array.isArray(value)) return 56 + 8 * value.length;
  return 28;
}
