import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Float, OrderedMap } from "../../../src/language/python/values.ts";
import { dump } from "../../../src/language/yaml/dump.ts";
import { parseLine } from "../../../src/language/yaml/line.ts";

const LONG = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore";

// Expected texts are those of yaml.CSafeDumper; the golden captures of the outputter hold many more.
describe("dump() writes what PyYAML writes", () => {
  for (
    const { name, value, want, options } of [
      { name: "a bare text", value: "x", want: "x\n" },
      {
        name: "texts that would be read as another type",
        value: ["yes", "5", "", "a: b", "- x"],
        want: "- 'yes'\n- '5'\n- ''\n- 'a: b'\n- - x\n".replace("- - x", "- '- x'"),
      },
      {
        name: "numbers",
        value: [1, new Float(1), 1e16, 1e-7, NaN, -Infinity, 2n ** 70n],
        want: "- 1\n- 1.0\n- 10000000000000000\n- 1.0e-07\n- .nan\n- -.inf\n- 1180591620717411303424\n",
      },
      { name: "a list below a key", value: { b: [1], a: { c: [] } }, want: "a:\n  c: []\nb:\n- 1\n" },
      {
        name: "an ordered map in its order",
        value: new OrderedMap<unknown, unknown>([["b", 1], ["a", 2]]),
        want: "b: 1\na: 2\n",
      },
      {
        name: "keys of several types in their order",
        value: new Map<unknown, unknown>([["b", 1], [2, 2]]),
        want: "b: 1\n2: 2\n",
      },
      { name: "maps in a list", value: [{ a: 1, b: 2 }], want: "- a: 1\n  b: 2\n" },
      { name: "folded text", value: { a: LONG }, want: `a: ${LONG.slice(0, 87)}\n  ${LONG.slice(88)}\n` },
      { name: "text with breaks", value: "a\nb\n", want: "'a\n\n  b\n\n  '\n" },
      { name: "escapes", value: "\x1b\u0085\u{1f600}\t", want: '"\\e\\N\\U0001F600\\t"\n' },
      { name: "bytes", value: { a: new Uint8Array([104, 105]) }, want: "a: !!binary |\n  aGk=\n" },
      {
        name: "bytes before others",
        value: { a: new Uint8Array([104, 105]), b: 1 },
        want: "a: !!binary |\n  aGk=\nb: 1\n",
      },
      {
        name: "flow style",
        value: { a: [1, "x, y"], b: {} },
        want: "{a: [1, 'x, y'], b: {}}\n",
        options: { flow: true },
      },
      { name: "wider indentation", value: { a: { b: [1] } }, want: "a:\n    b:\n    - 1\n", options: { indent: 4 } },
      { name: "a key too long for one line", value: { ["k".repeat(129)]: 1 }, want: `? ${"k".repeat(129)}\n: 1\n` },
    ]
  ) test(name, () => assert.equal(dump(value, options), want));

  test("parseLine() reads its flow style back", () => {
    const value = { a: [1, new Float(2), "yes", null, { "b: c": "it's" }], "-": ["#", "", "é"] };
    assert.deepEqual(parseLine(dump(value, { flow: true }).trimEnd()), value);
  });
});
