import assert from "node:assert/strict";
import { test } from "node:test";
import type { Crypto, HashName } from "../../src/runtime/crypto.ts";
import type { Libcrypto } from "../../src/runtime/node/libcrypto.ts";
import { vectors } from "../support/vectors.ts";

/**
 * RSA by OpenSSL of the host: the same bytes as the runtime's own.
 *
 * @param own the primitives without the library
 * @param withLibrary the primitives with this library
 */
export function libcryptoContract(own: Crypto, withLibrary: (library: Libcrypto) => Crypto, library: Libcrypto): void {
  const fast = withLibrary(library);
  const { minion } = vectors("rsa").keys;
  const privateKey = own.loadPrivateKey(minion.private_pem);
  const publicKey = own.loadPublicKey(minion.public_pem);
  const data = own.randomBytes(76);

  for (const hash of ["sha1", "sha224", "sha256", "sha384", "sha512"] as HashName[]) {
    test(`a signature over ${hash} is the same bytes, also of pkcs1SignAsync()`, async () => {
      const want = own.pkcs1Sign(hash, privateKey, data);
      assert.deepEqual(fast.pkcs1Sign(hash, privateKey, data), want);
      assert.deepEqual(await fast.pkcs1SignAsync(hash, privateKey, data), want);
    });
  }

  for (const hash of ["sha1", "sha224"] as HashName[]) {
    test(`either opens what the other encrypted with OAEP and ${hash}`, () => {
      assert.deepEqual(fast.oaepDecrypt(hash, privateKey, own.oaepEncrypt(hash, publicKey, data)), data);
      assert.deepEqual(own.oaepDecrypt(hash, privateKey, fast.oaepEncrypt(hash, publicKey, data)), data);
    });
  }

  test("raw RSA is the same bytes", () => {
    const block = new Uint8Array(publicKey.size);
    block.set(data, publicKey.size - data.length);
    assert.deepEqual(fast.rawPublic(publicKey, block), own.rawPublic(publicKey, block));
    assert.deepEqual(fast.rawPrivate(privateKey, block), own.rawPrivate(privateKey, block));
  });

  test("what was made for another key is refused", () => {
    assert.throws(() => fast.oaepDecrypt("sha1", privateKey, new Uint8Array(privateKey.size)), RangeError);
  });

  test("many signatures at once are each their own", async () => {
    const messages = Array.from({ length: 32 }, () => own.randomBytes(100));
    const signatures = await Promise.all(messages.map((each) => fast.pkcs1SignAsync("sha1", privateKey, each)));
    for (const [at, signature] of signatures.entries()) {
      assert.equal(own.pkcs1Verify("sha1", publicKey, messages[at]!, signature), true);
    }
  });

  test("a library that refuses an operation leaves it to the runtime", async () => {
    const refusing = new Proxy(library, {
      get: (target, name) =>
        ["rsa", "sign", "signElsewhere"].includes(String(name)) ? () => undefined : Reflect.get(target, name, target),
    });
    const crypto = withLibrary(refusing);
    assert.deepEqual(crypto.pkcs1Sign("sha1", privateKey, data), own.pkcs1Sign("sha1", privateKey, data));
    assert.deepEqual(await crypto.pkcs1SignAsync("sha1", privateKey, data), own.pkcs1Sign("sha1", privateKey, data));
    assert.deepEqual(crypto.oaepDecrypt("sha1", privateKey, own.oaepEncrypt("sha1", publicKey, data)), data);
  });
}
