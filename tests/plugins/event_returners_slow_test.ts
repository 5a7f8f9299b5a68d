/** Event returns of each store: what is written, and that the same batch twice is there once. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import { withCustomReturners } from "../../src/model/loader/custom_returners.ts";
import type { EventBatch, ReturnerContext } from "../../src/model/loader/family.ts";
import { fromJson } from "../../src/plugins/returners/json.ts";
import { returner as httpJson } from "../../src/plugins/returners/http_json.ts";
import { returner as otlp } from "../../src/plugins/returners/otlp.ts";
import { PGJSONB, postgresReturner } from "../../src/plugins/returners/postgres.ts";
import { returner as rawfile } from "../../src/plugins/returners/rawfile_json.ts";
import { redisReturner } from "../../src/plugins/returners/redis.ts";
import { sqliteReturner } from "../../src/plugins/returners/sqlite3.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { noPostgres, noRedis, startPostgres, startRedis } from "../support/servers.ts";
import { vectors } from "../support/vectors.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const SERVER = { timeout: 120_000 };
const contextOf = (opts: Record<string, unknown>): ReturnerContext => ({
  runtime,
  log: captureLog().log,
  opts: { id: "master1", ...opts },
});
const batch = (
  tags: readonly string[],
  more: Partial<EventBatch> = {},
  data: Record<string, unknown> = {},
): EventBatch => ({
  id: `b-${tags[0]}+${tags.length}`,
  events: tags.map((tag, n) => ({ id: `b-${tag}`, tag, data: { n, ...data, _stamp: "2026-01-02T03:04:05.678901" } })),
  again: false,
  ...more,
});

describe("rawfile_json", () => {
  test("writes Salt's lines", () =>
    inTemporary(runtime, async (directory) => {
      const filename = `${directory}/events`;
      const { text } = vectors("event_return/salt").rawfile_json as { text: string };
      const events = text.trimEnd().split("\n").map((line, n) => {
        const { data, tag } = fromJson(line) as { data: Record<string, unknown>; tag: string };
        return { id: `b-${n}`, tag, data };
      });
      await rawfile.eventReturn!(contextOf({ "rawfile_json.filename": filename }), { id: "b", again: false, events });
      assert.equal(readFileSync(filename, "utf8"), text);
      assert.equal(statSync(filename).mode & 0o777, 0o600);
    }));

  test("a write that was cut off at any byte is completed, and never repeated", () =>
    inTemporary(runtime, async (directory) => {
      const filename = `${directory}/events`;
      const context = contextOf({ "rawfile_json.filename": filename });
      const before = '{"data": {}, "tag": "before"}\n';
      const events = batch(["a", "b"]);
      writeFileSync(filename, before);
      await rawfile.eventReturn!(context, events);
      const whole = readFileSync(filename, "utf8");
      for (let cut = before.length; cut <= whole.length; cut++) {
        writeFileSync(filename, whole);
        truncateSync(filename, cut);
        await rawfile.eventReturn!(context, { ...events, again: true });
        assert.equal(readFileSync(filename, "utf8"), whole, `cut at ${cut}`);
      }
      appendFileSync(filename, "x\n");
      await rawfile.eventReturn!(context, { ...batch(["c"]), again: true });
      assert.match(readFileSync(filename, "utf8"), /x\n\{.*"c"\}\n$/);
    }));
});

for (const { name, kind } of [{ name: "postgres", kind: undefined }, { name: "pgjsonb", kind: PGJSONB }]) {
  test(`${name}: Salt's table has the events in order, once, through a loss of the server`, {
    ...SERVER,
    skip: noPostgres() ?? false,
  }, async () => {
    await using server = await startPostgres();
    const module = postgresReturner(undefined, kind);
    const at = `returner.${name}`;
    const context = contextOf({
      [`${at}.host`]: "127.0.0.1",
      [`${at}.port`]: server.port,
      [`${at}.user`]: "salt",
      [`${at}.db`]: "postgres",
      [`${at}.create_tables`]: true,
    });
    try {
      await module.eventReturn(context, batch(["a", "b"], {}, { text: 'ä"\\u0000' }));
      await module.eventReturn(context, batch(["a", "b"], { again: true }, { text: 'ä"\\u0000' }));
      await server.stop();
      await assert.rejects(module.eventReturn(context, batch(["c"])));
      await server.start();
      const long = "l".repeat(300);
      await module.eventReturn(context, batch(["c", long], { again: true }, { zero: "\0" }));
      const { default: postgres } = await import("postgres");
      const sql = postgres({ host: "127.0.0.1", port: server.port, username: "salt", database: "postgres" });
      const rows = await sql.unsafe("SELECT tag, data::text AS data, master_id FROM salt_events ORDER BY id");
      await sql.end();
      assert.deepEqual(rows.map(({ tag }) => tag), ["a", "b", "c", long.slice(0, 255)]);
      assert.equal(JSON.parse(rows[0]!.data).text, 'ä"\\u0000');
      assert.equal(JSON.parse(rows[2]!.data).zero, kind === undefined ? "\0" : "\ufffd");
      assert.equal(rows[0]!.master_id, "master1");
    } finally {
      await module.close();
    }
  });
}

test(
  "redis: a stream has the events in order, once, and is bounded",
  { ...SERVER, skip: noRedis() ?? false },
  async () => {
    await using server = await startRedis();
    const module = redisReturner();
    const context = contextOf({
      "redis.host": "127.0.0.1",
      "redis.port": server.port,
      "redis.event_stream_length": 100,
    });
    const { createClient } = await import("redis");
    const client = createClient({ socket: { host: "127.0.0.1", port: server.port } });
    try {
      await client.connect();
      await module.eventReturn(context, batch(["a", "b"]));
      await module.eventReturn(context, batch(["a", "b"], { again: true }));
      await module.eventReturn(context, batch(["c"], { again: true }));
      const found = (await client.xRange("salt:events", "-", "+"))!;
      assert.deepEqual(found.map(({ message }) => [message.tag, message.id, message.master]), [
        ["a", "b-a", "master1"],
        ["b", "b-b", "master1"],
        ["c", "b-c", "master1"],
      ]);
      for (let n = 0; n < 20; n++) {
        await module.eventReturn(context, batch(Array.from({ length: 50 }, (_, at) => `e${n}-${at}`)));
      }
      assert.ok(await client.xLen("salt:events") < 400);
    } finally {
      await client.close();
      await module.close();
    }
  },
);

test("sqlite3: a table has the events once, and keeps so many", () =>
  inTemporary(runtime, async (directory) => {
    const module = sqliteReturner();
    const path = `${directory}/events.db`;
    const context = contextOf({ "sqlite3.database": path, "sqlite3.events": 3 });
    await module.eventReturn!(context, batch(["a", "b"]));
    await module.eventReturn!(context, batch(["a", "b"], { again: true }));
    await module.eventReturn!(context, batch(["c", "d"]));
    const database = runtime.databases.open(path);
    assert.deepEqual(database.prepare("SELECT tag FROM salt_events ORDER BY id").all().map(({ tag }) => tag), [
      "b",
      "c",
      "d",
    ]);
    database.close();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await module.close!();
  }));

/** A web server that answers what it is told to, and what it was sent. */
async function webServer(answer: () => { status: number; body?: string }) {
  const requests: { headers: IncomingMessage["headers"]; body: string; url: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk);
    request.on("end", () => {
      requests.push({ headers: request.headers, body, url: request.url! });
      const { status, body: text = "" } = answer();
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("http_json: one request has the batch, the same key again, and the secret of a file", () =>
  inTemporary(runtime, async (directory) => {
    const answers = [503, 200, 401, 422];
    await using server = await webServer(() => ({ status: answers.shift()! }));
    writeFileSync(`${directory}/token`, "s3cret\n");
    const context = contextOf({
      http_json: { event_url: `${server.url}/events`, token_file: `${directory}/token`, headers: { "x-a": "1" } },
    });
    await assert.rejects(httpJson.eventReturn!(context, batch(["a", "b"])), /Cannot post events to .*503/);
    await httpJson.eventReturn!(context, batch(["a", "b"], { again: true }));
    const [first, second] = server.requests;
    assert.deepEqual(JSON.parse(first!.body).map(({ id, tag }: { id: string; tag: string }) => [id, tag]), [[
      "b-a",
      "a",
    ], [
      "b-b",
      "b",
    ]]);
    assert.equal(first!.headers["idempotency-key"], second!.headers["idempotency-key"]);
    assert.equal(first!.headers.authorization, "Bearer s3cret");
    assert.equal(first!.headers["x-a"], "1");
    await assert.rejects(
      httpJson.eventReturn!(context, batch(["a"])),
      (error: { code?: string }) => error.code === undefined,
    );
    await assert.rejects(httpJson.eventReturn!(context, batch(["a"])), { code: "EVENTS_REFUSED" });
  }));

test("otlp: logs as a collector takes them", async () => {
  const answers = ["{}", '{"partialSuccess":{"rejectedLogRecords":"1"}}'];
  await using server = await webServer(() => ({ status: 200, body: answers.shift()! }));
  const context = contextOf({ otlp: { endpoint: `${server.url}/v1/logs`, resource_attributes: { place: "here" } } });
  await otlp.eventReturn!(context, batch(["salt/job/1/ret/web1"], {}, { id: "web1", fun: "test.ping" }));
  const { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] } = JSON.parse(server.requests[0]!.body);
  assert.equal(record.timeUnixNano, "1767323045678901000");
  const attributes = Object.fromEntries(
    record.attributes.map((
      { key, value }: { key: string; value: { stringValue: string } },
    ) => [key, value.stringValue]),
  );
  assert.deepEqual(attributes, {
    "salt.tag": "salt/job/1/ret/web1",
    "salt.event_id": "b-salt/job/1/ret/web1",
    "salt.minion": "web1",
    "salt.fun": "test.ping",
  });
  assert.ok(resource.attributes.some(({ key }: { key: string }) => key === "place"));
  await assert.rejects(otlp.eventReturn!(context, batch(["x"])), { code: "EVENTS_REFUSED" });
});

test("a custom returner takes events as Salt's do: code, and it needs no function for returns", () =>
  inTemporary(runtime, async (directory) => {
    mkdirSync(`${directory}/returners`);
    writeFileSync(
      `${directory}/returners/mine.ts`,
      'import { appendFileSync } from "node:fs";\n' +
        `export const event_return = (_context, events) => appendFileSync("${directory}/out", JSON.stringify(events) + "\\n");\n`,
    );
    const opts = { extension_modules: directory };
    const { log } = captureLog();
    const { returner } = await withCustomReturners({}, { runtime, log, opts }).mine!();
    await returner.eventReturn!(contextOf(opts), batch(["a"]));
    assert.equal(
      readFileSync(`${directory}/out`, "utf8"),
      '[{"data":{"n":0,"_stamp":"2026-01-02T03:04:05.678901"},"tag":"a","id":"b-a"}]\n',
    );
    await assert.rejects(returner.returner(contextOf(opts), {}), /no function "returner"/);
  }));
