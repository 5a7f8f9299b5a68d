import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { createLogger } from "../../src/base/log.ts";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { inTemporary } from "./temporary.ts";

const CACHE = "/var/cache/salt/minion/grains.cache.p";

/** A host whose grains are those of its options, and how many times they were gathered. */
async function host(opts: Record<string, unknown> = {}) {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto: (await currentRuntime()).crypto });
  const context = {
    runtime,
    log: createLogger(() => {}, "all"),
    opts: {
      cachedir: "/var/cache/salt/minion",
      disable_grains: ["core"],
      grains: { role: "web" } as Record<string, unknown>,
      grains_cache: true,
      ...opts,
    } as Record<string, unknown>,
  };
  return {
    ...context,
    clock,
    gather: (fresh?: boolean) => gatherGrains(context, fresh === undefined ? {} : { fresh }),
  };
}

describe("grains_cache", () => {
  test("grains are kept, all of them, for their owner alone", async () => {
    const one = await host({ grains: { role: "web", secret: 1 }, grains_blacklist: ["sec*"] });
    assert.deepEqual(await one.gather(), { role: "web" });
    assert.equal(one.runtime.fs.stat(CACHE)?.mode, 0o600);
    one.opts.grains = { role: "other" };
    one.opts.grains_blacklist = ["role"];
    assert.deepEqual(await one.gather(), { role: "web" });
    assert.deepEqual(await one.gather(true), {});
    assert.deepEqual(await one.gather(), {});
  });

  test("they are gathered again when they are older than grains_cache_expiration seconds", async () => {
    const one = await host({ grains_cache_expiration: 60 });
    await one.gather();
    one.opts.grains = { role: "other" };
    one.clock.advance(60_000);
    assert.deepEqual(await one.gather(), { role: "web" });
    one.clock.advance(1);
    assert.deepEqual(await one.gather(), { role: "other" });
  });

  test("a file that cannot be read counts as none", async () => {
    const one = await host();
    one.runtime.fs.mkdir("/var/cache/salt/minion", 0o755);
    one.runtime.fs.write(CACHE, new Uint8Array([0xc1]));
    assert.deepEqual(await one.gather(), { role: "web" });
  });

  test("without the option nothing is kept, and nothing kept is read", async () => {
    const one = await host();
    await one.gather();
    one.opts.grains_cache = false;
    one.opts.grains = { role: "other" };
    assert.deepEqual(await one.gather(), { role: "other" });
    one.opts.grains_cache = true;
    assert.deepEqual(await one.gather(), { role: "web" });
  });

  for (
    const { fun, arg } of [
      { fun: "saltutil.refresh_grains", arg: [] },
      { fun: "saltutil.sync_grains", arg: [] },
      { fun: "grains.setval", arg: ["a", 1] },
    ]
  ) {
    test(`${fun} takes them away`, async () => {
      const { runtime } = await testMinion();
      await inTemporary(runtime, async (cachedir) => {
        const opts = {
          ...Object.fromEntries(Object.entries(MINION_OPTIONS).map(([name, spec]) => [name, spec.default])),
          cachedir,
          conf_file: `${cachedir}/minion`,
          grains_cache: true,
          file_client: "local",
          file_roots: { base: [`${cachedir}/roots`] },
        };
        const minion = await testMinion({ opts });
        await gatherGrains({ ...minion.context, opts: { ...opts, disable_grains: ["core"] } });
        assert.equal(runtime.fs.stat(`${cachedir}/grains.cache.p`)?.kind, "file");
        await minion.value(fun, ...arg);
        assert.equal(runtime.fs.stat(`${cachedir}/grains.cache.p`), undefined);
      });
    });
  }
});

test("saltutil.refresh_grains: takes no other keywords", async () => {
  const minion = await testMinion();
  assert.equal(
    (await minion.run("saltutil.refresh_grains", [kwargs({ clean_cache: true })])).return,
    "ERROR executing 'saltutil.refresh_grains': The following keyword arguments are not valid: clean_cache=True",
  );
});
