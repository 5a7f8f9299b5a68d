/** The Grafana dashboard against the table of metrics: each of its expressions names metrics and labels that there are. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Metric, METRICS } from "../../../src/base/telemetry/mod.ts";

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync(new URL("../../../docs/grafana/brine.json", import.meta.url), "utf8"));
const panels: Panel[] = dashboard.panels;
const shown = panels.filter(({ type }) => type !== "row");
const byName = new Map<string, Metric>(Object.values(METRICS).map((metric) => [metric.name, metric]));

/** The metric of a series: histograms have three kinds of series. */
function metricOf(series: string): Metric | undefined {
  const histogram = /^(.*)_(?:bucket|sum|count)$/.exec(series)?.[1];
  const found = byName.get(series);
  if (found !== undefined) return found.kind === "histogram" ? undefined : found;
  const metric = histogram === undefined ? undefined : byName.get(histogram);
  return metric?.kind === "histogram" ? metric : undefined;
}

const seriesOf = (expr: string) => [...expr.matchAll(/\b(?:brine|process)_\w+/g)].map(([name]) => name);

test("every expression names metrics that there are, with labels that they have", () => {
  for (const { title, targets } of shown) {
    assert.ok(targets!.length > 0, title);
    for (const { expr, legendFormat } of targets!) {
      const metrics = seriesOf(expr).map((series) => {
        const metric = metricOf(series);
        assert.ok(metric !== undefined, `${title}: there is no series ${series}`);
        return metric;
      });
      assert.ok(metrics.length > 0, `${title}: ${expr}`);
      const labels = new Set(["instance", "le", ...metrics.flatMap((metric) => Object.keys(metric.labels ?? {}))]);
      const named = [
        ...[...expr.matchAll(/(\w+)\s*=~?\s*"/g)].map(([, label]) => label!),
        ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(",").map((one) => one.trim())),
        ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
      ];
      for (const label of named) assert.ok(labels.has(label), `${title}: there is no label ${label} in ${expr}`);
    }
  }
});

test("counters are shown by their rate or increase, and buckets by a quantile", () => {
  for (const { title, targets } of shown) {
    for (const { expr } of targets!) {
      for (const series of seriesOf(expr)) {
        const counted = metricOf(series)?.kind !== "gauge";
        assert.equal(counted, new RegExp(`(rate|increase)\\(${series}\\{`).test(expr), `${title}: ${expr}`);
        if (series.endsWith("_bucket")) assert.match(expr, /^histogram_quantile\(0\.\d+, sum by \(le/);
      }
    }
  }
});

test("every metric is on the dashboard", () => {
  const seen = new Set(shown.flatMap(({ targets }) => targets!.flatMap(({ expr }) => seriesOf(expr).map(metricOf))));
  const missing = [...byName.values()].filter((metric) => !seen.has(metric)).map(({ name }) => name);
  assert.deepEqual(missing, []);
});

test("no two panels overlap, and none is outside", () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos: { x, y, w, h } } of panels) {
    assert.ok(x >= 0 && x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        const place = `${column} ${line}`;
        assert.equal(taken.get(place), undefined, `${title} and ${taken.get(place)}`);
        taken.set(place, title);
      }
    }
  }
});
