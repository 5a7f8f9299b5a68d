/** All programs in one file, on a system that has a C library, a shell and nothing else: no Node, no Bun, no Deno, no Python. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { freePort } from "../support/running_program.ts";
import { ONE_FILE, SmallRoot, whyNoRoot } from "./small_root.ts";

const TIMEOUT = { timeout: 240_000 };
const skip = whyNoRoot();

const PROGRAMS = ["salt", "salt-key", "salt-run", "salt-call", "salt-master", "salt-minion", "salt-api", "salt-doctor"];

/** A root directory with the one file, and links to it. */
function makeRoot(): SmallRoot {
  const root = new SmallRoot(["/bin/sh", "/bin/cat", ONE_FILE]);
  root.put(ONE_FILE, "/usr/bin/brine");
  for (const program of PROGRAMS) symlinkSync("brine", path.join(root.path, "usr/bin", program));
  for (const folder of ["etc/salt", "srv/salt/_modules", "srv/pillar"]) {
    mkdirSync(path.join(root.path, folder), { recursive: true });
  }
  return root;
}

describe("one file", { ...TIMEOUT, skip }, () => {
  let small: SmallRoot;
  let root: string;
  let apiPort: number;
  const run = (...words: string[]) => small.run(...words);
  const json = (...words: string[]) => {
    const { stdout, stderr } = run(...words, "--out=json", "--static");
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  };
  const daemons = ["master", "minion", "api"];
  const pidOf = (daemon: string) => Number(readFileSync(path.join(root, `var/run/salt-${daemon}.pid`), "utf8"));

  before(async () => {
    small = makeRoot();
    root = small.path;
    apiPort = await freePort();
    const [publish_port, ret_port] = [await freePort(), await freePort()];
    const write = (name: string, opts: unknown) =>
      writeFileSync(path.join(root, "etc/salt", name), JSON.stringify(opts));
    write("master", {
      interface: "127.0.0.1",
      publish_port,
      ret_port,
      auto_accept: true,
      rest_cherrypy: { host: "127.0.0.1", port: apiPort, disable_ssl: true },
    });
    write("minion", {
      id: "edge1",
      master: "127.0.0.1",
      master_port: ret_port,
      enable_fqdns_grains: false,
      acceptance_wait_time: 1,
    });
    writeFileSync(
      path.join(root, "srv/salt/_modules/shop.ts"),
      "export const price = (context: object, item: string, count = 1): string => `${item} ${count * 2}`;\n",
    );
    writeFileSync(path.join(root, "srv/pillar/top.sls"), "base:\n  '*':\n    - shop\n");
    writeFileSync(
      path.join(root, "srv/pillar/shop.sls"),
      "{% for n in [1, 2] %}\nshop{{ n }}: {{ grains.id }}\n{% endfor %}\n",
    );
    writeFileSync(
      path.join(root, "srv/salt/web.sls"),
      "/tmp/page:\n  file.managed:\n    - contents: {{ pillar.shop1 }}\n",
    );
    for (const daemon of daemons) {
      const { status, stderr } = run(`salt-${daemon}`, "-d");
      assert.equal(status, 0, `salt-${daemon}: ${stderr}`);
    }
    await until("the minion is up", () => run("salt-run", "manage.up", "--out=json").stdout.includes("edge1"));
  }, TIMEOUT);
  after(async () => {
    if (small === undefined) return;
    const running = daemons.filter((daemon) => existsSync(path.join(root, `var/run/salt-${daemon}.pid`)));
    for (const daemon of running) process.kill(pidOf(daemon), "SIGTERM");
    await until(
      "the end of all",
      () => daemons.every((daemon) => !existsSync(path.join(root, `var/run/salt-${daemon}.pid`))),
    );
    small.remove();
  }, TIMEOUT);

  test("nothing else is there that could run it", () => {
    assert.deepEqual(readdirSync(path.join(root, "usr/bin")).sort(), [...PROGRAMS, "brine"].sort());
    assert.deepEqual(readdirSync(path.join(root, "bin")).sort(), ["cat", "sh"]);
  });

  test("each program is there by its link, and as a word of brine", () => {
    for (const program of PROGRAMS) {
      assert.match(run(program, "--version").stdout, new RegExp(`^${program} \\d`));
      assert.equal(run("brine", program, "--version").stdout, run(program, "--version").stdout);
    }
  });

  test("commands run, each in a process of its own", () => {
    assert.deepEqual(json("salt", "*", "test.ping"), { edge1: true });
    assert.deepEqual(json("salt", "*", "cmd.run", "echo $((6 * 7))"), { edge1: "42" });
    assert.equal(json("salt", "*", "grains.get", "brineruntime").edge1, "bun");
  });

  test("pillar with a template, a state, a runner", () => {
    json("salt", "*", "saltutil.refresh_pillar", "wait=True");
    assert.deepEqual(json("salt", "*", "pillar.get", "shop2"), { edge1: "edge1" });
    const [state] = Object.values(json("salt", "*", "state.apply", "web").edge1) as { result: boolean }[];
    assert.equal(state!.result, true);
    assert.equal(readFileSync(path.join(root, "tmp/page"), "utf8"), "edge1\n");
    assert.match(run("salt-run", "jobs.list_jobs", "--out=json").stdout, /state\.apply/);
  });

  test("custom modules in TypeScript are synced and called", () => {
    assert.deepEqual(json("salt", "*", "saltutil.sync_modules"), { edge1: ["modules.shop"] });
    assert.deepEqual(json("salt", "*", "shop.price", "apple", "count=3"), { edge1: "apple 6" });
  });

  test("without a master", () => {
    assert.deepEqual(JSON.parse(run("salt-call", "--local", "--out=json", "test.echo", "x").stdout), { local: "x" });
  });

  test("the console is inside, as old as the program", async () => {
    const page = await fetch(`http://127.0.0.1:${apiPort}/console/`);
    assert.equal(page.status, 200);
    const script = /src="([^"]+\.js)"/.exec(await page.text())![1]!;
    const code = await fetch(new URL(script, page.url));
    assert.equal(code.headers.get("Content-Type"), "text/javascript");
    assert.ok((await code.text()).length > 50_000);
    assert.ok(Date.parse(page.headers.get("Last-Modified")!) > Date.UTC(2026, 0, 1));
    assert.equal(
      (await fetch(`http://127.0.0.1:${apiPort}/console/..%2f..%2fetc/passwd`)).headers.get("Content-Type"),
      "text/html;charset=utf-8",
    );
  });

  test("the environment of the directory that it is started in does not reach it", () => {
    writeFileSync(path.join(root, "tmp/.env"), "SALT_CONFIG_DIR=/tmp/evil\n");
    writeFileSync(path.join(root, "tmp/bunfig.toml"), 'preload = ["/tmp/evil.ts"]\n');
    writeFileSync(path.join(root, "tmp/evil.ts"), 'await Bun.write("/tmp/pwned", "x");\n');
    const { stdout } = run("/bin/sh", "-c", "cd /tmp && salt-call --local --out=json config.get conf_file");
    assert.deepEqual(JSON.parse(stdout), { local: "/etc/salt/minion" });
    assert.ok(!existsSync(path.join(root, "tmp/pwned")));
  });
});
