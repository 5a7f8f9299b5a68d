/** What the contract does not say of the job caches on this host: the file of SQLite, its indexes and mishaps; full disks. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../src/base/errors.ts";
import type { JobCache, JobSearch } from "../../src/model/job/job_cache.ts";
import { localCache } from "../../src/plugins/job_caches/local_cache.ts";
import { sqliteJobCache } from "../../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Database, Databases } from "../../src/runtime/database.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { decode, encode, Packed } from "../../src/protocol/wire/msgpack.ts";
import { listed } from "../contract/job_cache_contract.ts";
import { temporaryDirectories } from "../runtime/contracts.ts";
import { FakeClock } from "../support/fake_clock.ts";

const { databases, fs, crypto, later } = await currentRuntime();
const directory = temporaryDirectories();
const JID = "20240506070809123456";
const LOAD = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };
const pack = (value: unknown) => new Packed(encode(value, "bin"));
const returned = (minion: string, retcode: unknown = 0, success: unknown = true, value: unknown = 1) => ({
  minion,
  return: pack(value),
  retcode,
  success,
  storedMs: 1000,
});

/** A job cache with the database below it, and every statement that was prepared of it. */
function opened(path = newPath(), busyMs = 0) {
  let database: Database | undefined;
  const statements = new Set<string>();
  const watched: Databases = {
    open(file) {
      const own = database = databases.open(file);
      return { ...own, prepare: (sql) => (statements.add(sql), own.prepare(sql)) };
    },
  };
  const clock = new FakeClock();
  const jobs = sqliteJobCache({ databases: watched, fs, later, path, busyMs, now: () => clock.now() });
  return { jobs, path, clock, database: database!, statements };
}
function newPath(): string {
  const own = directory();
  fs.mkdir(own);
  return `${own}/jobs.sqlite`;
}
function make(path: string, sql: string): void {
  const database = databases.open(path);
  database.exec(sql);
  database.close();
}
const pragma = (database: Database, name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0];
const refused = (path: string, ...parts: RegExp[]) => (error: unknown) => {
  assert.ok(error instanceof SystemError, String(error));
  assert.ok(error.message.includes(`job cache "${path}"`), error.message);
  for (const part of parts) assert.match(error.message, part);
  return true;
};

/** The form of the releases before outcomes were kept, as they wrote it. */
const FIRST_FORM = `
CREATE TABLE job (
  jid TEXT PRIMARY KEY,
  created INTEGER NOT NULL,
  load BLOB
) WITHOUT ROWID;
CREATE TABLE target (
  jid TEXT NOT NULL,
  source TEXT NOT NULL,
  minions BLOB NOT NULL,
  PRIMARY KEY (jid, source)
) WITHOUT ROWID;
CREATE TABLE ret (
  jid TEXT NOT NULL,
  minion TEXT NOT NULL,
  stored INTEGER NOT NULL,
  value BLOB NOT NULL,
  retcode BLOB,
  success BLOB,
  out TEXT,
  PRIMARY KEY (jid, minion)
) WITHOUT ROWID;
CREATE INDEX job_created ON job (created);
PRAGMA user_version = 1;
`;

