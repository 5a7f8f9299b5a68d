export type MetricHost = "master" | "minion" | "api" | "syndic";

/**
 * The values that a label may have: a list, or `"table"` for names out of a fixed table of the program, such as its commands.
 * Never an id, a name or a text that a user, a minion or a stranger chose: each value is a series that is kept for ever.
 */
export type LabelValues = readonly string[] | "table";

/** One metric, under the name and with the labels that monitoring sees. */
export interface Metric {
  /** The name of the metric, by Prometheus' conventions: base units, `_total` for counters. */
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly hosts: readonly MetricHost[];
  /** The names of the metric's labels, with the values that each may have. @default none */
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram's buckets, rising, without the infinite one. */
  readonly buckets?: readonly number[];
}

/** Counts events of one metric. `values` are the values of the metric's labels, in the order of the labels. */
export interface Counter {
  add(by: number, ...values: string[]): void;
}

/** Counts measured values in the metric's buckets. */
export interface Histogram {
  observe(value: number, ...values: string[]): void;
}

/** A value for the labels `values`, in the order of the metric's labels. */
export interface Reading {
  readonly value: number;
  readonly values: readonly string[];
}

/**
 * Records metrics for the parts of the program. If metrics are off, a call costs one empty function: callers need not check first, except for
 * values that are expensive to compute.
 */
export interface Meter {
  /** False if nothing is recorded. */
  readonly enabled: boolean;
  /** Returns the counter of a metric; a second call with the same metric returns the same counter. */
  counter(metric: Metric): Counter;
  histogram(metric: Metric): Histogram;
  /** Reads a gauge, or a total that is kept elsewhere, whenever metrics are asked for. Values of equal labels add up. */
  read(metric: Metric, read: () => number | readonly Reading[]): void;
  /** A time in seconds to subtract from a later one; 0 where nothing is recorded. */
  now(): number;
}

/** Records nothing. */
export const NO_METER: Meter = {
  enabled: false,
  counter: () => NO_COUNTER,
  histogram: () => NO_HISTOGRAM,
  read: () => {},
  now: () => 0,
};

const NO_COUNTER: Counter = { add: () => {} };
const NO_HISTOGRAM: Histogram = { observe: () => {} };
