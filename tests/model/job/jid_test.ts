import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isJid, isPlainJid, jidDirectory, JidGenerator, jidToTime, newJid } from "../../../src/model/job/jid.ts";
import { isMinionId } from "../../../src/base/minion_id.ts";
import { ipcHash, publicationTopic } from "../../../src/protocol/crypto/hex.ts";
import type { HashName } from "../../../src/runtime/crypto.ts";
import { denoCrypto } from "../../../src/runtime/deno/crypto.ts";
import type { DateTime } from "../../../src/protocol/wire/msgpack.ts";
import { type Json, unescape, vectors } from "../../support/vectors.ts";

const crypto = denoCrypto();
const recorded = vectors("jid");
const naming = vectors("naming");

/** A clock that stands at a recorded time. */
function at(json: Json): { now(): number } {
  const time = unescape(json) as DateTime;
  return { now: () => time.epochMs + time.micros / 1000 };
}

describe("jid, against Salt's vectors", () => {
  for (const { utc, jid } of recorded.gen_jid) {
    test(`newJid() is ${jid}`, () => assert.equal(newJid(at(utc)), jid));
  }

  test("JidGenerator strictly increases, whatever the clock does", () => {
    let clock = at(recorded.gen_jid_unique_sequence[0].utc);
    const generator = new JidGenerator({ now: () => clock.now() }, { pid: 4242 });
    for (const { utc, jid } of recorded.gen_jid_unique_sequence) {
      clock = at(utc);
      assert.equal(generator.next(), jid);
    }
  });

  for (const { in: input, is_jid } of recorded.is_jid) {
    test(`isJid(${JSON.stringify(input)}) is ${is_jid}`, () => assert.equal(isJid(unescape(input)), is_jid));
  }

  for (const { in: input, jid_to_time, error } of recorded.jid_to_time) {
    test(`jidToTime(${JSON.stringify(input)}) ${error ? "throws" : `is "${jid_to_time}"`}`, () => {
      const jid = unescape(input) as string | bigint;
      if (error) assert.throws(() => jidToTime(jid), RangeError);
      else assert.equal(jidToTime(jid), jid_to_time);
    });
  }

  for (const { jid, hash_type, path } of recorded.jid_dir) {
    test(`jidDirectory() of ${jid} by ${hash_type}`, () => {
      assert.equal(jidDirectory(crypto, "", jid, hash_type), path);
      assert.equal(jidDirectory(crypto, "/var/cache/salt/master/", jid, hash_type), `/var/cache/salt/master/${path}`);
    });
  }
});

describe("jid", () => {
  test("JidGenerator without a pid makes plain jids, each once", () => {
    const generator = new JidGenerator({ now: () => 1704067200999.999 });
    const jids = Array.from({ length: 1000 }, () => generator.next());
    assert.equal(new Set(jids).size, 1000);
    assert.deepEqual(jids, jids.toSorted());
    assert.equal(jids[0], "20240101000000999999");
    assert.equal(jids[1], "20240101000001000000");
    for (const jid of jids) assert.ok(isJid(jid) && isPlainJid(jid));
  });

  for (
    const { jid, plain } of [
      { jid: "20240229010203000004", plain: true },
      { jid: "20240229010203000004_4242", plain: true },
      { jid: "20240229010203000004_/../../x", plain: false },
      { jid: "20240229010203000004_", plain: false },
      { jid: "+2024022901020300004", plain: false },
      { jid: "20240229010203000004\n", plain: false },
      { jid: "req", plain: false },
      { jid: 20240229010203000004n, plain: false },
    ]
  ) {
    test(`isPlainJid(${JSON.stringify(String(jid))}) is ${plain}`, () => assert.equal(isPlainJid(jid), plain));
  }
});

describe("minion ids, against Salt's vectors", () => {
  for (const { id, valid } of naming.valid_id) {
    test(`isMinionId(${JSON.stringify(id)}) is ${valid}`, () => assert.equal(isMinionId(id), valid));
  }

  for (const { id, ipc_hash, zmq_topic } of naming.minion_ids) {
    test(`ipcHash() and publicationTopic() of ${JSON.stringify(id).slice(0, 30)}`, () => {
      for (const [hash, want] of Object.entries(ipc_hash)) assert.equal(ipcHash(crypto, id, hash as HashName), want);
      assert.equal(publicationTopic(crypto, id), zmq_topic);
    });
  }

  for (
    const { name, id, valid } of [
      { name: "255 bytes", id: "x".repeat(255), valid: true },
      { name: "256 bytes", id: "x".repeat(256), valid: false },
      { name: "128 characters of 256 bytes", id: "é".repeat(128), valid: false },
      { name: "a number", id: 5, valid: false },
      { name: "nothing at all", id: undefined, valid: false },
      { name: "three dots", id: "...", valid: true },
    ]
  ) test(`isMinionId() of ${name} is ${valid}`, () => assert.equal(isMinionId(id), valid));
});
