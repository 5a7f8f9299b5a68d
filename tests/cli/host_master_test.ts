/** `saltutil` on a minion beside a master; what is expected was compared with real Salt 3006. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { callMain } from "../../cli/programs/call.ts";
import { runInProcess } from "../support/program.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };
type Map = Record<string, Record<string, unknown>>;

describe("saltutil beside a master", TIMEOUT, () => {
  let cluster: Cluster;
  let conf: string;
  let alone: string;

  before(async () => {
    cluster = await startCluster({ place: "current", minions: ["alpha", "beta"] });
    conf = join(cluster.root, "conf");
    alone = join(cluster.root, "alone");
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    const opts = { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user, timeout: 5 };
    for (const directory of [conf, alone]) {
      mkdirSync(directory);
      const minion = { root_dir: directory, id: "beside" };
      writeFileSync(join(directory, "minion"), JSON.stringify(minion));
    }
    writeFileSync(join(conf, "master"), JSON.stringify(opts));
  }, TIMEOUT);
  after(() => cluster.close(), TIMEOUT);

  const call = (directory: string, ...words: string[]) =>
    runInProcess("salt-call", callMain, ["-c", directory, "--local", "--out=json", ...words]);
  const value = async (...words: string[]): Promise<unknown> => {
    const { stdout, stderr } = await call(conf, ...words);
    assert.equal(stderr, "");
    return JSON.parse(stdout).local;
  };

  for (const level of ["quiet", "critical", "warning"]) {
    test(
      `an exception that nobody handles: Python's traceback on stderr, at the level ${level} as well`,
      TIMEOUT,
      async () => {
        const { stdout, stderr, exitCode } = await call(alone, "-l", level, "test.exception", "odd");
        assert.deepEqual([stdout, exitCode], ["", 1]);
        // What the log says of it stands before.
        assert.match(stderr, /^(?:\[ERROR.*\n)?Traceback \(most recent call last\):\n(?: {2}.*\n)+Exception: odd\n$/);
      },
    );
  }

  test("cmd: id → return, retcode and jid; an id without a key has failed", TIMEOUT, async () => {
    const got = await value("saltutil.cmd", "alpha,nobody", "test.retcode", "[3]", "tgt_type=list") as Map;
    const { jid, ...alpha } = got.alpha!;
    assert.match(String(jid), /^\d{20}$/);
    assert.deepEqual([alpha, got.nobody], [{ ret: true, retcode: 3 }, { failed: true }]);
  });

  test("cmd: arguments, in turn and by name", TIMEOUT, async () => {
    const got = await value("saltutil.cmd", "*", "test.arg_clean", "[1, two]", "kwarg={three: 3}", "subset=1") as Map;
    assert.deepEqual(Object.values(got).map(({ ret }) => ret), [{ args: [1, "two"], kwargs: { three: 3 } }]);
  });

  test("cmd: a batch has other entries", TIMEOUT, async () => {
    const entry = { ret: true, out: "highstate" };
    assert.deepEqual(await value("saltutil.cmd", "*", "test.ping", "batch=50%"), { alpha: entry, beta: entry });
  });

  test("cmd: no minion is an empty map", TIMEOUT, async () => {
    assert.deepEqual(await value("saltutil.cmd_iter", "nobody", "test.ping"), {});
  });

  for (const bad of ["batch=much", "timeout=soon", "ssh=True", "colour=red", "kwarg=[1]"]) {
    test(`cmd: ${bad} is refused by name`, TIMEOUT, async () => {
      const { stderr, exitCode } = await call(conf, "saltutil.cmd", "*", "test.ping", bad);
      assert.match(stderr, new RegExp(bad.slice(0, bad.indexOf("="))));
      assert.equal(exitCode, 1);
    });
  }

  test("runner: its return, or its whole return event", TIMEOUT, async () => {
    const words = ["saltutil.runner", "test.arg", "arg=[1]", "kwarg={a: 1}", "b=2"];
    const returned = { args: [1], kwargs: { a: 1, b: 2 } };
    assert.deepEqual(await value(...words), returned);
    const { jid, _stamp, ...all } = await value(...words, "full_return=True") as Record<string, unknown>;
    assert.match(`${jid} ${_stamp}`, /^\d{20} \d{4}-\d\d-\d\dT[\d:.]+$/);
    const common = { fun: "runner.test.arg", user: "UNKNOWN", fun_args: [1, { a: 1, b: 2, __pub_user: "UNKNOWN" }] };
    assert.deepEqual(all, { ...common, return: returned, success: true });
  });

  test("runner: a failure is reported, and an unknown name fails", TIMEOUT, async () => {
    const failed = await value("saltutil.runner", "error.error", "[ValueError, oops]", "full_return=True") as Map;
    assert.match(String(failed.return), /^Exception occurred in runner error\.error: .*ValueError: oops\n?$/s);
    assert.equal(failed.success, false);
    const { stderr, exitCode } = await call(conf, "saltutil.runner", "test.nosuch");
    assert.deepEqual([stderr, exitCode], ["Error running 'saltutil.runner': 'test.nosuch' is not available.\n", 1]);
  });

  test("wheel: its whole return event", TIMEOUT, async () => {
    const listed = await value("saltutil.wheel", "key.list", "accepted") as Map;
    assert.deepEqual([listed.return, listed.fun, listed.success], [
      { minions: ["alpha", "beta"] },
      "wheel.key.list",
      true,
    ]);
    const failed = await value("saltutil.wheel", "key.nosuch") as Map;
    assert.deepEqual([failed.success, String(failed.return).includes("key.nosuch")], [false, true]);
  });

  for (const words of [["cmd", "*", "test.ping"], ["runner", "test.arg"], ["wheel", "key.list_all"]]) {
    test(`${words[0]}: without a master here it says so`, TIMEOUT, async () => {
      const [name, ...more] = words;
      const { stderr, exitCode } = await call(alone, `saltutil.${name}`, ...more);
      assert.ok(stderr.includes(`${alone}/master does not exist here`), stderr);
      assert.equal(exitCode, 1);
    });
  }

  test("regen_keys: the keys are gone, directories stay", TIMEOUT, async () => {
    const pki = join(alone, "pki");
    mkdirSync(join(pki, "kept"), { recursive: true });
    for (const name of ["minion.pem", "minion.pub", "minion_master.pub"]) writeFileSync(join(pki, name), "key");
    writeFileSync(join(alone, "minion"), JSON.stringify({ root_dir: alone, id: "beside", pki_dir: pki }));
    const { stdout } = await call(alone, "saltutil.regen_keys");
    assert.deepEqual(JSON.parse(stdout), { local: null });
    assert.deepEqual(cluster.runtime.fs.list(pki), ["kept"]);
  });
});
