/**
 * Attacks that once worked on real Salt, and similar ones: each is refused, with nothing run, written, read or leaked, and the
 * daemon keeps serving.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { SerialWindow } from "../../src/protocol/crypto/crypticle.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { rsaSign } from "../../src/protocol/crypto/rsa.ts";
import { x931Sign } from "../../src/protocol/crypto/x931.ts";
import { AuthClient, newNonce } from "../../src/protocol/channel/auth_client.ts";
import { PublicationReader } from "../../src/protocol/channel/pub_client.ts";
import { PublicationSealer } from "../../src/protocol/channel/pub_server.ts";
import { AES_COMMANDS, CLEAR_COMMANDS } from "../../src/host/master/request_table.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { bytesOf, packEnvelope, packPayload } from "../../src/protocol/wire/payload.ts";
import { zmtpSockets } from "../../src/protocol/zmtp/mod.ts";
import { type Cluster, type ClusterOptions, PAIRS, type Peer, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const ask = { timeoutMs: 60_000 };
const JID = "20240506070809123456";
const text = (value: string) => new TextEncoder().encode(value);

/** A master with the keys of minions accepted, and no minions running. */
function master(options: ClusterOptions = {}, accepted = ["web1", "db1"]): Promise<Cluster> {
  return startCluster({
    minions: [],
    ...options,
    prepare(runtime, root) {
      for (const id of accepted) runtime.fs.write(`${root}/pki/minions/${id}`, cleanPem(PAIRS.minion.publicPem));
      options.prepare?.(runtime, root);
    },
  });
}

const clear = (load: unknown, version: unknown = 3) => encode({ enc: "clear", load, version }, "wire");
async function answer(cluster: Cluster, bytes: Uint8Array): Promise<Json> {
  return decode(await cluster.exchange()(bytes, ask), { mode: "wire" });
}
async function stillServes(cluster: Cluster): Promise<void> {
  assert.deepEqual(await answer(cluster, clear({ cmd: "ping", n: 1 })), { cmd: "ping", n: 1 });
}

/** The parts of a sealed request as its minion would send it, to be changed before sealing. */
function sealed(cluster: Cluster, peer: Peer, changes: {
  load?: Record<string, unknown>;
  without?: string[];
  outer?: Record<string, unknown>;
  crypticle?: { seal(plain: Uint8Array): Uint8Array };
}): Uint8Array {
  const load: Record<string, unknown> = {
    cmd: "_file_envs",
    nonce: newNonce(cluster.runtime.crypto),
    ts: Math.floor(cluster.clock.now() / 1000),
    tok: peer.auth.proof,
    id: peer.auth.id,
    ...changes.load,
  };
  for (const name of changes.without ?? []) delete load[name];
  const crypticle = changes.crypticle ?? peer.auth.signedIn!.session.crypticle;
  return encode(
    { enc: "aes", load: crypticle.seal(packPayload(load)), version: 3, id: peer.auth.id, ...changes.outer },
    "wire",
  );
}

