/** The replies of real Salt's master, byte for byte, to requests in clear and sealed ones. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Crypticle } from "../../../src/protocol/crypto/crypticle.ts";
import { x931Sign } from "../../../src/protocol/crypto/x931.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { bytesOf, packEnvelope, packPayload, unpackPayload } from "../../../src/protocol/wire/payload.ts";
import { type Cluster, PAIRS, Peer, startCluster } from "../../support/start_cluster.ts";
import { canonical, fromHex, type Json, toHex, unescape, vectors } from "../../support/vectors.ts";

const recorded = vectors("protocol");
const ID = recorded.minion_id as string;
const NONCE = "0123456789abcdef0123456789abcdef";
const ask = { timeoutMs: 60_000 };

/** A master as the recorded one was configured, with its one minion accepted. */
function recordedMaster(more: Record<string, unknown> = {}): Promise<Cluster> {
  return startCluster({
    minions: [],
    master: { ...recorded.master_options, ...more },
    prepare({ fs }, root) {
      fs.write(`${root}/pki/minions/${ID}`, PAIRS.minion.publicPem);
      for (const [path, content] of Object.entries(recorded.file_roots_contents as Record<string, string>)) {
        const full = `${root}/srv/${path}`;
        fs.mkdir(full.slice(0, full.lastIndexOf("/")));
        fs.write(full, fromHex(content));
      }
    },
  });
}

describe("protocol.json clear_requests", { timeout: 120_000 }, () => {
  for (const row of recorded.clear_requests) {
    test(row.name, { timeout: 120_000 }, async () => {
      await using cluster = await recordedMaster();
      const exchange = cluster.exchange();
      let request: Uint8Array;
      if (row.request === null) {
        const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
        const { enc, load, version } = row.request_decoded;
        request = encode({ enc, load: { ...load, key }, version }, "wire");
      } else request = fromHex(row.request);
      const reply = await exchange(request, ask);
      const want = row.reply_decoded;
      if (want?.load?.jid && row.name !== "publish fixed jid") {
        const got = decode(reply, { mode: "wire" }) as Json;
        assert.match(got.load.jid, /^\d{20}$/);
        // The rest byte for byte: a jid has always the same length.
        got.load.jid = want.load.jid;
        assert.equal(toHex(encode(got, "wire")), row.reply);
      } else assert.equal(toHex(reply), row.reply);
    });
  }
});

interface Sealed {
  version?: number;
  outerId?: unknown;
  key?: "session" | "master";
  load?: Record<string, unknown>;
  without?: string[];
  value?: unknown;
  spoil?: boolean;
}

/** The requests behind the names of `aes_envelope_rules`, which the recording does not hold. */
const ENVELOPES: Record<string, Sealed> = {
  "v3 valid": {},
  "v4 treated as 3": { version: 4 },
  "v3 without nonce": { without: ["nonce"] },
  "v3 without ts (ttl disabled)": { without: ["ts"] },
  "v3 ancient ts (ttl disabled)": { load: { ts: 1000 } },
  "v3 inner id differs": { load: { id: "somebody-else" } },
  "v3 no outer id": { outerId: undefined },
  "v3 outer id unknown": { outerId: "unknown" },
  "v3 no tok": { without: ["tok"] },
  "v3 tok not salt": { load: { tok: "x931 of pepper" } },
  "v3 tok garbage": { load: { tok: new Uint8Array(256).fill(255) } },
  "v3 encrypted with master key": { key: "master" },
  "v3 hmac failure": { spoil: true },
  "v3 load not a map": { value: ["a list"] },
  "v3 unknown cmd": { load: { cmd: "no_such_command" } },
  "v3 no cmd": { without: ["cmd"] },
  "v2 valid": { version: 2, key: "master" },
  "v2 no id no tok": { version: 2, key: "master", without: ["id", "tok"] },
  "v2 no nonce": { version: 2, key: "master", without: ["nonce"] },
  "v1 nonce ignored": { version: 1, key: "master" },
  v0: { version: 0, key: "master" },
  "v2 pillar without nonce": {
    version: 2,
    key: "master",
    load: { cmd: "_pillar", grains: {}, ver: "2" },
    without: ["nonce"],
  },
  "v1 pillar unsigned form": { version: 1, key: "master", load: { cmd: "_pillar", grains: {}, ver: "2" } },
};

