import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  isEncryptionAlgorithm,
  isSigningAlgorithm,
  rsaDecrypt,
  rsaEncrypt,
  rsaSign,
  rsaSignAsync,
  rsaVerify,
  UnknownAlgorithmError,
} from "../../../src/protocol/crypto/rsa.ts";
import { cleanPem, fingerprint, generateKeyPair } from "../../../src/protocol/crypto/rsa_key.ts";
import { x931Recover, x931Sign } from "../../../src/protocol/crypto/x931.ts";
import { AuthenticationError } from "../../../src/base/errors.ts";
import type { HashName } from "../../../src/runtime/crypto.ts";
import { denoCrypto } from "../../../src/runtime/deno/crypto.ts";
import { fromHex, toHex, vectors } from "../../support/vectors.ts";

const crypto = denoCrypto();
const recorded = vectors("rsa");
const text = (value: string) => new TextEncoder().encode(value);

const keys = Object.fromEntries(
  Object.entries(recorded.keys as Record<string, { private_pem: string; public_pem: string }>).map(([name, pems]) => [
    name,
    { private: crypto.loadPrivateKey(pems.private_pem), public: crypto.loadPublicKey(pems.public_pem) },
  ]),
);

describe("RSA, against Salt's vectors", () => {
  for (const [index, { key, algorithm, message, ciphertext }] of recorded.oaep.entries()) {
    test(`rsaDecrypt() ${index}: ${algorithm} for ${key}`, () => {
      assert.equal(toHex(rsaDecrypt(crypto, algorithm, keys[key]!.private, fromHex(ciphertext))), message);
      const ours = rsaEncrypt(crypto, algorithm, keys[key]!.public, fromHex(message));
      assert.equal(toHex(rsaDecrypt(crypto, algorithm, keys[key]!.private, ours)), message);
    });
  }

  for (const [index, { key, algorithm, message, signature }] of recorded.pkcs1v15.entries()) {
    test(`rsaSign() ${index}: ${algorithm} by ${key}`, async () => {
      const data = fromHex(message);
      assert.equal(toHex(rsaSign(crypto, algorithm, keys[key]!.private, data)), signature);
      assert.equal(toHex(await rsaSignAsync(crypto, algorithm, keys[key]!.private, data)), signature);
      assert.equal(rsaVerify(crypto, algorithm, keys[key]!.public, data, fromHex(signature)), true);
    });
  }

  for (const [index, row] of recorded.x931.entries()) {
    test(`x931 ${index}: ${row.name ?? row.message.slice(0, 20)} by ${row.key}`, () => {
      const key = keys[row.key]!;
      if (row.sign_error !== undefined) {
        assert.throws(() => x931Sign(crypto, key.private, fromHex(row.message)), RangeError);
        return;
      }
      if (row.message !== undefined) {
        assert.equal(toHex(x931Sign(crypto, key.private, fromHex(row.message))), row.signature);
      }
      if (row.error !== undefined) {
        assert.throws(() => x931Recover(crypto, key.public, fromHex(row.signature)), AuthenticationError);
      } else {
        assert.equal(toHex(x931Recover(crypto, key.public, fromHex(row.signature))), row.recovered);
      }
    });
  }

  for (const { name, encryption, signing } of recorded.algorithm_names) {
    test(`"${name}" ${encryption ? "encrypts" : signing ? "signs" : "is unknown"}`, () => {
      assert.equal(isEncryptionAlgorithm(name), encryption);
      assert.equal(isSigningAlgorithm(name), signing);
      const { private: own, public: half } = keys.minion!;
      if (!encryption) assert.throws(() => rsaEncrypt(crypto, name, half, text("x")), UnknownAlgorithmError);
      if (!encryption) assert.throws(() => rsaDecrypt(crypto, name, own, text("x")), UnknownAlgorithmError);
      if (!signing) assert.throws(() => rsaSign(crypto, name, own, text("x")), UnknownAlgorithmError);
      if (!signing) assert.throws(() => rsaVerify(crypto, name, half, text("x"), text("x")), UnknownAlgorithmError);
    });
  }

  for (const [name, { clean_key, pem_finger, public_pem }] of Object.entries(recorded.keys) as [string, never][]) {
    test(`fingerprint() and cleanPem() of ${name}`, () => {
      assert.equal(cleanPem(public_pem), clean_key);
      for (const [hash, want] of Object.entries(pem_finger)) {
        for (const form of [public_pem, clean_key, (public_pem as string).replaceAll("\n", "\r\n")]) {
          assert.equal(fingerprint(crypto, form, hash as HashName), want);
        }
      }
    });
  }

  for (const row of recorded.clean_key) {
    test(`cleanPem() of ${JSON.stringify(row.in)}`, () => assert.equal(cleanPem(row.in), row.out));
  }

  test("the signature of a master key is base64 of PKCS#1 v1.5 over its clean PEM", () => {
    const { signing_private_pem, signing_public_pem, signed_text, pub_sig_text, algorithm } =
      recorded.master_pubkey_signature;
    const signature = rsaSign(crypto, algorithm, crypto.loadPrivateKey(signing_private_pem), text(signed_text));
    assert.equal(`${btoa(String.fromCharCode(...signature))}\n`, pub_sig_text);
    assert.ok(rsaVerify(crypto, algorithm, crypto.loadPublicKey(signing_public_pem), text(signed_text), signature));
  });
});

