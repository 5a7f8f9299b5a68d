/** Pillar from the master to minions, functions and targets. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { silentLogger } from "../../src/base/log.ts";
import { pillarRequest } from "../../src/host/minion/pillar.ts";
import { createRenderers } from "../../src/language/render/renderers.ts";
import { PillarCompiler } from "../../src/content/pillar/compiler.ts";
import { EXT_PILLARS } from "../../src/plugins/pillar/mod.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { MinionOpts } from "../../src/model/config/minion_opts.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

const TREE: Record<string, string> = {
  "top.sls": "base:\n  '*': [common]\n  'web*': [web]\n  'role:db':\n    - match: grain\n    - db\n",
  "common.sls": "app: {name: demo, ports: [80, 443], nested: {deep: {key: val}}}\nflag: true\nnothing: ~\nfrom: base\n",
  "web.sls": "role: web\nsites: [{one: 1}, {two: 2}]\n",
  "db.sls": "role: db\n",
};
const DEV: Record<string, string> = { "top.sls": "dev:\n  '*': [common]\n", "common.sls": "from: dev\n" };

interface Scene extends AsyncDisposable {
  cluster: Cluster;
  /** Writes a file of the master's pillar. */
  write(name: string, text: string): void;
  call(id: string, fun: string, ...arg: unknown[]): Promise<unknown>;
  answering(tgt: unknown, tgtType: string): Promise<string[]>;
}

const kwargs = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });

