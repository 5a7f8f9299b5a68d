/** The returner mysql on a MariaDB of the tests' own. */
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { EventsRefused, type ReturnerContext, type ReturnerModule } from "../../src/model/loader/family.ts";
import { type MysqlPlace, mysqlSession, parseResults } from "../../src/plugins/mysql_session.ts";
import { MYSQL_TABLES, mysqlReturner } from "../../src/plugins/returners/mysql.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { Float } from "../../src/protocol/wire/msgpack.ts";
import { returnerContract } from "../contract/returner_contract.ts";
import { captureLog } from "../support/capture_log.ts";
import { noMariadb, sharedMariadb, startMariadb, type TestServer } from "../support/servers.ts";

const SERVER = { timeout: 120_000 };
const runtime = await currentRuntime();
const JID = "20240506070809123456";
const RET = { jid: JID, id: "web1", fun: "test.ping", fun_args: [], return: true, retcode: 0, success: true };
const USER = "salt'\\user";

const contextOf = (opts: Record<string, unknown>, more: Partial<ReturnerContext> = {}): ReturnerContext => ({
  runtime,
  log: captureLog().log,
  opts: { id: "master1", ...opts },
  ...more,
});

describe("mysql", { skip: noMariadb() }, () => {
  let server: TestServer | undefined;
  const modules: ReturnerModule[] = [];
  const opened = () => {
    const module = mysqlReturner();
    modules.push(module);
    return module;
  };
  const rootOf = (database: string, { port }: TestServer = server!): MysqlPlace => ({
    ...{ host: "127.0.0.1", port, user: "root", password: "", database, ssl: {} },
  });
  async function rows(db: string, sql: string): Promise<(string | null)[][]> {
    const [found = []] = parseResults(await mysqlSession(runtime, rootOf(db), sql));
    return found.map((fields) => fields.map(([, value]) => value));
  }
  async function prepare(on: TestServer, db: string): Promise<void> {
    await mysqlSession(
      runtime,
      rootOf("mysql", on),
      `CREATE USER IF NOT EXISTS 'salt''\\\\user'@'127.0.0.1' IDENTIFIED BY 'p\\'w'; CREATE DATABASE ${db};` +
        `GRANT ALL ON ${db}.* TO 'salt''\\\\user'@'127.0.0.1';`,
    );
  }
  async function database(): Promise<string> {
    const name = `returns${server!.fresh()}`;
    await prepare(server!, name);
    return name;
  }
  const optionsOf = (db: string, more: Record<string, unknown> = {}, { port }: TestServer = server!) => ({
    mysql: { ...{ host: "127.0.0.1", port, user: USER, pass: "p'w", db }, ...more },
  });
  const contextFor = (db: string, more: Record<string, unknown> = {}) => contextOf(optionsOf(db, more));

  before(async () => void (server = await sharedMariadb()), SERVER);
  after(async () => {
    for (const module of modules) await module.close?.();
  }, SERVER);

  returnerContract("mysql", async () => ({
    module: opened(),
    context: contextFor(await database(), { create_tables: true }),
  }));

  test("its rows are those of Salt's returner", SERVER, async () => {
    const db = await database();
    const [module, context] = [opened(), contextFor(db, { create_tables: true })];
    // The right-hand sides are rows that 3006 has written.
    const value = { a: [1, 1.5, true, null, "ä\n\"'\\ %s"] };
    await module.returner(context, { ...RET, return: value });
    await module.returner(context, { ...RET, id: "web2", success: false, return: new Float(1) });
    await module.eventReturn!(context, {
      id: "b",
      again: false,
      events: [{ id: "1", tag: "salt/x", data: { n: 1, t: "ä'\\" } }],
    });
    const json = `{"a": [1, 1.5, true, null, "ä\\n\\"'\\\\ %s"]}`;
    const full = (id: string, ret: string, success: string) =>
      `{"jid": "${JID}", "id": "${id}", "fun": "test.ping", "fun_args": [], "return": ${ret}, "retcode": 0, "success": ${success}}`;
    assert.deepEqual(
      await rows(db, "SELECT fun, jid, `return`, id, success, full_ret FROM salt_returns ORDER BY id;"),
      [
        ["test.ping", JID, json, "web1", "1", full("web1", json, "true")],
        ["test.ping", JID, "1.0", "web2", "0", full("web2", "1.0", "false")],
      ],
    );
    assert.deepEqual(await rows(db, "SELECT tag, data, master_id FROM salt_events;"), [
      ["salt/x", `{"n": 1, "t": "ä'\\\\"}`, "master1"],
    ]);
  });

  test("no text of a return ends its statement", SERVER, async () => {
    const db = await database();
    const [module, context] = [opened(), contextFor(db, { create_tables: true })];
    const attacks = [
      ...["'); DROP TABLE salt_returns; --", "\\'); DROP TABLE salt_returns; --", "\n\\! touch /x\n", "\u{1f9c2}'\\"],
      ...[
        "x'\ndelimiter //\nDROP TABLE salt_returns//\n",
        "</field><row>",
        "\u00bf\u0027",
        "\ud800'",
        "ERROR 1146 (4): x",
      ],
    ];
    for (const [at, text] of attacks.entries()) {
      await module.returner(context, { ...RET, jid: `${at}'\n`, return: { [text]: text }, fun: [text] });
      const found = await module.getJid!(context, `${at}'\n`);
      const kept = text.toWellFormed();
      assert.deepEqual(found.web1!.return, { [kept]: kept });
    }
    assert.equal((await rows(db, "SELECT * FROM salt_returns;")).length, attacks.length);
  });

  test("a return that is refused keeps no other one out", SERVER, async () => {
    const db = await database();
    const [module, context] = [opened(), contextFor(db, { create_tables: true })];
    const ids = ["web1", "x".repeat(300), "web2"];
    const results = await Promise.allSettled(ids.map((id) => module.returner(context, { ...RET, id })));
    assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.match(String((results[1] as PromiseRejectedResult).reason), /Data too long for column 'id'/);
    assert.deepEqual(await rows(db, "SELECT id FROM salt_returns ORDER BY id;"), [["web1"], ["web2"]]);
  });

  test("--return_config and --return_kwargs choose another database", SERVER, async () => {
    const [first, second, third] = [await database(), await database(), await database()];
    const module = opened();
    const opts = { ...optionsOf(first, { create_tables: true }), "alternative.mysql.db": second };
    await module.returner(contextOf(opts), RET);
    await module.returner(contextOf(opts, { retConfig: "alternative" }), RET);
    await module.returner(contextOf(opts, { retConfig: "alternative", retKwargs: { db: third } }), RET);
    for (const db of [first, second, third]) {
      assert.deepEqual(await rows(db, "SELECT id FROM salt_returns;"), [["web1"]]);
    }
  });

  test("names the table that is missing, and how it is made", SERVER, async () => {
    const [module, context] = [opened(), contextFor(await database())];
    await assert.rejects(module.returner(context, RET), (error: Error) => {
      assert.match(error.message, /database "returns\d+" at 127.0.0.1:\d+ as user ".*salt_returns' doesn't exist/);
      assert.ok(error.message.includes(`mysql.create_tables: True, or make Salt's tables:\n${MYSQL_TABLES}`));
      return true;
    });
  });

  test("names the place when there is no such database, no server or no such certificate", SERVER, async () => {
    await assert.rejects(opened().returner(contextFor("nix"), RET), { message: /^Cannot use database "nix" at .*nix/ });
    await assert.rejects(opened().returner(contextFor("nix", { port: 1 }), RET), (error: Error) => {
      assert.match(error.message, /^Cannot use database "nix" at 127.0.0.1:1 as user/);
      assert.ok(!error.message.includes("p'w"));
      return true;
    });
    await assert.rejects(opened().returner(contextFor("mysql", { ssl_ca: "/nonexistent/ca.pem" }), RET), {
      message: /TLS|SSL/,
    });
    await assert.rejects(opened().returner(contextFor("nix", { unix_socket: "/nonexistent/s" }), RET), {
      message: /^Cannot use database "nix" at \/nonexistent\/s as user/,
    });
    await assert.rejects(opened().returner(contextFor("nix", { port: "many" }), RET), {
      message: /"many" as mysql.port/,
    });
  });

  test("what waits for a server that does not answer is bounded", SERVER, async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket.on("error", () => {})));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const context = contextFor("nix", { port: (silent.address() as { port: number }).port });
    const module = opened();
    const large = { ...RET, return: "x".repeat(15_000_000) };
    const waiting = [1, 2, 3].map(() => module.returner(context, large));
    await assert.rejects(module.returner(context, large), { message: /: too many returns wait for the server$/ });
    const results = Promise.allSettled(waiting);
    await until("the client connects", () => held.length > 0);
    silent.close();
    for (const socket of held) socket.destroy();
    assert.deepEqual((await results).map(({ status }) => status), ["rejected", "rejected", "rejected"]);
  });

  test("has the events in order, once, through a loss of the server", SERVER, async () => {
    await using own = await startMariadb();
    await prepare(own, "events");
    const module = opened();
    const context = contextOf(optionsOf("events", { create_tables: true }, own));
    const batch = (tags: string[], again: boolean, data: Record<string, unknown> = {}) => ({
      id: "b",
      again,
      events: tags.map((tag, n) => ({
        id: `b-${tag}`,
        tag,
        data: { n, ...data, _stamp: "2026-01-02T03:04:05.678901" },
      })),
    });
    await module.eventReturn!(context, batch(["a", "b"], false, { text: "\u{1f9c2}\0" }));
    await module.eventReturn!(context, batch(["a", "b"], true, { text: "\u{1f9c2}\0" }));
    await own.stop();
    await assert.rejects(module.eventReturn!(context, batch(["c"], false)));
    await own.start();
    const long = "l".repeat(300);
    await module.eventReturn!(context, batch(["c\0\u{1f9c2}", long], true));
    const found = parseResults(
      await mysqlSession(runtime, rootOf("events", own), "SELECT tag, data, master_id FROM salt_events ORDER BY id;"),
    )[0]!.map((fields) => fields.map(([, value]) => value!));
    assert.deepEqual(found.map(([tag]) => tag), ["a", "b", "c\ufffd\ufffd", long.slice(0, 255)]);
    assert.equal(JSON.parse(found[0]![1]!).text, "\u{1f9c2}\0");
    assert.equal(found[0]![2], "master1");
    const wrong = contextOf({ ...context.opts, id: "m".repeat(300) });
    await assert.rejects(module.eventReturn!(wrong, batch(["d"], false)), EventsRefused);
  });
});