describe("commands in clear", TIMEOUT, () => {
  const internal = [
    "_prep_auth_info",
    "_prep_pub",
    "_prep_jid",
    "_send_pub",
    "_send_ssh_pub",
    "_auth_x",
    "__init__",
    "destroy",
    "get_method",
    "run_func",
    "connect",
    "handle_message",
    "mk_token\0",
    "PING",
    " ping",
    "ping ",
    "clear",
    "aes",
    "req",
    "",
  ];
  const prototype = [
    "__proto__",
    "constructor",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
    "__lookupSetter__",
    "prototype",
    "then",
  ];

  test("cannot call a sealed command, an internal name or a property of objects", TIMEOUT, async () => {
    await using cluster = await master();
    const names = [...Object.keys(AES_COMMANDS), "_pillar", ...internal, ...prototype]
      .filter((name) => !Object.hasOwn(CLEAR_COMMANDS, name));
    const load = { id: "web1", tgt: "*", fun: "test.ping", arg: [], ret: "", jid: JID, return: 1, tag: "x", data: {} };
    for (const cmd of names) assert.deepEqual(await answer(cluster, clear({ ...load, cmd })), {}, cmd);
    for (const cmd of [null, 1, true, ["ping"], { ping: 1 }, Uint8Array.of(255)]) {
      assert.equal(await answer(cluster, clear({ ...load, cmd })), "Some exception handling minion payload");
    }
    assert.deepEqual(cluster.events.filter(({ tag }) => tag !== "salt/auth"), []);
    await stillServes(cluster);
  });

  test("do nothing without a key", TIMEOUT, async () => {
    await using cluster = await master();
    const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
    const load = { tgt: "*", fun: "test.ping", arg: [], tgt_type: "glob", ret: "", jid: "", user: "root" };
    const keys: unknown[] = [
      undefined,
      null,
      "",
      0,
      true,
      [],
      {},
      key.slice(1),
      `${key}x`,
      key.toLowerCase(),
      [key],
      Uint8Array.of(...text(key), 255),
    ];
    for (const wrong of keys) {
      for (const cmd of ["publish", "runner", "wheel"]) {
        const reply = await answer(cluster, clear({ cmd, ...load, ...(wrong === undefined ? {} : { key: wrong }) }));
        assert.match(reply.error.name, /AuthenticationError$/, `${cmd} with ${typeof wrong}`);
      }
    }
    for (const credentials of [{ token: "x" }, { token: [] }, { eauth: "pam", username: "root", password: "" }]) {
      for (const cmd of ["runner", "wheel"]) {
        const reply = await answer(cluster, clear({ cmd, fun: "key.list_all", ...credentials }));
        assert.match(reply.error.name, /AuthenticationError$/);
      }
      assert.match((await answer(cluster, clear({ cmd: "publish", ...load, kwargs: credentials }))).error.name, /Auth/);
      assert.equal(await answer(cluster, clear({ cmd: "mk_token", ...credentials })), "");
    }
    for (const user of ["nobody", "sudo_root", "../root", "__proto__"]) {
      assert.match((await answer(cluster, clear({ cmd: "publish", ...load, user }))).error.name, /Auth/);
    }
    assert.ok(!cluster.events.some(({ tag }) => /\/new$|^\d{20}$/.test(tag)));
    // The event that reports the failure has nothing of what was sent, and there are few of them.
    await cluster.clock.advance(61_000);
    const before = cluster.events.length;
    for (const jid of [`${JID}/ret/web1`, `${JID}\n\n`, "x", JID]) {
      for (let count = 0; count < 10; count++) {
        await answer(
          cluster,
          clear({ cmd: "publish", ...load, jid, id: "web1/error", return: "forged", password: "s3cret" }),
        );
      }
    }
    const told = cluster.events.slice(before).map(({ tag, data: { _stamp, ...data } }) => [tag, data]);
    assert.equal(told.length, 10);
    const error = { name: "AuthenticationError", message: "Authentication error occurred." };
    for (const event of told.slice(1)) {
      assert.deepEqual(event, ["salt/job//error", { cmd: "publish", jid: "", count: 1, error }]);
    }
    await cluster.clock.advance(61_000);
    await answer(cluster, clear({ cmd: "publish", ...load }));
    assert.equal(cluster.events.filter(({ tag }) => tag === "salt/job//error").at(-1)!.data.count, 31);
  });

  test("a malformed publication is refused from any caller", TIMEOUT, async () => {
    await using cluster = await master();
    const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
    const good = {
      cmd: "publish",
      tgt: "*",
      fun: "test.ping",
      arg: [],
      tgt_type: "glob",
      ret: "",
      jid: "",
      user: "root",
      key,
    };
    const bad: Record<string, unknown>[] = [
      ...["", "test.", ".ping", "test.ping; id", "../x.y", "test.ping\n", 7, null, [], [""], {}]
        .map((fun) => ({ fun })),
      ...["x", "../../etc", "2024050607080912345", `${JID}/..`, `${JID}_../x`, `${JID}\0`, 7, ["x"]].map((jid) => ({
        jid,
      })),
      ...[{}, "x", null].map((arg) => ({ arg })),
      ...[7, {}, true].map((tgt) => ({ tgt })),
    ];
    for (const change of bad) {
      const reply = await answer(cluster, clear({ ...good, ...change }));
      assert.ok(reply.load?.error !== undefined || reply.error !== undefined, JSON.stringify(change));
    }
    assert.ok(!cluster.events.some(({ tag }) => tag.endsWith("/new")));
    const reply = await answer(cluster, clear(good));
    assert.deepEqual(reply.load.minions, ["db1", "web1"]);
  });

  test("bytes that expand to many values are refused before decoding, unless they carry a key", TIMEOUT, async () => {
    await using cluster = await master();
    const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
    const many = (count: number) => Array.from({ length: count }, () => ({}));
    const publication = {
      cmd: "publish",
      tgt: "*",
      fun: "test.ping",
      tgt_type: "glob",
      ret: "",
      jid: "",
      user: "root",
    };
    for (
      const load of [
        { cmd: "ping", arg: many(100_000) },
        { ...publication, arg: many(100_000), key: `${key}x` },
        { ...publication, arg: ["x".repeat(2e6)], eauth: "pam", username: "ann", password: "x" },
      ]
    ) {
      const reply = await answer(cluster, clear(load));
      assert.match(reply.error.message, /^Cannot take a request: .* may send at most/);
    }
    assert.equal(await answer(cluster, clear({ cmd: "_auth", id: "web1", autosign_grains: many(5000) })), "bad load");
    assert.deepEqual(await answer(cluster, clear({ cmd: "ping", arg: many(2 ** 21) })), { msg: "bad load" });
    for (const arg of [many(100_000), ["x".repeat(2e6)]]) {
      assert.deepEqual((await answer(cluster, clear({ ...publication, arg, key }))).load.minions, ["db1", "web1"]);
    }
    await stillServes(cluster);
  });

  test("requests that wait for the refusal of a wrong password hold little memory in total", TIMEOUT, async () => {
    await using cluster = await master({ master: { external_auth: { file: { "^filename": "/brine/users" } } } });
    const publication = { cmd: "publish", tgt: "*", fun: "test.ping", tgt_type: "glob", ret: "", arg: [] };
    // Refused without a check, and answered late.
    const kwargs = { eauth: "file", username: "a".repeat(600), password: "x" };
    // The second is small, but expands to many values.
    const large = [["x".repeat(1_000_000)], Array.from({ length: 19_000 }, () => [])].map((arg) =>
      clear({ ...publication, user: "ann", kwargs, arg })
    );
    const answers: Json[] = [];
    const asked = Array.from(
      { length: 60 },
      async (_, at) => void answers.push(await answer(cluster, large[at % 2]!)),
    );
    await until(() => answers.length >= 40);
    for (const { error } of answers) assert.match(error.message, /are waiting/);
    const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
    const own = await answer(cluster, clear({ ...publication, user: "root", key, kwargs: {} }));
    assert.deepEqual(own.load.minions, ["db1", "web1"]);
    await until(() => {
      cluster.clock.advance(5000);
      return answers.length === 60;
    });
    await Promise.all(asked);
    assert.ok(answers.some(({ error }) => error.name === "AuthenticationError"));
    await stillServes(cluster);
  });

  test("a request that is neither clear nor aes runs no command", TIMEOUT, async () => {
    await using cluster = await master();
    for (const enc of ["none", "", "pub", "AES", "Clear", "aes ", null, 0, true, [], ["clear"], { clear: 1 }]) {
      for (const cmd of ["ping", "_file_envs", "_return", "publish"]) {
        const bytes = encode({ enc, load: { cmd, id: "web1", jid: JID, return: 1 }, version: 3, id: "web1" }, "wire");
        assert.equal(await answer(cluster, bytes), "bad load", `${String(enc)} ${cmd}`);
      }
    }
    // Declared as sealed, but in clear.
    const bytes = encode({ enc: "aes", load: { cmd: "_file_envs" }, version: 3, id: "web1" }, "wire");
    assert.equal(await answer(cluster, bytes), "bad load");
    await stillServes(cluster);
  });
});