/** A master that compiles, and its minions. */
async function scene(options: ClusterOptions = {}): Promise<Scene> {
  let runtime!: Runtime;
  let folder = "";
  let compiler!: PillarCompiler;
  const write = (name: string, text: string) => {
    const path = `${folder}/${name}`;
    runtime.fs.mkdir(path.slice(0, path.lastIndexOf("/")));
    runtime.fs.write(path, text);
  };
  const cluster = await startCluster({
    minions: ["web1", "db1"],
    ...options,
    prepare(prepared, root) {
      runtime = prepared;
      folder = `${root}/pillar`;
      for (const [name, text] of Object.entries(TREE)) write(`base/${name}`, text);
      for (const [name, text] of Object.entries(DEV)) write(`dev/${name}`, text);
      compiler = new PillarCompiler({
        runtime,
        log: silentLogger,
        opts: { pillar_roots: { base: [`${folder}/base`], dev: [`${folder}/dev`] }, ...options.master },
        renderers: createRenderers(runtime),
        extPillars: EXT_PILLARS,
      });
    },
    compilePillar: (request) => compiler.compile(request),
  });
  const client = await cluster.client();
  return {
    cluster,
    write,
    async call(id, fun, ...arg) {
      const answers = await client.command({ tgt: id, fun, arg });
      assert.deepEqual(Object.keys(answers), [id]);
      return answers[id];
    },
    async answering(tgt, tgtType) {
      const request = { tgt: tgt as string, tgt_type: tgtType, fun: "test.ping", arg: [] };
      return Object.keys(await client.command(request)).sort();
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

describe("pillar", TIMEOUT, () => {
  test("is compiled by the master for each minion, and shown by functions", TIMEOUT, async () => {
    await using one = await scene({ master: { pillar_source_merging_strategy: "none" } });
    const deep = { deep: { key: "val" } };
    assert.deepEqual(await one.call("web1", "pillar.items"), {
      app: { name: "demo", ports: [80, 443], nested: deep },
      flag: true,
      nothing: null,
      from: "base",
      role: "web",
      sites: [{ one: 1 }, { two: 2 }],
    });
    assert.deepEqual(await one.call("db1", "pillar.ls"), ["app", "flag", "nothing", "from"]);
    for (
      const [want, fun, ...arg] of [
        [[80, 443], "pillar.get", "app:ports"],
        [443, "pillar.get", "app:ports:1"],
        [2, "pillar.get", "sites:two"],
        ["val", "pillar.get", "app|nested|deep|key", kwargs({ delimiter: "|" })],
        ["", "pillar.get", "no:such"],
        [null, "pillar.get", "nothing"],
        [null, "pillar.get", "no:such", kwargs({ default: null })],
        [{ a: 1, name: "demo", ports: [80, 443], nested: deep }, "pillar.get", "app", { a: 1, name: "x" }, true],
        [[1, 80, 443], "pillar.get", "app:ports", [1, 80], true],
        ["zz", "pillar.fetch", "no:such", "zz"],
        [{ "app:name": "demo", gone: "" }, "pillar.item", "app:name", "gone"],
        [{ gone: 7 }, "pillar.item", "gone", kwargs({ default: 7 })],
        [{ flag: true }, "pillar.items", "flag"],
      ] as [unknown, string, ...unknown[]][]
    ) assert.deepEqual(await one.call("web1", fun, ...arg), want, JSON.stringify([fun, ...arg]));
    assert.deepEqual(await one.call("web1", "pillar.keys", "app"), ["name", "ports", "nested"]);
    assert.deepEqual(await one.call("web1", "pillar.raw", "sites"), [{ one: 1 }, { two: 2 }]);
    assert.deepEqual(await one.call("web1", "pillar.raw", "gone"), {});
    assert.deepEqual(await one.call("web1", "pillar.obfuscate"), {
      app: { name: "<str>", ports: ["<int>", "<int>"], nested: { deep: { key: "<str>" } } },
      flag: "<bool>",
      nothing: "<NoneType>",
      from: "<str>",
      role: "<str>",
      sites: [{ one: "<int>" }, { two: "<int>" }],
    });
    const table = { "w*": "Serve it up", db: "I query", default: "x_x" };
    assert.equal(await one.call("web1", "pillar.filter_by", table, "role"), "Serve it up");
    assert.equal(await one.call("db1", "pillar.filter_by", table, "role"), "x_x");
    assert.equal(await one.call("web1", "config.get", "app:name"), "demo");
    assert.match(
      String(await one.call("web1", "pillar.keys", "flag")),
      /ValueError: Pillar value in key flag is not a dict/,
    );
    assert.match(String(await one.call("web1", "pillar.keys", "gone")), /KeyError: 'Pillar key not found: gone'/);
  });

  test("pillar_raise_on_missing makes a missing key an error, unless there is a default", TIMEOUT, async () => {
    await using one = await scene({ minions: ["web1"], minion: { pillar_raise_on_missing: true } });
    assert.match(String(await one.call("web1", "pillar.get", "gone")), /KeyError: 'Pillar key not found: gone'/);
    assert.equal(await one.call("web1", "pillar.get", "gone", ""), "");
  });

  test("a call may override it or request one environment; the pillar in use stays", TIMEOUT, async () => {
    await using one = await scene({ minions: ["web1"] });
    const brought = await one.call("web1", "pillar.items", kwargs({ pillar: { app: { name: "mine" }, own: 1 } }));
    const { app, own, role } = brought as Record<string, Record<string, unknown>>;
    assert.deepEqual([app!.name, app!.ports, own, role], ["mine", [80, 443], 1, "web"]);
    assert.deepEqual(await one.call("web1", "pillar.items", kwargs({ pillarenv: "dev" })), { from: "dev" });
    assert.equal(await one.call("web1", "pillar.get", "from", kwargs({ pillarenv: "dev" })), "dev");
    assert.deepEqual(await one.call("web1", "pillar.item", "from", kwargs({ pillarenv: "nosuch" })), { from: "" });
    assert.deepEqual(await one.call("web1", "pillar.raw", "own"), {});
    assert.deepEqual(await one.call("web1", "pillar.get", "app:name"), "demo");
    // A role passed in a call is not the minion's role, not even for the master, which targets by the pillar that it compiled.
    await one.call("web1", "saltutil.refresh_pillar", kwargs({ wait: true }));
    await one.call("web1", "pillar.items", kwargs({ pillar: { role: "db" } }));
    assert.equal(one.cluster.master.services.cache.data("web1")!.pillar.role, "web");
  });

  test("an external pillar on demand must be permitted by the master", TIMEOUT, async () => {
    await using one = await scene({ minions: ["web1"], master: { on_demand_ext_pillar: ["env"] } });
    const refused = await one.call("web1", "pillar.ext", "{cmd_yaml: 'echo pwned: 1'}");
    assert.deepEqual((refused as Record<string, unknown>).role, "web");
    assert.ok(!("pwned" in (refused as Record<string, unknown>)));
    assert.match(
      String(await one.call("web1", "pillar.ext", "[env]")),
      /external must be a map of one external pillar/,
    );
  });

  test("minions are targeted by it, on the master and by themselves", TIMEOUT, async () => {
    await using one = await scene({
      minions: ["web1", "web2", "db1"],
      grains: (id) => id.startsWith("db") ? { role: "db" } : {},
      master: { nodegroups: { webs: "I@role:web" } },
    });
    for (
      const [tgt, type, want] of [
        ["role:web", "pillar", ["web1", "web2"]],
        ["role:d?", "pillar", ["db1"]],
        ["role:^(web|db)$", "pillar_pcre", ["db1", "web1", "web2"]],
        ["app:nested:deep:key:val", "pillar", ["db1", "web1", "web2"]],
        ["app|ports|443", "pillar", []],
        ["app:ports:443", "pillar", ["db1", "web1", "web2"]],
        ["I@role:web and not web2", "compound", ["web1"]],
        ["J@role:w.* or L@db1", "compound", ["db1", "web1", "web2"]],
        ["role:nosuch", "pillar", []],
      ] as [string, string, string[]][]
    ) assert.deepEqual(await one.answering(tgt, type), want, `${type} ${tgt}`);
    const expand = (tgt: string, tgt_type: string) =>
      one.cluster.master.services.expand({ tgt, tgt_type }, { greedy: false }).minions.toSorted();
    // An exact target accepts no patterns: values could otherwise be guessed letter by letter.
    assert.deepEqual(expand("role:web", "pillar_exact"), ["web1", "web2"]);
    assert.deepEqual(expand("webs", "nodegroup"), ["web1", "web2"]);
    assert.deepEqual(expand("role:w*", "pillar_exact"), []);
    assert.deepEqual(expand("I@role:w* or db1", "compound_pillar_exact"), ["db1"]);
  });

  test("a refresh fetches changes, and fires an event when done", TIMEOUT, async () => {
    await using one = await scene();
    one.write("base/web.sls", "role: changed\n");
    assert.equal(await one.call("web1", "pillar.get", "role"), "web");
    assert.equal((await one.call("web1", "pillar.items") as { role: string }).role, "changed");
    assert.equal(await one.call("web1", "pillar.get", "role"), "web");
    assert.equal(await one.call("web1", "saltutil.refresh_pillar", kwargs({ wait: true })), true);
    assert.equal(await one.call("web1", "pillar.get", "role"), "changed");
    assert.deepEqual(await one.answering("role:changed", "pillar"), ["web1"]);
    one.write("base/web.sls", "role: again\n");
    assert.equal(await one.call("web1", "saltutil.pillar_refresh"), true);
    const minion = one.cluster.minions.get("web1")!;
    await until(() => minion.context.pillar.role === "again");
    const events = one.cluster.events.filter(({ tag }) => tag === "minion/refresh/web1");
    assert.ok(events.length >= 4);
    assert.deepEqual({ ...events[0]!.data, _stamp: 0 }, { "Minion data cache refresh": "web1", _stamp: 0 });
  });

  test("a failed refresh keeps the pillar in use, and the next one takes effect", TIMEOUT, async () => {
    let broken = false;
    await using one = await scene({ minions: ["web1"] });
    const { compile } = PillarCompiler.prototype;
    PillarCompiler.prototype.compile = async function (request) {
      if (broken) throw new Error("The disk is on fire");
      return await compile.call(this, request);
    };
    try {
      broken = true;
      assert.equal(await one.call("web1", "saltutil.refresh_pillar", kwargs({ wait: true })), true);
      assert.equal(await one.call("web1", "pillar.get", "role"), "web");
      assert.match(
        String(await one.call("web1", "pillar.items")),
        /^ERROR: Exception getting pillar: Got a bad pillar/,
      );
      assert.ok(one.cluster.captured.complaints().some((text) => text.startsWith("Got a bad pillar from master")));
      broken = false;
      one.write("base/web.sls", "role: fine\n");
      await one.call("web1", "saltutil.refresh_pillar", kwargs({ wait: true }));
      assert.equal(await one.call("web1", "pillar.get", "role"), "fine");
    } finally {
      PillarCompiler.prototype.compile = compile;
    }
  });

  test("changed grains change the pillar", TIMEOUT, async () => {
    let role = "none";
    await using one = await scene({ minions: ["db1"], grains: () => ({ role }) });
    assert.equal(await one.call("db1", "pillar.get", "role"), "");
    role = "db";
    assert.equal(await one.call("db1", "saltutil.refresh_grains"), true);
    await until(() => one.cluster.minions.get("db1")!.context.pillar.role === "db");
    assert.deepEqual(await one.answering("role:db", "pillar"), ["db1"]);
  });

  test("options that the minion passes on reach external pillars", TIMEOUT, () => {
    const opts = {
      pass_to_ext_pillars: ["a:b", "a:c", "list", "gone", "a:gone:x"],
      a: { b: 1, c: 2, d: 3 },
      list: [1],
    };
    const { extra_minion_data } = pillarRequest({}, opts as unknown as MinionOpts);
    assert.deepEqual(extra_minion_data, { a: { b: 1, c: 2 }, list: [1] });
    assert.throws(() => pillarRequest({}, { pass_to_ext_pillars: "a" } as unknown as MinionOpts), /malformed/);
  });

  test("no minion gets the pillar of another", TIMEOUT, async () => {
    await using one = await scene();
    const peer = await one.cluster.peer("web1");
    const load = { ...pillarRequest({ id: "db1" }, {} as MinionOpts), id: "db1" };
    const reply = await peer.requests.sendPrivate(load, { tries: 1 }).catch((error: Error) => error);
    assert.ok(reply instanceof Error || (reply as Record<string, unknown>).role !== "db", String(reply));
    assert.equal(one.cluster.master.services.cache.data("db1")!.grains.id, "db1");
    const own = await peer.requests.sendPrivate(pillarRequest({ id: "db1" }, {} as MinionOpts), { tries: 1 });
    assert.equal((own as { role: string }).role, "web");
  });
});
