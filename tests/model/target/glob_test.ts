import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileGlob } from "../../../src/language/python/glob.ts";
import { parseIpTarget } from "../../../src/model/target/ipcidr.ts";
import { PatternCache } from "../../../src/model/target/patterns.ts";

describe("compileGlob() matches as fnmatch does", () => {
  for (
    const [pattern, yes, no] of [
      ["*", ["", "a\nb"], []],
      ["", [""], ["a"]],
      ["a*", ["a", "ab"], ["ba"]],
      ["*a", ["a", "ba"], ["ab"]],
      ["*a*", ["a", "bab"], ["b"]],
      ["a*b*c", ["abc", "aXbYc", "abcbc"], ["ab", "acb"]],
      ["?", ["a", "\n", "😀"], ["", "ab"]],
      ["[a-c]?", ["b1"], ["d1"]],
      ["[!a-c]", ["d"], ["a", ""]],
      ["[]a]", ["]", "a"], ["b"]],
      ["[!]a]", ["b"], ["]", "a"]],
      ["[a-]", ["a", "-"], ["b"]],
      ["[z-a]", [], ["a", "z", "m"]],
      ["[", ["["], ["a"]],
      ["[!", ["[!"], ["a"]],
      ["[^a]", ["^", "a"], ["b"]],
      ["a.b", ["a.b"], ["axb"]],
      ["\\*", ["\\", "\\a"], ["*"]],
      ["{a,b}", ["{a,b}"], ["a"]],
    ] as [string, string[], string[]][]
  ) {
    test(JSON.stringify(pattern), () => {
      const match = compileGlob(pattern);
      assert.deepEqual([yes.map(match), no.map(match)], [yes.map(() => true), no.map(() => false)]);
    });
  }

  test("in a time that is not exponential in the number of stars", () => {
    assert.equal(compileGlob(`${"*a".repeat(50)}*b`)("a".repeat(2000)), false);
  });
});

describe("PatternCache", () => {
  test("compiles a pattern once and keeps those in use", () => {
    const cache = new PatternCache(2);
    const first = cache.glob("a*");
    cache.glob("b*");
    assert.equal(cache.glob("a*"), first);
    cache.glob("c*");
    assert.equal(cache.glob("a*"), first);
  });
});

describe("parseIpTarget()", () => {
  for (
    const [text, want] of [
      ["10.0.0.1", { version: 4, bits: 0x0a000001n }],
      ["10.0.0.0/8", { version: 4, bits: 0x0a000000n, prefix: 8 }],
      ["10.0.0.0/255.0.0.0", { version: 4, bits: 0x0a000000n, prefix: 8 }],
      ["10.0.0.0/0.255.255.255", { version: 4, bits: 0x0a000000n, prefix: 8 }],
      ["0.0.0.0/0", { version: 4, bits: 0n, prefix: 0 }],
      ["::ffff:1.2.3.4", { version: 6, bits: 0xffff01020304n }],
      ["1::", { version: 6, bits: 1n << 112n }],
      ["::/0", { version: 6, bits: 0n, prefix: 0 }],
      ["1:2:3:4:5:6:7:8", { version: 6, bits: 0x00010002000300040005000600070008n }],
    ] as [string, unknown][]
  ) test(text, () => assert.deepEqual(parseIpTarget(text), want));
  for (
    const text of [
      "",
      " 10.0.0.1",
      "010.0.0.1",
      "10.0.0",
      "10.0.0.256",
      "10.0.0.1/8",
      "10.0.0.0/33",
      "10.0.0.0/8/8",
      "10.0.0.0/",
      ":",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7::8:9",
      "12345::",
      "g::",
    ]
  ) test(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseIpTarget(text), undefined));
});
