import assert from "node:assert/strict";
import { symlinkSync, utimesSync } from "node:fs";
import { describe, test } from "node:test";
import { entriesOf, lookup } from "../../../src/language/python/values.ts";
import { pillarBed } from "../../support/pillar.ts";
import { canonical } from "../../support/vectors.ts";

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, item) => item instanceof Map ? Object.fromEntries(item) : item));
const errorsOf = (pillar: unknown) => (plain(pillar) as { _errors?: string[] })._errors ?? [];

const TOP = "base:\n  '*':\n    - a\n";

describe("PillarCompiler", () => {
  test("for a file that cannot be rendered, the minion learns no details, and the log has the place", async () => {
    using bed = await pillarBed({ files: { "base/top.sls": TOP, "base/a.sls": "ok: 1\npassword: {hunter2\n" } });
    const pillar = await bed.compile();
    assert.deepEqual(errorsOf(pillar), ["Rendering SLS 'a' failed. Please see master log for details."]);
    const logged = bed.records.filter(({ level }) => level === "critical");
    assert.match(String(logged[0]!.fields.error), /base\/a\.sls, line \d, column \d+: /);
    assert.ok(!JSON.stringify([pillar, bed.records]).includes("hunter2"));
  });

  test("with pillar_safe_render_error off, the minion reads file, line and column", async () => {
    using bed = await pillarBed({
      files: { "base/top.sls": TOP, "base/a.sls": "a: 1\na: 2\n" },
      opts: { pillar_safe_render_error: false },
    });
    const [error] = errorsOf(await bed.compile());
    assert.equal(
      error,
      `Rendering SLS 'a' failed, render error:\n${bed.root}/base/a.sls, line 2, column 1: found conflicting ID 'a'`,
    );
  });

  test("the error of a template shows its line", async () => {
    using bed = await pillarBed({
      files: { "base/top.sls": TOP, "base/a.sls": "a: {{ nope }}\n" },
      opts: { pillar_safe_render_error: false },
    });
    assert.match(
      errorsOf(await bed.compile())[0]!,
      /Jinja variable 'nope' is undefined; line 1\n\n---\na: \{\{ nope \}\} {4}<====/,
    );
  });

  test("templates see grains, options and defaults of an include, and import from the same environment", async () => {
    using bed = await pillarBed({
      files: {
        "base/top.sls": TOP,
        "base/a.sls":
          "{% from 'lib/map.jinja' import name with context %}\ninclude:\n  - b:\n      defaults:\n        port: 80\n" +
          "a: {{ name }}-{{ grains.id }}\nsls: {{ sls }} {{ tplfile }}\n",
        "base/lib/map.jinja": "{% set name = 'web' %}",
        "base/b/init.sls": "b: {{ port + 1 }} {{ slspath }} {{ tpldir }}\n",
      },
    });
    const pillar = await bed.compile();
    assert.deepEqual(errorsOf(pillar), []);
    assert.equal(lookup(pillar, "a"), "web-web1");
    assert.equal(lookup(pillar, "sls"), "a a.sls");
    assert.equal(lookup(pillar, "b"), "81 b b");
  });

  test("a template that changes what it sees changes its own copy", async () => {
    using bed = await pillarBed({
      files: {
        "base/top.sls": TOP,
        "base/a.sls":
          "{% do grains.update({'id': 'other'}) %}{% do opts.update({'hash_type': 'md5'}) %}a: {{ grains.id }}\n",
      },
    });
    const grains = { id: "web1" };
    const request = { id: "web1", grains };
    assert.equal(lookup(await bed.compiler.compile(request), "a"), "other");
    assert.equal(lookup(await bed.compiler.compile(request), "a"), "other");
    assert.deepEqual(grains, { id: "web1" });
  });

  test("files that include each other are rendered once, and the log names the circle", async () => {
    using bed = await pillarBed({
      files: { "base/top.sls": TOP, "base/a.sls": "include: [b]\na: 1\n", "base/b.sls": "include: [a]\nb: 1\n" },
    });
    assert.deepEqual(plain(await bed.compile()), { a: 1, b: 1 });
    const warned = bed.records.filter(({ level }) => level === "warning");
    assert.deepEqual(warned.map(({ fields }) => fields.chain), ["a → b → a"]);
  });

  for (
    const { name, include, error } of [
      { name: "a number", include: "[1]", error: /^Include 1 in SLS 'a' is neither a name nor a name with a map/ },
      { name: "a name with a list", include: "[{b: [1]}]", error: /^Include .* in SLS 'a' is neither a name nor/ },
    ]
  ) {
    test(`an invalid include is named, and the rest is used: ${name}`, async () => {
      using bed = await pillarBed({ files: { "base/top.sls": TOP, "base/a.sls": `include: ${include}\na: 1\n` } });
      const pillar = plain(await bed.compile()) as Record<string, unknown>;
      assert.equal(pillar.a, 1);
      assert.match(errorsOf(pillar)[0]!, error);
    });
  }

  test("an included file that is not a map does not stop the others", async () => {
    using bed = await pillarBed({
      files: {
        "base/top.sls": TOP,
        "base/a.sls": "include: [b, c]\na: 1\n",
        "base/b.sls": "- 1\n",
        "base/c.sls": "c: 1\n",
      },
    });
    const pillar = plain(await bed.compile()) as Record<string, unknown>;
    assert.equal(pillar.a, 1);
    assert.equal(pillar.c, 1);
    assert.ok(errorsOf(pillar).includes("SLS 'b' does not render to a dictionary"));
  });

  test("a file that is not UTF-8 is an error", async () => {
    using bed = await pillarBed({ files: { "base/top.sls": TOP } });
    bed.runtime.fs.write(`${bed.root}/base/a.sls`, Uint8Array.of(0x61, 0x3a, 0x20, 0xff));
    assert.deepEqual(errorsOf(await bed.compile()), ["Rendering SLS 'a' failed. Please see master log for details."]);
  });

  test("a changed file changes the next pillar, even if it was written just now", async () => {
    using bed = await pillarBed({ files: { "base/top.sls": TOP, "base/a.sls": "a: 1\n" } });
    assert.deepEqual(plain(await bed.compile()), { a: 1 });
    bed.write({ "base/a.sls": "a: 2\n" });
    assert.deepEqual(plain(await bed.compile()), { a: 2 });
    const past = Date.now() / 1000 - 3600;
    utimesSync(`${bed.root}/base/a.sls`, past, past);
    assert.deepEqual(plain(await bed.compile()), { a: 2 });
    assert.deepEqual(plain(await bed.compile()), { a: 2 });
    bed.write({ "base/a.sls": "a: 3\n", "base/top.sls": "base:\n  '*': ['[ab]']\n", "base/b.sls": "b: 1\n" });
    assert.deepEqual(plain(await bed.compile()), { a: 3, b: 1 });
  });

  test("compiling for one minion leaves nothing for the next", async () => {
    using bed = await pillarBed({
      files: {
        "base/top.sls": "base:\n  '*': [a]\n  'web1': [b]\n",
        "base/a.sls": "include: [c]\nm: {a: [1]}\n",
        "base/b.sls": "m: {a: [2], b: 1}\nsecret: web1\n",
        "base/c.sls": "m: {c: 1}\n",
      },
      opts: { pillar_merge_lists: true },
    });
    const first = plain(await bed.compile({ id: "web1", override: { m: { a: [9] } } }));
    assert.deepEqual(first, { m: { c: 1, a: [9, 1, 2], b: 1 }, secret: "web1" });
    const past = Date.now() / 1000 - 3600;
    for (const name of ["a", "b", "c", "top"]) utimesSync(`${bed.root}/base/${name}.sls`, past, past);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(plain(await bed.compile({ id: "db1" })), { m: { c: 1, a: [1] } });
      assert.deepEqual(plain(await bed.compile({ id: "web1" })), { m: { c: 1, a: [1, 2], b: 1 }, secret: "web1" });
    }
  });

  describe("paths never leave the roots", () => {
    const files = {
      "secret.sls": "secret: true\n",
      "secret/top.sls": "base:\n  '*': [s]\n'../secret':\n  '*': [s]\n",
      "secret/s.sls": "secret: true\n",
      "base/a.sls": "a: 1\n",
    };
    for (const name of ["../secret", "/secret", "..secret", "a/../../secret", "{ROOT}/secret", "./../secret"]) {
      test(`a file named ${name}`, async () => {
        using bed = await pillarBed({ files: { ...files, "base/top.sls": "base: {}\n" } });
        bed.write({ "base/top.sls": `base:\n  '*': ['${name.replace("{ROOT}", bed.root)}', a]\n` });
        const pillar = plain(await bed.compile()) as Record<string, unknown>;
        assert.equal(pillar.secret, undefined);
        assert.equal(pillar.a, 1);
        assert.match(errorsOf(pillar)[0]!, /is not available on the salt master$/);
      });
    }
    for (const env of ["../secret", "../../secret", "/secret", "x/../../secret", "..", "a\0b", "secret\\.."]) {
      test(`an environment named ${JSON.stringify(env)} is not put into the path of __env__`, async () => {
        using bed = await pillarBed({ files, opts: { pillar_roots: { __env__: ["{ROOT}/envs/__env__"] } } });
        assert.deepEqual(plain(await bed.compile({ pillarenv: env })), {});
        assert.deepEqual(plain(await bed.compile({ saltenv: env })), {});
      });
    }
    test("a top file outside of them is not read", async () => {
      using bed = await pillarBed({ files, opts: { state_top: "../secret/top.sls" } });
      assert.deepEqual(plain(await bed.compile()), {});
    });
    test("directories that are links in a circle are listed once around", async () => {
      using bed = await pillarBed({
        files: { ...files, "base/top.sls": "base:\n  '*': ['*']\n", "base/d/x.sls": "x: 1\n" },
      });
      symlinkSync("..", `${bed.root}/base/d/up`);
      assert.equal((plain(await bed.compile()) as { x: number }).x, 1);
    });
  });

  describe("external pillars", () => {
    test("one that fails is named without its output, and the others are still called", async () => {
      using bed = await pillarBed({
        files: { "base/top.sls": TOP, "base/a.sls": "a: 1\n" },
        opts: {
          ext_pillar: [
            { cmd_yaml: "echo 'password: {hunter2'" },
            { cmd_json: "echo hunter2" },
            { cmd_yaml: "echo '- hunter2'" },
            { cmd_json: "/no/such/hunter2" },
            { http_json: { url: "ftp://user:hunter2@localhost/" } },
            { http_json: { adress: "hunter2" } },
            { cmd_yaml: "echo 'fine: true'" },
          ],
        },
      });
      const pillar = plain(await bed.compile()) as Record<string, unknown>;
      assert.equal(pillar.fine, true);
      assert.equal(pillar.a, 1);
      const errors = errorsOf(pillar);
      assert.deepEqual(errors.slice(0, 3), [
        "Failed to load ext_pillar cmd_yaml: its command did not return YAML",
        "Failed to load ext_pillar cmd_json: its command did not return JSON",
        "Failed to load ext_pillar cmd_yaml: it returned a list: expected a map",
      ]);
      assert.match(errors[3]!, /^Failed to load ext_pillar cmd_json: its command cannot be started: ENOENT$/);
      assert.match(errors[4]!, /^Failed to load ext_pillar http_json: its url does not begin with http/);
      assert.match(errors[5]!, /^Failed to load ext_pillar http_json: .* got an unexpected keyword argument 'adress'$/);
      assert.equal(errors.length, 6);
      assert.ok(!JSON.stringify([pillar, bed.records]).includes("hunter2"));
    });

    for (const id of ["a;touch pwned", "$(touch pwned)", "`id`", "a b", "-rf", "a'b", 'a"b', "a&b", "a|b", "a\nb"]) {
      test(`an id is never part of a command that a shell could misread: ${JSON.stringify(id)}`, async () => {
        using bed = await pillarBed({
          files: {},
          opts: { ext_pillar: [{ cmd_yaml: "cd {ROOT} && echo 'id: '%s" }, { cmd_json: "echo %s" }] },
        });
        const pillar = await bed.compile({ id });
        assert.equal(errorsOf(pillar).length, 2);
        for (const error of errorsOf(pillar)) assert.match(error, /the id of the minion has characters that a command/);
        assert.deepEqual(bed.runtime.fs.list(bed.root), []);
      });
    }

    for (
      const { name, allowed, ext, wanted } of [
        { name: "not in the list", allowed: [], ext: { env: [{ home: "HOME" }] }, wanted: false },
        { name: "in the list", allowed: ["env"], ext: { env: [{ home: "HOME" }] }, wanted: true },
        { name: "one of two in the list", allowed: ["env"], ext: { env: [{ home: "HOME" }], x: 1 }, wanted: false },
        { name: "no map", allowed: ["env"], ext: [{ env: [{ home: "HOME" }] }], wanted: false },
        {
          name: "commands, even if the list allows them",
          allowed: ["cmd_yaml"],
          ext: { cmd_yaml: "echo 'home: x'" },
          wanted: false,
        },
        { name: "files, even if the list allows them", allowed: ["file_tree"], ext: { file_tree: "/" }, wanted: false },
        {
          name: "rows of a file, even if the list allows them",
          allowed: ["csv"],
          ext: { csv: "/m.csv" },
          wanted: false,
        },
        {
          name: "templates, even if the list allows them",
          allowed: ["stack"],
          ext: { stack: "/s.cfg" },
          wanted: false,
        },
        {
          name: "queries, even if the list allows them",
          allowed: ["sqlite3"],
          ext: { sqlite3: "select 1" },
          wanted: false,
        },
      ]
    ) {
      test(`on demand: ${name}`, async () => {
        using bed = await pillarBed({ files: {}, opts: { on_demand_ext_pillar: allowed } });
        const pillar = plain(await bed.compile({ ext })) as Record<string, unknown>;
        assert.equal("home" in pillar, wanted);
        assert.equal(
          bed.records.some(({ message }) =>
            message === "pillar that a minion asked for is refused (on_demand_ext_pillar)"
          ),
          !wanted,
        );
      });
    }

    test("unknown ones are logged, and have no other effect", async () => {
      using bed = await pillarBed({ files: {}, opts: { ext_pillar: [{ hg: ["x"] }] } });
      assert.deepEqual(plain(await bed.compile()), {});
      const [record] = bed.records.filter(({ level }) => level === "critical");
      assert.equal(record!.fields.name, "hg");
      assert.match(
        String(record!.fields.available),
        /cmd_json, cmd_yaml, consul, csv, env, extra_minion_data_in_pillar, file_tree, git, http_json, http_yaml, mysql, nodegroups/,
      );
    });
  });

  test("pillar_opts shows the options under master, with the id of the minion", async () => {
    using bed = await pillarBed({ files: {}, opts: { pillar_opts: true, my_option: { a: 1 } } });
    const { master } = Object.fromEntries(entriesOf(await bed.compile())) as { master: Record<string, unknown> };
    assert.deepEqual(master.my_option, { a: 1 });
    assert.equal(master.id, "web1");
    assert.match(String(master.saltversion), /^\d+\.\d+/);
  });

  test("an unknown strategy is warned of once", async () => {
    using bed = await pillarBed({ files: {}, opts: { pillar_source_merging_strategy: "nosuch" } });
    await bed.compile();
    await bed.compile();
    assert.deepEqual(bed.records.filter(({ level }) => level === "warning").map(({ message }) => message), [
      "unknown pillar_source_merging_strategy: recurse is used instead",
    ]);
  });

  test("top() shows environments, targets and names in order", async () => {
    using bed = await pillarBed({
      files: { "base/top.sls": "base:\n  'b*':\n    - x\n    - match: glob\n  '*':\n    - order: -1\n    - y\n" },
    });
    const { top, errors } = await bed.compiler.top({ id: "", grains: {} });
    assert.deepEqual(errors, []);
    assert.deepEqual(top.get("base")!.map(({ tgt, sls, matches }) => [tgt, sls, canonical(matches)]), [
      ["*", ["y"], []],
      ["b*", ["x"], [{ map: [["match", "glob"]] }]],
    ]);
  });
});
