/** Custom modules of programs: what salt-run syncs for the master and loads, and what salt-call has without one. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import { runMain } from "../../cli/programs/run.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { runInProcess } from "../support/program.ts";

/** A master and a minion without one, with the same files under `salt://`. */
async function bed() {
  const root = mkdtempSync(path.join(tmpdir(), "brine-"));
  const { host } = await currentRuntime();
  const write = (name: string, text: string) => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const name of ["master", "minion"]) {
    const opts = {
      user: host.user().name,
      root_dir: root,
      file_roots: { base: [`${root}/srv`] },
      fileserver_list_cache_time: 0,
      pki_dir: `${root}/${name}/pki`,
      cachedir: `${root}/${name}/cache`,
      sock_dir: `${root}/${name}/run`,
      log_file: `${root}/${name}/log`,
      ...(name === "minion" ? { id: "local1", file_client: "local", enable_fqdns_grains: false } : {}),
    };
    // JSON is YAML.
    write(`etc/${name}`, JSON.stringify(opts));
  }
  return {
    root,
    write,
    remove: (name: string) => rmSync(path.join(root, name)),
    call: (...argv: string[]) => runInProcess("salt-call", callMain, ["-c", `${root}/etc`, "--local", ...argv]),
    runner: (...argv: string[]) => runInProcess("salt-run", runMain, ["-c", `${root}/etc`, ...argv]),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const golden = (id: string): { stdout: string; exit_code: number } =>
  JSON.parse(readFileSync(new URL(`../golden/cli/${id}.json`, import.meta.url), "utf8"));

test("salt-run saltutil.sync_all and sync_modules print what real ones do", { timeout: 60_000 }, async () => {
  using place = await bed();
  const { stdout, exit_code } = golden("run-saltutil-sync-all");
  assert.deepEqual(await place.runner("--out=json", "saltutil.sync_all"), { stdout, stderr: "", exitCode: exit_code });
  place.write("srv/_modules/gold.py", "def f():\n    return 1\n");
  const modules = golden("run-saltutil-sync-modules");
  const run = await place.runner("saltutil.sync_modules");
  assert.deepEqual(run, { stdout: modules.stdout, stderr: "", exitCode: modules.exit_code });
  assert.equal((await place.runner("--out=json", "saltutil.sync_modules")).stdout, "[]\n");
});

test(
  "salt-run saltutil.sync_tops puts modules of master_tops where the master loads them",
  { timeout: 60_000 },
  async () => {
    using place = await bed();
    const text = "export const top = ({ id }) => ({ base: [id] });";
    place.write("srv/_tops/mine.js", text);
    assert.equal((await place.runner("--out=json", "saltutil.sync_tops")).stdout, '[\n    "tops.mine"\n]\n');
    assert.equal(readFileSync(path.join(place.root, "master/cache/extmods/tops/mine.js"), "utf8"), text);
  },
);

test(
  "salt-run loads the runners that it has synced, and no longer those that have gone",
  { timeout: 60_000 },
  async () => {
    using place = await bed();
    place.write(
      "srv/_runners/mine2.ts",
      `/** Doubles. */
export const twice = (_context: unknown, n: number): number => n * 2;
export const fail = () => { throw Object.assign(new Error("not so"), { name: "SaltInvocationError" }); };`,
    );
    place.write(
      "srv/_runners/shell",
      `#!/bin/sh
[ "$1" = describe ] && echo '{"functions": {"f": {}}}' || echo '{"return": "shell"}'
`,
    );
    assert.equal((await place.runner("mine2.twice", "4")).stdout, "'mine2.twice' is not available.\n");
    assert.equal((await place.runner("saltutil.sync_runners")).stdout, "- runners.mine2\n- runners.shell\n");
    assert.deepEqual(await place.runner("mine2.twice", "4"), { stdout: "8\n", stderr: "", exitCode: 0 });
    assert.equal((await place.runner("shell.f")).stdout, "shell\n");
    assert.match((await place.runner("-d", "mine2")).stdout, /mine2\.twice:\nDoubles\./);
    place.write("srv/_runners/file3.ts", `export const virtualname = "other3"; export const f = () => "under a name";`);
    assert.equal((await place.runner("saltutil.sync_runners")).stdout, "- runners.file3\n");
    assert.equal((await place.runner("other3.f")).stdout, "under a name\n");
    assert.equal((await place.runner("file3.f")).stdout, "'file3.f' is not available.\n");
    assert.match((await place.runner("-d", "other3")).stdout, /other3\.f:/);
    assert.match((await place.runner("mine2.twice")).stdout, /Passed invalid arguments: twice\(\) missing 1 required/);
    assert.match((await place.runner("mine2.fail")).stdout, /Passed invalid arguments: not so/);
    place.remove("srv/_runners/mine2.ts");
    assert.equal((await place.runner("--out=json", "saltutil.sync_runners")).stdout, "[]\n");
    assert.equal((await place.runner("mine2.twice", "4")).stdout, "'mine2.twice' is not available.\n");
  },
);

test(
  "salt-call syncs from the environments of the top file, and from base without one",
  { timeout: 60_000 },
  async () => {
    using place = await bed();
    const { root } = place;
    const minion = JSON.parse(readFileSync(`${root}/etc/minion`, "utf8"));
    minion.file_roots = { base: [`${root}/srv`], dev: [`${root}/dev`] };
    place.write("etc/minion", JSON.stringify(minion));
    place.write("srv/_modules/one.js", "export const f = () => 1;");
    place.write("dev/_modules/two.js", "export const f = () => 2;");
    const synced = async (...words: string[]) =>
      JSON.parse((await place.call("--out=json", "saltutil.sync_modules", ...words)).stdout).local;
    assert.deepEqual(await synced(), ["modules.one"]);
    for (
      const [top, want] of [
        ["base:\n  'nobody*': [a]\ndev:\n  'local*': [a]\n", ["modules.two"]],
        ["base:\n  'nobody*': [a]\n", ["modules.one"]],
        ["base:\n  '*': [a]\ndev:\n  'nosuch:*': [{match: grain}, a]\n  'id:local1': [{match: grain}]\n", [
          "modules.two",
        ]],
        ["base:\n  '{{ x }}': [a]\n", []],
      ] as const
    ) {
      place.write("srv/top.sls", top);
      assert.deepEqual(await synced(), want, top);
    }
    assert.deepEqual(await synced("saltenv=dev"), ["modules.two"]);
  },
);

test("salt-run prints through custom outputters, and through nested where one fails", { timeout: 60_000 }, async () => {
  using place = await bed();
  place.write(
    "srv/_output/loud.js",
    `export const output = async (data) => JSON.stringify(data).toUpperCase() + "!\\n\\n";`,
  );
  place.write("srv/_output/broken.js", `export const output = () => { throw new Error("no way"); };`);
  assert.equal((await place.runner("saltutil.sync_output")).stdout, "- output.broken\n- output.loud\n");
  assert.equal((await place.runner("--out=loud", "test.arg", "a")).stdout, '{"ARGS":["A"],"KWARGS":{}}!\n');
  const broken = await place.runner("--out=broken", "test.arg", "a");
  assert.match(broken.stdout, /^args:\n {4}- a\n/);
  assert.match(broken.stderr, /the custom outputter failed.*no way/);
});

test("salt-call --local has custom modules, grains and returners of its own files", { timeout: 60_000 }, async () => {
  using place = await bed();
  place.write(
    "srv/_modules/shop.ts",
    `export const price = (context: { grains: { site: string } }) => context.grains.site;`,
  );
  place.write("srv/_grains/site.mjs", `export const site = () => ({ site: "here" });`);
  place.write(
    "srv/_returners/note.mjs",
    `import { writeFileSync } from "node:fs";
export const virtual = () => "noted";
export const returner = ({ opts }, ret) => writeFileSync(opts.cachedir + "/note", ret.return);`,
  );
  const all = JSON.parse((await place.call("--out=json", "saltutil.sync_all")).stdout).local;
  assert.deepEqual([all.modules, all.grains, all.returners], [["modules.shop"], ["grains.site"], ["returners.note"]]);
  assert.equal(Object.keys(all).at(-1), "pillar");
  const run = await place.call("--return=noted", "shop.price");
  assert.deepEqual(run, { stdout: "local:\n    here\n", stderr: "", exitCode: 0 });
  assert.equal(readFileSync(`${place.root}/minion/cache/note`, "utf8"), "here");
  place.write("more/_modules/extra.js", "export const f = () => 1;");
  assert.equal((await place.call("-m", `${place.root}/more`, "extra.f")).stdout, "local:\n    1\n");
});
