/** A minion that serves one of its masters at a time: nothing is lost when that goes away, and nothing is done twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { rsaSign } from "../../src/protocol/crypto/rsa.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Minion } from "../../src/host/minion/minion.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { type Cluster, type ClusterOptions, PAIRS, startCluster } from "../support/start_cluster.ts";

/** The signature, by the key that signs, of {@link PAIRS}.master's key. */
const { crypto } = await currentRuntime();
const STALE = btoa(String.fromCharCode(
  ...rsaSign(
    crypto,
    "PKCS1v15-SHA1",
    crypto.loadPrivateKey(PAIRS.minion.privatePem),
    new TextEncoder().encode(cleanPem(PAIRS.master.publicPem)),
  ),
));
const TIMEOUT = { timeout: 60_000 };
/** A lost master is given up soon. */
const QUICK = { master_type: "failover", auth_timeout: 1, acceptance_wait_time: 1, recon_default: 100, recon_max: 200 };

/** Masters that know the minion, with the same key unless it is told otherwise. */
async function masters(...options: ClusterOptions[]): Promise<Cluster[]> {
  return await Promise.all(options.map(async (one) => {
    const cluster = await startCluster({ jobs: memoryJobCache(Date.now), ...one, place: "current", minions: [] });
    cluster.acceptKey("web1");
    return cluster;
  }));
}

const address = (cluster: Cluster) => `127.0.0.1:${cluster.requestPort}`;
const signIns = (cluster: Cluster) => cluster.events.filter(({ tag }) => tag === "salt/minion/web1/start").length;
const states = (minion: Minion) =>
  (minion.status().masters as { connected: boolean; in_touch: boolean }[])
    .map(({ connected, in_touch }) => connected && in_touch);

async function call(cluster: Cluster, fun: string, ...arg: unknown[]): Promise<unknown> {
  const client = await cluster.client();
  return (await client.command({ tgt: "web1", fun, arg })).web1;
}