describe("sealed requests", TIMEOUT, () => {
  test("of versions below 3 are refused by default, as are sign-ins", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const { publications, session } = peer.auth.signedIn!;
    for (const version of [0, 1, 2, 2.9, -1, undefined, null, "3", NaN]) {
      for (const crypticle of [publications.crypticle, session.crypticle]) {
        const bytes = sealed(cluster, peer, { crypticle, outer: { version } });
        assert.equal(await answer(cluster, bytes), "bad load", String(version));
      }
      const auth = decode(peer.auth.request().bytes, { mode: "wire" }) as Json;
      if (version !== "3") assert.equal(await answer(cluster, encode({ ...auth, version }, "wire")), "bad load");
    }
    assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
  });

  test("are accepted once: a replay is refused, and the minion keeps working", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({
      cmd: "_return",
      jid: JID,
      return: "first",
      schedule: "nightly",
      fun: "test.echo",
      retcode: 0,
      success: true,
    });
    const captured = peer.sent;
    assert.equal(await answer(cluster, captured), "bad load");
    assert.equal(await answer(cluster, captured), "bad load");
    const returns = cluster.events.filter(({ tag }) => tag === `salt/job/${JID}/ret/web1`);
    assert.equal(returns.length, 1);
    assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
    assert.equal(await answer(cluster, captured), "bad load");
  });

  test("replayed much later are refused by their time", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({ cmd: "_file_envs" });
    const captured = peer.sent;
    cluster.clock.advance(3_600_000);
    await peer.send({ cmd: "_file_envs" });
    assert.equal(await answer(cluster, captured), "bad load");
  });

  test("older than request_server_ttl are refused", TIMEOUT, async () => {
    await using cluster = await master({ master: { request_server_ttl: 60 } });
    const peer = await cluster.peer("web1");
    const now = Math.floor(cluster.clock.now() / 1000);
    for (
      const [ts, good] of [[now, true], [now - 59, true], [now - 62, false], [undefined, false], ["x", false]] as const
    ) {
      const bytes = sealed(cluster, peer, ts === undefined ? { without: ["ts"] } : { load: { ts } });
      const reply = await peer.exchange(bytes, ask);
      assert.equal(decode(reply, { mode: "wire" }) !== "bad load", good, String(ts));
    }
  });

  test("in the name of another minion are refused, in whichever field the name is", TIMEOUT, async () => {
    await using cluster = await master({
      prepare: ({ fs }, root) => fs.write(`${root}/pki/minions/app1`, cleanPem(PAIRS.other.publicPem)),
    });
    const web = await cluster.peer("web1");
    const app = await cluster.peer("app1", PAIRS.other);
    const load = { cmd: "_return", jid: JID, return: "forged", fun: "test.ping" };
    const forged = {
      "inner id of another": { load: { ...load, id: "app1" } },
      "outer id of another": { load, outer: { id: "app1" } },
      "both ids of another": { load: { ...load, id: "app1" }, outer: { id: "app1" } },
      "the other's token": { load: { ...load, tok: app.auth.proof } },
      "its id, our token, sealed with its key": {
        load: { ...load, id: "app1" },
        outer: { id: "app1" },
        crypticle: app.auth.signedIn!.session.crypticle,
      },
      "the master key": { load, crypticle: web.auth.signedIn!.publications.crypticle },
      "no token": { load, without: ["tok"] },
      "no id": { load, without: ["id"] },
      "an empty token": { load: { ...load, tok: new Uint8Array(0) } },
      "a token of other text": {
        load: {
          ...load,
          tok: x931Sign(
            cluster.runtime.crypto,
            cluster.runtime.crypto.loadPrivateKey(PAIRS.minion.privatePem),
            text("Salt"),
          ),
        },
      },
      "no outer id": { load, outer: { id: undefined } },
      "an outer id that is a path": { load, outer: { id: "../minions/web1" } },
      "an id that is not text": { load: { ...load, id: 7 } },
    };
    for (const [name, changes] of Object.entries(forged)) {
      const reply = await answer(cluster, sealed(cluster, web, changes));
      assert.match(String(reply), /^bad load/, name);
    }
    assert.ok(!cluster.events.some(({ tag }) => tag.includes("/ret/")));
    assert.deepEqual(await web.send({ cmd: "_file_envs" }), ["base"]);
    assert.deepEqual(await app.send({ cmd: "_file_envs" }), ["base"]);
  });

  test("a malformed report of jobs changes no job and ends no connection", TIMEOUT, async () => {
    await using cluster = await master();
    const web = await cluster.peer("web1");
    const deep = { a: [{ b: { __proto__: null } }] };
    const values: unknown[] = [null, true, 7, -1, 2 ** 53, 1.5, "", "x".repeat(5000), [], [[]], {}, deep, [deep]];
    const wrong: Record<string, unknown>[] = values.flatMap((value) => [
      { order: value },
      { order: [value, 1] },
      { order: ["life", value] },
      { order: [value, value, value] },
      { states: value },
      { states: [value] },
      { states: [[value, "started", ""]] },
      { states: [[JID, value, value]] },
      { known: value },
      { known: [value] },
      { waiting: value },
      { waiting: [value] },
      { returns: value },
      { returns: [value] },
      { returns: [Uint8Array.of(0xc1)] },
    ]);
    for (const report of wrong) {
      const reply = await web.send({ cmd: "_jobs", present: true, known: [], ...report }) as Json;
      const what = JSON.stringify(report).slice(0, 80);
      if (Array.isArray(report.returns)) assert.ok(Array.isArray(reply.kept), what);
      else assert.deepEqual(reply.jobs, [], what);
    }
    assert.ok(!cluster.events.some(({ tag }) => tag.startsWith("salt/job/")));
    assert.deepEqual(await web.send({ cmd: "_file_envs" }), ["base"]);
  });

  test("of an id whose key is not accepted create no session", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    for (const id of ["stranger", "x".repeat(255), "..", "a/b", ""]) {
      assert.equal(await answer(cluster, sealed(cluster, peer, { outer: { id }, load: { id } })), "bad load");
    }
    await cluster.master.close();
    const kept = cluster.runtime.fs.readText(`${cluster.root}/cache/.sessions`).trim().split("\n");
    // The first line names the key of the master.
    assert.deepEqual(kept.slice(1).map((line) => JSON.parse(line)[0]), ["web1"]);
  });

  for (const how of ["in order", "killed"]) {
    test(`captured before the master was stopped (${how}) are refused by the next one`, TIMEOUT, async () => {
      await using cluster = await master({ master: { peer: { ".*": [".*"] } } });
      const peer = await cluster.peer("web1");
      const load = { cmd: "minion_pub", tgt: "db1", fun: "test.ping", arg: [], ret: "", tok: peer.auth.proof };
      const captured = [
        sealed(cluster, peer, { load }),
        sealed(cluster, peer, { load }),
        sealed(cluster, peer, { load: { ...load, ts: Math.floor(cluster.clock.now() / 1000) - 300 } }),
        sealed(cluster, peer, { load }),
      ];
      const reply = await answer(cluster, captured[0]!);
      assert.ok(reply instanceof Uint8Array);
      const published = () => cluster.events.filter(({ tag }) => tag.endsWith("/new")).length;
      assert.equal(published(), 1);
      await cluster.master.close();
      // A master that is killed leaves no sessions behind.
      if (how === "killed") cluster.runtime.fs.remove(`${cluster.root}/cache/.sessions`);
      cluster.clock.advance(2000);
      await cluster.startMaster();
      if (how === "in order") assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"], "goes on");
      for (const bytes of captured) assert.equal(await answer(cluster, bytes), "bad load");
      assert.equal(published(), 1);
      // The attempt has ended the session: the holder of the key gets another one.
      await peer.signIn();
      assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
    });
  }
});

