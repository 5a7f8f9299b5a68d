/** The job caches on a server, against real servers, and how a master opens the configured one. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { before, describe, test } from "node:test";
import { SystemError } from "../../src/base/errors.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { openPostgresJobCache } from "../../src/plugins/job_caches/postgres.ts";
import { openRedisJobCache } from "../../src/plugins/job_caches/redis.ts";
import { encode, Packed } from "../../src/protocol/wire/msgpack.ts";
import { jobCacheContract } from "../contract/job_cache_contract.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { noPostgres, noRedis, sharedPostgres, sharedRedis, type TestServer } from "../support/servers.ts";

/** A server of the tests' own takes its time to start and stop on a busy machine. */
const SERVER = { timeout: 120_000 };

const JID = "20240506070809123456";
const LOAD = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };
const RETURN = { minion: "web1", return: new Packed(encode(1, "bin")), retcode: 0, success: true, storedMs: 0 };

interface Store {
  skip: string | undefined;
  start(): Promise<TestServer>;
  /** Another database with each number. */
  open(server: TestServer, number: number, clock: FakeClock): Promise<JobCache>;
  /** Has the server refuse what would be written, and take it again. */
  refuse(server: TestServer, number: number, refuse: boolean): Promise<void>;
  /** Every name that is known to the server. */
  names(server: TestServer, number: number): Promise<string[]>;
}

