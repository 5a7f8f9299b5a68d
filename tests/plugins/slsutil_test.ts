/** What real Salt 3006 prints for the same calls. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import { kwargs, type TestMinion, testMinion } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";

const root = mkdtempSync(join(tmpdir(), "brine-slsutil-"));
after(() => rmSync(root, { recursive: true }));
const roots = join(root, "files");
mkdirSync(join(roots, "f/g"), { recursive: true });
mkdirSync(join(roots, "f/h"));
writeFileSync(join(roots, "f/map.jinja"), '{% set m = {"a": 1, "b": [1, "x"]} %}');
writeFileSync(
  join(roots, "f/h/map.jinja"),
  "{% set names = [tpldir, tpldot, sls, slspath, slsdotpath, slscolonpath, sls_path] %}" +
    '{% import_yaml tpldir.split("/")[0] ~ "/v.yaml" as beside %}',
);
writeFileSync(join(roots, "f/h/v.yaml"), "beside: true\n");
writeFileSync(join(roots, "f/v.yaml"), "k: {{ grains.id }}\n");
writeFileSync(join(roots, "f/v.json"), '{"k": "{{ grains.id }}"}');
writeFileSync(join(roots, "f/g/z"), "");
writeFileSync(join(roots, "s.sls"), "");

const minion = (): Promise<TestMinion> =>
  testMinion({ opts: { ...localFiles(roots), id: "m1" }, grains: { id: "m1" }, master: null });

/** Maps of any kind as plain ones. */
const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
    : Array.isArray(value)
    ? value.map(plain)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    : value;

const DEFAULT_BANNER = [
  "########################################################################",
  "#                                                                      #",
  "#              THIS FILE IS MANAGED BY SALT - DO NOT EDIT              #",
  "#                                                                      #",
  "# The contents of this file are managed by Salt. Any changes to this   #",
  "# file may be overwritten automatically and without warning.           #",
  "########################################################################",
].join("\n");
const OWN_BANNER = [
  "#################################",
  "#                               #",
  "#               ab              #",
  "#                               #",
  "# some longer words go here     #",
  "#################################",
  "",
].join("\n");
const JAVADOC = [
  "/**",
  " ***********************************************************************",
  " *                                                                     *",
  " *              THIS FILE IS MANAGED BY SALT - DO NOT EDIT             *",
  " *                                                                     *",
  " * The contents of this file are managed by Salt. Any changes to this  *",
  " * file may be overwritten automatically and without warning.          *",
  " ***********************************************************************",
  " */",
].join("\n");

const CALLS: [fun: string, arg: unknown[], want: unknown][] = [
  ["banner", [], DEFAULT_BANNER],
  ["banner", [kwargs({ commentchar: " *", borderchar: "*", blockstart: "/**", blockend: " */" })], JAVADOC],
  ["banner", [kwargs({ width: 33, title: "ab", text: "some longer words go here", newline: true })], OWN_BANNER],
  ["merge", [{ a: 1, b: 2 }, { a: 3, c: 4 }, kwargs({ strategy: "list" })], { a: [1, 3], b: 2 }],
  ["merge", [{ a: { x: 1 } }, { a: { y: 3 }, c: 4 }, kwargs({ strategy: "overwrite" })], { a: { y: 3 }, c: 4 }],
  ["merge", [{ a: { x: [1] } }, { a: { x: [1, 2] } }, kwargs({ merge_lists: true })], { a: { x: [1, 2] } }],
  ["merge_all", [[{ foo: "Foo" }, { foo: "Bar" }]], { foo: "Bar" }],
  ["update", [{ a: { x: [1] } }, { a: { x: [1, 2], y: 3 } }, kwargs({ merge_lists: true })], {
    a: { x: [1, 2], y: 3 },
  }],
  ["update", [{ a: { x: 1 } }, { a: { y: 3 } }, kwargs({ recursive_update: false })], { a: { y: 3 } }],
  ["serialize", ["json", { b: [1, "é"], a: null }], '{"b": [1, "é"], "a": null}'],
  ["serialize", ["json", { b: [1] }, kwargs({ indent: 1, sort_keys: true })], '{\n "b": [\n  1\n ]\n}'],
  ["serialize", ["yaml", { b: [1, { c: "e" }], a: null }], "a: null\nb:\n- 1\n- {c: e}"],
  ["serialize", ["yaml", { b: [1, "é"], a: null, c: { x: {} } }], 'a: null\nb: [1, "\\xE9"]\nc:\n  x: {}'],
  ["serialize", ["yaml", { b: 1, a: "é" }, kwargs({ default_flow_style: false, allow_unicode: true })], "a: é\nb: 1"],
  ["serialize", ["yaml", "x"], "x"],
  ["serialize", ["yamlex", { b: 1, a: [2] }], "a: [2]\nb: 1"],
  ["serialize", ["python", { b: [1, "é"], a: null }], "{'a': None, 'b': [1, 'é']}"],
  ["serialize", ["configparser", { s: { a: 1, b: "x" }, t: { c: true } }], "[s]\na = 1\nb = x\n\n[t]\nc = True\n\n"],
  ["serialize", ["keyvalue", { a: 1, b: "x y" }], "a=1\nb=x y"],
  ["deserialize", ["json", '{"foo": "Foo!"}'], { foo: "Foo!" }],
  ["deserialize", ["yamlex", "a: 1\nb: [2]\n"], { a: 1, b: [2] }],
  ["deserialize", ["configparser", "[s]\na = 1\nb = x\n"], { s: { a: "1", b: "x" } }],
  ["deserialize", ["keyvalue", "a=1\nb=x y\n"], { a: "1", b: "x y" }],
  ["deserialize", ["keyvalue", 'a: 1\nb: "x y"\n', kwargs({ separator: ": ", quoting: false })], { a: "1", b: "x y" }],
  ["deserialize", ["yaml", "a: [1, x]"], { a: [1, "x"] }],
  [
    "renderer",
    [kwargs({ string: "Hi {{ name }} {{ tpldir }}", default_renderer: "jinja", name: "world" })],
    "Hi world .",
  ],
  ["renderer", ["salt://f/v.yaml"], { k: "m1" }],
  ["renderer", ["salt://none"], {}],
  ["renderer", [join(roots, "f/v.yaml")], { k: "m1" }],
  ["findup", ["f/g", "v.yaml"], "f/v.yaml"],
  ["findup", ["f/g", ["nope", "s.sls"]], "s.sls"],
  ["findup", ["", "f"], "f"],
  ["path_exists", ["f/g"], true],
  ["renderer", ["salt://none"], {}],
  ["renderer", ["/none/none.sls"], {}],
  ["dir_exists", ["f/v.yaml"], false],
  ["file_exists", ["f/v.yaml"], true],
  ["boolstr", [1, "yes", "no"], "yes"],
  ["boolstr", [[], "yes", "no"], "no"],
];

