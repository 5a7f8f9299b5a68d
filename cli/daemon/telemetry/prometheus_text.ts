import type { MetricFamily, MetricRegistry } from "../../../src/base/telemetry/mod.ts";
import { loadPackages } from "./packages.ts";

interface Value {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/** The part of `prom-client` in use: a registry accepts any object with `get`. */
interface PromClient {
  Registry: new () => {
    registerMetric(metric: { name: string; get(): unknown }): void;
    metrics(): Promise<string>;
    contentType: string;
  };
}

/** Writes all metrics of a registry as text. */
interface PrometheusText {
  readonly contentType: string;
  write(): Promise<string>;
}

/** @throws {ConfigError} if `prom-client` is not installed */
export async function prometheusText(registry: MetricRegistry): Promise<PrometheusText> {
  const [loaded] = await loadPackages<[PromClient & { default?: PromClient }]>(["prom-client"], "the option metrics");
  const { Registry } = loaded.default ?? loaded;
  return {
    contentType: new Registry().contentType,
    write() {
      const all = new Registry();
      for (const family of registry.collect()) {
        const { name, help, kind } = family.metric;
        all.registerMetric({ name, get: () => ({ name, help, type: kind, values: valuesOf(family) }) });
      }
      return all.metrics();
    },
  };
}

function valuesOf({ metric: { name, buckets: bounds = [] }, series }: MetricFamily): Value[] {
  return series.flatMap(({ labels, value, buckets }): Value[] => {
    if (buckets === undefined) return [{ metricName: name, labels, value }];
    let count = 0;
    const below = buckets.map((inside, at): Value => {
      count += inside;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: count };
    });
    return [
      ...below,
      { metricName: `${name}_sum`, labels, value },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
}
