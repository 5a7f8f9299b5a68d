import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobControl } from "../../src/model/loader/family.ts";
import { moduleName, MODULES } from "../../src/plugins/modules/mod.ts";
import { encode } from "../../src/protocol/wire/msgpack.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { asObjects } from "../support/ordered.ts";
import { inTemporary } from "./temporary.ts";

const OPTS = {
  nothing: null,
  "test.foo": "hello",
  "test.bar": 2,
  role: "opts",
  list: [1],
  map: { a: 1, deep: { x: 1 } },
  cmd_safe: true,
};
const PILLAR = { list: [2], map: { b: 2, deep: { y: 2 } }, master: { only: "master", "test.baz": 3, map: { c: 3 } } };

for (
  const { fun, arg, want } of [
    { fun: "config.get", arg: ["test.foo"], want: "hello" },
    { fun: "config.get", arg: ["role"], want: "opts" },
    { fun: "config.get", arg: ["role", kwargs({ omit_opts: true })], want: "grains" },
    { fun: "config.get", arg: ["map:deep:x"], want: 1 },
    { fun: "config.get", arg: ["only"], want: "master" },
    { fun: "config.get", arg: ["only", kwargs({ omit_master: true })], want: "" },
    { fun: "config.get", arg: ["hosts.file"], want: "/etc/hosts" },
    { fun: "config.get", arg: ["no", "zz"], want: "zz" },
    { fun: "config.get", arg: ["constructor"], want: "" },
    { fun: "config.get", arg: ["map", kwargs({ merge: "recurse" })], want: { c: 3, b: 2, deep: { y: 2, x: 1 }, a: 1 } },
    { fun: "config.get", arg: ["map", kwargs({ merge: "overwrite" })], want: { deep: { x: 1 }, a: 1 } },
    { fun: "config.get", arg: ["grains:role"], want: "grains" },
    { fun: "config.get", arg: ["pillar:master"], want: PILLAR.master },
    { fun: "config.option", arg: ["test.foo"], want: "hello" },
    { fun: "config.option", arg: ["no.opt"], want: "" },
    { fun: "config.option", arg: ["no.opt", 5], want: 5 },
    {
      fun: "config.option",
      arg: ["test.*", kwargs({ wildcard: true })],
      want: { "test.foo": "hello", "test.baz": 3, "test.bar": 2 },
    },
    { fun: "config.merge", arg: ["list"], want: [1, 2] },
    { fun: "config.merge", arg: ["map"], want: { c: 3, b: 2, deep: { x: 1 }, a: 1 } },
    { fun: "config.merge", arg: ["test.foo"], want: "hello" },
    { fun: "config.merge", arg: ["nope"], want: "" },
    { fun: "config.merge", arg: ["nothing"], want: "" },
    { fun: "config.dot_vals", arg: ["test"], want: { "test.baz": 3, "test.foo": "hello", "test.bar": 2 } },
    { fun: "config.manage_mode", arg: [644], want: "0644" },
    { fun: "config.manage_mode", arg: ['"0644"'], want: "0644" },
    { fun: "config.manage_mode", arg: [1777], want: "1777" },
    { fun: "config.manage_mode", arg: ["keep"], want: "keep" },
    { fun: "config.manage_mode", arg: [null], want: null },
    { fun: "config.valid_fileproto", arg: ["http://x"], want: true },
    { fun: "config.valid_fileproto", arg: ["foo://x"], want: false },
    { fun: "config.valid_fileproto", arg: ["/x"], want: false },
    { fun: "config.backup_mode", arg: [], want: "" },
    { fun: "config.backup_mode", arg: ["minion"], want: "minion" },
  ] as { fun: string; arg: unknown[]; want: unknown }[]
) {
  test(`${fun}(${JSON.stringify(arg).slice(1, -1)})`, async () => {
    const minion = await testMinion({ opts: OPTS, pillar: PILLAR, grains: { role: "grains" } });
    assert.deepEqual(asObjects(await minion.value(fun, ...arg)), want);
  });
}

test("event.send: data are over keyword arguments, those over what was asked for", async () => {
  const minion = await testMinion({ grains: { os: "Debian", id: "a" }, opts: { saltenv: null } });
  const asked = kwargs({ with_grains: ["os", "no"], with_env_opts: true, a: "keyword", b: 2 });
  assert.equal(await minion.value("event.send", "my/tag", { a: 1 }, asked), true);
  const [{ bus, tag, data }] = minion.events as [typeof minion.events[number]];
  const own = Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith("__pub_")));
  assert.deepEqual({ bus, tag, own }, {
    bus: "master",
    tag: "my/tag",
    own: { grains: { os: "Debian" }, saltenv: null, pillarenv: null, a: 1, b: 2 },
  });
});

