/** Which jobs a minion has taken and begun, across restarts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../../../src/base/errors.ts";
import { Journal } from "../../../../src/host/minion/jobs/journal.ts";
import { encode } from "../../../../src/protocol/wire/msgpack.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/fs.ts";
import type { FileSystem } from "../../../../src/runtime/fs.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const MASTER = "tcp://10.0.0.1:4506";
const PATH = "/jobs/journal";
const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;
const NOW = 1_714_979_289_123;
const load = { fun: "test.ping", arg: [1, "zoë"], user: "root" };

/** A disk that can be full, on which a minion leaves its journal when it restarts. */
function desk() {
  const memory = memoryFileSystem({ clock: new FakeClock() });
  const captured = captureLog();
  const disk = { full: false, failing: false, /** Bytes that still fit when it is full. */ room: 0 };
  /** True once a sync has failed: the system takes what it could not write for written. */
  let isDropped = false;
  const fs: FileSystem = {
    ...memory,
    // deno-lint-ignore require-await
    async sync(path) {
      if (disk.failing) {
        isDropped = true;
        throw new SystemError("EIO", `Cannot sync "${path}": EIO`);
      }
      if (!isDropped) await memory.sync(path);
    },
    append(path, data, mode) {
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      if (!disk.full) return memory.append(path, text, mode);
      memory.append(path, text.slice(0, disk.room), mode);
      throw new SystemError("ENOSPC", `Cannot write "${path}": no space left on the device`);
    },
    write(path, data, options) {
      if (disk.full) throw new SystemError("ENOSPC", `Cannot write "${path}": no space left on the device`);
      memory.write(path, data, options);
    },
  };
  memory.mkdir("/jobs", 0o700);
  const restart = (remembered = 10) => {
    const journal = new Journal({ fs, log: captured.log, directory: "/jobs", remembered });
    const interrupted = journal.open();
    return { journal, interrupted, marks: interrupted.map(({ jid, mark }) => [Number(jid.slice(8)), mark]) };
  };
  return {
    restart,
    disk,
    captured,
    text: () => memory.readText(PATH),
    afterPowerCut: () => memory.powerCut().readText(PATH),
    write: (text: string) => memory.write(PATH, text),
  };
}

