/** The tables and the plot that are made of raw figures. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plot } from "../../bench/plot.ts";
import { type RawRow, readRaw } from "../../bench/raw.ts";
import { quickTable } from "../../bench/quick_table.ts";
import { allFigures, reportLines, reportTable, scalePanels, withFigures } from "../../bench/report.ts";

const COMMON = { bench: "fleet", at: "2026-01-31T12:00:00.000Z", machine: "2 x a processor", load: 3 };
const VERSIONS = { node: "24.1.0", salt: "3006.9" };

function rows(...of: (Pick<RawRow, "name" | "value" | "unit"> & Partial<RawRow>)[]): RawRow[] {
  return of.map((row) => ({ ...COMMON, versions: VERSIONS, ...row }));
}

test("figures of several runs are one line with their medians", () => {
  const one = { name: "a ping", note: "node", unit: "ms" };
  const lines = reportLines(rows(
    { ...one, value: 9, ratio: 2 },
    { ...one, value: 1, ratio: 4 },
    { ...one, note: "bun", value: 7 },
    { ...one, value: 2, ratio: 3 },
  ));
  assert.deepEqual(lines.map(({ note, value, ratio, runs }) => [note, value, ratio, runs]), [
    ["node", 2, 3, 3],
    ["bun", 7, undefined, 1],
  ]);
});

for (
  const [name, note, figure, met, target] of [
    ["fleet: '*' test.ping", "bun, bundle, 10000 minions", { value: 3.9 }, true, "at most 4 s"],
    ["fleet: '*' test.ping", "bun, bundle, 10000 minions", { value: 4.1 }, false, "at most 4 s"],
    ["fleet: '*' test.ping", "node, bundle, 10000 minions", { value: 5 }, true, "at most 6 s"],
    ["fleet: '*' test.ping", "node, bundle, 1000 minions", { value: 50 }, undefined, ""],
    ["scale: a return", "node, bundle, 3000 minions", { value: 3, ratio: 0.5 }, false, "at least 0.9 x"],
    ["scale: a return", "real Salt 3006, 1000 minions", { value: 3, ratio: 0.5 }, undefined, ""],
  ] as const
) {
  test(`${name} of ${note} with ${JSON.stringify(figure)}: target met: ${met}`, () => {
    const [line] = reportLines(rows({ name, note, unit: "s", ...figure }));
    assert.deepEqual([line!.met, line!.target], [met, target]);
  });
}

test("the table names machine, load and versions", () => {
  const table = reportTable(rows({ name: "a ping", note: "node", unit: "ms", value: 1234, ratio: 2 }));
  assert.match(table, /^Machine: 2 x a processor; load average 3 to 3\. Versions: node 24\.1\.0, salt 3006\.9\.$/m);
  assert.match(table, /^\| a ping \| node \| 1,234 ms \| 2 \| 1 \| {2}\| {2}\|$/m);
});

test("a table takes the place of the last one in a document, and a document without the place is refused", () => {
  const document = "before\n<!-- figures: npm run bench:report -->\nold\n<!-- /figures -->\nafter\n";
  const changed = withFigures(document, "bench:report", "new");
  assert.equal(changed, "before\n<!-- figures: npm run bench:report -->\n\nnew\n\n<!-- /figures -->\nafter\n");
  assert.equal(withFigures(changed, "bench:report", "new"), changed);
  assert.throws(() => withFigures("nothing", "bench:report", "new"), { name: "SyntaxError" });
});

test("a plot has a panel for each cost and a line for each side, in the order of sizes", () => {
  const one = { name: "scale: a return", unit: "µs" };
  const panels = scalePanels(rows(
    { ...one, note: "node, bundle, 1000 minions", value: 90 },
    { ...one, note: "node, bundle, 100 minions", value: 100 },
    { ...one, note: "real Salt 3006, 100 minions", value: 5000 },
    { name: "fleet: '*' test.ping", note: "node, bundle, 100 minions", value: 1, unit: "s" },
  ));
  assert.deepEqual(panels, [{
    title: "a return, µs",
    series: [
      { name: "node, bundle", points: [[100, 100], [1000, 90]] },
      { name: "real Salt 3006", points: [[100, 5000]] },
    ],
  }]);
  const svg = plot(panels);
  assert.match(svg, /^<svg /);
  assert.equal(svg.match(/<circle cx="[\d.]+" cy="[\d.]+" r="3"/g)?.length, 3);
  assert.ok(!svg.includes("NaN"));
});

const ROOT = new URL("../../", import.meta.url);

for (const document of ["README.md", "docs/internals/performance.md"]) {
  test(`every figure of ${document} in a table is one that was recorded`, () => {
    const text = readFileSync(new URL(document, ROOT), "utf8");
    assert.match(text, /<!-- figures: npm run bench:quick -->/);
    assert.equal(text, allFigures(text, readRaw(fileURLToPath(new URL("docs/internals/figures.jsonl", ROOT)))));
  });
}

test("a table without one of its rows is refused, and names it", () => {
  assert.throws(() => quickTable([{ name: "memory of an idle master", note: "one file", unit: "MB", value: 1 }]), {
    name: "RangeError",
    message: 'The figures have no row "salt m1 test.ping, whole process" of "one file": npm run bench:quick',
  });
});
