/** A minion's checks of replies that a false master or an attacker on the network may send. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AuthClient, type AuthClientOptions } from "../../../src/protocol/channel/auth_client.ts";
import { newKeyString } from "../../../src/protocol/crypto/crypticle.ts";
import { cleanPem, fingerprint } from "../../../src/protocol/crypto/rsa_key.ts";
import { rsaDecrypt, rsaEncrypt, rsaSign } from "../../../src/protocol/crypto/rsa.ts";
import { x931Sign } from "../../../src/protocol/crypto/x931.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { bytesOf } from "../../../src/protocol/wire/payload.ts";
import { PAIRS } from "../../support/start_cluster.ts";
import { type Json, toHex } from "../../support/vectors.ts";

const { crypto } = await currentRuntime();
const text = (value: string) => new TextEncoder().encode(value);
const [master, other, minion] = [PAIRS.master, PAIRS.other, PAIRS.minion].map(({ privatePem, publicPem }) => ({
  key: crypto.loadPrivateKey(privatePem),
  publicKey: crypto.loadPublicKey(publicPem),
  pem: cleanPem(publicPem),
}));
const SIGN = "PKCS1v15-SHA1";
const OAEP = "OAEP-SHA1";

function client(record: { pem?: string }, more: Partial<AuthClientOptions> = {}): AuthClient {
  return new AuthClient({
    crypto,
    log: silentLogger,
    identity: { id: "web1", key: minion!.key, publicPem: minion!.pem },
    masterKeyRecord: { place: "minion_master.pub", read: () => record.pem, write: (pem) => record.pem = pem },
    ...more,
  });
}

interface Made {
  by?: typeof master;
  /** Changes what is signed. */
  fields?: Record<string, unknown>;
  /** Changes the envelope. */
  outer?: Record<string, unknown>;
  proof?: Uint8Array;
  pubKey?: string;
}

/** The reply of a master to a request, correct except for the changes of a test. */
function reply(request: Uint8Array, made: Made = {}): Uint8Array {
  const by = made.by ?? master!;
  const { load } = decode(request, { mode: "wire" }) as Json;
  const aes = newKeyString(crypto);
  const digest = text(toHex(crypto.hash("sha256", text(aes))));
  let token: Uint8Array | undefined;
  try {
    if (load.token !== undefined) {
      token = rsaEncrypt(crypto, OAEP, minion!.publicKey, rsaDecrypt(crypto, OAEP, by.key, bytesOf(load.token)));
    }
  } catch {
    // A master without the key on record cannot decrypt it.
  }
  const fields: Record<string, unknown> = {
    enc: "pub",
    pub_key: made.pubKey ?? by.pem,
    publish_port: 4505,
    ...(token === undefined ? {} : { token }),
    aes: rsaEncrypt(crypto, OAEP, minion!.publicKey, text(aes)),
    session: rsaEncrypt(crypto, OAEP, minion!.publicKey, text(newKeyString(crypto))),
    sig: made.proof ?? x931Sign(crypto, by.key, digest),
    nonce: load.nonce,
    ...made.fields,
  };
  const signed = encode(fields, "wire");
  return encode({ enc: "clear", load: signed, sig: rsaSign(crypto, SIGN, by.key, signed), ...made.outer }, "wire");
}

