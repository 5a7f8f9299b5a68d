/** The execution module postgres on a server of its own, beside what real Salt answered on one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPassword, verifierOf } from "../../src/plugins/modules/postgres/passwords.ts";
import { parseCsv } from "../../src/plugins/modules/postgres/psql.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testJob } from "../support/job_context.ts";
import { noPostgres, startPostgres, type TestServer } from "../support/servers.ts";
import { stateCaller } from "../support/state_calls.ts";
import { withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

type Json = Record<string, unknown>;

const runtime = await currentRuntime();
const read = (name: string) =>
  JSON.parse(runtime.fs.readText(new URL(`../vectors/postgres/${name}`, import.meta.url).pathname));
const calls = read("cases.json") as [fun: string, args: unknown[], kwargs: Json][];
const answers = read("answers.json") as { return?: unknown; raised?: string }[];

/** The release of the server that was recorded: later ones list more. */
const RECORDED = /^15\./;
/** Crashes of Salt's, which are errors in words here. */
const CRASH = /^(?:KeyError|UnboundLocalError)/;

/** What a server keeps of a password differs each time. */
const settled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replace(/SCRAM-SHA-256[^"]+/g, "SCRAM-SHA-256"));

const optionsOf = ({ port }: TestServer) => ({
  "postgres.host": "127.0.0.1",
  "postgres.port": port,
  "postgres.user": "salt",
});

test("parseCsv() reads quotes, commas and line feeds", () => {
  assert.deepEqual(parseCsv('a,b\n"x,""y""\nz",\n\n1,2'), [["a", "b"], ['x,"y"\nz', ""], [""], ["1", "2"]]);
  assert.deepEqual(parseCsv(""), []);
});

test("postgres passwords: what a role keeps is the same for PostgreSQL, Salt and us", () => {
  const { crypto } = runtime;
  assert.equal(verifierOf(crypto, "app", "secret", true), "md56a422f785c9e20873908ce25d1736ae2");
  const scram = verifierOf(crypto, "app", "pässwort", "scram-sha-256");
  assert.match(scram, /^SCRAM-SHA-256\$4096:[\w+/=]{24}\$[\w+/=]{44}:[\w+/=]{44}$/);
  assert.equal(isPassword(crypto, "app", "pässwort", scram, "scram-sha-256"), true);
  assert.equal(isPassword(crypto, "app", "other", scram, "scram-sha-256"), false);
  assert.equal(isPassword(crypto, "app", "x", "SCRAM-SHA-256$999999999:AAAA$B:C", "scram-sha-256"), false);
  assert.throws(() => verifierOf(crypto, "app", "x", "sha1"), /Unknown password algorithm: sha1/);
});

describe("postgres on a server", { skip: noPostgres() }, () => {
  test("answers as Salt's does, call by call", { timeout: 180_000 }, async () => {
    await using server = await startPostgres();
    const { context } = await testJob({ opts: optionsOf(server), grains: { os_family: "Debian" } });
    if (!RECORDED.test(String(await context.call("postgres.version")))) return;
    for (const [at, [fun, args, kwargs]] of calls.entries()) {
      const label = `${at}: postgres.${fun} ${JSON.stringify([args, kwargs])}`;
      const want = answers[at]!;
      try {
        const got = await context.call(`postgres.${fun}`, args, kwargs);
        assert.ok(want.raised === undefined, `${label}: ${want.raised}`);
        assert.deepEqual(settled(got), settled(want.return), label);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assert.ok(want.raised !== undefined, `${label}: ${(error as Error).stack}`);
        const { name, message } = error as Error;
        if (!CRASH.test(want.raised)) assert.equal(`${name}: ${message}`, want.raised, label);
      }
    }
  });

  test("names and values with quotes stay names and values", { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const { context } = await testJob({ opts: optionsOf(server) });
    const call = (fun: string, args: unknown[] = [], kwargs: Json = {}) =>
      context.call(`postgres.${fun}`, args, kwargs);
    await call("user_create", ["victim"]);
    const odd = 'x"; DROP ROLE victim; --';
    assert.equal(await call("db_create", [odd]), true);
    assert.equal(await call("db_exists", [odd]), true);
    assert.equal(await call("db_remove", [odd]), true);
    assert.equal(
      await call("user_create", [odd], { rolepassword: "a'b\\'; DROP ROLE victim; --", groups: [odd] }),
      false,
    );
    assert.equal(
      await call("user_create", ["o'x\\"], { rolepassword: "a'b\\'; DROP ROLE victim; --", encrypted: false }),
      true,
    );
    assert.equal(await call("role_get", ["o'x\\"]) !== null, true);
    assert.equal(await call("has_privileges", ["o'x\\", "'; DROP ROLE victim; --", "database", "CONNECT"]), false);
    await assert.rejects(call("privileges_grant", ["victim", "f(); DROP ROLE victim", "function", "EXECUTE"]));
    await assert.rejects(call("user_create", ["y"], { connlimit: "1; DROP ROLE victim" }), /whole number/);
    await assert.rejects(call("tablespace_alter", ["pg_default"], { reset_option: "a); DROP ROLE victim" }));
    assert.equal(await call("create_extension", ["plpgsql"], { ext_version: "1; DROP ROLE victim" }), false);
    assert.equal(await call("user_exists", ["victim"]), true);
  });

  test("an owner gets everything that is in a database", { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const { context } = await testJob({ opts: optionsOf(server) });
    const call = (fun: string, args: unknown[] = [], kwargs: Json = {}) =>
      context.call(`postgres.${fun}`, args, kwargs);
    await call("user_create", ["app"]);
    await call("db_create", ["d"]);
    await call("schema_create", ["d", "s"]);
    const { retcode } = await call("owner_to", ["d", "app"]) as { retcode: number };
    assert.equal(retcode, 0);
    assert.equal((await call("schema_get", ["d", "s"]) as Json).owner, "app");
    assert.equal(await call("db_alter", ["d"], { owner: "salt", owner_recurse: true }), true);
    assert.equal((await call("schema_get", ["d", "s"]) as Json).owner, "salt");
  });

  test("states make, change and remove for real; passwords let users in", { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const call = await stateCaller({ opts: optionsOf(server) });
    const user = { name: "app", password: "secret", encrypted: "scram-sha-256", login: true, createdb: true };
    assert.equal((await call("postgres_user.present", user, { test: true })).result, null);
    assert.deepEqual((await call("postgres_user.present", user)).changes, { app: "Present" });
    assert.deepEqual((await call("postgres_user.present", user)).changes, {});
    const other = { ...user, password: "new", createdb: false };
    assert.deepEqual((await call("postgres_user.present", other)).changes, {
      app: { createdb: false, password: true },
    });
    const database = { name: "d", owner: "app", encoding: "UTF8", template: "template0" };
    assert.deepEqual((await call("postgres_database.present", database)).changes, { d: "Present" });
    assert.deepEqual((await call("postgres_database.present", database)).changes, {});
    const privileges = { name: "app", object_name: "public", object_type: "schema", privileges: ["CREATE"] };
    const granted = await call("postgres_privileges.present", { ...privileges, maintenance_db: "d" });
    assert.deepEqual(granted.changes, { app: "Present" });
    assert.deepEqual((await call("postgres_schema.present", { dbname: "d", name: "s", owner: "app" })).changes, {
      s: "Present",
    });
    assert.deepEqual((await call("postgres_schema.absent", { dbname: "d", name: "s" })).changes, { s: "Absent" });
    assert.deepEqual((await call("postgres_database.absent", { name: "d" })).changes, { d: "Absent" });
    assert.deepEqual((await call("postgres_user.absent", { name: "app" })).changes, { app: "Absent" });
  });

  test("passwords are in no command line, and nobody else may read their file", { timeout: 60_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const seen = `${directory}/seen`;
      const text =
        `{ echo "$@"; echo; [ -z "$PGPASSFILE" ] || { stat -c %a "$PGPASSFILE"; cat "$PGPASSFILE"; } ; cat; } ` +
        `>>${seen}; echo setting; echo 15.1`;
      const { PATH = "" } = withPrograms(`${directory}/bin`, { psql: text });
      const { context } = await testJob({
        opts: { "postgres.bins_dir": `${directory}/bin`, "postgres.host": "127.0.0.1" },
      });
      assert.ok(PATH.startsWith(directory));
      const how = { rolepassword: "hidden", encrypted: false, password: "pa:ss", user: "me" };
      assert.equal(await context.call("postgres.user_create", ["app"], how), true);
      const lines = runtime.fs.readText(seen).split("\n");
      const words = lines.filter((line) => line.includes("--no-align"));
      assert.ok(words.length > 1 && words.every((line) => !/hidden|pa:ss/.test(line)));
      assert.ok(lines.includes("600") && lines.includes("127.0.0.1:*:*:me:pa\\:ss"));
      assert.ok(lines.some((line) => line.includes("PASSWORD 'hidden'")));
    });
  });
});