describe("a minion with master_type: failover", TIMEOUT, () => {
  test(
    "goes to the next master and back; the return of the lost one waits for it, and arrives once",
    TIMEOUT,
    async () => {
      const [one, two] = await masters({}, {}) as [Cluster, Cluster];
      await using _one = one;
      await using _two = two;
      const opts = {
        ...QUICK,
        master: [address(one), address(two)],
        master_failback: true,
        master_failback_interval: 1,
      };
      const minion = await one.startMinion("web1", { opts });
      await minion.ready;
      assert.deepEqual([states(minion), signIns(two)], [[true, false], 0]);
      assert.equal(await call(one, "config.get", "master"), "127.0.0.1");

      const client = await one.client();
      const { jid } = (await client.publish({ tgt: "web1", fun: "test.sleep", arg: [4] }))!;
      await until(async () => (await call(one, "saltutil.running") as unknown[]).length > 0);
      await one.master.close();
      await two.event("salt/minion/web1/start");
      assert.equal(await call(two, "test.ping"), true);
      assert.deepEqual(states(minion), [false, true]);
      await until(() => (minion.status().returns_unsent as { count: number }).count >= 1);

      await one.startMaster();
      await one.event(`salt/job/${jid}/ret/web1`);
      await until(() => states(minion)[0] === true && states(minion)[1] === false);
      assert.equal(await call(one, "test.ping"), true);
      const returned = ({ events }: Cluster) => events.filter(({ tag }) => tag === `salt/job/${jid}/ret/web1`).length;
      assert.deepEqual([returned(one), returned(two)], [1, 0]);
      await until(() => (minion.status().returns_unsent as { count: number }).count === 0);
    },
  );

  test("status.ping_master sends it back to the first master", TIMEOUT, async () => {
    const [one, two] = await masters({}, {}) as [Cluster, Cluster];
    await using _one = one;
    await using _two = two;
    const first = address(one);
    await one.master.close();
    const minion = await two.startMinion("web1", { opts: { ...QUICK, master: [first, address(two)] } });
    await minion.ready;
    assert.equal(await call(two, "status.ping_master", first), false);
    await one.startMaster();
    assert.equal(await call(two, "status.ping_master", first), true);
    await until(() => states(minion)[0] === true && states(minion)[1] === false);
    assert.equal(await call(one, "test.ping"), true);
  });

  test("a master that has not accepted the key is passed over", TIMEOUT, async () => {
    const [one, two] = await masters({}, {}) as [Cluster, Cluster];
    await using _one = one;
    await using _two = two;
    one.runtime.fs.remove(`${one.root}/pki/minions/web1`);
    const minion = await two.startMinion("web1", { opts: { ...QUICK, master: [address(one), address(two)] } });
    await minion.ready;
    assert.deepEqual(states(minion), [false, true]);
    assert.match(two.captured.text(), /has not accepted the key yet: accept it there with salt-key -a web1/);
  });

  test("a master that rejects the key is passed over, and ends the minion only with all others", TIMEOUT, async () => {
    const [one, two] = await masters({}, {}) as [Cluster, Cluster];
    await using _one = one;
    await using _two = two;
    const reject = ({ runtime: { fs }, root }: Cluster) => {
      fs.mkdir(`${root}/pki/minions_rejected`, 0o700);
      fs.rename(`${root}/pki/minions/web1`, `${root}/pki/minions_rejected/web1`);
    };
    reject(one);
    const opts = { ...QUICK, master: [address(one), address(two)] };
    const codes: number[] = [];
    const start = {
      opts,
      accept: false,
      onRejected: ({ exitCode }: { exitCode: number }) => void codes.push(exitCode),
    };
    const minion = await two.startMinion("web1", start);
    await minion.ready;
    assert.deepEqual([states(minion), codes], [[false, true], []]);
    await minion.close();
    reject(two);
    const refused = await two.startMinion("web1", start);
    await assert.rejects(refused.ready, { code: "REJECTED" });
    assert.deepEqual(codes, [77]);
  });

  describe("over to a master with another key", () => {
    const signing = { master_sign_pubkey: true };
    /** The pair that signs the masters' keys is on both; the second master has a key of its own. */
    const prepare =
      (pair: typeof PAIRS.master, extra?: (root: string, write: (path: string, text: string) => void) => void) =>
      ({ fs }: Cluster["runtime"], root: string) => {
        const write = (path: string, text: string) => {
          if (fs.stat(path) !== undefined) fs.remove(path);
          fs.write(path, text, { mode: 0o600 });
        };
        write(`${root}/pki/master.pem`, pair.privatePem);
        write(`${root}/pki/master.pub`, pair.publicPem);
        write(`${root}/pki/master_sign.pem`, PAIRS.minion.privatePem);
        write(`${root}/pki/master_sign.pub`, PAIRS.minion.publicPem);
        extra?.(root, write);
      };
    const cases: [string, ClusterOptions, boolean][] = [
      ["whose key is signed, it goes", { master: signing, prepare: prepare(PAIRS.other) }, true],
      ["whose key is not signed, it does not go", { prepare: prepare(PAIRS.other) }, false],
      [
        "that signs by a key of its own, it does not go",
        {
          master: signing,
          prepare: prepare(PAIRS.other, (root, write) => {
            write(`${root}/pki/master_sign.pem`, PAIRS.other.privatePem);
            write(`${root}/pki/master_sign.pub`, PAIRS.other.publicPem);
          }),
        },
        false,
      ],
      [
        "with a signature that was made for another key, it does not go",
        {
          master: { ...signing, master_use_pubkey_signature: true },
          prepare: prepare(PAIRS.other, (root, write) => write(`${root}/pki/master_pubkey_signature`, STALE)),
        },
        false,
      ],
    ];
    for (const [name, second, goes] of cases) {
      test(name, TIMEOUT, async () => {
        const [one, two] = await masters({ master: signing, prepare: prepare(PAIRS.master) }, second) as [
          Cluster,
          Cluster,
        ];
        await using _one = one;
        await using _two = two;
        const { fs } = one.runtime;
        fs.mkdir(`${one.minionDirectory("web1")}/pki`, 0o700);
        fs.write(`${one.minionDirectory("web1")}/pki/master_sign.pub`, PAIRS.minion.publicPem);
        const opts = { ...QUICK, master: [address(one), address(two)], verify_master_pubkey_sign: true };
        const minion = await one.startMinion("web1", { opts });
        await minion.ready;
        await one.master.close();
        if (goes) {
          await two.event("salt/minion/web1/start");
          assert.equal(await call(two, "test.ping"), true);
        } else {
          await until(() => one.captured.complaints().some((line) => line.startsWith("no master accepts the minion")));
          assert.match(one.captured.text(), /The master's key has changed/);
          assert.deepEqual([states(minion), signIns(two)], [[false, false], 0]);
        }
        await one.startMaster();
        if (!goes) await until(() => states(minion)[0] === true);
      });
    }
  });
});

describe("a minion that serves all of its masters", TIMEOUT, () => {
  test("goes on with the others when one is lost, and with that one when it is back", TIMEOUT, async () => {
    const clusters = await masters({}, {}, {}) as [Cluster, Cluster, Cluster];
    const [one] = clusters;
    await using _one = one;
    await using _two = clusters[1];
    await using _three = clusters[2];
    const opts = { ...QUICK, master_type: "str", master: clusters.map(address) };
    const minion = await one.startMinion("web1", { opts });
    await minion.ready;
    for (const lost of clusters) {
      const at = clusters.indexOf(lost);
      await lost.master.close();
      await until(() => states(minion)[at] === false);
      for (const other of clusters) {
        if (other === lost) continue;
        assert.equal(await call(other, "config.get", "master"), "127.0.0.1");
        // Nobody waits for the master that is away.
        assert.equal(await call(other, "event.send", `seen/${at}/${clusters.indexOf(other)}`), true);
        await other.event(`seen/${at}/${clusters.indexOf(other)}`);
      }
      await lost.startMaster();
      await until(() => states(minion)[at] === true);
      assert.equal(await call(lost, "test.ping"), true);
    }
  });

  test("serves the others when one rejects it", TIMEOUT, async () => {
    const [one, two] = await masters({}, {}) as [Cluster, Cluster];
    await using _one = one;
    await using _two = two;
    const { fs } = one.runtime;
    fs.mkdir(`${one.root}/pki/minions_rejected`, 0o700);
    fs.rename(`${one.root}/pki/minions/web1`, `${one.root}/pki/minions_rejected/web1`);
    const codes: number[] = [];
    const minion = await two.startMinion("web1", {
      opts: { ...QUICK, master_type: "str", master: [address(one), address(two)] },
      onRejected: ({ exitCode }) => void codes.push(exitCode),
    });
    await minion.ready;
    assert.equal(await call(two, "test.ping"), true);
    assert.deepEqual([states(minion), codes], [[false, true], []]);
    assert.match(two.captured.text(), /a master refuses the minion/);
  });
});

test(
  "with master_type: disable a minion runs without a master, and says so when one is asked for",
  TIMEOUT,
  async () => {
    const cluster = await startCluster({ place: "current", minions: [] });
    await using _cluster = cluster;
    const minion = await cluster.startMinion("web1", { opts: { master_type: "disable", master: [] } });
    await minion.ready;
    assert.deepEqual(minion.status().masters, []);
    await assert.rejects(
      minion.context.master!.request({ cmd: "_mine_get" }),
      /runs without a master \(master_type: disable\)/,
    );
    assert.equal(await minion.context.master!.fireEvent("a/tag", {}), false);
  },
);
