/** Templates that a template imports or includes by their whole path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const { crypto, net, host } = await currentRuntime();
const job = { path: "/t", saltenv: "base", argline: "", log: silentLogger, globals: {} };

function renderer(files: Record<string, string>) {
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto });
  for (const [path, text] of Object.entries(files)) {
    runtime.fs.mkdir(path.slice(0, path.lastIndexOf("/")), 0o755);
    runtime.fs.write(path, text);
  }
  const load = (name: string) =>
    name === "in/roots.jinja" ? { path: `/srv/${name}`, name, source: "roots" } : undefined;
  return async (text: string) => String(await jinja({ ...runtime, net, host })(text, { ...job, load }));
}

test("a file of the host is found by its whole path, and its neighbours from there", async () => {
  const render = renderer({
    "/opt/lib/a.jinja": "{% macro x() %}a of {{ tpldir }}{% endmacro %}",
    "/opt/lib/b.jinja": "b {% include './c.jinja' %}",
    "/opt/lib/c.jinja": "c",
  });
  assert.equal(await render('{% from "/opt/lib/a.jinja" import x %}{{ x() }}'), "a of /opt/lib");
  assert.equal(await render('{% include "/opt/lib/b.jinja" %}'), "b c");
});

test("a whole path names no file of the file roots, and no directory", async () => {
  const render = renderer({ "/opt/lib/a.jinja": "a" });
  assert.equal(await render('{% include "in/roots.jinja" %}'), "roots");
  for (const path of ["/in/roots.jinja", "/opt/lib", "/opt/../opt/lib/a.jinja"]) {
    await assert.rejects(render(`{% include "${path}" %}`), /not found|roots\.jinja|lib/);
  }
});
