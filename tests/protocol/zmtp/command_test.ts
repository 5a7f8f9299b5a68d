import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../src/base/errors.ts";
import {
  decodeCommand,
  decodeProperties,
  encodePing,
  encodeReady,
  encodeSubscription,
} from "../../../src/protocol/zmtp/command.ts";
import { agreedMinor, checkGreeting, greeting, GREETING_SIZE } from "../../../src/protocol/zmtp/greeting.ts";
import { bytes } from "./context.ts";

describe("greeting", () => {
  test("is signature, version 3.1, NULL and zeros", () => {
    const zeros = (count: number) => new Uint8Array(count);
    assert.deepEqual(greeting(), bytes(0xff, zeros(8), 0x7f, 3, 1, "NULL", zeros(16), 0, zeros(31)));
    assert.equal(greeting().length, GREETING_SIZE);
  });

  test("checkGreeting() accepts every prefix of a valid greeting", () => {
    for (let filled = 0; filled <= GREETING_SIZE; filled++) checkGreeting(greeting(), filled);
  });

  for (
    const { name, at, value, filled } of [
      { name: "a first byte that is not FF", at: 0, value: 0x47, filled: 1 },
      { name: "a tenth byte that is not 7F", at: 9, value: 0, filled: 10 },
      { name: "ZMTP 2", at: 10, value: 2, filled: 11 },
      { name: "another mechanism", at: 12, value: 0x58, filled: 64 },
    ]
  ) {
    test(`checkGreeting() refuses ${name} as soon as it has arrived`, () => {
      const sample = greeting();
      sample[at] = value;
      checkGreeting(sample, filled - 1);
      assert.throws(() => checkGreeting(sample, filled), ProtocolError);
    });
  }

  test("agreedMinor() is 0 for a 3.0 peer, 1 for later ones", () => {
    assert.equal(agreedMinor(greeting(0)), 0);
    assert.equal(agreedMinor(greeting(1)), 1);
    const later = greeting();
    later[10] = 4;
    later[11] = 0;
    assert.equal(agreedMinor(later), 1);
  });
});

describe("commands", () => {
  test("READY carries type and identity", () => {
    const frame = encodeReady("DEALER", bytes("web1"));
    assert.deepEqual(
      frame,
      bytes(4, 42, 5, "READY", 11, "Socket-Type", 0, 0, 0, 6, "DEALER", 8, "Identity", 0, 0, 0, 4, "web1").with(
        1,
        frame.length - 2,
      ),
    );
    const { name, data } = decodeCommand(frame.subarray(2));
    assert.equal(name, "READY");
    assert.deepEqual([...decodeProperties(data)], [["socket-type", bytes("DEALER")], ["identity", bytes("web1")]]);
  });

  test("decodeProperties() refuses READY cut short at any length within a property", () => {
    const data = decodeCommand(encodeReady("PUB", undefined).subarray(2)).data;
    for (let end = 1; end < data.length; end++) {
      assert.throws(() => decodeProperties(data.subarray(0, end)), ProtocolError);
    }
    assert.throws(() => decodeProperties(bytes(1, "x", 0xff, 0xff, 0xff, 0xff)), ProtocolError);
    assert.throws(() => decodeProperties(bytes(0, 0, 0, 0, 0)), ProtocolError);
  });

  test("decodeCommand() refuses a name that is cut short", () => {
    assert.throws(() => decodeCommand(bytes()), ProtocolError);
    assert.throws(() => decodeCommand(bytes(0)), ProtocolError);
    assert.throws(() => decodeCommand(bytes(5, "PING")), ProtocolError);
  });

  test("a subscription is a command since 3.1, a message before", () => {
    assert.deepEqual(encodeSubscription(bytes("ab"), true, 1), bytes(4, 12, 9, "SUBSCRIBE", "ab"));
    assert.deepEqual(encodeSubscription(bytes("ab"), false, 1), bytes(4, 9, 6, "CANCEL", "ab"));
    assert.deepEqual(encodeSubscription(bytes("ab"), true, 0), bytes(0, 3, 1, "ab"));
    assert.deepEqual(encodeSubscription(bytes(), false, 0), bytes(0, 1, 0));
  });

  test("PING carries its time to live in tenths of a second", () => {
    assert.deepEqual(encodePing(30_050), bytes(4, 7, 4, "PING", 1, 45));
    assert.deepEqual(encodePing(1e9), bytes(4, 7, 4, "PING", 0xff, 0xff));
  });
});
