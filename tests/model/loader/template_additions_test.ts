import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import type { CustomPlace } from "../../../src/model/loader/loaded_file.ts";
import { templateAdditions } from "../../../src/model/loader/template_additions.ts";
import type { RenderJob } from "../../../src/language/render/renderer.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { memoryFiles } from "../../support/memory_files.ts";

const FILTER = (name: string) =>
  `from salt.utils.decorators.jinja import jinja_filter\n\n@jinja_filter("${name}")\ndef f(x):\n    return x\n`;

/** A host with Python and a directory of modules, the names of its filters, and how many files have been read. */
function host() {
  const files = memoryFiles();
  let reads = 0;
  const fs = {
    ...files,
    readText: (path: string) => {
      reads++;
      return files.readText(path);
    },
  };
  const clock = new FakeClock();
  for (const path of ["/bin", "/mods/modules"]) fs.mkdir(path, 0o755);
  fs.write("/bin/python3", "", { mode: 0o755 });
  const put = (name: string, filter: string) => fs.write(`/mods/modules/${name}.py`, FILTER(filter), { mode: 0o644 });
  const opts = { module_dirs: ["/mods"], python: "/bin/python3" };
  const runtime = { fs, clock, process: { uid: () => 0, env: () => undefined } };
  const place = { runtime, opts, log: silentLogger } as unknown as CustomPlace;
  const filters = () => [...templateAdditions(place)({} as RenderJob)?.names.filter ?? []].sort();
  return { clock, put, filters, reads: () => reads };
}

test("the additions of modules are read once for many templates", () => {
  const { put, filters, reads } = host();
  put("one", "first");
  assert.deepEqual(filters(), ["first"]);
  const before = reads();
  for (let template = 0; template < 10; template++) assert.deepEqual(filters(), ["first"]);
  assert.equal(reads(), before);
});

test("a module that is synced during a run adds to the next template, and one that is edited after a second", () => {
  const { clock, put, filters } = host();
  assert.deepEqual(filters(), []);
  put("one", "first");
  assert.deepEqual(filters(), ["first"]);
  put("two", "second");
  assert.deepEqual(filters(), ["first", "second"]);
  put("two", "other");
  clock.advance(1000);
  assert.deepEqual(filters(), ["first", "other"]);
});
