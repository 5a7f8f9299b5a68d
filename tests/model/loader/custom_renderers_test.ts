import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { customRenderers } from "../../../src/model/loader/custom_renderers.ts";
import { Rendering } from "../../../src/model/loader/rendering.ts";
import { createRenderers } from "../../../src/language/render/renderers.ts";
import { Pipeline } from "../../../src/language/render/pipeline.ts";
import { OrderedMap } from "../../../src/language/python/values.ts";
import { testJob } from "../../support/job_context.ts";

const root = mkdtempSync(join(tmpdir(), "brine-renderers-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

/** A minion with these custom renderers; those that begin with #! may be run. */
async function minionWith(files: Record<string, string>) {
  const directory = join(root, String(made++));
  mkdirSync(join(directory, "renderers"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, "renderers", name);
    writeFileSync(path, text);
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }
  const { context } = await testJob({
    opts: { extension_modules: directory, cachedir: join(directory, "cache") },
    grains: { os: "Test" },
    pillar: { p: 1 },
  });
  const render = (source: string) =>
    new Rendering(context).renderSls({ path: "/c/a/b.sls", name: "a/b.sls", sls: "a.b", saltenv: "base", source });
  return { context, directory, render };
}

test("custom renderers take what the part before them made, and are told of file and host", async () => {
  const { render } = await minionWith({
    "mine.ts": `
      type Told = { sls: string; saltenv: string; argline: string; grains: Map<string, unknown>; pillar: Record<string, unknown> };
      export async function render(data: string, { sls, saltenv, argline, grains, pillar }: Told) {
        return { [data.split("\\n")[1]!]: [sls, saltenv, argline, Object.fromEntries(Object.entries(grains)).os, pillar.p] };
      }`,
  });
  assert.deepEqual(await render("#!jinja|mine -x y\n{{ grains.os }}-x\n"), {
    "Test-x": ["a.b", "base", "-x y", "Test", 1],
  });
});

test("custom renderers make text for those after them, and go over Brine's own", async () => {
  const { render } = await minionWith({
    "upper.js": "export const render = (text) => text.toUpperCase();",
    "json.js": "export const render = () => ({ mine: true });",
  });
  assert.deepEqual(await render("#!upper|yaml\na: b\n"), new OrderedMap([["A", "B"]]));
  assert.deepEqual(await render("#!json\n{}"), { mine: true });
});

test("programs are renderers, with the parameters that they name", async () => {
  const { render } = await minionWith({
    "prog": `#!/bin/sh
if [ "$1" = describe ]; then echo '{"functions": {"render": {"signature": "data, sls=None", "doc": ""}}}'; exit; fi
cat > "$0.in"; grep -q '"sls":"a.b"' "$0.in" && echo '{"return": {"x": "seen"}}'
`,
  });
  assert.deepEqual(await render("#!prog\n"), new OrderedMap([["x", "seen"]]));
});

test("what fails in a custom renderer names the file and the renderer", async () => {
  const { render } = await minionWith({
    "bad.js": "export function render() { throw new Error('no luck'); }",
    "none.js": "export function render() {}",
    "other.js": "export function output() {}",
    "off.js": "export const virtual = () => ({ unavailable: 'no key' }); export const render = () => ({});",
  });
  for (
    const [name, message] of [
      ["bad", /^\/c\/a\/b\.sls: renderer bad: no luck$/],
      ["none", /^\/c\/a\/b\.sls: renderer none returned nothing: ".*none\.js" must return text or data$/],
      ["other", /renderer other: ".*other\.js" has no function "render"$/],
      ["off", /renderer off: ".*off\.js" is not available: no key$/],
    ] as const
  ) await assert.rejects(render(`#!${name}\nx`), { code: "RENDER", message }, name);
});

test("a pipeline that lives on sees renderers that come and change", async () => {
  const { context, directory } = await minionWith({});
  const place = { runtime: context.runtime, log: context.log, opts: context.opts };
  const pipeline = new Pipeline({
    renderers: createRenderers(context.runtime),
    custom: () => customRenderers(place),
  });
  const job = { path: "/p/a.sls", sls: "a", saltenv: "base", globals: { grains: {} }, log: context.log };
  assert.deepEqual(await pipeline.render("#!late\n", job), {});
  const file = join(directory, "renderers", "late.js");
  writeFileSync(file, "export const render = () => ({ one: 1 });");
  assert.deepEqual(await pipeline.render("#!late\n", job), { one: 1 });
  writeFileSync(file, "export const render = () => ({ second: 2 });");
  assert.deepEqual(await pipeline.render("#!late\n", job), { second: 2 });
});

test("js and ts: a file exports its data, or a function that makes it", async () => {
  const { render, directory } = await minionWith({});
  assert.deepEqual(await render("#!js\nexport default { a: { 'test.nop': [] } };\n"), { a: { "test.nop": [] } });
  assert.deepEqual(
    await render(
      "#!jinja|ts\nexport async function run({ call, sls }: { call(fun: string, args: unknown[]): Promise<string>; sls: string }) {\n" +
        "  return { [sls]: await call('test.echo', ['{{ grains.os }}']) };\n}\n",
    ),
    { "a.b": "Test" },
  );
  assert.equal(statSync(join(directory, "cache/code")).mode & 0o777, 0o700);
});

for (
  const [name, source, message] of [
    ["throws", "#!js\nexport default () => { throw new Error('no luck'); };", /b\.sls: renderer js: no luck$/],
    ["exports nothing", "#!ts\nexport {};", /b\.sls: renderer ts: its default export must be data/],
    ["does not parse", "#!js\nexport default {", /b\.sls: renderer js: ./],
    ["is data by then", "#!json|js\n{}", /b\.sls: js runs text, but got data/],
  ] as const
) {
  test(`js and ts: an error names a file that ${name}`, async () => {
    const { render } = await minionWith({});
    await assert.rejects(render(source), { code: "RENDER", message });
  });
}

test("js and ts are refused by name where they would run with the master's rights", async () => {
  const { context } = await minionWith({});
  const job = { path: "/p/a.sls", sls: "a", saltenv: "base", globals: {}, log: context.log };
  const pipeline = new Pipeline({ renderers: createRenderers(context.runtime) });
  for (const name of ["js", "ts"]) {
    await assert.rejects(
      pipeline.render(`#!${name}\nexport default {};`, job),
      { message: new RegExp(`line 1: renderer ${name} is not available here: it runs code`) },
    );
  }
});
