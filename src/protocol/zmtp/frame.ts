import { ProtocolError } from "../../base/errors.ts";
import { grown, release } from "../../runtime/bytes.ts";
import { PausableReader } from "../../runtime/pausable_reader.ts";

/** The frames of one message. */
export type Message = Uint8Array[];

/*
 * A frame is `flags[1] size[1] body` or, with LONG, `flags[1] size[8, big-endian] body`.
 * https://rfc.zeromq.org/spec/37/#framing
 */
/** The flag of a frame that another frame of the same message follows. */
export const MORE = 0x01;
/** The flag of a frame whose size takes eight bytes. */
export const LONG_FRAME = 0x02;
/** The flag of a command, which is not part of a message. */
export const COMMAND = 0x04;
const RESERVED = 0xf8;

/** The most bytes of a frame that is copied into a common write; larger frames are sent by reference, in a separate write. */
export const COPY_LIMIT = 16_384;

/** The bytes that are allocated at first for a frame that has not arrived. The buffer grows as more arrives, whatever size the frame claims. */
const FIRST_CAPACITY = 65_536;
/** The factor by which the buffer of an incomplete frame grows. */
const GROWTH = 16;

/** The size of the header for a body of `length` bytes. */
export function headerSize(length: number): number {
  return length < 256 ? 2 : 9;
}

/** Writes a header; returns the offset of the body. */
export function writeHeader(target: Uint8Array, at: number, flags: number, length: number): number {
  if (length < 256) {
    target[at] = flags;
    target[at + 1] = length;
    return at + 2;
  }
  target[at] = flags | LONG_FRAME;
  const high = Math.floor(length / 2 ** 32);
  target[at + 1] = 0;
  target[at + 2] = 0;
  target[at + 3] = high >>> 8;
  target[at + 4] = high;
  target[at + 5] = length >>> 24;
  target[at + 6] = length >>> 16;
  target[at + 7] = length >>> 8;
  target[at + 8] = length;
  return at + 9;
}

export function writeFrame(flags: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headerSize(body.length) + body.length);
  bytes.set(body, writeHeader(bytes, 0, flags, body.length));
  return bytes;
}

/** The bounds of a {@link FrameDecoder}, each checked before memory is allocated for what it bounds. */
export interface FrameLimits {
  /** The most bytes of all frames of one message. */
  maxMessageSize: number;
  /** The most frames of one message. */
  maxFrames: number;
  /** The most bytes of a command's body. */
  maxCommandSize: number;
}

/** Receives the messages and commands of a {@link FrameDecoder}. */
export interface FrameSink {
  /** Called with a message, whose frames may be views of the chunk given to `push`. */
  onMessage(frames: Message): void;
  onCommand(body: Uint8Array): void;
}

/** Reads frames from chunks cut anywhere, without copying those that arrive whole. */
export class FrameDecoder extends PausableReader {
  readonly #limits: FrameLimits;
  readonly #sink: FrameSink;
  #frames: Message = [];
  #messageSize = 0;
  /** The first part of a header that is cut in two, up to nine bytes. */
  #head: Uint8Array | undefined;
  #headFilled = 0;
  #flags = 0;
  #length = 0;
  /** The first part of a body that is cut in two. */
  #body: Uint8Array | undefined;
  #bodyFilled = 0;
  /** True until the handshake is done: until then a message is an error. */
  commandsOnly = true;

  constructor(limits: FrameLimits, sink: FrameSink) {
    super();
    this.#limits = limits;
    this.#sink = sink;
  }

  /** The bytes held for incomplete frames and messages, and for those not yet passed to the sink. */
  override get pendingBytes(): number {
    const body = this.#body === undefined ? 0 : this.#bodyFilled;
    return this.#messageSize + body + super.pendingBytes;
  }

