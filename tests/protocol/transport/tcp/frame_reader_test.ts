/** Frames of the tcp transport, cut anywhere, and what no frame is. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../../src/base/errors.ts";
import { TcpFrameReader } from "../../../../src/protocol/transport/tcp/frame_reader.ts";
import { decode, encode } from "../../../../src/protocol/wire/msgpack.ts";

const unpack = (bytes: Uint8Array) => decode(bytes, { mode: "bin" });

function reader(maxFrameSize = 1_000_000) {
  const got: { head: unknown; body: unknown }[] = [];
  const frames = new TcpFrameReader({ maxFrameSize }, ({ head, body }) => {
    got.push({ head: unpack(head.slice()), body: unpack(body.slice()) });
  });
  return { frames, got };
}

const BODIES: unknown[] = [
  null,
  true,
  1,
  -1,
  300,
  2 ** 40,
  "text",
  "x".repeat(40),
  "x".repeat(300),
  "x".repeat(70_000),
  new Uint8Array(40),
  new Uint8Array(300),
  [],
  {},
  [[], {}, [{}]],
  { enc: "aes", load: new Uint8Array(2000).fill(0xc1), version: 3 },
  Array.from({ length: 20 }, (_, at) => ({ at, deep: [[at]] })),
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, at])),
];
const FRAMES = BODIES.map((body, at) => ({ head: { mid: `id-${at}` }, body }));
const STREAM = Uint8Array.from(FRAMES.flatMap((frame) => [...encode(frame, "bin")]));

describe("TcpFrameReader", () => {
  for (const size of [1, 2, 3, 7, 1000, STREAM.length]) {
    test(`reads frames from chunks of ${size} bytes`, () => {
      const { frames, got } = reader();
      for (let at = 0; at < STREAM.length; at += size) frames.push(STREAM.slice(at, at + size));
      assert.deepEqual(got, FRAMES);
      assert.equal(frames.finished, FRAMES.length);
      assert.equal(frames.pendingBytes, 0);
    });
  }

  test("takes the entries in either order, and others beside them", () => {
    const { frames, got } = reader();
    frames.push(encode({ body: 1, more: [1, 2], head: { mid: "a" } }, "bin"));
    frames.push(encode({ body: 2 }, "bin"));
    assert.deepEqual(got, [{ head: { mid: "a" }, body: 1 }, { head: {}, body: 2 }]);
  });

  test("delivers nothing while paused, and everything after", () => {
    const { frames, got } = reader();
    frames.paused = true;
    frames.push(STREAM.slice(0, 5000));
    frames.push(STREAM.slice(5000));
    assert.deepEqual(got, []);
    assert.equal(frames.pendingBytes, STREAM.length);
    frames.paused = false;
    frames.push();
    assert.deepEqual(got, FRAMES);
  });

  test("stops for good", () => {
    const { frames, got } = reader();
    frames.push(STREAM.slice(0, 10));
    frames.stop();
    assert.equal(frames.pendingBytes, 0);
    frames.push(STREAM.slice(10));
    assert.deepEqual(got, []);
  });

  const HEAD = [0x82, 0xa4, 0x68, 0x65, 0x61, 0x64, 0x80, 0xa4, 0x62, 0x6f, 0x64, 0x79];
  for (
    const { what, bytes, want } of [
      { what: "an array", bytes: [0x92, 1, 2], want: /expected a map/ },
      { what: "an empty map", bytes: [0x80], want: /expected a map/ },
      { what: "a map of many entries", bytes: [0x8f], want: /expected a map/ },
      { what: "HTTP", bytes: [..."GET / HTTP/1.1"].map((letter) => letter.charCodeAt(0)), want: /expected a map/ },
      { what: "a map without a body", bytes: [0x81, 0xa4, 0x68, 0x65, 0x61, 0x64, 0x80], want: /no body/ },
      { what: "0xc1", bytes: [...HEAD, 0xc1], want: /0xc1/ },
      {
        what: "bytes that are announced to be many",
        bytes: [...HEAD, 0xc6, 0xff, 0xff, 0xff, 0xff],
        want: /above the limit/,
      },
      {
        what: "text that is announced to be long",
        bytes: [...HEAD, 0xdb, 0xff, 0xff, 0xff, 0xff],
        want: /above the limit/,
      },
      {
        what: "an array that is announced to be long",
        bytes: [...HEAD, 0xdd, 0xff, 0xff, 0xff, 0xff],
        want: /above the limit/,
      },
      {
        what: "a map that is announced to be long",
        bytes: [...HEAD, 0xdf, 0xff, 0xff, 0xff, 0xff],
        want: /above the limit/,
      },
      {
        what: "arrays in arrays that are announced to be long together",
        bytes: [...HEAD, 0x92, ...Array.from({ length: 30 }, () => [0xdc, 0xff, 0xff]).flat()],
        want: /above the limit/,
      },
      { what: "a long head", bytes: [...encode({ head: "x".repeat(2000), body: 1 }, "bin")], want: /head has more/ },
    ]
  ) {
    for (const size of [1, bytes.length]) {
      test(`refuses ${what}, ${size === 1 ? "byte by byte" : "at once"}, without memory for it`, () => {
        const { frames, got } = reader();
        assert.throws(() => {
          for (let at = 0; at < bytes.length; at += size) frames.push(Uint8Array.from(bytes.slice(at, at + size)));
        }, (error) => error instanceof ProtocolError && want.test(error.message));
        assert.deepEqual(got, []);
        assert.ok(frames.pendingBytes <= bytes.length);
      });
    }
  }

  test("a frame of very many values is read in time that grows with its size alone", () => {
    const { frames, got } = reader(3_000_000);
    const many = Array.from({ length: 1_000_000 }, () => 1);
    const bytes = encode({ head: {}, body: many }, "bin");
    for (let at = 0; at < bytes.length; at += 1000) frames.push(bytes.slice(at, at + 1000));
    assert.equal((got[0]!.body as unknown[]).length, many.length);
  });

  test("nesting costs no stack", () => {
    const { frames, got } = reader();
    const deep = new Uint8Array(HEAD.length + 200_001).fill(0x91);
    deep.set(HEAD);
    deep[deep.length - 1] = 0xc0;
    const frameCount: number[] = [];
    const plain = new TcpFrameReader({ maxFrameSize: 1_000_000 }, ({ body }) => frameCount.push(body.length));
    plain.push(deep);
    assert.deepEqual(frameCount, [200_001]);
    assert.deepEqual(got, []);
    assert.equal(frames.finished, 0);
  });
});