describe("a file of the first form", () => {
  function first(): string {
    const path = newPath();
    make(path, `PRAGMA journal_mode = WAL; ${FIRST_FORM}`);
    const database = databases.open(path);
    const job = database.prepare("INSERT INTO job VALUES (?, ?, ?)");
    const target = database.prepare("INSERT INTO target VALUES (?, '', ?)");
    const ret = database.prepare("INSERT INTO ret VALUES (?, ?, 5000, ?, ?, ?, ?)");
    const bin = (value: unknown) => encode(value, "bin");
    for (let n = 0; n < 1200; n++) {
      const jid = `202405060708${String(n).padStart(8, "0")}`;
      job.run(jid, 1000 + n, bin({ ...LOAD, jid, fun: n % 2 === 0 ? "test.ping" : ["cmd.run", "test.ping"] }));
      target.run(jid, bin(["web1", "web2"]));
      ret.run(jid, "web1", bin({ a: Uint8Array.of(255) }), bin(0), bin(true), "nested");
      if (n % 100 === 0) ret.run(jid, "web2", bin(null), bin(n === 0 ? null : 1), bin(n !== 300), null);
    }
    job.run("20240506080809000000", 9000, null);
    database.close();
    return path;
  }

  test("is upgraded with all its content", async () => {
    const path = first();
    const { jobs, database } = opened(path);
    assert.equal(pragma(database, "user_version"), 2);
    assert.equal(pragma(database, "auto_vacuum"), 2);
    const all = await listed(jobs);
    assert.equal(all.length, 1200);
    assert.deepEqual(all.at(-1)!.summary.fun, "test.ping");
    assert.equal((await listed(jobs, { fun: ["cmd.*"] })).length, 600);
    assert.equal((await listed(jobs, { fun: ["test.ping"] })).length, 1200);
    assert.equal((await listed(jobs, { outcome: "failed" })).length, 11);
    assert.deepEqual(await jobs.unsettled(), []);
    const jid = "20240506070800000100";
    assert.deepEqual(await jobs.load(jid), { ...LOAD, jid });
    assert.deepEqual(await jobs.minions(jid), ["web1", "web2"]);
    const [one, two] = await jobs.returns(jid);
    assert.deepEqual(decode(one!.return.bytes, { mode: "bin" }), { a: Uint8Array.of(255) });
    assert.deepEqual([one!.retcode, one!.success, one!.out, one!.storedMs], [0, true, "nested", 5000]);
    assert.deepEqual([two!.retcode, two!.success, two!.out], [1, true, undefined]);
    assert.equal(await jobs.reserve("20240506080809000000"), false);
    assert.equal(await jobs.saveReturn(jid, returned("web1")), false);
    await jobs.close();
    const again = opened(path).jobs;
    assert.equal((await listed(again, { limit: 3 })).length, 3);
    await again.close();
  });

  test("stays unchanged if the upgrade fails half way", { timeout: 60_000 }, async () => {
    const path = first();
    const failing: Databases = {
      open(file) {
        const own = databases.open(file);
        return {
          ...own,
          exec(sql) {
            if (sql.includes("CREATE INDEX ret_failed")) throw new Error("database or disk is full");
            own.exec(sql);
          },
        };
      },
    };
    assert.throws(
      () => sqliteJobCache({ databases: failing, fs, later, path, now: () => 0 }),
      refused(path, /is full; free space/),
    );
    const database = databases.open(path);
    assert.equal(pragma(database, "user_version"), 1);
    assert.equal(database.prepare("SELECT count(*) AS n FROM job WHERE load IS NOT NULL").get()!.n, 1200);
    database.close();
    const { jobs } = opened(path);
    assert.equal((await listed(jobs)).length, 1200);
    await jobs.close();
  });
});

