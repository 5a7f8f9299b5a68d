import { ProtocolError } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import { decode, type DecodeOptions, type Mode, plainBytes } from "./msgpack_decode.ts";
import { encode, encodeAfter, encodePartsAfter } from "./msgpack_encode.ts";
import { contentOf } from "./msgpack_types.ts";
import { Packed } from "./msgpack_values.ts";
import { utf8 } from "./utf8.ts";

/** The prefix of every plaintext; pickle itself is no longer used. */
const PREFIX = utf8("pickle::");
/** The size of a nonce in bytes: 32 lower-case hex digits. */
const NONCE = 32;

/**
 * The bytes of a binary field. On the wire profile bytes that happen to be valid UTF-8 arrive as text, so each field
 * that is binary by nature (ciphertext, signature, RSA block) goes through here.
 *
 * @throws {ProtocolError} if the value is neither bytes nor text
 */
export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return utf8(value);
  const kind = value === null ? "nil" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  throw new ProtocolError(`Cannot read a binary field: expected bytes or text, got ${kind}`);
}

/**
 * The plaintext of a sealed message: `"pickle::" ‖ nonce[32] (replies to requests that had one) ‖ msgpack`.
 *
 * @example
 * ```ts
 * import { packPayload, unpackPayload } from "brine/wire";
 *
 * const nonce = "0123456789abcdef0123456789abcdef";
 * console.log(unpackPayload(packPayload("pong", nonce), { nonce })); // pong
 * ```
 * @throws {RangeError} if the nonce is not 32 bytes long
 * @see docs/internals/protocol.md 3.3
 */
export function packPayload(value: unknown, nonce?: string): Uint8Array {
  return encodeAfter(payloadHead(nonce), value, "wire");
}

/** As {@link packPayload}, in consecutive parts: long bytes, such as a piece of a file, are a separate part and not copied. */
export function packPayloadParts(value: unknown, nonce?: string | Uint8Array): Uint8Array[] {
  return encodePartsAfter(payloadHead(nonce), value, "wire");
}

function payloadHead(nonce: string | Uint8Array | undefined): Uint8Array {
  if (nonce === undefined) return PREFIX;
  const head = new Uint8Array(PREFIX.length + NONCE);
  const bytes = typeof nonce === "string" ? utf8(nonce) : nonce;
  if (bytes.length !== NONCE) throw new RangeError(`Cannot use a nonce of ${bytes.length} bytes: expected ${NONCE}`);
  head.set(PREFIX);
  head.set(bytes, PREFIX.length);
  return head;
}

/** The number of free bytes that {@link packBytes} needs before the bytes that it packs. */
export const BYTES_HEAD = 3;

/**
 * Packs 32 to 65535 bytes in place, as `encode()` would in the wire profile: a sealed reply is not copied once more.
 *
 * @param whole the bytes to pack, after {@link BYTES_HEAD} free ones
 */
export function packBytes(whole: Uint8Array): Uint8Array {
  const length = whole.length - BYTES_HEAD;
  whole[0] = 0xda;
  whole[1] = length >>> 8;
  whole[2] = length;
  return whole;
}

/** The number of free bytes that {@link packLongBytes} needs before the bytes that it packs. */
export const LONG_BYTES_HEAD = 5;

/**
 * Packs bytes of 64 KiB and more in place, as `encode()` would in the wire profile, so that a piece of a large file is not
 * copied once more.
 *
 * @param whole the bytes to pack, after {@link LONG_BYTES_HEAD} free ones
 */
export function packLongBytes(whole: Uint8Array): Uint8Array {
  whole[0] = 0xdb;
  new DataView(whole.buffer, whole.byteOffset).setUint32(1, whole.length - LONG_BYTES_HEAD);
  return whole;
}

/** How a payload is unpacked, and its bounds. */
export interface UnpackPayloadOptions extends Omit<DecodeOptions, "mode"> {
  /** The nonce of the request that the payload answers. A plaintext does not show whether it has a nonce: the caller must know. */
  nonce?: string;
  /** How strings and binaries are decoded. @default "wire" */
  mode?: Mode;
}

/**
 * Reads the value in a plaintext; an empty map if it lacks the prefix, as in Salt.
 *
 * @example
 * ```ts
 * import { unpackPayload } from "brine/wire";
 *
 * console.log(JSON.stringify(unpackPayload(new TextEncoder().encode("something else")))); // {}
 * ```
 * @throws {ProtocolError} if the nonce differs or is missing, or the value is not msgpack
 */
