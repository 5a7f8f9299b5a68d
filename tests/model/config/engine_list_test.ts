/** The options `engines` and `ext_processes` in the forms that Salt takes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engineList } from "../../../src/model/config/engine_list.ts";

const entry = (name: string, settings: Record<string, unknown> = {}, module = name, fun = "start") => ({
  name,
  module,
  fun,
  settings,
});

describe("engineList()", () => {
  const cases: { name: string; given: Record<string, unknown>; entries: unknown[]; mistakes?: RegExp[] }[] = [
    { name: "none", given: {}, entries: [] },
    { name: "an empty list", given: { engines: [] }, entries: [] },
    { name: "names", given: { engines: ["test", { script: null }] }, entries: [entry("test"), entry("script")] },
    { name: "a map", given: { engines: { webhook: { port: 1 } } }, entries: [entry("webhook", { port: 1 })] },
    {
      name: "a module under other names",
      given: {
        engines: [{ hook1: { engine_module: "webhook", port: 1 } }, { hook2: { engine_module: "webhook", port: 2 } }],
      },
      entries: [entry("hook1", { port: 1 }, "webhook"), entry("hook2", { port: 2 }, "webhook")],
    },
    {
      name: "one name twice",
      given: { engines: [{ script: { cmd: "a" } }, { script: { cmd: "b" } }] },
      entries: [entry("script", { cmd: "a" }), entry("script-2", { cmd: "b" }, "script")],
    },
    {
      name: "several engines in one map",
      given: { engines: [{ test: {}, script: { cmd: "a" } }] },
      entries: [entry("test")],
      mistakes: [/script in one map with test: give each engine a separate list item/],
    },
    {
      name: "options that are no map",
      given: { engines: [{ webhook: 8000 }, { script: ["a"] }, 5, {}] },
      entries: [],
      mistakes: [
        /5 names no engine/,
        /an empty map names/,
        /"webhook" are 8000: expected a map/,
        /"script" are a list/,
      ],
    },
    {
      name: "further processes",
      given: { ext_processes: ["shop.sales.run", "/srv/bin/watch", "bare"] },
      entries: [
        entry("shop.sales.run", {}, "shop.sales", "run"),
        entry("/srv/bin/watch", {}, "/srv/bin/watch"),
      ],
      mistakes: [/"bare" is neither "module.function"/],
    },
  ];
  for (const { name, given, entries, mistakes = [] } of cases) {
    test(name, () => {
      const found = engineList(given);
      assert.deepEqual(found.entries, entries);
      assert.equal(found.mistakes.length, mistakes.length, found.mistakes.join("\n"));
      for (const [at, mistake] of mistakes.entries()) assert.match(found.mistakes[at]!, mistake);
    });
  }
});
