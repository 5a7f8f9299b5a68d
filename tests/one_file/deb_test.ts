/** The life of the Debian packages: installed, started, upgraded with a job that waits, removed and purged, without a trace. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, until } from "../support/running_program.ts";
import { SmallRoot, whyNoRoot } from "./small_root.ts";

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
  "chgrp",
  "getent",
  "useradd",
  "userdel",
  "dpkg",
  "dpkg-deb",
  "dpkg-split",
  "tar",
];

/** The full path of a program of this host. */
function pathOf(name: string): string {
  const found = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"].map((folder) => path.join(folder, name)).find(existsSync);
  assert.ok(found !== undefined, `no program ${name}`);
  return found;
}

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
  const dpkg = (...words: string[]) => {
    const { status, stdout, stderr } = run("dpkg", "--force-depends", "--force-not-root", "--force-bad-path", ...words);
    assert.equal(status, 0, `dpkg ${words.join(" ")}: ${stdout}${stderr}`);
  };
  const install = (revision: string) => dpkg("--install", ...PACKAGES.map((name) => `/tmp/${revision}-${name}.deb`));
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
    await until(() => !pids.some(runs), `the end of ${daemons}`);
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
    start("salt-master", "salt-minion", "salt-api");
    await until(() => run("salt-run", "manage.up", "--out=json").stdout.includes("edge1"), "the minion is up");
    assert.deepEqual(json("salt", "*", "test.ping"), { edge1: true });
    // The master has become the user that the package has made.
    const status = readFileSync(`/proc/${readFileSync(pidFile("salt-master"), "utf8").trim()}/status`, "utf8");
    const uid = run("getent", "passwd", "salt").stdout.split(":")[2];
    assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s+${uid}`, "m"));

    // A job that waits for a minion that is away outlives the upgrade of the master, and of the minion.
    await stop("salt-minion");
    await until(() => !run("salt-run", "manage.present", "--out=json").stdout.includes("edge1"), "the minion is gone");
    const queued = run("salt", "--queue=1h", "--async", "edge1", "cmd.run", "echo upgraded");
    const jid = /\d{20}/.exec(queued.stdout)?.[0];
    assert.ok(jid !== undefined, queued.stdout + queued.stderr);
    await stop("salt-master", "salt-api");
    install("2");
    assert.match(
      readFileSync(path.join(small.path, "var/lib/dpkg/status"), "utf8"),
      /Package: brine-minion\nStatus: install ok installed\n[\s\S]*?Version: \S+-2\n/,
    );
    start("salt-master", "salt-minion");
    await until(
      () => run("salt-run", "jobs.lookup_jid", jid, "--out=json").stdout.includes("upgraded"),
      "the return of the job that waited",
    );

    await stop("salt-master", "salt-minion");
    for (const name of ["master.d/test.conf", "minion.d/test.conf"]) run("rm", `/etc/salt/${name}`);
    dpkg("--remove", ...[...PACKAGES].reverse());
    assert.ok(existsSync(path.join(small.path, "etc/salt/pki/master/master.pem")), "a removal keeps keys");
    dpkg("--purge", ...[...PACKAGES].reverse());
    assert.deepEqual(everything(), before);
    assert.equal(run("getent", "passwd", "salt").stdout, "");
  });
});
