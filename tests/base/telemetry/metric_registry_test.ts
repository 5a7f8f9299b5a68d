import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Metric, MetricRegistry, METRICS, NO_METER, OTHER } from "../../../src/base/telemetry/mod.ts";

const COUNTER: Metric = {
  name: "brine_x_total",
  kind: "counter",
  help: "X.",
  hosts: ["master"],
  labels: { result: ["good", "bad"] },
};
const TABLE: Metric = { ...COUNTER, name: "brine_y_total", labels: { command: "table" } };
const SECONDS: Metric = { name: "brine_x_seconds", kind: "histogram", help: "X.", hosts: ["master"], buckets: [1, 5] };

function seriesOf(registry: MetricRegistry, name: string) {
  return registry.collect().find(({ metric }) => metric.name === name)!.series;
}

describe("MetricRegistry", () => {
  test("a counter has a series for each value of its label from the start", () => {
    const registry = new MetricRegistry();
    const counter = registry.counter(COUNTER);
    counter.add(2, "bad");
    registry.counter(COUNTER).add(1, "bad");
    assert.deepEqual(seriesOf(registry, "brine_x_total"), [
      { labels: { result: "good" }, value: 0 },
      { labels: { result: "bad" }, value: 3 },
    ]);
  });

  test("a value that is not in the list of its label makes no series of its own", () => {
    const registry = new MetricRegistry();
    for (let i = 0; i < 1000; i++) registry.counter(COUNTER).add(1, `stranger-${i}`);
    assert.deepEqual(seriesOf(registry, "brine_x_total").map(({ labels, value }) => [labels.result, value]), [
      ["good", 0],
      ["bad", 0],
      [OTHER, 1000],
    ]);
  });

  test("a label of a table has a bound all the same", () => {
    const registry = new MetricRegistry();
    const counter = registry.counter(TABLE);
    for (let i = 0; i < 10_000; i++) counter.add(1, `command-${i}`);
    const series = seriesOf(registry, "brine_y_total");
    assert.ok(series.length <= 257, `${series.length} series`);
    assert.equal(series.reduce((sum, { value }) => sum + value, 0), 10_000);
  });

  test("a histogram counts a value in the first bucket that holds it", () => {
    const registry = new MetricRegistry();
    const histogram = registry.histogram(SECONDS);
    for (const value of [0.5, 1, 3, 5, 9]) histogram.observe(value);
    assert.deepEqual(seriesOf(registry, "brine_x_seconds"), [{ labels: {}, value: 18.5, buckets: [2, 2, 1] }]);
  });

  test("readers of one metric add up, at each collection anew; one that throws is reported", () => {
    const errors: unknown[] = [];
    const registry = new MetricRegistry((error) => errors.push(error));
    const gauge: Metric = { name: "brine_z", kind: "gauge", help: "Z.", hosts: ["master"] };
    registry.read(gauge, () => 2);
    registry.read(gauge, () => [{ value: 3, values: [] }]);
    registry.read(gauge, () => {
      throw new Error("broken");
    });
    registry.collect();
    assert.deepEqual(seriesOf(registry, "brine_z"), [{ labels: {}, value: 5 }]);
    assert.deepEqual(errors.map(String), ["Error: broken", "Error: broken"]);
  });

  test("without metrics nothing is recorded", () => {
    NO_METER.counter(COUNTER).add(1, "good");
    NO_METER.histogram(SECONDS).observe(1);
    NO_METER.read(COUNTER, () => assert.fail("it is not read"));
    assert.deepEqual([NO_METER.enabled, NO_METER.now()], [false, 0]);
  });
});

describe("METRICS", () => {
  const all: Metric[] = Object.values(METRICS);

  test("names follow Prometheus' conventions, each once", () => {
    for (const { name, kind, help } of all) {
      assert.match(name, /^(brine|process)_[a-z_]+$/);
      assert.equal(kind === "counter", name.endsWith("_total"), name);
      if (kind === "histogram") assert.match(name, /_seconds$/);
      assert.match(help, /^[A-Z].*\.$/, name);
    }
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  });

  test("buckets rise", () => {
    for (const { name, kind, buckets } of all) {
      assert.equal(kind === "histogram", buckets !== undefined, name);
      assert.deepEqual(buckets, buckets === undefined ? undefined : [...buckets].sort((a, b) => a - b), name);
    }
  });
});
