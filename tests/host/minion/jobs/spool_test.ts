/** Returns that wait for their master, on a disk that has bounds. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../../../src/base/errors.ts";
import { Spool, type SpoolEntry } from "../../../../src/host/minion/jobs/spool.ts";
import type { FileSystem } from "../../../../src/runtime/fs.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/fs.ts";
import { pack, Packed, unpack } from "../../../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const MASTER = "tcp://10.0.0.1:4506";
const WEEK = 604_800_000;
const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;
const loadOf = (number: number, bytes = 10) => ({
  cmd: "_return",
  jid: jidOf(number),
  fun: "test.ping",
  return: pack("x".repeat(bytes), "wire"),
});

function desk() {
  const clock = new FakeClock();
  const memory = memoryFileSystem({ clock });
  const captured = captureLog();
  const disk = { full: false, failing: (_path: string) => false };
  /** Files of which a sync has failed: the system takes what it could not write for written. */
  const dropped = new Set<string>();
  const restart = (bytes = 100_000) => {
    const spool = new Spool({
      fs: {
        ...memory,
        // deno-lint-ignore require-await
        async sync(path) {
          if (disk.failing(path)) {
            dropped.add(path);
            throw new SystemError("EIO", `Cannot sync "${path}": EIO`);
          }
          if (!dropped.has(path) || path === "/returns") await memory.sync(path);
        },
        append(path, data, mode) {
          // A full disk takes the beginning.
          memory.append(path, disk.full ? data.slice(0, 3) : data, mode);
          if (disk.full) throw new SystemError("ENOSPC", `Cannot write "${path}": no space left on the device`);
        },
      },
      clock,
      log: captured.log,
      directory: "/returns",
      bytes,
      ageMs: WEEK,
      tombstone: ({ cmd, jid, fun }, why) => ({ cmd, jid, fun, return: why, retcode: 1, success: false }),
    });
    return { spool, found: spool.open() };
  };
  return { clock, memory, captured, disk, restart };
}

/** What a master would be sent. */
function valueOf(spool: Spool, entry: SpoolEntry): unknown {
  const value = spool.load(entry)!.return;
  return value instanceof Packed ? unpack(value, "wire") : value;
}

