/** `install.sh` on a system of its own: a master, the line that it prints, and the minion that this makes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { freePort } from "../support/running_program.ts";
import { ONE_FILE, pathOf, SmallRoot, whyNoRoot } from "./small_root.ts";

const TIMEOUT = { timeout: 120_000 };
const TOOLS = [
  ..."sh cat cp mv rm rmdir ln mkdir mktemp chmod chown uname readlink sha256sum grep sed tr date".split(" "),
  ..."useradd getent".split(" "),
];

describe("install.sh on a system", { ...TIMEOUT, skip: whyNoRoot() }, () => {
  let small: SmallRoot;
  const run = (...words: string[]) => small.run(...words);
  const install = (...words: string[]) => run("sh", "/folder/install.sh", ...words);
  const pidOf = (daemon: string) => Number(readFileSync(path.join(small.path, `run/salt-${daemon}.pid`), "utf8"));
  /** Also one whose file was removed. */
  const runs = (pid: number) => {
    try {
      return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  };
  const stop = async (daemon: string) => {
    if (!existsSync(path.join(small.path, `run/salt-${daemon}.pid`))) return;
    const pid = pidOf(daemon);
    if (!runs(pid)) return;
    process.kill(pid, "SIGTERM");
    await until(`the end of ${daemon}`, () => !runs(pid));
  };
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(small.path, file)), { recursive: true });
    writeFileSync(path.join(small.path, file), text);
  };

  before(() => {
    small = new SmallRoot([...TOOLS.map(pathOf), ONE_FILE]);
    put("etc/shadow", "root:*:19000:0:99999:7:::\n");
    put("etc/gshadow", "root:*::\n");
    put("etc/login.defs", "");
    put("etc/nsswitch.conf", "passwd: files\ngroup: files\n");
    for (const folder of ["var/cache", "var/log", "etc/default", "folder"]) {
      mkdirSync(path.join(small.path, folder), { recursive: true });
    }
    const folder = path.dirname(ONE_FILE);
    const kind = path.basename(ONE_FILE);
    const units = ["master", "minion", "api", "syndic"].map((daemon) => `salt-${daemon}.service`);
    const pages = readdirSync(folder).filter((name) => /\.1$|^completion\./.test(name));
    for (const name of [kind, "install.sh", "after_job.sh", ...units, ...pages]) {
      copyFileSync(path.join(folder, name), path.join(small.path, "folder", name));
    }
    execFileSync("sh", ["-c", `sha256sum ${[kind, "after_job.sh", ...units, ...pages].join(" ")} >SHA256SUMS`], {
      cwd: path.join(small.path, "folder"),
    });
  }, TIMEOUT);
  after(async () => {
    if (small === undefined) return;
    try {
      for (const daemon of ["minion", "master"]) await stop(daemon);
    } finally {
      small.remove();
    }
  }, TIMEOUT);

  test("a master is installed, prints the line for a minion, and that line makes one", TIMEOUT, async () => {
    const master = install("master");
    assert.equal(master.status, 0, master.stderr);
    assert.match(master.stdout, /Start it with: \/usr\/local\/bin\/salt-master -d/);
    const [publish_port, ret_port] = [await freePort(), await freePort()];
    put("etc/salt/master.d/ports.conf", JSON.stringify({ publish_port, ret_port, interface: "127.0.0.1" }));
    assert.match(run("brine", "bootstrap", "edge1", "127.0.0.1").stderr, /has no key yet/);
    assert.equal(run("salt-master", "-d").status, 0);
    const uid = run("getent", "passwd", "salt").stdout.split(":")[2];
    assert.match(readFileSync(`/proc/${pidOf("master")}/status`, "utf8"), new RegExp(`^Uid:\\s+${uid}\\s`, "m"));

    const line = run("brine", "bootstrap", "edge1", "127.0.0.1").stdout;
    assert.match(
      line,
      /^sh install\.sh minion --master 127\.0\.0\.1 --master-port \d+ --id edge1 --fingerprint [0-9a-f:]{95}\n$/,
    );
    const minion = run("sh", "-c", `cd /folder && ${line}`);
    assert.equal(minion.status, 0, minion.stderr);
    put("etc/salt/minion.d/test.conf", "enable_fqdns_grains: false\nacceptance_wait_time: 1\n");
    assert.equal(run("salt-minion", "-d").status, 0);
    await until("its key", () => run("salt-key", "-l", "pre", "--out=json").stdout.includes("edge1"));
    assert.equal(run("salt-key", "-a", "edge1", "-y").status, 0);
    await until("the minion is up", () => run("salt-run", "manage.up", "--out=json").stdout.includes("edge1"));
    assert.deepEqual(JSON.parse(run("salt", "edge1", "test.ping", "--out=json", "--static").stdout), { edge1: true });
  });

  test("a minion with the fingerprint of another master ends, and says both", TIMEOUT, async () => {
    await stop("minion");
    const wrong = Array(32).fill("ab").join(":");
    const line = run("brine", "bootstrap", "edge1", "127.0.0.1").stdout.trim();
    const other = line.replace(/[0-9a-f:]{95}/, wrong);
    assert.match(run("sh", "-c", `cd /folder && ${other}`).stderr, /install\.conf exists with other values/);
    assert.equal(run("sh", "-c", `cd /folder && ${other} --force`).status, 0);
    run("rm", "/etc/salt/pki/minion/minion_master.pub");
    const { status, stderr } = run("salt-minion");
    assert.equal(status, 42, stderr);
    assert.match(stderr, new RegExp(`master_finger is ${wrong}`));
    assert.match(stderr, new RegExp(/[0-9a-f:]{95}/.exec(line)![0]));
    assert.ok(!existsSync(path.join(small.path, "etc/salt/pki/minion/minion_master.pub")));
  });

  test("what is removed leaves keys and configuration", TIMEOUT, async () => {
    const pid = pidOf("master");
    const removed = install("--uninstall");
    assert.equal(removed.status, 0);
    assert.match(
      removed.stdout,
      new RegExp(`^still running: salt-master, process ${pid}\\. Stop it: kill ${pid}$`, "m"),
    );
    assert.equal(removed.stdout.match(/still running/g)!.length, 1);
    await stop("master");
    assert.ok(!existsSync(path.join(small.path, "usr/local/bin/brine")));
    assert.ok(existsSync(path.join(small.path, "etc/salt/pki/master/master.pem")));
    assert.ok(existsSync(path.join(small.path, "etc/salt/minion.d/install.conf")));
  });
});
