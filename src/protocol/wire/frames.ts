/**
 * Messages between Brine's processes over a byte stream: each is four bytes of length and then msgpack. Bytes, floats and maps
 * with any keys keep their type.
 */
import { ProtocolError } from "../../base/errors.ts";
import { decode } from "./msgpack.ts";
import { encodeAfter } from "./msgpack_encode.ts";
import { concat } from "../../runtime/bytes.ts";

const HEADER = new Uint8Array(4);

/** The bytes of one message. */
export function frame(message: object): Uint8Array {
  const bytes = encodeAfter(HEADER, message, "bin");
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, bytes.length - 4);
  return bytes;
}

/** Cuts a stream into messages. */
export class FrameReader {
  /** The most bytes of one message; a larger one is refused before memory is taken for it. */
  maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** The size of the message that is arriving, in bytes; undefined until its length has arrived. */
  #size: number | undefined;
  readonly #onUnreadable: (error: unknown, body: Uint8Array) => unknown;

  /** @param onUnreadable makes the message that stands for a whole body which is not msgpack. @default throws the error */
  constructor(
    maxBytes = 2 ** 30,
    onUnreadable: (error: unknown, body: Uint8Array) => unknown = (error) => {
      throw error;
    },
  ) {
    this.maxBytes = maxBytes;
    this.#onUnreadable = onUnreadable;
  }

  push(chunk: Uint8Array): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
  }

  /**
   * The next message, or undefined if more bytes are needed.
   *
   * @throws {ProtocolError} if the message is too large, or is not msgpack
   */
  next(): unknown {
    if (this.#size === undefined) {
      const head = this.#take(4);
      if (head === undefined) return undefined;
      this.#size = new DataView(head.buffer, head.byteOffset).getUint32(0);
      if (this.#size > this.maxBytes) {
        throw new ProtocolError(`A message of ${this.#size} bytes was announced: expected ${this.maxBytes} at most`);
      }
    }
    const body = this.#take(this.#size);
    if (body === undefined) return undefined;
    this.#size = undefined;
    try {
      return decode(body, { mode: "bin" });
    } catch (error) {
      return this.#onUnreadable(error, body);
    }
  }

  #take(count: number): Uint8Array | undefined {
    if (this.#length < count) return undefined;
    if (this.#parts[0] !== undefined && this.#parts[0].length < count) this.#parts = [concat(this.#parts)];
    const [first = new Uint8Array(0)] = this.#parts;
    this.#length -= count;
    if (first.length === count) this.#parts.shift();
    else this.#parts[0] = first.subarray(count);
    return first.subarray(0, count);
  }
}
