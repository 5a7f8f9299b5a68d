/** Which of a minion's masters work as one: a return that one of them does not take, another may have. */
export class MasterClusters {
  /** Address → the cluster that the master has named; the one that has spoken last is the last. */
  readonly #names = new Map<string, string>();
  readonly #unfinished: (address: string) => readonly string[];

  /** @param unfinished jids of the jobs of one master that are not over */
  constructor(unfinished: (address: string) => readonly string[]) {
    this.#unfinished = unfinished;
  }

  /** A master says of which cluster it is; undefined: of none. */
  tells(address: string, name: string | undefined): void {
    this.#names.delete(address);
    if (name !== undefined) this.#names.set(address, name);
  }

  /** The master of the same cluster that has spoken last; undefined if there is no other. */
  other(address: string): string | undefined {
    const name = this.#names.get(address);
    if (name === undefined) return undefined;
    return [...this.#names].filter(([other, one]) => one === name && other !== address).at(-1)?.[0];
  }

  /** Jobs of the other masters that are of a cluster: any of its masters may have them by now. */
  jobsElsewhere(address: string): string[] {
    return [...this.#names.keys()].filter((other) => other !== address).flatMap((other) => this.#unfinished(other));
  }
}
