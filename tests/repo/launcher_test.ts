/** How programs are started: by the installed package, and by package scripts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launcher, OLDEST_NODE } from "../../scripts/launcher.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const npm = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Runs a launcher as on some runtime. */
function launch(program: string, versions: Record<string, string>) {
  const said: string[] = [];
  const loaded: string[] = [];
  let exitCode: number | undefined;
  const ended = new Error("ended");
  const process = {
    versions,
    stderr: { write: (text: string) => void said.push(text) },
    exit(code: number) {
      exitCode = code;
      throw ended;
    },
  };
  const require = (file: string) => (module: string) => void loaded.push(`${file} ${module}`);
  try {
    new Function("process", "require", launcher(program).replace(/^#!.*/, ""))(process, require);
  } catch (error) {
    if (error !== ended) throw error;
  }
  return { said, loaded, exitCode };
}

describe("an installed program", () => {
  for (const node of ["0.12.18", "6.17.1", "12.22.12", "20.20.2", "22.18.0", "23.11.1"]) {
    test(`says on Node ${node} which one is needed, in one line, and loads nothing`, () => {
      assert.deepEqual(launch("salt-key", { node }), {
        said: [`salt-key: Node ${node} is too old: Brine needs Node 24 or newer, Bun or Deno\n`],
        loaded: [],
        exitCode: 1,
      });
    });
  }
  const recent: Record<string, string>[] = [
    { node: "24.0.0" },
    { node: "26.3.0" },
    { node: "22.6.0", bun: "1.4.5" },
    { node: "20.0.0", deno: "2.9.6" },
  ];
  for (const versions of recent) {
    test(`runs on ${JSON.stringify(versions)}`, () => {
      const { said, loaded } = launch("salt", versions);
      assert.deepEqual([said, loaded], [[], ["./load.cjs ./salt.mjs"]]);
    });
  }

  test("can be read by the oldest Node: its launcher is ES5", () => {
    assert.ok(!/=>|`|\b(?:const|let|class|async|await|import|export)\b|\?\.|\?\?/.test(launcher("salt")));
  });

  test("has a launcher for every program of the package, and asks for the Node that engines names", () => {
    for (const [program, file] of Object.entries(npm.bin)) assert.equal(file, `./dist/bin/${program}.cjs`);
    assert.equal(npm.engines.node, `>=${OLDEST_NODE}`);
  });
});

describe("a package script", () => {
  const rows = [
    {
      agent: "npm/11.19.1 node/v24.21.0 linux x64",
      script: "minion",
      wanted: /^node --max-semi-space-size=1 .*cli\/salt-minion\.ts -c conf 'a b'$/,
    },
    {
      agent: "bun/1.4.5 npm/? node/v26.3.0 linux x64",
      script: "minion",
      wanted: /^own .*cli\/salt-minion\.ts -c conf 'a b'$/,
    },
    {
      agent: "bun/1.4.5 npm/? node/v26.3.0 linux x64",
      script: "master",
      wanted: /^own .*cli\/salt-master\.ts -c conf 'a b'$/,
    },
    {
      agent: "bun/1.4.5 npm/? node/v26.3.0 linux x64",
      script: "api",
      wanted: /^own .*cli\/salt-api\.ts -c conf 'a b'$/,
    },
    {
      agent: "deno/2.9.6 npm/? deno/2.9.6 linux x86_64",
      script: "salt-key",
      wanted: /^own run -A .*cli\/salt-key\.ts -c conf 'a b'$/,
    },
    { agent: "", script: "salt", wanted: /^node .*cli\/salt\.ts -c conf 'a b'$/ },
  ];
  for (const { agent, script, wanted } of rows) {
    test(`${script} as run by "${agent.split(" ")[0]}" is on that runtime`, () => {
      const dir = mkdtempSync(join(tmpdir(), "brine-run-"));
      try {
        for (const name of ["node", "own"]) {
          const words =
            'for word; do case $word in *" "*) printf " \\047%s\\047" "$word";; *) printf " %s" "$word";; esac; done';
          writeFileSync(join(dir, name), `#!/bin/sh\nprintf ${name}; ${words}\n`);
          chmodSync(join(dir, name), 0o755);
        }
        const env = {
          PATH: `${dir}:${process.env.PATH}`,
          npm_config_user_agent: agent,
          npm_execpath: join(dir, "own"),
        };
        const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", `${npm.scripts[script]} -c conf 'a b'`], {
          cwd: root,
          env,
          encoding: "utf8",
        });
        assert.equal(status, 0, stderr);
        assert.match(stdout, wanted);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    });
  }
});
