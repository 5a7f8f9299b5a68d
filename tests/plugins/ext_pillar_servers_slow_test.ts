/** The external pillars `postgres`, `mysql` and `redis`, compared with what real Salt made of the same servers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../src/language/python/values.ts";
import { loadDriver } from "../../src/plugins/driver.ts";
import { mysqlSession } from "../../src/plugins/mysql_session.ts";
import { columnsOf } from "../../src/plugins/pillar/mysql.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { pillarBed, type PillarCase } from "../support/pillar.ts";
import { noMariadb, noPostgres, noRedis, sharedMariadb, sharedPostgres, sharedRedis } from "../support/servers.ts";
import { canonical, type Json, unescape, vectors } from "../support/vectors.ts";

interface RecordedCase extends PillarCase {
  /** The SQL that makes the database. */
  postgres?: string;
  /** The statements that fill it. */
  mysql?: string[];
  /** The commands that fill it. */
  redis?: string[][];
  pillar: Json;
}

const recorded = ["answers", "answers_mysql"].flatMap((name) =>
  vectors(`ext_pillar_servers/${name}`) as unknown as RecordedCase[]
);
const runtime = await currentRuntime();
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

async function withMysql(statements: string[]): Promise<Record<string, unknown>> {
  const server = await sharedMariadb();
  const database = `ext_pillar_${server.fresh()}`;
  const place = { host: "127.0.0.1", port: server.port, user: "root" };
  const script = [`CREATE DATABASE ${database} CHARACTER SET utf8mb4`, `USE ${database}`, ...statements];
  await mysqlSession(runtime, { ...place, password: "", database: "mysql", ssl: {} }, `${script.join(";\n")};`);
  return { mysql: { ...place, pass: "", db: database } };
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

const SKIPS = { postgres: noPostgres(), mysql: noMariadb(), redis: noRedis() };

async function placeOf({ postgres, mysql, redis }: RecordedCase): Promise<Record<string, unknown>> {
  if (postgres !== undefined) return await withPostgres(postgres);
  return mysql === undefined ? await withRedis(redis!) : await withMysql(mysql);
}

for (const [kind, skip] of Object.entries(SKIPS)) {
  describe(`the external pillar ${kind}`, { skip, ...SERVER }, () => {
    for (const recordedCase of recorded) {
      const { name, pillar, opts, request } = recordedCase;
      if (!name.startsWith(`${kind}:`)) continue;
      test(`as real Salt's: ${name}`, SERVER, async () => {
        const place = await placeOf(recordedCase);
        using bed = await pillarBed({ files: {}, opts: { ...opts, ...place } });
        const compiled = new OrderedMap(entriesOf(await bed.compile(request)));
        assert.deepEqual(canonical(compiled), canonical(unescape(pillar)));
      });
    }
  });
}

for (
  const { kind, insert } of [
    { kind: "postgres", insert: "insert into p values (%s, 'new') returning id, k" },
    { kind: "mysql", insert: "insert into p values (%s, 'new') returning id, k" },
  ] as const
) {
  test(`${kind}: nothing is written`, { skip: SKIPS[kind], ...SERVER }, async () => {
    const table = "create table p (id text, k text)";
    const place = kind === "postgres" ? await withPostgres(table) : await withMysql([table]);
    const compiled = async (query: string) => {
      using bed = await pillarBed({ files: {}, opts: { ext_pillar: [{ [kind]: query }], ...place } });
      return canonical(await bed.compile());
    };
    assert.deepEqual(await compiled(insert), { map: [["web1", "new"]] });
    assert.deepEqual(await compiled("select id, k from p where id = %s"), { map: [] });
  });
}

test("mysql: values that look like a description of columns are none", () => {
  const described =
    "Field   1:  `a`\nType:       LONG\n\n\n+---+\n| a |\n+---+\n| Field   1:  `b`\nType:       DOUBLE\n+---+\n";
  assert.deepEqual(columnsOf(described), [{ name: "a", type: "LONG" }]);
});

for (
  const { name, opts, error } of [
    {
      name: "postgres",
      opts: { ext_pillar: [{ postgres: "select %s, 1" }], postgres: { host: "127.0.0.1", port: 1, pass: "hunter2" } },
      error: /Cannot use database "salt" at 127\.0\.0\.1:1 as user "salt": .*ECONNREFUSED/,
    },
    {
      name: "mysql",
      opts: { ext_pillar: [{ mysql: "select %s, 1" }], mysql: { host: "127.0.0.1", port: 1, pass: "hunter2" } },
      error: /Cannot use database "salt" at 127\.0\.0\.1:1 as user "salt": /,
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
