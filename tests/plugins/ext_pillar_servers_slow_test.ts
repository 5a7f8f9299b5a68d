/** The external pillars `postgres` and `redis`, compared with what real Salt made of the same servers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../src/language/python/containers.ts";
import { loadDriver } from "../../src/plugins/driver.ts";
import { pillarBed, type PillarCase } from "../support/pillar.ts";
import { noPostgres, noRedis, sharedPostgres, sharedRedis } from "../support/servers.ts";
import { canonical, type Json, unescape, vectors } from "../support/vectors.ts";

interface RecordedCase extends PillarCase {
  /** The SQL that makes the database. */
  postgres?: string;
  /** The commands that fill it. */
  redis?: string[][];
  pillar: Json;
}

const recorded = vectors("ext_pillar_servers/answers") as unknown as RecordedCase[];
const SERVER = { timeout: 120_000 };

async function withPostgres(script: string): Promise<Record<string, unknown>> {
  const server = await sharedPostgres();
  // deno-lint-ignore no-explicit-any
  const { default: postgres } = await loadDriver("postgres", "a test") as any;
  const place = { host: "127.0.0.1", port: server.port, user: "salt", onnotice: () => {}, max: 1 };
  const db = `ext_pillar_${server.fresh()}`;
  for (const [database, sql] of [["postgres", `CREATE DATABASE ${db}`], [db, script]]) {
    const client = postgres({ ...place, database });
    await client.unsafe(sql);
    await client.end();
  }
  return { postgres: { host: "127.0.0.1", port: server.port, user: "salt", db, pass: "hunter2" } };
}

async function withRedis(commands: string[][]): Promise<Record<string, unknown>> {
  const server = await sharedRedis();
  // deno-lint-ignore no-explicit-any
  const { createClient } = await loadDriver("redis", "a test") as any;
  const database = server.fresh();
  const client = createClient({ socket: { host: "127.0.0.1", port: server.port }, database });
  await client.connect();
  for (const words of commands) await client.sendCommand(words);
  client.destroy();
  return { "redis.host": "127.0.0.1", "redis.port": server.port, "redis.db": database };
}

for (const kind of ["postgres", "redis"] as const) {
  const skip = kind === "postgres" ? noPostgres() : noRedis();
  describe(`the external pillar ${kind}`, { skip, ...SERVER }, () => {
    for (const { name, postgres, redis, pillar, opts, request } of recorded) {
      if (!name.startsWith(`${kind}:`)) continue;
      test(`as real Salt's: ${name}`, SERVER, async () => {
        const place = postgres === undefined ? await withRedis(redis!) : await withPostgres(postgres);
        using bed = await pillarBed({ files: {}, opts: { ...opts, ...place } });
        const compiled = new OrderedMap(entriesOf(await bed.compile(request)));
        assert.deepEqual(canonical(compiled), canonical(unescape(pillar)));
      });
    }
  });
}

test("postgres: nothing is written", { skip: noPostgres(), ...SERVER }, async () => {
  const place = await withPostgres("create table p (id text, k text)");
  const compiled = async (query: string) => {
    using bed = await pillarBed({ files: {}, opts: { ext_pillar: [{ postgres: query }], ...place } });
    return canonical(await bed.compile());
  };
  assert.deepEqual(await compiled("insert into p values (%s, 'new') returning id, k"), { map: [["web1", "new"]] });
  assert.deepEqual(await compiled("select id, k from p where id = %s"), { map: [] });
});

for (
  const { name, opts, error } of [
    {
      name: "postgres",
      opts: { ext_pillar: [{ postgres: "select %s, 1" }], postgres: { host: "127.0.0.1", port: 1, pass: "hunter2" } },
      error: /Cannot use database "salt" at 127\.0\.0\.1:1 as user "salt": .*ECONNREFUSED/,
    },
    {
      name: "redis",
      opts: {
        ext_pillar: [{ redis: { function: "key_json" } }],
        "redis.host": "127.0.0.1",
        "redis.port": 1,
        "redis.password": "hunter2",
      },
      error: /Cannot use Redis at 127\.0\.0\.1:1: /,
    },
    {
      name: "a query without the id",
      opts: { ext_pillar: [{ postgres: "select 1, 2" }], postgres: { host: "127.0.0.1", port: 1 } },
      error: /Cannot use database/,
    },
  ]
) {
  test(`a server that is not there is named without its password: ${name}`, async () => {
    using bed = await pillarBed({ files: {}, opts });
    const compiled = JSON.stringify(canonical(await bed.compile())).replaceAll("\\", "");
    assert.match(compiled, error);
    assert.ok(!`${compiled}${JSON.stringify(bed.records)}`.includes("hunter2"));
  });
}
