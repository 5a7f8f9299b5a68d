import { ProtocolError } from "../../../base/errors.ts";
import { concat, grown } from "../../../runtime/bytes.ts";
import { PausableReader } from "../../../runtime/pausable_reader.ts";

/* Frames of RFC 6455, section 5: `FIN·opcode[1] MASK·length[1, 3 or 9] mask[0 or 4] payload`. */

export const OPCODE = { CONTINUATION: 0, TEXT: 1, BINARY: 2, CLOSE: 8, PING: 9, PONG: 10 } as const;

/** The most bytes of a control frame's payload. */
const MAX_CONTROL = 125;
/** The most bytes that are allocated for a frame's header alone, since any stranger can send one. */
const FIRST_CAPACITY = 4096;
const GROWTH = 16;

/** Masks or unmasks bytes in place. @param from the offset of the bytes within their payload */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, from = 0): void {
  let at = 0;
  const end = bytes.length;
  while (at < end && (bytes.byteOffset + at) % 4 !== 0) bytes[at] = bytes[at]! ^ mask[(from + at++) % 4]!;
  const words = (end - at) >>> 2;
  if (words > 0) {
    const turned = Uint8Array.from({ length: 4 }, (_, index) => mask[(from + at + index) % 4]!);
    const word = new Uint32Array(turned.buffer)[0]!;
    const view = new Uint32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, words);
    for (let index = 0; index < words; index++) view[index] = view[index]! ^ word;
    at += words * 4;
  }
  for (; at < end; at++) bytes[at] = bytes[at]! ^ mask[(from + at) % 4]!;
}

/** The header of a frame that is a whole message. @param mask the mask of a client's frame */
export function frameHeader(opcode: number, length: number, mask?: Uint8Array): Uint8Array {
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = new Uint8Array(2 + extended + (mask === undefined ? 0 : 4));
  header[0] = 0x80 | opcode;
  header[1] = (mask === undefined ? 0 : 0x80) | (extended === 0 ? length : extended === 2 ? 126 : 127);
  const view = new DataView(header.buffer);
  if (extended === 2) view.setUint16(2, length);
  if (extended === 8) view.setBigUint64(2, BigInt(length));
  if (mask !== undefined) header.set(mask, 2 + extended);
  return header;
}

/** A frame in one array; a masked payload is copied. */
export function writeWsFrame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Uint8Array {
  const header = frameHeader(opcode, payload.length, mask);
  const bytes = new Uint8Array(header.length + payload.length);
  bytes.set(header);
  bytes.set(payload, header.length);
  if (mask !== undefined) applyMask(bytes.subarray(header.length), mask);
  return bytes;
}

/** The bounds of a {@link WsFrameReader}, each checked before memory is taken for what it bounds. */
interface WsFrameLimits {
  /** The most bytes of all frames of one message. */
  maxMessageSize: number;
  /** The most frames of one message. */
  maxFrames: number;
  /** True if frames must be masked: those of a client are, those of a server are not. */
  masked: boolean;
}

/** Receives the messages and frames of a {@link WsFrameReader}. */
export interface WsFrameSink {
  /** Called with a message, which may be a view of the chunk given to `push`. */
  onMessage(message: Uint8Array): void;
  onControl(opcode: number, payload: Uint8Array): void;
}

/** Reads messages from chunks cut anywhere. */
export class WsFrameReader extends PausableReader {
  readonly #limits: WsFrameLimits;
  readonly #sink: WsFrameSink;
  /** The first part of a header that is cut in two, up to 14 bytes. */
  readonly #head = new Uint8Array(14);
  #headFilled = 0;
  #opcode = 0;
  #final = true;
  #length = 0;
  readonly #mask = new Uint8Array(4);
  #body: Uint8Array | undefined;
  #bodyFilled = 0;
  /** Payloads of earlier frames of a message in several frames. */
  #parts: Uint8Array[] | undefined;
  #partsSize = 0;

  constructor(limits: WsFrameLimits, sink: WsFrameSink) {
    super();
    this.#limits = limits;
    this.#sink = sink;
  }

  override get pendingBytes(): number {
    return this.#headFilled + this.#bodyFilled + this.#partsSize + super.pendingBytes;
  }

  override stop(): void {
    super.stop();
    this.#parts = undefined;
    this.#body = undefined;
    this.#bodyFilled = this.#partsSize = 0;
  }

