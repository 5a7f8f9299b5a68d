/** Custom modules, from the master's files to calls on minions. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testProgram } from "../host/minion/processes/job_bed.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

/** Files of the master, and calls on its one minion. */
async function bedOf(cluster: Cluster) {
  const client = await cluster.client();
  const { fs } = cluster.runtime;
  const put = (name: string, text: string) => {
    const file = `${cluster.root}/srv/${name}`;
    fs.mkdir(path.dirname(file));
    fs.write(file, text, { mode: 0o644 });
  };
  const run = async (fun: string, ...arg: unknown[]) => (await client.command({ tgt: "*", fun, arg })).web1;
  const extmods = `${cluster.minionDirectory("web1")}/cache/extmods`;
  return { put, run, extmods, fs, remove: (name: string) => fs.remove(`${cluster.root}/srv/${name}`) };
}

const kw = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });

for (const place of ["the minion's process", "processes of their own"]) {
  test(`saltutil.sync_modules: new, changed and deleted, with jobs in ${place}`, { timeout: 120_000 }, async () => {
    const apart = place !== "the minion's process";
    await using cluster = await startCluster({
      place: "current",
      master: { fileserver_list_cache_time: 0 },
      ...(apart ? { jobCommand: testProgram(await currentRuntime(), "./job_child.ts") } : {}),
    });
    const { put, run, remove, extmods, fs } = await bedOf(cluster);
    assert.deepEqual(await run("saltutil.sync_modules"), []);
    put("_modules/shop.ts", "export const price = (_context: unknown, n: number): number => n * 2;");
    put("_modules/shop.py", "def price(n):\n    return n\n");
    put("_modules/deep/x.py", "def f():\n    return 1\n");
    put(
      "_modules/tool.sh",
      `#!/bin/sh\n[ "$1" = describe ] && echo '{"functions": {"f": {}}}' || echo '{"return": "tool"}'\n`,
    );
    assert.equal(await run("shop.price", 4), "'shop.price' is not available.");
    assert.deepEqual((await run("saltutil.sync_modules") as string[]).sort(), [
      "modules.deep.x",
      "modules.shop",
      "modules.tool",
    ]);
    assert.equal(await run("shop.price", 4), 8);
    assert.equal(await run("tool.f"), "tool");
    assert.equal(fs.stat(`${extmods}/modules/tool.sh`)!.mode, 0o755);
    assert.deepEqual(await run("saltutil.list_extmods"), { modules: ["shop", "tool", "x"] });
    assert.deepEqual(await run("saltutil.sync_modules"), []);

    put("_modules/shop.ts", "export const price = (_context: unknown, n: number): number => n * 3;");
    put("_modules/test.js", `export const ping = () => "mine";`);
    assert.deepEqual(await run("saltutil.sync_modules", kw({ refresh: false })), ["modules.shop", "modules.test"]);
    assert.equal(await run("shop.price", 4), 12);
    assert.equal(await run("test.ping"), "mine");

    remove("_modules/shop.ts");
    remove("_modules/shop.py");
    remove("_modules/test.js");
    remove("_modules/deep/x.py");
    assert.deepEqual(await run("saltutil.sync_all", kw({ refresh: false })), {
      ...Object.fromEntries(KINDS.map((kind) => [kind, []])),
    });
    assert.equal(await run("shop.price", 4), "'shop.price' is not available.");
    assert.equal(fs.stat(`${extmods}/modules/deep`), undefined);
    if (apart) {
      // The minion itself is notified by an event.
      await run("saltutil.refresh_modules");
      await until(async () => await run("test.ping") === true);
    } else assert.equal(await run("test.ping"), true);
  });
}

const KINDS = [
  "clouds",
  "beacons",
  "modules",
  "states",
  "sdb",
  "grains",
  "renderers",
  "returners",
  "output",
  "utils",
  "log_handlers",
  "executors",
  "proxymodules",
  "engines",
  "thorium",
  "serializers",
  "matchers",
];

