/** Keys, data and tokens of several masters over one storage: what one changes the others have, whoever else writes to the storage. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ClusterKey } from "../../../src/feature/cluster/cluster_key.ts";
import { Mirror } from "../../../src/feature/cluster/mirror.ts";
import { mergeKeys, mirroredData, mirroredKeys, mirroredTokens } from "../../../src/feature/cluster/mirrored_files.ts";
import type { MirroredFiles } from "../../../src/feature/cluster/mirror.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { MinionCache } from "../../../src/host/master/minion_cache.ts";
import { MemoryLedger, type MemoryLedgerStorage } from "../../../src/plugins/ledger_storages/memory.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type MemoryFileSystem, memoryFileSystem } from "../../../src/runtime/memory/memory_runtime.ts";
import { encode } from "../../../src/protocol/wire/msgpack.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const { crypto } = await currentRuntime();
const { privatePem } = await crypto.generateKeyPair(2048);
const seal = new ClusterKey(crypto, crypto.loadPrivateKey(privatePem), "default").crypticle("records");
const TOKEN = "ab".repeat(32);

interface Master {
  fs: MemoryFileSystem;
  storage: MemoryLedgerStorage;
  keys: KeyDirectories;
  cache: MinionCache;
  mirrors: Record<"keys" | "data" | "tokens", Mirror>;
  changes: string[];
  /** The same files and storage, by a new process. */
  again(): Master;
  sync(): Promise<number>;
}

function master(
  shared: MemoryLedger,
  clock: FakeClock,
  name: string,
  fs = memoryFileSystem({ clock, uid: 0, gid: 0 }),
  cluster = "one",
): Master {
  const storage = shared.open();
  const keys = new KeyDirectories(fs, crypto, "/pki");
  keys.prepare();
  const cache = new MinionCache(fs, silentLogger, "/cache");
  const changes: string[] = [];
  const mirror = (files: MirroredFiles) =>
    new Mirror({
      storage,
      files,
      seal,
      crypto,
      by: name,
      fs,
      statePath: `/cache/${files.kind}.mirror`,
      cluster,
      elapsed: () => clock.elapsed(),
      log: silentLogger,
      scanMs: 0,
      onChange: (id) => void changes.push(id),
    });
  const mirrors = {
    keys: mirror(mirroredKeys(fs, "/pki")),
    data: mirror(mirroredData(fs, "/cache")),
    tokens: mirror(mirroredTokens(fs, crypto, "/cache/tokens")),
  };
  return {
    fs,
    storage,
    keys,
    cache,
    mirrors,
    changes,
    again: () => master(shared, clock, `${name}+`, fs),
    async sync() {
      let sum = 0;
      for (const one of Object.values(mirrors)) sum += await one.sync();
      clock.advance(10);
      return sum;
    },
  };
}

function fleet(count = 2): { clock: FakeClock; shared: MemoryLedger; masters: Master[] } {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  return { clock, shared, masters: Array.from({ length: count }, (_, i) => master(shared, clock, `m${i}`)) };
}

/** Until nothing changes any more; more rounds than that would need is a failure. */
async function settle(masters: Master[]): Promise<void> {
  for (let round = 0; round < 6; round++) {
    let changed = 0;
    for (const one of masters) changed += await one.sync();
    if (changed === 0 && round > 0) return;
  }
  assert.fail("masters change each other's files for ever");
}

const standing = ({ keys }: Master, id: string) =>
  (["accepted", "pre", "rejected", "denied"] as const).filter((state) => keys.has(state, id)).join("+");

function accept({ keys }: Master, id: string, pem = "key"): void {
  keys.write("accepted", id, pem);
  keys.remove("pre", id);
}

function reject({ keys }: Master, id: string, pem = "key"): void {
  keys.write("rejected", id, pem);
  keys.remove("accepted", id);
  keys.remove("pre", id);
}

