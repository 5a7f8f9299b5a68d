import { ProtocolError } from "../../../base/errors.ts";

/** One `{head, body}` map; both are packed values, as they were received. */
export interface TcpFrame {
  head: Uint8Array;
  body: Uint8Array;
}

/** The bounds of a {@link TcpFrameReader}, each checked before memory is taken for what it bounds. */
export interface TcpFrameLimits {
  /** Bytes of one frame. */
  maxFrameSize: number;
}

/** Bytes that the head may have: Salt's is a map with a UUID. */
const MAX_HEAD = 1024;
/** Entries of the outermost map: Salt's has two. */
const MAX_ENTRIES = 8;
/** Bytes of the buffer of a frame that arrives in pieces; it grows as more of it arrives, whatever size it announces. */
const FIRST_CAPACITY = 2048;
const GROWTH = 4;
const LATER_GROWTH = 2;
const PIECE = 2 ** 20;

/** An empty map. */
const NO_HEAD = Uint8Array.of(0x80);

/**
 * Reads the frames of Salt's tcp transport from chunks cut anywhere. Frames have no length in front: where one ends is known only
 * by walking over its values, which this does once, however it is cut.
 *
 * @see salt/transport/frame.py frame_msg
 */
export class TcpFrameReader {
  readonly #limits: TcpFrameLimits;
  readonly #deliver: (frame: TcpFrame) => void;
  /** The incomplete frame; undefined between frames. */
  #buffer: Uint8Array | undefined;
  #filled = 0;
  /** Where the walk is in the frame. */
  #at = 0;
  /** Values still to walk over; 0 before a frame has begun. */
  #left = 0;
  /** What {@link TcpFrameReader.#left} will be when the present entry of the outermost map is complete. */
  #entryEnds = 0;
  /** Where keys and values of the outermost map begin, and where the last one ends. */
  #marks: number[] = [];
  /** What arrived while paused. */
  #rest: Uint8Array[] = [];
  #busy = false;
  #stopped = false;

  /** Frames delivered so far. */
  finished = 0;
  /** While true, nothing is delivered; what arrives is kept. Call {@link TcpFrameReader.push} without a chunk to continue. */
  paused = false;

  constructor(limits: TcpFrameLimits, deliver: (frame: TcpFrame) => void) {
    this.#limits = limits;
    this.#deliver = deliver;
  }

