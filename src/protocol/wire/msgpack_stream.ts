import { ProtocolError } from "../../base/errors.ts";
import { decode, type DecodeOptions, DEFAULT_MAX_DEPTH } from "./msgpack_decode.ts";
import { concat } from "../../runtime/bytes.ts";

/** How many bytes of size follow a type byte from 0xc0 to 0xdf, and what that size counts. */
const SIZES = new Map<number, { bytes: number; counts: "bytes" | "ext" | "items" | "pairs" }>([
  [0xc4, { bytes: 1, counts: "bytes" }],
  [0xc5, { bytes: 2, counts: "bytes" }],
  [0xc6, { bytes: 4, counts: "bytes" }],
  [0xc7, { bytes: 1, counts: "ext" }],
  [0xc8, { bytes: 2, counts: "ext" }],
  [0xc9, { bytes: 4, counts: "ext" }],
  [0xd9, { bytes: 1, counts: "bytes" }],
  [0xda, { bytes: 2, counts: "bytes" }],
  [0xdb, { bytes: 4, counts: "bytes" }],
  [0xdc, { bytes: 2, counts: "items" }],
  [0xdd, { bytes: 4, counts: "items" }],
  [0xde, { bytes: 2, counts: "pairs" }],
  [0xdf, { bytes: 4, counts: "pairs" }],
]);

/** Bytes after a type byte from 0xc0 to 0xdf of fixed size; -1 for those in {@link SIZES}, -2 for the unused 0xc1. */
const FIXED = Array.from({ length: 32 }, (_, index) => {
  const type = 0xc0 + index;
  if (SIZES.has(type)) return -1;
  if (type === 0xc1) return -2;
  if (type >= 0xd4 && type <= 0xd8) return 1 + (1 << (type - 0xd4));
  return ({ 0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8 } as Record<
    number,
    number
  >)[type] ?? 0;
});

/** Pieces of a value from this size on are kept as they arrived. */
const JOIN_LIMIT = 32768;

/** How a stream of msgpack values is decoded, and its bounds. */
export interface StreamDecodeOptions extends DecodeOptions {
  /** Bytes of one value. @default 128 MiB */
  maxBytes?: number;
}

/**
 * Reads values that arrive one after another on a stream, with nothing between them (the event bus). Bytes are scanned
 * once however they are cut, bodies are skipped, and a value that lies in one chunk is decoded in place.
 *
 * Chunks are kept, not copied: they MUST NOT change afterwards. Values not yet read with {@link next} are kept
 * as bytes; the caller decides how many to allow.
 *
 * @example
 * ```ts
 * import { encode, StreamDecoder } from "brine/wire";
 *
 * const decoder = new StreamDecoder({ mode: "bin" });
 * const bytes = encode("hello", "bin");
 * decoder.push(bytes.subarray(0, 2));
 * console.log(decoder.next()); // undefined
 * decoder.push(bytes.subarray(2));
 * console.log(decoder.next()); // hello
 * ```
 */
export class StreamDecoder {
  readonly #options: StreamDecodeOptions;
  readonly #maxBytes: number;
  readonly #maxDepth: number;
  readonly #chunks: Uint8Array[] = [];
  /** Chunks of {@link #chunks} that are finished. */
  #done = 0;
  /** The current chunk is scanned up to here; the current value begins at {@link #from}. */
  #at = 0;
  #from = 0;
  /** The parts of the current value in earlier chunks. */
  #parts: Uint8Array[] = [];
  #partsLength = 0;

  /** Values still to come in each open container, innermost last. Empty between two values of the stream. */
  readonly #open: number[] = [];
  /** Bytes to skip. */
  #jump = 0;
  /** A size being read: bytes to come, value so far, and what it counts. */
  #sizeBytes = 0;
  #size = 0;
  #counts: "bytes" | "ext" | "items" | "pairs" = "bytes";
  #broken: unknown;

