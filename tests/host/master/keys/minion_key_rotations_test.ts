/** Attacks on the change of a minion's key, by those who have no key, another's, or an old one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signRotation } from "../../../../src/protocol/channel/rotation_proof.ts";
import type { MasterOpts } from "../../../../src/model/config/master_opts.ts";
import { cleanPem } from "../../../../src/protocol/crypto/rsa_key.ts";
import { silentLogger } from "../../../../src/base/log.ts";
import { keyRotation } from "../../../../src/host/master/commands/minion_key_rotation.ts";
import { KeyAdmin } from "../../../../src/host/master/keys/key_admin.ts";
import { KeyDirectories } from "../../../../src/host/master/keys/key_directories.ts";
import type { MasterServices } from "../../../../src/host/master/services.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PAIRS } from "../../../support/start_cluster.ts";
import type { Json } from "../../../support/vectors.ts";

const { crypto } = await currentRuntime();
const [OLD, NEXT] = [cleanPem(PAIRS.minion.publicPem), cleanPem(PAIRS.other.publicPem)];
const MASTER = PAIRS.master.publicPem;

function site(more: Record<string, unknown> = {}) {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto });
  const opts = {
    pki_dir: "/pki",
    cachedir: "/cache",
    user: "root",
    hash_type: "sha256",
    key_rotation_overlap: 3600,
    allow_minion_key_rotation: true,
    ...more,
  } as unknown as MasterOpts;
  const keys = new KeyDirectories(runtime.fs, crypto, "/pki", clock);
  keys.prepare();
  runtime.fs.write("/pki/master.pub", MASTER);
  keys.write("accepted", "web1", OLD);
  const keyAdmin = new KeyAdmin({ runtime, log: silentLogger, opts, keys, fire: () => {}, rotate: () => {} });
  const { rotations } = keyAdmin;
  const services = { keys, rotations } as unknown as MasterServices;
  const ask = async (minion: string, load: Record<string, unknown>) =>
    await keyRotation(services, load, minion) as Json;
  /** An offer as an honest minion makes it, with what an attacker puts in its place. */
  const offer = async (change: Record<string, unknown> = {}, sender = "web1") => {
    const { nonce } = await ask("web1", { step: "begin" });
    const statement = { id: "web1", master: MASTER, nonce, time: 1, old: OLD, next: NEXT, ...change };
    const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
    const sign = (pem: string) => base64(signRotation(crypto, crypto.loadPrivateKey(pem), statement as never));
    const load = {
      step: "offer",
      next: statement.next,
      challenge: statement.nonce,
      time: statement.time,
      sig: sign((change.signer as string) ?? PAIRS.minion.privatePem),
      proof: sign((change.prover as string) ?? PAIRS.other.privatePem),
      ...change.load as object,
    };
    return { load, answer: await ask(sender, load) };
  };
  return { clock, fs: runtime.fs, keys, keyAdmin, rotations, store: rotations.over(keys), ask, offer };
}

