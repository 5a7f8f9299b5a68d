import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseYamlThoroughly as parseYaml } from "../../../src/language/yaml/document.ts";
import { parseSimpleYaml } from "../../../src/language/yaml/simple.ts";

/** Asserts that a result of the fast reader equals the library's. Returns true if there was a result. */
function compare(text: string): boolean {
  const found = parseSimpleYaml(text);
  if (found === undefined) return false;
  let want;
  try {
    want = parseYaml(text);
  } catch (error) {
    throw new assert.AssertionError({ message: `read a document that is none (${error}):\n${text}` });
  }
  assert.deepEqual(found.value, want.value, text);
  for (const key of ["a", "b", "key", "long_name", ...Object.keys(want.value ?? {})]) {
    assert.equal(found.lineOf(key), want.lineOf(key), `line of ${key} in:\n${text}`);
  }
  const ordered = { ordered: true };
  assert.deepEqual(parseSimpleYaml(text, ordered)?.value, parseYaml(text, ordered).value, text);
  return true;
}

/** A small random number generator (mulberry32) with a seed: the same documents on every run. */
function numbers(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe("parseSimpleYaml()", () => {
  for (
    const { name, text } of [
      { name: "an empty document", text: "" },
      { name: "only comments", text: "# nothing\n\n   # here\n" },
      {
        name: "a configuration file",
        text:
          "# The master\ninterface: 0.0.0.0\nret_port: 4506   # returns\nauto_accept: True\n\nuser: root\ntimeout: 5\n" +
          "file_roots:\n  base:\n    - /srv/salt\n  dev:\n  - /srv/dev\n\nnodegroups:\n  web: G@role:web and not N@db\n" +
          "log_file: '/var/log/salt/master'\nid: \"m1\"\npeer:\n  .*:\n",
      },
      { name: "what a benchmark writes", text: '# master\nuser: "root"\ninterface: "127.0.0.1"\nret_port: 4506\n' },
      { name: "a list at the depth of its key", text: "a:\n- 1\n- two\nb: 3\n" },
      {
        name: "types by their text",
        text: "a: yes\nb: 12:30\nc: 0777\nd: 1e3\ne: 2016-01-01\nf:\ng: ~\nh: 1.0\ni: .5\n",
      },
      { name: "keys by their text", text: "yes: 1\nnull: 2\n" },
      {
        name: "states",
        text:
          "/etc/motd:\n  file.managed:\n    - source: salt://motd\n    - mode: '0644'\n    - context:\n        a: 1\n" +
          "    - require:\n      - pkg: base # first\n      - sls: 'it''s'\n    - names: [a, 'b', \"c\"]\n    - contents: |\n" +
          "        # no comment\n        x: y\n\n          deeper\nfile name:\n  cmd.run:\n    - name: \"echo: 'x'\"\n  test.nop: []\n",
      },
      { name: "lists of lists", text: "a:\n- - 1\n  - b: 2\n    c:\n    - 3\n-  x\n- k: v\n" },
      { name: "texts of several lines", text: "a: |\n  x\n\n\nb: |-\n  y\n\nc: |+\n  z\n\n\nd:\n- |\n  w\n   v\n" },
      { name: "letters of the Latin alphabets", text: "größe: Ärger\n" },
      { name: "no line feed at the end", text: "a: 1\nb:\n  c: 2" },
    ]
  ) {
    test(`reads ${name} as the library does`, () => {
      assert.ok(compare(text), "it was left to the library");
    });
  }

  for (
    const text of [
      "a: |\n  x\n",
      "a: >-\n  x\n",
      "a: &x 1\nb: *x\n",
      "a: !!str 1\n",
      "a: {b: 1}\n",
      "a: [1, 2]\n",
      "a: b: c\n",
      "a: -: b\n",
      "a: -:\n",
      "a: |\n    x\n  y\n",
      "a: |\n  x\n y\n",
      "a: |\n   \n  y\n",
      "a: |\n  y\n    \nb: 1\n",
      "a: |\nb: 1\n",
      "a: |\n",
      "a: |",
      "a: |\n  x",
      "a: |+\n  x\n\n",
      "a: |+\n  x\n \n",
      "a: |2\n   x\n",
      "a: |\n  x\n# c\nb: 1\n",
      "a: |\n  x\n # c\nb: 1\n",
      "a:\n  - |\n    x\n  - y\n",
      "a:\n  - |\n   x\n  - y\n",
      "a:\n  - b: |\n      x\n    c: 1\n",
      "a:\n  - b: |\n     x\n    c: 1\n",
      "- a: 1\n",
      "a:\n  - b: 1\n     c: 2\n",
      "a:\n  - b: 1\n   c: 2\n",
      "a:\n  - b:\n    - c\n    - d\n  - e\n",
      "a:\n  - b:\n  - c\n",
      "a:\n  - b:\n      c\n",
      "a:\n  -   b: 1\n      c: 2\n",
      "a: [a b, c]\n",
      "a: [a: b]\n",
      "a: [a,]\n",
      "a: [,]\n",
      "a: ['x, y']\n",
      "a: [a] b\n",
      "a: {} b\n",
      "a: [ ]\n",
      "a: [[]]\n",
      "a:\n  - 'x: y'\n  - 'x': y\n",
      "a:\n  - 'x': y # z\n",
      "a:\n  - [a, b]: c\n",
      "a:\n  - {a: b}: c\n",
      "{}: 1\n",
      "[a]: 1\n",
      "[]: 1\n",
      '"a: 1\n',
      "'a' : 1\n",
      "a:\n  - b: 1\n    c: 2\n",
      "a:\n  - - 1\n",
      "a: x\n  y\n",
      "a: 'x\n  y'\n",
      'a: "\\n"\n',
      "a: 'it''s'\n",
      "---\na: 1\n",
      "%YAML 1.1\n---\na: 1\n",
      "a: 1\n...\n",
      "? a\n: b\n",
      "- 1\n- 2\n",
      "text\n",
      "a: 1\na: 2\n",
      "\ta: 1\n",
      "a:\t1\n",
      "a: é\n",
      "a: 1\r\nb: 2\r\n",
      "  a: 1\n",
      "a: 1\n b: 2\n",
      "a:\n    b: 1\n  c: 2\n",
      "a:\n - 1\n  - 2\n",
      "a: @x\n",
      "a: `x\n",
      "a: %x\n",
      "a: x # y 'z\n",
      "a: 'x # y' # z\n",
      "a: 'x' y\n",
      "a: #x\n  b: 1\n",
      "<<: 1\n",
      "a: ? b\n",
      "a: - b\n",
      "a: x: y\n",
      "a: x:\n",
      "'a': 1\n",
      '"a": 1\n',
      "a : 1\n",
      "a:1\n",
      "a:\n-\n- 1\n",
      "a:\n  -\n",
      "a: 1:\n",
      "a: 08\n",
      "a: -\n",
      "a: --\n",
      "a: ---\n",
      "a: 1 #\n",
      "a:#b\n",
      "a: b#c\n",
      "a: b #c\n",
      "a:\n# c\n  b: 1\n # d\nc: 1\n",
      "a: 0b12\n",
      "a: =\n",
    ]
  ) test(`agrees with the library on ${JSON.stringify(text)}, or leaves it to the library`, () => void compare(text));

  test("agrees with the library on random documents", () => {
    const next = numbers(20240506);
    const pick = <T>(from: readonly T[]): T => from[next(from.length)]!;
    const keys = ["a", "b", "key", "long_name", "x-y", "x.y", "yes", "null", "'q'", "1", "a b"];
    const values = [
      "1",
      "0x1f",
      "010",
      "1_000",
      "1e3",
      "1.5",
      "-3",
      "-.inf",
      "yes",
      "No",
      "on",
      "null",
      "~",
      "text",
      "two words",
      "a,b",
      "10.0.0.1",
      "12:30",
      "/srv/salt",
      "a:b",
      "http://x/y?z=1&w",
      "'single'",
      '"double"',
      "''",
      '""',
      "[]",
      "{}",
      "[a, b]",
      "a # c",
      "a#c",
      "*",
      "*.example",
      "&a",
      "!t",
      "|",
      ">",
      "%",
      "@",
      "`",
      "(x)",
      "$x",
      "^x",
      "-",
      "- x",
      "-x",
      "--",
      "? x",
      "x: y",
      "x:",
      ": x",
      "a 'b'",
      'a "b"',
      "'a' b",
      '"a\\tb"',
      "a\\b",
      "2024-05-06",
      "+1",
      "=",
      "<<",
      ",x",
      "]",
      "}x",
      "#x",
      "True",
      "false",
      "a  b",
      "a ]",
      "a, b",
      "a: ",
      "x ",
      "G@os:Debian and not E@web.*",
      "|-",
      "|+",
      "['a', b]",
      "'it''s: x'",
      "k: v",
      "k:",
      "- k: v",
      "- - k: v",
    ];
    const indents = ["", "", "", "  ", "  ", "    ", " ", "   "];
    let simple = 0;
    for (let count = 0; count < 20_000; count++) {
      // Half of the documents are plain, so that many of them are read; the others mix everything.
      const tame = count % 2 === 0;
      const lines: string[] = [];
      let depth = "";
      for (let left = 1 + next(6); left > 0; left--) {
        const indent = tame ? depth : pick(indents);
        const key = tame ? `k${next(40)}` : pick(keys);
        const kind = next(tame ? 8 : 10);
        if (kind === 0) lines.push(pick(["", "  ", "# comment", "   # comment"]));
        else if (kind <= 2) {
          lines.push(`${indent}${key}:${pick(["", " ", " # c"])}`);
          if (tame && next(2) === 0) depth += "  ";
        } else if (kind === 3) lines.push(`${indent}${pick(["- ", "-", "-  ", "  - "])}${pick(values)}`);
        else {
          lines.push(`${indent}${key}: ${pick(values)}${pick(["", "", "", " ", " # c"])}`);
          if (tame && next(3) === 0) depth = depth.slice(2);
        }
      }
      if (compare(lines.join("\n") + pick(["\n", ""]))) simple++;
    }
    // If few were read, the comparison would prove nothing.
    assert.ok(simple > 2000, `only ${simple} documents were simple`);
  });
});
