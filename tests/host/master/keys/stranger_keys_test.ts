import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KeyDirectories } from "../../../../src/host/master/keys/key_directories.ts";
import { CountedStrangerKeys } from "../../../../src/host/master/keys/stranger_keys.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/fs.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const { crypto } = await currentRuntime();

function bed(limit: number) {
  const clock = new FakeClock();
  const fs = memoryFileSystem({ clock });
  const keys = new KeyDirectories(fs, crypto, "/pki", clock);
  keys.prepare();
  const captured = captureLog();
  const strangers = new CountedStrangerKeys({ keys, clock, log: captured.log, limit });
  let made = 0;
  /** How many of so many new keys from one sender are kept. */
  const send = (origin: string, count: number): number => {
    let kept = 0;
    for (let at = 0; at < count; at++) {
      if (!strangers.admit("pre", origin)) continue;
      const id = `m${made++}`;
      keys.write("pre", id, "key");
      strangers.stored("pre", id, origin);
      kept++;
    }
    return kept;
  };
  return { clock, keys, captured, strangers, send };
}

describe("CountedStrangerKeys", () => {
  test("allows one sender half of the room, the next half of the rest, and always keeps some", () => {
    const { send } = bed(100);
    assert.equal(send("a", 1000), 50);
    assert.equal(send("b", 1000), 25);
    assert.equal(send("c", 1000), 13);
    assert.equal(send("a", 1000), 0);
    assert.equal(send("d", 1), 1);
  });

  test("lets many senders of one key each use all of it", () => {
    const { send } = bed(100);
    let kept = 0;
    for (let at = 0; at < 200; at++) kept += send(`host${at}`, 1);
    assert.equal(kept, 100);
  });

  test("has room again once the operator has taken keys away, seen within a second", () => {
    const { send, keys, clock } = bed(10);
    assert.equal(send("a", 20), 5);
    for (const id of keys.list("pre")) keys.remove("pre", id);
    clock.advance(1000);
    assert.equal(send("a", 20), 5);
  });

  test("counts keys of other processes, too, and logs once that it is full", () => {
    const { send, keys, captured } = bed(10);
    for (let at = 0; at < 10; at++) keys.write("pre", `old${at}`, "key");
    assert.equal(send("a", 500), 0);
    assert.deepEqual(captured.records.map(({ level, fields }) => [level, fields.max_pending_keys]), [["error", 10]]);
  });

  test("a limit of 0 means no limit", () => assert.equal(bed(0).send("a", 500), 500));
});