describe("mirrors of keys", () => {
  test("what one master does with a key the others have done, too", async () => {
    const { masters } = fleet(3);
    const [a, b, c] = masters as [Master, Master, Master];
    a.keys.write("pre", "web1", "key");
    await settle(masters);
    assert.deepEqual(masters.map((one) => standing(one, "web1")), ["pre", "pre", "pre"]);
    accept(b, "web1");
    await settle(masters);
    assert.deepEqual(masters.map((one) => standing(one, "web1")), ["accepted", "accepted", "accepted"]);
    assert.equal(c.keys.read("accepted", "web1"), "key");
    a.keys.write("denied", "web1", "another");
    await settle(masters);
    assert.deepEqual(masters.map((one) => standing(one, "web1")), Array(3).fill("accepted+denied"));
    c.keys.remove("accepted", "web1");
    c.keys.remove("denied", "web1");
    await settle(masters);
    assert.deepEqual(masters.map((one) => standing(one, "web1")), ["", "", ""]);
    assert.deepEqual(a.changes, ["web1", "web1"]);
    // It may come again.
    a.keys.write("pre", "web1", "key");
    await settle(masters);
    assert.deepEqual(masters.map((one) => standing(one, "web1")), ["pre", "pre", "pre"]);
  });

  test("accepted on one and rejected on another at once: it is rejected on all", async () => {
    for (const order of [[0, 1], [1, 0]]) {
      const { masters } = fleet();
      const [a, b] = masters as [Master, Master];
      a.keys.write("pre", "web1", "key");
      await settle(masters);
      accept(a, "web1");
      reject(b, "web1");
      await Promise.all(order.map((at) => masters[at]!.mirrors.keys.sync()));
      await settle(masters);
      assert.deepEqual(masters.map((one) => standing(one, "web1")), ["rejected", "rejected"]);
    }
  });

  test("deleted on one that is cut off wins over what happened beside it; other changes of it stay", async () => {
    const { masters } = fleet();
    const [a, b] = masters as [Master, Master];
    accept(a, "web1");
    accept(a, "web2");
    await settle(masters);
    a.storage.cut();
    a.keys.remove("accepted", "web1");
    b.keys.write("denied", "web1", "a stranger's");
    b.keys.remove("accepted", "web2");
    await assert.rejects(() => a.mirrors.keys.sync());
    await b.sync();
    assert.equal(standing(a, "web2"), "accepted");
    a.storage.cut(false);
    await settle(masters);
    for (const one of masters) assert.deepEqual([standing(one, "web1"), standing(one, "web2")], ["denied", ""]);
  });

  test("deleted while its master was down stays deleted; one that was never shared is shared", async () => {
    const { masters: [a, b] } = fleet() as unknown as { masters: [Master, Master] };
    accept(a, "web1");
    await settle([a, b]);
    a.keys.remove("accepted", "web1");
    accept(a, "web9");
    const restarted = a.again();
    await settle([restarted, b]);
    for (const one of [restarted, b]) {
      assert.deepEqual([standing(one, "web1"), standing(one, "web9")], ["", "accepted"]);
    }
  });

  test("ids that differ in case are two minions", async () => {
    const { masters } = fleet();
    const [a, b] = masters as [Master, Master];
    accept(a, "web1", "one");
    reject(b, "Web1", "two");
    await settle(masters);
    for (const one of masters) {
      assert.deepEqual([standing(one, "web1"), standing(one, "Web1")], ["accepted", "rejected"]);
    }
  });

  test("an empty storage in place of the old one takes no key away, and gets them all", async () => {
    const { clock, masters: [a] } = fleet(1) as unknown as { clock: FakeClock; masters: [Master] };
    for (const id of ["web1", "web2"]) accept(a, id);
    await a.sync();
    const other = new MemoryLedger(clock);
    const moved = master(other, clock, "m0+", a.fs);
    await moved.sync();
    const fresh = master(other, clock, "m1");
    await settle([moved, fresh]);
    for (const one of [moved, fresh]) assert.deepEqual(one.keys.list("accepted"), ["web1", "web2"]);
  });

  for (const order of [[0, 1], [1, 0]]) {
    test(`a storage that is put back to an older state under the masters undoes nothing, and hides no later revocation: ${order}`, async () => {
      const { shared, masters } = fleet();
      const [a, b] = masters as [Master, Master];
      for (const id of ["web1", "web2", "web3"]) accept(a, id);
      await settle(masters);
      const { version, forgotten, records } = shared.kinds.get("key")!;
      const backup = { version, forgotten, records: new Map(records) };
      reject(a, "web1");
      accept(a, "web4");
      await settle(masters);
      shared.kinds.set("key", backup);
      b.keys.remove("accepted", "web2");
      await settle(order.map((at) => masters[at]!));
      reject(b, "web3");
      await settle(masters);
      const fresh = master(shared, new FakeClock(), "new");
      await fresh.sync();
      for (const one of [a, b, a.again(), fresh]) {
        assert.deepEqual(["web1", "web2", "web3", "web4"].map((id) => standing(one, id)), [
          "rejected",
          "",
          "rejected",
          "accepted",
        ]);
      }
    });
  }

  test("pending keys that have come and gone leave nothing but names, and those are forgotten", async () => {
    const { shared, masters } = fleet();
    const [a, b] = masters as [Master, Master];
    for (let i = 0; i < 450; i++) a.keys.write("pre", `stranger${i}`, "key");
    await settle(masters);
    assert.equal(b.keys.list("pre").length, 450);
    for (let i = 0; i < 450; i++) b.keys.remove("pre", `stranger${i}`);
    await settle(masters);
    assert.equal(a.keys.list("pre").length, 0);
    assert.equal(await a.storage.records.forget("key", Infinity), 450);
    assert.equal(shared.kinds.get("key")!.records.size, 0);
    await settle(masters);
    a.keys.write("pre", "stranger1", "key");
    await settle(masters);
    assert.equal(standing(b, "stranger1"), "pre");
  });
});

