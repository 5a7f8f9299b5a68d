import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { chunkNames, type ModuleGraph, USUAL } from "../../scripts/chunks.ts";

/** A graph from rows `module: what it imports at once | what it imports later`, of modules of 100 KiB but for those named `small`. */
function graphOf(rows: string[]): ModuleGraph {
  const ids = (text = "") => text.split(" ").filter((word) => word !== "").map((word) => `/tree/${word}`);
  return new Map(rows.map((row) => {
    const [id = "", first, later] = row.split(/[:|]/);
    const bytes = (id.includes("small") ? 1 : 100) * 1024;
    return [ids(id)[0]!, { first: ids(first), later: ids(later), bytes }];
  }));
}

const isProgram = (id: string) => /\/cli\/salt[a-z-]*\.ts$/.test(id);

const names = (rows: string[]) =>
  Object.fromEntries(
    [...chunkNames(graphOf(rows), rows.map((row) => `/tree/${row.split(":")[0]}`).filter(isProgram), "/tree")]
      .map(([id, name]) => [id.replace("/tree/", ""), name]),
  );

describe("files of a bundle", () => {
  test("what the program itself loads stays with it, and what it begins with is one file", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: cli/cache.ts | cli/main.ts",
        "cli/cache.ts:",
        "cli/main.ts: src/base/log.ts cli/cache.ts |",
        "src/base/log.ts:",
      ]),
      { "cli/main.ts": "begin-main", "src/base/log.ts": "begin-main" },
    );
  });

  test("what several parts share goes by folder, and what one part has stays with it", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | cli/main.ts",
        "cli/main.ts: | src/plugins/a.ts src/plugins/b.ts",
        "src/plugins/a.ts: src/language/yaml/line.ts src/language/yaml/only_a.ts node_modules/@scope/name/index.js |",
        "src/plugins/b.ts: src/language/yaml/line.ts node_modules/@scope/name/index.js |",
        "src/language/yaml/line.ts:",
        "src/language/yaml/only_a.ts:",
        "node_modules/@scope/name/index.js:",
      ]),
      {
        "cli/main.ts": "begin-main",
        "src/language/yaml/line.ts": "yaml",
        "node_modules/@scope/name/index.js": "scope-name",
      },
    );
  });

  test("one beginning does not load what belongs to another", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | cli/daemon.ts cli/job.ts",
        "cli/daemon.ts: src/base/log.ts src/keys.ts src/net.ts |",
        "cli/job.ts: src/base/log.ts | src/plugins/a.ts",
        "src/plugins/a.ts: src/net.ts |",
        "src/base/log.ts:",
        "src/keys.ts:",
        "src/net.ts:",
      ]),
      {
        "cli/daemon.ts": "begin-daemon",
        "src/keys.ts": "begin-daemon",
        "src/net.ts": "begin-daemon",
        "cli/job.ts": "begin-job",
        "src/base/log.ts": "shared-1",
      },
    );
  });

  test("modules that load each other are found once", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | src/content/state/a.ts src/content/state/b.ts",
        "src/content/state/a.ts: src/content/state/b.ts |",
        "src/content/state/b.ts: src/content/state/a.ts | src/content/state/a.ts",
      ]),
      { "src/content/state/a.ts": "shared-1", "src/content/state/b.ts": "shared-1" },
    );
  });

  test("programs share what more than one of them loads, and a small part goes where all that load it have it", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | cli/main.ts",
        "cli/salt-key.ts: | cli/keys.ts",
        "cli/salt-run.ts: | cli/run.ts",
        "cli/main.ts: src/base/log.ts src/small.ts |",
        "cli/keys.ts: src/base/log.ts src/small.ts |",
        "cli/run.ts: src/base/log.ts |",
        "src/base/log.ts:",
        "src/small.ts:",
      ]),
      {
        "cli/main.ts": "begin-main",
        "cli/keys.ts": "begin-keys",
        "cli/run.ts": "begin-run",
        "src/base/log.ts": "shared-1",
        "src/small.ts": "shared-1",
      },
    );
  });

  test("a small part that needs what others lack stays by itself: files would load each other", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | cli/a.ts",
        "cli/salt-key.ts: | cli/b.ts",
        "cli/salt-run.ts: | cli/c.ts",
        "cli/salt-cp.ts: | cli/d.ts",
        "cli/a.ts: src/small.ts |",
        "cli/b.ts: src/small.ts |",
        "cli/c.ts: src/one.ts |",
        "cli/d.ts: src/two.ts |",
        "src/small.ts: src/one.ts src/two.ts |",
        "src/one.ts:",
        "src/two.ts:",
      ]),
      {
        "cli/a.ts": "begin-a",
        "cli/b.ts": "begin-b",
        "cli/c.ts": "begin-c",
        "cli/d.ts": "begin-d",
        "src/small.ts": "shared-1",
        "src/one.ts": "shared-2",
        "src/two.ts": "shared-3",
      },
    );
  });

  test("what is loaded in almost every run is named by files that are there", () => {
    assert.deepEqual(USUAL.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url))), []);
  });

  test("what is imported late, and yet loaded in every run, belongs to the beginnings that load it", () => {
    assert.deepEqual(
      names([
        "cli/salt.ts: | cli/main.ts",
        "cli/salt-minion.ts: | cli/daemon.ts",
        "cli/main.ts: | src/language/yaml/document.ts src/other.ts",
        "cli/daemon.ts: src/language/yaml/scan.ts src/keys.ts |",
        "src/language/yaml/document.ts: src/language/yaml/scan.ts |",
        "src/language/yaml/scan.ts:",
        "src/keys.ts:",
        "src/other.ts: src/keys.ts |",
      ]),
      {
        "cli/main.ts": "begin-main",
        "src/language/yaml/document.ts": "begin-main",
        "src/language/yaml/scan.ts": "shared-1",
        "cli/daemon.ts": "begin-daemon",
        "src/keys.ts": "begin-daemon",
      },
    );
  });

  test("two small parts are one file if a program needs both, and others only one of them", () => {
    assert.deepEqual(
      names([
        "cli/salt-key.ts: | cli/keys.ts",
        "cli/salt-run.ts: | cli/run.ts",
        "cli/salt-cp.ts: | cli/copy.ts",
        "cli/keys.ts: src/small_one.ts |",
        "cli/run.ts: src/small_one.ts src/small_two.ts |",
        "cli/copy.ts: src/small_two.ts |",
        "src/small_one.ts:",
        "src/small_two.ts:",
      ]),
      {
        "cli/keys.ts": "begin-keys",
        "cli/run.ts": "begin-run",
        "cli/copy.ts": "begin-copy",
        "src/small_one.ts": "shared-1",
        "src/small_two.ts": "shared-1",
      },
    );
  });
});