describe("keys", TIMEOUT, () => {
  test("are refused from the moment they are deleted", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({ cmd: "_file_envs" });
    cluster.runtime.fs.remove(`${cluster.root}/pki/minions/web1`);
    assert.equal(await answer(cluster, sealed(cluster, peer, {})), "bad load");
    await assert.rejects(peer.send({ cmd: "_file_envs" }), /pending/);
  });

  test("replaced lock the old minion out, and the new one has a session of its own", TIMEOUT, async () => {
    await using cluster = await master();
    const old = await cluster.peer("web1");
    await old.send({ cmd: "_file_envs" });
    cluster.acceptKey("web1", PAIRS.other);
    assert.equal(await answer(cluster, sealed(cluster, old, {})), "bad load");
    const renewed = await cluster.peer("web1", PAIRS.other);
    assert.notEqual(renewed.auth.signedIn!.session.keyString, old.auth.signedIn!.session.keyString);
    assert.deepEqual(await renewed.send({ cmd: "_file_envs" }), ["base"]);
    await assert.rejects(old.signIn(), /rejected/);
    assert.equal(
      cluster.runtime.fs.readText(`${cluster.root}/pki/minions_denied/web1`),
      cleanPem(PAIRS.minion.publicPem),
    );
    assert.equal(cluster.runtime.fs.readText(`${cluster.root}/pki/minions/web1`), cleanPem(PAIRS.other.publicPem));
  });

  test("replaced while the master was down have a session of their own", TIMEOUT, async () => {
    await using cluster = await master();
    const old = await cluster.peer("web1");
    await old.send({ cmd: "_file_envs" });
    await cluster.master.close();
    cluster.acceptKey("web1", PAIRS.other);
    cluster.clock.advance(2000);
    await cluster.startMaster();
    const renewed = await cluster.peer("web1", PAIRS.other);
    assert.notEqual(renewed.auth.signedIn!.session.keyString, old.auth.signedIn!.session.keyString);
    assert.equal(await answer(cluster, sealed(cluster, old, {})), "bad load");
    assert.deepEqual(await renewed.send({ cmd: "_file_envs" }), ["base"]);
  });

  test("deleted at the minion's request cause a rotation of the master key", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const before = peer.auth.signedIn!.publications.keyString;
    const { cache } = cluster.master.services;
    for (const id of ["web1", "db1"]) cache.saveData(id, { grains: { id }, pillar: {} });
    assert.equal(await peer.send({ cmd: "revoke_auth" }), true);
    assert.deepEqual([cache.data("web1"), cache.data("db1")], [undefined, { grains: { id: "db1" }, pillar: {} }]);
    assert.equal(await answer(cluster, sealed(cluster, peer, {})), "bad load");
    const other = await cluster.peer("db1");
    assert.notEqual(other.auth.signedIn!.publications.keyString, before);
  });

  test("of an id that is a path are refused, with nothing written", TIMEOUT, async () => {
    await using cluster = await master({ master: { auto_accept: true } });
    const peer = await cluster.peer("web1");
    const before = cluster.runtime.fs.list(cluster.root);
    for (
      const id of ["../evil", "..", ".", "", "a/b", "/etc/cron.d/x", "a\\b", "x".repeat(256), 7, null, ["web1"], {
        id: 1,
      }]
    ) {
      const request = decode(peer.auth.request().bytes, { mode: "wire" }) as Json;
      request.load.id = id;
      const reply = await answer(cluster, encode(request, "wire"));
      if (typeof id === "string" || id === null) {
        if (typeof reply === "string") assert.match(reply, /^bad load/);
        else assert.equal((decode(bytesOf(reply.load), { mode: "wire" }) as Json).ret, false, String(id));
      } else assert.match(reply, /^bad load/);
    }
    assert.deepEqual(cluster.runtime.fs.list(cluster.root), before);
    assert.deepEqual(cluster.runtime.fs.list(`${cluster.root}/pki/minions`), ["db1", "web1"]);
    assert.equal(cluster.runtime.fs.stat("/etc/cron.d"), undefined);
  });

  test("that are invalid or absurd do not stop the master", TIMEOUT, async () => {
    await using cluster = await master({ master: { auto_accept: true } });
    const peer = await cluster.peer("web1");
    for (
      const pub of [
        "",
        "x",
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
        PAIRS.minion.privatePem,
        "x".repeat(1_000_000),
        7,
        null,
        [],
        {},
      ]
    ) {
      const request = decode(peer.auth.request().bytes, { mode: "wire" }) as Json;
      request.load.id = "strange";
      request.load.pub = pub;
      const reply = await answer(cluster, encode(request, "wire"));
      if (typeof reply !== "string") {
        const { ret } = decode(bytesOf(reply.load), { mode: "wire" }) as Json;
        assert.equal(ret, false, String(pub).slice(0, 40));
      }
      for (const directory of ["minions", "minions_pre", "minions_denied", "minions_rejected"]) {
        assert.ok(!cluster.runtime.fs.list(`${cluster.root}/pki/${directory}`).includes("strange"));
      }
    }
    await stillServes(cluster);
  });

  test("of countless ids fill no directory, and accepted minions still sign in", TIMEOUT, async () => {
    await using cluster = await master({ master: { max_pending_keys: 20 } });
    const peer = await cluster.peer("web1");
    const exchange = cluster.exchange();
    const asks = async (id: string, pub = cleanPem(PAIRS.other.publicPem)): Promise<unknown> => {
      const request = decode(peer.auth.request().bytes, { mode: "wire" }) as Json;
      Object.assign(request.load, { id, pub });
      const reply = decode(await exchange(encode(request, "wire"), ask), { mode: "wire" }) as Json;
      return (decode(bytesOf(reply.load), { mode: "wire" }) as Json).ret;
    };
    const rets: unknown[] = [];
    for (let at = 0; at < 60; at++) rets.push(await asks(`flood${at}`));
    assert.deepEqual(rets, [...Array(10).fill(true), ...Array(50).fill("full")]);
    const pending = () => cluster.runtime.fs.list(`${cluster.root}/pki/minions_pre`);
    assert.equal(pending().length, 10);
    assert.equal(await asks("flood3"), true, "who waits goes on waiting");
    const { data } = await cluster.event("salt/auth");
    assert.equal(data.result, true);
    assert.ok(cluster.events.some(({ tag, data }) => tag === "salt/auth" && data.act === "full"));
    assert.equal(
      cluster.captured.complaints().filter((message) => message.includes("raise max_pending_keys")).length,
      1,
    );
    // Different keys for ids that are accepted already: at most one denied key is stored for each id.
    for (const id of ["web1", "db1"]) assert.equal(await asks(id), false);
    await cluster.peer("db1");
    for (const id of pending()) cluster.runtime.fs.remove(`${cluster.root}/pki/minions_pre/${id}`);
    cluster.clock.advance(1000);
    assert.equal(await asks("honest"), true);
  });
});

