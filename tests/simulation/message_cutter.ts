/** Cuts the bytes of a ZMTP connection into its messages, so that a network can lose, repeat and swap whole ones. */
import { COMMAND, LONG_FRAME, MORE } from "../../src/protocol/zmtp/frame.ts";

/** Bytes of a ZMTP greeting. */
const GREETING = 64;

/** A piece of a stream: a message with all its frames, or something else that passes as it is. */
export interface Piece {
  bytes: Uint8Array;
  message: boolean;
}

/** For one direction of one connection. */
export class MessageCutter {
  #rest = new Uint8Array(0);
  #greeted = false;
  /** A message that is to arrive after the next one. */
  kept: Uint8Array | undefined;

  /** The pieces that are complete with these bytes, in order. */
  cut(chunk: Uint8Array): Piece[] {
    const all = new Uint8Array(this.#rest.length + chunk.length);
    all.set(this.#rest);
    all.set(chunk, this.#rest.length);
    const pieces: Piece[] = [];
    let at = 0;
    // A greeting may come in parts; they pass, so that neither end waits for the other.
    if (!this.#greeted) {
      if (all.length < GREETING) {
        this.#rest = all;
        this.#passed = all.length;
        return [{ bytes: chunk, message: false }];
      }
      pieces.push({ bytes: all.slice(this.#passed, GREETING), message: false });
      at = GREETING;
      this.#greeted = true;
    }
    for (;;) {
      const end = endOfMessage(all, at);
      if (end === undefined) break;
      pieces.push({ bytes: all.slice(at, end), message: (all[at]! & COMMAND) === 0 });
      at = end;
    }
    this.#rest = all.slice(at);
    return pieces.filter(({ bytes }) => bytes.length > 0);
  }
  #passed = 0;
}

/** Where a message that begins at `at` ends, if all of it is there. */
function endOfMessage(bytes: Uint8Array, at: number): number | undefined {
  for (;;) {
    if (at + 2 > bytes.length) return undefined;
    const flags = bytes[at]!;
    const long = (flags & LONG_FRAME) !== 0;
    if (long && at + 9 > bytes.length) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    at += long ? 9 + Number(view.getBigUint64(at + 1)) : 2 + bytes[at + 1]!;
    if (at > bytes.length) return undefined;
    if ((flags & MORE) === 0) return at;
  }
}
