import { ProtocolError } from "../../base/errors.ts";
import { decode, type DecodeOptions, DEFAULT_MAX_DEPTH } from "./msgpack_decode.ts";
import { ValueWalk } from "./msgpack_walk.ts";
import { concat } from "../../runtime/bytes.ts";

/** The size in bytes from which a piece of a value is kept as it arrived, and not copied. */
const JOIN_LIMIT = 32768;

/** How a stream of msgpack values is decoded, and its bounds. */
export interface StreamDecodeOptions extends DecodeOptions {
  /** The most bytes of one value. @default 128 MiB */
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
  readonly #walk: ValueWalk;
  readonly #chunks: Uint8Array[] = [];
  /** The number of chunks of {@link #chunks} that are finished. */
  #done = 0;
  /** The current chunk is scanned up to here; the current value begins at {@link #from}. */
  #at = 0;
  #from = 0;
  /** The parts of the current value in earlier chunks. */
  #parts: Uint8Array[] = [];
  #partsLength = 0;

  #broken: unknown;

  /**
   * Reads values within the limits that are given.
   *
   * @param options the mode, and bounds for what a peer may send
   */
  constructor(options: StreamDecodeOptions) {
    this.#options = options;
    const { maxBytes = 128 * 1024 * 1024, maxDepth = DEFAULT_MAX_DEPTH } = options;
    const refuse = (why: string) => new ProtocolError(`Cannot unpack a stream: ${why}`);
    this.#walk = new ValueWalk({
      maxBytes,
      tooLong: () => refuse(`a value exceeds ${maxBytes} bytes`),
      depth: { max: maxDepth, tooDeep: () => refuse(`a value is nested deeper than ${maxDepth} levels`) },
      unused: () => refuse("0xc1 is not a msgpack type"),
    });
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
      const end = this.#walk.walk(chunk, this.#at);
      this.#at = end < 0 ? chunk.length : end;
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
      if (end >= 0) {
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
   * Keeps a piece of a value that continues in the next chunk. Small pieces are joined, each byte at most 15 times: otherwise each
   * byte of a peer that sends single bytes would take an object, and perhaps a whole read buffer.
   */
  #keep(piece: Uint8Array): void {
    const parts = this.#parts;
    parts.push(piece);
    this.#partsLength += piece.length;
    while (parts.length > 1 && parts.at(-1)!.length < JOIN_LIMIT && parts.at(-2)!.length <= parts.at(-1)!.length) {
      parts.push(concat(parts.splice(-2)));
    }
  }
}
