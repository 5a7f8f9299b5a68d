import { ProtocolError } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import { decode } from "./msgpack_decode.ts";
import { encode } from "./msgpack_encode.ts";
import { concat } from "../../runtime/bytes.ts";
import { textOf } from "./utf8.ts";
import { StreamDecoder } from "./msgpack_stream.ts";

/** The packed bytes of `{"head": {}, "body": …}` up to the type byte of the body. */
const HEAD = Uint8Array.of(0x82, 0xa4, 0x68, 0x65, 0x61, 0x64, 0x80, 0xa4, 0x62, 0x6f, 0x64, 0x79);

/**
 * How frames are delimited on a bus socket. `stream`: one msgpack map after the other, as in most releases. `length`:
 * each map after its length, four bytes, big-endian; Salt's latest 3006 releases use it on both sockets, and those
 * of 3007 and 3008 only towards the pull socket.
 */
export type IpcFraming = "stream" | "length";

/**
 * A frame with its length in front.
 *
 * @example
 * ```ts
 * import { packIpcFrame, withLength } from "brine/wire";
 *
 * const frame = packIpcFrame(new Uint8Array([1]));
 * console.log(withLength(frame).length - frame.length); // 4
 * ```
 */
export function withLength(frame: Uint8Array): Uint8Array {
  const whole = new Uint8Array(4 + frame.length);
  new DataView(whole.buffer).setUint32(0, frame.length);
  whole.set(frame, 4);
  return whole;
}

/**
 * One frame of a bus socket: `{"head": {}, "body": bin}` in the bin profile, without a length.
 *
 * @param body the event's bytes; other values for the generic form
 * @param head such as `{mid: 5}`
 * @example
 * ```ts
 * import { IpcFrameReader, packIpcFrame } from "brine/wire";
 *
 * const reader = new IpcFrameReader();
 * reader.push(packIpcFrame(new Uint8Array([1, 2, 3]), { mid: 5 }));
 * console.log(reader.nextFrame()?.head.mid); // 5
 * ```
 * @see docs/internals/protocol.md 9.2
 */
export function packIpcFrame(body: unknown, head?: Record<string, unknown>): Uint8Array {
  if (!(body instanceof Uint8Array) || head !== undefined) return encode({ head: head ?? {}, body }, "bin");
  const { length } = body;
  const size = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4;
  const frame = new Uint8Array(HEAD.length + 1 + size + length);
  frame.set(HEAD);
  let at = HEAD.length;
  frame[at++] = size === 1 ? 0xc4 : size === 2 ? 0xc5 : 0xc6;
  for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) frame[at++] = length >>> shift;
  frame.set(body, at);
  return frame;
}

/** The packed bytes of `{"head": {"n":` up to the number; the next constant goes on to the type byte of the body. */
const NUMBERED = Uint8Array.of(0x82, 0xa4, 0x68, 0x65, 0x61, 0x64, 0x81, 0xa1, 0x6e, 0xcf);
const NUMBERED_BODY = Uint8Array.of(0xa4, 0x62, 0x6f, 0x64, 0x79, 0xc6);

/** A faster `packIpcFrame(body, { n })`, for events that are sent one after the other. */
export function packNumberedFrame(body: Uint8Array, n: number): Uint8Array {
  const at = NUMBERED.length + 8;
  const frame = new Uint8Array(at + NUMBERED_BODY.length + 4 + body.length);
  frame.set(NUMBERED);
  putUint32(frame, NUMBERED.length, Math.floor(n / 2 ** 32));
  putUint32(frame, NUMBERED.length + 4, n % 2 ** 32);
  frame.set(NUMBERED_BODY, at);
  putUint32(frame, at + NUMBERED_BODY.length, body.length);
  frame.set(body, at + NUMBERED_BODY.length + 4);
  return frame;
}

/** Writes a number in big-endian order, without a `DataView`, which would take longer than the rest of the frame. */
function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** A frame as it was read. */
export interface IpcFrame {
  /** The head of the frame, such as `{n: 5}` with the number of an event. */
  head: Readonly<Record<string, unknown>>;
  /** The content of the frame. */
  body: Uint8Array;
}

