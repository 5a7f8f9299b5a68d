import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import { joinPath } from "../../src/base/paths.ts";
import type { ReturnerContext, ReturnerModule, ReturnerRegistry } from "../../src/model/loader/family.ts";
import { callReturners, returnerNames, returnerSender } from "../../src/host/minion/jobs/returners.ts";
import { fromJson, toJson } from "../../src/plugins/returners/json.ts";
import { RETURNERS } from "../../src/plugins/returners/mod.ts";
import { returnerOptions } from "../../src/plugins/returners/options.ts";
import { postgresReturner, TABLES } from "../../src/plugins/returners/postgres.ts";
import { returnerJobs } from "../../src/plugins/returners/reader.ts";
import { redisReturner } from "../../src/plugins/returners/redis.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { DateTime, Float, pack } from "../../src/protocol/wire/msgpack.ts";
import { returnerContract } from "../contract/returner_contract.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { noPostgres, noRedis, sharedPostgres, sharedRedis, type TestServer } from "../support/servers.ts";
import { inTemporary } from "./temporary.ts";

/** A server of the tests' own takes its time to start and stop on a busy machine. */
const SERVER = { timeout: 120_000 };

const runtime = await currentRuntime();
const JID = "20240506070809123456";
const RET = { jid: JID, id: "web1", fun: "test.ping", fun_args: [], return: true, retcode: 0, success: true };

const contextOf = (opts: Record<string, unknown>, more: Partial<ReturnerContext> = {}): ReturnerContext => ({
  runtime,
  log: captureLog().log,
  opts,
  ...more,
});

// The right column is what json.dumps of Python 3.11 gives, where it gives anything.
for (
  const { value, text } of [
    { value: { a: [1, new Float(1), 2.5, null, true] }, text: '{"a": [1, 1.0, 2.5, null, true]}' },
    { value: new Map<unknown, unknown>([[10, 1], [true, 2], [null, 3]]), text: '{"10": 1, "true": 2, "null": 3}' },
    { value: "ä\n\u0000", text: '"ä\\n\\u0000"' },
    { value: 2n ** 63n, text: "9223372036854775808" },
    { value: [Infinity, -Infinity], text: "[Infinity, -Infinity]" },
    { value: Uint8Array.of(0xc3, 0xa4), text: '"ä"' },
    { value: Uint8Array.of(0xff), text: `"b'\\\\xff'"` },
    { value: { return: pack({ x: Uint8Array.of(65) }, "wire") }, text: '{"return": {"x": "A"}}' },
    { value: new DateTime(0), text: '"1970-01-01T00:00:00.000000"' },
    { value: undefined, text: "null" },
  ] as { value: unknown; text: string }[]
) test(`toJson: ${text}`, () => assert.equal(toJson(value), text));

for (
  const { text, value } of [
    { text: '{"a": 1.0, "b": 1e3, "c": 1, "d": 0.5}', value: { a: new Float(1), b: new Float(1000), c: 1, d: 0.5 } },
    { text: "9223372036854775807", value: 2n ** 63n - 1n },
    { text: '["NaN", NaN, Infinity, -Infinity, "a\\"NaN"]', value: ["NaN", null, Infinity, -Infinity, 'a"NaN'] },
  ] as { text: string; value: unknown }[]
) test(`fromJson: ${text}`, () => assert.deepEqual(fromJson(text), value));

test("fromJson: invalid JSON is a SyntaxError", () => assert.throws(() => fromJson("{"), SyntaxError));