describe("RSA", () => {
  const { private: own, public: half } = keys.minion!;

  test("names from Object.prototype are unknown algorithms", () => {
    for (const name of ["constructor", "toString", "__proto__", ""]) {
      assert.equal(isEncryptionAlgorithm(name), false);
      assert.throws(() => rsaSign(crypto, name, own, text("x")), UnknownAlgorithmError);
    }
    assert.equal(isSigningAlgorithm(undefined), false);
  });

  test("UnknownAlgorithmError has the algorithm's name as a field", () => {
    assert.throws(() => rsaSign(crypto, "PSS-SHA1", own, text("x")), {
      code: "UNKNOWN_ALGORITHM",
      algorithm: "PSS-SHA1",
      name: "UnknownAlgorithmError",
    });
  });

  test("rsaSignAsync() rejects for an unknown name", async () => {
    await assert.rejects(rsaSignAsync(crypto, "x", own, text("x")), UnknownAlgorithmError);
  });

  test("rsaEncrypt() refuses data that does not fit", () => {
    assert.throws(() => rsaEncrypt(crypto, "OAEP-SHA1", half, new Uint8Array(215)), RangeError);
    assert.equal(rsaEncrypt(crypto, "OAEP-SHA1", half, new Uint8Array(214)).length, 256);
  });

  test("rsaDecrypt() throws an AuthenticationError for any other data", () => {
    for (const length of [0, 1, 255, 256, 257]) {
      assert.throws(() => rsaDecrypt(crypto, "OAEP-SHA1", own, new Uint8Array(length).fill(1)), AuthenticationError);
    }
  });

  test("x931Recover() accepts only signatures of the key", () => {
    const token = x931Sign(crypto, own, text("salt"));
    assert.deepEqual(x931Recover(crypto, half, token), text("salt"));
    for (let at = 0; at < token.length; at += 17) {
      const bad = token.slice();
      bad[at]! ^= 1;
      assert.throws(() => x931Recover(crypto, half, bad), AuthenticationError);
    }
    assert.throws(() => x931Recover(crypto, keys.master!.public, token), AuthenticationError);
  });

  test("generateKeyPair() makes a pair that works", { timeout: 60_000 }, async () => {
    const { privatePem, publicPem } = await generateKeyPair(crypto, { bits: 1024 });
    const pair = { private: crypto.loadPrivateKey(privatePem), public: crypto.loadPublicKey(publicPem) };
    assert.deepEqual(x931Recover(crypto, pair.public, x931Sign(crypto, pair.private, text("salt"))), text("salt"));
    await assert.rejects(generateKeyPair(crypto, { bits: 512 }), RangeError);
  });
});
