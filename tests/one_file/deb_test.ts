/** The life of the Debian packages: installed, started, upgraded with a job that waits, removed and purged, without a trace. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../bench/bed/until.ts";
import { freePort } from "../support/running_program.ts";
import { pathOf, SmallRoot, whyNoRoot } from "./small_root.ts";

const TIMEOUT = { timeout: 240_000 };
const root = fileURLToPath(new URL("../..", import.meta.url));
const lacksDpkg = spawnSync("dpkg-deb", ["--version"]).error === undefined ? false : "no dpkg-deb";

/** What maintainer scripts and dpkg call inside. */
const TOOLS = [
  "sh",
  "cat",
  "rm",
  "rmdir",
  "sed",
  "grep",
  "tr",
  "env",
  "sleep",
  "setsid",
  "chgrp",
  "getent",
  "useradd",
  "userdel",
  "groupdel",
  "dpkg",
  "dpkg-deb",
  "dpkg-split",
  "tar",
];

/** A system with dpkg, and with nothing installed as far as dpkg knows. */
function makeSystem(): SmallRoot {
  const small = new SmallRoot([
    ...TOOLS.map(pathOf),
    fileURLToPath(new URL(`../../dist/compile/brine-linux-${process.arch}`, import.meta.url)),
  ]);
  for (const folder of ["updates", "info", "triggers"]) {
    mkdirSync(path.join(small.path, "var/lib/dpkg", folder), { recursive: true });
  }
  for (const file of ["status", "available"]) writeFileSync(path.join(small.path, "var/lib/dpkg", file), "");
  // Without these useradd has no defaults, and getent no files to read.
  writeFileSync(path.join(small.path, "etc/shadow"), "root:*:19000:0:99999:7:::\n", { mode: 0o640 });
  writeFileSync(path.join(small.path, "etc/gshadow"), "root:*::\n", { mode: 0o640 });
  writeFileSync(path.join(small.path, "etc/login.defs"), "");
  writeFileSync(path.join(small.path, "etc/nsswitch.conf"), "passwd: files\ngroup: files\n");
  for (const folder of ["var/cache", "var/log", "var/lib", "etc/default"]) {
    mkdirSync(path.join(small.path, folder), { recursive: true });
  }
  return small;
}

