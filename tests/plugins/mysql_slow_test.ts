/** The execution module mysql, and its states, on a MariaDB of their own. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { statementsIn } from "../../src/plugins/modules/mysql/queries.ts";
import { grantTokens } from "../../src/plugins/modules/mysql/tokens.ts";
import { parseResults } from "../../src/plugins/mysql_session.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testJob } from "../support/job_context.ts";
import { noMariadb, startMariadb, type TestServer } from "../support/servers.ts";
import { stateCaller } from "../support/state_calls.ts";
import { inTemporary } from "./temporary.ts";

type Json = Record<string, unknown>;

const runtime = await currentRuntime();
const optionsOf = ({ port }: TestServer) => ({
  "mysql.host": "127.0.0.1",
  "mysql.port": port,
  "mysql.user": "root",
});

for (
  // As Salt's tokenize_grant answers.
  const { sql, want } of [
    {
      sql: "GRANT SELECT, INSERT ON `db`.* TO 'u'@'localhost'",
      want: { user: "u", host: "localhost", grant: ["SELECT", "INSERT"], database: "`db`.*" },
    },
    {
      sql: "GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION",
      want: { user: "`root`", host: "`%`", grant: ["ALL PRIVILEGES"], database: "*.*" },
    },
    {
      sql: "GRANT SELECT (a, b), CREATE TEMPORARY TABLES ON `d`.`t` TO 'u'@'h'",
      want: {
        user: "u",
        host: "h",
        grant: ["SELECT", "SELECT.a", "SELECT.b", "CREATE TEMPORARY TABLES"],
        database: "`d`.`t`",
      },
    },
  ]
) test(`mysql.tokenize_grant ${sql}`, () => assert.deepEqual(grantTokens(sql), want));

test("statementsIn() keeps semicolons within quotes, and leaves comments out", () => {
  const text = "SELECT ';' -- no;\n, `a;b`; # x;\nINSERT /* y; */ INTO t VALUES ('it''s;', \"\\\";\");\n";
  const found = statementsIn(text).map((one) => one.replace(/\s+/g, " "));
  assert.deepEqual(found, ["SELECT ';' , `a;b`", "INSERT INTO t VALUES ('it''s;', \"\\\";\")"]);
});

test("parseResults() reads rows, nothing and what is escaped", () => {
  const xml =
    '<?xml version="1.0"?>\n<resultset statement="x" xmlns:xsi="y">\n  <row>\n\t<field name="a&lt;b">1 &amp; 2</field>\n' +
    '\t<field name="n" xsi:nil="true" />\n\t<field name="e"></field>\n  </row>\n</resultset>';
  assert.deepEqual(parseResults(xml), [[[["a<b", "1 & 2"], ["n", null], ["e", ""]]]]);
});