describe("whoever writes to the storage without the cluster's key", () => {
  const enemy = "enemy";

  test("accepts no key, and changes none: what the masters have goes back", async () => {
    const { shared, masters } = fleet();
    const [a, b] = masters as [Master, Master];
    reject(a, "web1");
    accept(a, "web2");
    await settle(masters);
    const { records } = shared.open();
    const forged = new TextEncoder().encode(JSON.stringify({ accepted: "key" }));
    const sealed = (await records.get("key", "web2"))!.value!;
    for (
      const value of [
        forged,
        sealed,
        sealed.map((byte, at) => at === 20 ? byte ^ 1 : byte),
        new Uint8Array(0),
        undefined,
      ]
    ) {
      await records.put("key", enemy, [{ name: "web1", value }, { name: "web3", value }]);
      await settle(masters);
      for (const one of masters) assert.deepEqual([standing(one, "web1"), standing(one, "web3")], ["rejected", ""]);
      assert.notEqual((await records.get("key", "web1"))!.by, enemy);
    }
    assert.ok(a.mirrors.keys.refused + b.mirrors.keys.refused >= 5);
    const fresh = master(shared, new FakeClock(), "new");
    await fresh.sync();
    assert.deepEqual([standing(fresh, "web1"), standing(fresh, "web2")], ["rejected", "accepted"]);
  });

  test("an older record that is put back undoes no revocation", async () => {
    const { shared, masters } = fleet();
    const [a] = masters as [Master, Master];
    accept(a, "web1");
    await settle(masters);
    const { records } = shared.open();
    const { value } = (await records.get("key", "web1"))!;
    for (const revoke of [() => a.keys.remove("accepted", "web1"), () => reject(a, "web1")]) {
      revoke();
      await settle(masters);
      const now = standing(a, "web1");
      await records.put("key", enemy, [{ name: "web1", value }]);
      await settle(masters);
      for (const one of masters) assert.equal(standing(one, "web1"), now);
      // Also to one that was restarted since.
      await records.put("key", enemy, [{ name: "web1", value }]);
      await settle([a.again()]);
      assert.equal(standing(a, "web1"), now);
    }
  });

  test("records with names and values that are none of a minion write nothing", async () => {
    const { shared, masters } = fleet(1);
    const [a] = masters as [Master];
    const { records } = shared.open();
    for (const name of ["../../etc/passwd", ".hidden", "a/b", "web1/../../x"]) {
      // Even under the seal: a master with a fault, or one that was taken.
      for (const kind of ["key", "data", "token"]) {
        const value = seal.seal(encode([kind, name, name, 1, new TextEncoder().encode('{"accepted":"x"}')], "bin"));
        await records.put(kind, enemy, [{ name, value }]);
      }
    }
    await settle(masters);
    assert.equal(a.mirrors.keys.refused + a.mirrors.data.refused + a.mirrors.tokens.refused, 12);
    assert.equal(a.fs.stat("/etc"), undefined);
  });
});

describe("mirrors of data and tokens", () => {
  test("grains and mine of a minion are on all masters, and what is forgotten on one is on all", async () => {
    const { masters } = fleet();
    const [a, b] = masters as [Master, Master];
    a.cache.saveData("web1", { grains: { os: "Debian" }, pillar: { a: 1 } });
    a.cache.saveMine("web1", { "network.ip_addrs": ["10.0.0.1"] });
    await settle(masters);
    assert.deepEqual(b.cache.data("web1"), { grains: { os: "Debian" }, pillar: { a: 1 } });
    b.cache.saveMine("web1", { other: 1 });
    await settle(masters);
    assert.deepEqual(a.cache.mine("web1"), { other: 1 });
    b.cache.forget("web1");
    await settle(masters);
    assert.equal(a.cache.data("web1"), undefined);
  });

  test("a mine that is too large stays on its master, and holds nothing else up", async () => {
    const { shared, masters } = fleet();
    const [a, b] = masters as [Master, Master];
    a.cache.saveMine("web1", { huge: "x".repeat(9 * 2 ** 20) });
    a.cache.saveMine("web2", { small: 1 });
    await settle(masters);
    assert.equal(b.cache.mine("web1"), undefined);
    assert.deepEqual(b.cache.mine("web2"), { small: 1 });
    assert.equal(String((a.cache.mine("web1") as { huge: string }).huge).length, 9 * 2 ** 20);
    assert.equal(shared.kinds.get("data")!.records.size, 1);
  });

  test("a token is good on all masters until one of them ends it, and stands nowhere in the storage", async () => {
    const { shared, masters } = fleet();
    const [a, b] = masters as [Master, Master];
    a.fs.mkdir("/cache/tokens", 0o700);
    a.fs.write(`/cache/tokens/${TOKEN}`, "content", { mode: 0o600 });
    await settle(masters);
    assert.equal(b.fs.readText(`/cache/tokens/${TOKEN}`), "content");
    assert.equal(b.fs.stat(`/cache/tokens/${TOKEN}`)!.mode, 0o600);
    for (const [name, { value }] of shared.kinds.get("token")!.records) {
      const stored = name + new TextDecoder("latin1").decode(value);
      assert.ok(!stored.includes(TOKEN) && !stored.includes("content"));
    }
    b.fs.remove(`/cache/tokens/${TOKEN}`);
    await settle(masters);
    assert.equal(a.fs.stat(`/cache/tokens/${TOKEN}`), undefined);
  });
});

