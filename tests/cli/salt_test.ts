/** `salt` as operators type it, on a master and minions of ours; what is expected was compared with real Salt 3006. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { saltCpMain } from "../../cli/salt_cp_program.ts";
import { saltMain } from "../../cli/salt_program.ts";
import { runInProcess } from "../support/program.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

describe("salt", TIMEOUT, () => {
  let cluster: Cluster;
  let conf: string;

  before(async () => {
    cluster = await startCluster({ place: "current", minions: ["alpha", "beta"] });
    conf = join(cluster.root, "conf");
    mkdirSync(conf);
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    const opts = { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user, timeout: 5 };
    writeFileSync(join(conf, "master"), JSON.stringify({ ...opts, nodegroups: { first: ["alpha"] } }));
  }, TIMEOUT);
  after(() => cluster.close(), TIMEOUT);

  const salt = (...words: string[]) => runInProcess("salt", saltMain, ["-c", conf, ...words]);
  const json = (text: string) => text.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

  for (const seconds of ["0", "-1"]) {
    test(`-t ${seconds}: the configured timeout`, TIMEOUT, async () => {
      const { stdout, exitCode } = await salt("alpha", "test.ping", "-t", seconds);
      assert.deepEqual([stdout, exitCode], ["alpha:\n    True\n", 0]);
    });
  }

  test("a function without a dot is one that no minion has", TIMEOUT, async () => {
    const { stdout, stderr, exitCode } = await salt("alpha", "ping");
    assert.equal(stdout, "alpha:\n    'ping' is not available.\n");
    assert.deepEqual([stderr, exitCode], ["ERROR: Minions returned with non-zero exit code\n", 1]);
  });

  for (const words of [["-N", "none"], ["-C", "N@none"], ["-C", "alpha or N@none"]]) {
    test(`${words.join(" ")}: a node group that there is not`, TIMEOUT, async () => {
      const { stdout, exitCode } = await salt(...words, "test.ping");
      assert.deepEqual([stdout, exitCode], [`Node group none unavailable in ${conf}/master\n`, 0]);
    });
  }

  test("-C N@first: those of the node group", TIMEOUT, async () => {
    const { stdout } = await salt("-C", "N@first", "test.ping");
    assert.equal(stdout, "alpha:\n    True\n");
  });

  test("--batch-safe-limit: a batch for as many minions, and none for fewer", TIMEOUT, async () => {
    const many = await salt("*", "test.ping", "--batch-safe-limit", "2", "--batch-safe-size", "1");
    assert.match(many.stdout, /^\nNOTICE: Too many minions targeted, switching to batch execution\.\n/);
    assert.equal(many.stdout.match(/^Executing run on \['(alpha|beta)'\]$/gm)?.length, 2);
    assert.equal(many.exitCode, 0);
    const few = await salt("*", "test.ping", "--batch-safe-limit", "3");
    assert.doesNotMatch(few.stdout, /NOTICE|Executing/);
  });

  test("-b: nobody to run it is an exit code of 2", TIMEOUT, async () => {
    const { stdout, stderr, exitCode } = await salt("nobody", "test.ping", "-b", "1");
    assert.match(stdout, /^No minions matched the target\. No command was sent, no jid was assigned\.\n/);
    assert.deepEqual([stderr, exitCode], ["ERROR: No return received\n", 2]);
  });

  test("-b: what has no key is not told to be away", TIMEOUT, async () => {
    const { stdout, exitCode } = await salt("-L", "alpha,nobody", "test.ping", "-b", "1");
    assert.doesNotMatch(stdout, /nobody/);
    assert.match(stdout, /^alpha:\n {4}True$/m);
    assert.equal(exitCode, 0);
  });

  test("-b --async: a batch all the same", TIMEOUT, async () => {
    const { stdout } = await salt("*", "test.ping", "-b", "1", "--async");
    assert.equal(stdout.match(/^Executing run on /gm)?.length, 2);
  });

  test("--subset -1: one of them", TIMEOUT, async () => {
    const { stdout } = await salt("*", "test.ping", "--subset", "-1", "--out=json", "--out-indent=-1");
    const [found = {}, ...more] = json(stdout);
    assert.deepEqual([Object.values(found), more], [[true], []]);
  });

  test("--hide-timeout: not of what has no key", TIMEOUT, async () => {
    const { stdout, exitCode } = await salt("-L", "alpha,nobody", "test.ping", "--hide-timeout");
    assert.match(stdout, /^nobody:\n {4}Minion did not return\. \[No response\]$/m);
    assert.equal(exitCode, 1);
  });

  test("-v: no word of an outcome where the master knows no more than everybody", TIMEOUT, async () => {
    const { stdout, exitCode } = await salt("-L", "alpha,nobody", "test.ping", "-v");
    assert.match(stdout, /^nobody:\n {4}Minion did not return\. \[No response\]$/m);
    assert.doesNotMatch(stdout, /Outcome/);
    assert.equal(exitCode, 1);
  });

  test("salt-cp tells who did not return", TIMEOUT, async () => {
    const source = join(cluster.root, "one.txt");
    writeFileSync(source, "one\n");
    const words = ["-c", conf, "-t", "0", "-L", "alpha,nobody", source, join(cluster.root, "copy"), "--out=json"];
    const { stdout, exitCode } = await runInProcess("salt-cp", saltCpMain, words);
    const { alpha, nobody } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual(alpha, { [join(cluster.root, "copy")]: true });
    assert.match(String(nobody), /^Minion did not return\. \[No response\]\n/);
    assert.equal(exitCode, 0);
  });
});