export function unpackPayload(plain: Uint8Array, options: UnpackPayloadOptions = {}): unknown {
  const { nonce } = options;
  for (let at = 0; at < PREFIX.length; at++) if (plain[at] !== PREFIX[at]) return {};
  let start = PREFIX.length;
  if (nonce !== undefined) {
    const expected = utf8(nonce);
    for (let at = 0; at < NONCE; at++) {
      if (expected.length !== NONCE || plain[start + at] !== expected[at]) {
        throw new ProtocolError("Cannot accept a reply: its nonce differs from the nonce of the request");
      }
    }
    start += NONCE;
  }
  // Options with a mode are used without a copy, which would be garbage a thousand times a second.
  const how = options.mode === undefined ? { ...options, mode: "wire" as const } : options as DecodeOptions;
  return decode(plainBytes(plain).subarray(start), how);
}

/** A request whose load is not encrypted. */
export interface ClearEnvelope {
  /** The load is not encrypted. */
  enc: "clear";
  /** The load, unchecked: one that is not a map is answered with `"payload and load must be a dict"`. */
  load: unknown;
  /** The protocol version of the sender. */
  version: number;
}

/** A request whose load is sealed with the session key of `id` (version 3) or the master key. */
export interface AesEnvelope {
  /** The load is encrypted with a session key. */
  enc: "aes";
  /** The encrypted load. */
  load: Uint8Array;
  /** The protocol version of the sender. */
  version: number;
  /** The minion's id; absent also if the field is not text. */
  id?: string | undefined;
  /** How keys are encrypted, such as `"OAEP-SHA1"`. */
  enc_algo?: string | undefined;
  /** How messages are signed, such as `"PKCS1v15-SHA224"`. */
  sig_algo?: string | undefined;
}

/**
 * Bytes that are not a request, and Salt's reply to them.
 * @see docs/internals/protocol.md 5.3
 */
export interface RefusedEnvelope {
  /** The envelope cannot be used. */
  enc: "refused";
  /** Why it was refused. */
  reason:
    | "not msgpack"
    | "not a map"
    | "enc or load is missing"
    | "unknown enc"
    | "version is not a number"
    | "load is not bytes"
    | "too large";
  /** The value of the reply, to be packed without an envelope. */
  reply: unknown;
  /** The bound that was exceeded, if the reason is `"too large"`. */
  error?: RequestTooLargeError;
}

/**
 * A request in clear that exceeds the bounds for its sender.
 *
 * @example
 * ```ts
 * import { RequestTooLargeError } from "brine/wire";
 *
 * const error = new RequestTooLargeError("The request has more than 1000 values", "too large");
 * console.log(error.code, error.reply); // PROTOCOL too large
 * ```
 */
export class RequestTooLargeError extends ProtocolError {
  /** The reply to its sender. */
  readonly reply: unknown;

  /**
   * Makes an error with the reply for the sender.
   *
   * @param reply the reply to the sender
   */
  constructor(message: string, reply: unknown, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reply = reply;
  }
}

/** A request as it arrives: in clear, encrypted, or refused. */
export type RequestEnvelope = ClearEnvelope | AesEnvelope | RefusedEnvelope;

/**
 * The form in which requests are sent: fields in Salt's order, `undefined` ones left out.
 *
 * @example
 * ```ts
 * import { packEnvelope, parseEnvelope } from "brine/wire";
 *
 * const bytes = packEnvelope({ enc: "clear", load: { cmd: "ping" }, version: 3 });
 * console.log(parseEnvelope(bytes).enc); // clear
 * ```
 */
export function packEnvelope(envelope: {
  enc: "clear" | "aes";
  load: unknown;
  version: number;
  id?: string | undefined;
  enc_algo?: string | undefined;
  sig_algo?: string | undefined;
}): Uint8Array {
  const { enc, load, version, id, enc_algo, sig_algo } = envelope;
  return encode({ enc, load, version, id, enc_algo, sig_algo }, "wire");
}

function refused(reason: RefusedEnvelope["reason"]): RefusedEnvelope {
  return { enc: "refused", reason, reply: reason === "not msgpack" ? { msg: "bad load" } : "bad load" };
}

/** A map with text keys; maps with other keys have none of the known fields anyway. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (value instanceof Map) return textKeyed(value);
  return isRecord(value) ? value : undefined;
}

/** The entries of a `Map` under the text of their keys; `__proto__` is a name like any other. */
export function textKeyed(map: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [String(key), value]));
}

/** The version of an envelope, 0 if there is none; `undefined` if the field is not a number. */
function versionOf(value: unknown): number | undefined {
  if (value === undefined) return 0;
  if (typeof value !== "number" && typeof value !== "bigint" && !(value instanceof Number)) return undefined;
  const version = Number(value);
  return Number.isNaN(version) ? undefined : version;
}