describe("the Debian packages", { ...TIMEOUT, skip: whyNoRoot() || lacksDpkg }, () => {
  let small: SmallRoot;
  const PACKAGES = ["brine", "brine-master", "brine-minion", "brine-api", "brine-syndic"];
  const run = (...words: string[]) => small.run(...words);
  const DPKG = ["dpkg", "--force-depends", "--force-not-root", "--force-bad-path"];
  const dpkg = (...words: string[]) => {
    const { status, stdout, stderr } = run(...DPKG, ...words);
    assert.equal(status, 0, `dpkg ${words.join(" ")}: ${stdout}${stderr}`);
  };
  const files = (revision: string, names = PACKAGES) => names.map((name) => `/tmp/${revision}-${name}.deb`);
  const install = (revision: string) => dpkg("--install", ...files(revision));
  /** A master and its minion `edge1` on ports that are free, and a server of HTTP. */
  const configure = async () => {
    const [publish_port, ret_port, port] = [await freePort(), await freePort(), await freePort()];
    const drop = (file: string, opts: unknown) =>
      writeFileSync(path.join(small.path, "etc/salt", file), JSON.stringify(opts));
    drop("master.d/test.conf", {
      interface: "127.0.0.1",
      publish_port,
      ret_port,
      auto_accept: true,
      rest_cherrypy: { host: "127.0.0.1", port, disable_ssl: true },
    });
    drop("minion.d/test.conf", {
      id: "edge1",
      master: "127.0.0.1",
      master_port: ret_port,
      enable_fqdns_grains: false,
      acceptance_wait_time: 1,
    });
  };
  const dpkgStatus = () => readFileSync(path.join(small.path, "var/lib/dpkg/status"), "utf8");
  const isUp = () =>
    until("the minion is up", () => run("salt-run", "manage.up", "--out=json").stdout.includes("edge1"));
  const json = (...words: string[]) => {
    const { stdout, stderr } = run(...words, "--out=json", "--static");
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  };
  const start = (...daemons: string[]) => {
    for (const daemon of daemons) {
      assert.equal(run(daemon, "-d").status, 0, `${daemon}: ${run(daemon, "-l", "debug").stderr.slice(-2000)}`);
    }
  };
  const pidFile = (daemon: string) => path.join(small.path, `var/run/${daemon}.pid`);
  /** Ends daemons. One that has become another user cannot take its pid file away. */
  const stop = async (...daemons: string[]) => {
    const pids = daemons.filter((daemon) => existsSync(pidFile(daemon))).map((daemon) =>
      Number(readFileSync(pidFile(daemon), "utf8"))
    );
    const runs = (pid: number) => existsSync(`/proc/${pid}/exe`);
    for (const pid of pids.filter(runs)) process.kill(pid, "SIGTERM");
    await until(`the end of ${daemons}`, () => !pids.some(runs));
  };
  /**
   * Everything that there is, without what dpkg and the data base of users write. Directories of this system belong to no package: dpkg
   * takes away those that have become empty.
   */
  const everything = () =>
    ["etc", "usr", "var", "run"].filter((top) => existsSync(path.join(small.path, top))).flatMap((top) =>
      readdirSync(path.join(small.path, top), { recursive: true, encoding: "utf8" }).map((name) => `${top}/${name}`)
    ).filter((name) =>
      !/^(?:var\/lib\/dpkg\/|etc\/(?:passwd|group|shadow|gshadow|subuid|subgid)-?$|etc\/\.pwd\.lock)/.test(name)
    )
      .filter((name) => /salt|brine/.test(name) || !lstatSync(path.join(small.path, name)).isDirectory()).sort();

  before(() => {
    for (const revision of ["1", "2"]) {
      execFileSync(process.execPath, [path.join(root, "scripts/deb.ts"), "--fast", "--revision", revision], {
        stdio: "ignore",
      });
    }
    small = makeSystem();
    for (const revision of ["1", "2"]) {
      for (const name of PACKAGES) {
        const file = readdirSync(path.join(root, "dist/deb")).find((one) =>
          one.startsWith(`${name}_`) && one.includes(`-${revision}_`)
        );
        small.put(path.join(root, "dist/deb", file!), `/tmp/${revision}-${name}.deb`);
      }
    }
  }, TIMEOUT);
  after(async () => {
    if (small === undefined) return;
    try {
      await stop("salt-master", "salt-minion", "salt-api");
    } finally {
      small.remove();
    }
  }, TIMEOUT);

  test("install, start, ping, upgrade with a job that waits, purge", TIMEOUT, async () => {
    const before = everything();
    install("1");
    assert.match(run("getent", "passwd", "salt").stdout, /^salt:/);
    await configure();
    start("salt-master", "salt-minion", "salt-api");
    await isUp();
    assert.deepEqual(json("salt", "*", "test.ping"), { edge1: true });
    // The master has become the user that the package has made.
    const status = readFileSync(`/proc/${readFileSync(pidFile("salt-master"), "utf8").trim()}/status`, "utf8");
    const uid = run("getent", "passwd", "salt").stdout.split(":")[2];
    assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, "m"));

    // A job that waits for a minion that is away outlives the upgrade of the master, and of the minion.
    await stop("salt-minion");
    await until("the minion is gone", () => !run("salt-run", "manage.present", "--out=json").stdout.includes("edge1"));
    const queued = run("salt", "--queue=1h", "--async", "edge1", "cmd.run", "echo upgraded");
    const jid = /\d{20}/.exec(queued.stdout)?.[0];
    assert.ok(jid !== undefined, queued.stdout + queued.stderr);
    await stop("salt-master", "salt-api");
    install("2");
    assert.match(dpkgStatus(), /Package: brine-minion\nStatus: install ok installed\n[\s\S]*?Version: \S+-2\n/);
    start("salt-master", "salt-minion");
    await until(
      "the return of the job that waited",
      () => run("salt-run", "jobs.lookup_jid", jid, "--out=json").stdout.includes("upgraded"),
    );

    await stop("salt-master", "salt-minion");
    for (const name of ["master.d/test.conf", "minion.d/test.conf"]) run("rm", `/etc/salt/${name}`);
    dpkg("--remove", ...[...PACKAGES].reverse());
    assert.ok(existsSync(path.join(small.path, "etc/salt/pki/master/master.pem")), "a removal keeps keys");
    dpkg("--purge", ...[...PACKAGES].reverse());
    assert.deepEqual(everything(), before);
    for (const base of ["passwd", "group"]) assert.equal(run("getent", base, "salt").stdout, "");
  });

  /** Programs of systemd that write down their words; `systemd-run` runs the command of the service, `systemctl stop` stops the minion. */
  const pretendSystemd = () => {
    mkdirSync(path.join(small.path, "run/systemd/system"), { recursive: true });
    const stub = (name: string, text: string) =>
      writeFileSync(
        path.join(small.path, "usr/bin", name),
        `#!/bin/sh\nprintf '%s %s\\n' "\${0##*/}" "$*" >>/tmp/systemd\n${text}`,
        { mode: 0o755 },
      );
    stub("systemctl", 'if [ "$1" = stop ]; then kill "$(cat /run/salt-minion.pid)"; fi\n');
    stub("deb-systemd-invoke", "");
    stub(
      "systemd-run",
      'while [ "${1#--}" != "$1" ]; do shift; done\nsetsid "$@" </dev/null >/dev/null 2>&1 &\n',
    );
  };

  test(
    "a minion that is upgraded, and removed, by its own job is there until that job has ended",
    TIMEOUT,
    async () => {
      install("1");
      await configure();
      start("salt-master", "salt-minion");
      await isUp();
      const pid = () => Number(readFileSync(pidFile("salt-minion"), "utf8"));
      const at = (name: string) => path.join(small.path, "tmp", name);
      /** A job that goes on after dpkg has ended, until it is told to end. */
      const begin = async (name: string, ...words: string[]) => {
        const wait = `: >/tmp/${name}; until [ -e /tmp/${name}-end ]; do sleep 0.1; done; echo ${name} ended`;
        const command = `${[...DPKG, ...words].join(" ")} >/tmp/dpkg-says 2>&1 && { ${wait}; }`;
        const jid = /\d{20}/.exec(run("salt", "--async", "edge1", "cmd.run", command).stdout)![0];
        await until(`dpkg in ${jid}`, () => existsSync(at(name)));
        return jid;
      };
      const returned = (jid: string, name: string) =>
        until(`the return of ${jid}`, () => run("salt-run", "jobs.lookup_jid", jid).stdout.includes(`${name} ended`));
      const old = pid();
      const upgrade = await begin("upgrade", "--install", ...files("2", ["brine", "brine-minion"]));
      assert.match(dpkgStatus(), /Package: brine-minion\nStatus: install ok installed\n[\s\S]*?Version: \S+-2\n/);
      assert.deepEqual(json("salt", "*", "test.ping"), { edge1: true });
      assert.equal(pid(), old);
      writeFileSync(at("upgrade-end"), "");
      await returned(upgrade, "upgrade");
      await until("the new minion", () => existsSync(pidFile("salt-minion")) && pid() !== old);
      await isUp();
      assert.doesNotMatch(readlinkSync(`/proc/${pid()}/exe`), /deleted/);

      pretendSystemd();
      const again = await begin("again", "--install", ...files("2", ["brine-minion"]));
      const said = () => readFileSync(at("systemd"), "utf8");
      assert.match(said(), /^systemd-run .* systemctl restart salt-minion\.service$/m);
      assert.doesNotMatch(said(), /^(?:systemctl|deb-systemd-invoke) restart/m);
      writeFileSync(at("again-end"), "");
      await returned(again, "again");
      await until("the restart", () => /^systemctl restart salt-minion\.service$/m.test(said()));

      const last = pid();
      const removal = await begin("removal", "--remove", "brine-minion");
      assert.ok(existsSync(`/proc/${last}/exe`));
      writeFileSync(at("removal-end"), "");
      await returned(removal, "removal");
      await until("the end of the minion", () => !existsSync(`/proc/${last}/exe`));
    },
  );
});
