/** `salt` as operators type it, on a Brine master and minions; what is expected was compared with real Salt 3006. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runMain } from "../../../cli/programs/run.ts";
import { saltCpMain } from "../../../cli/programs/salt_cp.ts";
import { saltMain } from "../../../cli/programs/salt.ts";
import { runInProcess } from "../../support/program.ts";
import { type Cluster, PAIRS, startCluster } from "../../support/start_cluster.ts";

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
    writeFileSync(
      join(conf, "master"),
      JSON.stringify({ ...opts, nodegroups: { first: ["alpha"], loop_a: "N@loop_b", loop_b: "N@loop_a" } }),
    );
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

  test(
    "salt-run with the name of a module shows its functions, and with an unknown one that there is none",
    TIMEOUT,
    async () => {
      const run = (...words: string[]) => runInProcess("salt-run", runMain, ["-c", conf, ...words]);
      const shown = await run("match");
      assert.match(shown.stdout, /^match\.compound_matches:\n {4}Whether a minion /);
      assert.equal((await run("nosuch")).stdout, "'nosuch' is not available.\n");
      assert.match(
        (await run("cloud.query")).stdout,
        /^'cloud\.query' is not available\. .*install the minion there\.\n$/,
      );
    },
  );

  test("a function without a dot is one that no minion has", TIMEOUT, async () => {
    const { stdout, stderr, exitCode } = await salt("alpha", "ping");
    assert.equal(stdout, "alpha:\n    'ping' is not available.\n");
    assert.deepEqual([stderr, exitCode], ["ERROR: Minions returned with non-zero exit code\n", 1]);
  });

  test("a command that a signal ended has not failed; one with a code has", TIMEOUT, async () => {
    for (const batch of [[], ["-b", "1"]]) {
      const killed = await salt(...batch, "alpha", "cmd.run", "kill -9 $$");
      assert.deepEqual([killed.stderr, killed.exitCode], ["", 0]);
      assert.equal((await salt(...batch, "alpha", "cmd.run", "exit 9")).exitCode, batch.length === 0 ? 1 : 9);
    }
  });

  for (const words of [["-N", "none"], ["-C", "N@none"], ["-C", "alpha or N@none"]]) {
    test(`${words.join(" ")}: an unknown node group`, TIMEOUT, async () => {
      const { stdout, exitCode } = await salt(...words, "test.ping");
      assert.deepEqual([stdout, exitCode], [`Node group none unavailable in ${conf}/master\n`, 0]);
    });
  }

  for (const words of [["-N", "loop_a"], ["-C", "N@loop_a"]]) {
    test(`${words.join(" ")}: a node group that has itself in it matches nothing`, TIMEOUT, async () => {
      const { stdout, exitCode } = await salt(...words, "test.ping");
      assert.equal(stdout, "No minions matched the target. No command was sent, no jid was assigned.\n");
      assert.equal(exitCode, 2);
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

  for (
    const { words, want } of [
      { words: ["--out=yaml"], want: "{}\n" },
      { words: ["--out=json"], want: "{}\n" },
      { words: ["--out=raw", "--static"], want: "{}\n" },
      { words: [], want: "" },
    ]
  ) {
    test(`no minion matches, ${words.join(" ") || "without an outputter"}: an empty document`, TIMEOUT, async () => {
      const { stdout, stderr, exitCode } = await salt("nobody", "test.ping", ...words);
      assert.equal(
        stdout,
        `No minions matched the target. No command was sent, no jid was assigned.\n${want}`,
      );
      assert.deepEqual([stderr, exitCode], ["ERROR: No return received\n", 2]);
    });
  }

  test("--preview-target: no minion matches", TIMEOUT, async () => {
    const { stdout, stderr, exitCode } = await salt("nobody", "--preview-target", "--out=json");
    assert.deepEqual([stdout, stderr, exitCode], ["[]\n", "ERROR: No return received\n", 2]);
  });

  test("-G: a key without cached grains is not waited for", TIMEOUT, async () => {
    cluster.acceptKey("new", PAIRS.other);
    const { stdout, exitCode } = await salt("-G", "os:Test", "test.ping", "--out=json", "--static");
    assert.deepEqual([JSON.parse(stdout), exitCode], [{ alpha: true, beta: true }, 0]);
    const preview = await salt("-G", "os:Test", "--preview-target", "--out=json");
    assert.deepEqual(JSON.parse(preview.stdout), ["alpha", "beta"]);
    cluster.runtime.fs.remove(join(cluster.root, "pki/minions/new"));
  });

  for (
    const { program, main, words, exitCode } of [
      { program: "salt", main: saltMain, words: ["*", "test.ping"], exitCode: 0 },
      { program: "salt", main: saltMain, words: ["*", "test.ping", "--async"], exitCode: 1 },
      { program: "salt", main: saltMain, words: ["*", "test.ping", "-b", "1"], exitCode: 1 },
      { program: "salt", main: saltMain, words: ["*", "test.ping", "--static"], exitCode: 1 },
      { program: "salt-cp", main: saltCpMain, words: ["*", "/etc/hostname", "/tmp/x"], exitCode: 1 },
    ] as const
  ) {
    test(`${program} ${words.join(" ")} without a master ends with ${exitCode}`, TIMEOUT, async () => {
      const none = join(cluster.root, "none");
      mkdirSync(none, { recursive: true });
      writeFileSync(
        join(none, "master"),
        JSON.stringify({ root_dir: none, sock_dir: none, user: cluster.masterOpts.user }),
      );
      const run = await runInProcess(program, main, ["-c", none, ...words]);
      assert.equal(run.exitCode, exitCode);
      // What a script reads is empty where the exit code says it.
      const message = "The salt master could not be contacted. Is master running?";
      assert.equal(run.stdout, exitCode === 0 ? `${message}\n` : "");
      if (exitCode !== 0) assert.ok(run.stderr.startsWith(message), run.stderr);
    });
  }

  test("--static -v: the document alone", TIMEOUT, async () => {
    assert.equal((await salt("alpha", "test.ping", "--static", "-v")).stdout, "alpha:\n    True\n");
  });

  test("-b: no minion matches, and that is no failure", TIMEOUT, async () => {
    const { stdout, stderr, exitCode } = await salt("nobody", "test.ping", "-b", "1");
    assert.match(stdout, /^No minions matched the target\. No command was sent, no jid was assigned\.\n/);
    assert.deepEqual([stderr, exitCode], ["", 0]);
  });

  test("-b: a minion without a key is not reported as absent", TIMEOUT, async () => {
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

  test("a key whose minion is gone", TIMEOUT, async () => {
    const source = join(cluster.root, "one.txt");
    writeFileSync(source, "one\n");
    cluster.acceptKey("gone", PAIRS.other);
    const copy = (...words: string[]) =>
      runInProcess("salt-cp", saltCpMain, ["-c", conf, "-t", "1", "--out=json", ...words]);
    const place = (name: string) => join(cluster.root, name);
    // They wait together.
    const [whole, chunked, hidden, together, batch] = await Promise.all([
      copy("-L", "alpha,gone,nobody", source, place("copy")),
      copy("-C", "-L", "alpha,gone,nobody", source, place("chunked")),
      salt("-L", "alpha,gone", "test.ping", "-t", "1", "--hide-timeout", "--summary"),
      salt("gone", "test.ping", "-t", "1", "--static", "-v", "--out=json"),
      salt("gone", "test.ping", "-t", "1", "-b", "1"),
    ]);
    assert.deepEqual([JSON.parse(whole.stdout), whole.exitCode], [
      { alpha: { [place("copy")]: true }, gone: false },
      0,
    ]);
    const want = { alpha: { [place("chunked")]: true }, gone: { [place("chunked")]: false } };
    assert.deepEqual([JSON.parse(chunked.stdout), chunked.exitCode], [want, 0]);
    assert.match(hidden.stdout, /# of minions targeted: 1\n.*returned: 1\n.*did not return: 0\n/);
    const nothing = { stderr: "ERROR: No return received\n", exitCode: 2 };
    assert.deepEqual(together, { stdout: "{}\n", ...nothing });
    assert.deepEqual(batch, { stdout: "", ...nothing });
    cluster.runtime.fs.remove(join(cluster.root, "pki/minions/gone"));
  });
});
