import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../../src/base/errors.ts";
import { eventStamp, eventTag, packEvent, unpackEvent } from "../../../src/protocol/wire/event_frame.ts";
import { IpcFrameReader, packIpcFrame } from "../../../src/protocol/wire/ipc_frame.ts";
import { encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { canonical, fromHex, toHex, unescape, vectors } from "../../support/vectors.ts";

const recorded = vectors("events");
const text = (value: string) => new TextEncoder().encode(value);

describe("events, against Salt's vectors", () => {
  for (const row of [...recorded.fire_event, ...recorded.size_trimming]) {
    test(`packEvent() and unpackEvent() of ${row.tag}, max_event_size ${row.max_event_size}`, () => {
      const data = unescape(row.data) as Record<string, unknown>;
      const before = canonical(data);
      const bytes = packEvent(row.tag, data, { stamp: row.stamp, maxBytes: row.max_event_size });
      assert.deepEqual(canonical(data), before, "the caller's data are changed");
      assert.equal(toHex(bytes), row.event_bytes);
      assert.equal(toHex(packIpcFrame(bytes)), row.ipc_frame);
      const event = unpackEvent(bytes);
      assert.equal(event.tag, row.unpacked_tag);
      // One recorded stamp is misspelt in its annotation, while its bytes are right.
      assert.deepEqual(
        canonical({ ...event.data, _stamp: 0 }),
        canonical({ ...unescape(row.unpacked_data) as object, _stamp: 0 }),
      );
      assert.equal(event.data._stamp, row.stamp);
    });
  }

  for (const { body, header, frame_msg } of recorded.framing) {
    test(`packIpcFrame() of ${JSON.stringify(body).slice(0, 30)} with head ${JSON.stringify(header)}`, () => {
      assert.equal(toHex(packIpcFrame(unescape(body), header ?? undefined)), frame_msg);
    });
  }

  for (const bus of ["recorded_master_bus", "recorded_minion_bus"]) {
    for (const size of [1, 100, 1_000_000]) {
      test(`${bus}: all events of the stream in pieces of ${size}, and packed again`, () => {
        const stream = fromHex(recorded[bus].map(({ frame }: { frame: string }) => frame).join(""));
        const reader = new IpcFrameReader();
        const events: unknown[] = [];
        const frames: string[] = [];
        for (let at = 0; at < stream.length; at += size) {
          reader.push(stream.subarray(at, at + size));
          for (let body = reader.next(); body !== undefined; body = reader.next()) {
            const { tag, data } = unpackEvent(body);
            assert.equal(eventTag(body), tag);
            events.push({ tag, data: canonical(data) });
            frames.push(toHex(packIpcFrame(packEvent(tag, data))));
          }
        }
        assert.deepEqual(
          events,
          recorded[bus].map((row: { tag: string; data: unknown }) => ({
            tag: row.tag,
            data: canonical(unescape(row.data)),
          })),
        );
        assert.deepEqual(frames, recorded[bus].map(({ frame }: { frame: string }) => frame));
      });
    }
  }
});

describe("packEvent()", () => {
  test("replaces a stamp in its place", () => {
    const { data } = unpackEvent(packEvent("t", { _stamp: "old", a: 1 }, { stamp: "new" }));
    assert.deepEqual(Object.entries(data), [["_stamp", "new"], ["a", 1]]);
  });

  test("leaves data without a stamp unchanged", () => {
    assert.deepEqual(unpackEvent(packEvent("t", { a: 1 })).data, { a: 1 });
  });

  test("converts packed values of the wire profile to the bin profile", () => {
    const data = { id: "m1", return: new Packed(encode({ b: fromHex("ff"), t: "x".repeat(40) }, "wire")) };
    const event = unpackEvent(packEvent("t", data));
    assert.deepEqual(event.data, { id: "m1", return: { b: fromHex("ff"), t: "x".repeat(40) } });
    assert.ok(data.return instanceof Packed);
    const kept = unpackEvent(packEvent("t", data), { keep: ["return"] });
    assert.equal(toHex((kept.data.return as Packed).bytes), "82a162c401ffa174da0028" + "78".repeat(40));
  });

  test("trims inside packed values, and keeps the small ones", () => {
    const data = { return: new Packed(encode({ big: "x".repeat(1000), small: 1 }, "wire")), id: "m1" };
    assert.deepEqual(unpackEvent(packEvent("t", data, { maxBytes: 500 })).data, {
      return: { big: "VALUE_TRIMMED", small: 1 },
      id: "m1",
    });
  });

  test("terminates with many small values that cannot fit", () => {
    const data = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index]));
    assert.equal(Object.keys(unpackEvent(packEvent("t", data, { maxBytes: 300 })).data).length, 500);
  });

  for (const tag of ["", "a\n\nb"]) {
    test(`refuses the tag ${JSON.stringify(tag)}`, () => assert.throws(() => packEvent(tag, {}), TypeError));
  }
});

