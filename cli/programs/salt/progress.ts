/** `--progress`: how far a job is, on stderr, a line for each tenth, so that it can be read in a log as well. */

const STEPS = 10;

export class Progress {
  readonly #say: (line: string) => void;
  #total = 0;
  #ended = 0;
  #shown = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Sets how many minions are expected to answer. */
  expect(total: number): void {
    this.#total = total;
  }

  /** One more has returned, or is not waited for any longer. */
  step(): void {
    this.#ended++;
    const total = Math.max(this.#total, this.#ended);
    const step = Math.floor(this.#ended / total * STEPS);
    if (step <= this.#shown) return;
    this.#shown = step;
    this.#say(`Progress: ${this.#ended} of ${total} minions (${Math.floor(this.#ended / total * 100)} %)`);
  }
}