  override stop(): void {
    super.stop();
    this.#frames = [];
    if (this.#body !== undefined) release(this.#body);
    this.#body = undefined;
  }

  protected override read(chunk: Uint8Array): boolean {
    const end = chunk.length;
    let at = 0;
    if (this.#body !== undefined) at = this.#fillBody(chunk, 0);
    if (at === end) return true;
    this.#readFrames(chunk, at);
    if (this.#frames.length > 0) this.#keepFrames(chunk);
    return false;
  }

  /** Frames of a message that goes on in another chunk are copied: views of a few bytes would each hold a whole chunk. */
  #keepFrames(chunk: Uint8Array): void {
    const frames = this.#frames;
    for (let index = 0; index < frames.length; index++) {
      const frame = frames[index]!;
      if (frame.buffer === chunk.buffer) frames[index] = frame.slice();
    }
  }

  #readFrames(chunk: Uint8Array, at: number): void {
    const end = chunk.length;
    while (at < end && !this.stopped) {
      if (this.pauseAt(chunk, at)) return;
      if (this.#head !== undefined) {
        at = this.#fillHead(chunk, at);
        continue;
      }
      const flags = chunk[at]!;
      const size = (flags & LONG_FRAME) === 0 ? 2 : 9;
      if (end - at < size) {
        this.#head = new Uint8Array(9);
        this.#head.set(chunk.subarray(at));
        this.#headFilled = end - at;
        this.#checkFlags(flags);
        return;
      }
      const length = size === 2 ? chunk[at + 1]! : readLength(chunk, at + 1);
      this.#checkFlags(flags);
      this.#checkLength(flags, length);
      at += size;
      if (end - at >= length) {
        this.#frame(flags, new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset + at, length));
        at += length;
      } else {
        this.#begin(flags, length);
        at = this.#fillBody(chunk, at);
      }
    }
  }

  #begin(flags: number, length: number): void {
    this.#flags = flags;
    this.#length = length;
    this.#body = new Uint8Array(Math.min(length, FIRST_CAPACITY));
    this.#bodyFilled = 0;
  }

  #fillHead(chunk: Uint8Array, at: number): number {
    const head = this.#head!;
    const size = (head[0]! & LONG_FRAME) === 0 ? 2 : 9;
    while (this.#headFilled < size && at < chunk.length) head[this.#headFilled++] = chunk[at++]!;
    if (this.#headFilled < size) return at;
    const flags = head[0]!;
    const length = size === 2 ? head[1]! : readLength(head, 1);
    this.#head = undefined;
    this.#checkLength(flags, length);
    this.#begin(flags, length);
    return this.#fillBody(chunk, at);
  }

  #fillBody(chunk: Uint8Array, at: number): number {
    let body = this.#body!;
    const take = Math.min(this.#length - this.#bodyFilled, chunk.length - at);
    const need = this.#bodyFilled + take;
    if (need > body.length) {
      const larger = grown(body, this.#bodyFilled, need, GROWTH, this.#length);
      release(body);
      body = this.#body = larger;
    }
    body.set(take === chunk.length ? chunk : chunk.subarray(at, at + take), this.#bodyFilled);
    this.#bodyFilled = need;
    if (need === this.#length) {
      this.#body = undefined;
      this.#frame(this.#flags, body);
    }
    return at + take;
  }

  #checkFlags(flags: number): void {
    if ((flags & RESERVED) !== 0) throw new ProtocolError(`Cannot read frame: reserved flags set in 0x${hex(flags)}`);
    if ((flags & COMMAND) !== 0) {
      if ((flags & MORE) !== 0) {
        throw new ProtocolError("Cannot read frame: a command must be a single frame, but its MORE flag is set");
      }
    } else if (this.commandsOnly) {
      throw new ProtocolError("Cannot read frame: a message before the handshake is done");
    }
  }

  #checkLength(flags: number, length: number): void {
    const { maxCommandSize, maxMessageSize, maxFrames } = this.#limits;
    if ((flags & COMMAND) !== 0) {
      if (length > maxCommandSize) {
        throw new ProtocolError(`Cannot read command: its ${length} bytes are above the limit of ${maxCommandSize}`);
      }
      return;
    }
    if (this.#messageSize + length > maxMessageSize) {
      throw new ProtocolError(
        `Cannot read message: its ${this.#messageSize + length} bytes are above the limit of ${maxMessageSize}`,
      );
    }
    if (this.#frames.length >= maxFrames) {
      throw new ProtocolError(`Cannot read message: it has more than the ${maxFrames} frames allowed`);
    }
  }

  #frame(flags: number, body: Uint8Array): void {
    if (flags === 0 || flags === LONG_FRAME) {
      this.finished++;
      const frames = this.#frames;
      if (frames.length === 0) return this.#sink.onMessage([body]);
      frames.push(body);
      this.#frames = [];
      this.#messageSize = 0;
      return this.#sink.onMessage(frames);
    }
    if ((flags & COMMAND) !== 0) return this.#sink.onCommand(body);
    this.#frames.push(body);
    this.#messageSize += body.length;
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Reads eight bytes as a number; beyond 2^53 it is imprecise, but then it is above every limit. */
function readLength(bytes: Uint8Array, at: number): number {
  let length = 0;
  for (let i = at; i < at + 8; i++) length = length * 256 + bytes[i]!;
  return length;
}
