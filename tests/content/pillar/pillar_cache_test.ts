import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError } from "../../../src/base/errors.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { openPillarCache, type PillarCache, throughCache } from "../../../src/content/pillar/pillar_cache.ts";
import type { AnyMap } from "../../../src/language/python/values.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode } from "../../../src/protocol/wire/msgpack.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { canonical } from "../../support/vectors.ts";

async function bed(backend: string, ttl = 60) {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  const { fs } = memoryRuntime({ clock, crypto });
  const opts = { pillar_cache: true, pillar_cache_backend: backend, pillar_cache_ttl: ttl, cachedir: "/cache" };
  const open = () => openPillarCache(opts, { fs, clock, log: silentLogger })!;
  return { clock, fs, open, cache: open() };
}

/** Counts what is compiled. */
function counting(cache: PillarCache | undefined) {
  const asked: unknown[] = [];
  const ask = (request: { id: string; pillarenv?: unknown; override?: AnyMap; ext?: unknown; cleanCache?: boolean }) =>
    throughCache(cache, request, ({ pillarenv }) => {
      asked.push(pillarenv ?? null);
      return Promise.resolve({ made: asked.length, env: pillarenv ?? null });
    });
  return { asked, ask };
}

describe("openPillarCache()", () => {
  test("is off by default", async () => {
    const { fs, clock } = await bed("disk");
    assert.equal(openPillarCache({ cachedir: "/cache" }, { fs, clock, log: silentLogger }), undefined);
  });
  test("names the known backends in its error", async () => {
    const { fs, clock } = await bed("disk");
    const opts = { pillar_cache: true, pillar_cache_backend: "redis", cachedir: "/cache" };
    assert.throws(
      () => openPillarCache(opts, { fs, clock, log: silentLogger }),
      (error) => error instanceof ConfigError && /"redis": expected one of disk, memory$/.test(error.message),
    );
  });
});

for (const backend of ["disk", "memory"]) {
  describe(`pillar cache, ${backend}`, () => {
    test("compiles once for each minion and environment", async () => {
      const { cache } = await bed(backend);
      const { asked, ask } = counting(cache);
      assert.deepEqual(canonical(await ask({ id: "a" })), canonical({ made: 1, env: null }));
      assert.deepEqual(canonical(await ask({ id: "a" })), canonical({ made: 1, env: null }));
      assert.deepEqual(canonical(await ask({ id: "a", pillarenv: "dev" })), canonical({ made: 2, env: "dev" }));
      assert.deepEqual(canonical(await ask({ id: "b" })), canonical({ made: 3, env: null }));
      assert.deepEqual(canonical(await ask({ id: "a" })), canonical({ made: 1, env: null }));
      assert.deepEqual(asked, [null, "dev", null]);
    });

    test("compiles again when its time is over, or on request", async () => {
      const { cache, clock } = await bed(backend);
      const { asked, ask } = counting(cache);
      await ask({ id: "a" });
      clock.advance(59_000);
      await ask({ id: "a" });
      assert.equal(asked.length, 1);
      clock.advance(2000);
      await ask({ id: "a" });
      assert.equal(asked.length, 2);
      await ask({ id: "a", cleanCache: true });
      assert.equal(asked.length, 3);
    });

    test("uses no pillar beyond its time, whatever was cached for another environment since", async () => {
      const { cache, clock } = await bed(backend);
      const { asked, ask } = counting(cache);
      await ask({ id: "a" });
      clock.advance(50_000);
      await ask({ id: "a", pillarenv: "dev" });
      clock.advance(11_000);
      await ask({ id: "a" });
      assert.deepEqual(asked, [null, "dev", null]);
    });

    test("caches no pillar of a call with an override", async () => {
      const { cache } = await bed(backend);
      const { asked, ask } = counting(cache);
      await ask({ id: "a", override: { x: 1 } });
      await ask({ id: "a", ext: { env: {} } });
      assert.equal(cache.get("a", null), undefined);
      await ask({ id: "a" });
      await ask({ id: "a", override: { x: 1 } });
      assert.equal(asked.length, 4);
    });
  });
}

describe("pillar cache on disk", () => {
  test("is readable by other processes of the same user only, in Salt's form", async () => {
    const { cache, open, fs, clock } = await bed("disk");
    cache.set("web1", null, { secret: "x" });
    assert.deepEqual(canonical(open().get("web1", null)), canonical({ secret: "x" }));
    assert.equal(fs.stat("/cache/pillar_cache/web1")!.mode, 0o600);
    assert.equal(fs.stat("/cache/pillar_cache")!.mode, 0o700);
    const file = decode(fs.read("/cache/pillar_cache/web1"), { mode: "bin" }) as Record<
      string,
      Record<string, unknown>
    >;
    assert.deepEqual(canonical(file.CacheDisk_data), canonical({ web1: new Map([[null, { secret: "x" }]]) }));
    assert.equal(Number(file.CacheDisk_cachetime!.web1), clock.now() / 1000);
  });

  test("a file that cannot be read counts as none", async () => {
    const { cache, fs } = await bed("disk");
    cache.set("web1", null, { a: 1 });
    for (const bytes of [Uint8Array.of(0xc1), new Uint8Array(0), Uint8Array.of(0x93, 1, 2, 3)]) {
      fs.write("/cache/pillar_cache/web1", bytes);
      assert.equal(cache.get("web1", null), undefined);
    }
  });

  for (const id of ["../x", "a/b", "", ".", "..", "a\0"]) {
    test(`never for an invalid id: ${JSON.stringify(id)}`, async () => {
      const { cache } = await bed("disk");
      assert.throws(() => cache.set(id, null, {}), RangeError);
      assert.throws(() => cache.get(id, null), RangeError);
      assert.throws(() => cache.clear(id), RangeError);
    });
  }
});