  /**
   * Reads values within the limits that are given.
   *
   * @param options the mode, and bounds for what a peer may send
   */
  constructor(options: StreamDecodeOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 128 * 1024 * 1024;
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  /** Bytes that have arrived and are not part of a value that was returned. */
  get buffered(): number {
    let length = this.#partsLength - this.#from;
    for (let index = this.#done; index < this.#chunks.length; index++) length += this.#chunks[index]!.length;
    return length;
  }

  /** Adds a chunk of the stream, cut anywhere. */
  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /**
   * The next complete value, or `undefined` if more bytes are needed (nil is `null`).
   *
   * @throws {ProtocolError} from then on, if the stream is not msgpack or a value exceeds a bound
   */
  next(): unknown {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      const bytes = this.#nextBytes();
      return bytes === undefined ? undefined : decode(bytes, this.#options);
    } catch (error) {
      this.#broken = error;
      this.#chunks.length = 0;
      this.#parts = [];
      throw error;
    }
  }

  #nextBytes(): Uint8Array | undefined {
    while (this.#done < this.#chunks.length) {
      const chunk = this.#chunks[this.#done]!;
      const complete = this.#scan(chunk);
      const piece = chunk.subarray(this.#from, this.#at);
      if (this.#at === chunk.length) {
        this.#done += 1;
        this.#at = 0;
        if (this.#done > 64 || this.#done === this.#chunks.length) {
          this.#chunks.splice(0, this.#done);
          this.#done = 0;
        }
      }
      this.#from = this.#at;
      if (complete) {
        if (this.#parts.length === 0) return piece;
        const bytes = concat([...this.#parts, piece]);
        this.#parts = [];
        this.#partsLength = 0;
        return bytes;
      }
      this.#keep(piece);
    }
    return undefined;
  }

  /**
   * Keeps a piece of a value that continues in the next chunk. Small pieces are joined, each byte at most 15 times: a peer
   * that sends single bytes would otherwise cost us an object, and perhaps a whole read buffer, for each.
   */
  #keep(piece: Uint8Array): void {
    const parts = this.#parts;
    parts.push(piece);
    this.#partsLength += piece.length;
    while (parts.length > 1 && parts.at(-1)!.length < JOIN_LIMIT && parts.at(-2)!.length <= parts.at(-1)!.length) {
      parts.push(concat(parts.splice(-2)));
    }
  }

  /** Moves {@link #at} to the end of the current value (true) or of the chunk (false). */
  #scan(chunk: Uint8Array): boolean {
    const open = this.#open;
    while (this.#at < chunk.length) {
      if (this.#jump > 0) {
        const step = Math.min(this.#jump, chunk.length - this.#at);
        this.#at += step;
        this.#jump -= step;
        if (this.#jump > 0) return false;
        if (this.#close()) return true;
        continue;
      }
      if (this.#sizeBytes > 0) {
        this.#size = this.#size * 256 + chunk[this.#at++]!;
        this.#sizeBytes -= 1;
        if (this.#sizeBytes > 0) continue;
        if (this.#sized(this.#counts, this.#size)) return true;
        continue;
      }
      const type = chunk[this.#at++]!;
      if (open.length > 0) this.#bound(0);
      let complete: boolean;
      if (type < 0x80 || type >= 0xe0) complete = this.#close();
      else if (type < 0x90) complete = this.#sized("pairs", type & 0x0f);
      else if (type < 0xa0) complete = this.#sized("items", type & 0x0f);
      else if (type < 0xc0) complete = this.#sized("bytes", type & 0x1f);
      else {
        const fixed = FIXED[type - 0xc0]!;
        if (fixed === -2) throw new ProtocolError("Cannot unpack a stream: 0xc1 is not a msgpack type");
        if (fixed >= 0) {
          complete = this.#sized("bytes", fixed);
        } else {
          const { bytes, counts } = SIZES.get(type)!;
          this.#sizeBytes = bytes;
          this.#size = 0;
          this.#counts = counts;
          complete = false;
        }
      }
      if (complete) return true;
    }
    return false;
  }

  /** Handles a size that was read; true if the value of the stream ends with it. */
  #sized(counts: "bytes" | "ext" | "items" | "pairs", size: number): boolean {
    if (counts === "bytes" || counts === "ext") {
      // The kind of an extension is one byte before its payload.
      this.#jump = counts === "ext" ? size + 1 : size;
      this.#bound(this.#jump);
      return this.#jump === 0 && this.#close();
    }
    const values = counts === "pairs" ? size * 2 : size;
    this.#bound(values);
    if (this.#open.length >= this.#maxDepth) {
      throw new ProtocolError(`Cannot unpack a stream: a value is nested deeper than ${this.#maxDepth} levels`);
    }
    if (values === 0) return this.#close();
    this.#open.push(values);
    return false;
  }

  /** Called at the end of each value; true if it was the outermost. */
  #close(): boolean {
    const open = this.#open;
    while (open.length > 0) {
      const left = open[open.length - 1]! - 1;
      if (left > 0) {
        open[open.length - 1] = left;
        return false;
      }
      open.pop();
    }
    return true;
  }

  /** Refuses a value that is, or must become, longer than allowed. */
  #bound(more: number): void {
    if (this.#partsLength + this.#at - this.#from + more > this.#maxBytes) {
      throw new ProtocolError(`Cannot unpack a stream: a value exceeds ${this.#maxBytes} bytes`);
    }
  }
}
