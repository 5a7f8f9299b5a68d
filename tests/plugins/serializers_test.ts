import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { SERIALIZERS } from "../../src/plugins/serializers/mod.ts";
import { equal, toFloat } from "../../src/language/python/values.ts";

const utf8 = new TextEncoder();
const textOf = (content: string | Uint8Array) =>
  typeof content === "string" ? content : new TextDecoder().decode(content);

const PLIST = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>a</key>
\t<integer>1</integer>
\t<key>b</key>
\t<array>
\t\t<true/>
\t\t<real>1.5</real>
\t\t<string>x&lt;</string>
\t\t<data>
\t\tYWJj
\t\t</data>
\t</array>
\t<key>c</key>
\t<dict/>
\t<key>e</key>
\t<array/>
</dict>
</plist>
`;

// What Salt 3006.28 writes for the same values.
for (
  const { name, format, value, options = {}, want } of [
    {
      name: "yaml escapes what is beyond ASCII",
      format: "yaml",
      value: { b: "x", a: "é" },
      options: { default_flow_style: false },
      want: 'a: "\\xE9"\nb: x',
    },
    {
      name: "yaml writes what is beyond ASCII if it may",
      format: "yaml",
      value: { a: "é" },
      options: { allow_unicode: true, default_flow_style: false },
      want: "a: é",
    },
    { name: "yaml of a text has no end of document", format: "yaml", value: "x", want: "x" },
    {
      name: "plist",
      format: "plist",
      value: { a: 1, b: [true, toFloat(1.5), "x<", utf8.encode("abc")], c: {}, e: [] },
      want: PLIST,
    },
    {
      name: "configparser lowers keys and indents further lines",
      format: "configparser",
      value: { DEFAULT: { x: 1 }, s: { "A b": "1", ml: "a\nb" } },
      want: "[DEFAULT]\nx = 1\n\n[s]\na b = 1\nml = a\n\tb\n\n",
    },
    {
      name: "keyvalue quotes for a shell",
      format: "keyvalue",
      value: { a: "1 2", b: "3" },
      options: { quoting: true },
      want: "a='1 2'\nb=3",
    },
    { name: "python", format: "python", value: { b: 1, a: ["x", null] }, want: "{'a': ['x', None], 'b': 1}" },
    { name: "msgpack", format: "msgpack", value: { a: [1, "x"] }, want: "\ufffd\ufffda\ufffd\u0001\ufffdx" },
  ]
) {
  test(`serialize: ${name}`, () => {
    assert.equal(textOf(SERIALIZERS[format]!.serialize(value, options)), want);
  });
}

for (
  const [format, value, want] of [
    ["configparser", { s: { a: "100%" } }, "invalid interpolation syntax in '100%' at position 3"],
    ["configparser", [1], "configparser can only serialize dictionaries, not <class 'list'>"],
    ["configparser", { s: { a: null } }, "option values must be strings"],
    ["keyvalue", "x", "Input validation failed. Iterable required."],
  ] as const
) {
  test(`serialize: ${format} refuses ${JSON.stringify(value)}`, () => {
    assert.throws(() => SERIALIZERS[format]!.serialize(value, {}), { message: want });
  });
}

test("what a serializer writes, it reads", () => {
  const value = { s: { a: "1", b: "2\nmore" }, t: {} };
  for (const format of ["configparser", "json", "msgpack", "plist", "yaml"]) {
    const { serialize, deserialize } = SERIALIZERS[format]!;
    const content = serialize(value, {});
    const back = deserialize!(typeof content === "string" ? utf8.encode(content) : content, {});
    assert.ok(equal(back, value), format);
  }
});

/** What Python's configparser does with the same: `tests/vectors/configparser/record.py`. */
interface Recorded {
  options: Record<string, unknown>;
  error?: string;
}
const RECORDED = JSON.parse(readFileSync(new URL("../vectors/configparser.json", import.meta.url), "utf8")) as {
  read: (Recorded & { text: string; value?: Record<string, Record<string, string | null>> })[];
  written: (Recorded & { data: unknown; value?: string })[];
};
const tried = (call: () => unknown): { value?: unknown; error?: string } => {
  try {
    return { value: call() };
  } catch (error) {
    return { error: (error as Error).message };
  }
};

describe("configparser as Python has it", () => {
  for (const { text, options, value, error } of RECORDED.read) {
    test(`reads ${JSON.stringify(text)} with ${JSON.stringify(options)}`, () => {
      const got = tried(() => SERIALIZERS.configparser!.deserialize!(utf8.encode(text), options));
      assert.equal(got.error, error);
      if (error === undefined) assert.ok(equal(got.value, value), JSON.stringify([got.value, value]));
    });
  }
  for (const { data, options, value, error } of RECORDED.written) {
    test(`writes ${JSON.stringify(data)} with ${JSON.stringify(options)}`, () => {
      assert.deepEqual(
        tried(() => SERIALIZERS.configparser!.serialize(data, options)),
        value === undefined ? { error } : { value },
      );
    });
  }
});

test("configparser reads continued lines, comments and references", () => {
  const text = "[DEFAULT]\nroot=/srv\n[s]\na=1\nB : 2\n  cont\n;c\np=%(root)s/x%%\n[t]\n";
  const got = SERIALIZERS.configparser!.deserialize!(utf8.encode(text), {});
  assert.ok(equal(got, { s: { root: "/srv", a: "1", b: "2\ncont", p: "/srv/x%" }, t: { root: "/srv" } }));
  assert.throws(() => SERIALIZERS.configparser!.deserialize!(utf8.encode("a"), {}), {
    message: "File contains no section headers.\nfile: '<???>', line: 1\n'a'",
  });
});
