/** Signatures of minions' messages, as in real Salt, and which returns a master accepts by them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { signedBytes } from "../../../src/protocol/channel/req_client.ts";
import { rsaSign, rsaVerify } from "../../../src/protocol/crypto/rsa.ts";
import { cleanPublishAuth } from "../../../src/host/master/maintenance/maintenance.ts";
import { denoCrypto } from "../../../src/runtime/deno/crypto.ts";
import { Float } from "../../../src/protocol/wire/msgpack.ts";
import { type Cluster, PAIRS, startCluster } from "../../support/start_cluster.ts";
import { toHex, vectors } from "../../support/vectors.ts";

const crypto = denoCrypto();
const key = crypto.loadPrivateKey(PAIRS.minion.privatePem);
const TIMEOUT = { timeout: 60_000 };
const JID = "20240506070809123456";

interface Row {
  name: string;
  load: Record<string, unknown>;
  octets: string;
  algorithms: Record<string, string>;
}

describe("signed_returns.json", () => {
  for (const { name, load, octets: bytes, algorithms } of vectors("signed_returns").rows as Row[]) {
    test(`signedBytes() are those of real Salt, and so is the signature: ${name}`, () => {
      const value = load.return as Record<string, unknown[]>;
      if (Array.isArray(value["é"])) value["é"][2] = new Float(2);
      const signed = signedBytes({ ...load, nonce: "0", tok: Uint8Array.of(1, 255), sig: Uint8Array.of(2) });
      assert.equal(toHex(signed), bytes);
      for (const [algorithm, signature] of Object.entries(algorithms)) {
        assert.equal(toHex(rsaSign(crypto, algorithm, key, signed)), signature);
        const sig = rsaSign(crypto, algorithm, key, signed);
        assert.equal(rsaVerify(crypto, algorithm, crypto.loadPublicKey(PAIRS.minion.publicPem), signed, sig), true);
      }
    });
  }
});

/** A master with a job that web1 has not returned. */
async function waiting(master: Record<string, unknown>): Promise<Cluster> {
  const cluster = await startCluster({ minions: [], master });
  cluster.acceptKey("web1");
  const { services } = cluster.master;
  await services.jobs.saveLoad(JID, { fun: "test.ping", arg: [], tgt: "web1", tgt_type: "glob", user: "root" }, [
    "web1",
  ]);
  services.ledger.open(JID, { fun: "test.ping", arg: [], jid: JID }, ["web1"]);
  services.ledger.confirm(JID);
  return cluster;
}

const REQUIRED = { require_minion_sign_messages: true };
const DROPPED = { drop_messages_signature_fail: true };

describe("a return", TIMEOUT, () => {
  const RETURN = {
    cmd: "_return",
    id: "web1",
    jid: JID,
    fun: "test.ping",
    fun_args: [],
    return: true,
    retcode: 0,
    success: true,
  };
  const other = crypto.loadPrivateKey(PAIRS.other.privatePem);
  for (
    const { name, master, sign, kept } of [
      { name: "without a signature, where none is required", master: DROPPED, sign: undefined, kept: true },
      { name: "without a signature, where one is required", master: REQUIRED, sign: undefined, kept: false },
      {
        name: "with an arbitrary signature, where one is required",
        master: REQUIRED,
        sign: () => Uint8Array.of(1),
        kept: false,
      },
      {
        name: "with a signature of another key, where one is required",
        master: REQUIRED,
        sign: (bytes: Uint8Array) => rsaSign(crypto, "PKCS1v15-SHA1", other, bytes),
        kept: false,
      },
      {
        name: "with a signature of something else, where one is required",
        master: REQUIRED,
        sign: (bytes: Uint8Array) => rsaSign(crypto, "PKCS1v15-SHA1", key, bytes.subarray(1)),
        kept: false,
      },
      {
        name: "with an arbitrary signature, where wrong ones are dropped",
        master: DROPPED,
        sign: () => Uint8Array.of(1),
        kept: false,
      },
      {
        name: "with an arbitrary signature, where signatures are not checked",
        master: {},
        sign: () => Uint8Array.of(1),
        kept: true,
      },
      {
        name: "with its minion's signature, where one is required",
        master: REQUIRED,
        sign: (bytes: Uint8Array) => rsaSign(crypto, "PKCS1v15-SHA1", key, bytes),
        kept: true,
      },
    ]
  ) {
    test(`${name}, is ${kept ? "kept" : "refused"}`, async () => {
      await using cluster = await waiting(master);
      const peer = await cluster.peer("web1");
      const ts = Math.floor(cluster.clock.now() / 1000);
      // As a real minion signs: what is sent, in its order.
      await peer.send({ ...RETURN, ts, ...(sign === undefined ? {} : { sig: sign(signedBytes({ ...RETURN, ts })) }) });
      assert.equal((await cluster.master.services.jobs.returns(JID)).length, kept ? 1 : 0);
      const { refused } = cluster.master.services;
      assert.equal(refused.unsigned + refused["bad signature"], kept ? 0 : 1);
    });
  }

  for (const signed of [true, false]) {
    test(`of a minion ${signed ? "with" : "without"} minion_sign_messages is ${signed ? "kept" : "refused"} where signatures are required`, async () => {
      await using cluster = await startCluster({ master: REQUIRED, minion: { minion_sign_messages: signed } });
      const client = await cluster.client();
      const published = await client.publish({ tgt: "*", fun: "test.ping" });
      const { jobs, refused } = cluster.master.services;
      await until(async () => (await jobs.returns(published!.jid)).length > 0 || refused.unsigned > 0);
      assert.equal((await jobs.returns(published!.jid)).length, signed ? 1 : 0);
    });
  }
});

test(
  "cleanPublishAuth() removes files older than jobs are kept, and files whose name is not a jid",
  TIMEOUT,
  async () => {
    await using cluster = await startCluster({ master: { peer: { ".*": ["test.*"] } } });
    const peer = await cluster.peer("web1");
    const { jid } = await peer.send({ cmd: "minion_pub", fun: "test.ping", arg: [], ret: "", tgt: "*" }) as {
      jid: string;
    };
    const { fs } = cluster.runtime;
    const directory = `${cluster.root}/cache/publish_auth`;
    for (const name of ["20200101000000000000", "stray"]) fs.write(`${directory}/${name}`, "web1");
    const { services } = cluster.master;
    const { signal } = new AbortController();
    assert.equal(await cleanPublishAuth(services, cluster.clock.now() - 86_400_000, signal), 2);
    assert.deepEqual(fs.list(directory), [jid]);
    assert.equal(await cleanPublishAuth(services, cluster.clock.now() + 86_400_000, signal), 1);
    assert.deepEqual(fs.list(directory), []);
  },
);
