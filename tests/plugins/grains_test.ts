import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { parseYaml } from "../../src/language/yaml/document.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { asObjects } from "../support/ordered.ts";
import { inTemporary } from "./temporary.ts";

const GRAINS = { role: "web", site: { dc: "east", rack: 7 }, roles: ["a", "b"], none: null };

for (
  const { fun, arg, want } of [
    { fun: "grains.get", arg: ["site:dc"], want: "east" },
    { fun: "grains.get", arg: ["site:no"], want: "" },
    { fun: "grains.get", arg: ["no", 7], want: 7 },
    { fun: "grains.get", arg: ["site/dc", kwargs({ delimiter: "/" })], want: "east" },
    { fun: "grains.get", arg: ["roles:1"], want: "b" },
    { fun: "grains.get", arg: ["constructor"], want: "" },
    { fun: "grains.get", arg: ["site:__proto__"], want: "" },
    { fun: "grains.fetch", arg: ["role"], want: "web" },
    { fun: "grains.has_value", arg: ["site:rack"], want: true },
    { fun: "grains.has_value", arg: ["none"], want: true },
    { fun: "grains.has_value", arg: ["no"], want: false },
    { fun: "grains.item", arg: ["none"], want: { none: null } },
    { fun: "grains.equals", arg: ["none", "None"], want: true },
    { fun: "grains.append", arg: ["none", "x"], want: "The key none is not a valid list" },
    { fun: "grains.remove", arg: ["none", "x"], want: "The key none is not a valid list" },
    { fun: "grains.equals", arg: ["site:rack", 7], want: true },
    { fun: "grains.equals", arg: ["site:rack", "7"], want: true },
    { fun: "grains.equals", arg: ["no", "x"], want: false },
    { fun: "grains.item", arg: ["role", "no", "site:dc"], want: { role: "web", no: "", "site:dc": "east" } },
    { fun: "grains.item", arg: ["no", kwargs({ default: "zz" })], want: { no: "zz" } },
    { fun: "grains.ls", arg: [], want: ["none", "role", "roles", "site"] },
    { fun: "grains.filter_by", arg: [{ web: "W", db: "D" }, "role"], want: "W" },
    { fun: "grains.filter_by", arg: [{ db: "D" }, "role"], want: null },
    { fun: "grains.filter_by", arg: [{ db: "D", default: "X" }, "role"], want: "X" },
    { fun: "grains.filter_by", arg: [{ "we*": 5 }, "role"], want: 5 },
    {
      fun: "grains.filter_by",
      arg: [{ default: { a: 1 }, web: { b: 2 } }, "role", kwargs({ merge: { c: 3 }, base: "default" })],
      want: { a: 1, b: 2, c: 3 },
    },
  ] as { fun: string; arg: unknown[]; want: unknown }[]
) {
  test(`${fun}(${JSON.stringify(arg).slice(1, -1)})`, async () => {
    const minion = await testMinion({ grains: GRAINS });
    assert.deepEqual(asObjects(await minion.value(fun, ...arg)), want);
  });
}

test("grains.items: sanitize hides the identity of the minion", async () => {
  const minion = await testMinion({
    grains: { host: "web1", fqdn: "web1.example", serialnumber: "12345678", os: "Debian" },
  });
  assert.deepEqual(await minion.value("grains.items", kwargs({ sanitize: true })), {
    host: "MINION",
    fqdn: "MINION.DOMAINNAME",
    serialnumber: "123456XX",
    os: "Debian",
  });
});

/** Steps as real Salt answered them, one after the other, from the grains `role` and `site` above. */
const STEPS: { fun: string; arg: unknown[]; want: unknown }[] = [
  { fun: "grains.setval", arg: ["gk", [1, 2]], want: { gk: [1, 2] } },
  { fun: "grains.append", arg: ["gk", 3], want: { gk: [1, 2, 3] } },
  { fun: "grains.append", arg: ["gk", 3], want: "The val 3 was already in the list gk" },
  { fun: "grains.append", arg: ["gk", [4, 5]], want: { gk: [1, 2, 3, 4, 5] } },
  { fun: "grains.remove", arg: ["gk", 3], want: { gk: [1, 2, 4, 5] } },
  { fun: "grains.remove", arg: ["gk", 9], want: "The val 9 was not in the list gk" },
  { fun: "grains.remove", arg: ["nokey", 9], want: "The val 9 was not in the list nokey" },
  { fun: "grains.append", arg: ["role", "x"], want: "The key role is not a valid list" },
  { fun: "grains.append", arg: ["role", "x", true], want: { role: ["web", "x"] } },
  { fun: "grains.append", arg: ["newkey", "v"], want: { newkey: ["v"] } },
  { fun: "grains.append", arg: ["a:b:c", "v"], want: { a: { b: { c: ["v"] } } } },
  {
    fun: "grains.delkey",
    arg: ["gk"],
    want: {
      comment: "The key 'gk' exists but is a dict or a list. Use 'force=True' to overwrite.",
      changes: {},
      result: false,
    },
  },
  {
    fun: "grains.delval",
    arg: ["gk", kwargs({ force: true })],
    want: { comment: "", changes: { gk: null }, result: true },
  },
  { fun: "grains.delkey", arg: ["gk", true], want: { comment: "", changes: { gk: null }, result: true } },
  { fun: "grains.delkey", arg: ["nokey"], want: { comment: "", changes: { nokey: null }, result: true } },
  { fun: "grains.delval", arg: ["nokey"], want: { comment: "", changes: { nokey: null }, result: true } },
  { fun: "grains.setval", arg: ["n1", null], want: { n1: null } },
  { fun: "grains.setval", arg: ["n1", null, true], want: { n1: null } },
  { fun: "grains.setvals", arg: [{ x: 1, y: { z: 2 } }], want: { x: 1, y: { z: 2 } } },
  { fun: "grains.set", arg: ["y:z", 3], want: { comment: "", changes: { y: { z: 3 } }, result: true } },
  { fun: "grains.set", arg: ["y:z", 3], want: { comment: "Grain is already set", changes: {}, result: true } },
  {
    fun: "grains.set",
    arg: ["y", 3],
    want: {
      comment: "The key 'y' exists but is a dict or a list. Use 'force=True' to overwrite.",
      changes: {},
      result: false,
    },
  },
  { fun: "grains.set", arg: ["y", 3, true], want: { comment: "", changes: { y: 3 }, result: true } },
  { fun: "grains.set", arg: ["q:r:s", 1], want: { comment: "", changes: { q: { r: { s: 1 } } }, result: true } },
  {
    fun: "grains.set",
    arg: ["x:y", 1],
    want: {
      comment: "The key 'x' value is '1', which is different from the provided key 'y'. Use 'force=True' to overwrite.",
      changes: {},
      result: false,
    },
  },
  { fun: "grains.set", arg: ["x:y", 1, true], want: { comment: "", changes: { x: { y: 1 } }, result: true } },
  { fun: "grains.set", arg: ["x", [1, 2], true], want: { comment: "", changes: { x: [1, 2] }, result: true } },
  {
    fun: "grains.set",
    arg: ["x", kwargs({ force: true, destructive: true })],
    want: { comment: "", changes: { x: "" }, result: true },
  },
];

