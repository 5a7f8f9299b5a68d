/** Since when a killed master may have stored returns without an event. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UnannouncedReturns } from "../../../../src/host/master/jobs/unannounced_returns.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const JID = "20240506070809123456";

function bench() {
  const clock = new FakeClock();
  const fs = memoryFileSystem({ clock });
  const path = "/unannounced";
  const open = () => new UnannouncedReturns({ fs, clock, log: captureLog().log, path });
  const store = (returns: UnannouncedReturns, id: string) => {
    const at = clock.now();
    returns.storing(JID, id, at);
    return at;
  };
  return { clock, fs, path, open, store };
}

test("the next process knows a time that no unannounced return was stored before", () => {
  const { clock, open, store } = bench();
  const first = open();
  assert.equal(first.sinceMs, undefined, "there was no process before");
  const at = store(first, "a");
  assert.ok(open().sinceMs! <= at, "at once");
  first.take(JID, "a");
  clock.advance(5000);
  const late = store(first, "b");
  for (let count = 0; count < 10; count++) {
    store(first, "c");
    first.take(JID, "c");
    clock.advance(1000);
  }
  assert.equal(open().sinceMs, Math.floor(late), "the oldest of those that are not announced");
  first.failed(JID, "b");
  clock.advance(60_000);
  first.close();
  assert.equal(open().sinceMs, Math.floor(late), "also of one that failed, after an orderly stop");
  assert.equal(first.take(JID, "b"), true);
  first.close();
  assert.equal(open().sinceMs, Math.floor(clock.now()));
});

test("what the last process has left is held until it is announced, whatever is stored meanwhile", () => {
  const { clock, open, store } = bench();
  const before = store(open(), "a");
  clock.advance(10_000);
  const next = open();
  store(next, "b");
  next.take(JID, "b");
  clock.advance(5000);
  assert.ok(open().sinceMs! <= before);
  next.settled();
  assert.equal(open().sinceMs, Math.floor(clock.now()) - 2000, "events of the last moment may be on their way");
});

test("a clock that was set back makes no return older than the file says, and a torn file says all", () => {
  const { clock, fs, path, open } = bench();
  const first = open();
  first.settled();
  const at = clock.now() - 3_600_000;
  first.storing(JID, "a", at);
  assert.ok(open().sinceMs! <= at);
  fs.write(path, "");
  assert.equal(open().sinceMs, 0);
});
