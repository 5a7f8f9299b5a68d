/** Files of real Salt's master and minion, byte for byte, written and read by Brine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLogger } from "../../../src/base/log.ts";
import { MinionCache } from "../../../src/host/master/minion_cache.ts";
import { TokenFiles } from "../../../src/host/master/access/tokens.ts";
import { RunningJobs } from "../../../src/host/minion/jobs/running_jobs.ts";
import { localCache } from "../../../src/plugins/job_caches/local_cache.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { decode, encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { canonical, fromHex, type Json, toHex, unescape, vectors } from "../../support/vectors.ts";

const recorded = vectors("files");
const { crypto } = await currentRuntime();
const later = (call: () => void) => void setTimeout(call, 0);
const silent = createLogger(() => {}, "quiet");
const JID = recorded.jid as string;
const NOCACHE = "20240101000000000001";

type Step = { step: string; result: Json; changed_files: Record<string, { mode: string; hex: string }> };
const step = (name: string): Step => recorded.steps.find((one: Step) => one.step === name);

/** Every file below a directory, by its path from there. */
function tree(fs: ReturnType<typeof memoryRuntime>["fs"], root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.list(`${root}${below}`)) {
    const path = `${below}/${name}`;
    if (fs.stat(`${root}${path}`)!.kind === "directory") Object.assign(found, tree(fs, root, path));
    else found[path.slice(1)] = toHex(fs.read(`${root}${path}`));
  }
  return found;
}

