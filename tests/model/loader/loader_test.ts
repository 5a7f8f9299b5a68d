import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context, ExecutionModule } from "../../../src/model/loader/family.ts";
import type { Virtual } from "../../../src/model/loader/loaded_file.ts";
import { createFunctionTable, type ModuleRegistry } from "../../../src/model/loader/loader.ts";
import { silentLogger } from "../../../src/base/log.ts";

const context = () => ({ log: silentLogger }) as Context;
const answering = (value: unknown, virtual?: ExecutionModule["virtual"]) => () =>
  Promise.resolve({
    module: {
      functions: { f: { signature: "", doc: "", run: () => value } },
      ...(virtual === undefined ? {} : { virtual }),
    },
  });

test("createFunctionTable: nothing is loaded before it is asked for, and once", async () => {
  const loads: string[] = [];
  const noting = (name: string) => () => {
    loads.push(name);
    return answering(name)();
  };
  const table = createFunctionTable({ a: noting("a"), b: noting("b") }, context);
  await Promise.all([table.find("a.f"), table.find("a.f")]);
  assert.deepEqual(loads, ["a"]);
});

test("createFunctionTable: a module may go by another name, and no longer by its own", async () => {
  const table = createFunctionTable({ aptpkg: answering(1, () => "pkg") }, context);
  assert.equal("function" in await table.find("pkg.f"), true);
  assert.deepEqual(await table.find("aptpkg.f"), { message: "'aptpkg.f' is not available." });
  assert.deepEqual(await table.modules(), ["pkg"]);
  assert.deepEqual([...await table.providers()], [["pkg", "aptpkg"]]);
});

test("createFunctionTable: a file adds functions to a module by going by its name", async () => {
  const loads: string[] = [];
  const other = async () => {
    loads.push("other");
    return await answering(3)();
  };
  const extra = async () => {
    const { module } = await answering(2, () => "a")();
    return { module: { ...module, functions: { g: module.functions.f! } } };
  };
  const table = createFunctionTable({ a: answering(1), own_a: extra, other }, context);
  for (const name of ["a.f", "a.g"]) assert.equal("function" in await table.find(name), true, name);
  assert.deepEqual(await table.find("a.h"), { message: "'a.h' is not available." });
  assert.deepEqual(loads, []);
  assert.deepEqual((await table.list()).map(({ name }) => name), ["a.f", "a.g", "other.f"]);
});

test("createFunctionTable: hasModule() loads the file of a name, those with it in theirs, and all only for another", async () => {
  const opened: string[] = [];
  const noting = (name: string, as: Virtual = true) => () => {
    opened.push(name);
    return answering(1, () => as)();
  };
  const table = createFunctionTable({
    a: noting("a"),
    aptpkg: noting("aptpkg", "pkg"),
    yumpkg: noting("yumpkg", { unavailable: "no yum" }),
    odd: noting("odd", "even"),
    none: () => Promise.resolve({ module: { functions: {} } }),
  }, context);
  const asked = async (name: string) => [await table.hasModule(name), opened.splice(0)];
  assert.deepEqual(await asked("a"), [true, ["a"]]);
  assert.deepEqual(await asked("pkg"), [true, ["aptpkg", "yumpkg"]]);
  assert.deepEqual(await asked("even"), [true, ["odd"]]);
  assert.deepEqual(await asked("aptpkg"), [false, []]);
  assert.deepEqual(await asked("yumpkg"), [false, []]);
  assert.deepEqual(await asked("none"), [false, []]);
});

test("createFunctionTable: disabled modules and those outside of the list are not there", async () => {
  const registry: ModuleRegistry = { a: answering(1), b: answering(2), c: answering(3) };
  assert.deepEqual(await createFunctionTable(registry, context, { disabled: ["a"] }).modules(), ["b", "c"]);
  assert.deepEqual(await createFunctionTable(registry, context, { only: ["b"] }).modules(), ["b"]);
  const found = await createFunctionTable(registry, context, { disabled: ["a"] }).find("a.f");
  assert.deepEqual(found, { message: "'a.f' is not available." });
});

test("createFunctionTable: what is unavailable is listed with its reason", async () => {
  const table = createFunctionTable({
    a: answering(1),
    b: answering(2, () => ({ unavailable: "no tool" })),
    c: () => Promise.reject(new Error("bad file")),
  }, context);
  assert.deepEqual([...await table.unavailable()], [
    ["b", "'b' __virtual__ returned False: no tool"],
    ["c", "'c' failed to load: bad file"],
  ]);
});

test("createFunctionTable: reload asks again whether a module is available", async () => {
  let there = false;
  const table = createFunctionTable({ a: answering(1, () => there || { unavailable: "" }) }, context);
  assert.equal("message" in await table.find("a.f"), true);
  there = true;
  assert.equal("message" in await table.find("a.f"), true);
  table.reload();
  assert.equal("message" in await table.find("a.f"), false);
});
