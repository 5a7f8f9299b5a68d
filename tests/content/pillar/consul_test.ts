import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../../src/language/python/values.ts";
import { pillarBed, type PillarCase, replaced } from "../../support/pillar.ts";
import { canonical, type Json, unescape, vectors } from "../../support/vectors.ts";

type Store = Record<string, string | null>;

/** A server that has the keys below a path, as Consul answers with `?recurse`: what it is asked is kept. */
async function serve(store: Store, wrong?: string) {
  const asked: { path: string; token: unknown }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://consul");
    asked.push({ path: pathname, token: request.headers["x-consul-token"] });
    const prefix = decodeURIComponent(pathname).slice("/v1/kv/".length);
    const dc = searchParams.get("dc");
    const keys = Object.keys(store).filter((key) => key.startsWith(prefix)).sort().map((key) => [key, store[key]!]);
    const rows = (dc === null ? keys : [[`${prefix}dc`, dc]]).map(([Key, value]) => ({
      Key,
      Value: typeof value === "string" ? btoa(value) : null,
    }));
    response.writeHead(rows.length > 0 ? 200 : 404).end(wrong ?? JSON.stringify(rows));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    port: String((server.address() as AddressInfo).port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const recorded = vectors("ext_pillar_servers/answers") as unknown as (PillarCase & { consul?: Store; pillar: Json })[];

describe("consul", () => {
  for (const { name, consul, pillar, opts, grains, request } of recorded) {
    if (consul === undefined) continue;
    test(`as real Salt's: ${name}`, async () => {
      await using server = await serve(consul);
      using bed = await pillarBed({ files: {}, opts: replaced(opts, "{PORT}", server.port), grains });
      const compiled = new OrderedMap(entriesOf(await bed.compile(request)));
      assert.deepEqual(canonical(compiled), canonical(unescape(pillar)));
    });
  }

  for (const role of ["../db1", "db1/secret", "..", "a?keys", ""]) {
    test(`a role is one part of the path, or no request is made: ${JSON.stringify(role)}`, async () => {
      await using server = await serve({ "app/db1/secret": "hunter2" });
      const c = { "consul.port": server.port };
      using bed = await pillarBed({
        files: {},
        opts: { c, ext_pillar: [{ consul: "c root=app/%(role)s" }] },
        grains: { role },
      });
      assert.match(JSON.stringify(canonical(await bed.compile())), /as a segment of a URL/);
      assert.deepEqual(server.asked, []);
    });
  }

  test("the token is in a header, and in no message", async () => {
    await using server = await serve({ "app/a": "1" }, "hunter2");
    const c = { "consul.port": server.port, "consul.token": "hunter2" };
    using bed = await pillarBed({ files: {}, opts: { c, ext_pillar: [{ consul: "c root=app" }] } });
    const compiled = JSON.stringify(canonical(await bed.compile()));
    assert.deepEqual(server.asked, [{ path: "/v1/kv/app/", token: "hunter2" }]);
    assert.match(compiled, /did not return JSON/);
    assert.ok(!`${compiled}${JSON.stringify(bed.records)}`.includes("hunter2"));
  });

  test("a value that is not YAML is named by its key alone", async () => {
    await using server = await serve({ "app/a": "{hunter2" });
    const c = { "consul.port": server.port };
    using bed = await pillarBed({ files: {}, opts: { c, ext_pillar: [{ consul: "c root=app" }] } });
    const compiled = JSON.stringify(canonical(await bed.compile()));
    assert.match(compiled, /Cannot use the value of \\"app\/a\\": it is not YAML/);
    assert.ok(!compiled.includes("hunter2"));
  });

  test("minions outside of the target get nothing, and no request is made", async () => {
    await using server = await serve({ "app/a": "1" });
    const c = { "consul.port": server.port };
    const ext = (target: string) => ({ c, ext_pillar: [{ consul: `c target="${target}" root=app` }] });
    using out = await pillarBed({ files: {}, opts: ext("db* or G@os:none") });
    assert.deepEqual(canonical(await out.compile()), { map: [] });
    assert.deepEqual(server.asked, []);
    using inside = await pillarBed({ files: {}, opts: ext("web* and not db*") });
    assert.deepEqual(canonical(await inside.compile()), { map: [["a", 1]] });
  });
});
