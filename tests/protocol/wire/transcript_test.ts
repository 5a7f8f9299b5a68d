/** Conversations of a real minion and client with a real master, opened with the keys that were in use. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Crypticle, SerialWindow } from "../../../src/protocol/crypto/crypticle.ts";
import { rsaDecrypt, rsaSign, rsaVerify } from "../../../src/protocol/crypto/rsa.ts";
import { x931Recover, x931Sign } from "../../../src/protocol/crypto/x931.ts";
import { AuthenticationError, messageOf } from "../../../src/base/errors.ts";
import { denoCrypto } from "../../../src/runtime/deno/crypto.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import {
  bytesOf,
  packEnvelope,
  packPayload,
  packPublication,
  parseEnvelope,
  parsePublication,
  unpackPayload,
} from "../../../src/protocol/wire/payload.ts";
import { canonical, fromHex, type Json, toHex, unescape, vectors } from "../../support/vectors.ts";

const crypto = denoCrypto();
const text = (value: string) => new TextEncoder().encode(value);
const show = (value: Uint8Array) => new TextDecoder().decode(value);

/** Compares a decoded value with its annotation, in which long bytes are abbreviated. */
function assertLike(actual: unknown, json: Json, path: string): void {
  if (json !== null && typeof json === "object" && "$bytes_len" in json) {
    const bytes = bytesOf(actual);
    assert.equal(bytes.length, json.$bytes_len, path);
    assert.ok(toHex(bytes).startsWith(json.$head), path);
  } else if (json !== null && typeof json === "object" && "$bytes" in json) {
    assert.equal(toHex(bytesOf(actual)), json.$bytes, path);
  } else if (Array.isArray(json)) {
    assert.equal((actual as unknown[]).length, json.length, path);
    json.forEach((item, index) => assertLike((actual as unknown[])[index], item, `${path}[${index}]`));
  } else if (json !== null && typeof json === "object" && !Object.keys(json).some((key) => key.startsWith("$"))) {
    assert.deepEqual(Object.keys(actual as object), Object.keys(json), path);
    for (const key of Object.keys(json)) {
      assertLike((actual as Record<string, unknown>)[key], json[key], `${path}.${key}`);
    }
  } else if (typeof json !== "string" || !/^<.*>$/.test(json)) {
    assert.deepEqual(canonical(actual), canonical(unescape(json)), path);
  }
}

