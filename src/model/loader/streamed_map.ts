/**
 * A map that is too long for the memory: its entries are read one by one, in the order in which they are printed. Code that
 * needs the whole map, as an outputter that draws a table, calls {@link StreamedMap.collect}.
 */
export class StreamedMap<V = unknown> implements AsyncIterable<readonly [string, V]> {
  readonly #entries: AsyncIterable<readonly [string, V]>;

  /** @param entries by ascending keys, none of them twice; read once */
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
