/** How minions react when the master's state about them, or theirs about the master, changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { listenBus } from "../../src/model/event/bus_client.ts";
import { ipcHash } from "../../src/protocol/crypto/hex.ts";
import { cleanPem, fingerprint } from "../../src/protocol/crypto/rsa_key.ts";
import type { RejectedError } from "../../src/host/minion/sign_in.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { zmtpSockets } from "../../src/protocol/zmtp/mod.ts";
import { type Cluster, PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };

/** Tags on the minion's own bus, in order. */
async function minionTags(cluster: Cluster, id: string): Promise<string[]> {
  const { net, crypto } = cluster.runtimeOf(id);
  const path = `${cluster.minionDirectory(id)}/sock/minion_event_${ipcHash(crypto, id)}_pub.ipc`;
  const tags: string[] = [];
  await listenBus(net, { kind: "unix", path }, ({ tag }) => void tags.push(tag));
  return tags;
}

/** Advances the clock in small steps until a condition holds. */
function passUntil(cluster: Cluster, holds: () => boolean): Promise<void> {
  return until(() => {
    if (holds()) return true;
    cluster.clock.advance(50);
    return false;
  });
}

async function ping(cluster: Cluster): Promise<Record<string, unknown>> {
  return await (await cluster.client()).command({ tgt: "*", fun: "test.ping" });
}