describe("a minion among others", TIMEOUT, () => {
  test("cannot fire under the master's tags, nor in another minion's name, in either form", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const forbidden = [
      `salt/job/${JID}/new`,
      `salt/job/${JID}/publish`,
      `salt/job/${JID}/return`,
      `salt/job/${JID}/ret/web1`,
      `salt/job/${JID}/ret/db1`,
      `salt/job/${JID}/prog/db1/1`,
      `salt/job/${JID}/sub/db1/error/x`,
      `salt/job/${JID}/error`,
      `salt/job/${JID}`,
      JID,
      `${JID}_1`,
      "salt/key",
      "salt/key/x",
      "salt/auth",
      "key",
      "salt/run/x/new",
      `salt/run/${JID}/ret`,
      `salt/wheel/${JID}/ret`,
      `salt/wheel/${JID}/new`,
      "salt/cloud/x/creating",
      "salt/cluster/x",
      "cluster/peer/x",
      "cluster/event/x/y",
      "rotate_cluster_aes_key",
      "salt/presence/present",
      "salt/presence/change",
      "salt/stats/x",
      "salt/fileserver/gitfs/update",
      "salt/event/exit",
      "salt/netapi/hook/deploy",
      "salt/minion/db1/start",
      "salt/minion/db1",
      "salt/minion/",
      "salt/beacon/db1/load/",
      `salt/state_result/${JID}/db1/x`,
      "minion/refresh/db1",
      "syndic/db1/x",
      "salt/syndic/db1/start",
      "a\n\nb",
      "",
    ];
    const allowed = [
      "my/tag",
      "minion_start",
      "salt/minion/web1/start",
      "salt/beacon/web1/load/",
      `salt/job/${JID}/prog/web1/1`,
      `salt/state_result/${JID}/web1/x`,
      "minion_ping",
      "salt/queue/x",
    ];
    const start = cluster.events.length;
    const fired = (tags: string[]) =>
      cluster.events.slice(start).filter(({ tag }) => tags.includes(tag)).map(({ tag }) => tag);
    for (const tag of forbidden) {
      assert.equal(await peer.send({ cmd: "_minion_event", tag, data: { id: "db1", return: 1 }, pretag: null }), null);
      assert.equal(await peer.send({ cmd: "_minion_event", events: [{ tag, data: {} }], pretag: null }), null);
      const [head, ...rest] = tag.split("/");
      if (rest.length > 0) {
        await peer.send({ cmd: "_minion_event", events: [{ tag: rest.join("/"), data: {} }], pretag: head });
      }
    }
    assert.deepEqual(fired(forbidden), []);
    for (const tag of allowed) {
      await peer.send({ cmd: "_minion_event", tag, data: "x", pretag: null });
      await peer.send({ cmd: "_minion_event", events: [{ tag, data: { x: 1 } }] });
    }
    assert.deepEqual(fired(allowed), allowed.flatMap((tag) => [tag, tag]));
    const before = cluster.events.length;
    for (const tag of ["minion_start", "salt/minion/web1/start", "salt/beacon/web1/x"]) {
      await peer.send({ cmd: "_minion_event", events: [{ tag, data: { id: "db1" } }] });
    }
    assert.deepEqual(cluster.events.slice(before).map(({ tag }) => tag), []);
    for (const single of cluster.events.filter(({ tag }) => tag === "my/tag").slice(0, 1)) {
      assert.equal(single.data.id, "web1");
      assert.equal("tok" in single.data || "nonce" in single.data, false);
    }
  });

  test("fires no event in another minion's name, in whichever form and under whatever tag", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const forged = { id: "db1", order: 1 };
    const loads = [
      { events: [{ tag: "myco/deploy/done", data: forged }] },
      { events: [{ tag: "myco/deploy/done", ...forged }] },
      { events: [{ tag: "deploy/done", data: forged }], pretag: "myco" },
      { events: [{ tag: "myco/deploy/done", data: {} }] },
      { tag: "myco/deploy/done", data: forged },
      { tag: "deploy/done", data: forged, pretag: "myco" },
      { events: [{ tag: "myco/deploy/done", data: { id: ["db1"] } }, { tag: "myco/x", data: { id: null } }] },
    ];
    const start = cluster.events.length;
    for (const load of loads) await peer.send({ cmd: "_minion_event", ...load });
    const events = cluster.events.slice(start).filter(({ tag }) => /deploy|myco/.test(tag));
    assert.ok(events.length >= loads.length);
    assert.deepEqual([...new Set(events.map(({ data }) => data.id))], ["web1"]);
  });

  test("cannot return for another minion, nor pose as a syndic", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const part = { jid: JID, fun: "test.ping", return: { db1: { return: "forged", retcode: 0, success: true } } };
    assert.equal(await peer.send({ cmd: "_syndic_return", load: [part] }), null);
    assert.equal(await peer.send({ cmd: "_syndic_return", load: part }), null);
    assert.ok(!cluster.events.some(({ tag }) => tag.includes("/ret/")));
    assert.deepEqual(await cluster.master.services.jobs.returns(JID), []);
  });

  test("cannot write outside the cache by its returns: jids and ids are not used as paths", TIMEOUT, async () => {
    await using cluster = await master({ master: { order_masters: true } });
    const peer = await cluster.peer("web1");
    const before = JSON.stringify(cluster.runtime.fs.list(`${cluster.root}/cache`));
    for (const jid of ["../../x", "/etc/x", "", "x", `${JID}/../x`, `${JID}_a/b`, `${JID}\0`, 7, null, [JID], {}]) {
      await peer.send({ cmd: "_return", jid, return: 1, fun: "test.ping" });
      await peer.send({ cmd: "pub_ret", jid });
      await peer.send({ cmd: "_syndic_return", load: [{ jid, return: { db1: { return: 1 } } }] });
    }
    for (const id of ["../../x", "/etc/x", "..", "", "a/b"]) {
      await peer.send({ cmd: "_syndic_return", load: [{ jid: JID, fun: "f", return: { [id]: { return: 1 } } }] });
    }
    assert.ok(!cluster.events.some(({ tag }) => tag.includes("/ret/")));
    assert.equal(JSON.stringify(cluster.runtime.fs.list(`${cluster.root}/cache`)), before);
  });

  test("cannot read another minion's publications, or the returns of any other job", TIMEOUT, async () => {
    await using cluster = await master({ master: { peer: { "web1": ["test.*"] } } });
    const [web, db] = [await cluster.peer("web1"), await cluster.peer("db1")];
    const job = { cmd: "minion_pub", fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", ret: "" };
    const { jid } = await web.send(job) as { jid: string };
    await db.send({ cmd: "_return", jid, return: "secret", fun: "test.ping" });
    assert.deepEqual(await web.send({ cmd: "pub_ret", jid }), { db1: { ret: "secret" } });
    assert.deepEqual(await db.send({ cmd: "pub_ret", jid }), {});
    assert.equal(await web.send({ cmd: "pub_ret", jid: JID }), "");
    for (const fun of ["cmd.run", "test.ping,cmd.run", "cmd.run,test.ping", "publish.publish", "test.ping, cmd.run"]) {
      assert.deepEqual(await web.send({ ...job, fun, arg: fun.includes(",") ? [[], []] : [] }), {}, fun);
    }
    assert.deepEqual(await db.send(job), {});
  });

  test("cannot reach files outside the roots by any spelling", TIMEOUT, async () => {
    await using cluster = await master({
      prepare({ fs }, root) {
        fs.write(`${root}/secret`, "s3cret");
        fs.mkdir(`${root}/srv/sub`);
        fs.write(`${root}/srv/sub/good`, "good");
        fs.symlink(`${root}/secret`, `${root}/srv/link`);
        fs.symlink(root, `${root}/srv/up`);
        fs.symlink(`${root}/srv/sub`, `${root}/srv/inside`);
        fs.symlink("loop", `${root}/srv/loop`);
        // Another user than root has made these: an operator's would be followed.
        for (const name of ["", "/link", "/up"]) fs.chown(`${root}/srv${name}`, 1000, 1000, { follow: false });
      },
    });
    const peer = await cluster.peer("web1");
    const root = cluster.root;
    const paths = [
      "../secret",
      "sub/../../secret",
      "/secret",
      `${root}/secret`,
      `/${root}/secret`,
      "..//secret",
      "./../secret",
      "sub/../../srv/../secret",
      "..",
      ".",
      "",
      "/",
      "..\\secret",
      "../secret?saltenv=base",
      "|../secret",
      `|${root}/secret`,
      "link",
      "up/secret",
      "up/pki/master.pem",
      "sub/good\0",
      "../secret\0.txt",
      "%2e%2e/secret",
      "loop",
      "sub",
      "inside/../../secret",
      "x".repeat(5000),
      "__proto__",
    ];
    for (const path of paths) {
      for (const saltenv of ["base", "..", "../..", "__proto__", "constructor", "", null, 7, ["base"]]) {
        for (const cmd of ["_serve_file", "_file_find", "_file_hash", "_file_hash_and_stat"]) {
          const reply = JSON.stringify(await peer.send({ cmd, path, saltenv, loc: 0 }));
          assert.ok(
            ['{"data":"","dest":""}', '{"path":"","rel":""}', '""'].includes(reply),
            `${cmd} ${path} ${saltenv}: ${reply}`,
          );
        }
      }
    }
    assert.deepEqual(await peer.send({ cmd: "_serve_file", path: "inside/good", saltenv: "base", loc: 0 }), {
      data: "good",
      dest: "inside/good",
    });
    for (const loc of [-1, 1.5, "0", null, 2 ** 60, NaN]) {
      const reply = await peer.send({ cmd: "_serve_file", path: "sub/good", saltenv: "base", loc }) as Json;
      assert.equal(reply.data.length, 0, String(loc));
    }
    assert.deepEqual(await peer.send({ cmd: "_file_list", saltenv: "base", prefix: ".." }), []);
    const listed = await peer.send({ cmd: "_file_list", saltenv: "base" }) as string[];
    assert.deepEqual(listed, ["inside/good", "sub/good"]);
    assert.deepEqual(await peer.send({ cmd: "_dir_list", saltenv: "base" }), ["inside", "sub"]);
  });

  test(
    "cannot push files out of its directory, through links, pipes or size; nor at all by default",
    TIMEOUT,
    async () => {
      await using cluster = await master({ master: { file_recv: true, file_recv_max_size: 1 } });
      const { fs } = cluster.runtime;
      const peer = await cluster.peer("web1");
      const push = (path: unknown, more: Record<string, unknown> = {}) =>
        peer.send({ cmd: "_file_recv", path, loc: 0, data: Uint8Array.of(...text("pushed"), 255), size: 7, ...more });
      assert.equal(await push(["ok", "file"]), true);
      const base = `${cluster.root}/cache/minions/web1/files`;
      fs.mkdir("/outside");
      fs.symlink("/outside", `${base}/link`);
      fs.symlink("/outside/target", `${base}/file-link`);
      for (
        const path of [
          ["..", "x"],
          ["a", "..", "..", "x"],
          ["a/../../x"],
          ["/etc/x"],
          ["a", "/etc/x"],
          ["."],
          ["a", "."],
          [""],
          ["a", ""],
          [],
          ["a\0b"],
          "a/b",
          null,
          7,
          [7],
          [["a"]],
          ["link", "x"],
          ["link", "new", "x"],
          ["file-link"],
          ["ok"],
          ["ok", "file", "below"],
          ["../db1/files/x"],
          ["x".repeat(300)],
        ]
      ) assert.notEqual(await push(path), true, JSON.stringify(path));
      for (const loc of [-1, 0.5, "0", null, 2 ** 40, 1024 * 1024]) {
        assert.equal(await push(["f"], { loc }), false, String(loc));
      }
      assert.equal(await push(["f"], { data: new Uint8Array(1024 * 1024 + 1) }), false);
      assert.equal(await push(["f"], { data: 7 }), false);
      assert.deepEqual(fs.list("/outside"), []);
      assert.deepEqual(fs.list(base), ["file-link", "link", "ok"]);
      assert.deepEqual(fs.list(`${cluster.root}/cache/minions`), ["web1"]);

      await using plain = await master();
      const other = await plain.peer("web1");
      assert.equal(await other.send({ cmd: "_file_recv", path: ["f"], loc: 0, data: "x", size: 1 }), false);
      assert.deepEqual(plain.runtime.fs.list(`${plain.root}/cache/minions`), []);
    },
  );

  test("cannot reach properties of Object.prototype by any name it may choose", TIMEOUT, async () => {
    await using cluster = await master({}, ["web1", "__proto__", "constructor"]);
    const ids = ["web1", "__proto__", "constructor"];
    await cluster.master.services.jobs.saveLoad(JID, { fun: "__proto__", arg: [], tgt: "*", jid: JID }, ids);
    const before = Object.getOwnPropertyNames(Object.prototype);
    for (const id of ["web1", "__proto__", "constructor"]) {
      const peer = await cluster.peer(id);
      const names = ["__proto__", "constructor", "toString", "a.b"];
      const data = Object.fromEntries(names.map((name) => [name, { polluted: true }]));
      assert.equal(await peer.send({ cmd: "_mine", data: { "a.b": 1 } }), true);
      await peer.send({ cmd: "_mine", data: new Map(Object.entries(data)) });
      for (const fun of [...names, names, names.join(",")]) {
        await peer.send({ cmd: "_mine_get", tgt: "*", fun, tgt_type: "glob" });
        await peer.send({ cmd: "_mine_get", tgt: "*", fun, tgt_type: "__proto__" });
        await peer.send({ cmd: "_mine_delete", fun });
      }
      await peer.requests.sendPrivate({
        cmd: "_pillar",
        grains: Object.fromEntries(names.map((name) => [name, { x: 1 }])),
      });
      const ret = { return: Object.fromEntries([["__proto__", 1]]), fun: "__proto__" };
      await peer.send({ cmd: "_return", jid: JID, ...ret });
      await peer.send({ cmd: "_minion_event", tag: "t", data: Object.fromEntries([["__proto__", { polluted: 1 }]]) });
    }
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
    assert.equal(({} as Json).polluted, undefined);
    assert.deepEqual(
      (await cluster.master.services.jobs.returns(JID)).map(({ minion }) => minion),
      ["__proto__", "constructor", "web1"],
    );
    await stillServes(cluster);
  });
});

