/** A source of choices that gives the same ones for the same seed, on every runtime. */
export interface Choices {
  /** A whole number below a bound. */
  below(bound: number): number;
  /** True in a share of cases. */
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Some of them, with repetitions. */
  some<T>(from: readonly T[], least: number, most: number): T[];
}

export function choices(seed: number): Choices {
  let state = seed >>> 0;
  const next = () => {
    // Mulberry32.
    state = state + 0x6d2b79f5 >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    chance: (share) => next() < share,
    pick: (from) => from[below(from.length)]!,
    some(from, least, most) {
      return Array.from({ length: least + below(most - least + 1) }, () => from[below(from.length)]!);
    },
  };
}
