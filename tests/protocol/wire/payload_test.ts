import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../src/base/errors.ts";
import { encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { concat } from "../../../src/runtime/bytes.ts";
import {
  bytesOf,
  LONG_BYTES_HEAD,
  packEnvelope,
  packLongBytes,
  packPayload,
  packPayloadParts,
  packPublication,
  parseEnvelope,
  parsePublication,
  unpackPayload,
} from "../../../src/protocol/wire/payload.ts";
import { fromHex, toHex, vectors } from "../../support/vectors.ts";

const NONCE = "0123456789abcdef0123456789abcdef";
const text = (value: string) => new TextEncoder().encode(value);

describe("bytesOf()", () => {
  for (
    const { name, value, want } of [
      { name: "bytes as they are", value: fromHex("ff00"), want: "ff00" },
      { name: "text that bytes were decoded as", value: "é\0", want: "c3a900" },
      { name: "nothing", value: "", want: "" },
    ]
  ) test(`returns ${name}`, () => assert.equal(toHex(bytesOf(value)), want));

  for (const value of [null, undefined, 1, {}, [], new Map()]) {
    test(`refuses ${String(value)} of type ${typeof value}`, () => assert.throws(() => bytesOf(value), ProtocolError));
  }
});

test("packLongBytes() packs bytes in place as encode() does", () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_item, at) => at);
  const whole = new Uint8Array(LONG_BYTES_HEAD + bytes.length);
  whole.set(bytes, LONG_BYTES_HEAD);
  assert.deepEqual(packLongBytes(whole), encode(bytes, "wire"));
});

describe("packPayload() and unpackPayload()", () => {
  test("put the nonce between prefix and value", () => {
    assert.deepEqual(packPayload([1]), Uint8Array.from([...text("pickle::"), 0x91, 1]));
    assert.deepEqual(packPayload([1], NONCE), Uint8Array.from([...text(`pickle::${NONCE}`), 0x91, 1]));
    assert.deepEqual(packPayload(new Packed(fromHex("9101")), NONCE), packPayload([1], NONCE));
    assert.throws(() => packPayload([1], "short"), RangeError);
  });

  test("are the same in parts; long bytes are a part of their own and not copied", () => {
    const long = Uint8Array.from({ length: 70_000 }, (_, at) => at * 7);
    for (
      const [value, count] of [
        ["short", 1],
        [{ data: long, dest: "a", more: [long, 1, long] }, 6],
        [long, 2],
        [new Uint8Array(100), 1],
      ] as const
    ) {
      for (const bound of [NONCE, undefined]) {
        const parts = packPayloadParts(value, bound);
        assert.equal(parts.length, count);
        assert.ok(count === 1 || parts.includes(long));
        assert.deepEqual(concat(parts), packPayload(value, bound));
      }
    }
  });

  test("are each other's inverse", () => {
    assert.deepEqual(unpackPayload(packPayload({ a: "é" })), { a: "é" });
    assert.deepEqual(unpackPayload(packPayload({ a: "é" }, NONCE), { nonce: NONCE }), { a: "é" });
    assert.deepEqual(unpackPayload(packPayload({ a: "é" }), { mode: "raw" }), { a: text("é") });
    const kept = unpackPayload(packPayload({ a: [1] }), { keep: ["a"] }) as { a: Packed };
    assert.equal(toHex(kept.a.bytes), "9101");
  });

  test("without the prefix the value is an empty map", () => {
    for (const plain of ["", "pickle:", "Pickle::\x90", "\x90"]) assert.deepEqual(unpackPayload(text(plain)), {});
  });

  test("a wrong nonce, a missing one and a cut one are refused", () => {
    const other = NONCE.replace("0", "1");
    for (const plain of [packPayload({}, other), packPayload({}), packPayload({}, NONCE).subarray(0, 39)]) {
      assert.throws(() => unpackPayload(plain, { nonce: NONCE }), ProtocolError);
    }
    assert.throws(() => unpackPayload(packPayload({}, NONCE), { nonce: "" }), ProtocolError);
  });
});

