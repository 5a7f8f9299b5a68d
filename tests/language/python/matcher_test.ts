import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileGroups } from "../../../src/language/python/regexp.ts";
import { CostError } from "../../../src/language/python/steps.ts";

type Found = [index: number, groups: (string | null)[]];
const found = (pattern: string, text: string): Found[] =>
  [...compileGroups(pattern).find(text)].map(({ index, groups }) => [index, groups.slice(1).map((one) => one ?? null)]);

/** Made by Python 3.11: `[[m.start(), m.groups()] for m in re.finditer(pattern, text)]`. */
const RECORDED: [pattern: string, text: string, matches: Found[]][] = [
  ["(a+)(b*)", "aab ab b", [[0, ["aa", "b"]], [4, ["a", "b"]]]],
  ["(?P<key>\\w+)=(?P<value>[^,]*)", "a=1,bb=,c=x y", [[0, ["a", "1"]], [4, ["bb", ""]], [8, ["c", "x y"]]]],
  ["(?:(a)|b)*", "ab", [[0, ["a"]], [2, [null]]]],
  ["(a|ab)(c|bcd)(d*)", "abcd", [[0, ["a", "bcd", ""]]]],
  ["(a*?)(a*)", "aaa", [[0, ["", "aaa"]], [3, ["", ""]]]],
  ["x*", "abxd", [[0, []], [1, []], [2, []], [3, []], [4, []]]],
  ["(\\w)\\1", "aabbcd", [[0, ["a"]], [2, ["b"]]]],
  ["(?i)(ab)\\1", "abAB", [[0, ["ab"]]]],
  ["(?=(a+))a*b\\1", "baaabac", [[3, ["a"]]]],
  ["(?<=(\\d))x", "1x 2x", [[1, ["1"]], [4, ["2"]]]],
  ["(?!(a))b", "ab b", [[1, [null]], [3, [null]]]],
  ["()*", "ab", [[0, [""]], [1, [""]], [2, [""]]]],
  ["(a*)*", "b", [[0, [""]], [1, [""]]]],
  ["(a|b)*?c", "abc", [[0, ["b"]]]],
  ["(a{2,3}?)(a*)", "aaaaa", [[0, ["aa", "aaa"]]]],
  ["^(.*)$", "one\ntwo", []],
  ["(?m)^(.*)$", "one\ntwo", [[0, ["one"]], [4, ["two"]]]],
  ["(é+)|(.)", "éa😀", [[0, ["é", null]], [1, [null, "a"]], [2, [null, "😀"]]]],
  ["((a)|(b))+", "abab", [[0, ["b", "a", "b"]]]],
  ["a|(b)", "cab", [[1, [null]], [2, ["b"]]]],
  ["(?P<y>\\d{4})-(?P<m>\\d\\d)", "on 2024-05 and 2025-06", [[3, ["2024", "05"]], [15, ["2025", "06"]]]],
  ["(?>a+)(b)", "aab", [[0, ["b"]]]],
  ["(?>a+)a(b)", "aab", []],
];

describe("matches with groups", () => {
  for (const [pattern, text, matches] of RECORDED) {
    test(`${pattern} in ${JSON.stringify(text)} are those of Python`, () =>
      assert.deepEqual(found(pattern, text), matches));
  }

  test("an anchored one begins at the start of the text, and is the only one", () => {
    const matcher = compileGroups("(b)|(?P<first>a)");
    const all = (text: string) => [...matcher.find(text, { anchored: true })];
    assert.deepEqual(all("ab").map(({ named }) => [...named]), [[["first", "a"]]]);
    assert.deepEqual(all(" ab"), []);
  });

  test("a match that comes late costs no more than one that comes at once", () => {
    assert.deepEqual(found("((a+)+)c|(z)", `${"a".repeat(20_000)}z`), [[20_000, [null, null, "z"]]]);
    assert.deepEqual(found("(x+x+)+y|(x*)$", "x".repeat(2000)), [[0, [null, "x".repeat(2000)]], [2000, [null, ""]]]);
  });

  for (
    const { name, pattern, text } of [
      { name: "with a reference", pattern: "((a+)+)\\1c|(z)", text: `${"a".repeat(5000)}z` },
      { name: "whose loop has a reference", pattern: "(.)*\\1x", text: "a".repeat(5000) },
      { name: "with many states", pattern: "(a{0,2000}b)", text: "a".repeat(15_000) },
    ]
  ) {
    test(`one ${name} that would take too long is an error that names the expression`, () => {
      const matching = () => [...compileGroups(pattern).find(text)];
      assert.throws(
        matching,
        (error: Error) => error instanceof CostError && error.message.includes(JSON.stringify(pattern)),
      );
    });
  }

  test("an expression with too many groups is refused, before it takes memory", () => {
    assert.throws(() => compileGroups("(a*)".repeat(300)), /more than 250 groups/);
    assert.throws(() => compileGroups("(?:(a){1000}){1000}"), /more than 20000 states/);
  });
});