describe("bytes that are not requests", TIMEOUT, () => {
  test("a recorded request cut or changed at every byte is answered, and changes nothing", TIMEOUT, async () => {
    await using cluster = await master({ master: { auto_accept: false } });
    const peer = await cluster.peer("web1");
    const exchange = cluster.exchange();
    const good = sealed(cluster, peer, { load: { cmd: "_return", jid: JID, return: "x", fun: "test.ping" } });
    const auth = peer.auth.request().bytes;
    const requests = [good, auth, clear({ cmd: "ping", deep: { list: [1, "two", null] } })];
    for (const request of requests) {
      for (let at = 0; at < request.length; at += request === good ? 3 : 1) {
        await exchange(request.slice(0, at), ask);
        const flipped = request.slice();
        flipped[at]! ^= 1 << (at % 8);
        await exchange(flipped, ask);
      }
    }
    assert.ok(!cluster.events.some(({ tag }) => tag.includes("/ret/")));
    assert.deepEqual(cluster.runtime.fs.list(`${cluster.root}/pki/minions`), ["db1", "web1"]);
    assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
    await stillServes(cluster);
  });

  test("wrong lengths, endless nesting and unusual types of values are answered", TIMEOUT, async () => {
    await using cluster = await master();
    const exchange = cluster.exchange();
    const bombs: Uint8Array[] = [
      Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0xdb, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0xc6, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0xc9, 0xff, 0xff, 0xff, 0xff, 78),
      new Uint8Array(100_000).fill(0x91),
      new Uint8Array(100_000).fill(0x81),
      new Uint8Array(1_000_000),
      new Uint8Array(0),
      encode(Array.from({ length: 100_000 }, (_, n) => n), "wire"),
    ];
    for (const bomb of bombs) await exchange(bomb, ask);
    const peer = await cluster.peer("web1");
    for (const value of [...bombs, null, 7, [], "x", new Map<unknown, unknown>([[1, 2], [[], {}]])]) {
      await exchange(clear(value), ask);
      await exchange(encode({ enc: "aes", load: value, version: 3, id: "web1" }, "wire"), ask);
      const load = peer.auth.signedIn!.session.crypticle.seal(packPayload(value));
      await exchange(packEnvelope({ enc: "aes", load, version: 3, id: "web1" }), ask);
    }
    await stillServes(cluster);
    assert.deepEqual(await peer.send({ cmd: "_file_envs" }), ["base"]);
  });

  test("every sealed command survives every kind of field", TIMEOUT, async () => {
    await using cluster = await master({ master: { file_recv: true, order_masters: true, peer: { ".*": [".*"] } } });
    const peer = await cluster.peer("web1");
    const fields = [
      "path",
      "saltenv",
      "loc",
      "data",
      "tgt",
      "fun",
      "arg",
      "ret",
      "jid",
      "return",
      "tag",
      "events",
      "pretag",
      "load",
      "prefix",
      "tgt_type",
      "gzip",
      "grains",
    ];
    const values = [null, 7, -1, true, "", "x", [], ["x"], {}, { x: 1 }, Uint8Array.of(255), new Map([[1, 2]]), 1e300, [
      [[]],
    ]];
    for (const cmd of Object.keys(AES_COMMANDS).filter((name) => name !== "revoke_auth")) {
      for (const [at, value] of values.entries()) {
        const load: Record<string, unknown> = { cmd };
        for (const [n, field] of fields.entries()) {
          load[field] = n % 3 === at % 3 ? value : values[(at + n) % values.length];
        }
        await peer.send(load).catch((error: Error) => assert.fail(`${cmd} ${at}: ${error.message}`));
      }
    }
    await stillServes(cluster);
  });

  test(
    "to the ports close that connection alone: no ZMTP, half of it, and frames that claim too much",
    TIMEOUT,
    async () => {
      await using cluster = await startCluster({ minions: ["web1"] });
      const port = (endpoint: string) => Number(endpoint.split(":").at(-1));
      const greeting = new Uint8Array(64);
      greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1, 0x4e, 0x55, 0x4c, 0x4c]);
      const ready = (
        type: string,
      ) => [4, 22 + type.length, 5, ...text("READY"), 11, ...text("Socket-Type"), 0, 0, 0, type.length, ...text(type)];
      const hostile: number[][] = [
        [...text("GET / HTTP/1.1\r\nHost: salt\r\n\r\n".padEnd(100, "x"))],
        new Array(64).fill(0),
        [...greeting, 0xff],
        [...greeting, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        [...greeting, ...ready("REQ"), 2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        [...greeting, ...ready("REQ"), 2, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff],
        [...greeting, ...ready("NONSENSE")],
        [...greeting, ...ready("REQ"), ...new Array(5000).fill([1, 0]).flat()],
      ];
      for (const endpoint of [cluster.master.requestEndpoint, cluster.master.publishEndpoint]) {
        for (const [n, bytes] of hostile.entries()) {
          const connection = await cluster.runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port: port(endpoint) });
          const closed = Promise.withResolvers<void>();
          connection.start({ onData: () => {}, onClose: () => closed.resolve() });
          connection.write(Uint8Array.from(bytes));
          // Half a handshake is closed by its sender; the rest must be closed by the master.
          if (n === 2) connection.end();
          await closed.promise;
        }
      }
      await stillServes(cluster);
      assert.deepEqual(await (await cluster.client()).command({ tgt: "*", fun: "test.ping" }), { web1: true });
    },
  );

  test("to an event socket close the connection of that sender alone", TIMEOUT, async () => {
    await using cluster = await master();
    const at = { kind: "unix" as const, path: `${cluster.root}/sock/master_event_pull.ipc` };
    for (
      const bytes of [
        Uint8Array.of(0xc1),
        Uint8Array.of(0xdf, 255, 255, 255, 255),
        new Uint8Array(1000).fill(0x91),
        text("GET / HTTP/1.0\r\n\r\n"),
      ]
    ) {
      const connection = await cluster.runtime.net.dial(at);
      const closed = Promise.withResolvers<void>();
      connection.start({ onData: () => {}, onClose: () => closed.resolve() });
      connection.write(bytes);
      connection.end();
      await closed.promise;
    }
    const client = await cluster.client();
    assert.deepEqual((await client.publish({ tgt: "web1", fun: "test.ping" }))!.minions, ["web1"]);
  });
});

