/** Filters, tests and globals of templates in Python modules, held against real Salt, which has them once their module is loaded. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { openCallHost } from "../../../../cli/programs/call/call_host.ts";
import { openOwnPillar } from "../../../../cli/pillar.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { createLogger } from "../../../../src/base/log.ts";
import { callFunction } from "../../../../src/host/minion/processes/execute_job.ts";
import { fieldsOf } from "../../../../src/language/python/values.ts";
import { parseYaml } from "../../../../src/language/yaml/document.ts";
import { loadConfig } from "../../../../src/model/config/load.ts";
import { MINION_OPTIONS } from "../../../../src/model/config/minion_opts.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { markedIn } from "../../../../src/model/loader/template_additions.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

const VECTORS = fileURLToPath(new URL("../../../vectors/python/templates/", import.meta.url));
const answers: Record<string, { return?: string; raised?: string }> = JSON.parse(
  readFileSync(`${VECTORS}answers.json`, "utf8"),
);

describe("the text of a module", () => {
  for (
    const [name, text, want] of [
      ["names its filter", '@jinja_filter("a")\ndef f(x): pass', [["filter", "a", "f"]]],
      ["names no filter: the function's name counts", "@jinja_test()\ndef f(x): pass", [["test", "f", "f"]]],
      ["has an empty name", "@jinja_test('')\ndef f(x): pass", [["test", "f", "f"]]],
      ["has a decorator of a module", "@salt.utils.decorators.jinja.jinja_global('a')\ndef f(): pass", [[
        "global",
        "a",
        "f",
      ]]],
      ["names the decorator otherwise", "from x import jinja_filter as jf\n@jf(\n  'a',\n)\ndef f(x): pass", [[
        "filter",
        "a",
        "f",
      ]]],
      [
        "has two and others",
        "@JinjaFilter(name='a')  # why\n@JinjaTest('b')\n@other(1)\n\n# text\nasync def f(x): pass",
        [[
          "filter",
          "a",
          "f",
        ], ["test", "b", "f"]],
      ],
      ["has none", "# jinja_filter\n@cached('a')\ndef f(x): pass", []],
      ["computes the name", "@jinja_filter(NAME)\ndef f(x): pass", []],
    ] as const
  ) {
    test(name, () => assert.deepEqual(markedIn(text).map(({ kind, name, fun }) => [kind, name, fun]), want));
  }
});

function compared(more: Record<string, unknown>): void {
  let run: (fun: string, keyword: Record<string, unknown>) => Promise<unknown>;
  let pillar: () => Promise<unknown>;
  let end: () => Promise<void>;
  before(async () => {
    const work = mkdtempSync(path.join(tmpdir(), "brine-additions-"));
    const roots = path.join(work, "pillar");
    mkdirSync(roots);
    writeFileSync(path.join(roots, "top.sls"), "base:\n  '*': [shop]\n");
    writeFileSync(
      path.join(roots, "shop.sls"),
      "price: {{ 3 | shop_price }}\nopen: {{ shop_open() | last }}\nlist: {{ [1] | map('shop_price') | list }}\n",
    );
    const config = {
      id: "web1",
      root_dir: work,
      file_client: "local",
      master_type: "disable",
      module_dirs: [`${VECTORS}modules`],
      file_roots: { base: [`${VECTORS}salt`] },
      pillar_roots: { base: [roots] },
      ...more,
    };
    writeFileSync(path.join(work, "minion"), JSON.stringify(config));
    const runtime = { ...await currentRuntime(), clock: systemClock };
    const log = createLogger(() => {}, "quiet");
    const file = path.join(work, "minion");
    const { opts } = loadConfig({
      fs: runtime.fs,
      log,
      parse: parseYaml,
      file,
      table: MINION_OPTIONS,
      onProblem: "warning",
    });
    const grains = { id: "web1" };
    const host = await openCallHost({ runtime, options: { local: true }, log }, opts, grains);
    run = async (fun, keyword) => {
      const load = { fun, arg: [{ __kwarg__: true, ...keyword }], jid: "20240101000000000000" };
      return (await callFunction({ functions: host.functions, context: () => host.base, load, published: {} })).return;
    };
    const values = opts as unknown as Record<string, unknown>;
    pillar = async () =>
      await openOwnPillar(runtime, values, log)({ id: "web1", grains, saltenv: "base", extraMinionData: {} });
    end = async () => {
      await closePython(runtime);
      await host.bus.close();
      rmSync(work, { recursive: true, force: true });
    };
  });
  after(() => end());

  test("each line of the templates renders, or fails, as in Salt", async () => {
    for (const [text, want] of Object.entries(answers)) {
      let got: typeof want;
      try {
        got = { return: String(await run("slsutil.renderer", { string: text, default_renderer: "jinja" })) };
      } catch (error) {
        got = { raised: (error as Error).message.split("\n")[0]!.split("; line")[0]! };
      }
      assert.deepEqual(got, want, text);
    }
  });

  test("pillar has them, too", async () => {
    assert.deepEqual(fieldsOf(await pillar()), { price: "3.00 EUR", open: "web1", list: ["1.00 EUR"] });
  });
}

const bare = findPython(await currentRuntime(), {});
describe("templates with filters of Python modules", {
  skip: bare === undefined && "no python3 of 3.8 or newer: install python3",
}, () => compared({ python: "auto", python_salt: false }));

const python = saltProgram("3006", "python");
describe("templates with filters of Python modules, beside Salt's package", {
  skip: !existsSync(python) && "no Salt 3006: npm run test:interop installs it",
}, () => compared({ python }));

test("a file that cannot be loaded is named by the error, and names of a host without Python are unknown", async () => {
  const work = mkdtempSync(path.join(tmpdir(), "brine-additions-"));
  mkdirSync(path.join(work, "modules"));
  const head = "from salt.utils.decorators.jinja import jinja_filter\n";
  writeFileSync(path.join(work, "modules/broken.py"), `import zzz\n${head}@jinja_filter('a')\ndef f(x): return x\n`);
  const { createRenderers } = await import("../../../../src/language/render/renderers.ts");
  const { templateAdditions } = await import("../../../../src/model/loader/template_additions.ts");
  const runtime = { ...await currentRuntime(), clock: systemClock };
  const log = createLogger(() => {}, "quiet");
  const jinja = await createRenderers(runtime).jinja!();
  const render = async (python: unknown) => {
    const place = { runtime, log, opts: { python, python_salt: false, module_dirs: [work] } };
    const job = { path: "x", saltenv: "base", argline: "", globals: {}, log, additions: templateAdditions(place) };
    return await jinja("{{ 1 | a }}", job);
  };
  await assert.rejects(async () => await render(false), /No filter named 'a'/);
  if (bare !== undefined) {
    await assert.rejects(async () => await render("auto"), /"\S+broken\.py" cannot be loaded: No module named 'zzz'/);
  }
  await closePython(runtime);
  rmSync(work, { recursive: true });
});