  /** Bytes held. */
  get pendingBytes(): number {
    return this.#filled + this.#rest.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Stops for good. */
  stop(): void {
    this.#stopped = true;
    this.#rest = [];
    this.#buffer = undefined;
    this.#filled = 0;
  }

  /**
   * Reads a chunk. Returns true if all of it was copied.
   *
   * @throws {ProtocolError} for bytes that are no such frame; the reader cannot be used after that
   */
  push(chunk?: Uint8Array): boolean {
    if (chunk !== undefined && (this.#busy || this.paused || this.#rest.length > 0)) {
      this.#rest.push(chunk);
      chunk = undefined;
    }
    if (this.#busy) return false;
    this.#busy = true;
    try {
      const copied = chunk !== undefined && this.#read(chunk);
      while (this.#rest.length > 0 && !this.paused && !this.#stopped) this.#read(this.#rest.shift()!);
      return copied;
    } finally {
      this.#busy = false;
    }
  }

  /** True if nothing refers to the chunk. */
  #read(chunk: Uint8Array): boolean {
    let copied = true;
    while (chunk.length > 0 && !this.#stopped) {
      if (this.paused) {
        this.#rest.unshift(chunk);
        return false;
      }
      const before = this.#filled;
      const bytes = before === 0 ? chunk : this.#append(chunk);
      if (!this.#walk(bytes)) {
        if (before === 0) this.#append(chunk);
        return copied;
      }
      const end = this.#at;
      chunk = chunk.subarray(end - before);
      copied = copied && before > 0;
      this.#finish(bytes.subarray(0, end));
    }
    return copied && chunk.length === 0;
  }

  /** Adds a chunk to the incomplete frame; returns all of it so far. */
  #append(chunk: Uint8Array): Uint8Array {
    const need = this.#filled + chunk.length;
    const buffer = this.#buffer ??= new Uint8Array(Math.max(need, FIRST_CAPACITY));
    if (need > buffer.length) {
      const growth = buffer.length < PIECE ? GROWTH : LATER_GROWTH;
      const larger = new Uint8Array(Math.max(need, buffer.length * growth));
      larger.set(buffer.subarray(0, this.#filled));
      this.#buffer = larger;
    }
    this.#buffer!.set(chunk, this.#filled);
    this.#filled = need;
    return this.#buffer!.subarray(0, need);
  }

  #finish(frame: Uint8Array): void {
    const marks = this.#marks;
    this.#buffer = undefined;
    this.#filled = this.#at = 0;
    this.#marks = [];
    this.finished++;
    this.#deliver(frameOf(frame, marks));
  }

  /** Walks on over the bytes that are there. True if the frame is complete: it ends at {@link TcpFrameReader.#at}. */
  #walk(bytes: Uint8Array): boolean {
    const { maxFrameSize } = this.#limits;
    if (this.#marks.length === 0 && !this.#begin(bytes)) return false;
    while (this.#left > 0) {
      const size = sizeAt(bytes, this.#at);
      if (size === undefined) {
        if (bytes.length >= maxFrameSize) tooLarge(bytes.length, maxFrameSize);
        return false;
      }
      const end = this.#at + size.bytes;
      if (end > maxFrameSize) tooLarge(end, maxFrameSize);
      // Each value takes a byte at least, so that a container cannot promise more of them than fit.
      const left = this.#left - 1 + size.values;
      if (end + left > maxFrameSize) tooLarge(end + left, maxFrameSize);
      if (end > bytes.length) return false;
      this.#at = end;
      this.#left = left;
      if (left === this.#entryEnds) {
        this.#marks.push(end);
        this.#entryEnds = left - 1;
      }
    }
    return true;
  }

  /** Reads the header of the outermost map; false if there is none yet. */
  #begin(bytes: Uint8Array): boolean {
    const first = bytes[0];
    if (first === undefined) return false;
    const entries = first & 0x0f;
    if ((first & 0xf0) !== 0x80 || entries === 0 || entries > MAX_ENTRIES) {
      throw new ProtocolError(
        "Cannot read frame: expected a map with head and body. The other side may use another transport, or only one side may use ssl",
      );
    }
    this.#at = 1;
    this.#left = entries * 2;
    this.#entryEnds = this.#left - 1;
    this.#marks = [1];
    return true;
  }
}

function tooLarge(size: number, limit: number): never {
  throw new ProtocolError(`Cannot read frame: its ${size} bytes are above the limit of ${limit}`);
}

/** Picks head and body by their names. @throws {ProtocolError} if there is no body */
function frameOf(frame: Uint8Array, marks: readonly number[]): TcpFrame {
  let head: Uint8Array = NO_HEAD;
  let body: Uint8Array | undefined;
  for (let at = 0; at + 2 < marks.length; at += 2) {
    const key = frame.subarray(marks[at], marks[at + 1]);
    // Text or binary of four bytes: their last four are the name.
    const name = key.length > 8 ? "" : String.fromCharCode(...key.subarray(-4));
    const value = frame.subarray(marks[at + 1], marks[at + 2]);
    if (name === "head") head = value;
    else if (name === "body") body = value;
  }
  if (body === undefined) throw new ProtocolError("Cannot read frame: it has no body");
  if (head.length > MAX_HEAD) throw new ProtocolError(`Cannot read frame: its head has more than ${MAX_HEAD} bytes`);
  return { head, body };
}

/** Bytes of a value without those of its parts, and how many parts it has. */
interface Size {
  bytes: number;
  values: number;
}

const FIXED: Record<number, number> = {
  0xc0: 1,
  0xc2: 1,
  0xc3: 1,
  0xca: 5,
  0xcb: 9,
  0xcc: 2,
  0xcd: 3,
  0xce: 5,
  0xcf: 9,
  0xd0: 2,
  0xd1: 3,
  0xd2: 5,
  0xd3: 9,
  0xd4: 3,
  0xd5: 4,
  0xd6: 6,
  0xd7: 10,
  0xd8: 18,
};

/** Types with a length: bytes of the length, and bytes between it and the content. */
const COUNTED: Record<number, [width: number, extra: number]> = {
  0xc4: [1, 0],
  0xc5: [2, 0],
  0xc6: [4, 0],
  0xc7: [1, 1],
  0xc8: [2, 1],
  0xc9: [4, 1],
  0xd9: [1, 0],
  0xda: [2, 0],
  0xdb: [4, 0],
};

/** Arrays and maps with a length: bytes of the length, and values for each entry. */
const CONTAINERS: Record<number, [width: number, each: number]> = {
  0xdc: [2, 1],
  0xdd: [4, 1],
  0xde: [2, 2],
  0xdf: [4, 2],
};

/** The size of the value at `at`; undefined if its beginning is not there yet. */
function sizeAt(bytes: Uint8Array, at: number): Size | undefined {
  if (at >= bytes.length) return undefined;
  const type = bytes[at]!;
  if (type < 0x80 || type >= 0xe0) return { bytes: 1, values: 0 };
  if (type < 0x90) return { bytes: 1, values: (type & 0x0f) * 2 };
  if (type < 0xa0) return { bytes: 1, values: type & 0x0f };
  if (type < 0xc0) return { bytes: 1 + (type & 0x1f), values: 0 };
  const fixed = FIXED[type];
  if (fixed !== undefined) return { bytes: fixed, values: 0 };
  const counted = COUNTED[type] ?? CONTAINERS[type];
  if (counted === undefined) throw new ProtocolError("Cannot read frame: 0xc1 is not msgpack");
  const [width, more] = counted;
  if (at + 1 + width > bytes.length) return undefined;
  let length = 0;
  for (let index = at + 1; index <= at + width; index++) length = length * 256 + bytes[index]!;
  return COUNTED[type] === undefined
    ? { bytes: 1 + width, values: length * more }
    : { bytes: 1 + width + more + length, values: 0 };
}
