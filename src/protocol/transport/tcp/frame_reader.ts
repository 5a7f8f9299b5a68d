import { ProtocolError } from "../../../base/errors.ts";
import { grown } from "../../../runtime/bytes.ts";
import { PausableReader } from "../../../runtime/pausable_reader.ts";
import { kindOf, MAP, widthOf } from "../../wire/msgpack_types.ts";
import { ValueWalk } from "../../wire/msgpack_walk.ts";

/** One `{head, body}` map; both values are packed, as they were received. */
export interface TcpFrame {
  head: Uint8Array;
  body: Uint8Array;
}

/** The bounds of a {@link TcpFrameReader}, each checked before memory is taken for what it bounds. */
interface TcpFrameLimits {
  /** The most bytes of one frame. */
  maxFrameSize: number;
}

/** The most bytes of the head: Salt's is a map with a UUID. */
const MAX_HEAD = 1024;
/** The most entries of the outermost map: Salt's has two. */
const MAX_ENTRIES = 8;
/** The first size of the buffer for a frame that arrives in pieces, in bytes. It grows as more arrives, whatever size the frame announces. */
const FIRST_CAPACITY = 2048;
const GROWTH = 4;

/** A packed empty map. */
const NO_HEAD = Uint8Array.of(0x80);

/**
 * Reads the frames of Salt's tcp transport from chunks cut anywhere. Frames have no length in front: to find the end of a frame, its
 * values have to be walked. Each value is walked once, however the frame is cut.
 *
 * @see salt/transport/frame.py frame_msg
 */
export class TcpFrameReader extends PausableReader {
  readonly #deliver: (frame: TcpFrame) => void;
  /** The incomplete frame; undefined between frames. */
  #buffer: Uint8Array | undefined;
  #filled = 0;
  /** The offsets at which keys and values of the outermost map begin, and the offset at which the last one ends. */
  readonly #marks: number[] = [];
  readonly #walk: ValueWalk;

  constructor({ maxFrameSize }: TcpFrameLimits, deliver: (frame: TcpFrame) => void) {
    super();
    const refuse = (why: string) => new ProtocolError(`Cannot read frame: ${why}`);
    this.#walk = new ValueWalk({
      maxBytes: maxFrameSize,
      tooLong: (size) => refuse(`its ${size} bytes are above the limit of ${maxFrameSize}`),
      unused: () => refuse("0xc1 is not msgpack"),
    }, this.#marks);
    this.#deliver = deliver;
  }

  override get pendingBytes(): number {
    return this.#filled + super.pendingBytes;
  }

  override stop(): void {
    super.stop();
    this.#buffer = undefined;
    this.#filled = 0;
  }

  protected override read(chunk: Uint8Array): boolean {
    let copied = true;
    let at = 0;
    while (at < chunk.length && !this.stopped) {
      if (this.pauseAt(chunk, at)) return false;
      if (this.#filled === 0) this.#begin(chunk[at]!);
      const end = this.#walk.walk(chunk, at);
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
      at += piece.length;
      copied = copied && (end < 0 || this.#filled > 0);
      const bytes = end >= 0 && this.#filled === 0 ? piece : this.#append(piece);
      if (end >= 0) this.#finish(bytes);
    }
    return copied && at === chunk.length;
  }

  /** Adds a chunk to the incomplete frame; returns all of it so far. */
  #append(chunk: Uint8Array): Uint8Array {
    const need = this.#filled + chunk.length;
    let buffer = this.#buffer ?? new Uint8Array(Math.max(need, FIRST_CAPACITY));
    if (need > buffer.length) buffer = grown(buffer, this.#filled, need, GROWTH);
    buffer.set(chunk, this.#filled);
    this.#buffer = buffer;
    this.#filled = need;
    return buffer.subarray(0, need);
  }

  #finish(bytes: Uint8Array): void {
    this.#buffer = undefined;
    this.#filled = 0;
    this.finished++;
    const frame = frameOf(bytes, this.#marks);
    this.#marks.length = 0;
    this.#deliver(frame);
  }

  /** Checks the first byte of a frame. */
  #begin(first: number): void {
    const entries = kindOf(first) === MAP && widthOf(first) === 0 ? first & 0x0f : 0;
    if (entries === 0 || entries > MAX_ENTRIES) {
      throw new ProtocolError(
        "Cannot read frame: expected a map with head and body. The other side may use another transport, or only one side may use ssl",
      );
    }
    this.#marks.push(1);
  }
}

/** Picks head and body by their names. @throws {ProtocolError} if there is no body */
function frameOf(frame: Uint8Array, marks: readonly number[]): TcpFrame {
  let head: Uint8Array = NO_HEAD;
  let body: Uint8Array | undefined;
  for (let at = 0; at + 2 < marks.length; at += 2) {
    const key = frame.subarray(marks[at], marks[at + 1]);
    // A short key is text or bytes of four characters: its last four bytes are the name.
    const name = key.length > 8 ? "" : String.fromCharCode(...key.subarray(-4));
    const value = frame.subarray(marks[at + 1], marks[at + 2]);
    if (name === "head") head = value;
    else if (name === "body") body = value;
  }
  if (body === undefined) throw new ProtocolError("Cannot read frame: it has no body");
  if (head.length > MAX_HEAD) throw new ProtocolError(`Cannot read frame: its head has more than ${MAX_HEAD} bytes`);
  return { head, body };
}