for (
  const { name, opts, more = {}, want } of [
    { name: "the default", opts: {}, want: "salt" },
    { name: "Salt's key", opts: { "redis.host": "a" }, want: "a" },
    { name: "a map", opts: { redis: { host: "b" } }, want: "b" },
    { name: "a map before the key", opts: { redis: { host: "b" }, "redis.host": "a" }, want: "b" },
    { name: "the key with returner before it", opts: { "returner.redis.host": "c" }, want: "c" },
    { name: "empty is not given", opts: { "redis.host": "" }, want: "salt" },
    { name: "the pillar after the options", opts: { pillar: { "redis.host": "p" } }, want: "p" },
    { name: "a profile", opts: { "alternative.redis.host": "d", "redis.host": "a" }, want: "a" },
    {
      name: "--return_config",
      opts: { "alternative.redis.host": "d", "redis.host": "a" },
      more: { retConfig: "alternative" },
      want: "d",
    },
    {
      name: "a profile without the option",
      opts: { "redis.host": "a" },
      more: { retConfig: "alternative" },
      want: "a",
    },
    {
      name: "--return_kwargs",
      opts: { "alternative.redis.host": "d" },
      more: { retConfig: "alternative", retKwargs: { host: "e" } },
      want: "e",
    },
  ] as { name: string; opts: Record<string, unknown>; more?: Partial<ReturnerContext>; want: string }[]
) {
  test(`returnerOptions: ${name}`, () => {
    assert.equal(returnerOptions(contextOf(opts, more), "redis", { host: "salt" as unknown }).host, want);
  });
}

test("returnerNames joins those of the publication and of the minion, each once", () => {
  assert.deepEqual(returnerNames({ ret: "redis, syslog" }, { return: "syslog,postgres" }), [
    "redis",
    "syslog",
    "postgres",
  ]);
  assert.deepEqual(returnerNames({ ret: "" }, { return: ["a", "b"] }), ["a", "b"]);
  assert.deepEqual(returnerNames({}, {}), []);
});

test("every registered returner loads", async () => {
  for (const [name, load] of Object.entries(RETURNERS)) {
    assert.equal(typeof (await load()).returner.returner, "function", name);
  }
});