describe("files.json", () => {
  // The day and the microsecond of the recorded jid.
  const clock = new FakeClock(Date.UTC(2024, 4, 6, 7, 8, 9) + 123.456);
  const runtime = memoryRuntime({ clock, crypto });
  const { fs } = runtime;
  fs.mkdir("/cache");
  const jobs = localCache({ fs, crypto, clock, later, cacheDir: "/cache", hashName: recorded.hash_type });
  const minions = new MinionCache(fs, silent, "/cache");
  const pack = (value: unknown) => new Packed(encode(unescape(value), "bin"));
  const load = unescape(step("get_load").result) as Record<string, unknown>;
  delete load.Minions;
  const m1 = step("get_jid").result.m1;

  const actions: Record<string, () => unknown> = {
    "prep_jid with passed jid": () => jobs.reserve(JID) ? JID : false,
    "prep_jid nocache": () => jobs.reserve(NOCACHE, { nocache: true }) ? NOCACHE : false,
    save_load: () => jobs.saveLoad(JID, load, ["m1", "m2"]),
    "save_minions from syndic": () => jobs.saveMinions(JID, ["m3"], "synd1"),
    "returner m1": () =>
      void jobs.saveReturn(JID, {
        minion: "m1",
        return: pack(m1.return),
        retcode: 0,
        success: true,
        out: "nested",
        storedMs: 0,
      }),
    "returner m2 without retcode/out": () =>
      void jobs.saveReturn(JID, {
        minion: "m2",
        return: pack(true),
        retcode: undefined,
        success: undefined,
        storedMs: 0,
      }),
    "returner m1 duplicate": () =>
      jobs.saveReturn(JID, { minion: "m1", return: pack("x"), retcode: 1, success: false, storedMs: 0 }),
    "returner into nocache job": () =>
      void jobs.saveReturn(NOCACHE, { minion: "m1", return: pack(1), retcode: 0, success: true, storedMs: 0 }),
    update_endtime: () => jobs.updateEndtime(JID, "2024, May 06 07:08:09.123456"),
    get_load: () => ({ ...jobs.load(JID), Minions: jobs.minions(JID) }),
    get_jid: () =>
      Object.fromEntries(
        jobs.returns(JID).map(({ minion, return: value, retcode, success, out }) => [
          minion,
          Object.fromEntries(
            Object.entries({ return: decode(value.bytes, { mode: "bin" }), retcode, success, out })
              .filter(([, item]) => item !== undefined),
          ),
        ]),
      ),
    get_endtime: () => jobs.endtime(JID),
    "get_load unknown": () => jobs.load("20990101000000000000") ?? {},
    "minion data cache": () => minions.saveData("m1", decodeFile("minion data cache") as Json),
    "minion mine cache": () => minions.saveMine("m1", decodeFile("minion mine cache") as Json),
  };
  const decodeFile = (name: string) =>
    decode(fromHex(Object.values(step(name).changed_files)[0]!.hex), { mode: "bin" });

  test("each step leaves the files that Salt leaves, readable by their owner alone", async (t) => {
    assert.deepEqual(recorded.steps.map((one: Step) => one.step), Object.keys(actions));
    for (const { step: name, result, changed_files } of recorded.steps as Step[]) {
      await t.test(name, () => {
        const before = tree(fs, "/cache");
        const got = actions[name]!() ?? null;
        const byName = (value: unknown) =>
          name === "get_jid" ? Object.entries(value as object).sort().map(canonical) : canonical(value);
        assert.deepEqual(byName(got), byName(unescape(result)));
        const after = tree(fs, "/cache");
        const changed = Object.fromEntries(
          // Brine's own mark of an open job lies where Salt does not read.
          Object.entries(after).filter(([path, hex]) => before[path] !== hex && !path.startsWith("jobs.unsettled/")),
        );
        assert.deepEqual(
          changed,
          Object.fromEntries(Object.entries(changed_files).map(([path, { hex }]) => [path, hex])),
        );
        for (const path of Object.keys(changed)) assert.equal(fs.stat(`/cache/${path}`)!.mode, 0o600, path);
      });
    }
  });

  test("files written by Salt are read", () => {
    const other = memoryRuntime({ clock, crypto });
    for (const { changed_files } of recorded.steps as Step[]) {
      for (const [path, { hex, mode }] of Object.entries(changed_files)) {
        other.fs.mkdir(`/salt/${path.slice(0, path.lastIndexOf("/"))}`);
        other.fs.write(`/salt/${path}`, fromHex(hex), { mode: Number(mode) });
      }
    }
    const theirs = localCache({ fs: other.fs, crypto, clock, later, cacheDir: "/salt", hashName: "sha256" });
    assert.deepEqual(theirs.load(JID), jobs.load(JID));
    assert.deepEqual(theirs.minions(JID), ["m1", "m2", "m3"]);
    assert.deepEqual(theirs.returns(JID).map(({ minion, out }) => [minion, out]), [["m1", "nested"], [
      "m2",
      undefined,
    ]]);
    assert.deepEqual([...theirs.list()].flat().map(({ jid }) => jid), [JID]);
    assert.equal(theirs.reserve(JID), false);
    assert.equal(new MinionCache(other.fs, silent, "/salt").data("m1")!.grains.id, "m1");
  });

  test("storeEndtime stores the time of the last return", () => {
    const { fs } = memoryRuntime({ clock, crypto });
    const noting = localCache({ fs, crypto, clock, later, cacheDir: "/c", hashName: "sha256", storeEndtime: true });
    noting.saveReturn(JID, { minion: "m1", return: pack(1), retcode: 0, success: true, storedMs: 0 });
    assert.equal(noting.endtime(JID), recorded.steps.find((one: Step) => one.step === "get_endtime").result);
  });

  test("a pipe in the job cache is not read, a file that cannot be decoded is not a return", () => {
    const { fs } = memoryRuntime({ clock, crypto });
    const cache = localCache({ fs, crypto, clock, later, cacheDir: "/c", hashName: "sha256" });
    cache.saveLoad(JID, load, []);
    for (const minion of ["a", "b", "c"]) {
      cache.saveReturn(JID, { minion, return: pack(1), retcode: 0, success: true, storedMs: 0 });
    }
    const path = Object.keys(tree(fs, "/c")).find((one) => one.endsWith("a/return.p"))!;
    fs.write(`/c/${path}`, fromHex("c1c1"));
    fs.remove(`/c/${path.replace("a/return.p", "b/return.p")}`);
    fs.symlink("/c", `/c/${path.replace("a/return.p", "b/return.p")}`);
    assert.deepEqual(cache.returns(JID).map(({ minion }) => minion), ["c"]);
  });

  const { token, proc_file, minion_job_return, root_key, session_key, key_cache } = recorded.other_files;

  test("token files", () => {
    const tokens = new TokenFiles({ fs, crypto, clock, log: silent, directory: "/cache/tokens", hashName: "sha256" });
    const owner = unescape(token.returned) as Json;
    const made = { ...owner, start: Number(owner.start), expire: Number(owner.expire) };
    tokens.store(made);
    const path = `/cache/tokens/${token.file_name}`;
    assert.equal(toHex(fs.read(path)), token.hex);
    assert.equal(fs.stat(path)!.mode, Number(token.mode));
    assert.deepEqual(tokens.get(token.file_name), made);
    assert.deepEqual(tokens.list(), [token.file_name]);
  });

  test("a token is valid until the second it expires, and removed after it", () => {
    const clock = new FakeClock();
    const { fs } = memoryRuntime({ clock, crypto });
    const tokens = new TokenFiles({ fs, crypto, clock, log: silent, directory: "/tokens", hashName: "sha256" });
    const made = tokens.create({ name: "ann", eauth: "pam" }, 60);
    assert.equal(fs.stat("/tokens")!.mode, 0o700);
    clock.advance(59_999);
    assert.equal(tokens.get(made.token)!.name, "ann");
    clock.advance(1001);
    assert.equal(tokens.get(made.token), undefined);
    assert.deepEqual(tokens.list(), []);
    for (const name of ["../x", "", "..", `${made.token}/..`, null, 7, made.token.toUpperCase()]) {
      assert.equal(tokens.get(name), undefined);
    }
  });

  test("a token is found by its second name as long as it lasts, and nobody takes a name that is taken", () => {
    const clock = new FakeClock();
    const { fs } = memoryRuntime({ clock, crypto });
    const tokens = new TokenFiles({ fs, crypto, clock, log: silent, directory: "/tokens", hashName: "sha256" });
    const [ann, bob] = ["ann", "bob"].map((name) => tokens.create({ name, eauth: "pam" }, 60, "c0ffee".repeat(8)));
    assert.deepEqual(tokens.get("c0ffee".repeat(8)), ann);
    tokens.create({ name: "eve", eauth: "pam" }, 60, bob!.token);
    assert.equal(tokens.get(bob!.token)!.name, "bob");
    for (const name of ["../x", "", 7, "c0ffee"]) tokens.create({ name: "eve", eauth: "pam" }, 1, name);
    assert.deepEqual(fs.list("/tokens").filter((name) => name.length === 48), ["c0ffee".repeat(8)]);
    tokens.remove(ann!.token);
    assert.equal(tokens.get("c0ffee".repeat(8)), undefined);
    assert.ok(tokens.has("c0ffee".repeat(8)));
    clock.advance(60_000);
    assert.equal(tokens.get(bob!.token), undefined);
    assert.equal(tokens.get("c0ffee".repeat(8)), undefined);
    assert.ok(!tokens.has("c0ffee".repeat(8)));
  });

  test("proc files", () => {
    const { pid, ...job } = decode(fromHex(proc_file), { mode: "wire" }) as Json;
    const runtime = memoryRuntime({ clock, crypto, process: { pid } });
    const log = new RunningJobs(runtime, silent, "/cache");
    log.prepare();
    const running = log.begin(job.jid, job);
    clock.advance(1000);
    assert.equal(toHex(runtime.fs.read(`/cache/proc/${job.jid}`)), proc_file);
    running.end();
    assert.deepEqual(runtime.fs.list("/cache/proc"), []);
  });

  test("cached returns of a minion", () => {
    const ret = decode(fromHex(minion_job_return.hex), { mode: "wire" });
    assert.equal(toHex(encode(ret, "wire")), minion_job_return.hex);
  });

  test("key strings have the length of Salt's", () => {
    assert.equal(root_key.length, 76);
    assert.equal(session_key.length, 76);
    assert.equal(root_key.example.length, 76);
    assert.deepEqual(decode(fromHex(key_cache.hex), { mode: "bin" }), ["m1", "m2"]);
  });
});
