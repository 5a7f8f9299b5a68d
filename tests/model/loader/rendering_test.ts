import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import type { JobContext } from "../../../src/model/loader/family.ts";
import { Rendering } from "../../../src/model/loader/rendering.ts";
import { stateOptions } from "../../../src/model/loader/state_options.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { OrderedMap } from "../../../src/language/python/values.ts";
import type { TestMinion, TestMinionOptions } from "../../support/context.ts";
import { testJob } from "../../support/job_context.ts";
import { localFiles } from "../../support/local_files.ts";

const root = mkdtempSync(join(tmpdir(), "brine-rendering-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

/** The context of a job on a minion with these files in `base`. */
async function job(
  files: Record<string, string> = {},
  options: TestMinionOptions = {},
): Promise<{ context: JobContext; minion: TestMinion; roots: string }> {
  const roots = join(root, String(made++));
  for (const [name, text] of Object.entries({ "top.sls": "", ...files })) {
    mkdirSync(dirname(join(roots, name)), { recursive: true });
    writeFileSync(join(roots, name), text);
  }
  const { context, minion } = await testJob({
    ...options,
    master: null,
    opts: { ...localFiles(roots), ...options.opts },
  });
  return { context, minion, roots };
}

const sls = (source: string, more: Record<string, unknown> = {}) => ({
  path: "/cache/a/b.sls",
  name: "a/b.sls",
  sls: "a.b",
  saltenv: "base",
  source,
  ...more,
});

describe("SLS files", () => {
  test("see the host's values, their place and execution functions", async () => {
    const { context } = await job({}, { grains: { os: "Debian" }, pillar: { p: 1 }, opts: { id: "alpha" } });
    const data = await new Rendering(context).renderSls(
      sls("x: {{ [grains.os, pillar.p, opts.id, sls, tpldir, slspath, salt['test.echo']('hi'), saltenv] | tojson }}"),
    );
    assert.deepEqual(data, new OrderedMap([["x", ["Debian", 1, "alpha", "a.b", "a", "a", "hi", "base"]]]));
  });

  test("import other files by their path and relative to their own", async () => {
    const { context } = await job({
      "a/map.jinja": "{% from './deep/x.jinja' import y %}{% set x = y + 1 %}",
      "a/deep/x.jinja": "{% set y = 41 %}",
    });
    const data = await new Rendering(context).renderSls(
      sls("{% from 'a/map.jinja' import x %}{% import './map.jinja' as map %}x: [{{ x }}, {{ map.x }}]"),
    );
    assert.deepEqual(data, new OrderedMap([["x", [42, 42]]]));
  });

  for (const name of ["salt://a/map.jinja", "/no/where", "../../x", "no/where", ""]) {
    test(`do not import ${JSON.stringify(name)}`, async () => {
      const { context } = await job({ "a/map.jinja": "" });
      await assert.rejects(
        new Rendering(context).renderSls(sls(`{% import ${JSON.stringify(name)} as x %}`)),
        ({ message }: Error) => message.startsWith(`Jinja error: ${name}\n`),
      );
    });
  }

  test("change their own copies of the host's values, which later files of the job see", async () => {
    const { context } = await job({}, { grains: { os: "Debian", list: [1] } });
    const rendering = new Rendering(context);
    await rendering.renderSls(sls("{% do grains.list.append(2) %}{% do grains.update({'os': 'x'}) %}"));
    const seen = await rendering.renderSls(sls("x: {{ [grains.os, grains.list] | tojson }}"));
    assert.deepEqual(seen, new OrderedMap([["x", ["x", [1, 2]]]]));
    assert.deepEqual(context.grains, { os: "Debian", list: [1] });
  });

  test("go by jinja_sls_env, renderer, allow_undefined and an explicit context", async () => {
    const { context } = await job({}, {
      opts: { jinja_sls_env: { variable_start_string: "<<", variable_end_string: ">>" }, allow_undefined: true },
    });
    const data = await new Rendering(context).renderSls(
      sls("x: '<< sls >>{{ sls }}<< nope >>{# #}'", { context: { sls: "own" } }),
    );
    assert.deepEqual(data, new OrderedMap([["x", "own{{ sls }}"]]));
    const plain = await job({}, { opts: { renderer: "json" } });
    const other = await new Rendering(plain.context).renderSls(sls('{"x": "{{ 1 }}"}'));
    assert.deepEqual(other, new Map([["x", "{{ 1 }}"]]));
  });

  test("fail in Salt's words", async () => {
    const { context } = await job();
    await assert.rejects(new Rendering(context).renderSls(sls("a: 1\nb: {{ nope }}\n")), {
      message: "Jinja variable 'nope' is undefined; line 2\n\n---\na: 1\nb: {{ nope }}    <======================\n---",
    });
  });

  test("name the file of a template that fails where it was imported", async () => {
    const { context, roots } = await job({ "m.jinja": "\n{{ salt['test.echo'](1, 2) }}" });
    await assert.rejects(new Rendering(context).renderSls(sls("{% include 'm.jinja' %}")), ({ message }: Error) => {
      assert.ok(message.startsWith("Jinja error: echo() takes 1 positional argument but 2 were given"), message);
      assert.ok(message.includes(`${roots}.cache/files/base/m.jinja(2):`), message);
      return true;
    });
  });
});

describe("limits", () => {
  const opts = { template_max_steps: 1000, template_max_size: 5000 };
  const endless = "{% macro f() %}{{ f() }}{% endmacro %}";

  for (
    const [name, source, message] of [
      [
        "rounds",
        "a\n{% for i in range(2000) %}{% set x = i %}{% endfor %}",
        /takes more than 1000 rounds and calls: it may never end\. .* option template_max_steps\n[^]*line 2\n/,
      ],
      ["text", "\n\n{{ 'x' * 6000 }}", /writes more than 5000 characters: .* option template_max_size\n[^]*line 3\n/],
      ["text of loops", "{% for i in range(900) %}{{ 'xxxxxxxxxx' }}{% endfor %}", /writes more than 5000 characters/],
      ["macros that call themselves", `${endless}{{ f() }}`, /maximum recursion depth exceeded/],
    ] as const
  ) {
    test(`${name}: a template that goes beyond them is an error with its line`, async () => {
      const { context } = await job({}, { opts });
      await assert.rejects(new Rendering(context).renderSls(sls(source)), message);
      await assert.rejects(new Rendering(context).renderTemplate({ source, engine: "jinja" }), message);
    });
  }

  test("of a file that is imported name that file", async () => {
    const { context, roots } = await job({ "m.jinja": "\n{% for i in range(2000) %}{% endfor %}" }, { opts });
    await assert.rejects(
      new Rendering(context).renderSls(sls("{% include 'm.jinja' %}")),
      ({ message }: Error) => message.includes("rounds") && message.includes(`${roots}.cache/files/base/m.jinja(2):`),
    );
  });

  test("can be raised", async () => {
    const { context } = await job({}, { opts: { ...opts, template_max_steps: 10_000 } });
    await new Rendering(context).renderSls(sls("{% for i in range(2000) %}{% endfor %}"));
  });
});

describe("templates of files", () => {
  test("see names, host, defaults and context, each over those before", async () => {
    const { context } = await job({}, { pillar: { p: 1 } });
    const text = await new Rendering(context).renderTemplate({
      source: "{{ [name, source, pillar, a, b, saltenv, sls is defined, tpldir is defined] | tojson }}\n",
      engine: "jinja",
      saltenv: "base",
      names: { name: "/x", source: "salt://x", pillar: "hidden" },
      defaults: { a: 1, b: 1 },
      context: new Map([["b", 2]]),
    });
    assert.equal(text, '["/x", "salt://x", {"p": 1}, 1, 2, "base", false, false]\n');
  });

  for (
    const filter of [
      ...["dictsort", "xmlattr", "filesizeformat", "to_num", "json_encode_dict", "json_decode_dict"],
      ...["dict_to_sls_yaml_params", "append_dict_key_value('a', 1)", "extend_dict_key_value('a:b', [1])"],
      "update_dict_key_value('a', {})",
    ]
  ) {
    test(`name the value that is missing where ${filter} needs one`, async () => {
      const { context } = await job({});
      const source = `{% set m = {} %}{{ m.x | ${filter} }}`;
      await assert.rejects(
        new Rendering(context).renderTemplate({ source, engine: "jinja" }),
        /Jinja variable 'dict object' has no attribute 'x'; line 1/,
      );
    });
  }

  test("have the names of the directory of an sls that they are given", async () => {
    const { context } = await job({});
    const text = await new Rendering(context).renderTemplate({
      source: "{{ [sls, slspath, sls_path, slsdotpath, slscolonpath, tpldir is defined] | tojson }}",
      engine: "jinja",
      defaults: { slsdotpath: "own" },
      context: { sls: "a.b" },
    });
    assert.equal(text, '["a.b", "a/b", "a_b", "own", "a:b", false]');
  });

  test("have a context go over the host's values, and none of the SLS options", async () => {
    const { context } = await job({}, {
      pillar: { p: 1 },
      opts: { jinja_env: { trim_blocks: true }, jinja_sls_env: { variable_start_string: "<<" } },
    });
    const text = await new Rendering(context).renderTemplate({
      source: "{% if true %}\n{{ pillar }}{% endif %}",
      engine: "jinja",
      context: { pillar: "mine" },
    });
    assert.equal(text, "mine");
  });

  test("import by path, and relatively only behind such an import", async () => {
    const { context } = await job({ "d/m.j": "{% set x = 3 %}" });
    const render = (source: string, saltenv?: string) =>
      new Rendering(context).renderTemplate({ source, engine: "jinja", saltenv });
    assert.equal(
      await render("{% import 'd/m.j' as m %}{% import './m.j' as n %}{{ m.x + n.x }}", "base"),
      "6",
    );
    await assert.rejects(render("{% import './m.j' as n %}", "base"), /^SaltRenderError: Jinja error: \.\/m\.j\n/);
    await assert.rejects(render("{% import 'd/m.j' as n %}"), /^SaltRenderError: Jinja error: d\/m\.j\n/);
  });

  for (
    const [engine, message] of [
      ["nope", /^SaltRenderError: Specified template format nope is not supported$/],
      ["mako", /format mako is not supported: it runs Python\. Write the template for jinja/],
      ["py", /format py is not supported: it runs Python/],
    ] as const
  ) {
    test(`${engine} is refused`, async () => {
      const { context } = await job();
      const withoutPython = { ...context, opts: { ...context.opts, python: false } };
      await assert.rejects(new Rendering(withoutPython).renderTemplate({ source: "x", engine }), message);
    });
  }
});

describe("options of states", () => {
  const own = { renderer: "yaml", state_top: "mine.sls", state_events: true, id: "alpha", allow_undefined: true };
  const answering = (answer: () => unknown) => ({
    opts: own,
    log: silentLogger,
    master: {
      request: async (load: Record<string, unknown>) => {
        assert.deepEqual(load, { cmd: "_master_opts" });
        return await answer();
      },
      fireEvent: () => Promise.resolve(true),
      fireLocal: () => {},
    },
  });

  test("are the minion's own without a master and with file_client: local", async () => {
    assert.equal(await stateOptions({ opts: own, log: silentLogger, master: undefined }), own);
    const asked = answering(() => assert.fail("asked"));
    const local = { ...own, file_client: "local" };
    assert.equal(await stateOptions({ ...asked, opts: local }), local);
  });

  test("are the master's where it has them", async () => {
    const opts = await stateOptions(answering(() => ({ renderer: "json", state_events: false, jinja_env: { a: 1 } })));
    assert.deepEqual(opts, { ...own, renderer: "json", jinja_env: { a: 1 }, state_aggregate: false });
  });

  test("are defaults if the master does not answer", async () => {
    const opts = await stateOptions(answering(() => Promise.reject(new Error("no answer"))));
    assert.deepEqual(opts, { ...own, renderer: "jinja|yaml", failhard: false, state_top: "top.sls", nodegroups: {} });
  });
});
