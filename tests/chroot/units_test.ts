/**
 * The Debian packages on a Debian whose first process is systemd: what the units say holds when they are started, reloaded, killed,
 * upgraded and taken away. `npm run test:chroot`.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../bench/bed/until.ts";
import { DebianRoot, whyNoDebian } from "./debian_root.ts";

const TIMEOUT = { timeout: 600_000 };
const root = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["brine", "brine-master", "brine-minion", "brine-api", "brine-syndic"];
const SYSTEM = ["systemd", "systemd-sysv", "dbus", "init-system-helpers"];

/** Waits until a condition holds; what a failure says is asked for only then. */
async function met(holds: () => boolean, what: () => string): Promise<void> {
  await until(holds, { timeoutMs: 120_000, everyMs: 100 }).catch(() => assert.fail(`never: ${what()}`));
}

describe("Debian packages under systemd", { ...TIMEOUT, skip: whyNoDebian("dpkg-deb") }, () => {
  let debian: DebianRoot;
  const run = (...words: string[]) => debian.run(...words);
  const sh = (text: string) => run("sh", "-c", text);
  const must = (text: string) => {
    const { status, stdout, stderr } = sh(text);
    assert.equal(status, 0, `${text}\n${stdout}${stderr}`);
    return stdout;
  };
  const show = (unit: string, property: string) =>
    run("systemctl", "show", "--property", property, "--value", unit).stdout.trim();
  const journal = (unit: string) => run("journalctl", "--no-pager", "-u", unit).stdout.slice(-3000);
  const isUp = (id = "edge1") =>
    met(() => run("salt-run", "manage.up", "--out=json").stdout.includes(id), () => journal("salt-minion"));
  const active = (unit: string) => met(() => show(unit, "ActiveState") === "active", () => `${unit}\n${journal(unit)}`);
  const files = (revision: string, names = PACKAGES) => names.map((name) => `/srv/${revision}-${name}.deb`).join(" ");
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(debian.path, file)), { recursive: true });
    writeFileSync(path.join(debian.path, file), text);
  };
  const statusOf = (pid: string) => must(`cat /proc/${pid}/status`);
  /** Files and directories that have to do with Salt; dpkg's own lists of what it has are not among them. */
  const traces = () =>
    must(
      "find / -xdev -name proc -prune -o -name sys -prune -o -path /srv -prune -o \\( -iname '*salt*' -o -iname '*brine*' \\) -print",
    )
      .split("\n").filter((name) => name !== "" && !/^\/(?:tmp|dev|run\/systemd|var\/log\/journal)\//.test(name))
      .sort();

  before(async () => {
    for (const revision of ["1", "2"]) {
      const deb = path.join(root, "scripts/deb.ts");
      execFileSync(process.execPath, [deb, "--fast", "--revision", revision], { stdio: "ignore" });
    }
    debian = new DebianRoot(SYSTEM, true);
    for (const file of readdirSync(path.join(root, "dist/deb")).filter((name) => name.endsWith(".deb"))) {
      const [, name, revision] = /^(.*)_.*-([12])_/.exec(file) ?? [];
      if (name !== undefined) {
        copyFileSync(path.join(root, "dist/deb", file), path.join(debian.path, `srv/${revision}-${name}.deb`));
      }
    }
    copyFileSync(
      path.join(root, "examples/systemd/salt-master.socket"),
      path.join(debian.path, "srv/salt-master.socket"),
    );
    put("etc/hosts", "127.0.0.1 localhost debian salt\n");
    await debian.ready();
    await met(() => /running|degraded/.test(run("systemctl", "is-system-running").stdout), () => "systemd");
  }, TIMEOUT);
  after(() => debian?.remove(), TIMEOUT);

  let nothing: string[];

  test("apt installs them; master and minion run, and API and syndic say what they need", TIMEOUT, async () => {
    nothing = traces();
    const { status, stdout, stderr } = sh(`apt-get install -qy ${files("1")}`);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout + stderr, /brine-api: salt-api is not started yet\. salt-api --check says what it needs/);
    assert.doesNotMatch(stdout + stderr, /Could not execute systemctl/);
    for (const unit of ["salt-master", "salt-minion"]) await active(unit);
    assert.match(run("salt-api", "--check").stdout, /rest_cherrypy and rest_tornado are missing/);
    for (const unit of ["salt-master", "salt-minion", "salt-api", "salt-syndic"]) {
      assert.equal(run("systemctl", "is-enabled", unit).stdout, "enabled\n", unit);
      assert.equal(run("systemd-analyze", "verify", `${unit}.service`).stderr, "", unit);
    }
  });

  test("an API without configuration ends with a message, and is not started again and again", TIMEOUT, async () => {
    assert.notEqual(run("systemctl", "start", "salt-api").status, 0);
    await met(() => show("salt-api", "ActiveState") === "failed", () => journal("salt-api"));
    assert.equal(show("salt-api", "ExecMainStatus"), "78");
    assert.equal(show("salt-api", "NRestarts"), "0");
    assert.match(journal("salt-api"), /has neither rest_cherrypy nor rest_tornado/);
  });

  test("a ping", TIMEOUT, async () => {
    put("etc/salt/minion.d/test.conf", "id: edge1\nacceptance_wait_time: 1\nenable_fqdns_grains: False\n");
    put(
      "etc/salt/master.d/test.conf",
      "auto_accept: True\nrest_cherrypy: {host: 127.0.0.1, port: 8000, disable_ssl: True}\n",
    );
    must("systemctl restart salt-master salt-minion salt-api");
    await active("salt-api");
    await isUp();
    assert.match(must("salt edge1 test.ping"), /edge1:\n {4}True/);
  });

  test("the master runs as the user salt, with no rights, and cannot write where it has no business", TIMEOUT, () => {
    const pid = show("salt-master", "MainPID");
    const uid = must("id -u salt").trim();
    assert.match(statusOf(pid), new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, "m"));
    assert.match(statusOf(pid), /^CapEff:\s+0+$/m);
    assert.match(statusOf(pid), /^Seccomp:\s+2$/m);
    // As root in the unit's mounts: the directory is read-only for anybody.
    const write = (file: string) => sh(`nsenter -t ${pid} -m -r touch ${file}`).status;
    assert.notEqual(write("/usr/bin/x"), 0);
    assert.equal(write("/etc/salt/x"), 0);
    assert.equal(write("/var/cache/salt/x"), 0);
    must("rm /etc/salt/x /var/cache/salt/x");
  });

  test("systemd's own measure finds no unit of the master's side worse than it was", () => {
    const exposure = (unit: string) =>
      Number(
        /exposure level for \S+: ([\d.]+)/.exec(run("systemd-analyze", "security", "--no-pager", unit).stdout)?.[1],
      );
    for (const unit of ["salt-master", "salt-api", "salt-syndic"]) {
      assert.ok(exposure(unit) <= 5.4, `${unit}: ${exposure(unit)}`);
    }
    // A minion changes its host: it is root without limits.
    assert.ok(exposure("salt-minion") > 9);
  });

  test(
    "systemctl reload reads the configuration again, without the program kill, in the same process",
    TIMEOUT,
    async () => {
      assert.notEqual(sh("command -v /bin/kill").status, 0, "here is a /bin/kill, which minimal systems lack");
      const pid = show("salt-master", "MainPID");
      put("etc/salt/master.d/log.conf", "log_level: info\n");
      for (const unit of ["salt-master", "salt-minion", "salt-api"]) {
        assert.equal(run("systemctl", "reload", unit).status, 0, journal(unit));
      }
      await met(() => journal("salt-master").includes("configuration reloaded"), () => journal("salt-master"));
      assert.equal(show("salt-master", "MainPID"), pid);
      assert.equal(show("salt-master", "ActiveState"), "active");
    },
  );

  test("a daemon that hangs is ended by the watchdog and started again; one that is killed, too", TIMEOUT, async () => {
    put("etc/systemd/system/salt-master.service.d/quick.conf", "[Service]\nWatchdogSec=2\nRestartSec=0\n");
    must("systemctl daemon-reload && systemctl restart salt-master");
    await active("salt-master");
    const [hung, before] = [show("salt-master", "MainPID"), Number(show("salt-master", "NRestarts"))];
    must(`kill -STOP ${hung}`);
    await met(() => Number(show("salt-master", "NRestarts")) > before, () => journal("salt-master"));
    await active("salt-master");
    assert.match(journal("salt-master"), /Watchdog timeout/);
    const killed = show("salt-master", "MainPID");
    assert.notEqual(killed, hung);
    must(`kill -KILL ${killed}`);
    await met(() => !["", "0", killed].includes(show("salt-master", "MainPID")), () => journal("salt-master"));
    await active("salt-master");
    must("rm -r /etc/systemd/system/salt-master.service.d && systemctl daemon-reload && systemctl restart salt-master");
    await isUp();
  });

  test("with sockets of systemd a restart refuses no connection", TIMEOUT, async () => {
    must("systemctl stop salt-master && cp /srv/salt-master.socket /etc/systemd/system/ && systemctl daemon-reload");
    must("systemctl start salt-master.socket");
    // The minion, which tries again and again, starts it.
    await active("salt-master");
    await isUp();
    const listening = () =>
      must("cat /proc/net/tcp /proc/net/tcp6").split("\n").filter((line) => /:119A \S+ 0A /.test(line));
    assert.equal(listening().length, 1);
    must("systemctl stop salt-master");
    assert.equal(listening().length, 1, "systemd holds the port");
    must("systemctl start salt-master");
    await isUp();
    must(
      "systemctl stop salt-master.socket salt-master; rm /etc/systemd/system/salt-master.socket; systemctl daemon-reload",
    );
    must("systemctl start salt-master");
    await isUp();
  });

  test("an upgrade keeps a job that waits, and restarts what runs", TIMEOUT, async () => {
    must("systemctl stop salt-minion");
    const before = show("salt-master", "MainPID");
    const jid = /\d{20}/.exec(must("salt --queue=1h --async edge1 cmd.run 'echo upgraded'"))![0];
    must(`apt-get install -qy ${files("2")}`);
    await active("salt-master");
    await active("salt-api");
    assert.notEqual(show("salt-master", "MainPID"), before);
    assert.match(must("dpkg-query -W brine-minion"), /-2$/m);
    must("systemctl start salt-minion");
    await met(
      () => run("salt-run", "jobs.lookup_jid", jid).stdout.includes("upgraded"),
      () => run("salt-run", "jobs.outcome", jid).stdout,
    );
  });

  test("a minion that is upgraded by its own job returns first, and is restarted then", TIMEOUT, async () => {
    const before = show("salt-minion", "MainPID");
    const downgrade = `apt-get install -qy --allow-downgrades ${files("1")} && echo all done`;
    const jid = /\d{20}/.exec(run("salt", "--async", "edge1", "cmd.run", downgrade).stdout)![0];
    // The master is restarted in the middle of it.
    await met(
      () => run("salt-run", "jobs.lookup_jid", jid).stdout.includes("all done"),
      () => run("salt-run", "jobs.outcome", jid).stdout,
    );
    await met(() => !["", "0", before].includes(show("salt-minion", "MainPID")), () => journal("salt-minion"));
    await active("salt-minion");
    await isUp();
    assert.match(must("dpkg-query -W brine-minion"), /-1$/m);
  });

  test("a purge stops all, and leaves nothing", TIMEOUT, () => {
    must("rm -f /etc/salt/master.d/* /etc/salt/minion.d/*");
    must(`apt-get purge -qy ${PACKAGES.join(" ")}`);
    assert.equal(must("readlink /proc/[0-9]*/exe | grep brine || true"), "");
    assert.notEqual(run("getent", "passwd", "salt").status, 0);
    assert.deepEqual(traces(), nothing);
    assert.ok(!existsSync(path.join(debian.path, "etc/salt")));
    assert.equal(readFileSync(path.join(debian.path, "etc/hostname"), "utf8").includes("salt"), false);
  });
});
