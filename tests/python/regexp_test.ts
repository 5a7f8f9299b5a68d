import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compilePattern, translateRegexp } from "../../src/python/mod.ts";

const MATCHES: [pattern: string, yes: string[], no: string[]][] = [
  ["web", ["web", "web1"], ["aweb", "WEB"]],
  ["web$", ["web", "web\n"], ["web1", "web\n\n"]],
  ["web\\Z", ["web"], ["web\n"]],
  ["(?m)a$", ["a\nb"], ["ab"]],
  ["a.c", ["abc", "a\u2028c", "a😀c"], ["a\nc"]],
  ["(?s)a.c", ["a\nc"], []],
  ["(?i)WEB\\d", ["web1", "Web٣"], ["webx"]],
  ["a(?i:B)c", ["aBc", "abc"], ["Abc", "abC"]],
  ["(?x) a b # comment\n c", ["abc"], ["a b"]],
  ["(?P<x>a)(?P=x)\\1", ["aaa"], ["aab"]],
  ["\\w+\\Z", ["é1_"], ["a-b"]],
  ["[\\W_]+\\Z", ["-_"], ["a"]],
  ["[^\\W_]+\\Z", ["a1"], ["_"]],
  ["[]a]+\\Z", ["]a"], ["b"]],
  ["\\bb", ["b"], ["ab"]],
  ["a{,2}\\Z", ["", "aa"], ["aaa"]],
  ["a{x}", ["a{x}"], ["a"]],
  ["a++b", ["aab"], []],
  ["a++a", [], ["aaa"]],
  ["(?>a|ab)c", ["ac"], ["abc"]],
  ["(?=a)*b", ["b"], []],
  ["\\x41\\101\\u0041", ["AAA"], []],
  ["a/b-c]", ["a/b-c]"], []],
  ["w.b(?!1)", ["web2"], ["web1"]],
];

const REFUSED = [
  "[",
  "(",
  ")",
  "*a",
  "a**",
  "\\1",
  "(?P=x)",
  "\\q",
  "a{2,1}",
  "[b-a]",
  "(?(1)a|b)",
  "(?P<1>a)",
  "a(?i)",
  "x".repeat(70_000),
];

describe("compilePattern() matches as re.match does", () => {
  for (const [pattern, yes, no] of MATCHES) {
    test(JSON.stringify(pattern), () => {
      const match = compilePattern(pattern);
      assert.deepEqual([yes.map(match), no.map(match)], [yes.map(() => true), no.map(() => false)]);
    });
  }
  for (const pattern of REFUSED) {
    test(`refuses ${JSON.stringify(pattern.slice(0, 20))}`, () =>
      assert.throws(() => compilePattern(pattern), SyntaxError));
  }
  for (
    const pattern of [
      "(a+)+$",
      "(a|a)*$",
      "(?:a*)*$",
      "(\\w+\\s?)+$",
      "((a?){1,9}){2,}$",
      "(?i)(?:A+)+(?<!x)$",
      "a*a*a*a*a*$",
    ]
  ) {
    test(`takes little time for nested repetition: ${pattern}`, () => {
      const match = compilePattern(pattern);
      assert.deepEqual([match("a".repeat(5000)), match(`${"a".repeat(5000)}!`)], [true, false]);
    });
  }
  test("does not try nested repetition on a long text where it would have to backtrack", () => {
    assert.equal(compilePattern("((a)*\\2)*$")("aaaa"), true);
    assert.equal(compilePattern("((a)*\\2)*$")("a".repeat(100)), false);
  });
});

test("translateRegexp() keeps the numbers and names of groups", () => {
  const match = translateRegexp("(a)(?P<name>b)(?:c)(d)").exec("abcd");
  assert.deepEqual(match?.slice(1), ["a", "b", "d"]);
  assert.equal(match?.groups?.name, "b");
});
