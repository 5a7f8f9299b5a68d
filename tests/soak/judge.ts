/** Whether what a process holds stays as it is: a robust fit over samples of a run, in which processes come and go. */

/** One figure of one moment. */
export interface Sample {
  /** Since the start of the run, in milliseconds. */
  atMs: number;
  /** Which process it was: samples of different processes are not compared with each other. */
  life: number;
  value: number;
}

/** How much a figure may grow, and how it is looked at. */
export interface Bound {
  /** Growth in the unit of the figure that is always allowed. */
  absolute: number;
  /** Growth that is allowed as a share of the median. @default 0 */
  share?: number;
  /**
   * Samples of which the least stands for all: memory goes up and down with each collection, and what stays is at the bottom.
   *
   * @default 1
   */
  lowestOf?: number;
}

/** What was found of one figure. */
export interface Verdict {
  name: string;
  samples: number;
  median: number;
  /** By the fit, in the unit of the figure for an hour. */
  perHour: number;
  /** By the fit, over the time that was judged: that of the process which lived longest. */
  growth: number;
  allowed: number;
  judgedMs: number;
  flat: boolean;
}

/** Samples that remain when the first of each process are left out, while it grows into its work. */
export function warm(samples: readonly Sample[], warmMs: number): Sample[] {
  const begins = new Map<number, number>();
  for (const { life, atMs } of samples) begins.set(life, Math.min(begins.get(life) ?? Infinity, atMs));
  return samples.filter(({ life, atMs }) => atMs - begins.get(life)! >= warmMs);
}

/** The least of each `size` samples of a process, at the time at which it was taken. */
export function lowest(samples: readonly Sample[], size: number): Sample[] {
  const found: Sample[] = [];
  for (const life of new Set(samples.map((one) => one.life))) {
    const own = samples.filter((one) => one.life === life);
    for (let at = 0; at < own.length; at += size) {
      const part = own.slice(at, at + size);
      // The last may be of a few samples alone, and so higher than the others.
      if (part.length < size && at > 0) continue;
      found.push(part.reduce((least, one) => one.value < least.value ? one : least));
    }
  }
  return found;
}

/**
 * The slope by Theil and Sen, for a millisecond: the median of the slopes of all pairs, each counted by the time between its two.
 * Up to nearly a third of the samples may be anything. Pairs of different processes are left out.
 */
export function slope(samples: readonly Sample[]): number {
  const pairs: { slope: number; weight: number }[] = [];
  for (const [at, one] of samples.entries()) {
    for (const other of samples.slice(at + 1)) {
      const weight = other.atMs - one.atMs;
      if (other.life === one.life && weight > 0) pairs.push({ slope: (other.value - one.value) / weight, weight });
    }
  }
  if (pairs.length === 0) return 0;
  pairs.sort((a, b) => a.slope - b.slope);
  const half = pairs.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  for (const pair of pairs) {
    sum += pair.weight;
    if (sum >= half) return pair.slope;
  }
  return pairs.at(-1)!.slope;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Judges one figure. @param samples without those of the warm-up, see {@link warm} */
export function judge(name: string, samples: readonly Sample[], bound: Bound): Verdict {
  const { absolute, share = 0, lowestOf = 1 } = bound;
  const kept = lowestOf > 1 ? lowest(samples, lowestOf) : samples;
  const spans = [...new Set(kept.map(({ life }) => life))].map((life) => {
    const times = kept.filter((one) => one.life === life).map(({ atMs }) => atMs);
    return Math.max(...times) - Math.min(...times);
  });
  const judgedMs = Math.max(0, ...spans);
  const perMs = slope(kept);
  const median = medianOf(kept.map(({ value }) => value));
  const growth = perMs * judgedMs;
  const allowed = absolute + share * median;
  return {
    name,
    samples: samples.length,
    median,
    perHour: perMs * 3_600_000,
    growth,
    allowed,
    judgedMs,
    flat: growth <= allowed,
  };
}
