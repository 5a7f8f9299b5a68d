/** The rows of a long list that are in the document. */
export interface ListWindow {
  /** Index of the first row that is drawn. */
  first: number;
  /** The index after the last drawn row. */
  end: number;
  /** The pixels before the first and after the last drawn row. */
  before: number;
  after: number;
}

/** The rows to draw of a list whose rows have one height, with `spare` rows above and below. */
export function windowOf(
  { scrollTop, height, row, count, spare = 8 }: {
    scrollTop: number;
    height: number;
    row: number;
    count: number;
    spare?: number;
  },
): ListWindow {
  const top = Math.max(0, Math.min(scrollTop, count * row - height));
  const first = Math.max(0, Math.floor(top / row) - spare);
  const end = Math.min(count, Math.ceil((top + height) / row) + spare);
  return { first, end, before: first * row, after: (count - end) * row };
}

/** The scroll position that shows a row; unchanged if it is visible already. */
export function scrollTo(
  index: number,
  { scrollTop, height, row }: { scrollTop: number; height: number; row: number },
) {
  const top = index * row;
  if (top < scrollTop) return top;
  return top + row > scrollTop + height ? top + row - height : scrollTop;
}

/**
 * Rows in segments of different lengths, such as minions with expanded returns. Finding the row at an index takes
 * logarithmic time.
 */
export class Segments {
  readonly #ends: Float64Array;

  constructor(lengths: ArrayLike<number>) {
    this.#ends = new Float64Array(lengths.length);
    let sum = 0;
    for (let at = 0; at < lengths.length; at++) this.#ends[at] = sum += lengths[at]!;
  }

  get count(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** The segment and row at an index. @throws {RangeError} outside of 0 … count - 1 */
  locate(index: number): { segment: number; row: number } {
    if (!(index >= 0 && index < this.count)) {
      throw new RangeError(`Cannot locate row ${index}: the list has ${this.count} rows`);
    }
    let low = 0;
    let high = this.#ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! > index) high = middle;
      else low = middle + 1;
    }
    return { segment: low, row: index - (low === 0 ? 0 : this.#ends[low - 1]!) };
  }
}