  protected override read(chunk: Uint8Array): boolean {
    let at = 0;
    let copied = true;
    while (at < chunk.length && !this.stopped) {
      if (this.pauseAt(chunk, at)) return false;
      if (this.#body === undefined) {
        at = this.#readHead(chunk, at);
        if (this.#headFilled > 0) return copied;
        const whole = chunk.length - at >= this.#length;
        if (whole && !this.#limits.masked) {
          const payload = chunk.subarray(at, at + this.#length);
          at += this.#length;
          copied = false;
          this.#frame(payload, true);
          continue;
        }
        this.#body = new Uint8Array(
          whole ? this.#length : Math.min(this.#length, Math.max(FIRST_CAPACITY, chunk.length - at)),
        );
        this.#bodyFilled = 0;
      }
      at = this.#fillBody(chunk, at);
    }
    return copied;
  }

  /** Reads a header; while it is incomplete, {@link WsFrameReader.#headFilled} is above 0. */
  #readHead(chunk: Uint8Array, at: number): number {
    const head = this.#head;
    while (at < chunk.length) {
      head[this.#headFilled++] = chunk[at++]!;
      if (this.#headFilled === 1) this.#checkFirst(head[0]!);
      if (this.#headFilled < 2) continue;
      const short = head[1]! & 0x7f;
      const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
      const masked = (head[1]! & 0x80) !== 0;
      if (this.#headFilled === 2 && masked !== this.#limits.masked) {
        throw new ProtocolError(`Cannot read frame: it ${masked ? "is masked" : "is not masked"}`);
      }
      const size = 2 + extended + (masked ? 4 : 0);
      if (this.#headFilled < size) continue;
      this.#begin(head, short, extended, size);
      return at;
    }
    return at;
  }

  #checkFirst(first: number): void {
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0) throw new ProtocolError("Cannot read frame: reserved bits are set");
    if (opcode > 2 && opcode < 8 || opcode > 10) {
      throw new ProtocolError(`Cannot read frame: opcode ${opcode} is unknown`);
    }
    if (opcode === OPCODE.TEXT) throw new ProtocolError("Cannot read frame: expected binary, got text");
    if (opcode >= 8 && (first & 0x80) === 0) {
      throw new ProtocolError("Cannot read frame: a control frame is fragmented");
    }
    if (opcode === OPCODE.CONTINUATION && this.#parts === undefined) {
      throw new ProtocolError("Cannot read frame: it continues no message");
    }
    if (opcode === OPCODE.BINARY && this.#parts !== undefined) {
      throw new ProtocolError("Cannot read frame: a message begins inside another");
    }
  }

  #begin(head: Uint8Array, short: number, extended: number, size: number): void {
    let length = extended === 0 ? short : 0;
    // Beyond 2^53 the length is imprecise, but then it is above every limit.
    for (let at = 2; at < 2 + extended; at++) length = length * 256 + head[at]!;
    const { maxMessageSize, maxFrames, masked } = this.#limits;
    this.#opcode = head[0]! & 0x0f;
    this.#final = (head[0]! & 0x80) !== 0;
    if (this.#opcode >= 8) {
      if (length > MAX_CONTROL) throw new ProtocolError(`Cannot read frame: a control frame of ${length} bytes`);
    } else {
      if (this.#partsSize + length > maxMessageSize) {
        throw new ProtocolError(
          `Cannot read message: its ${this.#partsSize + length} bytes are above the limit of ${maxMessageSize}`,
        );
      }
      if ((this.#parts?.length ?? 0) >= maxFrames) {
        throw new ProtocolError(`Cannot read message: it has more than the ${maxFrames} frames allowed`);
      }
    }
    if (masked) this.#mask.set(head.subarray(size - 4, size));
    this.#length = length;
    this.#headFilled = 0;
  }

  #fillBody(chunk: Uint8Array, at: number): number {
    let body = this.#body!;
    const take = Math.min(this.#length - this.#bodyFilled, chunk.length - at);
    const need = this.#bodyFilled + take;
    if (need > body.length) {
      body = this.#body = grown(body, this.#bodyFilled, need, GROWTH, this.#length);
    }
    body.set(chunk.subarray(at, at + take), this.#bodyFilled);
    if (this.#limits.masked) applyMask(body.subarray(this.#bodyFilled, need), this.#mask, this.#bodyFilled);
    this.#bodyFilled = need;
    if (need === this.#length) {
      this.#body = undefined;
      this.#bodyFilled = 0;
      this.#frame(body, false);
    }
    return at + take;
  }

  /** Handles a complete frame. @param isView true if the payload is a view of a chunk */
  #frame(payload: Uint8Array, isView: boolean): void {
    if (this.#opcode >= 8) return this.#sink.onControl(this.#opcode, payload);
    if (this.#final && this.#parts === undefined) {
      this.finished++;
      return this.#sink.onMessage(payload);
    }
    const parts = this.#parts ??= [];
    // A view of a few bytes would hold the whole chunk.
    parts.push(isView ? payload.slice() : payload);
    this.#partsSize += payload.length;
    if (!this.#final) return;
    this.#parts = undefined;
    this.#partsSize = 0;
    this.finished++;
    this.#sink.onMessage(concat(parts));
  }
}
