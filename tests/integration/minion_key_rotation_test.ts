/** A minion changes its key: both keys are good until the new one was used, wherever the minion was killed in between. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { MinionOpts } from "../../src/model/config/minion_opts.ts";
import type { MasterConnection } from "../../src/host/minion/connection.ts";
import { KeyRotator } from "../../src/host/minion/key_rotator.ts";
import { captureLog } from "../support/capture_log.ts";
import { type Cluster, type ClusterOptions, PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };
const OLD = cleanPem(PAIRS.minion.publicPem);

const accepted = ({ runtime, root }: Cluster) => cleanPem(runtime.fs.readText(`${root}/pki/minions/web1`));
const minionFiles = (cluster: Cluster) => cluster.runtimeOf("web1").fs.list(`${cluster.minionDirectory("web1")}/pki`);
const ownKey = (cluster: Cluster) => {
  const { fs, crypto } = cluster.runtimeOf("web1");
  const key = crypto.loadPrivateKey(fs.readText(`${cluster.minionDirectory("web1")}/pki/minion.pem`));
  return cleanPem(crypto.publicPem(key));
};
const acts = (cluster: Cluster) => cluster.master.services.keyAdmin.history("web1", 99).map(({ act }) => act);

async function ping(cluster: Cluster): Promise<unknown> {
  const client = await cluster.client();
  return (await client.command({ tgt: "web1", fun: "test.ping" })).web1;
}

/** Lets the clock go on until something holds, but for the time that keys are in the making. */
const passing = (cluster: Cluster, holds: () => boolean, stepMs = 50) =>
  until(holds, { clock: { advance: (ms) => cluster.keysInTheMaking > 0 || cluster.clock.advance(ms) }, stepMs });

/** True when the minion has nothing left to do for its key. */
const settled = (cluster: Cluster) =>
  ownKey(cluster) !== OLD && accepted(cluster) === ownKey(cluster) &&
  !minionFiles(cluster).some((name) => /next|old/.test(name));

async function site(options: ClusterOptions = {}): Promise<Cluster> {
  return await startCluster(options);
}