describe("Journal", () => {
  test("after a restart, a job that has not ended is reported with its load, its master and how far it had come", () => {
    const { restart } = desk();
    const { journal, interrupted } = restart();
    assert.deepEqual(interrupted, []);
    for (const number of [1, 2, 3, 4, 5]) assert.equal(journal.take(jidOf(number), load, MASTER, NOW), true);
    for (const number of [1, 3, 4, 5]) assert.equal(journal.mark(jidOf(number), "starting"), true);
    journal.mark(jidOf(4), "started");
    journal.mark(jidOf(5), "taken");
    journal.end(jidOf(1));
    journal.end(jidOf(9));
    assert.equal(journal.mark(jidOf(9), "started"), false);
    // Once as it was appended, and once as it was compacted.
    for (let restarts = 0; restarts < 2; restarts++) {
      const next = restart();
      assert.deepEqual(next.marks, [[2, "taken"], [3, "starting"], [4, "started"], [5, "taken"]]);
      assert.deepEqual(next.interrupted[0], { jid: jidOf(2), mark: "taken", load, master: MASTER, atMs: NOW });
      assert.deepEqual([1, 2, 9].map((number) => next.journal.has(jidOf(number))), [true, true, false]);
    }
    const { journal: last } = restart();
    for (const number of [2, 3, 4, 5]) last.end(jidOf(number));
    assert.deepEqual(restart().interrupted, []);
  });

  test("a job that an earlier build wrote may have begun", () => {
    const { restart, write } = desk();
    const coded = btoa(String.fromCharCode(...encode({ load, master: MASTER }, "wire")));
    write(`+${jidOf(1)} ${coded}\n+${jidOf(2)} ${coded}\n-${jidOf(2)}\n`);
    const { interrupted, journal } = restart();
    assert.deepEqual(interrupted, [{ jid: jidOf(1), mark: "starting", load, master: MASTER, atMs: 0 }]);
    assert.equal(journal.has(jidOf(2)), true);
  });

  test("a journal that was cut off at any byte loses no more than its last line", () => {
    const { restart, text, write } = desk();
    const { journal } = restart();
    journal.take(jidOf(1), load, MASTER, NOW);
    journal.end(jidOf(1));
    const kept = text().length;
    journal.take(jidOf(2), load, MASTER, NOW);
    const taken = text().length;
    journal.mark(jidOf(2), "starting");
    const whole = text();
    for (let length = kept; length < whole.length; length++) {
      write(whole.slice(0, length));
      const next = restart();
      assert.equal(next.journal.has(jidOf(1)), true);
      // What was cut off while it was being taken is not known, so that it can be sent again; or it is there as a whole.
      const [job] = next.interrupted;
      assert.equal(next.journal.has(jidOf(2)), job !== undefined, `${length} bytes`);
      assert.ok(job !== undefined || length < taken, `${length} bytes`);
      if (job !== undefined) {
        assert.deepEqual(job.load, load);
        assert.equal(job.mark, length >= whole.length - 1 ? "starting" : "taken", `${length} bytes`);
      }
      // What follows is on a line of its own.
      next.journal.take(jidOf(3), load, MASTER, NOW);
      assert.equal(restart().interrupted.at(-1)!.jid, jidOf(3), `${length} bytes`);
    }
  });

  test("a job that had begun and whose load is lost stays begun, however often the minion is started", () => {
    const { restart, write } = desk();
    write(`!${jidOf(1)}\n*${jidOf(2)}\n=${jidOf(3)}\n`);
    for (let start = 0; start < 3; start++) {
      const { journal, interrupted } = restart();
      assert.deepEqual(interrupted, []);
      assert.deepEqual([1, 2, 3].map((number) => journal.has(jidOf(number))), [true, true, false]);
    }
  });

  test("invalid lines are ignored", () => {
    const { restart, write } = desk();
    write(`nonsense\n+12 x\n+${jidOf(1)} !!!\n-${jidOf(5)}\n\n+${jidOf(2)}\n-${jidOf(2)}\n`);
    const { journal, interrupted } = restart();
    assert.deepEqual(interrupted, []);
    assert.equal(journal.has(jidOf(1)), true);
    assert.equal(journal.has(jidOf(2)), true);
    assert.equal(journal.has(jidOf(5)), false);
  });

  test("a full disk is logged once, with path and remedy, and so is its end; a torn line affects no other", () => {
    const { restart, disk, captured } = desk();
    const { journal } = restart();
    disk.full = true;
    disk.room = 30;
    assert.equal(journal.take(jidOf(1), load, MASTER, NOW), false);
    assert.equal(journal.take(jidOf(2), load, MASTER, NOW), false);
    assert.equal(journal.has(jidOf(1)), true, "this process remembers");
    assert.equal(journal.again(jidOf(1)), false);
    assert.equal(captured.complaints().length, 1);
    assert.match(captured.text(), /journal of jobs cannot be written: free disk space.*\/jobs\/journal.*no space left/);
    disk.full = false;
    assert.equal(journal.again(jidOf(1)), true);
    assert.equal(journal.again(jidOf(7)), false, "was never begun");
    assert.equal(journal.take(jidOf(3), load, MASTER, NOW), true);
    assert.match(captured.text(), /journal of jobs can be written again/);
    const { interrupted } = restart();
    assert.deepEqual(interrupted.map(({ jid }) => jid), [jidOf(1), jidOf(3)]);
    assert.deepEqual(interrupted[0]!.load, load);
  });

  test("what a failed sync may have lost is written again with the next one", async () => {
    const { restart, disk, afterPowerCut } = desk();
    const { journal } = restart();
    disk.failing = true;
    journal.take(jidOf(1), load, MASTER, NOW);
    assert.equal(await journal.synced(), false);
    disk.failing = false;
    assert.equal(afterPowerCut(), "");
    assert.equal(await journal.synced(), true);
    assert.match(afterPowerCut(), new RegExp(`^=${jidOf(1)} `));
  });

  test("a very long load is written without its arguments, and marked so", () => {
    const { restart, text } = desk();
    restart().journal.take(jidOf(1), { ...load, arg: ["x".repeat(1_000_000)] }, MASTER, NOW);
    assert.ok(text().length < 1000);
    const [job] = restart().interrupted;
    assert.deepEqual([job!.mark, job!.load], ["too large", { ...load, arg: [] }]);
  });

  test("it stays small after many jobs, and forgets none that is running", () => {
    const { restart, text } = desk();
    const { journal } = restart();
    journal.take(jidOf(0), load, MASTER, NOW);
    for (let number = 1; number <= 6000; number++) {
      journal.take(jidOf(number), load, MASTER, NOW);
      journal.end(jidOf(number));
    }
    assert.ok(text().split("\n").length < 8000);
    assert.equal(journal.has(jidOf(6000)), true);
    const next = restart();
    assert.deepEqual(next.interrupted.map(({ jid }) => jid), [jidOf(0)]);
    assert.equal(next.journal.has(jidOf(5500)), true);
    assert.equal(next.journal.has(jidOf(1)), false);
  });
});
