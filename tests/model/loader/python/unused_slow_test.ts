/** A job that needs no Python loads nothing of the helper and starts none, also where custom modules in Python are there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../../cli/salt-call.ts", import.meta.url));
const FOLDER = "src/model/loader/python/";

/** Writes down each module that Node loads. */
const RECORDER = `import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + "\\n"); return next(url, context); } });
`;

let root: string;
before(() => {
  root = mkdtempSync(path.join(tmpdir(), "brine-unused-"));
  writeFileSync(path.join(root, "recorder.mjs"), RECORDER);
  mkdirSync(path.join(root, "ext/modules"), { recursive: true });
  writeFileSync(path.join(root, "ext/modules/shelf.py"), "def f():\n    return 1\n");
});
after(() => rmSync(root, { recursive: true, force: true }));

/** Names of the modules below the repository that a call loads. */
function loaded(options: Record<string, unknown>, fun: string): string[] {
  const list = path.join(root, "loaded");
  writeFileSync(list, "");
  const config = { id: "web1", root_dir: root, file_client: "local", grains_cache: true, ...options };
  writeFileSync(path.join(root, "minion"), JSON.stringify(config));
  const argv = ["--import", path.join(root, "recorder.mjs"), PROGRAM, "-c", root, "--local", "--out=json", fun];
  execFileSync("node", argv, { env: { ...process.env, LOADED: list }, stdio: ["ignore", "pipe", "pipe"] });
  const names = readFileSync(list, "utf8").split("\n").filter((url) => url.includes("/src/"));
  return [...new Set(names.map((url) => url.slice(url.indexOf("/src/") + 1)))].sort();
}

test("test.ping loads what it loads without Python, and nothing of the helper", () => {
  const extension_modules = path.join(root, "ext");
  // The first call stores the grains.
  loaded({ python: false }, "test.ping");
  const without = loaded({ python: false, extension_modules }, "test.ping");
  const unused = loaded({ python: "auto", extension_modules }, "test.ping");
  assert.deepEqual(unused.filter((name) => name.startsWith(FOLDER)), [`${FOLDER}interpreter.ts`]);
  assert.deepEqual(unused, without);
  // The recorder sees the helper where it is used.
  assert.ok(loaded({ python: "auto", extension_modules }, "shelf.f").includes(`${FOLDER}helper.ts`));
});