describe("the file", () => {
  test("has our application id and form, and returns freed pages to the file system", () => {
    const { jobs, database } = opened();
    assert.equal(pragma(database, "application_id"), 0x4272696e);
    assert.equal(pragma(database, "user_version"), 2);
    assert.equal(pragma(database, "auto_vacuum"), 2);
    assert.equal(pragma(database, "journal_mode"), "wal");
    void jobs.close();
  });

  test("becomes smaller when jobs expire", async () => {
    const { jobs, database, path, clock } = opened();
    for (let n = 0; n < 300; n++) {
      const jid = `202405060708${String(n).padStart(8, "0")}`;
      await jobs.saveLoad(jid, LOAD, ["web1"]);
      await jobs.saveReturn(jid, returned("web1", 0, true, "x".repeat(20_000)));
      await jobs.settle(jid);
    }
    await jobs.flush();
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const before = fs.stat(path)!.size;
    assert.equal(await jobs.expire(clock.now() + 1), 300);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.ok(before > 6_000_000 && fs.stat(path)!.size < 200_000, `${before} to ${fs.stat(path)!.size}`);
    await jobs.close();
  });

  test("only the owner may read it and the files beside it", async () => {
    const path = newPath();
    const modes = () => ["", "-wal", "-shm"].map((end) => (fs.stat(path + end)!.mode & 0o777).toString(8));
    const { jobs: cache } = opened(path);
    await cache.reserve("20240506070809123456");
    await cache.flush();
    assert.deepEqual(modes(), ["600", "600", "600"]);
    await cache.close();
    // As it was left by somebody who did not care, and by somebody who lets a group read it.
    for (const [before, after] of [[0o644, "640"], [0o660, "660"]] as const) {
      fs.chmod(path, before);
      const { jobs: again } = opened(path);
      await again.reserve("20240506070809123457");
      await again.flush();
      assert.deepEqual(modes(), [after, after, after]);
      await again.close();
    }
  });

  for (
    const { name, prepare, says } of [
      {
        name: "of text",
        prepare: (path: string) => fs.write(path, "no database at all, however long it is. ".repeat(200)),
        says: [/not a database/, /restore it from a copy, or move it away/],
      },
      {
        name: "of another program",
        prepare: (path: string) => make(path, "CREATE TABLE songs (title TEXT)"),
        says: [/a database of something else/],
      },
      {
        name: "with another application's mark",
        prepare: (path: string) => make(path, "PRAGMA application_id = 7; CREATE TABLE job (jid)"),
        says: [/a database of something else/],
      },
      {
        name: "of a newer release",
        prepare(path: string) {
          void opened(path).jobs.close();
          make(path, "PRAGMA user_version = 99");
        },
        says: [/newer release \(form 99, this one knows 2\): upgrade/],
      },
      {
        name: "without one of its tables",
        prepare(path: string) {
          void opened(path).jobs.close();
          make(path, "DROP TABLE outcome");
        },
        says: [/malformed \(no table outcome\)/, /restore it from a copy/],
      },
      {
        name: "that is missing beside its log",
        prepare: (path: string) => fs.write(`${path}-wal`, "what was written last"),
        says: [/the file is missing while ".*-wal" holds/, /restore both from a copy/],
      },
      {
        name: "that is empty beside its log",
        prepare(path: string) {
          fs.write(path, "");
          fs.write(`${path}-wal`, "what was written last");
        },
        says: [/the file is empty while/],
      },
      {
        name: "that was cut off",
        prepare(path: string) {
          const { jobs, database } = opened(path);
          for (let n = 0; n < 50; n++) void jobs.saveReturn(JID, returned(`m${n}`, 0, true, "x".repeat(5000)));
          void jobs.flush();
          database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
          void jobs.close();
          fs.write(path, fs.read(path).slice(0, 4096 * 5));
        },
        says: [/malformed/, /restore it from a copy/],
      },
      {
        name: "that was overwritten in its midst",
        prepare(path: string) {
          const { jobs, database } = opened(path);
          for (let n = 0; n < 50; n++) void jobs.saveReturn(JID, returned(`m${n}`, 0, true, "x".repeat(5000)));
          void jobs.flush();
          database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
          void jobs.close();
          const bytes = Uint8Array.from(fs.read(path));
          bytes.fill(0xa5, 4096 * 8, 4096 * 30);
          fs.write(path, bytes);
        },
        says: [/malformed/, /restore it from a copy/],
      },
      {
        name: "in a directory that is not there",
        prepare: () => {},
        path: "/none/jobs.sqlite",
        says: [/create its directory/],
      },
    ] as { name: string; prepare(path: string): void; path?: string; says: RegExp[] }[]
  ) {
    test(`${name} is refused and left alone`, () => {
      const path = name.includes("directory") ? `${newPath()}/none/jobs.sqlite` : newPath();
      prepare(path);
      const before = fs.stat(path)?.size;
      assert.throws(() => opened(path), refused(path, ...says));
      assert.equal(fs.stat(path)?.size, before);
    });
  }

  test("that another process holds is refused with a way to find that process", () => {
    const path = newPath();
    void opened(path).jobs.close();
    const holder = databases.open(path);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    assert.throws(() => opened(path), refused(path, /locked/, new RegExp(`fuser -v ${path}`)));
    holder.close();
    void opened(path).jobs.close();
  });
});

