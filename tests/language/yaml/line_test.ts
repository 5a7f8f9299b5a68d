import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Float } from "../../../src/language/python/values.ts";
import { parseLine } from "../../../src/language/yaml/line.ts";

// Every value and refusal below is PyYAML 6 over libyaml's, with Salt's loader on top.
const VALUES: [string, unknown][] = [
  ["", null],
  ["# nothing", null],
  ["a b", "a b"],
  ["a #b", "a"],
  ["a#b", "a#b"],
  ["12:30", 750],
  ["1:2.5", 62.5],
  ["007", 7],
  ["08", "08"],
  ["-010", -8],
  ["0x_1F", 31],
  ["0b1_01", 5],
  ["1.", new Float(1)],
  ["-0.0", new Float(-0)],
  ["1.0e+3", new Float(1000)],
  ["1e3", "1e3"],
  ["-.5", "-.5"],
  ["-.inf", -Infinity],
  [".NaN", NaN],
  ["12345678901234567890", 12345678901234567890n],
  ["2016-01-01", "2016-01-01"],
  ["y", "y"],
  ["Off", false],
  ["~", null],
  ["! 5", 5],
  ["!", ""],
  ["!!str 5", "5"],
  ['!!int "5"', 5],
  ["!!binary aGk=", new Uint8Array([104, 105])],
  ["&anchor", null],
  ["[&a 1, *a]", [1, 1]],
  ["|", ""],
  ["|-#'- ", ""],
  ["--- 5", 5],
  ['"\\u00e9\\n\\x41"', "é\nA"],
  ["'it''s'", "it's"],
  ["[]", []],
  ["[a, b,]", ["a", "b"]],
  ["[a: b]", [{ a: "b" }]],
  ["[? a]", [{ a: null }]],
  ["[-, -1, - x]", undefined],
  ['{"a":1, b}', { a: 1, b: null }],
  ["{a:1}", { "a:1": null }],
  ["{? : b}", new Map([[null, "b"]])],
  ["{1: 2}", new Map([[1, 2]])],
  ["{'1': 2}", new Map([["1", 2]])],
  ["{=: 1}", { "=": 1 }],
  ["{<<: {a: 1, b: 2}, b: 3}", { a: 1, b: 3 }],
  ["{<<: [{a: 1}, {a: 2, c: 3}]}", undefined],
  ["a: b", { a: "b" }],
  ["- a: b", [{ a: "b" }]],
  ["- - a", [["a"]]],
  ["? x", { x: null }],
  ["&a : b", new Map([[null, "b"]])],
];

const REFUSED = [
  '"unbalanced',
  "[a",
  "{a: 1",
  "[a]]",
  "[,]",
  "[a,,b]",
  "{: a}",
  ": a",
  "a: b: c",
  "a: - b",
  "*alias",
  "!tag x",
  "!!set {a}",
  "%d",
  "@at",
  "`tick",
  "=",
  "<<",
  "[<<]",
  "{a: 1, a: 2}",
  "{1: a, true: b}",
  "{[a]: b}",
  "[&a 1, &a 2]",
  "{a: !}",
  '"\\q"',
  '"\\ud800"',
  "...",
  "a\x01",
  "[".repeat(300),
];

describe("parseLine() reads a line as PyYAML does", () => {
  for (const [text, value] of VALUES) {
    if (value === undefined) continue;
    test(JSON.stringify(text), () => assert.deepEqual(parseLine(text), value));
  }
  for (const text of REFUSED) {
    test(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => assert.throws(() => parseLine(text), SyntaxError));
  }
});

test("parseLine() keeps the order of integer-like keys", () => {
  assert.deepEqual([...(parseLine("{b: 1, '5': 2, a: 3}") as Map<string, number>).keys()], ["b", "5", "a"]);
});
