import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadSeal } from "../../../src/feature/cluster/load_seal.ts";
import { ClusterKey } from "../../../src/feature/cluster/cluster_key.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const { crypto } = await currentRuntime();
const keyOf = (pem: string, name = "test") => new ClusterKey(crypto, crypto.loadPrivateKey(pem), name);
const seal = new LoadSeal(crypto, keyOf(PAIRS.master.privatePem));
const JID = "20240506070809123456";
const LOAD = {
  fun: "cmd.run",
  arg: ["echo", 1.0, 1.5, -7, true, null, { __kwarg__: true, n: 2 ** 40 }, Uint8Array.of(1, 255), "\u00fc\ud83e\uddc2"],
  kwargs: { queue: 60 },
};
const made = seal.make(JID, LOAD, ["web1", "db1"]);

test("a seal is good for the load as it is read again, in whatever order its targets are", () => {
  const read = decode(encode(LOAD, "bin"), { mode: "bin" }) as Record<string, unknown>;
  assert.equal(seal.isGood(made, JID, read, ["db1", "web1", "web1"]), true);
});

for (
  const [what, jid, load, minions] of [
    ["the jid", "20240506070809123457", LOAD, ["web1", "db1"]],
    ["the function", JID, { ...LOAD, fun: "cmd.script" }, ["web1", "db1"]],
    ["an argument", JID, { ...LOAD, arg: ["reboot", ...LOAD.arg.slice(1)] }, ["web1", "db1"]],
    ["how long it is kept", JID, { ...LOAD, kwargs: { queue: 600 } }, ["web1", "db1"]],
    ["a further target", JID, LOAD, ["web1", "db1", "db2"]],
    ["a target less", JID, LOAD, ["web1"]],
  ] as const
) {
  test(`a seal is good no more once somebody has changed ${what}`, () => {
    assert.equal(seal.isGood(made, jid, load, minions), false);
  });
}

test("a seal of another key or cluster, a cut one, and none are refused", () => {
  const others = [keyOf(PAIRS.other.privatePem), keyOf(PAIRS.master.privatePem, "other")];
  for (const other of others) {
    const foreign = new LoadSeal(crypto, other).make(JID, LOAD, ["web1", "db1"]);
    assert.equal(seal.isGood(foreign, JID, LOAD, ["web1", "db1"]), false);
  }
  for (const bad of [undefined, new Uint8Array(), made.slice(1)]) {
    assert.equal(seal.isGood(bad, JID, LOAD, ["web1", "db1"]), false);
  }
});
