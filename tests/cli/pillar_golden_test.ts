import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { callMain } from "../../cli/programs/call.ts";
import type { Program } from "../../cli/options/request.ts";
import { runMain } from "../../cli/programs/run.ts";
import { MinionCache } from "../../src/host/master/minion_cache.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { silentLogger } from "../../src/base/log.ts";
import { runInProcess } from "../support/program.ts";

const GOLDEN = fileURLToPath(new URL("../golden", import.meta.url));

/** Configuration of a master and of a minion without one, over the pillar files of the recorded runs. */
async function bed(more: Record<string, unknown> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "brine-"));
  const runtime = await currentRuntime();
  const common = {
    user: runtime.host.user().name,
    root_dir: root,
    pillar_roots: { base: [`${GOLDEN}/fixtures/pillar`] },
    log_level: "warning",
    ...more,
  };
  const write = (name: string, settings: Record<string, unknown>) => {
    mkdirSync(path.join(root, "etc"), { recursive: true });
    // JSON is YAML.
    writeFileSync(path.join(root, "etc", name), JSON.stringify({ ...common, ...settings }));
  };
  const folders = (name: string) => ({
    pki_dir: `${root}/${name}/pki`,
    cachedir: `${root}/${name}/cache`,
    sock_dir: `${root}/${name}/run`,
    log_file: `${root}/${name}/log`,
  });
  write("master", folders("master"));
  write("minion", { ...folders("minion"), id: "local1", file_client: "local", enable_fqdns_grains: false });
  for (const id of ["alpha", "beta"]) {
    mkdirSync(`${root}/master/pki/minions`, { recursive: true });
    writeFileSync(`${root}/master/pki/minions/${id}`, "");
  }
  const cache = new MinionCache(runtime.fs, silentLogger, `${root}/master/cache`);
  cache.saveData("alpha", { grains: { id: "alpha", os: "Debian", role: "web" }, pillar: {} });
  const run = (program: Program, argv: string[]) =>
    runInProcess(program, program === "salt-call" ? callMain : runMain, ["-c", path.join(root, "etc"), ...argv]);
  return {
    root,
    fs: runtime.fs,
    call: (...argv: string[]) => run("salt-call", ["--local", ...argv]),
    runner: (...argv: string[]) => run("salt-run", argv),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function golden(id: string): Promise<{ argv: string[]; stdout: string; exit_code: number }> {
  const { fs } = await currentRuntime();
  return JSON.parse(fs.readText(`${GOLDEN}/cli/${id}.json`));
}

for (const id of ["call-pillar-get-default", "call-pillar-get", "call-pillar-item", "call-pillar-items"]) {
  test(`golden: ${id}`, async () => {
    using one = await bed();
    const { argv, stdout, exit_code } = await golden(id);
    const run = await one.call(...argv.slice(argv.indexOf("--local") + 1));
    assert.equal(run.stdout, stdout);
    assert.equal(run.stderr, "");
    assert.equal(run.exitCode, exit_code);
  });
}

for (const id of ["run-pillar-show-kw", "run-pillar-show", "run-pillar-top"]) {
  test(`golden: ${id}`, async () => {
    using one = await bed();
    const { argv, stdout, exit_code } = await golden(id);
    const run = await one.runner(...argv.slice(2));
    assert.equal(run.stdout, stdout);
    assert.equal(run.stderr, "");
    assert.equal(run.exitCode, exit_code);
  });
}

describe("salt-call --local", () => {
  test("takes pillar from --pillar-root", async () => {
    using one = await bed();
    mkdirSync(`${one.root}/other`);
    writeFileSync(`${one.root}/other/top.sls`, "base:\n  local1: [z]\n");
    writeFileSync(`${one.root}/other/z.sls`, "z: 1\na: 2\n");
    const run = await one.call("--pillar-root", `${one.root}/other`, "pillar.items", "--out=json");
    assert.deepEqual(run.stdout, '{\n    "local": {\n        "z": 1,\n        "a": 2\n    }\n}\n');
  });

  test("lays over the pillar what a call brings", async () => {
    using one = await bed();
    const run = await one.call("pillar.items", "pillar={flag: false, app: {name: mine}}", "--out=json");
    const { local } = JSON.parse(run.stdout);
    assert.equal(local.flag, false);
    assert.equal(local.app.name, "mine");
    assert.deepEqual(local.app.ports, [80, 443]);
  });

  test("config.get finds what is in the pillar", async () => {
    using one = await bed();
    assert.equal((await one.call("config.get", "app:name")).stdout, "local:\n    demo\n");
  });
});

describe("runner pillar", () => {
  test("show_pillar goes by the grains that the master remembers, and by those that are given", async () => {
    using one = await bed();
    const roots = `${one.root}/roots`;
    mkdirSync(roots);
    writeFileSync(`${roots}/top.sls`, "base:\n  'os:Debian':\n    - match: grain\n    - a\n  'G@role:db':\n    - b\n");
    writeFileSync(`${roots}/a.sls`, "a: 1\n");
    writeFileSync(`${roots}/b.sls`, "b: 1\n");
    using other = await bed({ pillar_roots: { base: [roots] } });
    const show = async (...words: string[]) =>
      JSON.parse((await other.runner("pillar.show_pillar", ...words, "--out=json")).stdout);
    assert.deepEqual(await show("alpha"), { a: 1 });
    assert.deepEqual(await show("alpha", "role=db"), { a: 1, b: 1 });
    assert.deepEqual(await show("nobody"), {});
    assert.deepEqual(await show("alpha", "pillarenv=nosuch"), {});
  });

  test("show_top reports what is wrong with a top file", async () => {
    using one = await bed();
    writeFileSync(`${one.root}/top.sls`, "- a\n");
    using other = await bed({ pillar_roots: { base: [one.root] } });
    const run = await other.runner("pillar.show_top", "--out=json");
    assert.match(run.stdout, /top\.sls is a list: expected a map of environments to targets/);
  });

  test("the cache is shown, and emptied", async () => {
    using without = await bed();
    assert.equal((await without.runner("pillar.show_pillar_cache", "--out=json")).stdout, "false\n");
    assert.equal((await without.runner("pillar.clear_pillar_cache", "--out=json")).stdout, "false\n");
    using one = await bed({ pillar_cache: true });
    const { openMasterPillar } = await import("../../cli/pillar.ts");
    const compile = openMasterPillar({ ...await currentRuntime() }, {
      pillar_cache: true,
      cachedir: `${one.root}/master/cache`,
      pillar_roots: { base: [`${GOLDEN}/fixtures/pillar`] },
    }, silentLogger);
    await compile({ id: "alpha", grains: {} });
    const shown = JSON.parse((await one.runner("pillar.show_pillar_cache", "--out=json")).stdout);
    assert.deepEqual(Object.keys(shown), ["alpha"]);
    assert.equal(shown.alpha.app.name, "demo");
    assert.equal((await one.runner("pillar.clear_pillar_cache", "al*", "--out=json")).stdout, "{}\n");
    assert.equal((await one.runner("pillar.show_pillar_cache", "--out=json")).stdout, "{}\n");
  });
});