describe("callReturners", () => {
  const heard: string[] = [];
  const registry: ReturnerRegistry = {
    good: () => Promise.resolve({ returner: { returner: async (_context, { id }) => void heard.push(String(id)) } }),
    bad: () => Promise.resolve({ returner: { returner: () => Promise.reject(new Error("no room")) } }),
    rude: () =>
      Promise.resolve({
        returner: {
          returner() {
            throw new Error("at once");
          },
        },
      }),
    broken: () => Promise.reject(new Error("does not load")),
    away: () =>
      Promise.resolve({
        returner: { virtual: () => ({ unavailable: "no such library" }), returner: () => Promise.resolve() },
      }),
    silent: () => Promise.resolve({ returner: { returner: () => new Promise<void>(() => {}) } }),
  };

  for (
    const { name, error } of [
      { name: "nix", error: /Unknown returner: expected one of good, bad/ },
      { name: "bad", error: /^no room$/ },
      { name: "rude", error: /^at once$/ },
      { name: "broken", error: /does not load/ },
      { name: "away", error: /no such library/ },
      { name: "toString", error: /Unknown returner/ },
    ]
  ) {
    test(`logs that "${name}" has failed, and goes on`, async () => {
      const captured = captureLog();
      heard.length = 0;
      await callReturners(registry, contextOf({}, { log: captured.log }), [name, "good"], RET);
      assert.deepEqual(heard, ["web1"]);
      assert.equal(captured.records.length, 1);
      const { level, fields } = captured.records[0]!;
      assert.deepEqual([level, fields.returner, fields.jid], ["error", name, JID]);
      assert.match(String(fields.error), error);
    });
  }

  test("passes on the fields of the job, and none of the transport", async () => {
    const seen: unknown[] = [];
    const own: ReturnerRegistry = {
      own: () => Promise.resolve({ returner: { returner: async (_context, ret) => void seen.push(ret) } }),
    };
    await callReturners(own, contextOf({}), ["own"], { cmd: "_return", tok: "secret", nonce: "n", ...RET });
    assert.deepEqual(seen, [RET]);
  });

  test("does not call one of disable_returners", async () => {
    heard.length = 0;
    const captured = captureLog();
    await callReturners(registry, contextOf({ disable_returners: ["good"] }, { log: captured.log }), ["good"], RET);
    assert.deepEqual(heard, []);
    assert.match(captured.text(), /disable_returners/);
  });

  for (
    const { name, retKwargs, allowed = [], want } of [
      {
        name: "good",
        retKwargs: { filename: "/etc/x" },
        want: /^This job may not set good.filename: .*return_kwargs_allowed/,
      },
      { name: "good", retKwargs: { filename: "" } },
      { name: "good", retKwargs: { filename: "/etc/x" }, allowed: ["good.filename"] },
      { name: "good", retKwargs: { filename: "/etc/x", url: "x" }, allowed: ["good.*"] },
      { name: "good", retKwargs: { filename: "/etc/x" }, allowed: ["bad.*", "*"], want: /may not set good.filename/ },
      {
        name: "good",
        retKwargs: { token_file: "/k" },
        allowed: ["good.*", "good.token_file"],
        want: /^No job may set good.token_file/,
      },
      { name: "rawfile_json", retKwargs: { filename: "/etc/x" }, want: /may not set rawfile_json.filename/ },
      { name: "http_json", retKwargs: { url: "http://127.0.0.1:1/" }, want: /may not set http_json.url/ },
      { name: "http_json", retKwargs: { token_file: "/k" }, want: /No job may set http_json.token_file/ },
      { name: "http_json", retKwargs: { headers: { a: "b" } }, want: /may not set http_json.headers/ },
      { name: "redis", retKwargs: { host: "x" }, want: /may not set redis.host/ },
      { name: "redis", retKwargs: { unix_socket_path: "/x" }, want: /may not set redis.unix_socket_path/ },
      { name: "postgres", retKwargs: { host: "x" }, want: /may not set postgres.host/ },
      { name: "pgjsonb", retKwargs: { db: "x" }, want: /may not set pgjsonb.db/ },
      { name: "mysql", retKwargs: { unix_socket: "/x" }, want: /may not set mysql.unix_socket/ },
      { name: "sqlite3", retKwargs: { database: "/x" }, want: /may not set sqlite3.database/ },
      { name: "otlp", retKwargs: { endpoint: "http://127.0.0.1:1/" }, want: /may not set otlp.endpoint/ },
      { name: "good", retKwargs: JSON.parse('{"__proto__": "x"}'), want: /may not set good.__proto__/ },
    ] as { name: string; retKwargs: Record<string, unknown>; allowed?: unknown[]; want?: RegExp }[]
  ) {
    test(`a job sets ${JSON.stringify(retKwargs)} of ${name}${want === undefined ? "" : ": refused"}`, async () => {
      heard.length = 0;
      const captured = captureLog();
      await callReturners({ ...RETURNERS, ...registry }, contextOf({}, { log: captured.log, retKwargs }), [name], RET, {
        allowed,
      });
      assert.deepEqual(heard, want === undefined ? ["web1"] : []);
      assert.match(String(captured.records[0]?.fields.error ?? ""), want ?? /^$/);
    });
  }

  test("what names no place may come from a job, and from the own configuration anything", async () => {
    heard.length = 0;
    const seen: unknown[] = [];
    const own: ReturnerRegistry = {
      own: () =>
        Promise.resolve({
          returner: { fromJob: ["ttl"], returner: async ({ retKwargs }) => void seen.push(retKwargs) },
        }),
    };
    await callReturners(own, contextOf({}, { retKwargs: { ttl: 5 } }), ["own"], RET, { allowed: [] });
    await callReturners(own, contextOf({}, { retKwargs: { filename: "/x" } }), ["own"], RET);
    assert.deepEqual(seen, [{ ttl: 5 }, { filename: "/x" }]);
  });

  test("a minion asks its own configuration what a job may set", async () => {
    const seen: unknown[] = [];
    const own: ReturnerRegistry = {
      own: () => Promise.resolve({ returner: { returner: async ({ retKwargs }) => void seen.push(retKwargs) } }),
    };
    const ret = { ...RET, return: pack(true, "wire") };
    for (const opts of [{}, { return_kwargs_allowed: ["own.filename"] }]) {
      const context = { ...contextOf(opts), grains: {}, pillar: {} } as unknown as Parameters<typeof returnerSender>[1];
      for (const load of [{ ret: "own" }, { ret: "own", schedule: "nightly" }]) {
        await returnerSender(own, context)({ ...load, ret_kwargs: { filename: "/x" } }, ret);
      }
    }
    assert.deepEqual(seen, [{ filename: "/x" }, { filename: "/x" }]);
  });

  test("gives up on one that never ends", async () => {
    heard.length = 0;
    const captured = captureLog();
    const clock = new FakeClock();
    const context = contextOf({}, { log: captured.log, runtime: { ...runtime, clock } });
    const done = callReturners(registry, context, ["silent", "good"], RET, { timeoutMs: 7000 });
    await clock.waiting(7000);
    clock.advance(7000);
    await done;
    assert.deepEqual(heard, ["web1"]);
    assert.match(captured.text(), /not ended after 7 seconds/);
    assert.deepEqual(clock.waits, []);
  });
});

