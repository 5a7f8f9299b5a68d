import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionModule } from "../../../../src/model/loader/family.ts";
import type { ModuleRegistry } from "../../../../src/model/loader/loader.ts";
import { callFunction, type ExecuteOptions } from "../../../../src/host/minion/processes/execute_job.ts";
import { kwargs, testMinion } from "../../../support/context.ts";

const plain = { signature: "", doc: "" };

/** A registry with one module called `probe`. */
function probe(functions: ExecutionModule["functions"], virtual?: ExecutionModule["virtual"]): ModuleRegistry {
  return { probe: () => Promise.resolve({ module: { functions, ...(virtual === undefined ? {} : { virtual }) } }) };
}

for (
  const fun of [
    "__proto__.constructor",
    "constructor.name",
    "toString.call",
    "test.__proto__",
    "test.constructor",
    "test.toString",
    "test.hasOwnProperty",
    "test",
    ".ping",
    "test.",
    "test.ping.x",
    "test ping",
    "test.ping\n",
    "../modules/test.ping",
    "",
    "test.ping;id",
  ]
) {
  test(`executeJob: the name ${JSON.stringify(fun)} runs nothing`, async () => {
    const minion = await testMinion();
    const { return: value, retcode, success, out } = await minion.run(fun);
    assert.deepEqual({ retcode, success, out }, { retcode: 1, success: false, out: "nested" });
    const message = typeof value === "object" ? (value as Record<string, unknown>)[fun] : value;
    assert.equal(message, `'${fun}' is not available.`);
  });
}

test("executeJob: a function that is not text is not available", async () => {
  const minion = await testMinion();
  assert.equal((await minion.run(5)).return, "5 is not available.");
  assert.equal((await minion.run(null)).retcode, 1);
});

test("executeJob: the beginning of names returns their documentation", async () => {
  const minion = await testMinion({ modules: { gold: () => import("../gold.ts") } });
  const { return: value, retcode } = await minion.run("gold.ne");
  assert.deepEqual(value, { "gold.need": "Needs two.", "gold.ne": "'gold.ne' is not available." });
  assert.equal(retcode, 1);
  const { return: undocumented } = await minion.run("gold.nod");
  assert.deepEqual(undocumented, { "gold.nodoc": null, "gold.nod": "'gold.nod' is not available." });
});

test("executeJob: a module that refuses to load says why", async () => {
  const because = await testMinion({
    modules: probe({ f: { ...plain, run: () => 1 } }, () => ({ unavailable: "no tool" })),
  });
  assert.equal((await because.run("probe.f")).return, "'probe' __virtual__ returned False: no tool");
  const silent = await testMinion({ modules: probe({ f: { ...plain, run: () => 1 } }, () => ({ unavailable: "" })) });
  assert.equal((await silent.run("probe.f")).return, "'probe' __virtual__ returned False");
});

test("executeJob: a module that throws on load fails its own functions only", async () => {
  const minion = await testMinion({ modules: { broken: () => Promise.reject(new Error("bad file")) } });
  assert.equal((await minion.run("broken.f")).return, "'broken' failed to load: bad file");
  assert.equal((await minion.run("test.ping")).return, true);
});

test("executeJob: undefined becomes null, which is not a failure", async () => {
  const minion = await testMinion({ modules: probe({ f: { ...plain, run: () => undefined } }) });
  assert.deepEqual(await minion.run("probe.f"), { return: null, retcode: 0, success: true });
});

for (
  const { name, value, code } of [
    { name: "a map with result False", value: { result: false }, code: 1 },
    { name: "a map with an empty success", value: { success: "" }, code: 1 },
    { name: "a Map with result None", value: new Map([["result", null]]), code: 1 },
    { name: "a map with result True", value: { result: true, success: 1 }, code: 0 },
    { name: "an empty map", value: {}, code: 0 },
    { name: "False", value: false, code: 0 },
    { name: "a list", value: [{ result: false }], code: 0 },
  ]
) {
  test(`executeJob: ${name} is code ${code}`, async () => {
    const minion = await testMinion({ modules: probe({ f: { ...plain, run: () => value } }) });
    const outcome = await minion.run("probe.f");
    assert.equal(outcome.retcode, code);
    assert.equal(outcome.success, code === 0);
  });
}

test("executeJob: the outputter of a function goes with its return", async () => {
  const minion = await testMinion({ modules: probe({ f: { ...plain, out: "highstate", run: () => 1 } }) });
  assert.equal((await minion.run("probe.f")).out, "highstate");
});

test("executeJob: fields of the publication reach arbitrary keywords only", async () => {
  const minion = await testMinion({ modules: { gold: () => import("../gold.ts") } });
  const { return: value } = await minion.run("gold.pubargs", [kwargs({ a: 1 })]);
  assert.deepEqual(Object.keys(value as object), [
    "__pub_fun",
    "__pub_arg",
    "__pub_tgt",
    "__pub_jid",
    "__pub_ret",
    "__pub_tgt_type",
    "__pub_user",
  ]);
  assert.deepEqual((await minion.run("gold.need", [1, 2])).return, [1, 2, "three"]);
});

test("executeJob: text of the form name=value is a keyword argument", async () => {
  const minion = await testMinion({ modules: { gold: () => import("../gold.ts") } });
  assert.deepEqual((await minion.run("gold.need", ["a=5", "b=[1, 2]"])).return, [5, [1, 2], "three"]);
});