test("a master that goes to another cluster takes its decisions, whatever it knew of the former one", async () => {
  const { clock, masters: [a, b] } = fleet();
  // Many changes: the former cluster's count is above the other's.
  for (let count = 0; count < 5; count++) {
    for (const change of [reject, accept]) {
      change(a!, "web1");
      await settle([a!, b!]);
    }
  }
  const other = new MemoryLedger(clock);
  const resident = master(other, clock, "m2", undefined, "two");
  reject(resident, "web1");
  await settle([resident]);
  const moved = master(other, clock, "m0+", a!.fs, "two");
  await settle([moved, resident]);
  assert.deepEqual([standing(moved, "web1"), standing(resident, "web1")], ["rejected", "rejected"]);
});

test("each record of a token costs the hash of one name, however many tokens are known", async () => {
  const { clock, masters: [a], shared } = fleet(1) as unknown as {
    clock: FakeClock;
    masters: [Master];
    shared: MemoryLedger;
  };
  const TOKENS = 100;
  a.fs.mkdir("/cache/tokens", 0o700);
  const paths = Array.from({ length: TOKENS }, (_, n) => `/cache/tokens/${String(n).padStart(64, "0")}`);
  for (const path of paths) a.fs.write(path, "content", { mode: 0o600 });
  await a.sync();
  let hashes = 0;
  const fs = memoryFileSystem({ clock, uid: 0, gid: 0 });
  const files = mirroredTokens(fs, crypto, "/cache/tokens");
  const counted = { ...files, sharedName: (name: string) => (hashes++, files.sharedName!(name)) };
  const storage = shared.open();
  const options = { storage, files: counted, seal, crypto, by: "b", fs, log: silentLogger, scanMs: 0 };
  const mirror = new Mirror({
    ...options,
    cluster: "one",
    statePath: "/cache/b.mirror",
    elapsed: () => clock.elapsed(),
  });
  assert.equal(await mirror.sync(), TOKENS);
  for (const path of paths) a.fs.remove(path);
  const junk = Array.from({ length: 500 }, (_, n) => ({ name: `junk${n}`, value: new Uint8Array(64) }));
  await storage.records.put("token", "enemy", junk);
  clock.advance(60_000);
  await a.sync();
  assert.equal(await mirror.sync(), TOKENS);
  assert.ok(hashes <= 10 * TOKENS, `${hashes} hashes`);
});

describe("mergeKeys()", () => {
  const base = { accepted: "k" };
  for (
    const { name, mine, theirs, from, want } of [
      {
        name: "a removal here and a denied key there",
        mine: {},
        theirs: { ...base, denied: "d" },
        from: base,
        want: { denied: "d" },
      },
      {
        name: "another key here, nothing there",
        mine: { accepted: "n" },
        theirs: base,
        from: base,
        want: { accepted: "n" },
      },
      { name: "nothing here, a removal there", mine: base, theirs: {}, from: base, want: {} },
      { name: "accepted here, removed there", mine: { accepted: "p" }, theirs: {}, from: { pre: "p" }, want: {} },
      { name: "an unknown beginning", mine: { rejected: "k" }, theirs: base, from: undefined, want: { rejected: "k" } },
      { name: "two pending keys", mine: { pre: "1" }, theirs: { pre: "2" }, from: {}, want: { pre: "2" } },
      { name: "accepted again on purpose", mine: base, theirs: { rejected: "k" }, from: { rejected: "k" }, want: base },
    ]
  ) test(name, () => assert.deepEqual(mergeKeys(mine, theirs, from), want));
});
