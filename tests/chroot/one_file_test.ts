/** The one file on a Debian that debootstrap has made (`minbase`): no Node, no Bun, no Deno, no Python. `npm run test:chroot`. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { DebianRoot, ONE_FILE, whyNoDebian } from "./debian_root.ts";

const TIMEOUT = { timeout: 600_000 };
const PROGRAMS = ["salt", "salt-key", "salt-run", "salt-call", "salt-cp", "salt-master", "salt-minion", "salt-api"];

describe("one file on a minimal Debian", { ...TIMEOUT, skip: whyNoDebian() }, () => {
  let debian: DebianRoot;
  const run = (...words: string[]) => debian.run(...words);
  const sh = (text: string) => run("sh", "-c", text);
  const json = (...words: string[]) => {
    const { stdout, stderr } = run(...words, "--out=json", "--static");
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  };
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(debian.path, file)), { recursive: true });
    writeFileSync(path.join(debian.path, file), text);
  };

  before(async () => {
    debian = new DebianRoot([]);
    await debian.ready();
    mkdirSync(path.join(debian.path, "root/dist/compile"), { recursive: true });
    copyFileSync(ONE_FILE, path.join(debian.path, `root/dist/compile/${path.basename(ONE_FILE)}`));
    put("etc/hosts", "127.0.0.1 localhost debian salt\n");
    put("etc/salt/master", "rest_cherrypy: {host: 127.0.0.1, port: 8000, disable_ssl: True}\n");
    put("etc/salt/minion", "id: edge1\nacceptance_wait_time: 1\n");
    put("srv/salt/motd.sls", "/etc/motd:\n  file.managed:\n    - contents: Hello from {{ grains.os }}\n");
    put(
      "srv/salt/_modules/shop.ts",
      "export const price = (context: object, item: string, count = 1): string => `${item} ${count * 2}`;\n",
    );
  }, TIMEOUT);
  after(() => debian?.remove(), TIMEOUT);

  test("no program is there that could run it", () => {
    assert.deepEqual(debian.runtimes(), []);
    for (const name of ["node", "bun", "deno", "python", "python3"]) {
      assert.notEqual(sh(`command -v ${name}`).status, 0, name);
    }
    assert.match(readFileSync(path.join(debian.path, "etc/os-release"), "utf8"), /ID=debian/);
  });

  test("it is installed by hand, as docs/install.md says", () => {
    const kind = path.basename(ONE_FILE);
    assert.equal(sh(`cd /root && install -m 755 dist/compile/${kind} /usr/bin/brine`).status, 0);
    for (const program of PROGRAMS) symlinkSync("brine", path.join(debian.path, "usr/bin", program));
    for (const program of PROGRAMS) assert.match(run(program, "--version").stdout, new RegExp(`^${program} \\d`));
  });

  test("without a master", () => {
    assert.deepEqual(JSON.parse(run("salt-call", "--local", "--out=json", "test.echo", "x").stdout), { local: "x" });
  });

  test("master, minion and API start, and the minion's key is accepted", TIMEOUT, async () => {
    for (const daemon of ["salt-master", "salt-minion", "salt-api"]) {
      const { status, stderr } = run(daemon, "-d");
      assert.equal(status, 0, `${daemon}: ${stderr}`);
    }
    await until("its key", () => run("salt-key", "-l", "pre").stdout.includes("edge1"));
    assert.match(run("salt-key", "-y", "-a", "edge1").stdout, /Key for minion edge1 accepted/);
    await until("the minion is up", () => run("salt-run", "manage.up", "--out=json").stdout.includes("edge1"));
  });

  test("ping, command, state, custom module in TypeScript", TIMEOUT, () => {
    assert.deepEqual(json("salt", "*", "test.ping"), { edge1: true });
    assert.deepEqual(json("salt", "*", "cmd.run", "cat /etc/debian_version"), {
      edge1: readFileSync(path.join(debian.path, "etc/debian_version"), "utf8").trim(),
    });
    const [state] = Object.values(json("salt", "*", "state.apply", "motd").edge1) as { result: boolean }[];
    assert.equal(state!.result, true);
    assert.equal(readFileSync(path.join(debian.path, "etc/motd"), "utf8"), "Hello from Debian\n");
    assert.deepEqual(json("salt", "*", "saltutil.sync_modules"), { edge1: ["modules.shop"] });
    assert.deepEqual(json("salt", "*", "shop.price", "apple", "count=3"), { edge1: "apple 6" });
    assert.match(json("salt", "*", "pkg.version", "bash").edge1, /^\d/);
  });

  /** A page by the API. Nothing here can fetch it but the shell of the Debian, which has bash's sockets. */
  const page = (address: string) =>
    run(
      "bash",
      "-c",
      `exec 3<>/dev/tcp/127.0.0.1/8000; printf 'GET %s HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' '${address}' >&3; cat <&3`,
    ).stdout;

  test("the console is inside", TIMEOUT, async () => {
    await until("the API", () => page("/console/").startsWith("HTTP/1.1 200"));
    const script = /src="([^"]+\.js)"/.exec(page("/console/"))![1]!;
    const code = page(new URL(script, "http://localhost/console/").pathname);
    assert.match(code, /^HTTP\/1\.1 200[\s\S]*content-type: text\/javascript/i);
    assert.ok(code.length > 50_000, `${code.length} bytes`);
  });

  test("daemons end on SIGTERM, and leave no process", TIMEOUT, async () => {
    for (const daemon of ["api", "minion", "master"]) sh(`kill $(cat /var/run/salt-${daemon}.pid)`);
    const left = () =>
      sh('for d in /proc/[0-9]*; do [ "$(readlink $d/exe)" = /usr/bin/brine ] && cat $d/cmdline; done').stdout;
    await until(`the end of all: ${left()}`, () => left() === "");
  });
});
