import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import { createRenderers } from "../../../src/language/render/renderers.ts";
import { parsePipeline, Pipeline, pipelineOf } from "../../../src/language/render/pipeline.ts";
import { RenderError } from "../../../src/language/render/render_error.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { canonical } from "../../support/vectors.ts";

const runtime = await currentRuntime();
const records: LogRecord[] = [];
const log = createLogger((record) => records.push(record), "all");
const job = { path: "/srv/a.sls", sls: "a", saltenv: "base", globals: {}, log };

function pipeline(more: Partial<ConstructorParameters<typeof Pipeline>[0]> = {}): Pipeline {
  return new Pipeline({ renderers: createRenderers(runtime), ...more });
}

describe("parsePipeline()", () => {
  for (
    const { text, want } of [
      { text: "yaml", want: [["yaml", ""]] },
      { text: "jinja|yaml", want: [["jinja", ""], ["yaml", ""]] },
      { text: " jinja -s |  yaml ", want: [["jinja", "-s"], ["yaml", ""]] },
      { text: "yaml_jinja", want: [["jinja", ""], ["yaml", ""]] },
      { text: "json_mako", want: [["mako", ""], ["json", ""]] },
      { text: "", want: [["", ""]] },
    ]
  ) {
    test(JSON.stringify(text), () => {
      assert.deepEqual(parsePipeline(text).map(({ name, argline }) => [name, argline]), want);
    });
  }
});

describe("pipelineOf()", () => {
  for (
    const { name, text, want } of [
      { name: "the first line says it", text: "#!json\n{}", want: "json" },
      { name: "a first line alone", text: "#!json", want: "json" },
      { name: "the default, where none does", text: "a: 1", want: "yaml" },
      { name: "the first line of a program is not a pipeline", text: "#!/bin/sh\n", want: "yaml" },
      { name: "only the first line counts", text: "a: 1\n#!json\n", want: "yaml" },
    ]
  ) test(name, () => assert.equal(pipelineOf(text, "yaml")[0]!.name, want));
});

