/** State after a loss of power, on a file system that drops unsynced data and truncates the ends of files. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers";
import { until } from "../../bench/bed/until.ts";
import { loadPair } from "../../src/protocol/channel/key_pair.ts";
import { silentLogger } from "../../src/base/log.ts";
import { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { localCache } from "../../src/plugins/job_caches/local_cache.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { notedFiles, syncedJobCache } from "../../src/plugins/job_caches/noted_files.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { SystemError } from "../../src/base/errors.ts";
import { durableFiles, type FileSystem } from "../../src/runtime/fs.ts";
import { type MemoryFileSystem, memoryFileSystem } from "../../src/runtime/memory/memory_runtime.ts";
import { encode, Packed, unpack } from "../../src/protocol/wire/msgpack.ts";
import { seeded } from "../faults/history.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A slow disk: a sync ends some turns of the event loop later. */
function slow(fs: MemoryFileSystem, random: () => number): void {
  const sync = fs.sync.bind(fs);
  fs.sync = async (path) => {
    for (let turns = Math.floor(random() * 5); turns > 0; turns--) await turn();
    await sync(path);
  };
}

describe("after a loss of power at a minion", TIMEOUT, () => {
  for (let seed = 1; seed <= 12; seed++) {
    test(`no job has run twice, and each has an outcome (seed ${seed})`, TIMEOUT, async () => {
      const random = seeded(seed);
      const runs: string[] = [];
      const module: ExecutionModule = {
        functions: {
          mark: {
            signature: "token",
            doc: "",
            async run(_context, { token }) {
              runs.push(String(token));
              for (let turns = Math.floor(random() * 4); turns > 0; turns--) await turn();
              return token;
            },
          },
        },
      };
      const jobs: ReturnType<typeof memoryJobCache> = memoryJobCache(() => cluster.clock.now());
      const cluster = await startCluster({ jobs, modules: { probe: () => Promise.resolve({ module }) } });
      await using _ = cluster;
      const client = await cluster.client();
      const disk = () => cluster.runtimeOf("web1").fs as MemoryFileSystem;
      slow(disk(), random);
      const asked = new Map<string, string>();
      for (let life = 0; life < 3; life++) {
        for (let job = 0; job < 8; job++) {
          const token = `${life}.${job}`;
          const published = await client.publish({ tgt: "web1", fun: "probe.mark", arg: [token], queue: 3600 });
          asked.set(published!.jid, token);
          cluster.clock.advance(random() < 0.3 ? 400 : 1);
          for (let turns = Math.floor(random() * 6); turns > 0; turns--) await turn();
        }
        await cluster.cutPower("web1", random);
        slow(disk(), random);
        let ready = false;
        void (await cluster.startMinion("web1")).ready.then(() => ready = true);
        await until(() => {
          cluster.clock.advance(50);
          return ready;
        });
      }
      const { ledger } = cluster.master.services;
      let waited = 0;
      await until(() => {
        cluster.clock.advance(50);
        return ledger.size === 0 || ++waited > 5000;
      });
      for (const [jid, token] of asked) {
        const ran = runs.filter((one) => one === token).length;
        const [outcome] = await ledger.outcomes(jid);
        const [stored] = jobs.returns(jid);
        const value = stored === undefined ? undefined : unpack(stored.return, "bin");
        const told = `${token} is ${outcome!.state}, ran ${ran} times and gave ${String(value)}`;
        assert.ok(ran <= 1, told);
        if (outcome!.state === "returned") assert.deepEqual([ran, value], [1, token], told);
        else assert.ok(outcome!.state === "failed" && /^The minion was stopped before/.test(String(value)), told);
      }
    });
  }
});