describe("rawfile_json", () => {
  test("adds one line per return to a file that only its owner may read", async () => {
    await inTemporary(runtime, async (directory) => {
      const { returner } = await RETURNERS.rawfile_json!();
      const filename = joinPath(directory, "events");
      const context = contextOf({ "rawfile_json.filename": filename });
      await returner.returner(context, RET);
      await returner.returner(context, { ...RET, id: "web2", return: "two\nlines" });
      const lines = runtime.fs.readText(filename).split("\n");
      assert.equal(lines.length, 3);
      assert.equal(
        lines[0],
        `{"jid": "${JID}", "id": "web1", "fun": "test.ping", "fun_args": [], "return": true, "retcode": 0, "success": true}`,
      );
      assert.equal(JSON.parse(lines[1]!).return, "two\nlines");
      assert.equal(runtime.fs.stat(filename)!.mode, 0o600);
      await assert.rejects(returner.returner(contextOf({ "rawfile_json.filename": directory }), RET), {
        message: `Cannot add to "${directory}": it is a directory; set rawfile_json.filename to the path of a file`,
      });
    });
  });

  test("cannot read jobs", async () => {
    const { returner } = await RETURNERS.rawfile_json!();
    assert.throws(() => returnerJobs("rawfile_json", returner, contextOf({})), /"rawfile_json": it only writes/);
  });
});

