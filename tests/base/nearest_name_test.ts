import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName, refuseUnknownKeys, suggestion } from "../../src/base/nearest_name.ts";

for (
  const { text, names, want } of [
    { text: "globb", names: ["glob", "grain"], want: "glob" },
    { text: "tgtType", names: ["tgt", "tgt_type"], want: "tgt_type" },
    { text: "Tgt-Type", names: ["tgt_type"], want: "tgt_type" },
    { text: "agr", names: ["tgt", "arg"], want: "arg" },
    { text: "timeout", names: ["timeoutMs", "gatherMs"], want: "timeoutMs" },
    { text: "banana", names: ["glob", "list"], want: undefined },
    { text: "", names: ["glob"], want: undefined },
  ]
) {
  test(`nearestName(): "${text}" among ${names.join(", ")}`, () => assert.equal(nearestName(text, names), want));
}

test("suggestion() lists all names if none is near", () => {
  assert.equal(suggestion("banana", ["glob", "list"]), "expected one of glob, list");
});

test("nearestName() compares only the beginning of a long text", () => {
  const long = "x".repeat(10_000_000);
  assert.equal(nearestName(long, ["glob"]), undefined);
});

test("refuseUnknownKeys() accepts known keys and names the first unknown one", () => {
  refuseUnknownKeys("a job", { tgt: "*" }, ["tgt"]);
  assert.throws(() => refuseUnknownKeys("a job", { tgt: "*", tgd: 1 }, ["tgt"]), {
    name: "TypeError",
    message: 'Unknown key "tgd" of a job: did you mean "tgt"?',
  });
  assert.throws(() => refuseUnknownKeys("a job", { constructor: 1 }, ["tgt"]), /Unknown key "constructor"/);
  assert.throws(() => refuseUnknownKeys("a job", ["tgt"], ["tgt"]), /expected an object, got a list/);
});
