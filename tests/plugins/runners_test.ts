/** Runners beside `jobs`: over a master's disk in memory, and minions that answer what the test says. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLogger } from "../../src/base/log.ts";
import type { RunnerContext } from "../../src/model/loader/family.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import { MinionCache } from "../../src/host/master/minion_cache.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../support/fake_clock.ts";

interface Scene {
  context: RunnerContext;
  printed: string[];
  fired: [string, unknown][];
  asked: unknown[];
  minions: MinionCache;
}

async function scene(answers: Record<string, unknown> = {}): Promise<Scene> {
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto });
  const minions = new MinionCache(runtime.fs, silentLogger, "/cache");
  for (const id of ["db1", "web1"]) {
    minions.saveData(id, { grains: { id, os: "Test" }, pillar: { secret: id } });
    minions.saveMine(id, {
      addr: `10.0.0.${id.length}`,
      hidden: { __data__: 7, __saltmine_acl__: 1, allow_tgt: "nobody" },
    });
  }
  const printed: string[] = [];
  const fired: [string, unknown][] = [];
  const asked: unknown[] = [];
  const ids = ["db1", "web1"];
  const context = {
    runtime,
    log: silentLogger,
    opts: { cachedir: "/cache", ret_port: 4506, nodegroups: { web: "web*" } },
    minions,
    accepted: () => [...ids, "ghost"],
    expand: ({ tgt }: { tgt: unknown }) => ids.filter((id) => tgt === "*" || String(tgt).split(",").includes(id)),
    command: (request: unknown) => {
      asked.push(request);
      return Promise.resolve(answers);
    },
    expandKnown: ({ tgt }: { tgt: unknown }) => ids.filter((id) => tgt === `G@id:${id}`),
    wheel: (...call: unknown[]) => {
      asked.push(call);
      return Promise.resolve({});
    },
    ask: () => Promise.resolve({ connected: { web1: "10.0.0.4" } }),
    documentation: (of?: string) => Promise.resolve(of === "wheel" ? { "w.x": "wheel" } : { "a.b": "text" }),
    callFunction: (...call: unknown[]) => Promise.resolve(call),
    fire: (tag: string, data: unknown) => Promise.resolve(void fired.push([tag, data])),
    print: (line: string) => void printed.push(line),
  } as unknown as RunnerContext;
  return { context, printed, fired, asked, minions };
}

async function run(
  { context }: Scene,
  name: string,
  positional: unknown[] = [],
  keyword: Record<string, unknown> = {},
) {
  const [module, fun] = name.split(".") as [string, string];
  const { run, signature } = (await RUNNERS[module]!()).runner.functions[fun]!;
  return await run(
    context,
    bindArguments(fun, parseSignature(signature), positional, new Map(Object.entries(keyword))),
  );
}

describe("cache", () => {
  test("shows what the master knows of a target, and of all", async () => {
    const here = await scene();
    assert.deepEqual(await run(here, "cache.grains", ["web1"]), { web1: { id: "web1", os: "Test" } });
    assert.deepEqual(await run(here, "cache.pillar"), { db1: { secret: "db1" }, web1: { secret: "web1" } });
    assert.deepEqual(await run(here, "cache.mine", ["db1"]), { db1: { addr: "10.0.0.3", hidden: 7 } });
    assert.deepEqual(await run(here, "cache.grains", ["none"]), {});
    const some = await run(here, "cache.grains", ["*"], { fields: ["os", "missing", "constructor"] });
    assert.deepEqual(some, { web1: { os: "Test" }, db1: { os: "Test" } });
    here.context.expand = ({ tgt }) => tgt === "gone*" ? ["gone1"] : [];
    for (const fun of ["cache.grains", "cache.pillar", "cache.mine"]) {
      assert.deepEqual(await run(here, fun, ["gone*"]), { gone1: {} });
      assert.deepEqual(await run(here, fun, ["gone*"], { whatever: 1 }), { gone1: {} });
    }
  });

  test("clears what it is asked for, and nothing without a target", async () => {
    const here = await scene();
    for (const fun of ["clear_grains", "clear_pillar", "clear_mine", "clear_mine_func", "clear_all"]) {
      assert.equal(await run(here, `cache.${fun}`), false, fun);
    }
    assert.equal(await run(here, "cache.clear_grains", ["web1"]), true);
    assert.deepEqual(here.minions.data("web1"), { grains: {}, pillar: { secret: "web1" } });
    assert.equal(await run(here, "cache.clear_mine_func", ["web1"], { clear_mine_func_flag: "addr" }), true);
    assert.deepEqual(Object.keys(here.minions.mine("web1")!), ["hidden"]);
    assert.equal(await run(here, "cache.clear_all", ["db1"]), true);
    assert.deepEqual([here.minions.data("db1"), here.minions.mine("db1")], [{ grains: {}, pillar: {} }, undefined]);
  });

  test("without a target, shows the minions that something is kept of, and no accepted key beside them", async () => {
    const here = await scene();
    here.context.expand = () => ["ghost"];
    assert.deepEqual(Object.keys(await run(here, "cache.mine") as object), ["db1", "web1"]);
    assert.deepEqual(await run(here, "cache.mine", ["*"]), { ghost: {} });
  });

  test("locks, machines of a cloud and other stores: there are none, and that is said", async () => {
    const here = await scene();
    assert.equal(await run(here, "cache.clear_git_lock", ["git_pillar"], { type: "update" }), "No locks were removed");
    await assert.rejects(run(here, "cache.clear_git_lock", ["x"]), /Invalid role 'x': expected one of gitfs/);
    await assert.rejects(run(here, "cache.cloud", ["x"]), /There is no salt-cloud.*ask the provider/);
    await assert.rejects(run(here, "cache.migrate"), /Cannot move the cache to 'mmap_cache'.*nothing has to be moved/);
  });

  test("keeps values in banks, and never leaves the cache", async () => {
    const here = await scene();
    assert.equal(await run(here, "cache.store", ["a/bank", "key", { x: [1, null] }]), null);
    assert.deepEqual(await run(here, "cache.list", ["a/bank"]), ["key"]);
    assert.deepEqual(await run(here, "cache.fetch", ["a/bank", "key"]), { x: [1, null] });
    assert.deepEqual(await run(here, "cache.fetch", ["a/bank", "other"]), {});
    assert.equal(await run(here, "cache.flush", ["a/bank", "key"]), true);
    assert.deepEqual(await run(here, "cache.list", ["a/bank"]), []);
    assert.deepEqual(await run(here, "cache.list", ["nothing"]), []);
    assert.equal(await run(here, "cache.flush", ["nothing"]), false);
    for (const bad of ["../x", "/etc", "", "a/../../x", "a\0b"]) {
      await assert.rejects(run(here, "cache.store", [bad, "key", 1]), /is not a relative path without '\.\.'/, bad);
      await assert.rejects(run(here, "cache.fetch", ["bank", bad]), /The key /, bad);
    }
  });
});

describe("mine, salt, config, event, doc, test", () => {
  test("the mine is read without regard to its access lists", async () => {
    const here = await scene({ web1: true });
    assert.deepEqual(await run(here, "mine.get", ["*", "addr"]), { db1: "10.0.0.3", web1: "10.0.0.4" });
    assert.deepEqual(await run(here, "mine.get", ["web1", "addr,hidden"]), {
      addr: { web1: "10.0.0.4" },
      hidden: { web1: 7 },
    });
    assert.deepEqual(await run(here, "mine.get", ["*", "nothing"]), {});
    assert.deepEqual(await run(here, "mine.update", ["web*"]), { web1: true });
    assert.deepEqual(here.asked, [{
      tgt: "web*",
      tgt_type: "glob",
      fun: "mine.update",
      arg: [{ __kwarg__: true, clear: false, mine_functions: null }],
    }]);
  });

  test("functions run here or on minions, with their arguments", async () => {
    const here = await scene({ web1: "hi" });
    assert.deepEqual(await run(here, "salt.cmd", ["test.echo", "x"], { k: 1, __pub: 2 }), ["test.echo", ["x"], {
      k: 1,
    }]);
    assert.deepEqual(await run(here, "salt.execute", ["web1", "test.echo"], { arg: ["hi"], kwarg: { a: 1 } }), {
      web1: "hi",
    });
    assert.deepEqual(await run(here, "salt.execute", ["*", "test.ping"]), { web1: "hi", db1: false });
    const [{ fun, arg }] = here.asked as [{ fun: string; arg: unknown[] }];
    assert.deepEqual([fun, arg], ["test.echo", ["hi", { __kwarg__: true, a: 1 }]]);
  });

  test("the configuration, events, documentation and arguments", async () => {
    const here = await scene({ web1: { "test.ping": "Pings." }, db1: { "test.ping": "Other.", "cmd.run": "Runs." } });
    assert.equal(await run(here, "config.get", ["nodegroups:web"]), "web*");
    assert.equal(await run(here, "config.get", ["ssh_user"]), "root");
    assert.deepEqual(await run(here, "config.get", ["winrepo_refspecs:1"]), "+refs/tags/*:refs/tags/*");
    assert.equal(await run(here, "config.get", ["no:such"], { default: "dflt" }), "dflt");
    assert.equal(await run(here, "event.send", ["my/tag", { a: 1 }]), true);
    assert.deepEqual(here.fired, [["my/tag", { a: 1 }]]);
    await assert.rejects(run(here, "event.send", ["my/tag", "text"]), /must be a map, not 'text'/);
    assert.deepEqual(await run(here, "doc.runner"), { "a.b": "text" });
    assert.deepEqual(await run(here, "doc.wheel"), { "w.x": "wheel" });
    assert.deepEqual(Object.keys(await run(here, "doc.execution") as object), ["cmd.run", "test.ping"]);
    assert.deepEqual(await run(here, "test.arg", [1, "two"], { k: "v", __pub_x: 1 }), {
      args: [1, "two"],
      kwargs: { k: "v" },
    });
    await assert.rejects(run(here, "test.sleep", ["soon"]), /Cannot sleep 'soon'/);
    await assert.rejects(run(here, "test.metasyntactic", ["fr"]), /expected one of us, uk/);
  });
});

test("match.compound_matches says what is known to match, and nothing of others", async () => {
  const here = await scene();
  const res = async (...args: unknown[]) => (await run(here, "match.compound_matches", args) as { res: unknown }).res;
  assert.equal(await res("G@id:web1", "web1"), "web1");
  assert.equal(await res("G@id:web1", "db1"), false);
  assert.equal(await res("G@id:web1", "../web1"), false);
  Object.assign(here.context.opts, { minion_data_cache: false });
  assert.equal(await res("G@id:web1", "web1"), false);
});

test("error.error has Python's name of the error; one that Python does not know is a SaltException", async () => {
  const here = await scene();
  for (
    const [name, want] of [
      ["ValueError", "ValueError"],
      ["Exception", "Exception"],
      ["MinionError", "salt.exceptions.MinionError"],
      ["nosuch", "salt.exceptions.SaltException"],
    ]
  ) await assert.rejects(run(here, "error.error", [name, "boo"]), { name: want, message: "boo" });
});

test("network.wollist reports a file that cannot be read, and wakes nobody", async () => {
  const here = await scene();
  const told: unknown[] = [];
  here.context.progress = (data) => Promise.resolve(void told.push(data));
  assert.deepEqual(await run(here, "network.wollist", ["/nosuch"]), []);
  assert.match(JSON.stringify(told), /Failed to open the MAC file\. Error: .*\/nosuch/);
});

describe("survey", () => {
  test("groups minions that returned the same; a silent minion is a result", async () => {
    const here = await scene({ web1: "same", x1: "same" });
    assert.deepEqual(await run(here, "survey.hash", ["*", "test.echo", "same"]), [
      { pool: ["web1", "x1"], result: "same" },
      { pool: ["db1"], result: "False" },
    ]);
    const [up] = await run(here, "survey.hash", ["*", "test.echo"], { survey_sort: "up" }) as { pool: string[] }[];
    assert.deepEqual(up!.pool, ["db1"]);
    await assert.rejects(run(here, "survey.hash", ["*"]), /needs a target and a function/);
  });

  test("shows the differences to the first pool", async () => {
    const here = await scene({ db1: "a\nb", web1: "a\nc" });
    await run(here, "survey.diff", ["*", "test.echo"]);
    assert.match(
      here.printed[0]!,
      /^minion pool :\n-+\n\['db1'\]\npool size :\n-+\n {4}1\npool result :\n-+\n {4}a\nb\n$/,
    );
    assert.match(here.printed[1]!, /--- db1\n\+\+\+ web1\n@@ -2 \+2 @@\n-b\n\+c\n/);
  });
});

describe("manage", () => {
  test("presence is reported without asking a minion", async () => {
    const here = await scene();
    assert.deepEqual(await run(here, "manage.present"), ["web1"]);
    assert.deepEqual(await run(here, "manage.list_state", [], { show_ip: true }), { web1: "10.0.0.4" });
    const { ask } = here.context;
    here.context.ask = () => Promise.resolve({ connected: { web1: "127.0.0.1", db1: "127.0.0.1", new1: "127.0.0.1" } });
    here.minions.saveData("web1", { grains: { ipv4: ["127.0.0.1", "10.0.0.9", "192.0.2.1"] }, pillar: {} });
    here.minions.saveData("db1", { grains: { ipv4: ["127.0.0.1"] }, pillar: {} });
    assert.deepEqual(await run(here, "manage.present", [], { show_ip: true }), {
      db1: "127.0.0.1",
      new1: "127.0.0.1",
      web1: "10.0.0.9",
    });
    here.context.ask = ask;
    assert.deepEqual(await run(here, "manage.not_present"), ["db1", "ghost"]);
    assert.deepEqual(await run(here, "manage.not_alived", ["ghost,web1"]), ["ghost"]);
    assert.deepEqual(await run(here, "manage.not_alived", [["ghost", "web1"]]), ["ghost"]);
    here.context.accepted = () => ["b1", "C1", "d1", "web1"];
    assert.deepEqual(await run(here, "manage.not_present"), ["b1", "C1", "d1"]);
    assert.deepEqual(here.asked, []);
  });

  /** `0100007F:1F90` of `127.0.0.1` and 8080. */
  const end = (address: string, port: number) =>
    address.split(".").reverse().map((byte) => Number(byte).toString(16).padStart(2, "0")).join("").toUpperCase() +
    ":" +
    port.toString(16).toUpperCase().padStart(4, "0");
  const table = (rows: [local: [string, number], remote: [string, number], state: string][]) =>
    [
      "  sl  local_address rem_address   st",
      ...rows.map(([local, remote, state], at) =>
        `   ${at}: ${end(...local)} ${end(...remote)} ${state} 00000000:00000000`
      ),
    ].join("\n");

  /** A host with connections, and minions with cached addresses. */
  async function connections(rows: Parameters<typeof table>[0]): Promise<Scene> {
    const here = await scene();
    const { context, minions } = here;
    context.runtime.fs.mkdir("/proc/net");
    context.runtime.fs.write("/proc/net/tcp", table(rows));
    const { host } = context.runtime;
    const own = { family: "IPv4" as const, netmask: "255.255.255.0", cidr: null, internal: false, mac: "" };
    Object.assign(context, {
      runtime: {
        ...context.runtime,
        host: { ...host, interfaces: () => ({ eth0: [{ ...own, address: "10.0.0.1" }] }) },
      },
    });
    Object.assign(context.opts, { publish_port: 4505 });
    const cached = { web1: ["127.0.0.1", "10.0.0.4"], db1: ["10.0.0.5"], here1: ["127.0.0.1", "10.0.0.1"] };
    for (const [id, ipv4] of Object.entries(cached)) minions.saveData(id, { grains: { ipv4 }, pillar: {} });
    return here;
  }

  test("beside a real master, minions are found by the addresses that are connected to its publish port", async () => {
    const here = await connections([
      [["10.0.0.1", 4505], ["10.0.0.4", 40_000], "01"],
      [["10.0.0.1", 4505], ["10.0.0.5", 40_000], "06"],
      [["10.0.0.1", 22], ["10.0.0.5", 40_000], "01"],
      [["127.0.0.1", 4505], ["127.0.0.1", 40_001], "01"],
    ]);
    here.context.ask = () => Promise.reject(Object.assign(new Error("Salt's own"), { code: "NOT_BRINE" }));
    assert.deepEqual(await run(here, "manage.present"), ["here1", "web1"]);
    assert.deepEqual(await run(here, "manage.present", [], { show_ip: true }), { here1: "10.0.0.1", web1: "10.0.0.4" });
    assert.deepEqual(await run(here, "manage.not_present"), ["db1", "ghost"]);
    here.context.ask = () => Promise.reject(new Error("no master"));
    await assert.rejects(run(here, "manage.present"), /no master/);
  });

  test("detect_remote_minions: those count, too, that this host is connected to at remote_minions_port", async () => {
    const here = await connections([[["10.0.0.1", 50_000], ["10.0.0.5", 2222], "01"]]);
    assert.deepEqual(await run(here, "manage.present"), ["web1"]);
    Object.assign(here.context.opts, { detect_remote_minions: true, remote_minions_port: 2222 });
    assert.deepEqual(await run(here, "manage.present"), ["db1", "web1"]);
  });

  test("pings: who answers and who does not, within times that make sense", async () => {
    const here = await scene({ web1: true });
    const times: unknown[] = [];
    here.context.command = (_request, how) => {
      times.push(how);
      return Promise.resolve({ web1: true });
    };
    assert.deepEqual(await run(here, "manage.status"), { up: ["web1"], down: ["db1"] });
    assert.deepEqual(await run(here, "manage.up", [], { timeout: 2, gather_job_timeout: "3" }), ["web1"]);
    assert.deepEqual(await run(here, "manage.down", [], { timeout: 0 }), ["db1"]);
    assert.deepEqual(times, [{}, { timeoutMs: 2000, gatherMs: 3000 }, {}]);
    await assert.rejects(run(here, "manage.up", [], { timeout: "soon" }), /'soon' is not a time: expected seconds/);
    here.context.command = () => Promise.resolve(undefined);
    assert.deepEqual(await run(here, "manage.status", [], { tgt: "none" }), { up: [], down: [] });
  });

  test("down removekeys=True has the master delete the keys of those that are down, and of no other", async () => {
    const here = await scene({ web1: true });
    assert.deepEqual(await run(here, "manage.down", [true]), ["db1"]);
    assert.deepEqual(here.asked.slice(1), [["key.delete_dict", [{ minions: ["db1"] }]]]);
    const all = await scene({ web1: true, db1: true });
    assert.deepEqual(await run(all, "manage.down", [true]), []);
    assert.equal(all.asked.length, 1);
  });

  test("versions are compared with the master's", async () => {
    const here = await scene({ web1: "3006.99" });
    assert.deepEqual(await run(here, "manage.versions"), {
      Master: "3006.28",
      "Minion newer than master": { web1: "3006.99" },
      "Minion offline": { db1: false },
    });
    assert.deepEqual(await run(await scene({ web1: "2019.2.0", db1: "3006.28" }), "manage.versions"), {
      Master: "3006.28",
      "Up to date": { db1: "3006.28" },
      "Minion requires update": { web1: "2019.2.0" },
    });
  });
});