describe("slsutil", () => {
  for (const [fun, arg, want] of CALLS) {
    test(`${fun} ${JSON.stringify(arg)}`, async () => {
      assert.deepEqual(plain(await (await minion()).value(`slsutil.${fun}`, ...arg)), want);
    });
  }

  for (
    const [fun, arg, want] of [
      ["renderer", [], /Must pass either path or string/],
      ["renderer", ["a", "b"], /Must not pass both path and string/],
      ["renderer", ["none"], /Path 'none' is not absolute/],
      ["findup", ["f/none", "v.yaml"], /Starting path not found in the state tree: f\/none/],
      ["findup", ["f/g", "none"], /File pattern\(s\) not found in path ancestry/],
      ["findup", ["../..", "none"], /Starting path not found in the state tree/],
      ["findup", ["f", 5], /Filenames argument must be a string or list of strings/],
      ["serialize", ["nope", {}], /Serializer 'nope' not found/],
      ["serialize", ["configparser", [1]], /configparser can only serialize dictionaries, not <class 'list'>/],
      ["deserialize", ["python", "{}"], /Serializer 'python' does not implement deserialize\./],
      ["deserialize", ["json", "{"], /Expecting property name enclosed in double quotes: line 1 column 2 \(char 1\)/],
      ["update", [[], {}], /Cannot update using non-dict types/],
      ["banner", [kwargs({ width: 3 })], /Width is too small to render banner/],
      ["banner", [kwargs({ width: 1e9 })], /Width is too small to render banner/],
    ] as const
  ) {
    test(`${fun} ${JSON.stringify(arg)} is refused`, async () => {
      const { return: text, retcode } = await (await minion()).run(`slsutil.${fun}`, [...arg]);
      assert.match(String(text), want);
      assert.equal(retcode, 1);
    });
  }

  test("serialize and deserialize of msgpack are bytes", async () => {
    const { value } = await minion();
    const bytes = await value("slsutil.serialize", "msgpack", { a: [1, "x"] }) as Uint8Array;
    assert.deepEqual(decode(bytes, { mode: "bin" }), { a: [1, "x"] });
    assert.deepEqual(plain(await value("slsutil.deserialize", "msgpack", bytes)), { a: [1, "x"] });
    const list = await value("slsutil.serialize", "plist", { a: 1, b: ["x"] }) as Uint8Array;
    assert.deepEqual(plain(await value("slsutil.deserialize", "plist", list)), { a: 1, b: ["x"] });
  });

  test("update changes the map of a template", async () => {
    const { value } = await minion();
    const string = "{% set a = {'x': {'y': 1}} %}{% do salt.slsutil.update(a, {'x': {'z': 2}}) %}{{ a }}";
    assert.equal(
      await value("slsutil.renderer", kwargs({ string, default_renderer: "jinja" })),
      "{'x': {'y': 1, 'z': 2}}",
    );
  });
});

describe("jinja", () => {
  for (
    const [fun, arg, want] of [
      ["load_map", ["f/map.jinja", "m"], { a: 1, b: [1, "x"] }],
      ["load_map", ["f/h/map.jinja", "names"], [".", "", "", "", "", "", ""]],
      ["load_map", ["f/h/map.jinja", "beside"], { beside: true }],
      ["import_yaml", ["f/v.yaml"], { k: "m1" }],
      ["import_json", ["f/v.json"], { k: "m1" }],
    ] as const
  ) {
    test(`${fun} ${arg.join(" ")}`, async () => {
      assert.deepEqual(plain(await (await minion()).value(`jinja.${fun}`, ...arg)), want);
    });
  }

  test("load_map takes the name of a variable alone", async () => {
    const { return: text } = await (await minion()).run("jinja.load_map", ["f/map.jinja", "m %}{{ 1 }}"]);
    assert.match(String(text), /expected the name of a variable/);
  });
});
