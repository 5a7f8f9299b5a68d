/** An exported name has one meaning. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = ["src", "cli"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
);

/** Files that never meet, by their world: one of each may use the same name. */
const WORLDS: readonly { files: RegExp; why: string }[] = [
  { files: /^src\/plugins\/.*/, why: "a plugin is a leaf, and its functions have Salt's names" },
  { files: /^src\/host\/gateway\/flavours\/\w+\//, why: "both flavours of salt-api have the same routes" },
];

/** Names with two meanings: why → names. */
const SHARED: Readonly<Record<string, string>> = {
  "the same thing at two layers: the outer wraps the inner, and no file needs both":
    "Host KeyStatus MasterLink connect followJob startMaster startMinion startRunner",
};

const named = new Set(Object.values(SHARED).flatMap((names) => names.trim().split(/\s+/)));

const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** Exported names → the files that declare them, by world. */
function declarations(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    const world = WORLDS.map((one) => one.files.exec(file)?.[0]).find((one) => one !== undefined) ?? "";
    for (const [, name] of readFileSync(join(root, file), "utf8").matchAll(EXPORT)) {
      const key = `${world} ${name}`;
      found.set(key, (found.get(key) ?? new Set()).add(file));
    }
  }
  return found;
}

test("exported names are found, one meaning each or with a reason", () => {
  const found = declarations();
  assert.ok(found.size > 3000);
  const clashes = [...found].filter(([key, where]) => where.size > 1 && !named.has(key.slice(key.indexOf(" ") + 1)));
  assert.deepEqual(clashes.map(([key, where]) => `${key.trim()}: ${[...where].join(", ")}`), []);
  const shared = [...found].filter(([, where]) => where.size > 1).map(([key]) => key.slice(key.indexOf(" ") + 1));
  assert.deepEqual([...named].filter((name) => !shared.includes(name)), []);
});
