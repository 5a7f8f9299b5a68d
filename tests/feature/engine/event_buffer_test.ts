/** The events that an engine has not read yet. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBuffer } from "../../../src/feature/engine/event_buffer.ts";
import { BusEvent } from "../../../src/model/event/bus.ts";

const event = (tag: string, data: Record<string, unknown> = {}) => BusEvent.fromData(tag, data);

test("events come in their order, those of other tags do not", async () => {
  const buffer = new EventBuffer((tag) => tag.startsWith("a/"), () => {});
  for (const tag of ["a/1", "b/2", "a/3"]) assert.equal(buffer.take(event(tag, { tag })), true);
  const reader = buffer[Symbol.asyncIterator]();
  assert.deepEqual((await reader.next()).value, { tag: "a/1", data: { tag: "a/1" } });
  assert.equal((await reader.next()).value.tag, "a/3");
  const late = reader.next();
  buffer.take(event("a/4"));
  assert.equal((await late).value.tag, "a/4");
  const last = reader.next();
  buffer.close();
  assert.equal((await last).done, true);
});

test("what an engine does not read is bounded by number and by bytes, and counted", async () => {
  const many = new EventBuffer(() => true, () => {});
  for (let n = 0; n < 10_500; n++) many.take(event("t"));
  assert.equal(many.missed, 500);
  const large = new EventBuffer(() => true, () => {});
  const data = { text: "x".repeat(1024 * 1024) };
  for (let n = 0; n < 40; n++) large.take(event("t", data));
  assert.ok(large.missed >= 8, `${large.missed} were left out`);
  const reader = large[Symbol.asyncIterator]();
  await reader.next();
  assert.equal(large.take(event("t", data)), true);
});

test("leaving the loop ends it", async () => {
  let ended = 0;
  const buffer = new EventBuffer(() => true, () => ended++);
  buffer.take(event("t"));
  for await (const _ of buffer) break;
  assert.equal(ended, 1);
  assert.equal(buffer.take(event("t")), true);
});

test("bytes that are no event are an event without data", async () => {
  const buffer = new EventBuffer(() => true, () => {});
  buffer.take(BusEvent.fromBytes(new TextEncoder().encode("a/tag\n\n\xc1")));
  assert.deepEqual((await buffer[Symbol.asyncIterator]().next()).value, { tag: "a/tag", data: {} });
});