describe("a loss of power", () => {
  /** Copies of the files as they were when they were last synced; `wait` is asked before that is done. */
  function scene(wait: () => Promise<void>) {
    const path = newPath();
    let kept: [name: string, bytes: Uint8Array][] = [];
    const own: FileSystem = {
      ...fs,
      async sync(file) {
        const bytes = (name: string): [string, Uint8Array][] =>
          fs.stat(name) === undefined ? [] : [[name, fs.read(name)]];
        const now = [...bytes(path), ...bytes(`${path}-wal`)];
        await wait();
        await fs.sync(file);
        if (file === `${path}-wal`) kept = now;
      },
    };
    const open = (more: { durability?: "power" | "process" } = {}) =>
      sqliteJobCache({ databases, fs: own, later, path, now: () => 0, ...more });
    /** Opens what a loss of power would leave now. */
    const after = () => {
      const left = newPath();
      for (const [name, bytes] of kept) fs.write(name.replace(path, left), bytes);
      return sqliteJobCache({ databases, fs, later, path: left, now: () => 0 });
    };
    return { open, after };
  }

  test("loses nothing that a flush has promised, and the event loop runs while the disk works", async () => {
    const turns: string[] = [];
    const { open, after } = scene(async () => {
      for (let turn = 0; turn < 3; turn++) {
        await new Promise<void>(later);
        turns.push("turn");
      }
    });
    const jobs = open();
    for (let job = 0; job < 20; job++) {
      const jid = `202405060708${String(job).padStart(8, "0")}`;
      await jobs.saveLoad(jid, { ...LOAD, jid }, ["web1"]);
      await jobs.saveReturn(jid, returned("web1"));
      turns.length = 0;
      const flushing = jobs.flush();
      assert.deepEqual(turns, []);
      await flushing;
      assert.equal(turns.filter((one) => one === "turn").length >= 3, true);
      const left = after();
      assert.equal((await left.returns(jid)).length, 1, jid);
      await left.close();
    }
    await jobs.close();
  });

  test("what was saved while the disk works belongs to the next flush, and so does what a removal has closed", async () => {
    let gate = Promise.withResolvers<void>();
    const { open, after } = scene(() => gate.promise);
    const jobs = open();
    const [one, two] = ["20240506070809000001", "20240506070809000002"];
    await jobs.saveLoad(one, { ...LOAD, jid: one }, ["web1"]);
    const first = jobs.flush();
    await jobs.saveLoad(two, { ...LOAD, jid: two }, ["web1"]);
    await jobs.expire(0);
    const second = jobs.flush();
    gate.resolve();
    gate = Promise.withResolvers();
    await first;
    const early = after();
    assert.equal(await early.hasLoad(one), true);
    await early.close();
    gate.resolve();
    await second;
    const late = after();
    assert.equal(await late.hasLoad(two), true);
    await late.close();
    await jobs.close();
  });

  test("a failed sync is an error, and its data are synced before the next flush succeeds", async () => {
    let broken = true;
    const { open, after } = scene(() =>
      broken ? Promise.reject(new SystemError("EIO", "the disk does not answer")) : Promise.resolve()
    );
    const jobs = open();
    const jid = "20240506070809000001";
    await jobs.saveLoad(jid, { ...LOAD, jid }, ["web1"]);
    await assert.rejects(async () => await jobs.flush(), { code: "EIO" });
    await assert.rejects(async () => await jobs.flush(), { code: "EIO" });
    broken = false;
    await jobs.flush();
    const left = after();
    assert.equal(await left.hasLoad(jid), true);
    await left.close();
    await jobs.close();
  });

  test("takes nothing that a process which was killed had committed, once the next one has flushed", async () => {
    let broken = true;
    const { open, after } = scene(() =>
      broken ? Promise.reject(new SystemError("EIO", "the disk does not answer")) : Promise.resolve()
    );
    const jid = "20240506070809000001";
    const killed = open();
    await killed.saveLoad(jid, { ...LOAD, jid }, ["web1"]);
    await assert.rejects(async () => await killed.flush(), { code: "EIO" });
    broken = false;
    const next = open();
    assert.equal(await next.hasLoad(jid), true);
    // It has written nothing itself.
    await next.flush();
    const left = after();
    assert.equal(await left.hasLoad(jid), true);
    await Promise.all([left, next, killed].map((jobs) => jobs.close()));
  });

  test("is not waited for with durability: process", async () => {
    const { open } = scene(() => Promise.reject(new Error("asked to sync")));
    const jobs = open({ durability: "process" });
    await jobs.saveLoad("20240506070809000001", LOAD, ["web1"]);
    assert.equal(jobs.flush(), undefined);
    await jobs.close();
  });
});

