/** docs/metrics.md against the table of metrics, and the table against what counts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENDED } from "../../../src/model/job/outcome.ts";
import { REFUSALS } from "../../../src/host/master/jobs/job_services.ts";
import { type Metric, METRICS } from "../../../src/base/telemetry/mod.ts";

const text = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");

function rowOf({ name, kind, hosts, labels = {}, help }: Metric): string {
  const shown = Object.keys(labels).map((label) => `\`${label}\``);
  return `| \`${name}\` | ${kind} | ${hosts.join(", ")} | ${shown.join(", ")} | ${help} |`;
}

/** The items of the list of values, each once for the metrics that share it. */
function valueItems(metrics: readonly Metric[]): string[] {
  const owners = new Map<string, string[]>();
  for (const { name, labels = {} } of metrics) {
    for (const [label, values] of Object.entries(labels)) {
      if (values === "table") continue;
      const item = `\`${label}\` is ${values.map((value) => `\`${value}\``).join(", ")}`;
      owners.set(item, [...owners.get(item) ?? [], `\`${name}\``]);
    }
  }
  return [...owners].map(([item, names]) => `- ${names.join(", ")}: ${item}`);
}

test("docs/metrics.md has a row for each metric, in the order of the table", () => {
  // Formatters may pad the columns.
  const rows = text.split("\n").filter((line) => /^\| `(brine|process)_/.test(line))
    .map((line) => line.replace(/ +/g, " "));
  assert.deepEqual(rows, Object.values(METRICS).map((metric) => rowOf(metric).replace(/ +/g, " ")));
});

test("docs/metrics.md lists the values of labels", () => {
  const items = text.split("\n").filter((line) => /^- `brine_/.test(line));
  assert.deepEqual(items, valueItems(Object.values(METRICS)));
});

test("labels have the values that are counted under them", () => {
  const valuesOf = ({ labels }: Metric) => [...Object.values(labels!)[0]!].sort();
  assert.deepEqual(valuesOf(METRICS.returnsRefused), [...REFUSALS].sort());
  assert.deepEqual(valuesOf(METRICS.outcomes), [...ENDED].sort());
});