describe("after a loss of power at a master", TIMEOUT, () => {
  for (let seed = 1; seed <= 5; seed++) {
    test(`everything that was flushed into files is complete (seed ${seed})`, TIMEOUT, async () => {
      const random = seeded(seed);
      const { crypto } = await currentRuntime();
      const clock = new FakeClock();
      const open = (fs: MemoryFileSystem) => {
        const files = notedFiles(fs);
        const options = { crypto, clock, cacheDir: "/cache", hashName: "sha256", later: setImmediate } as const;
        return syncedJobCache(localCache({ fs: files.fs, note: files.note, ...options }), files);
      };
      const fs = memoryFileSystem({ clock });
      fs.mkdir("/cache");
      slow(fs, random);
      const jobs = open(fs);
      const promised: [jid: string, minion: string][] = [];
      let off = false;
      const load = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root" };
      const working = (async () => {
        for (let job = 0; !off; job++) {
          const jid = `202405060708${String(job).padStart(8, "0")}`;
          await jobs.saveLoad(jid, { ...load, jid }, ["a", "b"]);
          await jobs.flush();
          for (const minion of ["a", "b"]) {
            const value = new Packed(encode(`${jid} ${minion}`, "bin"));
            await jobs.saveReturn(jid, { minion, return: value, retcode: 0, success: true, storedMs: 0 });
            await jobs.flush();
            if (!off) promised.push([jid, minion]);
          }
        }
      })();
      for (let turns = 50 + Math.floor(random() * 300); turns > 0; turns--) await turn();
      off = true;
      const after = open(fs.powerCut(random));
      const wanted = [...promised];
      await working;
      assert.ok(wanted.length > 3);
      for (const [jid, minion] of wanted) {
        assert.equal((await after.load(jid))?.fun, "test.ping", jid);
        const stored = (await after.returns(jid)).find((one) => one.minion === minion);
        assert.equal(stored === undefined ? undefined : unpack(stored.return, "bin"), `${jid} ${minion}`);
      }
    });
  }
});

describe("Salt's job cache after a loss of power", () => {
  const JID = "20240506070809000001";
  const load = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };
  const returned = (minion: string) => ({
    minion,
    return: new Packed(encode("done", "bin")),
    retcode: 0,
    success: true,
    storedMs: 0,
  });

  /** A disk with a job on it, and how to open the cache on one. */
  async function desk() {
    const { crypto } = await currentRuntime();
    const clock = new FakeClock();
    const open = (fs: FileSystem) => {
      const files = notedFiles(fs);
      const options = { crypto, clock, cacheDir: "/cache", hashName: "sha256", later: setImmediate } as const;
      return syncedJobCache(localCache({ fs: files.fs, note: files.note, ...options }), files);
    };
    const fs = memoryFileSystem({ clock });
    fs.mkdir("/cache");
    const jobs = open(fs);
    await jobs.saveLoad(JID, load, ["a", "b"]);
    await jobs.flush();
    return { fs, jobs, open };
  }

  test("takes a return anew of which only a part was left", async () => {
    const { fs, jobs, open } = await desk();
    await jobs.saveReturn(JID, returned("a"));
    // Once with the file's name and nothing in it, once with its directory alone.
    for (const chance of [[0.9, 0], [0]]) {
      let at = 0;
      const after = open(fs.powerCut(() => chance[Math.min(at++, chance.length - 1)]!));
      assert.equal(await after.hasReturn(JID, "a"), false);
      assert.equal(await after.saveReturn(JID, returned("a")), true);
      await after.flush();
      assert.equal(await after.hasReturn(JID, "a"), true);
      assert.equal(await after.saveReturn(JID, returned("a")), false);
    }
  });

  test("has what an earlier process had written, once the next one has said so", async () => {
    const { fs, jobs, open } = await desk();
    await jobs.saveReturn(JID, returned("a"));
    // The process is killed here.
    const next = open(fs);
    assert.equal(await next.saveReturn(JID, returned("a")), false);
    await next.flush();
    assert.equal(await open(fs.powerCut()).hasReturn(JID, "a"), true);
  });

  test("keeps nothing of a flush that failed", async () => {
    const { fs, open } = await desk();
    let broken = true;
    const sync: FileSystem["sync"] = (path) =>
      broken ? Promise.reject(new SystemError("EIO", "broken")) : fs.sync(path);
    const jobs = open({ ...fs, sync });
    const outcome = { minion: "b", state: "lost", atMs: 1 } as const;
    await jobs.saveReturn(JID, returned("a"));
    await jobs.saveOutcomes(JID, [outcome]);
    await jobs.settle(JID);
    const flushing = jobs.flush();
    await jobs.saveOutcomes(JID, [{ ...outcome, minion: "a" }]);
    await assert.rejects(async () => await flushing, { code: "EIO" });
    const kept = async () => [await jobs.returns(JID), await jobs.outcomes(JID), await jobs.unsettled()];
    assert.deepEqual(await kept(), [[], [], [JID]]);
    // What was saved meanwhile was lost with it.
    await assert.rejects(async () => await jobs.flush(), { code: "EIO" });
    broken = false;
    assert.equal(await jobs.saveReturn(JID, returned("a")), true);
    await jobs.flush();
    assert.equal((await jobs.returns(JID)).length, 1);
  });

  test("is settled only if it has the outcomes", async () => {
    const { fs, jobs, open } = await desk();
    await jobs.saveOutcomes(JID, [{ minion: "a", state: "lost", atMs: 1 }]);
    await jobs.settle(JID);
    assert.deepEqual(await jobs.unsettled(), []);
    for (const chance of [0, 0.3, 0.7, 0.99]) {
      const after = open(fs.powerCut(() => chance));
      if ((await after.unsettled()).length === 0) assert.equal((await after.outcomes(JID)).length, 1);
    }
    assert.deepEqual(await open(fs.powerCut(() => 0.99)).unsettled(), [JID]);
    await jobs.flush();
    assert.deepEqual(fs.list("/cache/jobs.unsettled"), []);
    // What was cut off in a file of outcomes goes with the next ones.
    const [path] = [fs.list("/cache/jobs")[0]!].flatMap((top) =>
      fs.list(`/cache/jobs/${top}`).map((rest) => `/cache/jobs/${top}/${rest}`)
    );
    fs.append(`${path}/.outcomes`, Uint8Array.of(0, 0, 0, 40, 1, 2));
    await jobs.saveOutcomes(JID, [{ minion: "b", state: "expired", atMs: 2 }]);
    assert.deepEqual((await jobs.outcomes(JID)).map(({ minion, state }) => [minion, state]), [["a", "lost"], [
      "b",
      "expired",
    ]]);
  });
});

