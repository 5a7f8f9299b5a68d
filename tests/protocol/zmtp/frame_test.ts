import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../src/base/errors.ts";
import {
  COMMAND,
  FrameDecoder,
  type FrameLimits,
  LONG_FRAME,
  type Message,
  MORE,
  writeFrame,
} from "../../../src/protocol/zmtp/frame.ts";
import { encodeMessage, JoinCache, Outbox } from "../../../src/protocol/zmtp/outbox.ts";
import { bytes } from "./context.ts";

const LIMITS: FrameLimits = { maxMessageSize: 1_000_000, maxFrames: 10, maxCommandSize: 100 };

function decoder(limits: Partial<FrameLimits> = {}) {
  const messages: Message[] = [];
  const commands: Uint8Array[] = [];
  const made = new FrameDecoder({ ...LIMITS, ...limits }, {
    onMessage: (frames) => messages.push(frames.map((frame) => frame.slice())),
    onCommand: (body) => commands.push(body.slice()),
  });
  made.commandsOnly = false;
  return { made, messages, commands };
}

const body = (length: number) => Uint8Array.from({ length }, (_, at) => at * 7 & 0xff);

function wireOf(messages: Message[]): Uint8Array {
  const outbox = new Outbox();
  for (const frames of messages) outbox.add(frames);
  const written: Uint8Array[] = [];
  outbox.flush({ write: (chunk) => written.push(chunk) > 0 }, new JoinCache());
  assert.equal(outbox.bytes, 0);
  assert.equal(outbox.messages, 0);
  return bytes(...written);
}

test("push() reports which chunks it has copied, and does not read them again", () => {
  const { made, messages } = decoder();
  const wire = wireOf([[body(70_000)], [body(3)]]);
  const told: boolean[] = [];
  for (const [from, to] of [[0, 100], [100, 40_000], [40_000, 70_009], [70_009, wire.length]] as const) {
    const chunk = wire.slice(from, to);
    const copied = made.push(chunk);
    told.push(copied);
    // Its memory may then be overwritten.
    if (copied) chunk.fill(0xee);
  }
  assert.deepEqual(told, [false, true, true, false]);
  assert.deepEqual(messages, [[body(70_000)], [body(3)]]);
});

const SAMPLES: Message[] = [
  [body(0)],
  [body(1), body(0), body(255), body(256)],
  [body(16_384), body(16_385), body(3), body(70_000), body(0)],
  [body(70_000)],
  [body(5)],
];

