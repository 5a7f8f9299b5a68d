import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Crypticle, isKeyString, newKeyString, SerialWindow } from "../../../src/protocol/crypto/crypticle.ts";
import { AuthenticationError, ProtocolError } from "../../../src/base/errors.ts";
import { denoCrypto } from "../../../src/runtime/deno/crypto.ts";
import { packPayload, unpackPayload } from "../../../src/protocol/wire/payload.ts";
import { canonical, fromHex, toHex, unescape, vectors } from "../../support/vectors.ts";

const crypto = denoCrypto();
const recorded = vectors("crypticle");

describe("Crypticle, against Salt's vectors", () => {
  for (const [index, row] of recorded.cases.entries()) {
    test(`case ${index}: ${JSON.stringify(row.object).slice(0, 50)}`, () => {
      const crypticle = new Crypticle(crypto, row.key_string);
      const nonce = row.nonce ?? undefined;
      const plain = fromHex(row.plaintext);
      assert.equal(toHex(crypticle.open(fromHex(row.blob))), row.plaintext);
      assert.equal(toHex(crypticle.sealWith(fromHex(row.iv), plain)), row.blob);
      assert.equal(toHex(packPayload(unescape(row.object), nonce)), row.plaintext);
      assert.deepEqual(canonical(unpackPayload(plain, { nonce })), canonical(unescape(row.loads)));
    });
  }

  for (const row of recorded.negative) {
    test(row.name, () => {
      const serials = new SerialWindow(row.serial_before);
      const load = () => {
        const plain = new Crypticle(crypto, row.key_string).open(fromHex(row.blob));
        const value = unpackPayload(plain, { nonce: row.nonce ?? undefined }) as Record<string, unknown>;
        if (value.serial === undefined) return value;
        const { serial, ...rest } = value;
        return serials.admit(serial) ? rest : {};
      };
      if (row.error === "AuthenticationError") assert.throws(load, AuthenticationError);
      else if (row.error !== undefined) assert.throws(load, ProtocolError);
      else assert.deepEqual(load(), row.result);
      assert.equal(serials.seen, BigInt(row.serial_after ?? row.serial_before));
    });
  }

  for (const { name, key_string, ok } of recorded.key_string_checks) {
    test(`key string of ${name} is ${ok ? "accepted" : "refused"}`, () => {
      assert.equal(isKeyString(key_string), ok);
      if (ok) new Crypticle(crypto, key_string);
      else assert.throws(() => new Crypticle(crypto, key_string), RangeError);
    });
  }
});

describe("Crypticle", () => {
  const crypticle = new Crypticle(crypto, newKeyString(crypto));

  test("opens what it sealed, at lengths around the block", () => {
    for (const length of [0, 1, 15, 16, 17, 31, 32, 100, 1000, 70000]) {
      const plain = Uint8Array.from({ length }, (_, at) => at);
      const blob = crypticle.seal(plain);
      assert.equal(blob.length, 16 + length + 16 - length % 16 + 32);
      assert.deepEqual(crypticle.open(blob), plain);
    }
  });

  test("leaves free bytes before the result if requested", () => {
    const iv = new Uint8Array(16);
    const plain = new Uint8Array(40);
    const whole = crypticle.sealWith(iv, plain, 5);
    assert.deepEqual(whole.slice(5), crypticle.sealWith(iv, plain));
    assert.deepEqual(crypticle.open(whole.subarray(5)), plain);
  });

  test("seals and opens long data in parts as short data", async () => {
    const plain = Uint8Array.from({ length: 200_003 }, (_, at) => at * 31 + (at >> 8));
    const whole = await crypticle.sealLong([plain.subarray(0, 7), plain.subarray(7)], 5);
    const blob = whole.subarray(5);
    assert.deepEqual(crypticle.open(blob), plain);
    assert.deepEqual(await crypticle.openLong(crypticle.seal(plain)), plain);
    for (const at of [0, 16, 100_000, blob.length - 1]) {
      const altered = blob.slice();
      altered[at]! ^= 1;
      await assert.rejects(crypticle.openLong(altered), AuthenticationError);
    }
    await assert.rejects(crypticle.openLong(blob.subarray(0, -16)), AuthenticationError);
  });

  test("never seals the same twice", () => {
    assert.notDeepEqual(crypticle.seal(new Uint8Array(5)), crypticle.seal(new Uint8Array(5)));
  });

  test("a blob cut off anywhere, or with any bit flipped, fails with one message", () => {
    const blob = crypticle.seal(new Uint8Array(40));
    const messages = new Set<string>();
    const refuse = (bad: Uint8Array) =>
      assert.throws(() => crypticle.open(bad), (error) => {
        assert.ok(error instanceof AuthenticationError);
        messages.add(error.message);
        return true;
      });
    for (let length = 0; length < blob.length; length++) refuse(blob.subarray(0, length));
    for (let at = 0; at < blob.length * 8; at += 5) {
      const flipped = blob.slice();
      flipped[at >> 3]! ^= 1 << (at & 7);
      refuse(flipped);
    }
    assert.equal(messages.size, 1);
  });

  test("wrong padding under a valid MAC is an AuthenticationError, too", () => {
    const keyString = newKeyString(crypto);
    const raw = Uint8Array.from(atob(keyString), (character) => character.charCodeAt(0));
    const iv = new Uint8Array(16);
    const ciphertext = crypto.aes192CbcEncrypt(raw.subarray(0, 24), iv, new Uint8Array(0)).slice();
    iv[15] = 0x55;
    const covered = Uint8Array.from([...iv, ...ciphertext]);
    const blob = Uint8Array.from([...covered, ...crypto.hmac("sha256", raw.subarray(24), covered)]);
    assert.throws(() => new Crypticle(crypto, keyString).open(blob), AuthenticationError);
  });

  test("newKeyString() returns 76 characters, different each time", () => {
    const keys = new Set(Array.from({ length: 50 }, () => newKeyString(crypto)));
    assert.equal(keys.size, 50);
    for (const key of keys) assert.match(key, /^[A-Za-z0-9+/]{75}=$/);
  });

  for (const bad of ["", "A".repeat(76), `${"A".repeat(74)}!=`, "é".repeat(76)]) {
    test(`refuses the key string "${bad.slice(0, 5)}…" of ${bad.length} without repeating it`, () => {
      assert.throws(
        () => new Crypticle(crypto, bad),
        (error) => error instanceof RangeError && (bad === "" || !error.message.includes(bad)),
      );
    });
  }
});

describe("SerialWindow", () => {
  for (
    const { serial, admitted } of [
      { serial: 6, admitted: true },
      { serial: 2n ** 60n, admitted: true },
      { serial: 5, admitted: false },
      { serial: 0, admitted: false },
      { serial: -1, admitted: false },
      { serial: "6", admitted: false },
      { serial: 6.5, admitted: false },
      { serial: NaN, admitted: false },
      { serial: null, admitted: false },
    ]
  ) {
    test(`after 5, ${typeof serial} ${serial} is ${admitted ? "admitted once" : "refused"}`, () => {
      const window = new SerialWindow(5);
      assert.equal(window.admit(serial), admitted);
      assert.equal(window.admit(serial), false);
    });
  }
});