test("grains: a sequence of changes is answered and stored as by real Salt", async () => {
  const first = await testMinion();
  await inTemporary(first.runtime, async (directory) => {
    const minion = await testMinion({ grains: structuredClone(GRAINS), opts: { conf_file: `${directory}/minion` } });
    for (const [index, { fun, arg, want }] of STEPS.entries()) {
      assert.deepEqual((await minion.run(fun, arg)).return, want, `step ${index}: ${fun} ${JSON.stringify(arg)}`);
    }
    const stored = {
      a: { b: { c: ["v"] } },
      newkey: ["v"],
      nokey: null,
      q: { r: { s: 1 } },
      role: ["web", "x"],
      x: "",
      y: 3,
    };
    assert.deepEqual(parseYaml(minion.runtime.fs.readText(`${directory}/grains`)).value, stored);
    assert.deepEqual(minion.context.grains, { ...stored, site: GRAINS.site, roles: ["a", "b"], none: null });
    assert.equal(minion.events.some(({ tag }) => tag === "pillar_refresh"), true);
  });
});

test("grains.setval: a key called __proto__ changes no prototype", async () => {
  const first = await testMinion();
  await inTemporary(first.runtime, async (directory) => {
    const minion = await testMinion({ opts: { conf_file: `${directory}/minion` } });
    await minion.run("grains.setval", ["__proto__", { polluted: true }]);
    assert.equal((minion.context.grains as Record<string, unknown>).polluted, undefined);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});

test("grains.setval: a file that cannot be read is left alone", async () => {
  const first = await testMinion();
  await inTemporary(first.runtime, async (directory) => {
    const minion = await testMinion({ opts: { conf_file: `${directory}/minion` } });
    minion.runtime.fs.write(`${directory}/grains`, "a: [unclosed\n");
    const { return: text } = await minion.run("grains.setval", ["b", 1]);
    assert.match(text as string, /^ERROR: Unable to read existing grains file: Cannot read the grains in /);
    assert.equal(minion.runtime.fs.readText(`${directory}/grains`), "a: [unclosed\n");
  });
});

test("grains.setval: without a configuration there is no file to store in", async () => {
  const minion = await testMinion();
  assert.match(
    (await minion.run("grains.setval", ["b", 1])).return as string,
    /^ERROR: Unable to write to grains file/,
  );
});

test("gatherGrains: the option is over the file, the file over what was found, and a blacklist hides", async () => {
  const { runtime, context } = await testMinion();
  await inTemporary(runtime, async (directory) => {
    runtime.fs.write(`${directory}/grains`, "os: FromFile\nrole: file\nsite: {rack: 7}\n");
    const opts = {
      conf_file: `${directory}/minion`,
      grains: { role: "option", site: { dc: "east" } },
      grains_blacklist: ["cpu_*"],
    };
    const facts = await gatherGrains({ ...context, opts });
    assert.equal(facts.os, "FromFile");
    assert.equal(facts.role, "option");
    assert.deepEqual(facts.site, { dc: "east" });
    assert.equal("cpu_model" in facts, false);
    const deep = await gatherGrains({ ...context, opts: { ...opts, grains_deep_merge: true } });
    assert.deepEqual(deep.site, { rack: 7, dc: "east" });
  });
});

test("gatherGrains: a broken file is named in the log, and the other grains are there", async () => {
  const minion = await testMinion();
  await inTemporary(minion.runtime, async (directory) => {
    minion.runtime.fs.write(`${directory}/grains`, "- a\n- list\n");
    const facts = await gatherGrains({ ...minion.context, opts: { conf_file: `${directory}/minion` } });
    assert.equal(typeof facts.kernel, "string");
    assert.match(String(minion.records.at(-1)?.fields.error), /expected a map/);
  });
});
