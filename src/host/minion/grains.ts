/** The grains of a minion as they were last gathered. */
export class MinionGrains {
  readonly #gather: (fresh: boolean) => Promise<Record<string, unknown>>;
  #current: Record<string, unknown> = {};

  /** @param gather gathers the grains; with `fresh` without the cached ones */
  constructor(gather: (fresh: boolean) => Promise<Record<string, unknown>>) {
    this.#gather = gather;
  }

  get current(): Record<string, unknown> {
    return this.#current;
  }

  /** Gathers the grains again. @param fresh true to ignore cached grains */
  async gather(fresh: boolean): Promise<void> {
    this.#current = await this.#gather(fresh);
  }

  /** Returns some grains by name, with null for those that do not exist. */
  pick(names: readonly unknown[]): Record<string, unknown> {
    return Object.fromEntries(names.map((name) => [String(name), this.#current[String(name)] ?? null]));
  }
}