test("event.send: a masterless minion fires on its own bus, and preload adds to the request", async () => {
  const masterless = await testMinion({ opts: { file_client: "local" } });
  assert.equal(await masterless.value("event.send", "my/tag", "text", kwargs({ a: 1 })), true);
  assert.equal(await masterless.value("event.fire_master", { a: 1 }, "my/tag"), false);
  assert.deepEqual(masterless.events.map(({ bus, tag, data }) => [bus, tag, data.a]), [["local", "my/tag", 1]]);
  const asked: unknown[] = [];
  const master = {
    fireEvent: () => Promise.resolve(false),
    fireLocal: () => {},
    request: (load: unknown) => Promise.resolve(asked.push(load) > 0),
  };
  const minion = await testMinion({ master, opts: { id: "alpha" } });
  assert.equal(await minion.value("event.fire_master", { a: 1 }, "my/tag", { pretag: "pre" }), true);
  assert.deepEqual(asked, [{ cmd: "_minion_event", id: "alpha", tag: "my/tag", data: { a: 1 }, pretag: "pre" }]);
});

test("event: without a master nothing is sent, and the data must be a map", async () => {
  const alone = await testMinion({ master: null });
  assert.equal(await alone.value("event.send", "t"), false);
  assert.equal(await alone.value("event.fire", { a: 1 }, "t"), false);
  const minion = await testMinion();
  assert.equal(await minion.value("event.fire", "text", "t"), false);
  assert.deepEqual(minion.events, []);
});

const JOBS = [
  { jid: "20240101000000000000", pid: 1, fun: "saltutil.running" },
  { jid: "20240101000000000001", pid: 7, fun: "cmd.run" },
  { jid: "20240101000000000002", pid: 8, fun: ["test.sleep", "test.ping"] },
  { jid: "20240101000000000003", pid: 9, fun: "state.apply" },
];

function jobs(): JobControl & { sent: [string, number][] } {
  const sent: [string, number][] = [];
  return {
    sent,
    running: () => JOBS,
    signal(jid, signal) {
      sent.push([jid, signal]);
      return jid === "20240101000000000003" ? undefined : { pid: 7 };
    },
  };
}

test("saltutil.running: lists the jobs without its own", async () => {
  const minion = await testMinion({ jobs: jobs() });
  assert.deepEqual(await minion.value("saltutil.running"), JOBS.slice(1));
  assert.deepEqual(await minion.value("saltutil.find_job", "20240101000000000001"), JOBS[1]);
  assert.deepEqual(await minion.value("saltutil.find_job", "20240101000000000000"), {});
  assert.deepEqual(await minion.value("saltutil.is_running", "test.*"), [JOBS[2]]);
});

test("saltutil.revoke_auth: asks the master, whose refusal is the load itself", async () => {
  const asked: unknown[] = [];
  let lets = true;
  const master = {
    fireEvent: () => Promise.resolve(true),
    fireLocal: () => {},
    request(load: Record<string, unknown>) {
      asked.push(load);
      return Promise.resolve(lets ? true : load);
    },
  };
  const minion = await testMinion({ master });
  assert.equal(await minion.value("saltutil.revoke_auth", true), true);
  lets = false;
  assert.equal(await minion.value("saltutil.revoke_auth"), false);
  assert.deepEqual(
    asked,
    [true, false].map((preserve_minion_cache) => ({ cmd: "revoke_auth", preserve_minion_cache })),
  );
  assert.equal(await (await testMinion({ master: null })).value("saltutil.revoke_auth"), false);
});

test("saltutil.find_cached_job: returns the stored return of a job, and never another file", async () => {
  const { runtime } = await testMinion();
  await inTemporary(runtime, async (cachedir) => {
    const jid = "20240101000000000001";
    const of = async (wanted: unknown, cache_jobs: boolean) =>
      await (await testMinion({ opts: { cachedir, cache_jobs } })).value("saltutil.find_cached_job", wanted);
    assert.match(String(await of(jid, false)), /enable cache_jobs/);
    assert.equal(await of(jid, true), `Local jobs cache directory ${cachedir}/minion_jobs/${jid} not found`);
    runtime.fs.mkdir(`${cachedir}/minion_jobs/${jid}`, 0o755);
    runtime.fs.write(`${cachedir}/minion_jobs/${jid}/return.p`, encode({ jid, return: [1, "two"] }, "wire"));
    assert.deepEqual(await of(jid, false), { jid, return: [1, "two"] });
    assert.deepEqual(await of(jid, true), { jid, return: [1, "two"] });
    runtime.fs.write(`${cachedir}/return.p`, encode({ other: 1 }, "wire"));
    assert.match(String(await of("..", true)), /not found$/);
    runtime.fs.write(`${cachedir}/minion_jobs/${jid}/return.p`, "");
    assert.equal(await of(jid, true), null);
  });
});