describe("minions and their master", TIMEOUT, () => {
  test(
    "after a restart of the master they sign in again with the next job, by the token of its key",
    TIMEOUT,
    async () => {
      await using cluster = await startCluster({ minions: ["web1", "web2"] });
      assert.deepEqual(await ping(cluster), { web1: true, web2: true });
      const tags = await Promise.all(["web1", "web2"].map((id) => minionTags(cluster, id)));
      await cluster.master.close();
      await until(() => tags.every((heard) => heard.includes("__master_disconnected")));
      cluster.events.length = 0;
      await cluster.startMaster();
      await passUntil(cluster, () => tags.every((heard) => heard.includes("__master_connected")));
      assert.deepEqual(await ping(cluster), { web1: true, web2: true });
      assert.deepEqual(
        cluster.events.filter(({ tag }) => tag === "salt/auth").map(({ data }) => [data.act, data.id]).sort(),
        [["accept", "web1"], ["accept", "web2"]],
      );
    },
  );

  test("a session that the master deleted is renewed without losing a return", TIMEOUT, async () => {
    await using cluster = await startCluster();
    await cluster.master.close();
    cluster.runtime.fs.remove(`${cluster.root}/cache/.sessions`);
    const tags = await minionTags(cluster, "web1");
    await cluster.startMaster();
    await passUntil(cluster, () => tags.includes("__master_connected"));
    assert.deepEqual(await ping(cluster), { web1: true });
  });

  test("a new key is pending, and the minion starts once it is accepted", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const minion = await cluster.startMinion("web1", { accept: false });
    const pending = await cluster.event("salt/auth");
    assert.equal(pending.data.act, "pend");
    await cluster.clock.waiting(10_000);
    assert.deepEqual(await (await cluster.client()).command({ tgt: "*", fun: "test.ping" }), {});
    const { fs } = cluster.runtime;
    fs.rename(`${cluster.root}/pki/minions_pre/web1`, `${cluster.root}/pki/minions/web1`);
    cluster.clock.advance(10_000);
    await minion.ready;
    assert.deepEqual(await ping(cluster), { web1: true });
    const waiting = cluster.captured.complaints().filter((message) => message.includes("has not accepted"));
    assert.equal(waiting.length, 1, "said once");
    await cluster.event("salt/minion/web1/start");
  });

  test("a rejected key ends the minion with Salt's exit code", TIMEOUT, async () => {
    await using cluster = await startCluster({
      minions: [],
      prepare: ({ fs }, root) => {
        fs.mkdir(`${root}/pki/minions_rejected`);
        fs.write(`${root}/pki/minions_rejected/web1`, PAIRS.minion.publicPem);
      },
    });
    const rejected = Promise.withResolvers<RejectedError>();
    const minion = await cluster.startMinion("web1", { accept: false, onRejected: rejected.resolve });
    assert.equal((await rejected.promise).exitCode, 77);
    await assert.rejects(minion.ready, { code: "REJECTED" });
  });

  test("with rejected_retry a rejected key is tried again", TIMEOUT, async () => {
    await using cluster = await startCluster({
      minions: [],
      prepare: ({ fs }, root) => {
        fs.mkdir(`${root}/pki/minions_rejected`);
        fs.write(`${root}/pki/minions_rejected/web1`, PAIRS.minion.publicPem);
      },
    });
    const minion = await cluster.startMinion("web1", { opts: { rejected_retry: true } });
    await cluster.clock.waiting(10_000);
    cluster.runtime.fs.remove(`${cluster.root}/pki/minions_rejected/web1`);
    cluster.clock.advance(10_000);
    await minion.ready;
  });

  test("a minion sends nothing to a master with another key than the stored one", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const { fs } = cluster.runtimeOf("web1");
    const record = `${cluster.minionDirectory("web1")}/pki/minion_master.pub`;
    fs.mkdir(`${cluster.minionDirectory("web1")}/pki`, 0o700);
    fs.write(record, PAIRS.other.publicPem);
    await cluster.startMinion("web1");
    await cluster.clock.waiting(10_000);
    assert.ok(cluster.captured.complaints().some((message) => message.includes("key has changed")));
    assert.equal(fs.readText(record), PAIRS.other.publicPem);
    assert.ok(!cluster.events.some(({ tag }) => tag.includes("/start")));
  });

  for (const how of ["in order", "by kill -9"]) {
    test(
      `the master is stopped ${how}, and its key replaced: the minion says so, and is back once its copy is gone`,
      TIMEOUT,
      async () => {
        await using cluster = await startCluster();
        assert.deepEqual(await ping(cluster), { web1: true });
        const { fs } = cluster.runtime;
        const tags = await minionTags(cluster, "web1");
        await cluster.master.close();
        if (how === "by kill -9") fs.remove(`${cluster.root}/cache/.sessions`);
        fs.write(`${cluster.root}/pki/master.pem`, PAIRS.other.privatePem);
        await cluster.startMaster();
        await passUntil(cluster, () => tags.includes("__master_connected"));
        const client = await cluster.client();
        // Whatever it hears is of a master that it does not know.
        await client.publish({ tgt: "web1", fun: "test.ping" });
        const record = `${cluster.minionDirectory("web1")}/pki/minion_master.pub`;
        const said = () => cluster.captured.records.filter(({ message }) => message.includes("key has changed"));
        await passUntil(cluster, () => said().length > 0);
        const { level, message } = said()[0]!;
        assert.equal(level, "error");
        assert.ok(message.includes(`delete ${record}`), message);
        const crypto = cluster.runtime.crypto;
        for (const pem of [PAIRS.master.publicPem, PAIRS.other.publicPem]) {
          assert.ok(message.includes(fingerprint(crypto, cleanPem(pem), "sha256")), message);
        }
        const signedIn = () =>
          cluster.captured.records.filter(({ message }) => message === "signed in to the master").length;
        const before = signedIn();
        cluster.runtimeOf("web1").fs.remove(record);
        await passUntil(cluster, () => signedIn() > before);
        assert.deepEqual(await ping(cluster), { web1: true });
      },
    );
  }

  test("a master without the configured fingerprint ends the minion, and its key is not stored", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const rejected = Promise.withResolvers<RejectedError>();
    await cluster.startMinion("web1", {
      opts: { master_finger: "00:11:22" },
      onRejected: rejected.resolve,
    });
    assert.equal((await rejected.promise).exitCode, 42);
    const { fs } = cluster.runtimeOf("web1");
    assert.equal(fs.stat(`${cluster.minionDirectory("web1")}/pki/minion_master.pub`), undefined);
  });

  test("a minion that starts before its master waits for it", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    await cluster.master.close();
    const minion = await cluster.startMinion("web1");
    await until(() => cluster.clock.waits.length > 0);
    cluster.clock.advance(3000);
    await cluster.startMaster();
    let ready = false;
    void minion.ready.then(() => ready = true);
    await passUntil(cluster, () => ready);
    assert.deepEqual(await ping(cluster), { web1: true });
  });

  test("a minion that is told to sign in later does so, and is accepted", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const { runtime, captured } = cluster;
    const net = { net: runtime.net, clock: runtime.clock, random: () => 0.5, log: captured.log };
    await using busy = zmtpSockets({ ...net, later: (call) => runtime.later(call) }).rep({ lingerMs: 0 });
    const endpoint = await busy.bind("tcp://127.0.0.1:0");
    const onward = cluster.exchange();
    let asked = 0;
    busy.serve(async ([bytes]) => {
      asked++;
      if (asked > 1) return await onward(bytes!, { timeoutMs: 60_000 });
      const { load } = decode(bytes!, { mode: "wire" }) as { load: Record<string, unknown> };
      return encode({ enc: "clear", load: { ret: "later", after: 7321, nonce: load.nonce } }, "wire");
    });
    const minion = await cluster.startMinion("web1", { opts: { master_port: Number(endpoint.split(":").at(-1)) } });
    await cluster.clock.waiting(7321);
    assert.equal(asked, 1);
    cluster.clock.advance(7321);
    await minion.ready;
    assert.deepEqual(await ping(cluster), { web1: true });
    assert.ok(!captured.complaints().some((message) => message.includes("cannot sign in")));
  });
});