describe("syslog", () => {
  /** Runs the returner with a program `logger` that notes its words and its standard input. */
  async function logged(
    opts: Record<string, unknown>,
    script: string,
    ret: Record<string, unknown> = RET,
  ): Promise<string[]> {
    return await inTemporary(runtime, async (directory) => {
      const bin = joinPath(directory, "bin");
      mkdirSync(bin);
      if (script !== "") {
        writeFileSync(joinPath(bin, "logger"), `#!/bin/sh\nout=${directory}/out\n${script}`);
        chmodSync(joinPath(bin, "logger"), 0o755);
      }
      const own = Object.create(runtime.process, {
        environment: { value: () => ({ PATH: script === "" ? bin : `${bin}:/usr/bin:/bin` }) },
      });
      const { returner } = await RETURNERS.syslog!();
      await returner.returner(contextOf(opts, { runtime: { ...runtime, process: own } }), ret);
      return runtime.fs.readText(`${directory}/out`).split("\n");
    });
  }
  const NOTE = 'echo "$*" >>$out; cat >>$out\n';

  test("passes the return to logger as one line of JSON", async () => {
    const [words, line, rest] = await logged({}, NOTE);
    assert.equal(words, "-p user.info -t salt-minion");
    assert.deepEqual(JSON.parse(line!), RET);
    assert.equal(rest, "");
  });

  test("has level, facility, tag and options", async () => {
    const opts = { syslog: { level: "LOG_ERR", facility: "LOG_LOCAL3", tag: "mysalt", options: ["LOG_PID"] } };
    const [words] = await logged(opts, NOTE);
    assert.equal(words, "-p local3.err -t mysalt -i");
  });

  test("tells logger the size of a long return, and does without if it cannot be told", async () => {
    const long = { ...RET, return: "x".repeat(5000) };
    assert.match((await logged({}, NOTE, long))[0]!, /^-S 5\d\d\d -p user.info/);
    const [words, line] = await logged({}, `case "$1" in -S) exit 1;; esac\n${NOTE}`, long);
    assert.equal(words, "-p user.info -t salt-minion");
    assert.deepEqual(JSON.parse(line!), long);
  });

  for (
    const { what, opts = {}, script = NOTE, message } of [
      { what: "an unknown level", opts: { "syslog.level": "LOUD" }, message: /"LOUD" as syslog.level: .*LOG_EMERG/ },
      { what: "an unknown facility", opts: { "syslog.facility": "LOG_X" }, message: /"LOG_X" as syslog.facility/ },
      { what: "a long tag", opts: { "syslog.tag": "t".repeat(33) }, message: /as syslog.tag: expected at most 32/ },
      { what: "an unknown option", opts: { "syslog.options": ["LOG_X"] }, message: /"LOG_X" in syslog.options/ },
      { what: "no logger", script: "", message: /no program logger. Install .*bsdutils/ },
      { what: "a logger that fails", script: "echo broken >&2; exit 3\n", message: /logger ended with 3: broken/ },
    ] as { what: string; opts?: Record<string, unknown>; script?: string; message: RegExp }[]
  ) test(`${what} is an error`, async () => await assert.rejects(logged(opts, script), { message }));
});

describe("http_json", () => {
  interface Seen {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingMessage["headers"];
    body: string;
  }

  /** Answers requests with these codes, one after the other; the last for all that follow. */
  async function posted(
    codes: number[],
    opts: Record<string, unknown>,
    use: (post: () => Promise<void>, seen: Seen[], context: ReturnerContext, clock: FakeClock) => Promise<void>,
  ): Promise<void> {
    const seen: Seen[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body });
      response.writeHead(codes[Math.min(seen.length, codes.length) - 1]!, { location: "/elsewhere" }).end("no");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const clock = new FakeClock();
    const captured = captureLog();
    const given = { "http_json.url": `http://127.0.0.1:${port}/hook?key=geheim`, ...opts };
    const context = contextOf(given, { log: captured.log, runtime: { ...runtime, clock, random: () => 0 } });
    const { returner } = await RETURNERS.http_json!();
    try {
      await use(() => returner.returner(context, RET), seen, context, clock);
      assert.doesNotMatch(captured.text(), /geheim/);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  test("posts the return with headers and token", async () => {
    const opts = { "http_json.token": "geheim", "http_json.headers": { "X-Team": "web" } };
    await posted([200], opts, async (post, seen) => {
      await post();
      assert.equal(seen.length, 1);
      const { method, url, headers, body } = seen[0]!;
      assert.deepEqual([method, url], ["POST", "/hook?key=geheim"]);
      assert.deepEqual(JSON.parse(body), RET);
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["x-team"], "web");
      assert.equal(headers.authorization, "Bearer geheim");
    });
  });

  test("tries again, ever later, when the server is overloaded", async () => {
    await posted([503, 429, 204], { "http_json.method": "put" }, async (post, seen, _context, clock) => {
      const done = post();
      for (const wait of [500, 1000]) {
        await clock.waiting(wait);
        clock.advance(wait);
      }
      await done;
      assert.deepEqual(seen.map(({ method }) => method), ["PUT", "PUT", "PUT"]);
    });
  });

  test("gives up after its tries, and shows neither query nor token", async () => {
    const opts = { "http_json.tries": 2, "http_json.token": "geheim" };
    await posted([500], opts, async (post, seen, _context, clock) => {
      const done = assert.rejects(post(), (error: Error) => {
        assert.match(
          error.message,
          /^Cannot post a return to http:\/\/127.0.0.1:\d+\/hook in 2 tries: it answered 500/,
        );
        return true;
      });
      await clock.waiting(500);
      clock.advance(500);
      await done;
      assert.equal(seen.length, 2);
    });
  });

  for (const code of [400, 401, 404, 302]) {
    test(`does not try again after ${code}`, async () => {
      await posted([code], {}, async (post, seen) => {
        await assert.rejects(post(), { message: new RegExp(`in 1 try: it answered ${code}`) });
        assert.equal(seen.length, 1);
      });
    });
  }

  test("an address that nobody answers at is tried again", async () => {
    await posted([200], {}, async (_post, _seen, context, clock) => {
      const { returner } = await RETURNERS.http_json!();
      const nobody = { ...context, opts: { "http_json.url": "http://127.0.0.1:1/", "http_json.tries": 2 } };
      const done = assert.rejects(returner.returner(nobody, RET), { message: /http:\/\/127.0.0.1:1\/ in 2 tries/ });
      await clock.waiting(500);
      clock.advance(500);
      await done;
    });
  });

  for (const url of [undefined, "nix", "ftp://x/"]) {
    test(`the address ${url} is an error`, async () => {
      const { returner } = await RETURNERS.http_json!();
      await assert.rejects(returner.returner(contextOf({ "http_json.url": url }), RET), {
        message: /set http_json.url/,
      });
    });
  }
});

