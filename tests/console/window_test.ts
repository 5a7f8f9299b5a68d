import assert from "node:assert/strict";
import { test } from "node:test";
import { scrollTo, Segments, windowOf } from "../../src/console/window.ts";

for (
  const { name, at, want } of [
    { name: "the top of a long list", at: { scrollTop: 0, height: 300, row: 30, count: 5000 }, want: [0, 18] },
    { name: "its middle", at: { scrollTop: 30_000, height: 300, row: 30, count: 5000 }, want: [992, 1018] },
    { name: "its end", at: { scrollTop: 149_700, height: 300, row: 30, count: 5000 }, want: [4982, 5000] },
    { name: "a list that became shorter", at: { scrollTop: 90_000, height: 300, row: 30, count: 20 }, want: [2, 20] },
    { name: "a list without rows", at: { scrollTop: 0, height: 300, row: 30, count: 0 }, want: [0, 0] },
    { name: "a list shorter than its box", at: { scrollTop: 0, height: 300, row: 30, count: 3 }, want: [0, 3] },
  ]
) {
  test(`windowOf() draws rows of ${name}`, () => {
    const found = windowOf(at);
    assert.deepEqual([found.first, found.end], want);
    assert.equal(found.before + (found.end - found.first) * at.row + found.after, at.count * at.row);
  });
}

test("scrollTo() scrolls no further than needed to show a row", () => {
  const box = { scrollTop: 300, height: 300, row: 30 };
  assert.equal(scrollTo(12, box), 300);
  assert.equal(scrollTo(5, box), 150);
  assert.equal(scrollTo(20, box), 330);
});

test("Segments locates the segment and its row for each index", () => {
  const segments = new Segments([1, 3, 1, 0, 2]);
  assert.equal(segments.count, 7);
  const found = Array.from({ length: 7 }, (_value, index) => {
    const { segment, row } = segments.locate(index);
    return `${segment}.${row}`;
  });
  assert.deepEqual(found, ["0.0", "1.0", "1.1", "1.2", "2.0", "4.0", "4.1"]);
  assert.throws(() => segments.locate(7), RangeError);
  assert.throws(() => new Segments([]).locate(0), RangeError);
});