describe("frames", () => {
  test("writeFrame() uses the short form up to 255 bytes, the long one above", () => {
    assert.deepEqual(writeFrame(0, body(2)), bytes(0, 2, body(2)));
    assert.deepEqual(writeFrame(COMMAND, body(255)).subarray(0, 2), bytes(COMMAND, 255));
    assert.deepEqual(writeFrame(MORE, body(256)).subarray(0, 9), bytes(MORE | LONG_FRAME, 0, 0, 0, 0, 0, 0, 1, 0));
  });

  for (const step of [1, 2, 3, 7, 64, 1000, 65_536, 1_000_000]) {
    test(`FrameDecoder reads back what Outbox writes, ${step} bytes at a time`, () => {
      const wire = wireOf(SAMPLES);
      const { made, messages } = decoder();
      for (let at = 0; at < wire.length; at += step) made.push(wire.slice(at, at + step));
      assert.deepEqual(messages, SAMPLES);
      assert.equal(made.pendingBytes, 0);
    });
  }

  test("encodeMessage() writes the same bytes as Outbox.add()", () => {
    for (const frames of SAMPLES) assert.deepEqual(bytes(...encodeMessage(frames).parts), wireOf([frames]));
  });

  test("encodeMessage() sends large frames by reference", () => {
    const large = body(20_000);
    assert.ok(encodeMessage([body(1), large]).parts.includes(large));
  });

  test("FrameDecoder passes on nothing of a message cut short at any length", () => {
    const wire = wireOf([[body(3), body(300)]]);
    for (let end = 0; end < wire.length; end++) {
      const { made, messages } = decoder();
      made.push(wire.slice(0, end));
      assert.equal(messages.length, 0);
    }
  });

  test("FrameDecoder accepts commands between the frames of a message", () => {
    const { made, messages, commands } = decoder();
    made.push(bytes(writeFrame(MORE, body(1)), writeFrame(COMMAND, body(2)), writeFrame(0, body(3))));
    assert.deepEqual(messages, [[body(1), body(3)]]);
    assert.deepEqual(commands, [body(2)]);
  });

  test("FrameDecoder keeps what arrives while it is paused, also in the middle of a message", () => {
    const messages: Message[] = [];
    const made: FrameDecoder = new FrameDecoder(LIMITS, {
      onMessage: (frames) => {
        messages.push(frames);
        made.paused = true;
      },
      onCommand: () => {},
    });
    made.commandsOnly = false;
    made.push(wireOf([[body(1)], [body(2)], [body(3)]]));
    made.push(wireOf([[body(4)]]));
    assert.equal(messages.length, 1);
    assert.ok(made.pendingBytes > 0);
    for (let count = 2; count <= 4; count++) {
      made.paused = false;
      made.push();
      assert.equal(messages.length, count);
    }
    assert.deepEqual(messages.map(([frame]) => frame!.length), [1, 2, 3, 4]);
  });

  for (
    const { name, wire, limits } of [
      { name: "a reserved flag", wire: bytes(0x08, 0) },
      { name: "a command with MORE", wire: bytes(COMMAND | MORE, 0) },
      { name: "a long command above the limit", wire: bytes(COMMAND | LONG_FRAME, 0, 0, 0, 0, 0, 0, 0, 101) },
      { name: "a frame of 2^63 bytes", wire: bytes(LONG_FRAME, 0x80, 0, 0, 0, 0, 0, 0, 0) },
      { name: "a frame one byte above the limit", wire: bytes(LONG_FRAME, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x41) },
      {
        name: "frames that are above the limit together",
        wire: bytes(MORE, 60, body(60), 0, 60),
        limits: { maxMessageSize: 100 },
      },
      { name: "more frames than allowed", wire: bytes(...Array(10).fill(bytes(MORE, 0)), 0, 0) },
    ]
  ) {
    test(`FrameDecoder refuses ${name}, before its body arrives`, () => {
      for (const step of [1, 1000]) {
        const { made, messages } = decoder(limits);
        assert.throws(() => {
          for (let at = 0; at < wire.length; at += step) made.push(wire.slice(at, at + step));
        }, ProtocolError);
        assert.equal(messages.length, 0);
      }
    });
  }

  test("FrameDecoder refuses a message before the handshake", () => {
    const { made } = decoder();
    made.commandsOnly = true;
    made.push(bytes(COMMAND, 1, 1));
    assert.throws(() => made.push(bytes(0, 1, 1)), ProtocolError);
  });

  test("FrameDecoder survives random bytes: it reads or refuses, and holds no more than has arrived", () => {
    let seed = 1;
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
    for (let round = 0; round < 2000; round++) {
      const { made } = decoder();
      const wire = Uint8Array.from({ length: 60 }, () => random() < 0.5 ? random() * 8 : random() * 256);
      try {
        for (let at = 0; at < wire.length; at += 7) made.push(wire.slice(at, at + 7));
        assert.ok(made.pendingBytes <= wire.length);
      } catch (error) {
        assert.ok(error instanceof ProtocolError, String(error));
      }
    }
  });
});

describe("Outbox", () => {
  test("flush() stops after the batch that filled the connection, and take() returns the rest as whole messages", () => {
    const outbox = new Outbox();
    const count = 2000;
    for (let at = 0; at < count; at++) outbox.add([body(100)]);
    assert.equal(outbox.messages, count);
    const written: Uint8Array[] = [];
    outbox.flush({ write: (chunk) => written.push(chunk) < 0 }, new JoinCache());
    assert.equal(written.length, 1);
    const left = outbox.take();
    assert.equal(left.reduce((sum, batch) => sum + batch.count, 0) * 102 + written[0]!.length, count * 102);
    assert.equal(written[0]!.length % 102, 0);
    assert.equal(outbox.messages, 0);
  });

  test("peers that wait for the same batches are sent the same array of bytes", () => {
    const cache = new JoinCache();
    const batches = [encodeMessage([body(10)]), encodeMessage([body(20)])];
    const written = [new Outbox(), new Outbox()].map((outbox) => {
      for (const batch of batches) outbox.share(batch);
      const chunks: Uint8Array[] = [];
      outbox.flush({ write: (chunk) => chunks.push(chunk) > 0 }, cache);
      return chunks;
    });
    assert.equal(written[0]!.length, 1);
    assert.equal(written[0]![0], written[1]![0]);
    assert.deepEqual(written[0]![0], bytes(0, 10, body(10), 0, 20, body(20)));
  });
});
