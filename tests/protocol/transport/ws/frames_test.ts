/** Websocket frames, cut anywhere, and what RFC 6455 forbids. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../../src/base/errors.ts";
import {
  applyMask,
  frameHeader,
  OPCODE,
  writeWsFrame,
  WsFrameReader,
} from "../../../../src/protocol/transport/ws/frames.ts";

const MASK = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);

function reader(masked: boolean, maxMessageSize = 200_000, maxFrames = 8) {
  const got: (number[] | [string, number[]])[] = [];
  const frames = new WsFrameReader({ maxMessageSize, maxFrames, masked }, {
    onMessage: (message) => void got.push([...message]),
    onControl: (opcode, payload) => void got.push([`opcode ${opcode}`, [...payload]]),
  });
  return { frames, got };
}

/** A frame with its FIN bit as wanted. */
function part(opcode: number, payload: Uint8Array, final: boolean, mask?: Uint8Array): Uint8Array {
  const bytes = writeWsFrame(opcode, payload, mask);
  if (!final) bytes[0] = bytes[0]! & 0x7f;
  return bytes;
}

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, at) => at % 251);

describe("WsFrameReader", () => {
  for (const masked of [false, true]) {
    const mask = masked ? MASK : undefined;
    const sizes = [0, 1, 125, 126, 127, 65_535, 65_536];
    const stream = Uint8Array.from([
      ...sizes.flatMap((size) => [...writeWsFrame(OPCODE.BINARY, bytesOf(size), mask)]),
      ...part(OPCODE.BINARY, bytesOf(10), false, mask),
      ...writeWsFrame(OPCODE.PING, bytesOf(3), mask),
      ...part(OPCODE.CONTINUATION, bytesOf(20), false, mask),
      ...part(OPCODE.CONTINUATION, bytesOf(5), true, mask),
    ]);
    const want = [
      ...sizes.map((size) => [...bytesOf(size)]),
      ["opcode 9", [0, 1, 2]],
      [...bytesOf(10), ...bytesOf(20), ...bytesOf(5)],
    ];
    for (const size of [1, 3, 1000, stream.length]) {
      test(`reads ${masked ? "masked" : "plain"} frames from chunks of ${size} bytes`, () => {
        const { frames, got } = reader(masked);
        for (let at = 0; at < stream.length; at += size) frames.push(stream.slice(at, at + size));
        assert.deepEqual(got, want);
        assert.equal(frames.pendingBytes, 0);
      });
    }
  }

  for (
    const { what, masked, bytes, want } of [
      {
        what: "an unmasked frame of a client",
        masked: true,
        bytes: writeWsFrame(OPCODE.BINARY, bytesOf(1)),
        want: /not masked/,
      },
      {
        what: "a masked frame of a server",
        masked: false,
        bytes: writeWsFrame(OPCODE.BINARY, bytesOf(1), MASK),
        want: /is masked/,
      },
      { what: "reserved bits", masked: false, bytes: Uint8Array.of(0xc2, 0), want: /reserved/ },
      { what: "an unknown opcode", masked: false, bytes: Uint8Array.of(0x83, 0), want: /opcode 3/ },
      { what: "text", masked: false, bytes: writeWsFrame(OPCODE.TEXT, bytesOf(1)), want: /text/ },
      { what: "a fragmented PING", masked: false, bytes: part(OPCODE.PING, bytesOf(1), false), want: /fragmented/ },
      { what: "a long PING", masked: false, bytes: frameHeader(OPCODE.PING, 126), want: /126 bytes/ },
      {
        what: "a continuation of nothing",
        masked: false,
        bytes: part(OPCODE.CONTINUATION, bytesOf(1), true),
        want: /continues no/,
      },
      {
        what: "a message within a message",
        masked: false,
        bytes: Uint8Array.from([...part(OPCODE.BINARY, bytesOf(1), false), ...part(OPCODE.BINARY, bytesOf(1), true)]),
        want: /inside another/,
      },
      {
        what: "a message that is too large",
        masked: false,
        bytes: frameHeader(OPCODE.BINARY, 200_001),
        want: /above the limit/,
      },
      {
        what: "2^63 bytes",
        masked: false,
        bytes: Uint8Array.of(0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0),
        want: /above the limit/,
      },
      {
        what: "frames that are too large together",
        masked: false,
        bytes: Uint8Array.from([
          ...part(OPCODE.BINARY, bytesOf(150_000), false),
          ...frameHeader(OPCODE.CONTINUATION, 60_000),
        ]),
        want: /above the limit/,
      },
      {
        what: "a message of very many empty frames",
        masked: false,
        bytes: Uint8Array.from([
          ...part(OPCODE.BINARY, bytesOf(0), false),
          ...Array.from({ length: 9 }, () => [0, 0]).flat(),
        ]),
        want: /more than the 8 frames/,
      },
    ]
  ) {
    test(`refuses ${what}`, () => {
      for (const size of [1, bytes.length]) {
        const { frames } = reader(masked);
        assert.throws(() => {
          for (let at = 0; at < bytes.length; at += size) frames.push(bytes.slice(at, at + size));
        }, (error) => error instanceof ProtocolError && want.test(error.message));
      }
    });
  }

  test("an announced size takes no memory until its bytes are there", () => {
    const { frames } = reader(true, 2 ** 28);
    frames.push(frameHeader(OPCODE.BINARY, 2 ** 28, MASK));
    frames.push(bytesOf(1000));
    assert.equal(frames.pendingBytes, 1000);
  });
});

test("applyMask() is its own inverse, wherever the payload is cut", () => {
  for (const size of [0, 1, 3, 4, 5, 8, 63, 64, 65]) {
    for (const offset of [0, 1, 2, 3]) {
      const all = new Uint8Array(size + offset);
      const whole = all.subarray(offset);
      whole.set(bytesOf(size));
      applyMask(whole, MASK);
      const want = bytesOf(size).map((byte, at) => byte ^ MASK[at % 4]!);
      assert.deepEqual([...whole], [...want]);
      for (let cut = 0; cut <= size; cut++) {
        const parts = bytesOf(size);
        applyMask(parts.subarray(0, cut), MASK);
        applyMask(parts.subarray(cut), MASK, cut);
        assert.deepEqual([...parts], [...want]);
      }
    }
  }
});
