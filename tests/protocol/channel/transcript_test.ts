/** A real master's side of recorded conversations, with Brine's client code as minion and client. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AuthClient, type SignedIn } from "../../../src/protocol/channel/auth_client.ts";
import { PublicationReader } from "../../../src/protocol/channel/pub_client.ts";
import { RequestClient, sendClear } from "../../../src/protocol/channel/req_client.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { rsaDecrypt } from "../../../src/protocol/crypto/rsa.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode } from "../../../src/protocol/wire/msgpack.ts";
import { bytesOf } from "../../../src/protocol/wire/payload.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { canonical, fromHex, type Json, toHex, unescape, vectors } from "../../support/vectors.ts";

const { crypto: real } = await currentRuntime();

interface Exchanged {
  request: Json;
  reply: Json;
}

/** Requests with their replies, and publications, in the order of the recording. */
function* steps(messages: Json[]): Iterable<{ exchanged: Exchanged } | { publication: Json }> {
  const open = new Map<number, Json>();
  for (const message of messages) {
    if (message.direction.includes("REQ")) open.set(message.connection, message);
    else if (message.direction.includes("REP")) {
      yield { exchanged: { request: open.get(message.connection), reply: message } };
    } else if (message.direction.includes("PUB")) yield { publication: message };
  }
}
const body = (message: Json) => fromHex(message.frames.at(-1));

for (const file of ["transcript", "transcript_rotation"]) {
  test(`${file}.json is replayed by Brine's client code`, { timeout: 120_000 }, async (t) => {
    const recorded = vectors(file);
    const master = real.loadPrivateKey(recorded.master_private_pem);
    const random: Uint8Array[] = [];
    const crypto = { ...real, randomBytes: (length: number) => random.shift() ?? real.randomBytes(length) };
    const clock = new FakeClock();
    const first = recorded.messages[0].decoded.outer.load;
    // A minion that sends a token has the master's key on record.
    let record: string | undefined = first.token === undefined ? undefined : cleanPem(recorded.master_public_pem);
    if (first.token !== undefined) {
      const request = decode(body(recorded.messages[0]), { mode: "wire" }) as Json;
      const token = new TextDecoder().decode(rsaDecrypt(real, first.enc_algo, master, bytesOf(request.load.token)));
      random.push(Uint8Array.from(atob(token), (character) => character.charCodeAt(0)));
    } else random.push(real.randomBytes(56));
    const identity = {
      id: recorded.minion_id as string,
      key: real.loadPrivateKey(recorded.minion_private_pem),
      publicPem: cleanPem(recorded.minion_public_pem),
    };
    const auth = new AuthClient({
      crypto,
      log: silentLogger,
      identity,
      masterKeyRecord: { place: "minion_master.pub", read: () => record, write: (pem) => record = pem },
    });

    /** The recorded replies to the next requests. */
    let answers: Exchanged | undefined;
    const signIn = (): Promise<SignedIn> => {
      const { request, reply } = answers!;
      random.push(fromHex(request.decoded.outer.load.nonce));
      const sent = auth.request();
      if (!sent.withToken) assert.equal(toHex(sent.bytes), toHex(body(request)));
      const outcome = auth.outcome(body(reply), sent);
      const { aes_key, session_key, signed_load } = reply.decoded;
      if (aes_key === undefined) {
        assert.deepEqual(outcome, { state: signed_load.ret ? "pending" : "rejected" });
        return Promise.reject(new Error("pending"));
      }
      assert.ok(outcome.state === "accepted");
      assert.equal(outcome.signedIn.publications.keyString, aes_key);
      assert.equal(outcome.signedIn.session.keyString, session_key);
      assert.equal(record, cleanPem(recorded.master_public_pem));
      return Promise.resolve(outcome.signedIn);
    };
    const requests = new RequestClient({
      crypto,
      clock,
      log: silentLogger,
      auth,
      identity,
      exchange: () => Promise.resolve(body(answers!.reply)),
      signIn,
    });
    const reader = new PublicationReader({
      crypto,
      clock,
      log: silentLogger,
      signedIn: () => auth.signedIn,
      signIn,
      requireSignature: true,
      topics: new Set(),
    });

    const all = [...steps(recorded.messages)];
    for (const [at, step] of all.entries()) {
      await t.test(`step ${at}`, async () => {
        if ("publication" in step) {
          const { decoded } = step.publication;
          // After a rotation the key is the one of the sign-in that follows.
          answers = all.slice(at).flatMap((later) =>
            "exchanged" in later && later.exchanged.request.decoded.outer.load.cmd === "_auth"
              ? [later.exchanged]
              : []
          )[0];
          const load = await reader.read([body(step.publication)]);
          const { serial: _serial, ...expected } = unescape(decoded.load) as Record<string, unknown>;
          assert.deepEqual(canonical(load), canonical(expected));
          assert.equal(await reader.read([body(step.publication)]), undefined, "a second time it is a replay");
          return;
        }
        answers = step.exchanged;
        const { request, reply } = step.exchanged;
        const { outer, load } = request.decoded;
        if (outer.enc === "clear" && outer.load.cmd === "_auth") return void await signIn().catch(() => {});
        if (outer.enc === "clear") {
          const sent = decode(body(request), { mode: "wire" }) as Json;
          const value = await sendClear(
            (bytes) => {
              assert.equal(toHex(bytes), toHex(body(request)));
              return Promise.resolve(body(reply));
            },
            sent.load,
            { timeoutMs: 1000 },
          );
          return assert.deepEqual(canonical(value), canonical(unescape(reply.decoded.outer)));
        }
        random.push(fromHex(load.nonce));
        if (load.cmd === "_pillar") {
          const pillar = await requests.sendPrivate({ cmd: "_pillar" }, { tries: 1 });
          return assert.deepEqual(canonical(pillar), canonical(unescape(reply.decoded.pillar.pillar)));
        }
        assert.deepEqual(await requests.send({ cmd: load.cmd }, { tries: 1 }), reply.decoded.reply);
      });
    }
  });
}

