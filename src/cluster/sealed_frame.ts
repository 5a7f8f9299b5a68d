import type { Crypticle } from "../crypto/crypticle.ts";
import { decode, encode } from "../wire/msgpack.ts";

/** One sealed frame: what a sender says of it, and a part of its content. */
export interface Frame {
  sender: string;
  /** The channel or stream that it is for: one that is put elsewhere is refused. */
  place: string;
  /** Number among the frames of this sender for this place. */
  number: number;
  /** Milliseconds since the epoch, by the clock of the sender. */
  atMs: number;
  /** Messages of this sender for this place before this frame. */
  before: number;
  /** This part of the content, from 0, and how many there are. */
  part: number;
  parts: number;
  bytes: Uint8Array;
}

/** Room that head, padding and seal of a frame need beside its bytes. */
export const FRAME_ROOM = 1024;

/** Seals a frame. */
export function sealFrame(crypticle: Crypticle, frame: Frame): Uint8Array {
  const { sender, place, number, atMs, before, part, parts, bytes } = frame;
  return crypticle.seal(encode([sender, place, number, atMs, before, part, parts, bytes], "bin"));
}

/**
 * Opens a frame.
 *
 * @throws {AuthenticationError} if it was not sealed with this key; {SyntaxError} if it was, and is not a frame
 */
export function openFrame(crypticle: Crypticle, sealed: Uint8Array): Frame {
  const fields = decode(crypticle.open(sealed), { mode: "bin" }) as unknown;
  if (Array.isArray(fields) && fields.length === 8) {
    const [sender, place, number, atMs, before, part, parts, bytes] = fields as unknown[];
    if (
      typeof sender === "string" && typeof place === "string" && typeof atMs === "number" &&
      bytes instanceof Uint8Array &&
      [number, before, part, parts].every((value) => Number.isSafeInteger(value) && (value as number) >= 0)
    ) {
      return { sender, place, number, atMs, before, part, parts, bytes } as Frame;
    }
  }
  throw new SyntaxError("Cannot read a message of another master: it is of another version of Brine");
}

/** Content of frames, put together. */
export class FrameParts {
  readonly #open = new Map<string, { before: number; next: number; parts: Uint8Array[]; size: number }>();
  readonly #limit: number;

  /** @param limit bytes of one content */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The whole content with its last part; undefined before, and where a part is missing. */
  add({ sender, place, before, part, parts, bytes }: Frame): Uint8Array | undefined {
    if (parts === 1) return bytes;
    const key = `${sender}\0${place}`;
    if (part === 0) this.#open.set(key, { before, next: 0, parts: [], size: 0 });
    const open = this.#open.get(key);
    if (open === undefined || open.before !== before || open.next !== part || open.size + bytes.length > this.#limit) {
      this.#open.delete(key);
      return undefined;
    }
    open.parts.push(bytes.slice());
    open.size += bytes.length;
    open.next++;
    if (open.next < parts) return undefined;
    this.#open.delete(key);
    const whole = new Uint8Array(open.size);
    let at = 0;
    for (const piece of open.parts) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}

/** Cuts content into the parts of frames. */
export function partsOf(bytes: Uint8Array, maxBytes: number): Uint8Array[] {
  if (bytes.length <= maxBytes) return [bytes];
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxBytes) parts.push(bytes.subarray(at, at + maxBytes));
  return parts;
}
