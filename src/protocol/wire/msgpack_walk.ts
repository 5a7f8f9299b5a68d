import { ARRAY, COUNT, EXT, KIND, MAP, SHORT, TYPES, UNUSED, widthOf } from "./msgpack_types.ts";

/** The bounds of a {@link ValueWalk}, and its errors in the words of who walks. */
export interface WalkLimits {
  /** Bytes of one value. */
  maxBytes: number;
  /** @param bytes how long the value is, or must become */
  tooLong(bytes: number): Error;
  unused(): Error;
  /** Containers within each other. @default no bound: depth takes neither stack nor memory */
  depth?: { max: number; tooDeep(): Error };
}

/** Finds where values end that arrive in chunks cut anywhere. Each byte is looked at once, and the content of text and bytes not at all. */
export class ValueWalk {
  readonly #limits: WalkLimits;
  /** Where keys and values of the outermost container end, if they are asked for: bytes from its beginning. */
  readonly #marks: number[] | undefined;
  /** Bytes of the value that were passed. */
  #passed = 0;
  /** Values still to begin: each takes a byte at least. */
  #left = 1;
  /** What is left when the present part of the outermost container has ended; -1 before that has begun. */
  #partEnds = -1;
  /** What is left when each open container has ended, innermost last; those are dropped when the next one begins. */
  readonly #open: number[] = [];
  /** Bytes to pass without a look. */
  #jump = 0;
  /** A count that is being read: its bytes to come, its value so far, and the kind that it is of. */
  #countBytes = 0;
  #count = 0;
  #kind = 0;

  constructor(limits: WalkLimits, marks?: number[]) {
    this.#limits = limits;
    this.#marks = marks;
  }

  /** Walks on over a chunk. @returns where in it the value ends, or -1 if it goes on in the next */
  walk(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    /** What a place in the chunk lacks to be one in the value. */
    const before = this.#passed - from;
    let at = from;
    while (at < length) {
      let ends: boolean;
      if (this.#jump > 0) {
        const step = Math.min(this.#jump, length - at);
        at += step;
        this.#jump -= step;
        if (this.#jump > 0) break;
        ends = this.#close(before + at);
      } else {
        const byte = chunk[at++]!;
        if (this.#countBytes > 0) {
          this.#count = this.#count * 256 + byte;
          this.#countBytes--;
        } else this.#begin(byte);
        ends = this.#countBytes === 0 && this.#counted(before + at);
      }
      if (!ends) continue;
      this.#passed = 0;
      this.#left = 1;
      this.#partEnds = -1;
      this.#open.length = 0;
      return at;
    }
    this.#passed = before + at;
    return -1;
  }

  #begin(type: number): void {
    const row = TYPES[type]!;
    this.#kind = row & KIND;
    this.#count = row & COUNT;
    if (row < SHORT) return;
    if (this.#kind === UNUSED) throw this.#limits.unused();
    this.#countBytes = widthOf(type);
  }

  /** Handles a value of which the count is read; true if the outermost ends with it. */
  #counted(at: number): boolean {
    const kind = this.#kind;
    const isContainer = kind === MAP || kind === ARRAY;
    const after = this.#left - 1;
    this.#left = isContainer ? after + (kind === MAP ? this.#count * 2 : this.#count) : after;
    // The kind of an extension is one byte before its content.
    if (!isContainer) this.#jump = kind === EXT ? this.#count + 1 : this.#count;
    if (this.#partEnds < 0) this.#partEnds = this.#left - 1;
    const least = at + this.#jump + this.#left;
    if (least > this.#limits.maxBytes) throw this.#limits.tooLong(least);
    if (isContainer && this.#limits.depth !== undefined) this.#nest(after, this.#limits.depth);
    return this.#jump === 0 && this.#close(at);
  }

  /** @param after what is left when the container that begins has ended */
  #nest(after: number, { max, tooDeep }: NonNullable<WalkLimits["depth"]>): void {
    const open = this.#open;
    while (open.length > 0 && open[open.length - 1]! > after) open.pop();
    if (open.length >= max) throw tooDeep();
    open.push(after);
  }

  /** Called behind each value, and behind the beginning of a container; true if the outermost ends there. */
  #close(at: number): boolean {
    if (this.#left === this.#partEnds) {
      this.#marks?.push(at);
      this.#partEnds--;
    }
    return this.#left === 0;
  }
}