describe("a rotation", TIMEOUT, () => {
  test(
    "that an operator asks for reaches a connected minion; the old key ends after the overlap",
    TIMEOUT,
    async () => {
      await using cluster = await site();
      assert.equal(await ping(cluster), true);
      assert.deepEqual(await cluster.master.services.keyAdmin.rotateKeys("web*"), ["web1"]);
      await passing(cluster, () => settled(cluster));
      assert.equal(await ping(cluster), true);
      assert.deepEqual(acts(cluster), ["rotate-asked", "rotate-offered", "rotate"]);
      // The old key is good for a day: a minion that was put back from a copy can still sign in.
      const old = await cluster.peer("web1", PAIRS.minion);
      await old.requests.send({ cmd: "_jobs", known: [] });
      assert.equal(await ping(cluster), true);
      await passing(cluster, () => acts(cluster).at(-1) === "rotate-ended", 3_600_000);
      await assert.rejects(cluster.peer("web1", PAIRS.minion));
      assert.equal(cluster.runtime.fs.list(`${cluster.root}/pki/minions_rotating`).length, 0);
    },
  );

  test("reaches a minion that was away with its next sign-in", TIMEOUT, async () => {
    await using cluster = await site({ minion: { multiprocessing: false } });
    await cluster.minions.get("web1")!.close();
    await cluster.master.services.keyAdmin.rotateKeys("web1");
    await cluster.clock.advance(5000);
    assert.equal(accepted(cluster), OLD);
    const minion = await cluster.startMinion("web1", { again: true });
    await minion.ready;
    await passing(cluster, () => settled(cluster));
    assert.equal(await ping(cluster), true);
  });

  test("that the minion begins by itself, by age, and not where the master does not allow it", TIMEOUT, async () => {
    for (const allow_minion_key_rotation of [true, false]) {
      await using cluster = await site({
        master: { allow_minion_key_rotation },
        minion: { minion_key_rotation_days: 30 },
      });
      const { fs } = cluster.runtimeOf("web1");
      const age = (days: number) => {
        const atMs = cluster.clock.now() - days * 86_400_000;
        fs.utimes(`${cluster.minionDirectory("web1")}/pki/minion.pem`, atMs, atMs);
      };
      age(29);
      await cluster.minions.get("web1")!.close();
      await (await cluster.startMinion("web1", { again: true })).ready;
      await cluster.clock.advance(7_200_000);
      assert.equal(accepted(cluster), OLD);
      age(31);
      await cluster.minions.get("web1")!.close();
      await (await cluster.startMinion("web1", { again: true })).ready;
      await cluster.clock.advance(5_400_000);
      if (allow_minion_key_rotation) await passing(cluster, () => settled(cluster));
      else await passing(cluster, () => /allow_minion_key_rotation is off/.test(cluster.captured.text()));
      assert.equal(accepted(cluster) === OLD, !allow_minion_key_rotation);
    }
  });

  test("is finished wherever the minion was killed", TIMEOUT, async () => {
    for (let step = 1; step <= 12; step++) {
      await using cluster = await site({ minion: { multiprocessing: false } });
      const { fs } = cluster.runtimeOf("web1");
      const pki = `${cluster.minionDirectory("web1")}/pki`;
      // From the n-th change of its keys on the minion changes nothing more, as if it had been killed there.
      let left = step;
      const mortal = (change: "write" | "remove") => {
        const real = fs[change].bind(fs) as (...args: unknown[]) => void;
        (fs as unknown as Record<string, unknown>)[change] = (path: string, ...rest: unknown[]) => {
          if (path.startsWith(pki) && left-- <= 0) throw new SystemError("EIO", `killed at step ${step}`);
          real(path, ...rest);
        };
        return () =>
          void (fs as unknown as Record<string, unknown>)[change] === real || Object.assign(fs, { [change]: real });
      };
      const mend = [mortal("write"), mortal("remove")];
      await cluster.master.services.keyAdmin.rotateKeys("web1");
      await passing(cluster, () => left < 0 || settled(cluster));
      await cluster.minions.get("web1")!.close();
      for (const one of mend) one();
      const minion = await cluster.startMinion("web1", { again: true });
      await minion.ready;
      await passing(cluster, () => settled(cluster));
      assert.equal(await ping(cluster), true, `step ${step}`);
      if (left > 0) break;
    }
  });

  test("is finished after the master was killed between its steps", TIMEOUT, async () => {
    await using cluster = await site({ minion: { multiprocessing: false } });
    await cluster.master.services.keyAdmin.rotateKeys("web1");
    await passing(cluster, () => acts(cluster).includes("rotate-offered"));
    await cluster.master.close();
    await cluster.startMaster();
    await passing(cluster, () => settled(cluster));
    assert.equal(await ping(cluster), true);
  });

  test("is confirmed by each of several masters before the old key goes", TIMEOUT, async () => {
    await using one = await site({ place: "current", minions: [] });
    await using two = await site({ place: "current", minions: [] });
    for (const cluster of [one, two]) cluster.acceptKey("web1");
    const master = [`127.0.0.1:${one.requestPort}`, `127.0.0.1:${two.requestPort}`];
    await (await one.startMinion("web1", { opts: { master } })).ready;
    await one.master.services.keyAdmin.rotateKeys("web1");
    await until(() => settled(one));
    assert.equal(accepted(two), accepted(one));
    for (const cluster of [one, two]) assert.equal(await ping(cluster), true);
  });

  test("is refused with the name of a master that is real Salt's", TIMEOUT, async () => {
    await using cluster = await site();
    const log = captureLog();
    const { crypto } = cluster.runtimeOf("web1");
    const sent: unknown[] = [];
    const real = {
      address: "tcp://10.0.0.9:4506",
      masterPem: PAIRS.master.publicPem,
      isBrine: false,
      requests: { send: (load: unknown) => Promise.resolve(void sent.push(load)) },
    } as unknown as MasterConnection;
    await new KeyRotator({
      runtime: cluster.runtimeOf("web1"),
      opts: { pki_dir: `${cluster.minionDirectory("web1")}/pki`, keysize: 2048 } as MinionOpts,
      log: log.log,
      identity: { id: "web1", key: crypto.loadPrivateKey(PAIRS.minion.privatePem), publicPem: OLD },
      masters: () => [real],
      servesOne: false,
      signal: new AbortController().signal,
    }).rotate();
    assert.match(log.text(), /10\.0\.0\.9:4506 is Salt's master/);
    assert.deepEqual(sent, []);
    assert.deepEqual(minionFiles(cluster), ["minion.pem", "minion.pub", "minion_master.pub"]);
  });
});