describe("mysql on a server", { skip: noMariadb() }, () => {
  test("databases, users, grants and queries", { timeout: 180_000 }, async () => {
    await using server = await startMariadb();
    const { context } = await testJob({ opts: optionsOf(server) });
    const call = (fun: string, args: unknown[] = [], kwargs: Json = {}) => context.call(`mysql.${fun}`, args, kwargs);
    assert.match(String(await call("version")), /MariaDB/);
    const odd = "d_%`x'\\";
    assert.equal(await call("db_create", [odd], { character_set: "utf8mb4", collate: "utf8mb4_bin" }), true);
    assert.equal(await call("db_create", [odd]), false);
    assert.deepEqual(await call("db_get", [odd]), { character_set: "utf8mb4", collate: "utf8mb4_bin" });
    assert.ok((await call("db_list") as string[]).includes(odd));
    assert.deepEqual(await call("db_tables", [odd]), []);
    assert.equal(await call("db_exists", ["d%"]), false);
    await call("query", [odd], { query: "CREATE TABLE t (a INT, b TEXT) ENGINE=MyISAM" });
    const added = await call("query", [odd], { query: "INSERT INTO t VALUES (1, 'x\\ny'), (2, NULL)" }) as Json;
    assert.equal(added["rows affected"], 2);
    const rows = await call("query", [odd], { query: "SELECT * FROM t ORDER BY a;" }) as Json;
    assert.deepEqual([rows.columns, rows.results], [["a", "b"], [["1", "x\ny"], ["2", null]]]);
    const twins = await call("query", [odd], { query: "SELECT 'x' AS b, 2 AS `1`, 3 AS b" }) as Json;
    assert.deepEqual([twins.columns, twins.results], [["b", "1", "b"], [["x", "2", "3"]]]);
    assert.equal(await call("query", [odd], { query: "SELECT nonsense" }), false);
    assert.deepEqual(await call("db_tables", [odd]), ["t"]);
    for (const fun of ["db_check", "db_repair", "db_optimize"]) {
      const row = (await call(fun, [odd]) as Json[][])[0]?.[0];
      assert.match(String(row!.Msg_text), /OK|up to date/, fun);
    }
    const user = "o'u\\";
    assert.equal(await call("user_create", [user, "localhost", "p'w\\"]), true);
    assert.equal(await call("user_exists", [user, "localhost", "p'w\\"]), true);
    assert.equal(await call("user_exists", [user, "localhost", "other"]), false);
    assert.equal(await call("verify_login", [user, "p'w\\"]), true);
    assert.equal(await call("verify_login", [user, "other"]), false);
    assert.equal(await call("user_chpass", [user, "localhost", "new"]), true);
    assert.equal(await call("verify_login", [user, "new"]), true);
    assert.equal((await call("user_info", [user]) as Json).Host, "localhost");
    assert.equal(await call("grant_exists", ["SELECT", `${odd}.*`, user]), false);
    assert.equal(await call("grant_add", ["SELECT, INSERT", `${odd}.*`, user], { grant_option: true }), true);
    assert.equal(await call("grant_exists", ["select,insert", `${odd}.*`, user]), true);
    assert.equal(await call("grant_exists", ["UPDATE", `${odd}.*`, user]), false);
    assert.equal((await call("user_grants", [user]) as string[]).length, 2);
    assert.equal(await call("grant_revoke", ["INSERT", `${odd}.*`, user]), true);
    assert.equal(await call("grant_exists", ["SELECT", `${odd}.*`, user]), true);
    assert.equal(await call("grant_add", ["SELECT ON *.* TO root; --", `${odd}.*`, user]), false);
    assert.equal(await call("grant_add", ["SELECT", "*.* TO root; --", user], { escape: false }), false);
    assert.equal(await call("user_remove", [user]), true);
    assert.equal(await call("user_exists", [user]), false);
    assert.equal(await call("db_remove", [odd]), true);
    assert.equal(await call("db_remove", ["mysql"]), false);
    assert.equal(await call("plugin_status", ["mysql_native_password"]), "ACTIVE");
    assert.equal(await call("slave_lag"), -1);
    assert.ok((await call("processlist") as Json[]).length > 0);
    assert.equal(typeof (await call("status") as Json).Uptime, "string");
    for (const fun of ["plugins_list", "showglobal", "showvariables"]) {
      assert.ok((await call(fun) as []).length > 5, fun);
    }
    for (const fun of ["get_master_status", "get_slave_status"]) assert.deepEqual(await call(fun), []);
    assert.deepEqual(await call("db_list", [], { connection_user: "nobody", connection_pass: "x" }), []);
  });

  test("a query runs no command of the client's", { timeout: 120_000 }, async () => {
    await using server = await startMariadb();
    const { context } = await testJob({ opts: optionsOf(server) });
    await inTemporary(runtime, async (directory) => {
      const made = `${directory}/made`;
      const attempts = [`\\! touch ${made}`, `SELECT 1;\n\\! touch ${made}`, `system touch ${made}`, `tee ${made}`];
      runtime.fs.write(`${directory}/x.sql`, `system touch ${made}\n`);
      for (const query of [...attempts, `source ${directory}/x.sql`, `SELECT 1;\n\\. ${directory}/x.sql`]) {
        await context.call("mysql.query", ["mysql", query]);
        assert.equal(runtime.fs.stat(made), undefined, query);
      }
    });
  });

  test("states make, change and remove for real, and tell of errors", { timeout: 180_000 }, async () => {
    await using server = await startMariadb();
    const call = await stateCaller({ opts: optionsOf(server) });
    const database = { name: "d", character_set: "utf8mb4", collate: "utf8mb4_bin" };
    assert.equal((await call("mysql_database.present", database, { test: true })).result, null);
    assert.deepEqual((await call("mysql_database.present", database)).changes, { d: "Present" });
    assert.deepEqual((await call("mysql_database.present", { name: "d", collate: "utf8mb4_general_ci" })).changes, {
      collate: { before: "utf8mb4_bin", now: "utf8mb4_general_ci" },
    });
    const user = { name: "app", password: "secret" };
    assert.deepEqual((await call("mysql_user.present", user)).changes, { app: "Present" });
    assert.deepEqual((await call("mysql_user.present", user)).changes, {});
    assert.deepEqual((await call("mysql_user.present", { ...user, password: "new" })).changes, { app: "Updated" });
    const grant = { name: "g", grant: "ALL PRIVILEGES", database: "d.*", user: "app" };
    assert.deepEqual((await call("mysql_grants.present", grant)).changes, { g: "Present" });
    assert.deepEqual((await call("mysql_grants.present", grant)).changes, {});
    const less = { ...grant, name: "less", grant: "SELECT", revoke_first: true };
    assert.deepEqual((await call("mysql_grants.present", less)).changes, { less: "Present" });
    assert.deepEqual((await call("mysql_grants.absent", { ...less, revoke_first: undefined })).changes, {
      less: "Absent",
    });
    await inTemporary(runtime, async (directory) => {
      const [file, output] = [`${directory}/x.sql`, `${directory}/out`];
      runtime.fs.write(file, "CREATE TABLE t (a INT);\nINSERT INTO t VALUES (7);\n");
      const made = await call("mysql_query.run_file", { name: "f", database: "d", query_file: file });
      assert.deepEqual(made.changes, { query: "Executed" });
      const query = { name: "q", database: "d", query: "SELECT a FROM t", output };
      assert.deepEqual((await call("mysql_query.run", query)).changes, { query: `Executed. Output into ${output}` });
      assert.equal(runtime.fs.readText(output), "a:7\n");
      assert.equal((await call("mysql_query.run", { ...query, database: "none" })).result, null);
    });
    assert.deepEqual((await call("mysql_user.absent", { name: "app" })).changes, { app: "Absent" });
    assert.deepEqual((await call("mysql_database.absent", { name: "d" })).changes, { d: "Absent" });
    const wrong = await call("mysql_database.absent", { name: "d", connection_user: "nobody", connection_pass: "x" });
    assert.equal(wrong.result, false);
    assert.match(String(wrong.comment), /^MySQL Error 1045: Access denied for user 'nobody'@'localhost'/);
  });
});
