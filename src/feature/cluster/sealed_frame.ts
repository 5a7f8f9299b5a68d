import type { Crypticle } from "../../protocol/crypto/crypticle.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";

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
  throw new SyntaxError("Cannot read a message of another master: that master has another version of Brine");
}

/** Without a further part for so long, content is given up: its sender is gone, or somebody holds the rest back. In milliseconds. */
const UNFINISHED_MS = 60_000;

interface Unfinished {
  before: number;
  next: number;
  parts: Uint8Array[];
  size: number;
  /** When its last part came, by the even clock. */
  atMs: number;
}

/** Content of frames, put together. */
export class FrameParts {
  /** By sender and place: the one without a part for longest is the first. */
  readonly #open = new Map<string, Unfinished>();
  readonly #limit: number;
  readonly #elapsed: () => number;
  #bytes = 0;

  /** @param limit bytes of one content; all that are unfinished have twice as much @param elapsed the even clock */
  constructor(limit: number, elapsed: () => number) {
    this.#limit = limit;
    this.#elapsed = elapsed;
  }

  /** Bytes that wait for further parts. */
  get waiting(): number {
    return this.#bytes;
  }

  /** The whole content with its last part; undefined before, and where a part is missing. */
  add({ sender, place, before, part, parts, bytes }: Frame): Uint8Array | undefined {
    const key = `${sender}\0${place}`;
    const known = this.#open.get(key);
    // A sender ends one content before it begins the next.
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
export function partsOf(bytes: Uint8Array, maxBytes: number): Uint8Array[] {
  if (bytes.length <= maxBytes) return [bytes];
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxBytes) parts.push(bytes.subarray(at, at + maxBytes));
  return parts;
}