test("executeJob: a keyword called __proto__ changes no prototype", async () => {
  const minion = await testMinion();
  const keyword = new Map<string, unknown>([["__kwarg__", true], ["__proto__", { polluted: true }]]);
  const { return: value } = await minion.run("test.kwarg", [keyword]);
  assert.equal((value as Record<string, unknown>).polluted, undefined);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test("executeJob: a native error is an exception with a traceback, its frames innermost last", async () => {
  const minion = await testMinion({
    modules: probe({ f: { ...plain, run: () => (undefined as unknown as { x: { y: 1 } }).x.y } }),
  });
  const { return: text, retcode } = await minion.run("probe.f");
  assert.match(
    text as string,
    /^The minion function caused an exception: Traceback \(most recent call last\):\n( {2}File ".*", line \d+, in .*\n)+TypeError: .*\n$/,
  );
  assert.equal(retcode, 1);
});

test("executeJob: what is thrown need not be an error", async () => {
  const minion = await testMinion({
    modules: probe({
      f: {
        ...plain,
        run() {
          throw "just text";
        },
      },
    }),
  });
  assert.match((await minion.run("probe.f")).return as string, /\nException: just text\n$/);
});

test("executeJob: a function that is missing inside another is an exception of that one", async () => {
  const minion = await testMinion();
  const { return: text } = await minion.run("test.cross_test", ["no.such"]);
  assert.match(text as string, /\nKeyError: 'no.such'\n$/);
});

test("executeJob: a function called by another shares its job", async () => {
  const minion = await testMinion();
  assert.equal((await minion.run("test.cross_test", ["test.retcode", [7]])).retcode, 7);
});

test("executeJob: jobs do not share their codes", async () => {
  const minion = await testMinion();
  const outcomes = await Promise.all([
    minion.run("test.retcode", [3]),
    minion.run("test.ping"),
    minion.run("test.retcode", [4]),
  ]);
  assert.deepEqual(outcomes.map(({ retcode }) => retcode), [3, 0, 4]);
});

test("executeJob: a killed job has no outcome, and its late failure is ignored", async () => {
  const abort = new AbortController();
  let fail = (_error: Error) => {};
  const minion = await testMinion({
    modules: probe({ f: { ...plain, run: () => new Promise((_resolve, reject) => fail = reject) } }),
  });
  const job = minion.run("probe.f", [], { signal: abort.signal });
  const killed = assert.rejects(job, /killed/);
  await new Promise<void>((resolve) => minion.runtime.later(resolve));
  abort.abort(new Error("killed"));
  await killed;
  fail(new Error("too late"));
  assert.equal((await minion.run("test.ping")).return, true);
  await assert.rejects(minion.run("test.ping", [], { signal: abort.signal }), /killed/);
});

test("executeJob: several functions return maps by name, and one that fails has no code", async () => {
  const minion = await testMinion({ modules: { gold: () => import("../gold.ts") } });
  const outcome = await minion.run(["test.ping", "gold.zerodiv", "test.retcode", "no.such"], [[], [], [5], []]);
  const values = outcome.return as Record<string, unknown>;
  assert.equal(values["test.ping"], true);
  assert.match(values["gold.zerodiv"] as string, /^Traceback[^]*\nZeroDivisionError: division by zero\n$/);
  assert.match(values["no.such"] as string, /\nKeyError: 'no.such'\n$/);
  assert.deepEqual(outcome.retcode, { "test.ping": 0, "test.retcode": 5 });
  assert.deepEqual(outcome.success, {
    "test.ping": true,
    "gold.zerodiv": false,
    "test.retcode": false,
    "no.such": false,
  });
  assert.equal("out" in outcome, false);
});

test("executeJob: of a function named twice the last result is kept", async () => {
  const minion = await testMinion();
  const { return: value } = await minion.run(["test.echo", "test.echo"], [["x"], ["y"]]);
  assert.deepEqual(value, { "test.echo": "y" });
});

test("executeJob: multifunc_ordered returns lists", async () => {
  const minion = await testMinion({ modules: { gold: () => import("../gold.ts") } });
  const outcome = await minion.run(["test.echo", "gold.zerodiv", "test.echo"], [["x"], [], ["y"]], {
    load: { multifunc_ordered: true },
  });
  const values = outcome.return as unknown[];
  assert.deepEqual([values[0], values[2]], ["x", "y"]);
  assert.deepEqual(outcome.retcode, [0, null, 0]);
  assert.deepEqual(outcome.success, [true, false, true]);
});

test("executeJob: a minion in blackout runs what its whitelist names", async () => {
  const minion = await testMinion({ pillar: { minion_blackout: true, minion_blackout_whitelist: ["test.ping"] } });
  assert.equal((await minion.run("test.ping")).return, true);
  assert.equal((await minion.run("saltutil.refresh_pillar")).return, true);
  assert.match(
    (await minion.run("test.true")).return as string,
    /^ERROR executing 'test.true': Minion in blackout mode\./,
  );
});

test("callFunction: who is on the host calls what a blackout refuses to the master", async () => {
  const { functions, context } = await testMinion({ pillar: { minion_blackout: true } });
  const load = { fun: "test.true", arg: [], jid: "" };
  const outcome = await callFunction({ functions, load, context: () => context } as unknown as ExecuteOptions);
  assert.equal(outcome.return, true);
});

test("executeJob: a failure is logged without the arguments", async () => {
  const minion = await testMinion();
  await minion.run("test.echo", ["secret", "more secret"]);
  assert.equal(minion.records.length, 1);
  assert.equal(JSON.stringify(minion.records).includes("secret"), false);
});
