/**
 * `--progress`: shows the progress of a job on stderr. On a terminal this is a bar in the last line; elsewhere a line for each
 * tenth, which a log can hold, too.
 */
import { hasReturn, highestRetcode, type Outcome } from "../../../src/client/outcome.ts";
import type { Clock } from "../../../src/base/async/clock.ts";
import type { ProgramContext } from "../../program/context.ts";

const STEPS = 10;
/** Characters of the bar. */
const WIDTH = 20;
/** Milliseconds between two drawings, at least, because thousands of returns arrive faster than anybody reads. */
const REDRAW_MS = 100;
/** Milliseconds after which the bar is drawn again without a return, to show the time. */
const TICK_MS = 1000;

export class Progress {
  readonly #say: (line: string) => void;
  readonly #status: ((line: string) => void) | undefined;
  readonly #clock: Clock;
  readonly #begin: number;
  #total = 0;
  #done = 0;
  #failed = 0;
  /** Number of tenths that were printed. */
  #shown = 0;
  #drawnAt = -Infinity;
  #tick = () => {};

  constructor({ complain, statusLine, runtime }: Pick<ProgramContext, "complain" | "statusLine" | "runtime">) {
    this.#say = complain;
    this.#status = statusLine;
    this.#clock = runtime.clock;
    this.#begin = this.#clock.now();
  }

  /** Sets the number of minions that should answer. */
  expect(total: number): void {
    this.#total += total;
    if (this.#status !== undefined) this.#draw();
  }

  /** Counts a minion that has returned or was given up. */
  step(outcome: Outcome): void {
    if (hasReturn(outcome) ? highestRetcode(outcome.retcode) > 0 : outcome.kind !== "queued") this.#failed++;
    else this.#done++;
    if (this.#status === undefined) return this.#sayTenth();
    if (this.#clock.now() - this.#drawnAt >= REDRAW_MS) this.#draw();
  }

  /** Removes the bar, and prints the result. */
  end(): void {
    this.#tick();
    if (this.#status === undefined) return;
    this.#status("");
    this.#say(this.#counts());
  }

  get #ended(): number {
    return this.#done + this.#failed;
  }

  #sayTenth(): void {
    const total = Math.max(this.#total, this.#ended);
    const step = Math.floor(this.#ended / total * STEPS);
    if (step <= this.#shown) return;
    this.#shown = step;
    this.#say(`Progress: ${this.#ended} of ${total} minions (${Math.floor(this.#ended / total * 100)} %)`);
  }

  #draw(): void {
    this.#drawnAt = this.#clock.now();
    this.#tick();
    this.#tick = this.#clock.after(TICK_MS, () => this.#draw());
    const total = Math.max(this.#total, this.#ended);
    const part = total === 0 ? 0 : this.#ended / total;
    const full = Math.floor(part * WIDTH);
    const bar = `[${"#".repeat(full)}${".".repeat(WIDTH - full)}]`;
    this.#status!(`${bar} ${String(Math.floor(part * 100)).padStart(3)}%  ${this.#counts()}${this.#left(part)}`);
  }

  #counts(): string {
    const waiting = Math.max(0, this.#total - this.#ended);
    return `${this.#done} done, ${this.#failed} failed, ${waiting} waiting`;
  }

  /** Remaining time, if the other minions are as fast as those before. */
  #left(part: number): string {
    if (part === 0 || part === 1) return "";
    const seconds = Math.round((this.#clock.now() - this.#begin) / 1000 * (1 - part) / part);
    return `, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
  }
}
