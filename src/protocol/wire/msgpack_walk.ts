import { ARRAY, COUNT, EXT, KIND, MAP, SHORT, TYPES, UNUSED, widthOf } from "./msgpack_types.ts";

/** The bounds of a {@link ValueWalk}, and the errors that it throws. */
interface WalkLimits {
  /** The most bytes of one value. */
  maxBytes: number;
  /** The error for a value that is too long. @param bytes how long the value is at least */
  tooLong(bytes: number): Error;
  unused(): Error;
  /** The most containers within each other. @default no bound: depth takes neither stack nor memory */
  depth?: { max: number; tooDeep(): Error };
}

/** Finds the ends of values that arrive in chunks cut anywhere. Each byte is read once; the content of str and bin is skipped. */
export class ValueWalk {
  readonly #limits: WalkLimits;
  /** The offsets at which keys and values of the outermost container end, from its beginning; undefined if the caller needs none. */
  readonly #marks: number[] | undefined;
  /** The number of bytes of the value that were passed. */
  #passed = 0;
  /** The number of values that have not begun: each takes a byte at least. */
  #left = 1;
  /** The value of {@link #left} at the end of the current key or value of the outermost container; -1 before it has begun. */
  #partEnds = -1;
  /** For each open container, the value of {@link #left} at its end, innermost last. Ended ones are dropped when the next one begins. */
  readonly #open: number[] = [];
  /** The number of bytes to skip. */
  #jump = 0;
  /** A count that is being read: the number of bytes to come, the count so far, and the kind of the value. */
  #countBytes = 0;
  #count = 0;
  #kind = 0;

  constructor(limits: WalkLimits, marks?: number[]) {
    this.#limits = limits;
    this.#marks = marks;
  }

  /** Walks over a chunk. @returns the offset in the chunk at which the value ends, or -1 if it continues in the next one */
  walk(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    /** The difference between an offset in the value and one in the chunk. */
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

  /** Handles a value whose count was read; true if the outermost value ends with it. */
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

  /** Notes a container that begins. @param after the value of {@link #left} at its end */
  #nest(after: number, { max, tooDeep }: NonNullable<WalkLimits["depth"]>): void {
    const open = this.#open;
    while (open.length > 0 && open[open.length - 1]! > after) open.pop();
    if (open.length >= max) throw tooDeep();
    open.push(after);
  }

  /** Called after each value, and after the beginning of a container; true if the outermost value ends there. */
  #close(at: number): boolean {
    if (this.#left === this.#partEnds) {
      this.#marks?.push(at);
      this.#partEnds--;
    }
    return this.#left === 0;
  }
}