function textOrAbsent(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The most values of an envelope without its load. Real envelopes have six fields. */
const ENVELOPE_VALUES = 64;
/** The most values of a load in clear; a load with more is refused unread. */
const LOAD_VALUES = 2 ** 20;

/** The options of {@link parseEnvelope}. */
export interface ParseEnvelopeOptions {
  /** Reads a load in clear, within its own bounds. @default decodes the load like any value on the wire */
  readClear?(load: Packed): unknown;
}

function clear(load: Packed, version: number, readClear: (load: Packed) => unknown): RequestEnvelope {
  try {
    return { enc: "clear", load: readClear(load), version };
  } catch (error) {
    if (error instanceof RequestTooLargeError) {
      return { enc: "refused", reason: "too large", reply: error.reply, error };
    }
    return refused("not msgpack");
  }
}

/**
 * Reads a request envelope, and of the load only what is needed to find its end: the sender is not authenticated yet.
 * Never throws: for bytes that cannot be read, the result has the reply to send.
 *
 * @example
 * ```ts
 * import { encode, parseEnvelope } from "brine/wire";
 *
 * const envelope = parseEnvelope(encode("hello", "wire"));
 * console.log(envelope.enc === "refused" && envelope.reason); // not a map
 * ```
 */
export function parseEnvelope(bytes: Uint8Array, options: ParseEnvelopeOptions = {}): RequestEnvelope {
  const { readClear = ({ bytes }) => decode(bytes, { mode: "wire" }) } = options;
  let value: unknown;
  try {
    value = decode(bytes, { mode: "wire", keep: ["load"], maxValues: ENVELOPE_VALUES, maxKept: LOAD_VALUES });
  } catch {
    return refused("not msgpack");
  }
  const fields = fieldsOf(value);
  if (fields === undefined) return refused("not a map");
  const { enc, load } = fields;
  if (enc === undefined || !(load instanceof Packed)) return refused("enc or load is missing");
  const version = versionOf(fields.version);
  switch (enc) {
    case "clear":
      return clear(load, version ?? 0, readClear);
    case "aes": {
      if (version === undefined) return refused("version is not a number");
      const sealed = contentOf(load.bytes);
      if (sealed === undefined) return refused("load is not bytes");
      return {
        enc: "aes",
        load: sealed,
        version,
        id: textOrAbsent(fields.id),
        enc_algo: textOrAbsent(fields.enc_algo),
        sig_algo: textOrAbsent(fields.sig_algo),
      };
    }
    default:
      // Salt runs requests with an unknown `enc`, with or without authentication, depending on its release.
      return refused("unknown enc");
  }
}

/**
 * A message of the publisher: a job load sealed with the master key.
 * @see docs/internals/protocol.md 5.5
 */
export interface PublicationEnvelope {
  /** The load is encrypted with the publication key. */
  enc: "aes";
  /** The encrypted load. */
  load: Uint8Array;
  /** How the publication was signed, such as `"PKCS1v15-SHA224"`. */
  sig_algo?: string | undefined;
  /** The master's signature of `load`. */
  sig?: Uint8Array | undefined;
}

/**
 * A publication, signed if `signature` is given.
 *
 * @example
 * ```ts
 * import { packPublication, parsePublication } from "brine/wire";
 *
 * const bytes = packPublication(new Uint8Array([1, 2, 3]));
 * console.log(parsePublication(bytes)?.load.length); // 3
 * ```
 */
export function packPublication(load: Uint8Array, signature?: { algorithm: string; sig: Uint8Array }): Uint8Array {
  return encode({ enc: "aes", load, sig_algo: signature?.algorithm, sig: signature?.sig }, "wire");
}

/**
 * Reads a publication; `undefined` for messages that minions ignore: those with another `enc`.
 *
 * @example
 * ```ts
 * import { encode, parsePublication } from "brine/wire";
 *
 * console.log(parsePublication(encode({ enc: "clear", load: "" }, "wire"))); // undefined
 * ```
 * @throws {ProtocolError} if the bytes are not msgpack, or the binary fields are not bytes
 */
export function parsePublication(bytes: Uint8Array): PublicationEnvelope | undefined {
  // The sender is not authenticated yet: the load stays packed.
  const fields = fieldsOf(decode(bytes, { mode: "wire", keep: ["load"], maxValues: ENVELOPE_VALUES, maxKept: 0 }));
  if (fields === undefined || fields.enc !== "aes") return undefined;
  const load = fields.load instanceof Packed ? contentOf(fields.load.bytes) : undefined;
  if (load === undefined) throw new ProtocolError("Cannot read a publication: its load is not bytes");
  return {
    enc: "aes",
    load,
    sig_algo: textOrAbsent(fields.sig_algo),
    sig: fields.sig === undefined || fields.sig === null ? undefined : bytesOf(fields.sig),
  };
}
