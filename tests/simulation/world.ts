/** Time, chance and order of a simulated world: the same seed gives the same run, step by step. */
import { setImmediate } from "node:timers";
import type { Clock } from "../../src/base/async/clock.ts";
import { type Random, seeded } from "../faults/history.ts";

/** 2024-05-06 07:08:09.123 UTC. */
const START = Date.UTC(2024, 4, 6, 7, 8, 9, 123);

/** One process, from its start to its end. What it had planned when it was killed never happens. */
export interface Life {
  readonly host: string;
  alive: boolean;
}

/** Something that is going to happen. */
interface Plan {
  at: number;
  /** Plans for the same moment happen in the order in which they were made. */
  order: number;
  life: Life | undefined;
  call: (() => void) | undefined;
}

const before = (a: Plan, b: Plan) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** What lies ahead, the next first. */
class Agenda {
  readonly #heap: Plan[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(plan: Plan): void {
    const heap = this.#heap;
    let at = heap.push(plan) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(plan, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = plan;
  }

  next(): Plan | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && before(heap[below + 1]!, heap[below]!)) below++;
      if (!before(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

/** The longest that a turn of a process takes, in milliseconds of the world. */
const LONGEST_TURN_MS = 0.4;

/**
 * The world: everything that happens in it is planned here, and happens one at a time, at a time that is known only to it. Between two
 * happenings all promises settle, so that nothing depends on how fast the machine is.
 *
 * @example
 * ```ts
 * const world = new World(17);
 * world.after(1000, undefined, () => console.log(world.now));
 * await world.run(() => false, 60_000);
 * ```
 */
export class World {
  readonly seed: number;
  /** Milliseconds since the epoch. */
  now = START;
  /** What has happened so far. */
  steps = 0;
  /** A number for all that has happened and when: equal for two runs only if they were the same. */
  trace = 0;
  readonly #agenda = new Agenda();
  readonly #random: Random;
  /** When each host is through with the turns that it has been given. */
  readonly #busyUntil = new Map<string, number>();
  #order = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.#random = seeded(seed);
  }

  /** In [0, 1). */
  random = (): number => this.#random();

  /** A whole number below `count`. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  /** True once in so many times, on average. @param probability 0 to 1 */
  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** Plans a call, in milliseconds from now. It does not happen if its process has ended by then. */
  after(ms: number, life: Life | undefined, call: () => void): () => void {
    const plan: Plan = { at: this.now + Math.max(0, ms), order: this.#order++, life, call };
    this.#agenda.add(plan);
    return () => plan.call = undefined;
  }

  /** The next turn of a process: turns of one host follow each other, those of several come in any order. */
  later(life: Life, call: () => void): void {
    const from = Math.max(this.now, this.#busyUntil.get(life.host) ?? 0);
    const at = from + this.#random() * LONGEST_TURN_MS;
    this.#busyUntil.set(life.host, at);
    this.after(at - this.now, life, call);
  }

  /** The time of a process. @param shift by how many milliseconds its host's clock is ahead of the world's */
  clock(life: Life, shift: () => number): Clock {
    const elapsed = () => this.now - START;
    return {
      now: () => this.now + shift(),
      elapsed,
      after: (ms, callback) => this.after(ms, life, callback),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const cancel = this.after(ms, life, () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          });
          const stop = () => {
            cancel();
            reject(signal!.reason);
          };
          signal?.addEventListener("abort", stop, { once: true });
        }),
    };
  }

  /** Lets the world go on until something holds, or for so long. Resolves to whether it holds. */
  async run(holds: () => boolean, forMs: number): Promise<boolean> {
    const end = this.now + forMs;
    await settled();
    while (!holds()) {
      const plan = this.#agenda.next();
      if (plan === undefined) return false;
      if (plan.at > end) {
        this.#agenda.add(plan);
        this.now = end;
        return false;
      }
      if (plan.call === undefined || plan.life?.alive === false) continue;
      this.now = plan.at;
      this.steps++;
      this.trace = (Math.imul(this.trace ^ (plan.at * 1000), 0x01000193) + plan.order) >>> 0;
      plan.call();
      await settled();
    }
    return true;
  }
}

/** Calls that are asked of the loop at once: all promises settle between two of them, and it looks at its sockets only after all. */
const CALLS = 64;
const waiting: (() => void)[] = [];
let ahead = 0;

function called(): void {
  ahead--;
  waiting.shift()?.();
}

/** Resolves when every promise that can settle has settled. */
function settled(): Promise<void> {
  if (ahead === 0) { for (; ahead < CALLS; ahead++) setImmediate(called); }
  return new Promise((resolve) => void waiting.push(resolve));
}