describe("postgres", { skip: noPostgres() }, () => {
  let server: TestServer | undefined;
  const modules: ReturnerModule[] = [];

  const contextFor = (db: string, more: Record<string, unknown> = {}) =>
    contextOf({ returner: {}, "returner.postgres": { host: "127.0.0.1", port: server!.port, db, ...more } });
  const opened = () => {
    const module = postgresReturner();
    modules.push(module);
    return module;
  };
  async function database(): Promise<string> {
    const name = `returns${server!.fresh()}`;
    const { default: connect } = await import("postgres") as unknown as {
      default(options: object): { unsafe(sql: string): Promise<Record<string, unknown>[]>; end(): Promise<void> };
    };
    const sql = connect({ host: "127.0.0.1", port: server!.port, user: "salt", database: "postgres" });
    await sql.unsafe(`CREATE DATABASE ${name}`);
    await sql.end();
    return name;
  }

  before(async () => void (server = await sharedPostgres()), SERVER);
  after(async () => {
    for (const module of modules) await module.close?.();
  }, SERVER);

  returnerContract("postgres", async () => {
    const context = contextFor(await database(), { create_tables: true });
    return { module: opened(), context };
  });

  test("names the table that is missing, and how it is made", async () => {
    const module = opened();
    const context = contextFor(await database());
    await assert.rejects(module.returner(context, RET), (error: Error) => {
      assert.match(error.message, /database "returns\d+" at 127.0.0.1:\d+: it has no table salt_returns/);
      assert.match(error.message, /returner.postgres.create_tables/);
      assert.ok(error.message.includes(TABLES));
      return true;
    });
    await assert.rejects(module.saveLoad!(context, JID, {}, []), { message: /no table jids/ });
    await assert.rejects(module.getJids!(context)[Symbol.asyncIterator]().next(), { message: /no table jids/ });
  });

  test("makes its tables from several minions at once", async () => {
    const context = contextFor(await database(), { create_tables: true });
    const all = Array.from({ length: 8 }, opened);
    await Promise.all(all.map((module, at) => module.returner(context, { ...RET, id: `web${at}` })));
    assert.equal(Object.keys(await all[0]!.getJid!(context, JID)).length, 8);
  });

  test("names the place when there is no such database, or no server", async () => {
    await assert.rejects(opened().returner(contextFor("nix"), RET), {
      message: /^Cannot use database "nix" at 127.0.0.1:\d+ as user "salt": .*"nix" does not exist/,
    });
    const context = contextOf({ "returner.postgres.host": "127.0.0.1", "returner.postgres.port": 1 });
    await assert.rejects(opened().returner(context, RET), { message: /^Cannot use database "salt" at 127.0.0.1:1/ });
    const wrong = contextOf({ "returner.postgres.port": "many" });
    await assert.rejects(opened().returner(wrong, RET), { message: /"many" as returner.postgres.port/ });
  });
});