for (const file of ["transcript", "transcript_rotation"]) {
  describe(`${file}.json`, () => {
    const recorded = vectors(file);
    const minion = crypto.loadPrivateKey(recorded.minion_private_pem);
    const minionPublic = crypto.loadPublicKey(recorded.minion_public_pem);
    const master = crypto.loadPrivateKey(recorded.master_private_pem);
    const masterPublic = crypto.loadPublicKey(recorded.master_public_pem);
    /** By connection, the request that the next reply answers. */
    const requests = new Map<number, { load: Record<string, unknown>; sealed: boolean }>();
    const masterKeys: Crypticle[] = [];
    let session: Crypticle | undefined;
    let serials = new SerialWindow();
    let held: { load: Uint8Array; annotation: Json } | undefined;

    const openSigned = (bytes: Uint8Array, decoded: Json, nonce: unknown) => {
      const outer = decode(bytes, { mode: "wire" }) as Record<string, unknown>;
      assertLike(outer, decoded.outer, "outer");
      const load = bytesOf(outer.load);
      const sig = bytesOf(outer.sig);
      assert.ok(rsaVerify(crypto, "PKCS1v15-SHA1", masterPublic, load, sig));
      assert.equal(
        toHex(encode({ enc: "clear", load, sig: rsaSign(crypto, "PKCS1v15-SHA1", master, load) }, "wire")),
        toHex(bytes),
      );
      const fields = decode(load, { mode: "wire" }) as Record<string, unknown>;
      assertLike(fields, decoded.signed_load, "signed_load");
      assert.deepEqual(encode(fields, "wire"), load);
      assert.equal(fields.nonce, nonce);
      if (decoded.aes_key === undefined) return;
      const aes = show(rsaDecrypt(crypto, "OAEP-SHA1", minion, bytesOf(fields.aes)));
      assert.equal(aes, decoded.aes_key);
      assert.equal(show(rsaDecrypt(crypto, "OAEP-SHA1", minion, bytesOf(fields.session))), decoded.session_key);
      const digest = text(toHex(crypto.hash("sha256", text(aes))));
      assert.deepEqual(x931Recover(crypto, masterPublic, bytesOf(fields.sig)), digest);
      assert.deepEqual(x931Sign(crypto, master, digest), bytesOf(fields.sig));
      masterKeys.push(new Crypticle(crypto, aes));
      session = new Crypticle(crypto, decoded.session_key);
      serials = new SerialWindow();
    };

    const openPublication = (crypticle: Crypticle, load: Uint8Array, annotation: Json) => {
      const plain = crypticle.open(load);
      const job = unpackPayload(plain) as Record<string, unknown>;
      assertLike(job, annotation, "load");
      assert.deepEqual(packPayload(job), plain);
      assert.ok(serials.admit(job.serial));
    };

    const check = ({ direction, connection, frames, decoded }: Json) => {
      const body = fromHex(frames.at(-1));
      if (direction.endsWith("REQ")) {
        const envelope = parseEnvelope(body);
        assert.ok(envelope.enc !== "refused");
        assert.equal(toHex(packEnvelope(envelope)), toHex(body));
        if (envelope.enc === "clear") {
          assertLike({ ...envelope }, decoded.outer, "outer");
          requests.set(connection, { load: envelope.load as Record<string, unknown>, sealed: false });
          return;
        }
        const plain = session!.open(envelope.load);
        const load = unpackPayload(plain) as Record<string, unknown>;
        assertLike(load, decoded.load, "load");
        assert.deepEqual(packPayload(load), plain);
        assert.deepEqual(x931Recover(crypto, minionPublic, bytesOf(load.tok)), text("salt"));
        assert.deepEqual(x931Sign(crypto, minion, text("salt")), bytesOf(load.tok));
        requests.set(connection, { load, sealed: true });
      } else if (direction.endsWith("REP")) {
        const { load, sealed } = requests.get(connection)!;
        if (load.cmd === "_auth") {
          openSigned(body, decoded, load.nonce);
          // The new key opens what the old one could not.
          if (held !== undefined && decoded.aes_key !== undefined) {
            openPublication(masterKeys.at(-1)!, held.load, held.annotation);
            held = undefined;
          }
          return;
        }
        const outer = decode(body, { mode: "wire" });
        assertLike(outer, decoded.outer, "outer");
        assert.equal(toHex(encode(outer, "wire")), toHex(body));
        if (!sealed) return;
        if (load.cmd === "_pillar") {
          const { key, pillar } = outer as { key: unknown; pillar: unknown };
          const keyString = show(rsaDecrypt(crypto, "OAEP-SHA1", minion, bytesOf(key)));
          const signed = unpackPayload(new Crypticle(crypto, keyString).open(bytesOf(pillar))) as Record<
            string,
            unknown
          >;
          assertLike(signed, decoded.pillar_signed, "pillar_signed");
          const data = bytesOf(signed.data);
          assert.ok(rsaVerify(crypto, "PKCS1v15-SHA1", masterPublic, data, bytesOf(signed.sig)));
          const inner = decode(data, { mode: "wire" }) as Record<string, unknown>;
          assertLike(inner, decoded.pillar, "pillar");
          assert.equal(inner.nonce, load.nonce);
          return;
        }
        const plain = session!.open(bytesOf(outer));
        const reply = unpackPayload(plain, { nonce: String(load.nonce) });
        assertLike(reply, decoded.reply, "reply");
        assert.deepEqual(packPayload(reply, String(load.nonce)), plain);
      } else if (direction.endsWith("PUB")) {
        const envelope = parsePublication(body)!;
        const sig = rsaSign(crypto, "PKCS1v15-SHA1", master, envelope.load);
        assert.deepEqual(sig, envelope.sig);
        assert.deepEqual(packPublication(envelope.load, { algorithm: envelope.sig_algo!, sig }), body);
        const crypticle = masterKeys.at(-1)!;
        if (decoded.note?.startsWith("master key rotated")) {
          assert.throws(() => crypticle.open(envelope.load), AuthenticationError);
          held = { load: envelope.load, annotation: decoded.load };
        } else {
          openPublication(crypticle, envelope.load, decoded.load);
        }
      }
    };

    // One test: each message is read with the keys and nonces of those before it.
    test("every message is read and written as recorded, and every publication opened", () => {
      for (const message of recorded.messages) {
        try {
          check(message);
        } catch (cause) {
          throw new Error(`message ${message.seq}, ${message.direction}: ${messageOf(cause)}`, { cause });
        }
      }
      assert.ok(recorded.messages.length > 20);
      assert.equal(held, undefined);
    });
  });
}
