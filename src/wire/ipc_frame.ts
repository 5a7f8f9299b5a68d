import { encode } from "./msgpack_encode.ts";
import { StreamDecoder } from "./msgpack_stream.ts";

/** `{"head": {}, "body": …}` up to the type byte of the body. */
const HEAD = Uint8Array.of(0x82, 0xa4, 0x68, 0x65, 0x61, 0x64, 0x80, 0xa4, 0x62, 0x6f, 0x64, 0x79);

/**
 * One frame of a bus socket: `{"head": {}, "body": bin}` in the bin profile, frames follow each other without a length.
 *
 * @param body the event's bytes; other values for the generic form
 * @param head such as `{mid: 5}`
 * @see wire.md 9.2
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

export interface IpcFrameReaderOptions {
  /** Octets of one frame. @default 128 MiB */
  maxBytes?: number;
}

/** Takes the bodies out of a stream of frames, however it is cut. Bodies are views of the chunks where they can be. */
export class IpcFrameReader {
  readonly #decoder: StreamDecoder;

  constructor(options: IpcFrameReaderOptions = {}) {
    // Raw: a body may come as str, and as octets it goes on.
    this.#decoder = new StreamDecoder({ mode: "raw", maxBytes: options.maxBytes });
  }

  /** Octets that have arrived and belong to no frame yet handed out. */
  get buffered(): number {
    return this.#decoder.buffered;
  }

  /** @param chunk is kept, and must not change afterwards */
  push(chunk: Uint8Array): void {
    this.#decoder.push(chunk);
  }

  /**
   * The next body, or `undefined` if more octets are needed. Frames without octets for a body are passed over: the
   * sockets carry nothing else, but Salt's generic form would allow it.
   *
   * @throws {ProtocolError} from then on, if the stream is no msgpack or a frame is too long
   */
  next(): Uint8Array | undefined {
    for (;;) {
      const frame = this.#decoder.next();
      if (frame === undefined) return undefined;
      const body = (frame as { body?: unknown } | null)?.body;
      if (body instanceof Uint8Array) return body;
    }
  }
}
