/** Templates that a template imports or includes: by their whole path, and what they know of the file that was loaded last. */
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
  const load = (name: string) => {
    const source = { "in/roots.jinja": "roots", ...files }[name];
    return source === undefined ? undefined : { path: `/srv/${name}`, name, source };
  };
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

const PLACE = "{{ tpldir|default('-') }} {{ tplfile|default('-') }}";

for (
  const { name, files = {}, template, want } of [
    {
      name: "a template keeps the names that it began with, also after an import",
      template: `{% import "a/m.jinja" as m with context %}${PLACE}{% call m.c() %}${PLACE}{% endcall %}`,
      want: "- -- -",
    },
    {
      name: "an import with context has the names of its importer",
      template: `{% from "a/m.jinja" import place with context %}{{ place }}`,
      want: "- -",
    },
    {
      name: "an import without context has its own",
      template: `{% from "a/m.jinja" import place %}{{ place }}`,
      want: "a a/m.jinja",
    },
    {
      name: "a template that was loaded before does not change them",
      template: '{% import "a/m.jinja" as m with context %}{% import "b/n.jinja" as n %}' +
        '{% from "a/m.jinja" import place %}{{ place }}',
      want: "b b/n.jinja",
    },
    {
      name: "a file that is not there changes them",
      template: '{% import "a/m.jinja" as m with context %}{% include "c/none.jinja" ignore missing %}' +
        '{% from "a/m.jinja" import place %}{{ place }}',
      want: "c c/none.jinja",
    },
    {
      name: "a relative name is looked for once",
      files: {
        "a/x.jinja": "a",
        "b/x.jinja": "b",
        "a/i.jinja": '{% include "./x.jinja" %}',
        "b/i.jinja": '{% include "./x.jinja" %}',
      },
      template: '{% include "a/i.jinja" %}{% include "b/i.jinja" %}',
      want: "aa",
    },
    {
      name: "an include without context is the module of an import",
      files: {
        "s.jinja":
          "{% set ns = namespace(n=0) %}{% macro up() %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{% endmacro %}{{ up() }}",
      },
      template: '{% import "s.jinja" as s %}{{ s.up() }}{% include "s.jinja" without context %}{{ s.up() }}',
      want: "213",
    },
  ] as { name: string; files?: Record<string, string>; template: string; want: string }[]
) {
  test(name, async () => {
    const own =
      '{% set place = tpldir|default("-") ~ " " ~ tplfile|default("-") %}{% macro c() %}{{ caller() }}{% endmacro %}';
    const render = renderer({ "a/m.jinja": own, "b/n.jinja": own, ...files });
    assert.equal(await render(template), want);
  });
}
