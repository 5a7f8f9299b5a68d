/** `localconfig` of `state.apply`: a file's options over the minion's, for one call. What states see is what 3006 shows them of the same files, but for the pillar. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import type { MinionOpts } from "../../src/model/config/minion_opts.ts";
import type { MasterConnection } from "../../src/host/minion/connection.ts";
import { PillarRefresh, type PillarRefreshOptions } from "../../src/host/minion/pillar_refresh.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { runInProcess } from "../support/program.ts";

const TIMEOUT = { timeout: 60_000 };

/** What a state sees, as its comment. */
const SEEN = `
  test.configurable_test_state:
    - changes: False
    - result: True
    - comment: >-
        saltenv={{ opts.saltenv }} mine={{ opts.mine }} keep={{ opts.keep }} deep={{ opts.deep|json }} inc={{ opts.get('included') }}
        beside={{ opts.get('beside') }} role={{ grains.get('role') }} gid={{ grains.get('id') }} oid={{ opts.id }} p={{ pillar.get('p') }}
        mod={{ salt['config.get']('mine') }} test={{ opts.test }} modgrain={{ salt['grains.get']('role') }} modpillar={{ salt['pillar.get']('p') }}
        files={{ salt['cp.list_states']()|join }}
`;

async function bed() {
  const root = mkdtempSync(path.join(tmpdir(), "brine-localconfig-"));
  const { host } = await currentRuntime();
  const write = (name: string, text: string) => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o644 });
    return file;
  };
  const opts = {
    user: host.user().name,
    id: "lc1",
    file_client: "local",
    enable_fqdns_grains: false,
    file_roots: { base: [`${root}/a`] },
    pillar_roots: { base: [`${root}/pa`] },
    mine: "minion",
    keep: "kept",
    deep: { a: 1, b: 2 },
    root_dir: root,
    pki_dir: "/pki",
    cachedir: "/cache",
    sock_dir: "/run",
    log_file: "/log",
    fileserver_list_cache_time: 0,
  };
  write("etc/minion", JSON.stringify(opts));
  for (const which of ["a", "b"]) {
    write(`${which}/top.sls`, `base: {'*': [of_${which}]}`);
    write(`${which}/of_${which}.sls`, `show_${which}:${SEEN}`);
    write(`p${which}/top.sls`, `base: {'*': [of]}`);
    write(`p${which}/of.sls`, `p: of_${which}\n`);
  }
  const more = { file_roots: { base: [`${root}/b`] }, pillar_roots: { base: [`${root}/pb`] }, mine: "local" };
  write("more/x.conf", "included: 1");
  write("minion.d/y.conf", "beside: 1");
  const call = async (...argv: string[]) =>
    await runInProcess("salt-call", callMain, ["-c", `${root}/etc`, "--local", "--out=json", ...argv]);
  return {
    root,
    write,
    file: write(
      "lc.yml",
      JSON.stringify({
        ...more,
        deep: { c: 3 },
        include: "more/*.conf",
        grains: { role: "web" },
        id: "other",
        test: true,
      }),
    ),
    call,
    /** The comment of the one state that a call runs. */
    async comment(...argv: string[]) {
      const { stdout, stderr } = await call(...argv);
      assert.notEqual(stdout, "", stderr);
      const [entry] = Object.values(JSON.parse(stdout).local as Record<string, { __id__: string; comment: string }>);
      return `${entry!.__id__}: ${entry!.comment}`;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const LOCAL =
  'mine=local keep=kept deep={"c": 3} inc=1 beside=1 role=web gid=None oid=other p=of_b mod=local test=False modgrain=web modpillar=of_b files=of_btop';

describe("localconfig", TIMEOUT, () => {
  test(
    "lays each option of the file, and of its includes, over the minion's; files, pillar and grains are its own",
    TIMEOUT,
    async () => {
      using place = await bed();
      const own =
        'mine=minion keep=kept deep={"a": 1, "b": 2} inc=None beside=None role=None gid=lc1 oid=lc1 p=of_a mod=minion test=False modgrain= modpillar=of_a files=of_atop';
      assert.equal(await place.comment("state.apply"), `show_a: saltenv=None ${own}`);
      assert.equal(await place.comment("state.apply", `localconfig=${place.file}`), `show_b: saltenv=None ${LOCAL}`);
      assert.equal(await place.comment("state.apply"), `show_a: saltenv=None ${own}`);
    },
  );

  test("has its environment from the file; that of the call counts for a highstate alone", TIMEOUT, async () => {
    using place = await bed();
    const given = [`localconfig=${place.file}`, "saltenv=base"];
    assert.equal(await place.comment("state.highstate", ...given), `show_b: saltenv=base ${LOCAL}`);
    const file = place.write(
      "env.yml",
      JSON.stringify({ ...JSON.parse(readFileSync(place.file, "utf8")), saltenv: "base" }),
    );
    assert.equal(
      await place.comment("state.sls", "of_b", `localconfig=${file}`, "saltenv=dev"),
      `show_b: saltenv=base ${LOCAL}`,
    );
  });

  test("is refused with the reason where its file cannot be used", TIMEOUT, async () => {
    using place = await bed();
    const rows: [file: string, says: RegExp][] = [
      [`${place.root}/nowhere.yml`, /nowhere\.yml": there is no such file on this minion/],
      [place.root, /there is no such file/],
      [place.write("bad/lc.yml", "a: ["), /Error parsing configuration file: .*bad\/lc\.yml - line 1/],
      [place.write("list/lc.yml", "[a]"), /conf should be a document, not list/],
      [place.write("type/lc.yml", "file_roots: 1"), /The option file_roots is 1: expected a map/],
      [place.write("open/lc.yml", "a: 1"), /every user may change it: chmod o-w/],
    ];
    chmodSync(path.join(place.root, "open/lc.yml"), 0o666);
    for (const [file, says] of rows) {
      const { stdout, stderr, exitCode } = await place.call("state.apply", `localconfig=${file}`);
      assert.match(stderr + stdout, says);
      assert.notEqual(exitCode, 0);
    }
  });

  const notRoot = process.getuid?.() === 0 ? false : "only root can give a file to another user";
  test("of another user, or with an include of one, is refused", { ...TIMEOUT, skip: notRoot }, async () => {
    using place = await bed();
    chownSync(path.join(place.root, "minion.d/y.conf"), 12345, 12345);
    const { stdout, stderr } = await place.call("state.apply", `localconfig=${place.file}`);
    assert.match(
      stderr + stdout,
      /minion\.d\/y\.conf - it belongs to user 12345, who could have this minion run anything/,
    );
  });
});

describe("the pillar of a call with options of its own", () => {
  function refresh(opts: Record<string, unknown>) {
    const asked: Record<string, unknown>[] = [];
    const compiled: Record<string, unknown>[] = [];
    const pillar = new PillarRefresh({
      opts: opts as MinionOpts,
      log: captureLog().log,
      grains: { current: { os: "Own" } },
      masters: { all: [] },
      ownPillar: (request: Record<string, unknown>) => {
        compiled.push(request);
        return Promise.resolve({ from: "files" });
      },
    } as unknown as PillarRefreshOptions);
    const requests = {
      sendPrivate: (load: Record<string, unknown>) => {
        asked.push(load);
        return Promise.resolve({ from: "master" });
      },
    };
    return { pillar, asked, compiled, connection: { host: "m", requests } as unknown as MasterConnection };
  }

  test("is asked of the master with the grains and environments of the call", async () => {
    const { pillar, asked, connection } = refresh({ id: "web1", file_client: "remote", grains: {}, pillarenv: "own" });
    const opts = { id: "other", file_client: "remote", pillarenv: "dev", pass_to_ext_pillars: ["x"], x: 1 };
    assert.deepEqual(await pillar.compile({ opts, grains: { role: "web" } }, connection), { from: "master" });
    const [{ grains, pillarenv, extra_minion_data } = {}] = asked;
    assert.deepEqual({ grains, pillarenv, extra_minion_data }, {
      grains: { role: "web" },
      pillarenv: "dev",
      extra_minion_data: { x: 1 },
    });
  });

  test("comes from the files of the minion if the options of the call say so", async () => {
    const { pillar, asked, compiled, connection } = refresh({ id: "web1", file_client: "remote", grains: {} });
    const opts = { id: "other", file_client: "local", pillar_roots: { base: ["/p"] } };
    assert.deepEqual(await pillar.compile({ opts, grains: { role: "web" } }, connection), { from: "files" });
    assert.equal(asked.length, 0);
    assert.deepEqual([compiled[0]?.id, compiled[0]?.grains, compiled[0]?.opts], ["other", { role: "web" }, opts]);
  });
});