const STORES: Record<string, Store> = {
  postgres: {
    skip: noPostgres(),
    start: sharedPostgres,
    async open({ port }, number, clock) {
      const { default: postgres } = await import("postgres");
      const admin = postgres({ host: "127.0.0.1", port, username: "salt", database: "postgres", max: 1 });
      const known = await admin`SELECT 1 FROM pg_database WHERE datname = ${`jobs${number}`}`;
      if (known.length === 0) await admin.unsafe(`CREATE DATABASE jobs${number}`);
      await admin.end();
      return await openPostgresJobCache({
        host: "127.0.0.1",
        port,
        user: "salt",
        database: `jobs${number}`,
        now: () => clock.now(),
      });
    },
    async refuse({ port }, number, refuse) {
      const { default: postgres } = await import("postgres");
      const admin = postgres({ host: "127.0.0.1", port, username: "salt", database: `jobs${number}`, max: 1 });
      await admin.unsafe(
        refuse
          ? "ALTER TABLE brine_job ADD CONSTRAINT nothing_more CHECK (false) NOT VALID"
          : "ALTER TABLE brine_job DROP CONSTRAINT nothing_more",
      );
      await admin.end();
    },
    async names({ port }, number) {
      const { default: postgres } = await import("postgres");
      const admin = postgres({ host: "127.0.0.1", port, username: "salt", database: `jobs${number}`, max: 1 });
      const rows = await admin`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
      await admin.end();
      return rows.map(({ relname }) => String(relname));
    },
  },
  redis: {
    skip: noRedis(),
    start: sharedRedis,
    open: ({ port }, database, clock) =>
      openRedisJobCache({ host: "127.0.0.1", port, database, bytes: Buffer, now: () => clock.now() }),
    async refuse({ port }, _number, refuse) {
      const { createClient } = await import("redis");
      const admin = createClient({ socket: { host: "127.0.0.1", port } });
      await admin.connect();
      await admin.configSet("maxmemory", refuse ? "1" : "0");
      await admin.close();
    },
    async names({ port }, database) {
      const { createClient } = await import("redis");
      const admin = createClient({ socket: { host: "127.0.0.1", port }, database });
      await admin.connect();
      const names = await admin.keys("*");
      await admin.close();
      return names;
    },
  },
};

for (const [name, { skip, start, open, refuse, names }] of Object.entries(STORES)) {
  describe(`${name} job cache`, { skip }, () => {
    let server: TestServer;
    before(async () => void (server = await start()), SERVER);

    jobCacheContract(name, (clock) => open(server, server.fresh(), clock), async (clock) => {
      const own = server.fresh();
      const jobs = await open(server, own, clock);
      return { jobs, fail: () => refuse(server, own, true), mend: () => refuse(server, own, false) };
    });

    test("what was flushed survives a stop of the server; the rest is lost as a whole, and the flush fails", async () => {
      const own = server.fresh();
      const jobs = await open(server, own, new FakeClock());
      await jobs.reserve(JID);
      await jobs.saveLoad(JID, LOAD, ["web1"]);
      await jobs.flush();
      const later = "20240506070809123457";
      await jobs.saveLoad(later, { ...LOAD, jid: later }, ["web1"]);
      await jobs.saveReturn(later, RETURN);
      await server.stop();
      const says = (error: unknown) => {
        assert.ok(error instanceof SystemError);
        assert.ok(error.message.includes(jobs.place), error.message);
        assert.match(error.message, /check that the server runs/);
        return true;
      };
      await assert.rejects(async () => await jobs.flush(), says);
      await assert.rejects(async () => await jobs.load(JID), says);
      await assert.rejects(async () => await jobs.saveReturn(JID, RETURN), says);
      await server.start();
      await jobs.flush();
      assert.deepEqual(await jobs.load(JID), LOAD);
      assert.equal(await jobs.hasLoad(later), false);
      assert.deepEqual(await jobs.returns(later), []);
      assert.equal(await jobs.saveReturn(later, RETURN), true);
      await jobs.saveLoad(later, LOAD, []);
      await jobs.flush();
      await jobs.close();
      const again = await open(server, own, new FakeClock());
      assert.deepEqual(await again.unsettled(), [JID, later]);
      assert.equal((await again.returns(later)).length, 1);
      await again.close();
    });

    test("a read without a server loses the buffered writes, and the next flush fails", async () => {
      const jobs = await open(server, server.fresh(), new FakeClock());
      await jobs.saveLoad(JID, LOAD, ["web1"]);
      await server.stop();
      await assert.rejects(async () => await jobs.minions(JID), SystemError);
      await server.start();
      await assert.rejects(async () => await jobs.flush(), SystemError);
      await jobs.flush();
      assert.equal(await jobs.load(JID), undefined);
      await jobs.saveLoad(JID, LOAD, ["web1"]);
      await jobs.flush();
      assert.deepEqual(await jobs.minions(JID), ["web1"]);
      await jobs.close();
    });

    test("two masters on one server do not both reserve a jid, nor both save a return", async () => {
      const own = server.fresh();
      const [one, two] = [await open(server, own, new FakeClock()), await open(server, own, new FakeClock())];
      assert.deepEqual([await one.reserve(JID), await two.reserve(JID)], [true, false]);
      await one.saveReturn(JID, RETURN);
      await two.saveReturn(JID, { ...RETURN, retcode: 1 });
      await one.flush();
      await two.flush();
      for (const jobs of [one, two]) assert.deepEqual((await jobs.returns(JID)).map(({ retcode }) => retcode), [0]);
      await one.close();
      await two.close();
    });

    test("every name in the server begins with brine, and none is left of removed jobs", async () => {
      const clock = new FakeClock();
      const own = server.fresh();
      const jobs = await open(server, own, clock);
      const empty = await names(server, own);
      await jobs.saveLoad(JID, LOAD, ["web1"]);
      await jobs.saveReturn(JID, { ...RETURN, retcode: 1 });
      await jobs.saveOutcomes(JID, [{ minion: "web2", state: "lost", atMs: 1 }]);
      await jobs.settle(JID);
      await jobs.flush();
      for (const one of await names(server, own)) assert.match(one, /^(?:pg_toast_|brine)/);
      assert.equal(await jobs.expire(clock.now() + 1), 1);
      assert.deepEqual((await names(server, own)).filter((one) => one !== "brine:bytes").sort(), empty.sort());
      await jobs.close();
    });

    test("a server that cannot be reached is named at once", async () => {
      const gone = { ...server, port: 1 } as TestServer;
      const opening = name === "redis"
        ? open(gone, 0, new FakeClock())
        : openPostgresJobCache({ host: "127.0.0.1", port: 1, user: "salt", database: "x", now: () => 0 });
      await assert.rejects(opening, (error: unknown) => {
        assert.ok(error instanceof SystemError);
        assert.match(error.message, /127\.0\.0\.1:1\/.*check that the server runs/);
        return true;
      });
    });
  });
}
