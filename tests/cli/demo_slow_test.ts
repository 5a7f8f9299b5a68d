/** The quick start, where it can go wrong for people: the commands that it prints, and what it leaves behind. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { leftRunning, saltCommand } from "../../cli/demo/advice.ts";

const file = fileURLToPath(new URL("../../cli/demo.ts", import.meta.url));
const npm = "npm/11.19.1 node/v24.21.0 linux x64";

describe("the commands that it prints", () => {
  for (
    const { name, runtime, userAgent, cwd, wanted } of [
      { name: "npm run demo", runtime: "node", userAgent: npm, cwd: "/src/brine", wanted: "npm run -s salt --" },
      { name: "node cli/demo.ts", runtime: "node", cwd: "/src/brine", wanted: "node cli/salt.ts" },
      { name: "bun run demo", runtime: "bun", userAgent: "bun/1.4.5", cwd: "/src/brine", wanted: "bun cli/salt.ts" },
      { name: "deno run -A cli/demo.ts", runtime: "deno", cwd: "/src/brine", wanted: "deno run -A cli/salt.ts" },
      { name: "from elsewhere", runtime: "deno", cwd: "/src", wanted: "deno run -A brine/cli/salt.ts" },
    ]
  ) {
    test(`after ${name}`, () => {
      assert.equal(saltCommand({ runtime, userAgent, directory: "/src/brine" }, cwd), wanted);
    });
  }

  test("a console that is not there is not advertised", () => {
    const about = { salt: "salt", conf: "/c", api: "http://127.0.0.1:1", password: "p", root: "/tmp/x" };
    assert.ok(leftRunning({ ...about, console: "http://127.0.0.1:1/console" }).includes(":1/console\n"));
    const without = leftRunning({ ...about, console: undefined });
    assert.ok(!without.includes("/console"), without);
    assert.match(without, /The console is not built\. .* npm run build:console/);
  });
});

const { Deno } = globalThis as { Deno?: unknown };
const runWords = Deno === undefined ? [] : ["run", "-A", "--no-lock", "-q", "--node-modules-dir=manual"];

describe("its command line", () => {
  for (
    const { words, code, stdout, stderr } of [
      { words: ["--help"], code: 0, stdout: /^Usage: demo \[--keep\]\n/, stderr: /^$/ },
      { words: ["--kep"], code: 64, stdout: /^$/, stderr: /\ndemo: error: no such option: --kep\n$/ },
    ]
  ) {
    test(`${words.join(" ")} starts nothing`, { timeout: 60_000 }, () => {
      const run = spawnSync(process.execPath, [...runWords, file, ...words], { encoding: "utf8" });
      assert.equal(run.status, code, run.stderr);
      assert.match(run.stdout, stdout);
      assert.match(run.stderr, stderr);
    });
  }
});

describe("nothing is left behind, however it is ended", () => {
  for (const { signal, code } of [{ signal: "SIGHUP", code: 129 }, { signal: "SIGTERM", code: 143 }] as const) {
    test(signal, { timeout: 60_000 }, async () => {
      const child = spawn(process.execPath, [...runWords, file, "--keep"], { stdio: ["ignore", "pipe", "ignore"] });
      let said = "";
      let root: string | undefined;
      const { promise: ended, resolve } = Promise.withResolvers<number | null>();
      // Deno reports an exit code above 128 as the signal.
      child.once("exit", (exitCode, by) => resolve(by === signal ? code : exitCode));
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (text: string) => {
        said += text;
        // It names its directory as soon as it starts the master.
        const found = /A master on .* in (\/\S+)/.exec(said)?.[1];
        if (found === undefined || root !== undefined) return;
        root = found;
        assert.ok(existsSync(root));
        child.kill(signal);
      });
      assert.equal(await ended, code, said);
      assert.ok(root !== undefined && !existsSync(root), root);
    });
  }
});