describe("Spool", () => {
  test("a minion that has ended leaves no file if its master has all returns, and one if not", () => {
    const { memory, restart } = desk();
    const { spool } = restart();
    const entries = [1, 2].map((number) => spool.add(jidOf(number), MASTER, loadOf(number)));
    spool.done(entries[0]!);
    spool.close();
    assert.equal(memory.list("/returns").length, 1);
    const { spool: next, found } = restart();
    assert.deepEqual(found.map(({ jid }) => jid), [jidOf(2)]);
    next.done(next.add(jidOf(3), MASTER, loadOf(3)));
    for (const entry of found) next.done(entry);
    next.close();
    assert.deepEqual(memory.list("/returns"), []);
  });

  test("what a minion that was killed had not synced is synced by the next one", async () => {
    const { clock, memory, restart } = desk();
    restart().spool.add(jidOf(1), MASTER, loadOf(1));
    // Before the pause in which a sync waits for others.
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1)]);
    assert.equal(memory.powerCut().list("/returns").length, 0);
    clock.advance(100);
    for (let turn = 0; turn < 10; turn++) await undefined;
    assert.equal(memory.powerCut().list("/returns").length, 1);
  });

  for (const [what, failing] of [["names", "/returns"], ["files", "/returns/"]] as const) {
    test(`a disk that could not sync ${what}: what was added before and meanwhile is written again, and then safe`, async () => {
      const { clock, memory, disk, captured, restart } = desk();
      disk.failing = (path) => failing === "/returns" ? path === failing : path.startsWith(failing);
      const { spool } = restart();
      const settle = async (ms: number) => {
        clock.advance(ms);
        for (let turn = 0; turn < 30; turn++) await undefined;
      };
      /** What the next minion finds after a loss of power. */
      const rescued = () => {
        const options = { clock, log: captured.log, directory: "/returns", bytes: 100_000, ageMs: WEEK };
        const next = new Spool({ ...options, fs: memory.powerCut(), tombstone: (load) => load });
        return next.open().map(({ jid }) => jid);
      };
      const sent = spool.add(jidOf(1), MASTER, loadOf(1));
      spool.add(jidOf(2), MASTER, loadOf(2));
      await settle(100);
      assert.match(captured.text(), /returns could not be synced/);
      spool.add(jidOf(3), MASTER, loadOf(3));
      spool.done(sent);
      await settle(2000);
      await settle(100);
      await settle(2000);
      assert.deepEqual(rescued(), []);
      disk.failing = () => false;
      for (const ms of [100, 2000, 100]) await settle(ms);
      assert.deepEqual(rescued(), [jidOf(2), jidOf(3)]);
      assert.match(captured.text(), /returns can be synced again/);
      assert.equal(captured.records.filter(({ message }) => message.includes("could not be synced")).length, 1);
      for (const entry of spool.entries()) spool.done(entry);
      assert.ok(memory.list("/returns").length <= 1);
    });
  }

  describe("a file that could not be synced, and is written again", () => {
    /** A spool of which nothing can be synced at first, but for what a test does before. */
    function unsafe(bytes?: number) {
      const { clock, memory, disk, captured, restart } = desk();
      const { spool } = restart(bytes);
      const settle = async (ms: number) => {
        clock.advance(ms);
        for (let turn = 0; turn < 30; turn++) await undefined;
      };
      const left = (fs: FileSystem) => {
        const options = { clock, log: captured.log, directory: "/returns", bytes: 100_000, ageMs: WEEK };
        const next = new Spool({ ...options, fs, tombstone: (load) => load });
        return next.open().map((entry) => [Number(entry.jid.slice(8)), String(valueOf(next, entry)).slice(0, 9)]);
      };
      const fail = () => disk.failing = (path) => path.startsWith("/returns/");
      const mend = () => disk.failing = () => false;
      return { spool, settle, fail, mend, memory, disk, captured, restart, left };
    }
    const ONE = [1, "x".repeat(9)];
    const TWO = [2, "x".repeat(9)];

    test("what was safe in it is safe at any time", async () => {
      const { spool, settle, fail, mend, memory, left } = unsafe();
      spool.add(jidOf(1), MASTER, loadOf(1));
      await settle(100);
      fail();
      spool.add(jidOf(2), MASTER, loadOf(2));
      for (const ms of [100, 2000, 50, 50, 1900, 50, 50]) {
        await settle(ms);
        assert.deepEqual(left(memory.powerCut()), [ONE]);
      }
      mend();
      for (const ms of [2000, 100]) {
        await settle(ms);
        assert.deepEqual(left(memory.powerCut())[0], ONE);
      }
      assert.deepEqual(left(memory.powerCut()), [ONE, TWO]);
      assert.equal(memory.list("/returns").length, 1);
    });

    test("a return that is done meanwhile stays done, and what replaces another stays", async () => {
      const { spool, settle, fail, mend, memory, left } = unsafe(8000);
      fail();
      spool.add(jidOf(1), MASTER, loadOf(1, 500));
      spool.add(jidOf(2), MASTER, loadOf(2));
      const done = spool.add(jidOf(3), MASTER, loadOf(3));
      await settle(100);
      mend();
      assert.equal(memory.list("/returns").length, 1);
      spool.done(done);
      // There is no room for the first any more.
      spool.add(jidOf(4), MASTER, loadOf(4, 7200));
      for (const ms of [1000, 1000]) {
        await settle(ms);
        assert.deepEqual(left(memory), [[1, "the spool"], TWO, [4, "x".repeat(9)]]);
      }
    });

    test("no file stays of which nothing is needed, and none is looked for that somebody has removed", async () => {
      const { spool, settle, fail, mend, memory, captured } = unsafe();
      fail();
      const first = spool.add(jidOf(1), MASTER, loadOf(1));
      const second = spool.add(jidOf(2), MASTER, loadOf(2));
      spool.done(first);
      // While it is being synced.
      mend();
      await settle(99);
      fail();
      await settle(1);
      spool.done(second);
      assert.deepEqual(memory.list("/returns"), []);
      spool.add(jidOf(3), MASTER, loadOf(3));
      await settle(100);
      for (const name of memory.list("/returns")) memory.remove(`/returns/${name}`);
      mend();
      await settle(2000);
      spool.add(jidOf(4), MASTER, loadOf(4));
      await settle(100);
      assert.match(captured.text(), /returns can be synced again/);
    });

    test("stays until its copy is safe, though the minion is killed meanwhile, more than once", async () => {
      const { spool, settle, fail, mend, memory, restart, left } = unsafe();
      spool.add(jidOf(1), MASTER, loadOf(1));
      await settle(100);
      fail();
      // It was synced before, and is so again: that one fails.
      spool.add(jidOf(2), MASTER, loadOf(2));
      await settle(100);
      await settle(2000);
      assert.equal(memory.list("/returns").length, 2, "the file and its copy");
      for (let killed = 0; killed < 3; killed++) {
        spool.close();
        const { spool: next, found } = restart();
        assert.deepEqual(found.map(({ jid }) => jid), [jidOf(1), jidOf(2)]);
        next.close();
        // Names are as they are now, and nothing is left of the copy.
        const chance = [0.9, 0.9, 0];
        assert.deepEqual(left(memory.powerCut(() => chance.shift()!)), [ONE]);
      }
      const { spool: last } = restart();
      mend();
      await settle(100);
      await settle(2000);
      await settle(100);
      assert.deepEqual(left(memory.powerCut()), [ONE, TWO]);
      assert.equal(memory.list("/returns").length, 1);
      for (const entry of last.entries()) last.done(entry);
      assert.deepEqual(memory.list("/returns"), []);
    });

    test("a minion that has ended leaves the files to the next one", async () => {
      const { spool, settle, fail, mend, memory, restart } = unsafe();
      fail();
      spool.add(jidOf(1), MASTER, loadOf(1));
      await settle(100);
      spool.close();
      const { spool: next, found } = restart();
      mend();
      await settle(2000);
      await settle(100);
      assert.equal(valueOf(next, found[0]!), "x".repeat(10));
      assert.equal(memory.list("/returns").length, 1);
    });
  });

  test("what was added is there after a restart, in its order, until it is done", () => {
    const { restart, memory } = desk();
    const { spool, found } = restart();
    assert.deepEqual(found, []);
    const entries = [1, 2, 3].map((number) => spool.add(jidOf(number), MASTER, loadOf(number)));
    spool.done(entries[1]!);
    const next = restart();
    assert.deepEqual(next.found.map(({ jid, master }) => [jid, master]), [[jidOf(1), MASTER], [jidOf(3), MASTER]]);
    assert.equal(valueOf(next.spool, next.found[0]!), "x".repeat(10));
    assert.deepEqual(next.spool.jids(MASTER), [jidOf(1), jidOf(3)]);
    assert.deepEqual(next.spool.jids("tcp://other:4506"), []);
    // A later one must not take the place of one before.
    next.spool.add(jidOf(4), MASTER, loadOf(4));
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1), jidOf(3), jidOf(4)]);
    for (const entry of next.spool.entries()) next.spool.done(entry);
    assert.equal(next.spool.bytes, 0);
    assert.deepEqual(restart().found, []);
    assert.deepEqual(memory.list("/returns"), []);
  });

  test("a record that was cut off by a crash is ignored, and nothing is written behind it", () => {
    const { restart, memory, captured } = desk();
    const first = restart().spool;
    first.add(jidOf(1), MASTER, loadOf(1));
    const [file] = memory.list("/returns");
    const whole = memory.read(`/returns/${file}`).length;
    first.add(jidOf(2), MASTER, loadOf(2));
    for (let cut = memory.read(`/returns/${file}`).length - 1; cut >= whole; cut--) {
      memory.truncate(`/returns/${file}`, cut);
      assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1)], `${cut} bytes`);
    }
    // As a file system may leave the end of a file when the power went.
    memory.truncate(`/returns/${file}`, whole + 100);
    const { spool, found } = restart();
    assert.deepEqual(found.map(({ jid }) => jid), [jidOf(1)]);
    const third = spool.add(jidOf(3), MASTER, loadOf(3));
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1), jidOf(3)]);
    spool.done(third);
    spool.done(found[0]!);
    assert.deepEqual(restart().found, []);
    assert.deepEqual(captured.complaints(), []);
  });

  test("a record that cannot be read is dropped, and those behind it are not", () => {
    const { restart, memory, captured } = desk();
    const { spool } = restart();
    for (const number of [1, 2, 3]) spool.add(jidOf(number), MASTER, loadOf(number));
    const [file] = memory.list("/returns");
    const bytes = memory.read(`/returns/${file}`);
    // The first byte of the second record, a map, becomes one that msgpack never uses.
    const second = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    bytes[second + 4] = 0xc1;
    memory.write(`/returns/${file}`, bytes);
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1), jidOf(3)]);
    assert.deepEqual(captured.complaints(), ["a spooled return cannot be read and is dropped"]);
    // What cannot be opened at all stays, and does not keep the minion from starting.
    memory.mkdir("/returns/000000000900");
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1), jidOf(3)]);
    assert.match(captured.text(), /spooled returns cannot be read.*000000000900/);
    assert.ok(memory.list("/returns").includes("000000000900"));
  });

  test("a file is removed with the last of its returns, done in any order, and what is done stays done", () => {
    const { restart, memory } = desk();
    const { spool } = restart(8000);
    const entries = Array.from({ length: 12 }, (_, at) => spool.add(jidOf(at), MASTER, loadOf(at, 300)));
    assert.equal(memory.list("/returns").length, 4, "three to a file");
    // One of each file stays, then the others go, the newest first.
    for (const [at, entry] of entries.entries()) if (at % 3 !== 1) spool.done(entry);
    assert.equal(memory.list("/returns").length, 4);
    assert.deepEqual(restart(8000).found.map(({ jid }) => jid), [1, 4, 7, 10].map(jidOf));
    for (const at of [10, 7, 4]) {
      spool.done(entries[at]!);
      assert.deepEqual(restart(8000).found.map(({ jid }) => jid), [1, 4, 7].filter((left) => left < at).map(jidOf));
    }
    assert.equal(memory.list("/returns").length, 1);
    // Ten thousand short jobs, one after the other, leave a file or two of bounded size.
    for (let at = 0; at < 10_000; at++) spool.done(spool.add(jidOf(100 + at), MASTER, loadOf(100 + at)));
    const bytes = memory.list("/returns").map((name) => memory.stat(`/returns/${name}`)!.size);
    assert.ok(bytes.length <= 2 && bytes.every((size) => size < 2500), `${bytes}`);
    assert.deepEqual(restart(8000).found.map(({ jid }) => jid), [jidOf(1)]);
  });

  test("a return larger than the bound is replaced by a failure that says so", () => {
    const { restart } = desk();
    const { spool } = restart(1000);
    const entry = spool.add(jidOf(1), MASTER, loadOf(1, 2000));
    assert.match(String(valueOf(spool, entry)), /its \d+ bytes are more than return_spool_bytes \(1000\)/);
    const [kept] = restart(1000).found;
    assert.equal(kept!.jid, jidOf(1));
    assert.ok(spool.bytes <= 1000);
  });

  test("the oldest make room for the newest, each leaving a failure that says so; a second one is not added to it", () => {
    const { restart, captured } = desk();
    const { spool } = restart(5000);
    const entries = Array.from({ length: 8 }, (_, at) => spool.add(jidOf(at), MASTER, loadOf(at, 1000)));
    const next = restart(5000);
    const values = next.found.map((entry) => String(valueOf(next.spool, entry)));
    assert.equal(values.length, 8, "each job has one");
    const dropped = values.filter((value) => value.startsWith("the spool of 5000 bytes was full"));
    assert.ok(dropped.length >= 4);
    assert.deepEqual(values.slice(-1), ["x".repeat(1000)], "the newest is whole");
    assert.deepEqual(values.map((value) => value.startsWith("the spool")), values.map((_, at) => at < dropped.length));
    assert.ok(spool.bytes <= 5000, `${spool.bytes}`);
    assert.equal(captured.complaints().length, dropped.length);
    assert.equal(spool.jids().length, entries.length);
  });

  test("with the disk full returns are kept in memory; once there is space, all of them are written", () => {
    const { restart, disk, captured, memory } = desk();
    const { spool } = restart();
    disk.full = true;
    const entries = [1, 2, 3].map((number) => spool.add(jidOf(number), MASTER, loadOf(number)));
    assert.deepEqual(entries.map(({ onDisk }) => onDisk), [false, false, false]);
    assert.equal(valueOf(spool, entries[0]!), "x".repeat(10));
    spool.rest(entries[0]!);
    assert.equal(valueOf(spool, entries[0]!), "x".repeat(10), "not forgotten");
    assert.match(captured.text(), /returns cannot be spooled.*free disk space.*\/returns.*no space left/);
    assert.equal(captured.complaints().length, 1, "said once");
    spool.done(entries[2]!);
    disk.full = false;
    const said: boolean[] = [];
    const append = memory.append.bind(memory);
    memory.append = (...args) => {
      said.push(/spooled again/.test(captured.text()));
      append(...args);
    };
    spool.rest(entries[0]!);
    assert.deepEqual(entries.map(({ onDisk }) => onDisk), [true, true, false]);
    assert.match(captured.text(), /returns can be spooled again/);
    assert.ok(said.length >= 2 && !said.includes(true), "said when all are written");
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(1), jidOf(2)]);
  });

  test("a return that waits is read from the disk again when it is sent", () => {
    const { restart, memory } = desk();
    const { spool } = restart();
    const entry = spool.add(jidOf(1), MASTER, loadOf(1));
    spool.rest(entry);
    assert.equal(valueOf(spool, entry), "x".repeat(10));
    memory.remove(`/returns/${memory.list("/returns")[0]}`);
    assert.equal(spool.load(entry), undefined);
  });

  test("returns are kept after another program has removed or cut a file", () => {
    const { restart, memory } = desk();
    const { spool } = restart();
    const fileOf = () => `/returns/${memory.list("/returns").at(-1)}`;
    spool.add(jidOf(1), MASTER, loadOf(1));
    memory.remove(fileOf());
    const second = spool.add(jidOf(2), MASTER, loadOf(2));
    memory.truncate(fileOf(), 20);
    const third = spool.add(jidOf(3), MASTER, loadOf(3));
    spool.rest(third);
    assert.equal(valueOf(spool, third), "x".repeat(10));
    // Marked as done in a file that was removed, which creates it again.
    memory.remove(fileOf());
    spool.done(third);
    const fourth = spool.add(jidOf(4), MASTER, loadOf(4));
    spool.rest(fourth);
    assert.equal(valueOf(spool, fourth), "x".repeat(10));
    assert.equal(valueOf(spool, second), "x".repeat(10), "in memory still");
    assert.deepEqual(restart().found.map(({ jid }) => jid), [jidOf(4)]);
  });

  test("a return that no master takes is dropped when it is too old, and that is logged", () => {
    const { restart, clock, captured } = desk();
    const { spool } = restart();
    const entry = spool.add(jidOf(1), MASTER, loadOf(1));
    clock.advance(WEEK);
    assert.equal(spool.tooOld(entry), false);
    clock.advance(1);
    assert.equal(spool.tooOld(entry), true);
    assert.equal(spool.size, 0);
    assert.match(captured.text(), /return dropped: no master accepted it in time/);
    const held = spool.hold(jidOf(2), MASTER, loadOf(2));
    assert.equal(valueOf(spool, held), "x".repeat(10));
    spool.done(held);
    assert.equal(spool.size, 0);
  });
});
