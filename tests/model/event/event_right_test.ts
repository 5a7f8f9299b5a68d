import assert from "node:assert/strict";
import { test } from "node:test";
import { coversAllEvents } from "../../../src/model/event/tag.ts";

const ROWS: [permissions: unknown[], all: boolean][] = [
  [[], false],
  [["@events"], true],
  [["test.ping", ".*"], true],
  [[".*", "@runner", "@wheel", "@jobs"], true],
  [[{ "*": [".*"] }], true],
  [[{ "*": ".*" }], true],
  [[new Map([["*", [".*"]]])], true],
  [["test.*", "@runner", "@wheel", "@jobs"], false],
  [[{ "web*": [".*"] }], false],
  [[{ "*": ["test.*"] }], false],
  [[{ "@events": ["x"] }, { "*": [{ ".*": { args: ["a"] } }] }], false],
  [[null, 1, ["@events"], {}], false],
];

for (const [permissions, all] of ROWS) {
  test(`${JSON.stringify(permissions)} ${all ? "covers" : "does not cover"} every event`, () => {
    assert.equal(coversAllEvents(permissions), all);
  });
}