describe("parseEnvelope()", () => {
  const blob = fromHex("ff00fe");

  test("reads what packEnvelope() writes, also where it arrived as text", () => {
    const aes = { enc: "aes", load: blob, version: 3, id: "m1", enc_algo: "OAEP-SHA1", sig_algo: "x" } as const;
    assert.deepEqual(parseEnvelope(packEnvelope(aes)), aes);
    const clear = { enc: "clear", load: { cmd: "_auth" }, version: 3 } as const;
    assert.deepEqual(parseEnvelope(packEnvelope(clear)), clear);
    const short = parseEnvelope(packEnvelope({ enc: "aes", load: text("abc"), version: 2 }));
    assert.deepEqual(short.enc === "aes" && short.load, text("abc"));
  });

  for (
    const { name, value, want } of [
      { name: "no version is 0", value: { enc: "aes", load: blob }, want: 0 },
      { name: "a float is a number", value: { enc: "aes", load: blob, version: 2.5 }, want: 2.5 },
      { name: "2^63 is a number", value: { enc: "aes", load: blob, version: 2n ** 63n }, want: 2 ** 63 },
      { name: "a text in clear is 0", value: { enc: "clear", load: {}, version: "x" }, want: 0 },
    ]
  ) {
    test(`version: ${name}`, () => {
      const envelope = parseEnvelope(encode(value, "wire"));
      assert.ok(envelope.enc !== "refused");
      assert.equal(envelope.version, want);
    });
  }

  for (
    const { reason, bytes, reply } of [
      { reason: "not msgpack", bytes: fromHex("c1ff00"), reply: { msg: "bad load" } },
      { reason: "not msgpack", bytes: new Uint8Array(0), reply: { msg: "bad load" } },
      { reason: "not a map", bytes: fromHex("05"), reply: "bad load" },
      { reason: "not a map", bytes: fromHex("90"), reply: "bad load" },
      { reason: "not a map", bytes: encode(blob, "wire"), reply: "bad load" },
      { reason: "enc or load is missing", bytes: encode({ enc: "aes" }, "wire"), reply: "bad load" },
      { reason: "enc or load is missing", bytes: encode({ load: {} }, "wire"), reply: "bad load" },
      { reason: "unknown enc", bytes: encode({ enc: "pub", load: {} }, "wire"), reply: "bad load" },
      { reason: "unknown enc", bytes: encode({ enc: ["aes"], load: {} }, "wire"), reply: "bad load" },
      {
        reason: "version is not a number",
        bytes: encode({ enc: "aes", load: blob, version: "3" }, "wire"),
        reply: "bad load",
      },
      {
        reason: "version is not a number",
        bytes: encode({ enc: "aes", load: blob, version: null }, "wire"),
        reply: "bad load",
      },
      {
        reason: "version is not a number",
        bytes: encode({ enc: "aes", load: blob, version: NaN }, "wire"),
        reply: "bad load",
      },
      { reason: "load is not bytes", bytes: encode({ enc: "aes", load: { cmd: "x" } }, "wire"), reply: "bad load" },
    ]
  ) {
    test(`refuses ${toHex(bytes).slice(0, 30)}: ${reason}`, () => {
      assert.deepEqual(parseEnvelope(bytes), { enc: "refused", reason, reply });
    });
  }

  test("an id that is not text is ignored", () => {
    const envelope = parseEnvelope(encode({ enc: "aes", load: blob, version: 3, id: 5 }, "wire"));
    assert.ok(envelope.enc === "aes" && envelope.id === undefined);
  });

  test("fields are found beside keys that are not text, and never on a prototype", () => {
    const odd = new Map<unknown, unknown>([[1, 2], ["__proto__", { enc: "clear" }], ["enc", "clear"], ["load", {}]]);
    assert.equal(parseEnvelope(encode(odd, "wire")).enc, "clear");
    const proto = new Map<unknown, unknown>([["__proto__", { enc: "clear", load: {} }]]);
    assert.equal(parseEnvelope(encode(proto, "wire")).enc, "refused");
  });

  for (const { name, request, reply } of vectors("protocol").clear_requests) {
    // Bytes are not recorded where they differ from run to run, nor where Salt never answers.
    if (typeof request !== "string" || typeof reply !== "string") continue;
    const envelope = parseEnvelope(fromHex(request));
    if (envelope.enc !== "refused" || envelope.reason === "unknown enc") continue;
    test(`answers as Salt does: ${name}`, () => assert.equal(toHex(encode(envelope.reply, "wire")), reply));
  }
});

describe("publications", () => {
  test("packPublication() and parsePublication() are each other's inverse", () => {
    const load = fromHex("ff01");
    const sig = fromHex("fe02");
    assert.deepEqual(parsePublication(packPublication(load, { algorithm: "PKCS1v15-SHA1", sig })), {
      enc: "aes",
      load,
      sig_algo: "PKCS1v15-SHA1",
      sig,
    });
    assert.deepEqual(parsePublication(packPublication(load)), {
      enc: "aes",
      load,
      sig_algo: undefined,
      sig: undefined,
    });
  });

  test("other messages are ignored, broken ones refused", () => {
    for (const value of [{ enc: "clear", load: {} }, [], 1, {}]) {
      assert.equal(parsePublication(encode(value, "wire")), undefined);
    }
    assert.throws(() => parsePublication(fromHex("c1")), ProtocolError);
    assert.throws(() => parsePublication(encode({ enc: "aes", load: {} }, "wire")), ProtocolError);
  });
});
