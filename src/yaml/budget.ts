/**
 * What a document may stand for. Aliases and merged maps make one node appear many times: a few hundred characters can stand
 * for more values than there is memory, the moment they are merged, or later when somebody writes them out as JSON.
 */
export class YamlBudget {
  /** Values that may be built: each node as often as it appears, and one more for each 64 characters of text. */
  readonly most: number;
  #left: number;

  constructor(most: number) {
    this.most = most;
    this.#left = most;
  }

  /** False once more than {@link YamlBudget.most} was asked for. */
  spend(values: number): boolean {
    return (this.#left -= values) >= 0;
  }
}

/** Values of a document that an operator has written: a pillar of 10 MB has a million. */
export const DOCUMENT_VALUES = 2 ** 22;
/** Values of one line, as a word of a command or a field of a form. */
export const LINE_VALUES = 100_000;
