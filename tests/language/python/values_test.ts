import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareText, splitLines } from "../../../src/language/python/text.ts";
import { fill } from "../../../src/language/python/textwrap.ts";
import {
  Float,
  floatRepr,
  mapOf,
  OrderedMap,
  repr,
  sorted,
  str,
  truthy,
  Tuple,
  typeName,
} from "../../../src/language/python/values.ts";
import { format } from "../../../src/language/python/format.ts";
import { prettyFormat } from "../../../src/language/python/pprint.ts";
import { DateTime } from "../../../src/protocol/wire/msgpack.ts";

// Expected texts are Python's.
describe("repr()", () => {
  for (
    const [value, want] of [
      [null, "None"],
      [true, "True"],
      [1e21, "1000000000000000000000"],
      [-5n, "-5"],
      [new Float(1), "1.0"],
      [0.1, "0.1"],
      ["it's", `"it's"`],
      [`it's "x"`, `'it\\'s "x"'`],
      ["\n\t\\\x00\u00a0\u200b\u{1f600}\ud800", "'\\n\\t\\\\\\x00\\xa0\\u200b😀\\ud800'"],
      [new Uint8Array([97, 39, 0, 255]), `b"a'\\x00\\xff"`],
      [[1, ["a"]], "[1, ['a']]"],
      [Tuple.from([1]), "(1,)"],
      [Tuple.from([1, 2]), "(1, 2)"],
      [{ a: 1, b: null }, "{'a': 1, 'b': None}"],
      [new Map<unknown, unknown>([[1, "x"]]), "{1: 'x'}"],
      [new OrderedMap([["a", 1]]), "OrderedDict([('a', 1)])"],
      [new OrderedMap(), "OrderedDict()"],
      [new DateTime(0, 7), "datetime.datetime(1970, 1, 1, 0, 0, 0, 7)"],
    ] as [unknown, string][]
  ) test(want, () => assert.equal(repr(value), want));

  test("marks a container that contains itself", () => {
    const list: unknown[] = [1];
    list.push(list, { list });
    assert.equal(repr(list), "[1, [...], {'list': [...]}]");
  });
});

describe("floatRepr()", () => {
  for (
    const [value, want] of [
      [0, "0.0"],
      [-0, "-0.0"],
      [1e15, "1000000000000000.0"],
      [1e16, "1e+16"],
      [1.5e-5, "1.5e-05"],
      [0.0001, "0.0001"],
      [1e300, "1e+300"],
      [1e-7, "1e-07"],
      [5e-324, "5e-324"],
      [NaN, "nan"],
      [-Infinity, "-inf"],
    ] as [number, string][]
  ) test(want, () => assert.equal(floatRepr(value), want));
});

describe("other functions of Python", () => {
  test("str() leaves text alone", () => assert.equal(str("a'b"), "a'b"));
  test("str() of a date-time has a blank", () => assert.equal(str(new DateTime(0)), "1970-01-01 00:00:00"));
  test("typeName() distinguishes 1 from 1.0", () => {
    assert.deepEqual([1, new Float(1), 0.5, 5n, null, "", [], {}].map(typeName), [
      "int",
      "float",
      "float",
      "int",
      "NoneType",
      "str",
      "list",
      "dict",
    ]);
  });
  test("truthy() is false for everything empty", () => {
    const values = [null, 0, new Float(0), "", [], {}, new Map(), 0n, new Uint8Array()];
    assert.ok(values.every((value) => !truthy(value)));
    assert.ok([1, new Float(0.5), NaN, "0", [0], { a: 0 }, true].every(truthy));
  });
  test("splitLines() splits at every kind of line break", () => {
    assert.deepEqual(splitLines("a\r\nb\rc\x1cd\u2028e\n"), ["a", "b", "c", "d", "e"]);
    assert.deepEqual(splitLines(""), []);
  });
  test("sorted() returns undefined for values that cannot be compared", () => {
    assert.equal(sorted(["a", 1]), undefined);
    assert.deepEqual(sorted([2, new Float(1), true, 0n]), [0n, new Float(1), true, 2]);
  });
  test("compareText() orders by code point", () => assert.ok(compareText("\uffff", "\u{1f600}") < 0));
  test("mapOf() makes a Map where an object would lose the order or a key", () => {
    assert.deepEqual(mapOf([["a", 1]]), { a: 1 });
    for (const key of ["1", 1, "__proto__", null]) assert.ok(mapOf([[key, 1]]) instanceof Map);
  });
  test("format() fills, aligns and looks up", () => {
    assert.equal(
      format("{0}|{1:>4}|{1:<4}|{2[a]!r}|{{}}|{3:^5}", ["x", 12, { a: "b" }, "m"]),
      "x|  12|12  |'b'|{}|  m  ",
    );
    assert.throws(() => format("{5}", []), TypeError);
  });
  test("fill() breaks at blanks and hyphens", () => {
    assert.equal(
      fill("a long-winded sentence that is folded", 14, "  "),
      "  a long-\n  winded\n  sentence\n  that is\n  folded",
    );
    assert.equal(fill("abcdefghij", 6, "  "), "  abcd\n  efgh\n  ij");
  });
  test("prettyFormat() splits literals that are too long", () => {
    const value = { b: ["x".repeat(40), "y".repeat(40)], a: "word ".repeat(20) };
    const words = (count: number) => `'${"word ".repeat(count)}'`;
    assert.equal(
      prettyFormat(value),
      `{'a': ${words(14)}\n      ${words(6)},\n 'b': ['${"x".repeat(40)}',\n       '${"y".repeat(40)}']}`,
    );
  });
});