describe("redis", { skip: noRedis() }, () => {
  let server: TestServer | undefined;
  const modules: ReturnerModule[] = [];
  let made = 0;

  const contextFor = (db: number, more: Record<string, unknown> = {}) =>
    contextOf({ redis: { host: "127.0.0.1", port: server!.port, db: String(db) }, ...more });
  const opened = () => {
    const module = redisReturner();
    modules.push(module);
    return module;
  };
  async function client(db: number) {
    const { createClient } = await import("redis") as unknown as {
      createClient(options: object): {
        connect(): Promise<void>;
        ttl(key: string): Promise<number>;
        get(key: string): Promise<string | null>;
        sMembers(key: string): Promise<string[]>;
        keys(pattern: string): Promise<string[]>;
        flushDb(): Promise<unknown>;
        close(): Promise<void>;
      };
    };
    const made = createClient({ socket: { host: "127.0.0.1", port: server!.port }, database: db });
    await made.connect();
    return made;
  }

  before(async () => void (server = await sharedRedis()), SERVER);
  after(async () => {
    for (const module of modules) await module.close?.();
  }, SERVER);

  returnerContract("redis", async () => {
    // A Redis has sixteen of them.
    const db = made++ % 16;
    const own = await client(db);
    await own.flushDb();
    await own.close();
    return { module: opened(), context: contextFor(db) };
  });

  for (
    const { name, opts, ttl } of [
      { name: "keep_jobs_seconds", opts: { keep_jobs_seconds: 100 }, ttl: 100 },
      { name: "keep_jobs", opts: { keep_jobs: 2 }, ttl: 7200 },
      { name: "the default", opts: {}, ttl: 86400 },
      { name: "redis.ttl", opts: { "redis.ttl": 50 }, ttl: 50 },
      { name: "no end", opts: { keep_jobs_seconds: 0 }, ttl: -1 },
    ]
  ) {
    test(`its keys are Salt's, and live as long as ${name} says`, async () => {
      const module = opened();
      const context = contextFor(15, opts);
      const own = await client(15);
      await own.flushDb();
      await module.saveLoad!(context, JID, { jid: JID, fun: "test.ping" }, ["web1"]);
      await module.returner(context, RET);
      assert.deepEqual((await own.keys("*")).sort(), [`load:${JID}`, "minions", `ret:${JID}`, "web1:test.ping"]);
      assert.deepEqual(await own.sMembers("minions"), ["web1"]);
      assert.equal(await own.get("web1:test.ping"), JID);
      for (const key of [`load:${JID}`, `ret:${JID}`, "web1:test.ping"]) {
        const left = await own.ttl(key);
        assert.ok(left <= ttl && left >= ttl - 5, `${key} lives ${left} s`);
      }
      await own.close();
    });
  }

  test("connects again after the server was away", async () => {
    const module = opened();
    const context = contextFor(14);
    await module.returner(context, RET);
    await server!.stop();
    await assert.rejects(module.returner(context, RET), {
      message: /^Cannot use Redis at 127.0.0.1:\d+, database 14: /,
    });
    await server!.start();
    await module.returner(context, { ...RET, id: "web2" });
    assert.deepEqual(Object.keys(await module.getJid!(context, JID)).sort(), ["web1", "web2"]);
  });

  test("a cluster is refused in words", async () => {
    await assert.rejects(opened().returner(contextOf({ "redis.cluster_mode": true }), RET), {
      message: /redis.cluster_mode: only single servers/,
    });
  });
});
