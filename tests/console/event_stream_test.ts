import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventSourceLike, EventStream } from "../../src/console/event_stream.ts";

class Source implements EventSourceLike {
  onopen: ((event: never) => unknown) | null = null;
  onerror: ((event: never) => unknown) | null = null;
  onmessage: ((event: never) => unknown) | null = null;
  readyState = 0;
  closed = false;
  close(): void {
    this.closed = true;
  }
}

function stream() {
  const sources: Source[] = [];
  const seen: string[] = [];
  const waits: { call: () => void; ms: number }[] = [];
  const made = new EventStream({
    open: () => {
      const source = new Source();
      sources.push(source);
      return source;
    },
    later: (call, ms) => {
      const wait = { call, ms };
      waits.push(wait);
      return () => void waits.splice(waits.indexOf(wait), 1);
    },
    random: () => 1,
    onState: (state) => seen.push(state),
    onEvent: ({ tag }) => seen.push(tag),
    onGap: () => seen.push("gap"),
    onRefused: () => seen.push("refused"),
  });
  made.start();
  return { made, sources, seen, waits };
}

test("events are delivered, and a reconnection by the browser is reported as a gap", () => {
  const { sources, seen } = stream();
  const source = sources[0]!;
  source.onopen!({} as never);
  source.onmessage!({ data: '{"tag": "a", "data": {}}' } as never);
  source.onerror!({} as never);
  source.onopen!({} as never);
  assert.deepEqual(seen, ["live", "a", "lost", "live", "gap"]);
  assert.equal(sources.length, 1);
});

test("when the browser gives up, the stream reconnects with growing delays", () => {
  const { sources, seen, waits } = stream();
  const waited: number[] = [];
  for (let at = 0; at < 7; at++) {
    const source = sources.at(-1)!;
    source.readyState = 2;
    source.onerror!({} as never);
    const wait = waits.shift()!;
    waited.push(wait.ms);
    wait.call();
    assert.ok(source.closed);
  }
  assert.deepEqual(waited, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.ok(seen.includes("refused") && seen.includes("lost"));
});

test("a stopped stream stays stopped", () => {
  const { made, sources, waits } = stream();
  sources[0]!.readyState = 2;
  sources[0]!.onerror!({} as never);
  made.stop();
  assert.equal(waits.length, 0);
  assert.equal(sources.length, 1);
  assert.ok(sources[0]!.closed);
});
