/** What Python's package toml writes and reads (`tests/vectors/toml/record.py`). */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseOrderedJson } from "../../src/language/python/json.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { dumpJson } from "../../src/language/python/json_dump.ts";
import { createRenderers } from "../../src/language/render/renderers.ts";
import { silentLogger } from "../../src/base/log.ts";
import { SERIALIZERS } from "../../src/plugins/serializers/mod.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";
import { currentRuntime } from "../../src/runtime/current.ts";

const { toml } = SERIALIZERS;
const file = readFileSync(new URL("../vectors/toml/toml.json", import.meta.url), "utf8");
const rows = (name: string): Record<string, unknown>[] => {
  const found = entriesOf(parseOrderedJson(file) as never).find(([key]) => key === name)![1] as never[];
  return found.map((row) => Object.fromEntries(entriesOf(row)));
};
const utf8 = (text: unknown) => new TextEncoder().encode(String(text));

for (const { value, text, error } of rows("written")) {
  test(`writes as Python does: ${dumpJson(value)}`, () => {
    if (error === undefined) assert.equal(toml!.serialize(value, {}), text);
    else assert.throws(() => toml!.serialize(value, {}), { message: String(error) });
  });
}

/** TOML 1.0 has lists of several types, and Python's package takes a list without an end. Begin of the text → what is read here. */
const BY_STANDARD: Record<string, string | undefined> = {
  's = """': '{"s": "ab", "l": [1, [2, "x"]], "t": {"a": 1, "b": {"c": 2}}}',
  "x = [1,": undefined,
};

for (const { text, value, error } of rows("read")) {
  test(`reads as Python does: ${JSON.stringify(text)}`, async () => {
    const read = async () => await toml!.deserialize!(utf8(text), {});
    const start = String(text).slice(0, 7);
    if (Object.hasOwn(BY_STANDARD, start) && BY_STANDARD[start] !== undefined) {
      assert.equal(dumpJson(await read()), BY_STANDARD[start]);
    } else if (error === true || Object.hasOwn(BY_STANDARD, start)) {
      await assert.rejects(read, { name: "salt.serializers.DeserializationError" });
    } else assert.equal(dumpJson(await read()), dumpJson(value));
  });
}

test("dates are text, as in YAML", async () => {
  const dates =
    "a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00.5-07:00\nc = 1979-05-27\nd = 07:32:00\ne = 1979-05-27T07:32:00\n";
  const value = await toml!.deserialize!(utf8(dates), {});
  assert.deepEqual(entriesOf(value as never).map(([, date]) => date), [
    "1979-05-27T07:32:00Z",
    "1979-05-27T00:32:00.500-07:00",
    "1979-05-27",
    "07:32:00",
    "1979-05-27T07:32:00",
  ]);
});

test("what is too deep or too long is refused, and no message has the text", async () => {
  for (
    const text of [
      `a = ${"[".repeat(1000)}`,
      `a = ${"[".repeat(1000)}${"]".repeat(1000)}`,
      "a = 'hush\n",
      "hush hush\n",
    ]
  ) {
    await assert.rejects(async () => await toml!.deserialize!(utf8(text), {}), (error: Error) => {
      assert.doesNotMatch(error.message, /hush/);
      assert.match(error.message, /\(line \d+ column \d+\)$/);
      return true;
    });
  }
  await assert.rejects(
    async () => await toml!.deserialize!(new Uint8Array(17 * 1024 * 1024).fill(32), {}),
    /more than/,
  );
  assert.throws(() => toml!.serialize([1], {}), /expected a map/);
  assert.throws(() => toml!.serialize({}, { indent: 1 }), /unexpected keyword argument 'indent'/);
});

test("__proto__ is a key like any other", async () => {
  const value = await toml!.deserialize!(utf8("[__proto__]\na = 1\n"), {});
  assert.ok(isMap(value));
  assert.deepEqual(entriesOf(value).map(([key]) => key), ["__proto__"]);
  assert.equal(({} as Record<string, unknown>).a, undefined);
});

// What Salt 3006 leaves where the package is installed.
test("file.serialize writes TOML, and merges into what is there", async () => {
  const root = mkdtempSync(join(tmpdir(), "brine-toml-"));
  try {
    const name = join(root, "f.toml");
    const { run } = await testMinion({ opts: { ...localFiles(root), id: "m1", cachedir: root }, master: null });
    const state = async (more: Record<string, unknown>) => {
      const { success } = await run("state.single", ["file.serialize", kwargs({ name, serializer: "toml", ...more })]);
      assert.equal(success, true);
      return readFileSync(name, "utf8");
    };
    assert.equal(await state({ dataset: { a: 1, b: { c: ["x"] } } }), 'a = 1\n\n[b]\nc = [ "x",]\n\n');
    assert.equal(await state({ dataset: { a: 2 }, merge_if_exists: true }), 'a = 2\n\n[b]\nc = [ "x",]\n\n');
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("the renderer reads files, and names line and column of a mistake", async () => {
  const render = await createRenderers(await currentRuntime()).toml!();
  const job = { path: "a.sls", saltenv: "base", argline: "", globals: {}, log: silentLogger };
  assert.equal(dumpJson(await render("#!toml\n[web]\n'pkg.installed' = []\n", job)), '{"web": {"pkg.installed": []}}');
  assert.deepEqual(await render({ a: 1 }, job), { a: 1 });
  await assert.rejects(
    async () => await render("#!toml\na = 1\na = 2\n", job),
    (error: { line?: number; message: string }) => {
      assert.match(error.message, /a\.sls/);
      return true;
    },
  );
});
