/** Bounds on the cost of one request in clear, by its sender. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readClear } from "../../../src/protocol/channel/clear_limits.ts";
import { ClearRoom } from "../../../src/protocol/channel/clear_room.ts";
import { decode, encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { parseEnvelope, RequestTooLargeError } from "../../../src/protocol/wire/payload.ts";

const load = (value: unknown) => new Packed(encode(value, "wire"));
const nobody = () => false;
const byKey = (fields: Record<string, unknown>) => fields.key === "right";
const filled = (count: number) => Array.from({ length: count }, () => ({}));

describe("readClear()", () => {
  for (
    const { name, value, why } of [
      {
        name: "a sign-in of 100,000 bytes",
        value: { cmd: "_auth", pub: "x".repeat(1e5) },
        why: /a sign-in .* 65536 bytes/,
      },
      {
        name: "a sign-in of 5,000 maps",
        value: { cmd: "_auth", autosign_grains: filled(5000) },
        why: /a sign-in .* 4000 values/,
      },
      { name: "a sign-in with a key", value: { cmd: "_auth", key: "right", pub: "x".repeat(1e5) }, why: /a sign-in/ },
      {
        name: "2 MB without authentication",
        value: { cmd: "publish", arg: ["x".repeat(2e6)] },
        why: /without a token or a key .* 1048576 bytes.*salt -T/,
      },
      {
        name: "30,000 maps without authentication",
        value: { cmd: "runner", arg: filled(30_000) },
        why: /without a token or a key .* 20000 values/,
      },
      {
        name: "a wrong key",
        value: { cmd: "publish", key: "wrong", arg: filled(30_000) },
        why: /without a token or a key/,
      },
      {
        name: "too much for any caller",
        value: { cmd: "publish", key: "right", arg: filled(2 ** 20) },
        why: /any caller/,
      },
    ]
  ) {
    test(`refuses ${name}, and reports which bound it exceeds`, () => {
      assert.throws(
        () => readClear(load(value), byKey),
        (error) => error instanceof RequestTooLargeError && why.test(error.message),
      );
    });
  }

  test("accepts an ordinary request unchanged", () => {
    const ids = Array.from({ length: 9000 }, (_, index) => `minion-${index}.example`);
    for (
      const value of [
        { cmd: "_auth", id: "web1", pub: "k".repeat(3000), autosign_grains: { uuid: "1" } },
        { cmd: "publish", tgt: ids, tgt_type: "list", eauth: "pam", username: "ann", password: "p", arg: [] },
        { cmd: "publish", user: "root", key: "right", arg: ["x".repeat(20_000_000)] },
        { cmd: "publish", user: "root", key: "right", arg: filled(300_000) },
      ]
    ) assert.deepEqual(readClear(load(value), byKey), value);
  });

  test("does not check credentials of a small request", () => {
    readClear(load({ cmd: "publish", key: "right" }), () => assert.fail("a small load was looked at"));
  });

  test("reads credentials of the outermost map only", () => {
    const inner = { cmd: "publish", arg: [{ key: "right" }, ...filled(30_000)] };
    assert.throws(() => readClear(load(inner), byKey), RequestTooLargeError);
    assert.throws(() => readClear(load(filled(30_000)), nobody), RequestTooLargeError);
  });
});

describe("unauthenticated requests that wait for their replies", () => {
  test("are bounded, for one sender and for all", () => {
    const room = new ClearRoom({ total: 100, perSender: 60 });
    const [one, other] = ["tcp://10.0.0.1:1", "tcp://10.0.0.2:1"];
    const giveBack = room.take(one, 50);
    assert.ok(giveBack);
    assert.equal(room.take("tcp://10.0.0.1:2", 20), undefined, "another connection is the same sender");
    assert.ok(room.take(other, 50));
    assert.equal(room.take("tcp://10.0.0.3:1", 1), undefined);
    giveBack();
    assert.equal(room.held, 50);
    assert.ok(room.take(one, 50));
  });

  test("are not read without room, while others are", () => {
    const full = () => false;
    const large = { cmd: "publish", arg: ["x".repeat(10_000)] };
    for (const value of [large, { cmd: "publish", key: "wrong" }]) {
      assert.throws(
        () => readClear(load(value), byKey, full),
        (error) => error instanceof RequestTooLargeError && /are waiting/.test(error.message),
      );
    }
    for (const value of [{ cmd: "publish", key: "right" }, { ...large, key: "right" }, { cmd: "_auth", id: "web1" }]) {
      assert.deepEqual(readClear(load(value), byKey, full), value);
    }
  });
});

describe("parseEnvelope()", () => {
  test("returns a load in clear undecoded", () => {
    const bytes = encode({ enc: "clear", load: { cmd: "publish", arg: filled(1000) }, version: 3 }, "wire");
    let seen: unknown;
    const envelope = parseEnvelope(bytes, { readClear: (packed) => seen = packed });
    assert.ok(envelope.enc === "clear" && envelope.load === seen && seen instanceof Packed);
    assert.equal((decode(seen.bytes, { mode: "wire" }) as { cmd: string }).cmd, "publish");
  });

  for (
    const { name, value } of [
      { name: "a load of millions of maps", value: { enc: "clear", load: filled(2 ** 21), version: 3 } },
      { name: "another field of many maps", value: { enc: "clear", more: filled(100), load: {} } },
      { name: "many fields", value: Object.fromEntries(filled(100).map((_, index) => [`f${index}`, 1])) },
      { name: "a sealed load that is a list", value: { enc: "aes", load: filled(2 ** 21), version: 3 } },
    ]
  ) {
    test(`refuses ${name} without reading it`, () => {
      const envelope = parseEnvelope(encode(value, "wire"), { readClear: () => assert.fail("it was read") });
      assert.equal(envelope.enc, "refused");
    });
  }
});
