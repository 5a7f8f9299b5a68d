import assert from "node:assert/strict";
import { test } from "node:test";
import { EventLog } from "../../../src/model/event/event_log.ts";
import { Breaker } from "../../support/failing.ts";
import { memoryFiles } from "../../support/memory_files.ts";

const DIRECTORY = "/log";
const entry = (n: number, size = 4) => {
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, n);
  return bytes;
};
const numberOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);

/** All that is left from there on. */
function all(log: EventLog, from: number, most?: number): { entries: number[]; skipped: number } {
  const reader = log.reader(from);
  const entries: number[] = [];
  let skipped = 0;
  for (;;) {
    const read = reader.read(most);
    skipped += read.skipped;
    if (read.entries.length === 0) return { entries, skipped };
    entries.push(...read.entries.map(numberOf));
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("EventLog: entries come back by their numbers, and after a restart", () => {
  const fs = memoryFiles();
  const log = EventLog.empty({ fs, directory: DIRECTORY, maxBytes: 1e6 }, 1);
  for (let n = 1; n <= 10; n++) log.append(entry(n));
  assert.deepEqual({ first: log.first, next: log.next }, { first: 1, next: 1 }, "what waits is not counted");
  assert.equal(log.flush(), 10);
  assert.equal(log.flush(), 0);
  assert.deepEqual(all(log, 1), { entries: range(1, 10), skipped: 0 });
  assert.deepEqual(all(log, 8, 1), { entries: [8, 9, 10], skipped: 0 });
  const again = EventLog.open({ fs, directory: DIRECTORY, maxBytes: 1e6 });
  again.append(entry(11));
  again.flush();
  assert.deepEqual(all(again, 10), { entries: [10, 11], skipped: 0 });
});

test("EventLog: what a killed process was writing is cut off at each byte", () => {
  const { length } = (() => {
    const fs = memoryFiles();
    const log = EventLog.empty({ fs, directory: DIRECTORY, maxBytes: 1e6 }, 1);
    for (let n = 1; n <= 3; n++) log.append(entry(n, 5));
    log.flush();
    return fs.read(`${DIRECTORY}/${fs.list(DIRECTORY)[0]}`);
  })();
  for (let cut = 0; cut <= length; cut++) {
    const fs = memoryFiles();
    const log = EventLog.empty({ fs, directory: DIRECTORY, maxBytes: 1e6 }, 1);
    for (let n = 1; n <= 3; n++) log.append(entry(n, 5));
    log.flush();
    fs.truncate(`${DIRECTORY}/${fs.list(DIRECTORY)[0]}`, cut);
    const again = EventLog.open({ fs, directory: DIRECTORY, maxBytes: 1e6 });
    const whole = Math.floor(cut / 9);
    assert.deepEqual(all(again, 1).entries, range(1, whole), `cut at ${cut}`);
    again.append(entry(99, 5));
    again.flush();
    assert.deepEqual(all(again, again.next - 1).entries, [99]);
  }
});

test("EventLog: the oldest go when there is no room, and both are told: who owns it and who reads", () => {
  const fs = memoryFiles();
  const removed: [number, number][] = [];
  const log = EventLog.empty({
    fs,
    directory: DIRECTORY,
    maxBytes: 200_000,
    onRemoved: (first, count) => removed.push([first, count]),
  }, 1);
  const slow = log.reader(1);
  for (let n = 1; n <= 1000; n++) {
    log.append(entry(n, 1000));
    log.flush();
    if (n === 5) assert.deepEqual(slow.read(5).entries.map(numberOf), range(1, 5));
  }
  assert.ok(log.bytes <= 200_000, `${log.bytes}`);
  const gone = removed.reduce((sum, [, count]) => sum + count, 0);
  assert.equal(log.first, gone + 1);
  const { entries, skipped } = slow.read();
  assert.equal(skipped, gone - 5);
  assert.equal(numberOf(entries[0]!), gone + 1);
  assert.deepEqual(all(log, 1), { entries: range(gone + 1, 1000), skipped: gone });
});

test("EventLog: an entry of any size is read, and one larger than all the room is kept", () => {
  const log = EventLog.empty({ fs: memoryFiles(), directory: DIRECTORY, maxBytes: 100_000 }, 7);
  for (const size of [4, 300_000, 4, 1_000_000]) {
    log.append(entry(log.next, size));
    log.flush();
  }
  assert.deepEqual(all(log, 7), { entries: [9, 10], skipped: 2 });
});

test("EventLog: what cannot be written is lost and counted, and what follows is not", () => {
  const breaker = new Breaker();
  const fs = breaker.files(memoryFiles());
  const log = EventLog.empty({ fs, directory: DIRECTORY, maxBytes: 1e6 }, 1);
  log.append(entry(1));
  log.flush();
  breaker.fail();
  log.append(entry(2));
  log.append(entry(3));
  assert.throws(() => log.flush(), { lost: 2 });
  breaker.mend();
  log.append(entry(4));
  log.flush();
  assert.deepEqual(all(log, 1), { entries: [1, 4], skipped: 0 });
});

test("EventLog: files go by number and by time, and a cut begins a new one", () => {
  const fs = memoryFiles();
  const log = EventLog.empty({ fs, directory: DIRECTORY, maxBytes: 1e6 }, 1);
  for (let n = 1; n <= 4; n++) {
    log.append(entry(n));
    log.flush(n * 1000);
    log.cut();
  }
  log.removeBefore(2);
  assert.equal(log.first, 2);
  log.removeOlder(3000);
  assert.equal(log.first, 4);
  log.clear(10);
  assert.deepEqual(fs.list(DIRECTORY), []);
  assert.deepEqual({ first: log.first, next: log.next }, { first: 10, next: 10 });
});
