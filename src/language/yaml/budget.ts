/**
 * How many values a document may have. Aliases and merged maps make one node appear many times: a few hundred characters can
 * expand to more values than fit into memory, either when they are merged, or later when they are written out as JSON.
 */
export class YamlBudget {
  /** Maximum number of values: each node counts as often as it appears, and once more for each 64 characters of text. */
  readonly most: number;
  #left: number;

  constructor(most: number) {
    this.most = most;
    this.#left = most;
  }

  /** Counts values; returns false once they are more than {@link YamlBudget.most}. */
  spend(values: number): boolean {
    return (this.#left -= values) >= 0;
  }
}

/** Limit for a document that an operator has written: a pillar of 10 MB has a million values. */
export const DOCUMENT_VALUES = 2 ** 22;
/** Limit for one line, such as a word of a command or a field of a form. */
export const LINE_VALUES = 100_000;