describe("publications", TIMEOUT, () => {
  test(
    "from before a minion's start are not accepted, although it has seen none of their numbers",
    TIMEOUT,
    async () => {
      await using cluster = await master({}, ["web1"]);
      const { runtime, captured } = cluster;
      const net = { net: runtime.net, clock: runtime.clock, random: () => 0.5, log: captured.log };
      const sub = zmtpSockets({ ...net, later: (call) => runtime.later(call) }).sub();
      const came: Uint8Array[][] = [];
      sub.onMessage((frames) => void came.push(frames));
      sub.subscribe("");
      const ready = Promise.withResolvers<void>();
      sub.onConnect(() => ready.resolve());
      sub.connect(`tcp://127.0.0.1:${cluster.master.publishEndpoint.split(":").at(-1)}`);
      await ready.promise;
      /** How a minion that starts now and has signed in treats a publication. */
      const started = async () => {
        const identity = {
          id: "web1",
          key: runtime.crypto.loadPrivateKey(PAIRS.minion.privatePem),
          publicPem: cleanPem(PAIRS.minion.publicPem),
        };
        const masterKeyRecord = { place: "minion_master.pub", read: () => undefined, write: () => {} };
        const auth = new AuthClient({ ...runtime, log: captured.log, identity, masterKeyRecord, isBrine: true });
        const signIn = async () => {
          const request = auth.request();
          auth.outcome(await cluster.exchange()(request.bytes, ask), request);
          return auth.signedIn!;
        };
        await signIn();
        const reader = new PublicationReader({
          crypto: runtime.crypto,
          clock: runtime.clock,
          log: captured.log,
          signedIn: () => auth.signedIn,
          signIn,
          requireSignature: true,
          topics: new Set<string>(),
        });
        return (frames: Uint8Array[]) => reader.read(frames);
      };
      const client = await cluster.client();
      const first = await started();
      for (let at = 0; at < 2; at++) {
        const before = came.length;
        // Repeated until the subscription has arrived: a publication without subscribers is numbered, too.
        await until(async () => {
          await client.publish({ tgt: "web1", fun: "test.ping" });
          return came.length > before;
        });
        assert.equal((await first(came.at(-1)!))?.fun, "test.ping");
      }
      const later = await started();
      for (const frames of came) assert.equal(await later(frames), undefined);
      assert.ok(captured.complaints().includes("publication ignored: received before"));
      await sub.close();
    },
  );

  /** A minion that listens to a publisher of ours instead of the master's. */
  async function listening(opts: Record<string, unknown> = {}) {
    const cluster = await master({}, ["web1"]);
    const { runtime } = cluster;
    const sockets = zmtpSockets({
      net: runtime.net,
      clock: runtime.clock,
      random: () => 0.5,
      log: cluster.captured.log,
      later: (call) => runtime.later(call),
    });
    const pub = sockets.pub({ lingerMs: 0 });
    const endpoint = await pub.bind("tcp://127.0.0.1:0");
    const connected = Promise.withResolvers<void>();
    pub.onConnect(() => connected.resolve());
    const minion = await cluster.startMinion("web1", {
      opts: { publish_port: Number(endpoint.split(":").at(-1)), ...opts },
    });
    await minion.ready;
    await connected.promise;
    const peer = await cluster.peer("web1");
    const { keyString, crypticle } = peer.auth.signedIn!.publications;
    const key = runtime.crypto.loadPrivateKey(PAIRS.master.privatePem);
    const identity = { key, publicPem: PAIRS.master.publicPem };
    const sealer = new PublicationSealer({
      crypto: runtime.crypto,
      identity,
      masterKey: () => ({ keyString, crypticle }),
    });
    const job = (jid: string, more: Record<string, unknown> = {}) => ({
      fun: "test.ping",
      arg: [],
      tgt: "*",
      tgt_type: "glob",
      jid,
      ret: "",
      user: "root",
      ...more,
    });
    // The master does not know the job and would refuse its return, so the test counts what the minion has run.
    const ended = () => cluster.captured.records.filter(({ message }) => message === "job ended");
    const returned = (jid: string) => ended().filter(({ fields }) => fields?.jid === jid).length;
    return {
      cluster,
      pub,
      sealer,
      crypticle,
      key,
      job,
      returned,
      ended: () => ended().map(({ fields }) => fields?.jid),
      async [Symbol.asyncDispose]() {
        await pub.close();
        await cluster.close();
      },
    };
  }
  const jid = (n: number) => `2024050607080900${String(n).padStart(4, "0")}`;

  test("that are forged, replayed, unsigned or have an old number run nothing", TIMEOUT, async () => {
    await using scene = await listening({ sign_pub_messages: true });
    const { cluster, pub, sealer, crypticle, key, job, returned, ended } = scene;
    const { crypto } = cluster.runtime;
    const other = crypto.loadPrivateKey(PAIRS.other.privatePem);
    const blob = (load: Record<string, unknown>) => crypticle.seal(packPayload(load));
    const good = await sealer.seal(job(jid(1)));
    const fields = decode(good, { mode: "wire" }) as Json;
    const sign = (load: Uint8Array, by = key, algorithm = "PKCS1v15-SHA1") => ({
      enc: "aes",
      load,
      sig_algo: algorithm,
      sig: rsaSign(crypto, "PKCS1v15-SHA1", by, load),
    });
    pub.send(good);
    await until(() => returned(jid(1)) === 1);

    const bad: unknown[] = [
      // Replayed as a whole, and with another signature over the same.
      fields,
      // The same job under a new number: the jid has been run.
      sign(blob(job(jid(1), { serial: 50 }))),
      // With an old number.
      sign(blob(job(jid(2), { serial: 1 }))),
      // Unsigned, signed by another, signed over other bytes, by an unknown algorithm.
      { enc: "aes", load: blob(job(jid(3), { serial: 60 })) },
      sign(blob(job(jid(4), { serial: 61 })), other),
      { ...sign(blob(job(jid(5), { serial: 62 }))), load: blob(job(jid(5), { serial: 63 })) },
      sign(blob(job(jid(6), { serial: 64 })), key, "PKCS1v15-MD5"),
      sign(blob(job(jid(7), { serial: 65 })), key, "__proto__"),
      // In clear, and under unknown names.
      { enc: "clear", load: job(jid(8)) },
      {
        enc: "clear",
        load: encode(job(jid(9)), "wire"),
        sig: rsaSign(crypto, "PKCS1v15-SHA1", key, encode(job(jid(9)), "wire")),
      },
      // Genuine, but malformed.
      sign(blob(job("../../x", { serial: 70 }))),
      sign(blob({ ...job(jid(10)), serial: 71, fun: undefined } as Record<string, unknown>)),
      "text",
      7,
      [],
    ];
    for (const one of bad) pub.send(encode(one, "wire"));
    for (
      const bytes of [new Uint8Array(0), Uint8Array.of(0xc1), new Uint8Array(100_000).fill(0x91), good.slice(0, 100)]
    ) pub.send(bytes);
    pub.send([good, good, good]);
    pub.send(encode(sign(blob(job(jid(99), { serial: 100 }))), "wire"));
    await until(() => returned(jid(99)) === 1);
    assert.deepEqual(ended(), [jid(1), jid(99)]);
  });

  test("with a wrong signature are dropped even by a minion that requires no signature", TIMEOUT, async () => {
    await using scene = await listening();
    const { cluster, pub, crypticle, job, returned } = scene;
    const { crypto } = cluster.runtime;
    const load = crypticle.seal(packPayload(job(jid(1), { serial: 1 })));
    const sig = rsaSign(crypto, "PKCS1v15-SHA1", crypto.loadPrivateKey(PAIRS.other.privatePem), load);
    pub.send(encode({ enc: "aes", load, sig_algo: "PKCS1v15-SHA1", sig }, "wire"));
    pub.send(encode({ enc: "aes", load: crypticle.seal(packPayload(job(jid(2), { serial: 2 }))) }, "wire"));
    await until(() => returned(jid(2)) === 1);
    assert.equal(returned(jid(1)), 0);
  });

  test("with the same jid run once, although each is genuine", TIMEOUT, async () => {
    await using scene = await listening();
    const { pub, sealer, job, returned } = scene;
    for (let n = 0; n < 3; n++) pub.send(await sealer.seal(job(jid(1))));
    pub.send(await sealer.seal(job(jid(2))));
    await until(() => returned(jid(2)) === 1);
    assert.equal(returned(jid(1)), 1);
  });

  test("numbers only increase", () => {
    const window = new SerialWindow();
    assert.deepEqual([1, 2, 2, 1, 5, 3, 6].map((serial) => window.admit(serial)), [
      true,
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });
});

describe("secrets", TIMEOUT, () => {
  test("appear in no line of the log, at any level", TIMEOUT, async () => {
    const cluster = await startCluster({
      minions: ["web1"],
      compilePillar: () => Promise.resolve({ password: "p1llar-s3cret" }),
    });
    try {
      const client = await cluster.client();
      await client.command({ tgt: "*", fun: "test.echo", arg: ["arg-s3cret"] });
      const peer = await cluster.peer("web1");
      const key = cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`);
      const load = { tgt: "*", fun: "test.ping", arg: [], tgt_type: "glob", ret: "", jid: "", user: "root" };
      for (const cmd of ["publish", "runner", "wheel", "mk_token", "get_token", "nonsense"]) {
        await answer(
          cluster,
          clear({
            cmd,
            ...load,
            key: `${key.slice(1)}-wr0ng`,
            password: "eauth-s3cret",
            eauth: "pam",
            username: "u",
            token: "t0ken-s3cret",
            kwargs: { password: "eauth-s3cret", token: "t0ken-s3cret" },
          }),
        );
      }
      for (
        const changes of [{ load: { tok: text("t0ken-s3cret") } }, {
          load: { cmd: "nonsense", password: "eauth-s3cret" },
        }, { without: ["cmd"] }]
      ) {
        await answer(cluster, sealed(cluster, peer, changes));
      }
      await peer.signIn();
      const log = cluster.captured.text() + JSON.stringify(cluster.captured.records);
      const { session, publications } = peer.auth.signedIn!;
      const secrets = [
        key,
        session.keyString,
        publications.keyString,
        "p1llar-s3cret",
        "arg-s3cret",
        "eauth-s3cret",
        "t0ken-s3cret",
        "wr0ng",
      ];
      for (const { privatePem } of Object.values(PAIRS)) secrets.push(privatePem.split("\n")[1]!);
      for (const secret of secrets) assert.ok(!log.includes(secret), `in the log: ${secret.slice(0, 12)}`);
      const events = JSON.stringify(cluster.events);
      for (const secret of [key, session.keyString, publications.keyString, "eauth-s3cret", "t0ken-s3cret"]) {
        assert.ok(!events.includes(secret), `on the bus: ${secret.slice(0, 12)}`);
      }
    } finally {
      await cluster.close();
    }
  });

  test("are readable on disk by their owner alone", TIMEOUT, async () => {
    await using cluster = await startCluster({ place: "current", minions: ["web1"] });
    const client = await cluster.client();
    await client.command({ tgt: "*", fun: "test.ping" });
    const { fs } = cluster.runtime;
    const mode = (path: string) => fs.stat(`${cluster.root}/${path}`)!.mode.toString(8);
    assert.equal(mode("pki"), "700");
    for (const name of ["minions_pre", "minions_rejected", "minions_denied", "minions_autosign"]) {
      assert.equal(mode(`pki/${name}`), "700");
    }
    assert.equal(mode("pki/master.pem"), "400");
    assert.equal(mode(`cache/.${cluster.masterOpts.user}_key`), "600");
    assert.equal(mode("cache/minions/web1/data.p"), "600");
    assert.equal(mode("minion-web1/pki"), "700");
    assert.equal(mode("minion-web1/pki/minion.pem"), "400");
    for (const directory of ["sock", "minion-web1/sock"]) {
      const sockets = fs.list(`${cluster.root}/${directory}`);
      assert.ok(sockets.length >= 2);
      for (const name of sockets) {
        assert.equal(fs.stat(`${cluster.root}/${directory}/${name}`)!.kind, "socket");
        assert.equal(mode(`${directory}/${name}`), "600", name);
      }
    }
  });
});