describe("Pipeline", () => {
  test("renders YAML with its maps in order", async () => {
    assert.deepEqual(canonical(await pipeline().render("b: 1\na: [1.0, yes]\n", job)), {
      map: [["b", 1], ["a", [{ float: "1" }, true]]],
    });
  });

  test("renders JSON as Python reads it", async () => {
    const text = '#!json\n{"b": 1.0, "a": [12345678901234567890, null, NaN], "2": {}, "u": "\\u00fc\\n"}';
    assert.deepEqual(canonical(await pipeline().render(text, job)), {
      map: [
        ["b", { float: "1" }],
        ["a", [{ int: "12345678901234567890" }, null, { float: "NaN" }]],
        ["2", { map: [] }],
        ["u", "ü\n"],
      ],
    });
  });

  for (const text of ["", " \n\t\n", "# a comment\n", "---\n", "~\n", "#!json\n", "[]\n"]) {
    test(`an empty text is an empty map: ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(canonical(await pipeline().render(text, job)), { map: [] });
    });
  }

  for (
    const { name, text, message } of [
      {
        name: "YAML that does not parse",
        text: "a: 1\nb: [1\nc: 2\n",
        message: /^\/srv\/a\.sls, line \d, column \d+: /,
      },
      {
        name: "a repeated key",
        text: "a: 1\nb: 2\n  \na: 3\n",
        message: /^\/srv\/a\.sls, line 4, column 1: found conflicting ID 'a'$/,
      },
      {
        name: "a tab",
        text: "a:\n\tb: 1\n",
        message: /^\/srv\/a\.sls, line 2, column 1: found character that cannot start any token$/,
      },
      {
        name: "JSON that does not parse",
        text: '#!json\n{"a": 1,\n "b": }',
        message: /^\/srv\/a\.sls, line 3, column 7: Expecting value$/,
      },
      {
        name: "JSON with something behind it",
        text: "#!json\n{} x",
        message: /^\/srv\/a\.sls, line 2, column 4: Extra data$/,
      },
      {
        name: "JSON too deep",
        text: `#!json\n${"[".repeat(100_000)}`,
        message: /^\/srv\/a\.sls, line 2, column \d+: Lists and maps are nested too deeply$/,
      },
      {
        name: "a template with a name that is not there",
        text: "a: 1\nb: {{ nope }}\n",
        message: /^Jinja variable 'nope' is undefined; line 2\n\n---\na: 1\nb: \{\{ nope \}\} {4}<====/,
      },
      {
        name: "a tag that is not closed",
        text: "{% if x %}\n",
        message:
          /^Jinja syntax error: Unexpected end of template\. Jinja was looking for the following tags: 'elif' or/,
      },
      ...["yamlex", "hjson"].map((name) => ({
        name: `the renderer ${name}`,
        text: `#!${name}|yaml\na: 1\n`,
        message: new RegExp(
          `^/srv/a\\.sls, line 1: renderer ${name} is not available here: expected one of gpg, jinja, json, toml, yaml$`,
        ),
      })),
      {
        name: "the renderer toml",
        text: "#!jinja|toml\na = 1\na = 2\n",
        message: /^\/srv\/a\.sls, line 3, column \d+: /,
      },
      ...["mako", "py", "pyobjects"].map((name) => ({
        name: `the Python renderer ${name}`,
        text: `#!jinja|${name}|yaml\na: 1\n`,
        message: new RegExp(
          `^/srv/a\\.sls, line 1: renderer ${name} is not available here: it runs Python\\. Write the file`,
        ),
      })),
    ]
  ) {
    test(`an error names the place: ${name}`, async () => {
      await assert.rejects(pipeline().render(text, job), (error) => {
        assert.ok(error instanceof RenderError);
        assert.match(error.message, message);
        assert.equal(error.path, "/srv/a.sls");
        return true;
      });
    });
  }

  test("an error of YAML never shows what is in the file", async () => {
    await assert.rejects(pipeline().render("password: hunter2\nx: {hunter2\n", job), (error: Error) => {
      assert.ok(!error.message.includes("hunter2"), error.message);
      return true;
    });
  });

  test("a text without markup passes jinja; with #!yaml markup is not looked for", async () => {
    assert.deepEqual(canonical(await pipeline().render("#!yaml\na: '{{ x }}'\n", job)), { map: [["a", "{{ x }}"]] });
    assert.deepEqual(canonical(await pipeline().render("#!jinja|yaml\na: '{ { x'\n", job)), { map: [["a", "{ { x"]] });
  });

  test("renderers that are not allowed are left out, with a warning", async () => {
    records.length = 0;
    const allowed = pipeline({ whitelist: ["yaml"] });
    assert.deepEqual(canonical(await allowed.render("a: '{{ x }}'\n", job)), { map: [["a", "{{ x }}"]] });
    assert.deepEqual(records.map(({ level, fields }) => [level, fields.renderer]), [["warning", "jinja"]]);
    assert.deepEqual(await pipeline({ blacklist: ["jinja", "yaml"] }).render("a: 1", job), {});
  });

  for (const name of ["text", "nope", "jinja|nope", "toString", ""]) {
    test(`a text for a renderer that nobody knows is empty, with an error in the log: ${JSON.stringify(name)}`, async () => {
      records.length = 0;
      assert.deepEqual(await pipeline().render(`#!${name}|yaml\na: 1\n`, job), {});
      assert.deepEqual(records.map(({ level }) => level), ["error"]);
    });
  }

  test("text keeps the line ends of its file", async () => {
    assert.equal(await pipeline({ fallback: "jinja" }).render("a\r\n{{ 1 }}\r\n", job), "a\r\n1\r\n");
  });

  test("a renderer is an entry of the table, loaded once, and sees the job", async () => {
    let loaded = 0;
    const renderers = {
      ...createRenderers(runtime),
      shout: () => {
        loaded++;
        return Promise.resolve((input: unknown, { argline, globals }: { argline: string; globals: unknown }) =>
          `${String(input).toUpperCase()}\nargs: ${argline}\nglobals: ${JSON.stringify(globals)}\n`
        );
      },
    };
    const own = pipeline({ renderers, fallback: "shout -x 1|yaml" });
    const value = canonical(await own.render("a: b", { ...job, globals: { g: 1 } }));
    assert.deepEqual(value, { map: [["A", "B"], ["args", "-x 1"], ["globals", { map: [["g", 1]] }]] });
    await own.render("c: d", job);
    assert.equal(loaded, 1);
  });
});