describe("AuthClient.outcome()", () => {
  test("trusts the first master, and puts its key on record", () => {
    const record: { pem?: string } = {};
    const one = client(record);
    const request = one.request();
    assert.equal(request.withToken, false);
    const outcome = one.outcome(reply(request.bytes), request);
    assert.equal(outcome.state, "accepted");
    assert.equal(record.pem, master!.pem);
    const again = one.request();
    assert.equal(again.withToken, true);
    assert.equal(one.outcome(reply(again.bytes), again).state, "accepted");
  });

  const known: [string, Made, RegExp][] = [
    ["another master's, valid in itself", { by: other! }, /key has changed/],
    ["with the known master's key, signed by another", { by: other!, pubKey: master!.pem }, /signature|prove/],
    ["unsigned", { outer: { sig: undefined } }, /not signed/],
    ["with nil for a signature", { outer: { sig: null } }, /not signed/],
    ["with an empty signature", { outer: { sig: new Uint8Array(0) } }, /signature/],
    ["with a signature of zeros", { outer: { sig: new Uint8Array(256) } }, /signature/],
    ["in clear", { outer: { load: { ret: true } } }, /not signed/],
    ["in clear, accepting the minion", { outer: { load: { enc: "pub", pub_key: master!.pem } } }, /not signed/],
    ["to another request", { fields: { nonce: "0".repeat(32) } }, /another request/],
    ["without a nonce", { fields: { nonce: undefined } }, /another request/],
    ["without the token", { fields: { token: undefined } }, /prove/],
    ["with another token", { fields: { token: rsaEncrypt(crypto, OAEP, minion!.publicKey, text("guess")) } }, /prove/],
    [
      "whose master key is not the signed one",
      { proof: x931Sign(crypto, master!.key, text("0".repeat(64))) },
      /not the signed key/,
    ],
    [
      "whose master key is signed by another",
      { proof: x931Sign(crypto, other!.key, text("0".repeat(64))) },
      /not signed by the master/,
    ],
    [
      "whose keys are for another minion",
      { fields: { aes: rsaEncrypt(crypto, OAEP, master!.publicKey, text("x")) } },
      /cannot be decrypted/,
    ],
    ["without a session", { fields: { session: undefined } }, /older than protocol version 3/],
    [
      "whose session key is not a key",
      { fields: { session: rsaEncrypt(crypto, OAEP, minion!.publicKey, text("short")) } },
      /key string/,
    ],
    ["that neither accepts nor refuses", { fields: { pub_key: undefined, ret: "perhaps" } }, /neither/],
  ];
  for (const [name, made, why] of known) {
    test(`refuses a reply ${name}`, () => {
      const record = { pem: master!.pem };
      const one = client(record);
      const request = one.request();
      assert.throws(() => one.outcome(reply(request.bytes, made), request), why);
      assert.equal(record.pem, master!.pem);
      assert.equal(one.signedIn, undefined);
    });
    if (["without the token", "with another token"].includes(name) || made.by !== undefined) continue;
    test(`trusts no key for the first time by a reply ${name}`, () => {
      const record: { pem?: string } = {};
      const one = client(record);
      const request = one.request();
      assert.throws(() => one.outcome(reply(request.bytes, made), request));
      assert.equal(record.pem, undefined);
    });
  }

  test("refuses text, numbers and nothing", () => {
    for (const value of ["bad load", 7, null, [], {}, { enc: "clear" }, { load: 7 }, { load: [1] }]) {
      const one = client({ pem: master!.pem });
      const request = one.request();
      assert.throws(() => one.outcome(encode(value, "wire"), request));
    }
  });

  test("a refusal must be signed by the master whose key is on record", () => {
    for (const by of [master!, other!]) {
      for (const ret of [true, false, "full"]) {
        const one = client({ pem: master!.pem });
        const request = one.request();
        const { load } = decode(request.bytes, { mode: "wire" }) as Json;
        const signed = encode({ ret, nonce: load.nonce }, "wire");
        const bytes = encode({ enc: "clear", load: signed, sig: rsaSign(crypto, SIGN, by.key, signed) }, "wire");
        const judge = () => one.outcome(bytes, request).state;
        if (by === other) assert.throws(judge, /signature/);
        else assert.equal(judge(), { true: "pending", false: "rejected", full: "full" }[String(ret)]);
      }
    }
  });

  test("master_finger refuses every other master, before anything is on record", () => {
    for (const pair of [master!, other!]) {
      const record: { pem?: string } = {};
      const one = client(record, { masterFinger: fingerprint(crypto, master!.pem) });
      const request = one.request();
      const judge = () => one.outcome(reply(request.bytes, { by: pair }), request);
      if (pair === master) assert.equal(judge().state, "accepted");
      else assert.throws(judge, { code: "MASTER_KEY" });
      assert.equal(record.pem, pair === master ? master!.pem : undefined);
    }
  });

  test("master_finger refuses every other master before the minion's key is accepted there", () => {
    for (const pair of [master!, other!]) {
      const record: { pem?: string } = {};
      const one = client(record, { masterFinger: fingerprint(crypto, master!.pem) });
      const request = one.request();
      const { load } = decode(request.bytes, { mode: "wire" }) as Json;
      const signed = encode({ ret: true, nonce: load.nonce, pub: pair.pem }, "wire");
      const bytes = encode({ enc: "clear", load: signed, sig: rsaSign(crypto, SIGN, pair.key, signed) }, "wire");
      const judge = () => one.outcome(bytes, request);
      if (pair === master) assert.equal(judge().state, "pending");
      else assert.throws(judge, { code: "MASTER_KEY", message: /but master_finger is/ });
      assert.equal(record.pem, undefined);
    }
  });

  test("the master's time is a number, whole or not", () => {
    for (const [now, want] of [[1_800_000_000_000, 1_800_000_000_000], [1.5e12 + 0.25, 1.5e12 + 0.25], ["x"], [NaN]]) {
      const one = client({});
      const request = one.request();
      const outcome = one.outcome(reply(request.bytes, { fields: { extended: 1, now } }), request);
      assert.equal(outcome.state === "accepted" && outcome.signedIn.masterNow, want);
    }
  });

  test("open_mode accepts another master than the one on record", () => {
    const record = { pem: other!.pem };
    const one = client(record, { openMode: true });
    const request = one.request();
    // The token cannot come back from a master with another key; Salt's open_mode does not look at it either.
    assert.equal(request.withToken, true);
    assert.equal(one.outcome(reply(request.bytes), request).state, "accepted");
    assert.equal(record.pem, master!.pem);
  });

  test("with a signing key a new master needs its signature, and may then replace the old one", () => {
    const signature = (pem: string, by = other!) =>
      `${btoa(String.fromCharCode(...rsaSign(crypto, SIGN, by.key, text(pem))))}\n`;
    const judge = (record: { pem?: string }, fields: Record<string, unknown>, withToken = false) => {
      const one = client(record, { signingKey: other!.publicKey, alwaysVerify: true });
      const request = one.request();
      return one.outcome(reply(request.bytes, { fields }), { ...request, withToken });
    };
    const record: { pem?: string } = {};
    for (
      const pub_sig of [undefined, "", "AAAA", "not base64!", signature(master!.pem, minion!), signature(other!.pem)]
    ) {
      assert.throws(() => judge(record, { pub_sig }), { code: "MASTER_KEY" });
      assert.equal(record.pem, undefined);
    }
    assert.equal(judge(record, { pub_sig: signature(master!.pem) }).state, "accepted");
    assert.equal(record.pem, master!.pem);
    assert.throws(() => judge(record, { pub_sig: undefined }, true), { code: "MASTER_KEY" });
  });

  describe("when the master on record is replaced by one with another key", () => {
    const sign = (pem: string, by: typeof master) =>
      `${btoa(String.fromCharCode(...rsaSign(crypto, SIGN, by!.key, text(pem))))}\n`;
    // `minion` stands for the owner of the signing key, `other` for the master on record.
    const cases: [string, Made, RegExp | "accepted"][] = [
      ["its key is signed", { fields: { pub_sig: sign(master!.pem, minion) } }, "accepted"],
      ["its signature is that of the former key", { fields: { pub_sig: sign(other!.pem, minion) } }, /has changed/],
      ["it signed its key itself", { fields: { pub_sig: sign(master!.pem, master) } }, /has changed/],
      ["it has no signature", {}, /has changed/],
      [
        "it shows the signed key of another, and cannot sign with it",
        { by: other!, pubKey: master!.pem, fields: { pub_sig: sign(master!.pem, minion) } },
        /not the master's/,
      ],
      [
        "it repeats the reply to another request",
        { fields: { pub_sig: sign(master!.pem, minion), nonce: "0".repeat(32) } },
        /another request/,
      ],
    ];
    for (const [name, made, want] of cases) {
      test(`${want === "accepted" ? "takes" : "refuses"} the new one if ${name}`, () => {
        const record = { pem: other!.pem };
        const one = client(record, { signingKey: minion!.publicKey });
        const request = one.request();
        assert.equal(request.withToken, true);
        const judge = () => one.outcome(reply(request.bytes, made), request).state;
        if (want === "accepted") assert.equal(judge(), want);
        else assert.throws(judge, want);
        assert.equal(record.pem, (want === "accepted" ? master! : other!).pem);
      });
    }
  });

  test("the same keys keep their counters: signing in again admits no old publication", () => {
    const one = client({});
    const request = one.request();
    const bytes = reply(request.bytes);
    const first = one.outcome(bytes, request);
    const second = one.outcome(bytes, request);
    assert.ok(first.state === "accepted" && second.state === "accepted");
    assert.equal(second.signedIn.publications, first.signedIn.publications);
    assert.equal(second.signedIn.session, first.signedIn.session);
  });

  test("an invalid port falls back to Salt's", () => {
    for (
      const [publish_port, want] of [[4605, 4605], [0, 4505], [70000, 4505], ["x", 4505], [null, 4505], [
        1.5,
        4505,
      ]] as const
    ) {
      const one = client({});
      const request = one.request();
      const outcome = one.outcome(reply(request.bytes, { fields: { publish_port } }), request);
      assert.ok(outcome.state === "accepted");
      assert.equal(outcome.signedIn.publishPort, want);
    }
  });
});
