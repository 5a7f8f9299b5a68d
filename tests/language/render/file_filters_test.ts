import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();

async function rendered(template: string): Promise<unknown> {
  const { fs } = memoryRuntime({ clock: runtime.clock, crypto: runtime.crypto });
  fs.mkdir("/etc");
  fs.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nodd\n");
  const render = jinja({ ...runtime, fs });
  return await render(template, { path: "/t", saltenv: "base", argline: "", globals: {}, log: silentLogger });
}

test("get_uid: the number of a user, None for one that does not exist, and our own for None", async () => {
  assert.equal(
    await rendered("{{ ['root' | get_uid, 'ann' | get_uid, 'an' | get_uid, 'odd' | get_uid] }}"),
    "[0, 1000, None, None]",
  );
  assert.equal(await rendered("{{ none | get_uid }}"), String(runtime.process.uid()));
  await assert.rejects(() => rendered("{{ 5 | get_uid }}"), /getpwnam\(\) argument must be str, not int/);
});
