/** The examples of docs/modules.md do what they say. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withCustomModules } from "../../../src/model/loader/custom_modules.ts";
import { createFunctionTable } from "../../../src/model/loader/loader.ts";
import { executeJob } from "../../../src/host/minion/processes/execute_job.ts";
import { MODULES } from "../../../src/plugins/modules/mod.ts";
import { testMinion } from "../../support/context.ts";

const directory = fileURLToPath(new URL("../../../examples/modules", import.meta.url));

async function call(fun: string, ...arg: unknown[]): Promise<unknown> {
  const { context } = await testMinion({
    opts: { id: "web1", module_dirs: [directory] },
    grains: { kernel: "Linux" },
    pillar: { shop: { prices: { pear: 3, apple: 2 } } },
  });
  const functions = createFunctionTable(() => withCustomModules(MODULES, context), () => context);
  const load = { fun, arg, jid: "20240101000000000000", tgt: "*", tgt_type: "glob", ret: "" };
  return (await executeJob({ functions, context: () => ({ ...context, functions }), load })).return;
}

const kw = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });
const python = await (async () => {
  const { runtime } = await testMinion();
  try {
    return (await (await runtime.process.spawn({ argv: ["python3", "-c", ""] })).exited).code === 0;
  } catch {
    return false;
  }
})();

describe("examples/modules/shop.ts", () => {
  for (
    const { fun, arg, want } of [
      { fun: "shop.list", arg: [], want: ["apple", "pear"] },
      { fun: "shop.price", arg: ["pear", 2], want: 6 },
      { fun: "shop.price", arg: ["pear", kw({ discount: 0.5 })], want: 1.5 },
      { fun: "shop.price", arg: ["plum"], want: 'ERROR: There is no article "plum"' },
      { fun: "shop.delete", arg: ["a", "b"], want: ["a", "b"] },
      {
        fun: "sys.argspec",
        arg: ["shop.price"],
        want: { "shop.price": { args: ["article", "amount"], defaults: [1], varargs: null, kwargs: true } },
      },
      { fun: "sys.doc", arg: ["shop.list"], want: { "shop.list": "The articles, by name.\n\n    salt '*' shop.list" } },
    ]
  ) test(`${fun} ${JSON.stringify(arg)}`, async () => assert.deepEqual(await call(fun, ...arg), want));
});

describe("examples/modules/words.py", { skip: python ? false : "there is no Python on this host" }, () => {
  for (
    const { fun, arg, want } of [
      { fun: "words.count", arg: ["a b a"], want: 3 },
      { fun: "words.count", arg: ["a b a", kw({ unique: true })], want: 2 },
      { fun: "words.join", arg: ["a", "b", kw({ sep: "-" })], want: "a-b" },
      { fun: "words.join", arg: [], want: "ERROR executing 'words.join': Which words?" },
    ]
  ) test(`${fun} ${JSON.stringify(arg)}`, async () => assert.deepEqual(await call(fun, ...arg), want));
});

test("examples/modules/uptime.sh", async () => {
  const seconds = await call("uptime.seconds");
  assert.ok(
    Number.isInteger(seconds) ? Number(seconds) > 0 : /no \/proc\/uptime/.test(String(seconds)),
    String(seconds),
  );
});

test("docs/modules.md and the reference name options and files that exist", async () => {
  const text = ["modules", "module-reference"]
    .map((name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8")).join("\n");
  const { MINION_OPTIONS } = await import("../../../src/model/config/minion_opts.ts");
  const { MASTER_OPTIONS } = await import("../../../src/model/config/master_opts.ts");
  for (const name of ["extension_modules", "module_dirs", "providers", "extmod_whitelist", "clean_dynamic_modules"]) {
    assert.ok(text.includes(`\`${name}`), name);
    assert.ok(name in MINION_OPTIONS || name in MASTER_OPTIONS, name);
  }
  const paths = [...text.matchAll(/\]\(\.\.\/([\w./-]+)\)/g)].map((match) => match[1]!);
  assert.deepEqual(paths.filter((path) => !existsSync(new URL(`../../../${path}`, import.meta.url))), []);
  assert.ok(paths.length > 0);
});
