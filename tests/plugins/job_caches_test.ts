/** Which job cache `master_job_cache` opens, and those that need no server. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openJobCache } from "../../cli/job_caches.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { ConfigError, SystemError } from "../../src/base/errors.ts";
import { jidDirectory } from "../../src/model/job/jid.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { temporaryDirectories } from "../runtime/contracts.ts";

const JID = "20240506070809123456";
const LOAD = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };

describe("openJobCache()", () => {
  const opened = async (options: Record<string, unknown>) => {
    const runtime = await currentRuntime();
    const cachedir = directory();
    return await openJobCache(runtime, { cachedir, hash_type: "sha256", ...options } as unknown as MasterOpts);
  };
  const directory = temporaryDirectories();

  for (
    const { options, place } of [
      {
        options: { master_job_cache: "postgres", "returner.postgres.host": "127.0.0.1", "returner.postgres.port": 1 },
        place: "postgres://salt@127.0.0.1:1/salt",
      },
      {
        options: {
          master_job_cache: "postgres_local_cache",
          "master_job_cache.postgres.host": "127.0.0.1",
          "master_job_cache.postgres.port": "1",
          "master_job_cache.postgres.user": "ann",
          "master_job_cache.postgres.passwd": "secret",
          "master_job_cache.postgres.db": "jobs",
        },
        place: "postgres://ann@127.0.0.1:1/jobs",
      },
      {
        options: { master_job_cache: "redis", redis: { host: "127.0.0.1", port: 1, db: "3" } },
        place: "redis://127.0.0.1:1/3",
      },
      {
        options: { master_job_cache: "redis_return", "redis.unix_socket_path": "/none/redis.sock" },
        place: "redis+unix:///none/redis.sock#0",
      },
    ]
  ) {
    test(`uses ${place}, and shows no password`, async () => {
      await assert.rejects(opened(options), (error: unknown) => {
        assert.ok(error instanceof SystemError);
        assert.ok(error.message.includes(place), error.message);
        assert.ok(!error.message.includes("secret"));
        return true;
      });
    });
  }

  test("of an unknown name lists the known ones", async () => {
    await assert.rejects(opened({ master_job_cache: "mysql" }), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /"mysql": expected one of sqlite, memory, local_cache, postgres, redis$/);
      return true;
    });
  });

  for (const name of ["sqlite", "memory", "local_cache"]) {
    test(`${name} is there at once, with Salt's three files of a job`, async () => {
      const runtime = await currentRuntime();
      const cachedir = directory();
      const options = { cachedir, hash_type: "sha256", master_job_cache: name, job_cache_store_endtime: false };
      const jobs = await openJobCache(runtime, options as unknown as MasterOpts);
      await jobs.saveLoad(JID, LOAD, ["web1"]);
      await jobs.flush();
      const own = jidDirectory(runtime.crypto, cachedir, JID);
      assert.deepEqual(runtime.fs.list(own), [".load.p", ".minions.p", "jid"]);
      await jobs.expire(Infinity);
      assert.equal(await jobs.hasLoad(JID), true);
      assert.deepEqual(runtime.fs.list(own), [".load.p", ".minions.p", "jid"]);
      await jobs.settle(JID);
      assert.equal(await jobs.expire(Number.MAX_SAFE_INTEGER), 1);
      assert.equal(runtime.fs.stat(own), undefined);
      await jobs.close();
    });
  }

  test("a job whose publisher needs no files has none", async () => {
    const runtime = await currentRuntime();
    const cachedir = directory();
    const options = { cachedir, hash_type: "sha256", master_job_cache: "sqlite" };
    const jobs = await openJobCache(runtime, options as unknown as MasterOpts);
    await jobs.saveLoad(JID, LOAD, ["web1"], { files: false });
    await jobs.flush();
    assert.equal(runtime.fs.stat(jidDirectory(runtime.crypto, cachedir, JID)), undefined);
    assert.equal(await jobs.hasLoad(JID), true);
    await jobs.settle(JID);
    assert.equal(await jobs.expire(Number.MAX_SAFE_INTEGER), 1);
    await jobs.close();
  });
});
