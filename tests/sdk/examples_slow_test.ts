/** The TypeScript in our documents and in examples/ compiles as it is pasted, and does what it says. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import {
  emptyDirectory,
  ENTRIES,
  OTHER_PROGRAMS,
  ROOT,
  runScript,
  type Snippet,
  snippets,
  STRICT,
  tool,
} from "./snippets.ts";
import { whole } from "./whole_snippet.ts";

const all = snippets();
function snippet(file: string, part = ""): Snippet {
  const found = all.filter(({ where, code }) => where.startsWith(`${file}:`) && code.includes(part));
  assert.equal(found.length, 1, `snippets of ${file}`);
  return found[0]!;
}

test("snippets were found in documents and in comments", () => {
  const files = all.map(({ where }) => where.slice(0, where.indexOf(":")));
  for (
    const file of [
      "docs/sdk.md",
      "docs/sdk-scripts.md",
      "docs/sdk-types.md",
      "docs/api-in-programs.md",
      "docs/modules.md",
      "src/client/connect.ts",
      "cli/embed/minion.ts",
    ]
  ) {
    assert.ok(files.includes(file), file);
  }
});

test("what documents and examples/ show passes a type check", { timeout: 120_000, skip: OTHER_PROGRAMS }, async () => {
  using directory = emptyDirectory({ "package.json": '{"type":"module"}' });
  const names = all.map((one, at) => {
    const name = `${at}_${one.where.replace(/\W/g, "_")}.ts`;
    writeFileSync(path.join(directory.path, name), `// ${one.where}\n${whole(one, (entry) => entry)}`);
    return name;
  });
  const examples = readdirSync(path.join(ROOT, "examples"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts")).map((name) => path.join(ROOT, "examples", name));
  assert.ok(examples.length >= 3);
  const compilerOptions = {
    ...STRICT,
    allowImportingTsExtensions: true,
    // A snippet may make something just to show how.
    noUnusedLocals: false,
    paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, [file]])),
  };
  const config = { compilerOptions, files: [...names, ...examples] };
  writeFileSync(path.join(directory.path, "tsconfig.json"), JSON.stringify(config));
  await tool("tsc", ["-p", "."], directory.path);
});

describe("as they are pasted", { timeout: 60_000 }, () => {
  const address = (name: string) => pathToFileURL(ENTRIES[name]!).href;

  test("the script of docs/sdk.md for the master's host runs a job", async () => {
    using directory = emptyDirectory();
    const root = directory.path;
    await using master = await startMaster({
      rootDir: root,
      opts: { interface: "127.0.0.1", publish_port: 0, ret_port: 0, auto_accept: true },
    });
    const port = Number(master.requestEndpoint.split(":").at(-1));
    await using minion = await startMinion({
      rootDir: path.join(root, "web1"),
      opts: { id: "web1", master: "127.0.0.1", master_port: port },
    });
    await minion.ready;
    const text = whole(snippet("docs/sdk.md", '{ rootDir: "/srv/run" }'), address);
    const file = path.join(root, "script.ts");
    writeFileSync(file, text.replace('{ rootDir: "/srv/run" }', JSON.stringify({ rootDir: root, requestPort: port })));
    const { stdout, stderr, code } = await runScript(file).ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^web1 .*load average/);
  });

  test("the program of docs/api-in-programs.md serves", async () => {
    using directory = emptyDirectory();
    const text = whole(snippet("docs/api-in-programs.md"), address);
    assert.ok(text.includes('"/srv/run"') && text.includes('host: "127.0.0.1", port: 8000'));
    const file = path.join(directory.path, "script.ts");
    writeFileSync(
      file,
      text.replace('"/srv/run"', JSON.stringify(directory.path)).replace(
        'host: "127.0.0.1", port: 8000',
        'host: "127.0.0.1", port: 0',
      ),
    );
    const running = runScript(file);
    try {
      const [url] = /http:\S+/.exec(await running.line()) ?? [];
      const health = await fetch(`${url}/health`);
      assert.equal(health.status, 200);
      await health.body?.cancel();
      // There is no master: it says so.
      const ready = await fetch(`${url}/ready`);
      assert.equal(ready.status, 503);
      await ready.body?.cancel();
    } finally {
      running.kill();
      await running.ended;
    }
  });
});
