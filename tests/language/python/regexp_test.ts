import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileFinder, compilePattern, translateRegexp } from "../../../src/language/python/regexp.ts";
import { CostError, Steps } from "../../../src/language/python/steps.ts";
import { vectors } from "../../support/vectors.ts";

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
  ["\\w+\\Z", ["é1_"], ["a-b"]],
  ["[\\W_]+\\Z", ["-_"], ["a"]],
  ["[^\\W_]+\\Z", ["a1"], ["_"]],
  ["[]a]+\\Z", ["]a"], ["b"]],
  ["\\bb", ["b"], ["ab"]],
  ["a{,2}\\Z", ["", "aa"], ["aaa"]],
  ["a{x}", ["a{x}"], ["a"]],
  ["(?!db).*\\.example$", ["web1.example"], ["db1.example"]],
  ["(?:(?!ab).)*$", ["ba"], ["aab"]],
  ["a{,}b", ["b", "aab"], ["c"]],
  ["(?=a)*b", ["b"], []],
  ["\\x41\\101\\u0041", ["AAA"], []],
  ["a/b-c]", ["a/b-c]"], []],
  ["w.b(?!1)", ["web2"], ["web1"]],
  ["(?a)\\w\\Z", ["e"], ["é"]],
  ["(?a)\\d\\s\\Z", ["1 "], ["1\u00a0", "٣ "]],
  ["(?ai)k[s-t]É\\Z", ["KSÉ", "ktÉ"], ["\u212asÉ", "ksé", "kſÉ"]],
  ["(?i)k(?a:k)\\Z", ["kK", "\u212ak"], ["k\u212a"]],
  ["(?a)(?u:\\w)\\w\\Z", ["éa"], ["éé"]],
  ["(?x)a\u00a0b", ["a\u00a0b"], ["ab"]],
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
  "(?au)a",
  "(?L)a",
  "[\\w-a]",
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
  for (
    const [pattern, why] of [
      ["((a)*\\2)*$", /backreference/],
      ["(?P<x>a)(?P=x)", /backreference/],
      ["a++b", /possessive/],
      ["(?>a|ab)c", /atomic/],
      ["(?:(?:.{100}){100}){100}", /states/],
      ["(?:(?:(?:){20000}){20000}){20000}", /states/],
      [`${"(".repeat(30_000)}${")".repeat(30_000)}`, /nested groups/],
    ] as const
  ) {
    test(`refuses and names what cannot be matched in bounded time: ${pattern.slice(0, 40)}`, () =>
      assert.throws(
        () => compilePattern(pattern),
        (error: Error) => error instanceof SyntaxError && why.test(error.message),
      ));
  }
  for (
    const [pattern, text] of [
      [`${".?".repeat(28)}y`, "a".repeat(28)],
      [".*.*.*\\x00", "a".repeat(4000)],
      [".{0,50}.{0,50}.{0,50}.{0,50}y", "a".repeat(4000)],
      ["(?:(?=.*z).)*$", "a".repeat(4000)],
    ] as const
  ) {
    test(`takes time in proportion to text and pattern: ${pattern.slice(0, 40)}`, () => {
      assert.equal(compilePattern(pattern)(text), false);
    });
  }
  test("a match that takes too many steps is aborted, with a limit of its own and with a shared one", () => {
    const hard = "(?:(?=(?:a|b|c|d)*$).)*y";
    assert.throws(() => compilePattern(hard)("a".repeat(20_000)), CostError);
    const steps = new Steps();
    const match = compilePattern("a*b", {}, steps);
    assert.throws(() =>
      steps.within(10_000, () => {
        for (;;) match("a".repeat(1000));
      }), CostError);
    assert.equal(match("ab"), true);
  });
});

describe("regexps.json: compilePattern() matches what re.match() does", () => {
  type Row = [pattern: string, want: { yes: string[]; no: string[] } | null];
  const rows = vectors("regexps").rows as Row[];
  for (let at = 0; at < rows.length; at += 50) {
    test(`patterns ${at} to ${Math.min(at + 50, rows.length) - 1}`, () => {
      for (const [pattern, want] of rows.slice(at, at + 50)) {
        if (want === null) assert.throws(() => compilePattern(pattern), SyntaxError, pattern);
        else {
          const match = compilePattern(pattern);
          assert.deepEqual(
            { yes: want.yes.filter((text) => match(text)), no: want.no.filter((text) => !match(text)) },
            want,
            pattern,
          );
        }
      }
    });
  }
});

describe("compileFinder() finds what re.search() does", () => {
  for (
    const [pattern, yes, no] of [
      ["/\\.svn($|/)", ["/a/.svn", "/.svn/b"], ["/a.svn", "/.svnx"]],
      ["^a", ["ab"], ["ba"]],
      ["a$", ["ba", "ba\n"], ["ab"]],
      ["(?i)b(?=c)", ["aBC"], ["ab"]],
      ["(?<=a)b", ["cab"], ["cb"]],
      ["", [""], []],
      ["\\bb\\b", ["a b c"], ["abc"]],
      ["(a|a)*!", [`${"a".repeat(2000)}!`], ["a".repeat(2000)]],
    ] as [string, string[], string[]][]
  ) {
    test(JSON.stringify(pattern), () => {
      const found = compileFinder(pattern);
      assert.deepEqual([yes.map(found), no.map(found)], [yes.map(() => true), no.map(() => false)]);
      // Compare with JavaScript's engine where that can match the pattern.
      for (const text of [...yes, ...no].filter((text) => text.length < 100)) {
        assert.equal(found(text), translateRegexp(pattern).test(text), text);
      }
    });
  }
});

test("translateRegexp() keeps the numbers and names of groups", () => {
  const match = translateRegexp("(a)(?P<name>b)(?:c)(d)").exec("abcd");
  assert.deepEqual(match?.slice(1), ["a", "b", "d"]);
  assert.equal(match?.groups?.name, "b");
});

describe("patterns for bytes, one character for each", () => {
  const bytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  for (
    const [pattern, text, want] of [
      ["\\s", "Voilà", null],
      ["\\w+$", "été", null],
      ["\\W", "é", 0],
      ["(?i)É", "é", null],
      ["(?i)É", "É", 0],
      ["(?i)[à-é]", "É", 0],
      ["(?i)K", "\u212a", null],
      ["\\xc3\\xa9", "é", 0],
      ["(?L)\\w", "é", null],
    ] as const
  ) {
    test(`${pattern} in ${text}`, () => {
      const found = translateRegexp(bytes(pattern), { bytes: true }).exec(bytes(text));
      assert.equal(found === null ? null : found.index, want);
    });
  }
  for (const pattern of ["\\u00e9", "(?u)a", "\\U0001f600"]) {
    test(`refuses ${pattern}`, () => assert.throws(() => translateRegexp(pattern, { bytes: true }), SyntaxError));
  }
});

test("no pattern matches between the halves of a character beyond U+FFFF", () => {
  for (const pattern of ["^", "(?m)^", "(?<!x)", "\\B", "^$"]) {
    const expression = new RegExp(translateRegexp(pattern).source, "gu");
    const places = [..."😀\n😀x".matchAll(expression)].map(({ index }) => index);
    assert.ok(!places.includes(1) && !places.includes(4), `${pattern} at ${places}`);
  }
});