describe("the offer of a new key is refused", () => {
  const big = { load: { next: "x".repeat(100_000) } };
  for (
    const [name, change, why] of [
      ["without the accepted key's signature", { signer: PAIRS.other.privatePem }, /not signed by the accepted key/],
      ["without the new key's: it may be another's", { prover: PAIRS.minion.privatePem }, /not signed by the new key/],
      ["for another master", { master: NEXT }, /not signed by the accepted key/],
      ["for another minion", { id: "db1" }, /not signed by the accepted key/],
      ["with a time that was not signed", { load: { time: 2 } }, /not signed by the accepted key/],
      ["with another nonce", { load: { challenge: "0".repeat(32) } }, /nonce/],
      ["with no key", { load: { next: "nonsense" } }, /./],
      ["with an absurd key", big, /characters/],
      ["with the present key", { next: OLD, prover: PAIRS.minion.privatePem }, /is the present one/],
      ["without a signature", { load: { sig: undefined } }, /signature is missing/],
      ["with an endless signature", { load: { sig: "A".repeat(1_000_000) } }, /signature is missing/],
    ] as [string, Record<string, unknown>, RegExp][]
  ) {
    test(name, async () => {
      const { offer, store, keys } = site();
      const { answer } = await offer(change);
      assert.match(answer.error, why);
      assert.equal(store.second!("web1"), undefined);
      assert.equal(keys.read("accepted", "web1"), OLD);
    });
  }

  test("from another minion, which has its own key", async () => {
    const { keys, offer, store } = site();
    keys.write("accepted", "db1", NEXT);
    const { answer } = await offer({}, "db1");
    assert.ok(answer.error);
    assert.equal(store.second!("db1"), undefined);
    assert.equal(store.second!("web1"), undefined);
  });

  test("a second time", async () => {
    const { ask, clock, offer, store } = site();
    const { load, answer } = await offer();
    assert.deepEqual(answer, { ok: true });
    assert.match((await ask("web1", load)).error, /nonce/);
    await clock.advance(10_000);
    await ask("web1", { step: "begin" });
    assert.match((await ask("web1", load)).error, /nonce/);
    assert.equal(store.second!("web1")!.pem, NEXT);
  });

  test("after its nonce is too old, and two nonces are not given at once", async () => {
    const { ask, clock, offer } = site();
    await ask("web1", { step: "begin" });
    assert.match((await ask("web1", { step: "begin" })).error, /too soon/);
    await clock.advance(10_000);
    const { load } = await offer({ signer: PAIRS.other.privatePem });
    await clock.advance(10_000);
    await ask("web1", { step: "begin" });
    await clock.advance(301_000);
    assert.match((await ask("web1", load)).error, /nonce/);
  });

  test("sooner than twice as long as before, if keys are offered and never used", async () => {
    const { ask, clock, offer } = site();
    let offers = 0;
    for (let minute = 0; minute < 24 * 60; minute++) {
      const mayOffer = (await ask("web1", { step: "begin" })).error === undefined;
      await clock.advance(10_000);
      if (mayOffer && (await offer()).answer.ok) offers++;
      await clock.advance(50_000);
    }
    // At first after 1, 2, 4, … minutes, then each hour.
    assert.ok(offers > 24 && offers < 32, `${offers} offers in a day`);
    assert.match((await ask("web1", { step: "begin" })).error, /too soon/);
  });

  test("by the old key during the overlap", async () => {
    const { keys, clock, offer, store } = site();
    await offer();
    store.used!("web1", store.second!("web1")!);
    assert.equal(keys.read("accepted", "web1"), NEXT);
    assert.equal(store.second!("web1")!.pem, OLD);
    await clock.advance(100_000);
    assert.ok((await offer()).answer.error);
    await clock.advance(3_600_000);
    assert.ok((await offer()).answer.error);
    assert.equal(keys.read("accepted", "web1"), NEXT);
  });

  test("where the minion's key was rejected or deleted, which also ends an offer", async () => {
    for (const action of ["reject", "delete"] as const) {
      const { ask, clock, fs, keyAdmin, keys, offer, store } = site();
      await offer();
      assert.ok(store.second!("web1"));
      await keyAdmin.change(action, { minions: ["web1"] });
      assert.equal(store.second!("web1"), undefined);
      assert.deepEqual(fs.list("/pki/minions_rotating"), []);
      await clock.advance(10_000);
      await ask("web1", { step: "begin" });
      assert.ok((await offer()).answer.error);
      // Accepted again, by its old key: what it had offered before is forgotten.
      keys.write("accepted", "web1", OLD);
      assert.equal(store.second!("web1"), undefined);
    }
  });

  test("of a minion that is not asked, where allow_minion_key_rotation is off", async () => {
    const { ask, keyAdmin } = site({ allow_minion_key_rotation: false });
    assert.match((await ask("web1", { step: "begin" })).error, /allow_minion_key_rotation is off/);
    await keyAdmin.rotateKeys("web1");
    assert.ok((await ask("web1", { step: "begin" })).nonce);
  });
});

test("an unknown step and an id that is a path reach no file", async () => {
  const { ask, fs, rotations } = site();
  assert.match((await ask("web1", { step: "promote" })).error, /unknown step/);
  for (const id of ["../master", "a/b", "..", "", "a\0"]) {
    assert.throws(() => rotations.forget(id), RangeError, id);
    assert.throws(() => rotations.ask(id, { user: "x", via: "wheel" }), RangeError, id);
  }
  assert.ok(fs.stat("/pki/master.pub"));
});

test("a file that is damaged, or of another key, is no second key", async () => {
  const { fs, keys, offer, store } = site();
  await offer();
  const whole = fs.readText("/pki/minions_rotating/web1");
  for (const text of ["", "{", "[]", '{"state":"done"}', whole.replace("offered", "other"), "x".repeat(100_000)]) {
    fs.write("/pki/minions_rotating/web1", text);
    assert.equal(store.second!("web1"), undefined, text.slice(0, 40));
  }
  fs.write("/pki/minions_rotating/web1", whole);
  assert.ok(store.second!("web1"));
  keys.write("accepted", "web1", cleanPem(MASTER));
  assert.equal(store.second!("web1"), undefined);
});
