/** Bytes of one page of a feed or of audit lines. */
export const PAGE_BYTES = 16 * 2 ** 20;

/** The first of `all`: so many, and so many bytes, but at least one. */
export function page<T>(all: readonly T[], limit: number, bytes: number, sizeOf: (item: T) => number): T[] {
  let [end, sum] = [0, 0];
  while (end < all.length && end < limit) {
    sum += sizeOf(all[end]!);
    if (end > 0 && sum > bytes) break;
    end++;
  }
  return all.slice(0, end);
}
