/** The publication key of a cluster: of one that a master has replaced, nothing comes back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterKey } from "../../../src/feature/cluster/cluster_key.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { SharedKey } from "../../../src/host/master/cluster/shared_key.ts";
import { RotatingMasterKey } from "../../../src/host/master/keys/publication_key.ts";
import { MemoryLedger } from "../../../src/plugins/ledger_storages/memory.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const { crypto } = await currentRuntime();
const { privatePem } = await crypto.generateKeyPair(2048);
const key = new ClusterKey(crypto, crypto.loadPrivateKey(privatePem), "default");

/** A master of the cluster, and its next start on the same disk. */
function sharing(
  shared: MemoryLedger,
  name: string,
  fs = memoryFileSystem({ clock: new FakeClock(), uid: 0, gid: 0 }),
) {
  const { records } = shared.open();
  const masterKey = new RotatingMasterKey(crypto);
  const runtime = { crypto, fs };
  const sharedKey = new SharedKey({ records, key, runtime, log: silentLogger, masterKey, path: "/key" });
  return {
    records,
    sharedKey,
    join: () => sharedKey.join(name, "memory"),
    look: () => sharedKey.look(name),
    rotate: () => sharedKey.rotate(name),
    get keyString() {
      return masterKey.current.keyString;
    },
    again: () => sharing(shared, `${name}+`, fs),
  };
}

test("all masters have one key, and a new one of any of them", async () => {
  const shared = new MemoryLedger(new FakeClock());
  const [a, b] = [sharing(shared, "a"), sharing(shared, "b")];
  await Promise.all([a.join(), b.join()]);
  assert.equal(a.keyString, b.keyString);
  const first = a.keyString;
  await Promise.all([a.rotate(), b.rotate()]);
  await Promise.all([a.look(), b.look()]);
  assert.notEqual(a.keyString, first);
  assert.equal(a.keyString, b.keyString);
});

test("of several masters that want one key to go, one replaces it", async () => {
  const shared = new MemoryLedger(new FakeClock());
  const masters = ["a", "b", "c"].map((name) => sharing(shared, name));
  for (const one of masters) await one.join();
  const old = masters[0]!.keyString;
  const { version } = (await masters[0]!.records.get("cluster", "publication key"))!;
  await Promise.all(masters.map(({ sharedKey }, at) => sharedKey.rotate(`m${at}`, old)));
  await masters[0]!.sharedKey.rotate("late", old);
  for (const one of masters) await one.look();
  assert.equal((await masters[0]!.records.get("cluster", "publication key"))!.version, version + 1);
  for (const one of masters) assert.notEqual(one.keyString, old);
});

test("an older key that somebody puts back is refused by all, also after a restart", async () => {
  const shared = new MemoryLedger(new FakeClock());
  const [a, b] = [sharing(shared, "a"), sharing(shared, "b")];
  await a.join();
  await b.join();
  const old = (await a.records.get("cluster", "publication key"))!.value!;
  const oldKey = a.keyString;
  await a.rotate();
  await b.look();
  const latest = a.keyString;
  assert.notEqual(latest, oldKey);
  for (const value of [old, undefined, new Uint8Array([1, 2, 3])]) {
    await a.records.put("cluster", "thief", [{ name: "publication key", value }]);
    await b.look();
    await a.look();
    assert.deepEqual([a.keyString, b.keyString], [latest, latest]);
    const late = sharing(shared, "late");
    await late.join();
    assert.equal(late.keyString, latest);
  }
  await a.records.put("cluster", "thief", [{ name: "publication key", value: old }]);
  const restarted = a.again();
  await restarted.join();
  assert.equal(restarted.keyString, latest);
  await b.look();
  assert.equal(b.keyString, latest);
});

test("a record that is no key of this cluster is refused by a master that knows none", async () => {
  const shared = new MemoryLedger(new FakeClock());
  const a = sharing(shared, "a");
  await a.records.put("cluster", "thief", [{ name: "publication key", value: new Uint8Array(64) }]);
  await assert.rejects(a.join(), /not made by a master/);
});