const NO_HEAD: IpcFrame["head"] = {};

/** Converts the texts of a head from bytes: the reader returns all text as bytes, because bodies have to stay bytes. */
function textsOf(head: Record<string, unknown>): IpcFrame["head"] {
  const fields = Object.entries(head);
  if (fields.length === 0) return NO_HEAD;
  return Object.fromEntries(
    fields.map(([key, value]) => [key, value instanceof Uint8Array ? textOf(value, 0, value.length) : value]),
  );
}

/** The bounds of an {@link IpcFrameReader}. */
export interface IpcFrameReaderOptions {
  /** The most bytes of one frame. @default 128 MiB */
  maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 2 ** 27;

class LengthReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  buffered = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.buffered += chunk.length;
  }

  next(): unknown {
    if (this.buffered < 4) return undefined;
    // The length may be split across chunks; joining is rare, since senders write a frame in one piece.
    if (this.#chunks[0]!.length < 4) this.#chunks = [concat(this.#chunks)];
    const first = this.#chunks[0]!;
    const length = new DataView(first.buffer, first.byteOffset).getUint32(0);
    if (length > this.#maxBytes) {
      throw new ProtocolError(`Cannot read a frame of ${length} bytes: the limit is ${this.#maxBytes}`);
    }
    if (this.buffered < 4 + length) return undefined;
    const joined = first.length >= 4 + length ? first : concat(this.#chunks);
    const rest = joined.subarray(4 + length);
    this.#chunks = joined === first ? [rest, ...this.#chunks.slice(1)] : [rest];
    this.buffered -= 4 + length;
    if (rest.length === 0) this.#chunks.shift();
    return decode(joined.subarray(4, 4 + length), { mode: "raw" });
  }
}

/**
 * Reads the bodies from a stream of frames, cut anywhere. The first byte shows which framing it is: a map begins
 * with its high bit set, a length below 2 GiB without. Bodies are views of the chunks where possible.
 *
 * @example
 * ```ts
 * import { eventTag, IpcFrameReader, packEvent, packIpcFrame } from "brine/wire";
 *
 * const reader = new IpcFrameReader();
 * reader.push(packIpcFrame(packEvent("my/tag", {})));
 * console.log(eventTag(reader.next()!)); // my/tag
 * ```
 */
export class IpcFrameReader {
  readonly #maxBytes: number;
  #reader: { push(chunk: Uint8Array): void; next(): unknown; readonly buffered: number } | undefined;

  /**
   * Reads frames within the limits that are given.
   *
   * @param options bounds for what a peer may send
   */
  constructor(options: IpcFrameReaderOptions = {}) {
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  }

  /** Bytes that have arrived and are not part of a frame that was returned. */
  get buffered(): number {
    return this.#reader?.buffered ?? 0;
  }

  /**
   * Adds a chunk of the stream, cut anywhere.
   *
   * @param chunk is kept, and must not change afterwards
   */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    // Decodes in the mode `raw`: a body may arrive as str, and is passed on as bytes.
    this.#reader ??= chunk[0]! < 0x80
      ? new LengthReader(this.#maxBytes)
      : new StreamDecoder({ mode: "raw", maxBytes: this.#maxBytes });
    this.#reader.push(chunk);
  }

  /**
   * The next body, or `undefined` if more bytes are needed. Frames whose body is not bytes are skipped: the
   * sockets carry nothing else, but Salt's generic form would allow it.
   *
   * @throws {ProtocolError} from then on, if the stream is not msgpack or a frame is too long
   */
  next(): Uint8Array | undefined {
    return this.nextFrame()?.body;
  }

  /** As {@link IpcFrameReader.next}, with the head of the frame. */
  nextFrame(): IpcFrame | undefined {
    for (;;) {
      const frame = this.#reader?.next();
      if (frame === undefined) return undefined;
      const { head, body } = (frame ?? {}) as { head?: unknown; body?: unknown };
      if (body instanceof Uint8Array) return { head: isRecord(head) ? textsOf(head) : NO_HEAD, body };
    }
  }
}