test("saltutil.signal_job: signals known jobs only, and says so", async () => {
  const running = jobs();
  const minion = await testMinion({ jobs: running });
  const at = (signal: number) => `Signal ${signal} sent to job 20240101000000000001 at pid 7`;
  assert.equal(await minion.value("saltutil.signal_job", "20240101000000000001", 10), at(10));
  assert.equal(await minion.value("saltutil.signal_job", "20240101000000000001", "SIGHUP"), at(1));
  assert.equal(await minion.value("saltutil.term_job", "20240101000000000001"), at(15));
  assert.equal(await minion.value("saltutil.kill_job", "20240101000000000001"), at(9));
  assert.equal(await minion.value("saltutil.kill_job", "20990101000000000001"), "");
  const warned = minion.records.filter(({ level }) => level === "warning").map((
    { message, fields },
  ) => [message, fields]);
  assert.deepEqual(warned, [
    ["no job was signalled: none of this id is running here", { jid: "20990101000000000001" }],
  ]);
  assert.equal(await minion.value("saltutil.kill_job", "20240101000000000000"), "");
  assert.deepEqual(running.sent.map(([, signal]) => signal), [10, 1, 15, 9]);
  assert.match(
    (await minion.run("saltutil.signal_job", ["x", "rm -rf"])).return as string,
    /^Passed invalid arguments/,
  );
});

test("saltutil.kill_all_jobs: reaches every other job", async () => {
  const running = jobs();
  const minion = await testMinion({ jobs: running });
  const answers = await minion.value("saltutil.kill_all_jobs") as string[];
  assert.deepEqual(running.sent.map(([jid]) => jid), JOBS.slice(1).map(({ jid }) => jid));
  assert.equal(answers[2], "Job 20240101000000000003 was not running and job data has been cleaned up");
});

test("saltutil.clear_cache: empties caches, not keys, and never without a cache of its own", async () => {
  const first = await testMinion();
  await inTemporary(first.runtime, async (directory) => {
    const { fs } = first.runtime;
    fs.mkdir(`${directory}/files/base`);
    fs.mkdir(`${directory}/proc`);
    fs.mkdir(`${directory}/outside`);
    fs.write(`${directory}/files/base/a`, "x");
    fs.write(`${directory}/proc/job`, "x");
    fs.mkdir(`${directory}/archive_hash`);
    fs.write(`${directory}/archive_hash/a.hash`, "x");
    for (const name of ["highstate.cache.p", "python.json", "module_refresh"]) fs.write(`${directory}/${name}`, "x");
    fs.write(`${directory}/outside/a`, "x");
    fs.symlink(`${directory}/outside`, `${directory}/roots`);
    const minion = await testMinion({ opts: { cachedir: directory } });
    assert.equal(await minion.value("saltutil.clear_cache"), true);
    assert.deepEqual([fs.list(`${directory}/files`), fs.list(`${directory}/archive_hash`)], [[], []]);
    const files = fs.list(directory).filter((name) => fs.stat(`${directory}/${name}`)?.kind === "file");
    assert.deepEqual(files, ["module_refresh"]);
    assert.deepEqual([fs.list(`${directory}/proc`), fs.list(`${directory}/outside`)], [["job"], ["a"]]);
    for (const cachedir of ["", "/", undefined]) {
      const without = await testMinion({
        opts: { cachedir },
        runtime: { fs: { ...fs, remove: () => assert.fail("removed") } },
      });
      assert.equal(await without.value("saltutil.clear_cache"), true);
    }
  });
});

test("saltutil.clear_job_cache: removes jobs that are old enough", async () => {
  const first = await testMinion();
  await inTemporary(first.runtime, async (directory) => {
    const { fs, clock } = first.runtime;
    fs.mkdir(`${directory}/minion_jobs`);
    for (const name of ["old", "new"]) fs.write(`${directory}/minion_jobs/${name}`, "x");
    const yesterday = clock.now() - 25 * 3_600_000;
    fs.utimes(`${directory}/minion_jobs/old`, yesterday, yesterday);
    const minion = await testMinion({ opts: { cachedir: directory } });
    assert.equal(await minion.value("saltutil.clear_job_cache"), true);
    assert.deepEqual(fs.list(`${directory}/minion_jobs`), ["new"]);
  });
});

test("saltutil: refreshes are events of the minion", async () => {
  const minion = await testMinion();
  for (const fun of ["refresh_modules", "refresh_grains", "refresh_pillar", "pillar_refresh", "refresh_beacons"]) {
    assert.equal(await minion.value(`saltutil.${fun}`), true, fun);
  }
  assert.deepEqual(minion.events.map(({ tag }) => tag), [
    "module_refresh",
    "pillar_refresh",
    "pillar_refresh",
    "pillar_refresh",
    "beacons_refresh",
  ]);
  assert.equal(await (await testMinion({ master: null })).value("saltutil.refresh_pillar"), false);
});

