import type { Counter, Histogram, Meter, Metric, Reading } from "./meter.ts";

declare const performance: { now(): number };

/** The value that is recorded for a label if the caller's value is not in the metric's list. */
export const OTHER = "other";

/** The most series of one metric: further ones are counted as {@link OTHER}. */
const MAX_SERIES = 256;

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** The value of a counter or gauge; for a histogram, the sum of all measured values. */
  readonly value: number;
  /** For a histogram only: the number of values in each bucket, not cumulative, with the infinite bucket last. */
  readonly buckets?: readonly number[];
}

export interface MetricFamily {
  readonly metric: Metric;
  readonly series: readonly Series[];
}

/** One series while it is counted. */
class Kept {
  readonly values: readonly string[];
  readonly buckets: Float64Array | undefined;
  value = 0;

  constructor(values: readonly string[], buckets: number | undefined) {
    this.values = values;
    this.buckets = buckets === undefined ? undefined : new Float64Array(buckets + 1);
  }
}

/** The series of one metric. Only this class replaces label values that the metric does not list by {@link OTHER}. */
class Family implements Counter, Histogram {
  readonly metric: Metric;
  readonly #allowed: (ReadonlySet<string> | undefined)[];
  readonly #series = new Map<string, Kept>();
  readonly #readers: (() => number | readonly Reading[])[] = [];

  constructor(metric: Metric) {
    this.metric = metric;
    const lists = Object.values(metric.labels ?? {});
    this.#allowed = lists.map((values) => values === "table" ? undefined : new Set(values));
    // A series exists from the start with the value 0, so that monitoring sees the first event as a change.
    if (metric.kind !== "gauge" && lists.length <= 1) {
      for (const value of lists[0] === undefined ? [""] : lists[0] === "table" ? [] : lists[0]) {
        this.#of(lists.length === 0 ? [] : [value]);
      }
    }
  }

  #of(values: readonly string[]): Kept {
    // A metric with one label, the common case, uses the value of the label as the key.
    const key = values.length <= 1 ? values[0] ?? "" : values.join("\0");
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const full = this.#series.size >= MAX_SERIES;
    const safe = this.#allowed.map((allowed, at) => {
      const value = values[at];
      return value === undefined || full || allowed !== undefined && !allowed.has(value) ? OTHER : value;
    });
    const safeKey = safe.length <= 1 ? safe[0] ?? "" : safe.join("\0");
    let series = this.#series.get(safeKey);
    if (series === undefined) {
      series = new Kept(safe, this.metric.buckets?.length);
      this.#series.set(safeKey, series);
    }
    return series;
  }

  add(by: number, ...values: string[]): void {
    this.#of(values).value += by;
  }

  observe(value: number, ...values: string[]): void {
    const series = this.#of(values);
    const { buckets } = this.metric;
    series.value += value;
    let at = 0;
    while (at < buckets!.length && value > buckets![at]!) at++;
    series.buckets![at]!++;
  }

  reader(read: () => number | readonly Reading[]): void {
    this.#readers.push(read);
  }

  collect(onError: (error: unknown) => void): MetricFamily {
    if (this.#readers.length > 0) {
      for (const series of this.#series.values()) series.value = 0;
      for (const read of this.#readers) {
        try {
          const found = read();
          if (typeof found === "number") this.add(found);
          else for (const { value, values } of found) this.add(value, ...values);
        } catch (error) {
          onError(error);
        }
      }
    }
    const names = Object.keys(this.metric.labels ?? {});
    const series = [...this.#series.values()].map(({ values, value, buckets }): Series => ({
      labels: Object.fromEntries(names.map((name, at) => [name, values[at]!])),
      value,
      ...(buckets === undefined ? {} : { buckets: [...buckets] }),
    }));
    return { metric: this.metric, series };
  }
}

/** Counts in memory: plain numbers, which {@link MetricRegistry.collect} reads. */
export class MetricRegistry implements Meter {
  readonly enabled = true;
  readonly #families = new Map<string, Family>();
  readonly #onError: (error: unknown) => void;

  /** @param onError called with what a reader throws; the other metrics are collected all the same */
  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }

  #of(metric: Metric): Family {
    let family = this.#families.get(metric.name);
    if (family === undefined) this.#families.set(metric.name, family = new Family(metric));
    return family;
  }

  counter(metric: Metric): Counter {
    return this.#of(metric);
  }

  histogram(metric: Metric): Histogram {
    return this.#of(metric);
  }

  read(metric: Metric, read: () => number | readonly Reading[]): void {
    this.#of(metric).reader(read);
  }

  now(): number {
    return performance.now() / 1000;
  }

  collect(): MetricFamily[] {
    return [...this.#families.values()].map((family) => family.collect(this.#onError));
  }
}