describe("keys", () => {
  const clock = new FakeClock();
  const left = (fs: MemoryFileSystem) =>
    [() => 0, () => 0.25, () => 0.75, () => 0.999].map((random) => fs.powerCut(random));

  test("a key pair is complete, or is generated again", async () => {
    const { crypto } = await currentRuntime();
    const fs = memoryFileSystem({ clock });
    fs.mkdir("/pki", 0o700);
    const runtime = { ...await currentRuntime(), fs, crypto };
    const files = { pkiDir: "/pki", name: "minion", keySize: 2048 };
    const { publicPem } = await loadPair(runtime, silentLogger, files);
    for (const after of left(fs)) {
      assert.equal((await loadPair({ ...runtime, fs: after }, silentLogger, files)).publicPem, publicPem);
    }
  });

  test("decisions about keys are kept, and no key file is torn", async () => {
    const { crypto } = await currentRuntime();
    const fs = memoryFileSystem({ clock });
    const keys = new KeyDirectories(fs, crypto, "/pki");
    keys.prepare();
    const { publicPem: pem } = PAIRS.minion;
    for (const id of ["a", "b", "c"]) keys.write("accepted", id, pem);
    keys.write("pre", "d", pem);
    await keys.synced();
    keys.remove("accepted", "a");
    keys.write("rejected", "b", pem);
    keys.remove("accepted", "b");
    await keys.synced();
    // The test did not wait for this sync.
    keys.write("accepted", "late", pem);
    for (const after of left(fs)) {
      const own = new KeyDirectories(after, crypto, "/pki");
      assert.deepEqual(["a", "b", "c"].map((id) => own.accepted(id)?.pem), [undefined, undefined, pem]);
      assert.equal(own.read("rejected", "b"), pem);
      const late = own.accepted("late")?.pem;
      assert.ok(late === undefined || pem.startsWith(late));
    }
  });
});

test("durability: process leaves syncing to the operating system", async () => {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  const files = durableFiles(fs, "process");
  files.write("/a", "one", { sync: true });
  await files.sync("/a");
  await files.sync("/");
  assert.equal(fs.powerCut().stat("/a"), undefined);
  durableFiles(fs, "power").write("/a", "one", { sync: true });
  files.remove("/a", { sync: true });
  assert.equal(fs.powerCut().readText("/a"), "one");
});
