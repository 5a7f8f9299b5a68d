/** README's commands, pasted into a shell in a directory of their own. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(path.join(root, "README.md"), "utf8");
/** Package scripts choose the runtime by who runs them, which here is npm. */
const notNode = process.versions.bun !== undefined || process.versions.deno !== undefined;
const skip = notNode ? "npm runs Node" : process.platform === "win32" ? "there is no sh" : false;
const PATIENCE_MS = 90_000;

/** The commands of a section. */
function commands(title: string): string {
  const section = README.slice(README.indexOf(`## ${title}\n`));
  return /```sh\n([\s\S]*?)```/.exec(section)![1]!;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("README, pasted", { skip, timeout: 4 * PATIENCE_MS }, () => {
  const place = skip === false ? mkdtempSync(path.join(tmpdir(), "brine-readme-")) : "";
  let port = 0;

  /** Runs lines as a shell does; gives what they print. */
  function sh(lines: string): string {
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", lines], {
      cwd: place,
      encoding: "utf8",
      timeout: PATIENCE_MS,
    });
    return `${stdout}${stderr}`;
  }

  /** Runs lines again until they print what is expected, as an operator does. */
  function until(lines: string, wanted: RegExp): string {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const printed = sh(lines);
      if (wanted.test(printed)) return printed;
      assert.ok(performance.now() < end, `${lines}\nprinted ${printed}`);
    }
  }

  before(async () => {
    if (skip !== false) return;
    for (const name of ["package.json", "deno.json", "mod.ts", "src", "cli", "node_modules", "dist"]) {
      if (existsSync(path.join(root, name))) symlinkSync(path.join(root, name), path.join(place, name));
    }
    // Free ports: the defaults may be in use here.
    const [publish, request, http] = [await freePort(), await freePort(), await freePort()];
    port = http;
    for (const name of ["master.d", "minion.d"]) mkdirSync(path.join(place, "conf", name), { recursive: true });
    writeFileSync(path.join(place, "conf/master.d/ports.conf"), `publish_port: ${publish}\nret_port: ${request}\n`);
    writeFileSync(path.join(place, "conf/minion.d/ports.conf"), `master_port: ${request}\nacceptance_wait_time: 1\n`);
  });

  after(() => {
    if (skip !== false) return;
    for (const name of ["master", "minion", "api"]) {
      const file = path.join(place, `run/var/run/salt-${name}.pid`);
      if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8")));
    }
    sh("while ls run/var/run/*.pid 2>/dev/null; do sleep 0.1; done");
    rmSync(place, { recursive: true, force: true });
  });

  test("a master and a minion", () => {
    const lines = commands("A master and a minion").trim().split("\n").filter((line) => line !== "");
    const at = (part: string) => lines.findIndex((line) => line.includes(part));
    const [list, accept, ping] = [at("salt-key -- -c conf -L"), at("-a web1 -y"), at("test.ping")];
    const apply = at("state.apply");
    assert.deepEqual([list + 1, accept + 1, ping + 1, apply + 1], [accept, ping, apply, lines.length - 1]);
    assert.equal(sh(lines.slice(0, list).join("\n")).trim(), "");
    until(lines[list]!, /Unaccepted Keys:\nweb1/);
    assert.match(sh(lines[accept]!), /Key for minion web1 accepted/);
    assert.equal(until(lines[ping]!, /True/).trim(), "web1:\n    True");
    assert.match(sh(lines[apply]!), /Succeeded: 1 \(changed=1\)/);
    assert.equal(readFileSync(path.join(place, "run/hello.txt"), "utf8"), "Hello from web1\n");
    assert.equal(sh(lines.at(-1)!).trim(), "");
    sh("while ls run/var/run/*.pid 2>/dev/null; do sleep 0.1; done");
  });

  test("over HTTP", () => {
    const text = commands("Over HTTP").replaceAll("8000", String(port));
    const curl = text.slice(text.indexOf("curl "));
    sh(text.slice(0, text.indexOf("curl ")));
    assert.deepEqual(JSON.parse(until(curl, /"web1": ?true/)), { return: [{ web1: true }] });
  });
});
