/** The storage that masters share, on a PostgreSQL server. */
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ClusterKey } from "../../../src/feature/cluster/cluster_key.ts";
import { LoadSeal } from "../../../src/feature/cluster/load_seal.ts";
import { type LedgerStorage, MAX_VALUE_BYTES } from "../../../src/feature/cluster/storage.ts";
import { openPostgresLedger } from "../../../src/plugins/ledger_storages/postgres.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { jobCacheContract } from "../../contract/job_cache_contract.ts";
import { ledgerStorageContract } from "../../contract/ledger_storage_contract.ts";

import { PAIRS } from "../../support/start_cluster.ts";
import { noPostgres, sharedPostgres, type TestServer } from "../../support/servers.ts";

const runtime = await currentRuntime();

/** Longer than any clock of a test goes. */
const FOR_EVER = 1e9;

const EMPTY = `DO $$ DECLARE one text; BEGIN
  FOR one IN SELECT tablename FROM pg_tables WHERE tablename LIKE 'brine_%' AND tablename <> 'brine_meta' LOOP
    EXECUTE 'DELETE FROM ' || one;
  END LOOP;
END $$`;

describe("a PostgreSQL server", { skip: noPostgres() }, () => {
  const SERVER = { timeout: 120_000 };
  let server: TestServer;
  const opened: LedgerStorage[] = [];
  before(async () => void (server = await sharedPostgres()), SERVER);
  after(async () => {
    for (const storage of opened) await storage.close().catch(() => {});
  }, SERVER);

  const admin = async <T>(database: string, work: (sql: (text: string) => Promise<unknown>) => Promise<T>) => {
    const { default: postgres } = await import("postgres");
    const client = postgres({ host: "127.0.0.1", port: server.port, username: "salt", database, max: 1 });
    try {
      return await work(async (text) => await client.unsafe(text));
    } finally {
      await client.end();
    }
  };
  const database = async () => {
    const name = `ledger${server.fresh()}`;
    await admin("postgres", (sql) => sql(`CREATE DATABASE ${name}`));
    return name;
  };
  const open = async (name: string, clock = runtime.clock) => {
    const url = `postgres://salt@127.0.0.1:${server.port}/${name}`;
    const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
    const storage = await openPostgresLedger({ url, clock, hex, timeoutMs: 20_000 });
    opened.push(storage);
    return storage;
  };

  ledgerStorageContract("postgres", async () => {
    const name = await database();
    return {
      open: () => open(name),
      pass: (seconds) =>
        admin(name, async (sql) => {
          const by = `make_interval(secs => ${seconds})`;
          await sql(`UPDATE brine_lease SET until = until - ${by}, since = since - ${by}`);
        }),
    };
  });

  test("a job that was edited in the server has no good seal any more, for any master", async () => {
    const name = await database();
    const [a, b] = [await open(name), await open(name)];
    a.own(await a.leases.hold("master/a", "a", FOR_EVER));
    const key = new ClusterKey(runtime.crypto, runtime.crypto.loadPrivateKey(PAIRS.master.privatePem), "test");
    const seal = new LoadSeal(runtime.crypto, key);
    const [one, two] = ["20240506070809000001", "20240506070809000002"];
    for (const [jid, arg] of [[one, ["echo ü", 1.0, { n: 2 ** 40 }]], [two, ["reboot"]]] as const) {
      const load = { fun: "cmd.run", arg, tgt: "web*", tgt_type: "glob", jid, cmd: "publish", kwargs: { queue: 60 } };
      await a.jobs.saveLoad(jid, load, ["web2", "web1"], { seal: seal.make(jid, load, ["web1", "web2"]) });
    }
    await a.jobs.flush();
    const isGood = async (jid: string) =>
      seal.isGood(await b.sealOf(jid), jid, (await b.jobs.load(jid))!, await b.jobs.minions(jid));
    assert.deepEqual([await isGood(one), await isGood(two)], [true, true]);
    // A job that a master did publish, under another jid; and with its seal.
    await admin(name, (sql) => sql(`UPDATE brine_job SET load = (SELECT load FROM brine_job WHERE jid = '${two}')`));
    assert.deepEqual([await isGood(one), await isGood(two)], [false, true]);
    await admin(name, (sql) => sql(`UPDATE brine_job SET seal = (SELECT seal FROM brine_job WHERE jid = '${two}')`));
    assert.deepEqual([await isGood(one), await isGood(two)], [false, true]);
    const target = `INSERT INTO brine_target SELECT jid, 'more', minions FROM brine_target WHERE jid = '${two}'`;
    await admin(name, (sql) => sql(target));
    assert.equal(await isGood(two), true, "the same targets once more");
    await admin(name, (sql) => sql("UPDATE brine_target SET minions = '\\x91a464623031' WHERE source = 'more'"));
    assert.equal(await isGood(two), false, "a further target");
  });

  test("what has grown old is removed in slices: no statement takes long, however much there is", async () => {
    const name = await database();
    const storage = await open(name);
    await admin(name, async (sql) => {
      await sql(`INSERT INTO brine_audit SELECT 'a', n, n, '' FROM generate_series(1, 4500) n`);
      await sql(`INSERT INTO brine_feed VALUES ('key', 4500)`);
      await sql(
        `INSERT INTO brine_record SELECT 'key', 'web' || n, n, 0, NULL, 'a', n FROM generate_series(1, 4500) n`,
      );
      await sql(`CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM gone) > 2000 THEN RAISE EXCEPTION 'too many at once'; END IF; RETURN NULL; END $$`);
      for (const table of ["brine_audit", "brine_record"]) {
        await sql(`CREATE TRIGGER few AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
          FOR EACH STATEMENT EXECUTE FUNCTION few()`);
      }
    });
    assert.equal(await storage.audit.expire(4001), 4000);
    assert.equal((await storage.audit.read({ limit: 1000 })).length, 500);
    assert.equal(await storage.records.forget("key", 4001), 4000);
    const { records, gap } = await storage.records.changes("key", 3999, 1000);
    assert.deepEqual([records.length, gap], [500, true]);
  });

  test("a row that is larger than any of a master comes without its value: the feed goes on", async () => {
    const name = await database();
    const { records } = await open(name);
    await records.put("key", "m", [{ name: "web1", value: Uint8Array.of(1) }]);
    await admin(name, async (sql) => {
      await sql(`UPDATE brine_feed SET version = 2`);
      await sql(
        `INSERT INTO brine_record SELECT 'key', 'huge', 2, 0, convert_to(repeat('x', ${MAX_VALUE_BYTES + 1}), 'UTF8'),
        repeat('x', 1000000), 0`,
      );
    });
    await records.put("key", "m", [{ name: "web2", value: Uint8Array.of(2) }]);
    const { records: all } = await records.changes("key", 0, 10);
    assert.deepEqual(all.map(({ name, value }) => [name, value?.length]), [["web1", 1], ["huge", 0], ["web2", 1]]);
    const huge = (await records.get("key", "huge"))!;
    assert.deepEqual([huge.value?.length, huge.by.length], [0, 512]);
  });

  let shared: string | undefined;
  jobCacheContract("postgres LedgerStorage's", async (clock) => {
    const name = shared ??= await database();
    // A database takes half a second to make, and this contract has many tests.
    await admin(name, (sql) => sql(EMPTY));
    // Timers are the real ones: the server does not wait for a clock of a test.
    const { after, sleep } = runtime.clock;
    const storage = await open(name, { now: () => clock.now(), elapsed: () => 0, after, sleep });
    storage.own(await storage.leases.hold("master/a", "a", FOR_EVER));
    return storage.jobs;
  }, "the job cache on a server is tested by itself");
});
