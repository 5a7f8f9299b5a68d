/** The program that has a metric. */
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
  /** The meaning of the metric, in one sentence. */
  readonly help: string;
  /** The programs that have this metric. */
  readonly hosts: readonly MetricHost[];
  /** The names of the metric's labels, with the values that each may have. @default none */
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram's buckets, rising, without the infinite one. */
  readonly buckets?: readonly number[];
}
