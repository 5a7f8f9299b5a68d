import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chunkNames, type ModuleGraph } from "../../scripts/chunks.ts";

/** A graph from rows `module: what it imports at once | what it imports later`. */
function graphOf(rows: string[]): ModuleGraph {
  const ids = (text = "") => text.split(" ").filter((word) => word !== "").map((word) => `/tree/${word}`);
  return new Map(rows.map((row) => {
    const [id = "", first, later] = row.split(/[:|]/);
    return [ids(id)[0]!, { first: ids(first), later: ids(later) }];
  }));
}

const names = (rows: string[]) =>
  Object.fromEntries(
    [...chunkNames(graphOf(rows), "/tree/cli/salt.ts", "/tree")].map(([id, name]) => [id.replace("/tree/", ""), name]),
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
      { "cli/main.ts": "main", "src/base/log.ts": "main" },
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
      { "cli/main.ts": "main", "src/language/yaml/line.ts": "yaml", "node_modules/@scope/name/index.js": "scope-name" },
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
        "cli/daemon.ts": "daemon",
        "src/keys.ts": "daemon",
        "src/net.ts": "daemon-shared",
        "cli/job.ts": "job",
        "src/base/log.ts": "main",
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
      { "src/content/state/a.ts": "main", "src/content/state/b.ts": "main" },
    );
  });
});