describe("a recorded reply", () => {
  const recorded = vectors("transcript");
  const [request, reply] = [recorded.messages[6], recorded.messages[7]];
  const nonce = request.decoded.outer.load.nonce as string;
  const client = (record: { pem?: string }) =>
    new AuthClient({
      crypto: real,
      log: silentLogger,
      identity: {
        id: recorded.minion_id,
        key: real.loadPrivateKey(recorded.minion_private_pem),
        publicPem: cleanPem(recorded.minion_public_pem),
      },
      masterKeyRecord: { place: "minion_master.pub", read: () => record.pem, write: (pem) => record.pem = pem },
    });

  test("is refused for another nonce, and leaves no key on record", () => {
    const record: { pem?: string } = {};
    assert.throws(
      () => client(record).outcome(body(reply), { nonce: "0".repeat(32), withToken: false }),
      { code: "AUTHENTICATION" },
    );
    assert.equal(record.pem, undefined);
  });

  test("is refused when the request had a token", () => {
    const record = { pem: cleanPem(recorded.master_public_pem) };
    assert.throws(() => client(record).outcome(body(reply), { nonce, withToken: true }), { code: "AUTHENTICATION" });
  });

  test("damaged at any byte is refused or means the same; no other key is put on record", { timeout: 60_000 }, () => {
    const bytes = body(reply);
    const master = cleanPem(recorded.master_public_pem);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << (at % 8);
      const record: { pem?: string } = {};
      try {
        client(record).outcome(damaged, { nonce, withToken: false });
        // A byte without effect, such as the encoding of a length.
        assert.equal(record.pem, master);
      } catch (error) {
        assert.ok(error instanceof Error);
        assert.equal(record.pem, undefined, `byte ${at}`);
      }
    }
  });

  test("cut at any byte is refused", () => {
    const bytes = body(reply);
    for (let length = 0; length < bytes.length; length++) {
      const record: { pem?: string } = {};
      assert.throws(() => client(record).outcome(bytes.subarray(0, length), { nonce, withToken: false }));
      assert.equal(record.pem, undefined);
    }
  });
});