test(
  "saltutil.sync_all: every kind in Salt's order, grains and returners with effect",
  { timeout: 120_000 },
  async () => {
    await using cluster = await startCluster({
      place: "current",
      master: { fileserver_list_cache_time: 0 },
      gather: (context) => gatherGrains({ ...context, opts: { ...context.opts, disable_grains: ["core"] } }),
    });
    const { put, run, extmods, fs, remove } = await bedOf(cluster);
    put("_grains/site.js", `export const site = () => ({ site: "here" });`);
    put("_proxy/p.py", "x = 1\n");
    put(
      "_returners/note.js",
      `import { writeFileSync } from "node:fs";
export const returner = ({ opts }, ret) => writeFileSync(opts.cachedir + "/extmods/note", JSON.stringify(ret.return));`,
    );
    const changed = await run("saltutil.sync_all") as Record<string, string[]>;
    assert.deepEqual(Object.keys(changed), KINDS);
    assert.deepEqual(Object.entries(changed).filter(([, names]) => names.length > 0), [
      ["grains", ["grains.site"]],
      ["returners", ["returners.note"]],
      ["proxymodules", ["proxy.p"]],
    ]);
    await until(async () => await run("grains.get", "site") === "here");
    assert.deepEqual(await run("sys.list_returners", "no*"), ["note"]);

    const client = await cluster.client();
    await client.command({ tgt: "*", fun: "test.echo", arg: ["noted"], ret: "note" });
    await until(() => fs.stat(`${extmods}/note`) !== undefined);
    assert.equal(fs.readText(`${extmods}/note`), '"noted"');

    remove("_grains/site.js");
    assert.deepEqual(await run("saltutil.sync_grains"), []);
    await until(async () => await run("grains.get", "site") === "");
  },
);

test("saltutil.sync_modules: several environments and lists", { timeout: 120_000 }, async () => {
  const dev = mkdtempSync(path.join(tmpdir(), "brine-dev-"));
  const base = mkdtempSync(path.join(tmpdir(), "brine-base-"));
  try {
    await using cluster = await startCluster({
      place: "current",
      master: { fileserver_list_cache_time: 0, file_roots: { base: [base], dev: [dev] } },
      minion: { clean_dynamic_modules: false, extmod_blacklist: { modules: ["never"] } },
    });
    const { run, extmods } = await bedOf(cluster);
    const write = (file: string, value: string) => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `export const from = () => "${value}";`);
      chmodSync(file, 0o644);
    };
    write(`${base}/_modules/both.js`, "base");
    write(`${dev}/_modules/both.js`, "dev");
    write(`${base}/_modules/one.js`, "base");
    write(`${base}/_modules/never.js`, "base");
    assert.deepEqual(await run("saltutil.sync_modules", kw({ extmod_whitelist: "both" })), ["modules.both"]);
    assert.equal(await run("both.from"), "base");
    assert.deepEqual(await run("saltutil.sync_modules", "base,dev", kw({ extmod_blacklist: { modules: ["one"] } })), [
      "modules.never",
      "modules.both",
    ]);
    assert.equal(await run("both.from"), "dev");
    assert.deepEqual(await run("saltutil.sync_modules", "dev"), []);
    assert.deepEqual(await run("saltutil.sync_all", kw({ extmod_whitelist: { modules: [] }, refresh: false })), {
      ...Object.fromEntries(KINDS.map((kind) => [kind, []])),
    });
    assert.match(readFileSync(`${extmods}/modules/never.js`, "utf8"), /base/);
    assert.deepEqual(await run("saltutil.list_extmods"), { modules: ["both", "never"] });
  } finally {
    for (const directory of [dev, base]) rmSync(directory, { recursive: true });
  }
});

test(
  "saltutil.sync_modules: the environments are those of top files and master_tops",
  { timeout: 120_000 },
  async () => {
    const root = mkdtempSync(path.join(tmpdir(), "brine-tops-"));
    const write = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    };
    write("base/_modules/one.js", "export const f = () => 1;");
    write("prod/_modules/two.js", "export const f = () => 2;");
    write("prod/top.sls", "prod:\n  'web*':\n    - a\n");
    const tops = { run: ({ id }: { id: string }) => Promise.resolve({ base: [`of_${id}`] }) };
    try {
      await using cluster = await startCluster({
        place: "current",
        tops: { mine: () => Promise.resolve({ tops }) },
        master: {
          file_roots: { base: [`${root}/base`], prod: [`${root}/prod`] },
          master_tops: { mine: true },
        },
      });
      const { run } = await bedOf(cluster);
      assert.deepEqual((await run("saltutil.sync_modules") as string[]).sort(), ["modules.one", "modules.two"]);
    } finally {
      rmSync(root, { recursive: true });
    }
  },
);

test("saltutil.sync_modules: files that cannot be fetched change nothing", { timeout: 120_000 }, async () => {
  await using cluster = await startCluster({
    place: "current",
    master: { fileserver_list_cache_time: 0 },
    minion: { file_client: "local", file_roots: { base: [] } },
  });
  const { run, extmods, fs } = await bedOf(cluster);
  fs.mkdir(`${extmods}/modules`);
  fs.write(`${extmods}/modules/kept.js`, "export const f = () => 1;");
  assert.deepEqual(await run("saltutil.sync_modules", "no/../such"), []);
  assert.equal(await run("kept.f"), 1);
  const { records } = cluster.captured;
  assert.ok(records.some(({ message, fields }) => /could not be synced/.test(message) && fields.kind === "modules"));
});