describe("manage and http, beside what pings", () => {
  test("key_regen: asks the minions first, then leaves no key of the master, whatever the directory", async () => {
    const here = await scene();
    const { fs } = here.context.runtime;
    Object.assign(here.context.opts, { pki_dir: "/pki" });
    for (const name of ["master.pem", "master.pub", "minions/web1", "minions_pre/db1"]) {
      fs.mkdir(`/pki/${name.split("/").slice(0, -1).join("/")}`);
      fs.write(`/pki/${name}`, "key");
    }
    const text = await run(here, "manage.key_regen");
    assert.match(String(text), /salt-key -A/);
    assert.deepEqual(here.asked, [{ tgt: "*", tgt_type: "glob", fun: "saltutil.regen_keys" }]);
    assert.deepEqual(fs.list("/pki").map((name) => [name, fs.list(`/pki/${name}`)]), [["minions", []], [
      "minions_pre",
      [],
    ]]);
  });

  test("key_regen: removes nothing if the directory of keys is unknown", async () => {
    await assert.rejects(run(await scene(), "manage.key_regen"), /pki_dir is not set/);
  });

  for (
    const [fun, ...args] of [["safe_accept", "web1"], ["bootstrap"], ["bootstrap_psexec"]] as [
      string,
      ...unknown[],
    ][]
  ) {
    test(`${fun}: is refused with what to do instead`, async () => {
      const here = await scene();
      await assert.rejects(run(here, `manage.${fun}`, args), /salt-key|on the host itself/);
      assert.deepEqual(here.asked, []);
    });
  }

  test("http.query: is that of the master's own host", async () => {
    const got = await run(await scene(), "http.query", ["http://127.0.0.1/"], { method: "POST" });
    assert.deepEqual(got, ["http.query", ["http://127.0.0.1/"], { method: "POST" }]);
  });
});

describe("audit", () => {
  test("passes on what is asked for, and refuses what it cannot be", async () => {
    const here = await scene();
    const filters: unknown[] = [];
    const audit = {
      verify: (expected: unknown) => ({ expected }),
      search: (filter: unknown) => [filters.push(filter)],
    };
    here.context = { ...here.context, audit } as unknown as RunnerContext;
    await run(here, "audit.list", [], { user: "ann", kind: "publish,key", since: "2h", limit: 5 });
    const sinceMs = here.context.runtime.clock.now() - 7_200_000;
    assert.deepEqual(filters, [{ user: "ann", kind: ["publish", "key"], sinceMs, limit: 5 }]);
    const hash = "0".repeat(64);
    assert.deepEqual(await run(here, "audit.verify", [`7:${hash}`]), { expected: { n: 7, hash } });
    assert.deepEqual(await run(here, "audit.verify"), { expected: undefined });
    for (const wrong of [{ since: "yesterday" }, { limit: 0 }, { user: 7 }]) {
      await assert.rejects(run(here, "audit.list", [], wrong), /expected/, JSON.stringify(wrong));
    }
    await assert.rejects(run(here, "audit.verify", ["7"]), /expected <line>:<hash>/);
  });
});
