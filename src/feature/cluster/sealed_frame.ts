import type { Crypticle } from "../../protocol/crypto/crypticle.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";

/** The content of one sealed frame: the fields of its sender, and a part of a message or record. */
export interface BusFrame {
  sender: string;
  /** The channel or stream that the frame is for: on another one it is refused. */
  place: string;
  /** The number of the frame among those of its sender for this place. */
  number: number;
  /** When the frame was made, in milliseconds since the epoch, by the clock of the sender. */
  atMs: number;
  /** The number of messages of this sender for this place before this frame. */
  before: number;
  /** The number of this part of the content, from 0, and the number of parts. */
  part: number;
  parts: number;
  bytes: Uint8Array;
}

/** The bytes that head, padding and seal of a frame need in addition to its content. */
export const FRAME_ROOM = 1024;

export function sealFrame(crypticle: Crypticle, frame: BusFrame): Uint8Array {
  const { sender, place, number, atMs, before, part, parts, bytes } = frame;
  return crypticle.seal(encode([sender, place, number, atMs, before, part, parts, bytes], "bin"));
}

/**
 * Opens a frame.
 *
 * @throws {AuthenticationError} if it was not sealed with this key; {SyntaxError} if the sealed bytes are not a frame
 */
export function openFrame(crypticle: Crypticle, sealed: Uint8Array): BusFrame {
  const fields = decode(crypticle.open(sealed), { mode: "bin" }) as unknown;
  if (Array.isArray(fields) && fields.length === 8) {
    const [sender, place, number, atMs, before, part, parts, bytes] = fields as unknown[];
    if (
      typeof sender === "string" && typeof place === "string" && typeof atMs === "number" &&
      bytes instanceof Uint8Array &&
      [number, before, part, parts].every((value) => Number.isSafeInteger(value) && (value as number) >= 0)
    ) {
      return { sender, place, number, atMs, before, part, parts, bytes } as BusFrame;
    }
  }
  throw new SyntaxError("Cannot read a message of another master: that master has another version of Brine");
}

/** How long incomplete content waits for its next part, in milliseconds: its sender may have died, or an attacker holds the rest back. */
const UNFINISHED_MS = 60_000;

interface Unfinished {
  before: number;
  next: number;
  parts: Uint8Array[];
  size: number;
  /** When the last part arrived, in milliseconds of the even clock. */
  atMs: number;
}

/** Joins the parts of frames to the whole content. */
export class FrameParts {
  /** Incomplete content by sender and place, the one without a new part for longest first. */
  readonly #open = new Map<string, Unfinished>();
  readonly #limit: number;
  readonly #elapsed: () => number;
  #bytes = 0;

  /** @param limit the most bytes of one content; all incomplete content together may have twice as many @param elapsed the even clock */
  constructor(limit: number, elapsed: () => number) {
    this.#limit = limit;
    this.#elapsed = elapsed;
  }

  /** The number of bytes that wait for further parts. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Adds a part; returns the whole content with its last part, otherwise undefined, also if a part is missing. */
  add({ sender, place, before, part, parts, bytes }: BusFrame): Uint8Array | undefined {
    const key = `${sender}\0${place}`;
    const known = this.#open.get(key);
    // A sender completes one content before it begins the next, so the older content is incomplete for good.
    if (known !== undefined) this.#drop(key, known);
    if (this.#open.size > 0) this.#giveUp();
    if (parts === 1) return bytes;
    const open = part === 0 ? { before, next: 0, parts: [], size: 0, atMs: 0 } : known;
    if (open === undefined || open.before !== before || open.next !== part || open.size + bytes.length > this.#limit) {
      return undefined;
    }
    open.parts.push(bytes.slice());
    open.size += bytes.length;
    open.next++;
    if (open.next === parts) return joined(open);
    open.atMs = this.#elapsed();
    this.#open.set(key, open);
    this.#bytes += open.size;
    return undefined;
  }

  #drop(key: string, { size }: Unfinished): void {
    this.#open.delete(key);
    this.#bytes -= size;
  }

  #giveUp(): void {
    const since = this.#elapsed() - UNFINISHED_MS;
    for (const [key, open] of this.#open) {
      if (open.atMs > since && this.#bytes <= 2 * this.#limit) return;
      this.#drop(key, open);
    }
  }
}

function joined({ parts, size }: Unfinished): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of parts) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Cuts content into the parts of frames. */
export function frameParts(bytes: Uint8Array, maxBytes: number): Uint8Array[] {
  if (bytes.length <= maxBytes) return [bytes];
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxBytes) parts.push(bytes.subarray(at, at + maxBytes));
  return parts;
}