test("sys.list_functions: all functions are documented, and their signatures parse", async () => {
  const minion = await testMinion();
  const names = await minion.value("sys.list_functions") as string[];
  assert.deepEqual(names, names.toSorted());
  const docs = await minion.value("sys.doc") as Record<string, string | null>;
  assert.deepEqual(Object.keys(docs).filter((name) => docs[name] === null), []);
  assert.equal(Object.keys(await minion.value("sys.argspec") as object).length, names.length);
  const modules = await minion.value("sys.list_modules") as string[];
  assert.deepEqual(modules, [...new Set(names.map((name) => name.split(".", 1)[0]!))].sort());
  // Not listed is only what tells why this host cannot have it.
  for (const name of Object.keys(MODULES).filter((name) => !modules.includes(moduleName(name)))) {
    const { module } = await MODULES[name]!();
    assert.equal(typeof (module.virtual!(minion.context) as { unavailable: string }).unavailable, "string", name);
  }
  assert.deepEqual(await minion.value("sys.list_modules", "te*"), ["temp", "test"]);
});

for (
  const { fun, arg, want } of [
    { fun: "sys.list_functions", arg: ["test.p"], want: [] },
    { fun: "sys.list_functions", arg: ["test.ping"], want: ["test.ping"] },
    { fun: "sys.list_functions", arg: ["grains.it*"], want: ["grains.item", "grains.items"] },
    {
      fun: "sys.argspec",
      arg: ["test.ping"],
      want: { "test.ping": { args: null, defaults: null, varargs: null, kwargs: null } },
    },
    {
      fun: "sys.argspec",
      arg: ["cmd.has_exec"],
      want: { "cmd.has_exec": { args: ["cmd"], defaults: null, varargs: null, kwargs: null } },
    },
    {
      fun: "sys.argspec",
      arg: ["test.arg"],
      want: { "test.arg": { args: null, defaults: null, varargs: true, kwargs: true } },
    },
    { fun: "sys.doc", arg: ["nosuch.x"], want: {} },
    { fun: "sys.doc", arg: ["__proto__"], want: {} },
    { fun: "sys.reload_modules", arg: [], want: null },
    { fun: "sys.list_runners", arg: ["j*", "survey"], want: ["jobs", "survey"] },
    { fun: "sys.list_runner_functions", arg: ["survey"], want: ["survey.diff", "survey.hash"] },
    {
      fun: "sys.runner_argspec",
      arg: ["survey.hash"],
      want: { "survey.hash": { args: null, defaults: null, varargs: true, kwargs: true } },
    },
    { fun: "sys.list_returners", arg: ["rawfile*"], want: ["rawfile_json"] },
    { fun: "sys.list_returner_functions", arg: ["rawfile_json"], want: ["rawfile_json.returner"] },
    { fun: "sys.returner_doc", arg: ["rawfile_json"], want: { "rawfile_json.returner": "Saves the return of a job." } },
    {
      fun: "sys.returner_argspec",
      arg: ["rawfile_json"],
      want: { "rawfile_json.returner": { args: ["ret"], defaults: null, varargs: null, kwargs: null } },
    },
    { fun: "sys.list_renderers", arg: [], want: ["gpg", "jinja", "js", "json", "toml", "ts", "yaml"] },
    { fun: "sys.renderer_doc", arg: ["json"], want: { json: "Reads JSON." } },
    { fun: "sys.renderer_doc", arg: ["gpg"], want: { gpg: "Decrypts values in PGP armour." } },
    { fun: "sys.state_doc", arg: ["x"], want: {} },
    { fun: "sys.list_state_modules", arg: ["te*", "cmd"], want: ["cmd", "test"] },
    { fun: "sys.list_state_functions", arg: ["test.n*", "test.check_pillar"], want: ["test.check_pillar", "test.nop"] },
    {
      fun: "sys.state_argspec",
      arg: ["test.mod_watch"],
      want: { "test.mod_watch": { args: ["name", "sfun"], defaults: [null], varargs: null, kwargs: true } },
    },
    {
      fun: "sys.state_argspec",
      arg: ["test.configurable_test_state"],
      want: {
        "test.configurable_test_state": {
          args: ["name", "changes", "result", "comment", "warnings"],
          defaults: [true, true, "", null],
          varargs: null,
          kwargs: null,
        },
      },
    },
  ] as { fun: string; arg: unknown[]; want: unknown }[]
) {
  test(`${fun}(${JSON.stringify(arg).slice(1, -1)})`, async () => {
    assert.deepEqual(await (await testMinion()).value(fun, ...arg), want);
  });
}