describe("protocol.json aes_envelope_rules", { timeout: 120_000 }, () => {
  for (const row of recorded.aes_envelope_rules) {
    test(row.name, { timeout: 120_000 }, async () => {
      const sealed = ENVELOPES[row.name]!;
      const { version = 3, key = "session", spoil = false, without = [] } = sealed;
      // Versions below 3 are refused by default.
      await using cluster = await recordedMaster({ minimum_auth_version: 0 });
      const { crypto, clock } = cluster.runtime;
      const peer = await cluster.peer(ID);
      const { session, publications } = peer.auth.signedIn!;
      const crypticle = { session: session.crypticle, master: publications.crypticle };
      const load: Record<string, unknown> = {
        cmd: "_file_envs",
        nonce: NONCE,
        ts: Math.floor(clock.now() / 1000),
        tok: peer.auth.proof,
        id: ID,
        ...sealed.load,
      };
      if (load.tok === "x931 of pepper") {
        const minion = crypto.loadPrivateKey(PAIRS.minion.privatePem);
        load.tok = x931Sign(crypto, minion, new TextEncoder().encode("pepper"));
      }
      for (const name of without) delete load[name];
      const blob = crypticle[key].seal(packPayload(sealed.value ?? load));
      if (spoil) blob[blob.length - 1]! ^= 1;
      const id = "outerId" in sealed ? sealed.outerId as string | undefined : ID;
      const reply = await peer.exchange(packEnvelope({ enc: "aes", load: blob, version, id }), ask);
      const outer = decode(reply, { mode: "raw" }) as Json;
      if (row.reply === "plain") {
        const plain = decode(reply, { mode: "wire" }) as Json;
        if (row.value.fields !== undefined) assert.deepEqual(Object.keys(plain), row.value.fields);
        else assert.deepEqual(plain, row.value);
        return;
      }
      const plain = crypticle[row.reply_key as "session" | "master"].open(bytesOf(outer));
      assert.deepEqual(unpackPayload(plain, row.nonce_prefixed ? { nonce: NONCE } : {}), row.value);
      if (row.nonce_prefixed) assert.throws(() => unpackPayload(plain, { nonce: NONCE.replace("0", "1") }));
    });
  }
});

/** Replies that differ from Salt's on purpose: index of the row → Brine's reply. */
const DIFFERENT = new Map<string, unknown>([
  // Salt fails and stores nothing; the request asks to replace the stored value.
  [JSON.stringify({ cmd: "_mine", data: { x: 1 }, clear: true }), true],
]);

test("protocol.json aes_commands, in order", { timeout: 60_000 }, async (t) => {
  await using cluster = await recordedMaster();
  const peer = await cluster.peer(ID);
  for (const { load, reply } of recorded.aes_commands) {
    const name = JSON.stringify(load);
    await t.test(name.slice(0, 120), async () => {
      if (load.cmd === "_mine_get" && load.tgt === "G@os:Fake") {
        // The recorded master knew the grains of its minion from an earlier sign-in.
        await peer.requests.sendPrivate({ cmd: "_pillar", grains: { os: "Fake" }, ver: "2" });
      }
      const wanted = DIFFERENT.has(name) ? DIFFERENT.get(name) : unescape(reply);
      const got = await peer.send(unescape(load) as Record<string, unknown>);
      if (typeof wanted === "object" && wanted !== null && !Array.isArray(wanted) && load.cmd === "_mine_get") {
        // By function, in any order.
        assert.deepEqual(plainOf(got), wanted);
      } else assert.deepEqual(canonical(got), canonical(wanted));
    });
  }
  const pushed = `${cluster.root}/cache/minions/${ID}/files/d/f.txt`;
  assert.equal(toHex(cluster.runtime.fs.read(pushed)), recorded.file_recv_result_hex);
});

function plainOf(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plainOf(item)]));
  return value;
}

test("pillar comes sealed for the minion, signed, and in Salt's order of fields", { timeout: 120_000 }, async () => {
  await using cluster = await startCluster({
    minions: [],
    prepare: ({ fs }, root) => fs.write(`${root}/pki/minions/${ID}`, PAIRS.minion.publicPem),
    compilePillar: ({ id, grains }) => Promise.resolve({ secret: "s3cret", id, os: grains.os }),
  });
  const peer = new Peer(cluster, ID);
  await peer.signIn();
  const pillar = await peer.requests.sendPrivate({ cmd: "_pillar", grains: { os: "Fake" }, ver: "2" });
  assert.deepEqual(pillar, { secret: "s3cret", id: ID, os: "Fake" });
  const outer = decode(peer.received, { mode: "wire" }) as Json;
  assert.deepEqual(Object.keys(outer), ["key", "pillar"]);
  assert.throws(() =>
    new Crypticle(cluster.runtime.crypto, peer.auth.signedIn!.session.keyString).open(bytesOf(outer.pillar))
  );
  const data = cluster.master.services.cache.data(ID)!;
  assert.deepEqual(data.grains, { os: "Fake", id: ID });
  const refresh = await cluster.event(`minion/refresh/${ID}`);
  assert.equal(refresh.data["Minion data cache refresh"], ID);
});
