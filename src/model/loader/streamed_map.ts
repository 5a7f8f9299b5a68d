/**
 * A map that is too large for the memory: its entries are read one by one, in the order of printing. Code that needs the whole
 * map, such as an outputter that draws a table, calls {@link StreamedMap.collect}.
 */
export class StreamedMap<V = unknown> implements AsyncIterable<readonly [string, V]> {
  readonly #entries: AsyncIterable<readonly [string, V]>;

  /** @param entries sorted by key, without duplicates; they are read only once */
  constructor(entries: AsyncIterable<readonly [string, V]>) {
    this.#entries = entries;
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly [string, V]> {
    return this.#entries[Symbol.asyncIterator]();
  }

  async collect(): Promise<Record<string, V>> {
    const all: Record<string, V> = {};
    for await (const [key, value] of this.#entries) all[key] = value;
    return all;
  }
}