describe("a flush that fails", () => {
  const [first, second, third] = ["20240506070809000001", "20240506070809000002", "20240506070809000003"];

  /** A job that was flushed, and one that was not. */
  function begun() {
    const cache = opened();
    void cache.jobs.saveLoad(first, { ...LOAD, jid: first }, ["web1"]);
    void cache.jobs.flush();
    return cache;
  }
  async function holds(jobs: JobCache, wanted: string[]) {
    assert.deepEqual((await listed(jobs, { oldestFirst: true })).map(({ jid }) => jid), wanted);
    assert.deepEqual(await jobs.unsettled(), wanted);
  }

  test("for a full disk loses all since the one before, throws, and the cache stays usable", async () => {
    const { jobs, path, database } = begun();
    await jobs.saveReturn(second, returned("web1"));
    await jobs.saveLoad(second, { ...LOAD, jid: second }, ["web1"]);
    database.exec(`PRAGMA max_page_count = ${pragma(database, "page_count")}`);
    const big = returned("web2", 0, true, "x".repeat(1_000_000));
    assert.throws(() => jobs.saveReturn(second, big), refused(path, /is full; free space on its file system/));
    // Of the same turn, as what is lost.
    assert.throws(() => jobs.saveOutcomes(first, []), SystemError);
    assert.throws(() => jobs.flush(), refused(path, /is full/));
    assert.equal(await jobs.hasLoad(second), false);
    assert.equal(await jobs.hasReturn(second, "web1"), false);
    await holds(jobs, [first]);
    await jobs.flush();
    database.exec("PRAGMA max_page_count = 1000000");
    assert.equal(await jobs.saveReturn(second, returned("web1")), true);
    assert.equal(await jobs.hasLoad(second), false);
    await jobs.saveLoad(second, { ...LOAD, jid: second }, ["web1"]);
    assert.equal(await jobs.saveReturn(second, big), true);
    await jobs.flush();
    await holds(jobs, [first, second]);
    await jobs.close();
    const again = opened(path).jobs;
    await holds(again, [first, second]);
    assert.equal((await again.returns(second)).length, 2);
    await again.close();
  });

  test("at the commit itself is rolled back, too", async () => {
    const path = newPath();
    let fail = false;
    const failing: Databases = {
      open(file) {
        const own = databases.open(file);
        return {
          ...own,
          prepare(sql) {
            const statement = own.prepare(sql);
            if (sql !== "COMMIT") return statement;
            return {
              ...statement,
              run() {
                if (fail) throw new Error("disk I/O error");
                return statement.run();
              },
            };
          },
        };
      },
    };
    const jobs = sqliteJobCache({ databases: failing, fs, later, path, now: () => 0 });
    await jobs.saveLoad(first, { ...LOAD, jid: first }, []);
    await jobs.flush();
    await jobs.saveLoad(second, { ...LOAD, jid: second }, []);
    await jobs.settle(first);
    fail = true;
    assert.throws(() => jobs.flush(), refused(path, /disk I\/O error; see the system's log/));
    fail = false;
    await holds(jobs, [first]);
    await jobs.saveLoad(third, { ...LOAD, jid: third }, []);
    await jobs.flush();
    await holds(jobs, [first, third]);
    await jobs.close();
  });

  test("because another process writes names a way to find it, and passes once that process is done", async () => {
    const { jobs, path } = begun();
    const other = databases.open(path);
    other.exec("BEGIN IMMEDIATE");
    assert.throws(() => jobs.saveReturn(first, returned("web1")), refused(path, /locked/, /fuser -v/));
    assert.throws(() => jobs.flush(), refused(path, /locked/));
    await holds(jobs, [first]);
    other.exec("ROLLBACK");
    assert.equal(await jobs.saveReturn(first, returned("web1")), true);
    await jobs.flush();
    assert.equal(await jobs.hasReturn(first, "web1"), true);
    other.close();
    await jobs.close();
  });

  test("while jobs expire fails the flush of saves in the same turn, too", async () => {
    const { jobs, database, clock } = begun();
    await jobs.settle(first);
    await jobs.flush();
    database.exec("CREATE TEMP TRIGGER no BEFORE DELETE ON job BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    await jobs.saveLoad(second, { ...LOAD, jid: second }, []);
    await assert.rejects(async () => await jobs.expire(clock.now() + 1), SystemError);
    assert.throws(() => jobs.flush(), SystemError);
    database.exec("DROP TRIGGER no");
    assert.deepEqual((await listed(jobs)).map(({ jid }) => jid), [first]);
    await jobs.close();
  });
});

describe("what is searched for is found by an index", () => {
  const searches: [name: string, search: JobSearch][] = [
    ["all", {}],
    ["a time", { fromMs: 5, untilMs: 10, oldestFirst: true }],
    ["a function", { fun: ["test.ping"] }],
    ["functions by their beginning", { fun: ["test.*"] }],
    ["a target", { target: ["web1"] }],
    ["targets by their beginning", { target: ["web*"] }],
    ["a user", { user: ["root"] }],
    ["users by their beginning", { user: ["sudo_*"], oldestFirst: true }],
    ["a function and a time", { fun: ["test.ping"], fromMs: 1 }],
    ["lost", { outcome: "lost" }],
    ["failed", { outcome: "failed" }],
    ["published", { outcome: "published" }],
  ];
  async function used(act: (jobs: JobCache) => unknown): Promise<string[]> {
    const { jobs, database, statements } = opened();
    for (let n = 0; n < 20; n++) {
      const jid = `202405060708${String(n).padStart(8, "0")}`;
      await jobs.saveLoad(jid, { ...LOAD, jid, fun: n % 2 ? "test.ping" : "cmd.run", tgt: `web${n}` }, ["web1"]);
      await jobs.saveReturn(jid, returned("web1", n % 2));
      await jobs.saveOutcomes(jid, [{ minion: "web2", state: "lost", atMs: 1 }]);
    }
    statements.clear();
    await act(jobs);
    const plans = [...statements].filter((sql) => sql.startsWith("SELECT") || sql.startsWith("DELETE")).flatMap((sql) =>
      database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array<null>(sql.split("?").length - 1).fill(null))
        .map((row) => `${row.detail}`)
    );
    await jobs.close();
    return plans;
  }
  for (const [name, search] of searches) {
    test(name, async () => {
      const plans = await used((jobs) => listed(jobs, search));
      assert.ok(plans.length > 0);
      // A subquery and the list of jids that was given are no tables; a partial index holds only what is wanted.
      const scans = plans.filter((plan) =>
        /^SCAN/.test(plan) && !/^SCAN (?:json_each|\(subquery|\(join|CONSTANT)/.test(plan) &&
        !/_open|_failed/.test(plan)
      );
      assert.deepEqual(scans, []);
      assert.ok(plans.some((plan) => /^SEARCH/.test(plan)), plans.join("\n"));
    });
  }

  test("unsettled jobs, states, and what has expired", async () => {
    const plans = await used(async (jobs) => {
      await jobs.unsettled();
      await jobs.inState("queued");
      await jobs.expire(Number.MAX_SAFE_INTEGER);
    });
    assert.ok(plans.some((plan) => /USING (?:COVERING )?INDEX job_open/.test(plan)), plans.join("\n"));
    assert.ok(plans.some((plan) => /INDEX outcome_state/.test(plan)), plans.join("\n"));
    assert.ok(plans.some((plan) => /INDEX job_created/.test(plan)), plans.join("\n"));
    assert.deepEqual(plans.filter((plan) => /^SCAN/.test(plan) && !/json_each|job_open/.test(plan)), []);
  });
});

describe("localCache", () => {
  test("undoes what it saved since the last flush when the disk is full, throws, and stays usable", () => {
    const clock = new FakeClock();
    const { fs: disk } = memoryRuntime({ clock, crypto });
    /** Writes until one fails. */
    let room = Infinity;
    const small = {
      ...disk,
      write(path: string, data: Uint8Array | string, options?: Parameters<typeof disk.write>[2]) {
        if (room-- === 0) throw new SystemError("ENOSPC", `Cannot write "${path}": no space left on the device`);
        disk.write(path, data, options);
      },
    };
    const jobs = localCache({ fs: small, crypto, clock, later, cacheDir: "/c", hashName: "sha256" });
    const [first, second] = ["20240506070809000001", "20240506070809000002"];
    jobs.saveLoad(first, { ...LOAD, jid: first }, ["web1"]);
    jobs.flush();
    const before = JSON.stringify([disk.list("/c/jobs"), disk.list("/c/jobs.unsettled")]);
    jobs.saveMinions(first, ["web9"]);
    jobs.settle(first);
    jobs.saveLoad(second, { ...LOAD, jid: second }, ["web1"]);
    room = 1;
    assert.throws(() => jobs.saveReturn(second, { ...returned("web1"), out: "nested" }), /"\/c\/jobs".*free space/);
    assert.throws(() => jobs.saveMinions(first, ["web3"]), /free space/);
    assert.throws(() => jobs.flush(), /free space/);
    assert.equal(JSON.stringify([disk.list("/c/jobs"), disk.list("/c/jobs.unsettled")]), before);
    assert.deepEqual(jobs.minions(first), ["web1"]);
    assert.deepEqual(jobs.unsettled(), [first]);
    assert.equal(jobs.reserve(second), true);
    jobs.flush();
  });

  test("removes the mark of a job that Salt has removed", () => {
    const clock = new FakeClock();
    const { fs: disk } = memoryRuntime({ clock, crypto });
    const jobs = localCache({ fs: disk, crypto, clock, later, cacheDir: "/c", hashName: "sha256" });
    jobs.saveLoad(JID, LOAD, ["web1"]);
    disk.remove("/c/jobs", { recursive: true });
    assert.deepEqual(jobs.unsettled(), []);
    assert.deepEqual(disk.list("/c/jobs.unsettled"), []);
  });
});