describe("unpackEvent()", () => {
  for (
    const { name, bytes } of [
      { name: "nothing", bytes: new Uint8Array(0) },
      { name: "no empty line", bytes: text("tag\n") },
      { name: "no tag", bytes: text("\n\n\x80") },
      { name: "a tag that is not text", bytes: fromHex("ff0a0a80") },
      { name: "no data", bytes: text("tag\n\n") },
      { name: "data that is not a map", bytes: fromHex("740a0a90") },
      { name: "data that is text", bytes: fromHex("740a0aa161") },
      { name: "data that is a float", bytes: fromHex("740a0acb3ff0000000000000") },
    ]
  ) test(`refuses ${name}`, () => assert.throws(() => unpackEvent(bytes), ProtocolError));

  test("splits at the first empty line", () => {
    assert.equal(eventTag(text("a\nb\n\nc\n\n")), "a\nb");
    assert.equal(eventTag(text("a\n\n\n")), "a");
    assert.equal(eventTag(text("a")), "");
  });

  test("converts keys that are not text to text", () => {
    const bytes = Uint8Array.from([...text("t\n\n"), ...encode(new Map([[1, "a"]]), "bin")]);
    assert.deepEqual(unpackEvent(bytes).data, { "1": "a" });
  });
});

describe("eventStamp()", () => {
  for (
    const { ms, want } of [
      { ms: 1714979289123.456, want: "2024-05-06T07:08:09.123456" },
      { ms: 1714979289000, want: "2024-05-06T07:08:09" },
      { ms: 1714979289999.9996, want: "2024-05-06T07:08:10" },
      { ms: 0.001, want: "1970-01-01T00:00:00.000001" },
    ]
  ) test(`of ${ms} is ${want}`, () => assert.equal(eventStamp(ms), want));
});

describe("IpcFrameReader", () => {
  test("reads a body that arrived as str, and skips frames with any other", () => {
    const reader = new IpcFrameReader();
    reader.push(encode({ head: {}, body: "text" }, "bin"));
    reader.push(encode({ head: {}, body: { a: 1 } }, "bin"));
    reader.push(encode([1], "bin"));
    reader.push(encode(null, "bin"));
    reader.push(packIpcFrame(new Uint8Array(70_000), { mid: 1 }));
    assert.deepEqual(reader.next(), text("text"));
    assert.equal(reader.next()!.length, 70_000);
    assert.equal(reader.next(), undefined);
    assert.equal(reader.buffered, 0);
  });

  for (const length of [0, 255, 256, 65535, 65536]) {
    test(`round trip of a body of ${length}, which is a view of the chunk`, () => {
      const body = Uint8Array.from({ length }, (_, at) => at);
      const frame = packIpcFrame(body);
      assert.deepEqual(frame, encode({ head: {}, body }, "bin"));
      const reader = new IpcFrameReader();
      reader.push(frame);
      const got = reader.next()!;
      assert.deepEqual(got, body);
      assert.equal(got.buffer, frame.buffer);
    });
  }

  test("refuses a frame beyond the bound", () => {
    const reader = new IpcFrameReader({ maxBytes: 1000 });
    reader.push(packIpcFrame(new Uint8Array(2000)).subarray(0, 20));
    assert.throws(() => reader.next(), ProtocolError);
  });
});
