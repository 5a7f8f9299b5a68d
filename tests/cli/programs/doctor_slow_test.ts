/** `salt-doctor` and `salt --watch`, beside a master and a minion that run. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { runMain } from "../../../cli/programs/run.ts";
import { doctorMain } from "../../../cli/programs/doctor.ts";
import { saltMain } from "../../../cli/programs/salt.ts";
import { sshMain } from "../../../cli/programs/ssh.ts";
import { runInProcess } from "../../support/program.ts";
import { freePort, RunningProgram } from "../../support/running_program.ts";

const TIMEOUT = { timeout: 120_000 };
const linux = process.platform === "linux" ? false : "processes are looked at in /proc";

describe("beside a master and a minion", { timeout: 300_000, skip: linux }, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-doctor-"));
  const etc = path.join(root, "etc");
  const running: RunningProgram[] = [];
  const user = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
  let ports: { publish_port: number; ret_port: number };
  const write = (name: string, opts: Record<string, unknown>, folder = etc) => {
    mkdirSync(folder, { recursive: true });
    // JSON is YAML.
    writeFileSync(path.join(folder, name), JSON.stringify(opts));
  };
  const doctor = async (...words: string[]) => {
    const run = await runInProcess("salt-doctor", doctorMain, ["--out=json", ...words]);
    const rows = JSON.parse(run.stdout) as { part: string; severity: string; text: string; remedy: string }[];
    const of = (severity: string) =>
      rows.filter((row) => row.severity === severity && row.part !== "clock").map(({ text }) => text);
    return { exitCode: run.exitCode, ok: of("ok"), warning: of("warning"), error: of("error") };
  };

  before(async () => {
    ports = { publish_port: await freePort(), ret_port: await freePort() };
    const common = { root_dir: root, user, log_level: "info" };
    write("master", { ...common, interface: "127.0.0.1", ...ports, auto_accept: true });
    write("minion", {
      ...common,
      id: "web1",
      master: "127.0.0.1",
      master_port: ports.ret_port,
      pki_dir: path.join(root, "pki-minion"),
      acceptance_wait_time: 1,
      enable_fqdns_grains: false,
      multiprocessing: false,
    });
    const master = new RunningProgram("salt-master", ["-c", etc]);
    running.push(master);
    await master.saying("master is running");
    const minion = new RunningProgram("salt-minion", ["-c", etc]);
    running.push(minion);
    await minion.saying("minion is ready");
  }, TIMEOUT);
  after(async () => {
    for (const one of running) if (!one.ended) await one.end();
    rmSync(root, { recursive: true, force: true });
  }, TIMEOUT);

  test("all is well, and nothing was changed", TIMEOUT, async () => {
    const files = () =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /pki|etc/.test(name)).sort();
    const before = files();
    const { exitCode, ok, warning, error } = await doctor("-c", etc);
    assert.deepEqual([error, exitCode], [[], 0]);
    assert.deepEqual(warning, ["auto_accept is on: every new key is accepted"]);
    for (
      const line of [
        /^salt-master is running as process \d+$/,
        /^1 accepted key$/,
        new RegExp(`^ret_port ${ports.ret_port} answers$`),
        new RegExp(`^publish_port ${ports.publish_port} answers$`),
        /^this user can use the event bus$/,
        /^id: web1$/,
        new RegExp(`^master 127\\.0\\.0\\.1:${ports.ret_port} accepts this minion$`),
      ]
    ) assert.ok(ok.some((text) => line.test(text)), `${line}: ${ok.join("\n")}`);
    assert.deepEqual(files(), before);
  });

  test("the text for people has the same, part by part", TIMEOUT, async () => {
    const { stdout, exitCode } = await runInProcess("salt-doctor", doctorMain, ["-c", etc, "--as", "minion"]);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^clock:\n {2}(?:OK {6}|WARNING )/);
    assert.match(stdout, /\nminion:\n {2}OK {6}configuration: /);
    assert.match(stdout, /\n0 errors, \d warnings\n$/);
    assert.ok(!stdout.includes("\nmaster:\n"));
  });

  test("a key that waits, a port that is something else, a host that is not there", TIMEOUT, async () => {
    const minion = JSON.parse(readFileSync(path.join(etc, "minion"), "utf8"));
    const other = createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    try {
      const at = path.join(root, "other");
      write("minion", { ...minion, master_port: port }, at);
      const wrongPort = await doctor("-c", at);
      assert.equal(wrongPort.exitCode, 1);
      assert.match(
        wrongPort.error.join("\n"),
        new RegExp(`127.0.0.1:${port} (?:does not speak ZeroMQ|closes the connection)`),
      );
      write("minion", { ...minion, master_port: ports.publish_port }, at);
      const publisher = await doctor("-c", at);
      assert.match(publisher.error.join("\n"), /is the publish_port of a master, which does not answer/);
      write("minion", { ...minion, master_port: await freePort() }, at);
      assert.match((await doctor("-c", at)).error.join("\n"), /cannot be reached: /);
    } finally {
      other.close();
    }
  });

  test(
    "files of master.d and minion.d alone are a configuration, with the gateway and the syndic that they name",
    TIMEOUT,
    async () => {
      const at = path.join(root, "installed");
      const master = JSON.parse(readFileSync(path.join(etc, "master"), "utf8"));
      write("install.conf", { ...master, root_dir: at }, path.join(at, "master.d"));
      write(
        "api.conf",
        { rest_cherrypy: { port: await freePort(), host: "127.0.0.1", disable_ssl: true } },
        path.join(at, "master.d"),
      );
      write("syndic.conf", { syndic_master: "127.0.0.1" }, path.join(at, "master.d"));
      write("install.conf", { root_dir: at, user, id: "web9", master: "127.0.0.1" }, path.join(at, "minion.d"));
      const run = await runInProcess("salt-doctor", doctorMain, ["-c", at]);
      for (const role of ["master", "syndic", "api", "minion"]) {
        assert.match(run.stdout, new RegExp(`^${role}:$`, "m"));
        assert.match(
          run.stdout,
          new RegExp(
            `ERROR   salt-${role} is not running\\. Remedy: (?:fix the errors above, then )?start it: npm run ${role} -- -c ${at}`,
          ),
        );
      }
      assert.match(run.stdout, /OK {6}configuration: .*master\.d\/install\.conf/);
      assert.equal(run.exitCode, 2);
    },
  );

  test("a denied key: the remedy removes it, and no other key", TIMEOUT, async () => {
    const at = path.join(root, "denied");
    write("master", { root_dir: at, user }, at);
    const denied = path.join(at, "etc/salt/pki/master/minions_denied");
    mkdirSync(denied, { recursive: true });
    writeFileSync(path.join(denied, "web1"), "a key");
    const run = () => runInProcess("salt-doctor", doctorMain, ["-c", at, "--as", "master"]);
    const named = /1 denied key: .*Then remove only the denied key: rm (\S+)\/ID\. /.exec((await run()).stdout)?.[1];
    assert.equal(named, denied);
    rmSync(path.join(named, "web1"));
    assert.doesNotMatch((await run()).stdout, /denied key/);
  });

  test("options that are mistyped, and a host without any configuration", TIMEOUT, async () => {
    const at = path.join(root, "mistyped");
    const master = JSON.parse(readFileSync(path.join(etc, "master"), "utf8"));
    write("master", { ...master, file_root: { base: ["/srv"] } }, at);
    const { warning } = await doctor("-c", at, "--as", "master");
    assert.ok(warning.some((text) => text.includes("unknown option file_root")), warning.join("\n"));
    mkdirSync(path.join(root, "empty"));
    const none = await runInProcess("salt-doctor", doctorMain, ["-c", path.join(root, "empty")]);
    assert.equal(none.exitCode, 1);
    assert.match(
      none.stderr,
      /No configuration in .*empty: it has no file "master" or "minion", and no \*\.conf in master\.d or/,
    );
    const role = await runInProcess("salt-doctor", doctorMain, ["--as", "king"]);
    assert.equal(role.exitCode, 64);
    assert.match(role.stderr, /"king"|'king' is not a valid argument to '--as'/);
  });

  test("a gateway's certificate that has expired", { ...TIMEOUT, skip: hasOpenssl() }, async () => {
    const at = path.join(root, "api");
    mkdirSync(at);
    const [key, cert] = [path.join(at, "k.pem"), path.join(at, "c.pem")];
    execFileSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
      "-subj",
      "/CN=x",
      "-days",
      "3",
    ], { stdio: "ignore" });
    const master = JSON.parse(readFileSync(path.join(etc, "master"), "utf8"));
    write("master", {
      ...master,
      rest_cherrypy: { host: "127.0.0.1", port: await freePort(), ssl_crt: cert, ssl_key: key },
    }, at);
    const { warning } = await doctor("-c", at, "--as", "api");
    assert.ok(warning.some((text) => /the certificate .*c\.pem expires on 20/.test(text)), warning.join("\n"));
  });

  test("--watch shows a job that runs already, and one that has ended", TIMEOUT, async () => {
    const published = await runInProcess("salt", saltMain, ["-c", etc, "--async", "web1", "test.sleep", "0.3"]);
    const jid = /job ID: (\d{20})/.exec(published.stdout)![1]!;
    const watched = await runInProcess("salt", saltMain, ["-c", etc, "--watch", jid]);
    assert.deepEqual(watched, { stdout: "web1:\n    True\n", stderr: "", exitCode: 0 });
    const again = await runInProcess("salt", saltMain, ["-c", etc, "--watch", jid, "--out=json"]);
    assert.deepEqual(again, { stdout: '{\n    "web1": true\n}\n', stderr: "", exitCode: 0 });
    const shown = await runInProcess("salt-run", runMain, ["-c", etc, "jobs.lookup_jid", jid]);
    assert.equal(shown.stdout, "web1:\n    True\n");
  });

  test("--watch of a job that is not there, of what is no job id, and with a target", TIMEOUT, async () => {
    const unknown = await runInProcess("salt", saltMain, ["-c", etc, "--watch", "20200101000000000000"]);
    assert.match(unknown.stdout + unknown.stderr, /The master has no job 20200101000000000000/);
    assert.notEqual(unknown.exitCode, 0);
    const bad = await runInProcess("salt", saltMain, ["-c", etc, "--watch", "last"]);
    assert.match(bad.stderr, /'last' is not a valid JID/);
    const both = await runInProcess("salt", saltMain, ["-c", etc, "--watch", "20200101000000000000", "*"]);
    assert.match(both.stderr, /--watch takes no target and no function: '\*'/);
  });

  test("a mistyped id is named in the log", TIMEOUT, async () => {
    const { stderr } = await runInProcess("salt", saltMain, ["-c", etc, "wbe1", "test.ping"]);
    assert.match(stderr, /No minion has this id\. Did you mean web1\?/);
  });

  test("brine is every program by its name, and starts a master whose runners run", TIMEOUT, async () => {
    const brine = (...words: string[]) => {
      const flags = "Deno" in globalThis ? ["run", "-A", "--no-check", "--node-modules-dir=manual"] : [];
      return spawnSync(
        process.execPath,
        [...flags, path.join(import.meta.dirname!, "../../../cli/brine.ts"), ...words],
        {
          encoding: "utf8",
        },
      );
    };
    assert.equal(brine("salt", "-c", etc, "--out=json", "web1", "test.ping").stdout, '{\n    "web1": true\n}\n');
    assert.match(brine("call", "--version").stdout, /^salt-call \d/);
    assert.match(brine("slat").stderr, /Unknown program "slat": did you mean "salt"\?/);
    assert.match(brine("completion", "tcsh").stderr, /use one of bash, zsh, fish/);
    const at = path.join(root, "second");
    write("master", {
      root_dir: at,
      user,
      interface: "127.0.0.1",
      publish_port: await freePort(),
      ret_port: await freePort(),
      log_level: "info",
    }, path.join(at, "etc"));
    const master = new RunningProgram("brine", ["salt-master", "-c", path.join(at, "etc")]);
    running.push(master);
    await master.saying("master is running");
    const started = brine("salt-run", "-c", path.join(at, "etc"), "--async", "test.arg", "x");
    assert.match(started.stdout + started.stderr, /salt\/run\/\d{20}|\d{20}/);
    const jid = /\d{20}/.exec(started.stdout + started.stderr)![0];
    await until(
      "the runner's end",
      () => brine("salt-run", "-c", path.join(at, "etc"), "jobs.lookup_jid", jid, "--out=json").stdout.includes('"x"'),
    );
    assert.equal(await master.end(), 0);
  });
});

function hasOpenssl(): string | false {
  return spawnSync("openssl", ["version"]).error === undefined ? false : "no openssl";
}

test("salt-ssh says that it is not there, and fails", async () => {
  const { stderr, exitCode } = await runInProcess("salt-ssh", sshMain, []);
  assert.equal(exitCode, 69);
  assert.match(stderr, /Brine has no agentless mode\. Install a minion/);
});

test("a mistyped option is named", async () => {
  const { stderr, exitCode } = await runInProcess("salt", saltMain, ["--progres-bar"]);
  assert.equal(exitCode, 64);
  assert.match(stderr, /error: no such option: --progres-bar\nsalt: did you mean --progress\?\n$/);
});
