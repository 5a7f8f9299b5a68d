/** Returns that wait for their master, on a disk that has bounds. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../src/errors.ts";
import { Spool, type SpoolEntry } from "../../src/minion/spool.ts";
import { memoryFileSystem } from "../../src/runtime/memory/fs.ts";
import { pack, Packed, unpack } from "../../src/wire/msgpack.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

const MASTER = "tcp://10.0.0.1:4506";
const WEEK = 604_800_000;
const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;
const loadOf = (number: number, octets = 10) => ({
  cmd: "_return",
  jid: jidOf(number),
  fun: "test.ping",
  return: pack("x".repeat(octets), "wire"),
});

function desk() {
  const clock = new FakeClock();
  const memory = memoryFileSystem({ clock });
  const captured = captureLog();
  const disk = { full: false };
  const life = (bytes = 100_000) => {
    const spool = new Spool({
      fs: {
        ...memory,
        write(path, data, options) {
          if (disk.full) throw new SystemError("ENOSPC", `Cannot write "${path}": no space left on the device`);
          memory.write(path, data, options);
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
  return { clock, memory, captured, disk, life };
}

/** What a master would be sent. */
function valueOf(spool: Spool, entry: SpoolEntry): unknown {
  const value = spool.load(entry)!.return;
  return value instanceof Packed ? unpack(value, "wire") : value;
}

describe("Spool", () => {
  test("what was added is there for the next life, in its order, until it is done", () => {
    const { life, memory } = desk();
    const { spool, found } = life();
    assert.deepEqual(found, []);
    const entries = [1, 2, 3].map((number) => spool.add(jidOf(number), MASTER, loadOf(number)));
    spool.done(entries[1]!);
    const next = life();
    assert.deepEqual(next.found.map(({ jid, master }) => [jid, master]), [[jidOf(1), MASTER], [jidOf(3), MASTER]]);
    assert.equal(valueOf(next.spool, next.found[0]!), "x".repeat(10));
    assert.deepEqual(next.spool.jids(MASTER), [jidOf(1), jidOf(3)]);
    assert.deepEqual(next.spool.jids("tcp://other:4506"), []);
    // A later one must not take the place of one before.
    next.spool.add(jidOf(4), MASTER, loadOf(4));
    assert.equal(memory.list("/returns").length, 3);
    for (const entry of next.spool.entries()) next.spool.done(entry);
    assert.deepEqual(memory.list("/returns"), []);
    assert.equal(next.spool.bytes, 0);
  });

  test("half-written files and those that cannot be read are removed", () => {
    const { life, memory, captured } = desk();
    life().spool.add(jidOf(1), MASTER, loadOf(1));
    const [whole] = memory.list("/returns");
    memory.write("/returns/.some.tmp", "half");
    memory.write(`/returns/000000000009-${jidOf(9)}`, memory.read(`/returns/${whole}`).subarray(0, 20));
    const { found } = life();
    assert.deepEqual(found.map(({ jid }) => jid), [jidOf(1)]);
    assert.deepEqual(memory.list("/returns"), [whole]);
    assert.deepEqual(captured.complaints(), ["a spooled return cannot be read and is dropped"]);
  });

  test("a return larger than the bound is replaced by a failure that says so", () => {
    const { life } = desk();
    const { spool } = life(1000);
    const entry = spool.add(jidOf(1), MASTER, loadOf(1, 2000));
    assert.match(String(valueOf(spool, entry)), /its \d+ octets are more than return_spool_bytes \(1000\)/);
    const [kept] = life(1000).found;
    assert.equal(kept!.jid, jidOf(1));
    assert.ok(spool.bytes <= 1000);
  });

  test("the oldest make room for the newest, each leaving a failure that says so; a second one is not added to it", () => {
    const { life, captured } = desk();
    const { spool } = life(5000);
    const entries = Array.from({ length: 8 }, (_, at) => spool.add(jidOf(at), MASTER, loadOf(at, 1000)));
    const next = life(5000);
    const values = next.found.map((entry) => String(valueOf(next.spool, entry)));
    assert.equal(values.length, 8, "each job has one");
    const dropped = values.filter((value) => value.startsWith("the spool of 5000 octets was full"));
    assert.ok(dropped.length >= 4);
    assert.deepEqual(values.slice(-1), ["x".repeat(1000)], "the newest is whole");
    assert.deepEqual(values.map((value) => value.startsWith("the spool")), values.map((_, at) => at < dropped.length));
    assert.ok(spool.bytes <= 5000, `${spool.bytes}`);
    assert.equal(captured.complaints().length, dropped.length);
    assert.equal(spool.jids().length, entries.length);
  });

  test("with the disk full returns are kept in memory; once there is space, all of them are written", () => {
    const { life, disk, captured, memory } = desk();
    const { spool } = life();
    disk.full = true;
    const entries = [1, 2, 3].map((number) => spool.add(jidOf(number), MASTER, loadOf(number)));
    assert.deepEqual(entries.map(({ onDisk }) => onDisk), [false, false, false]);
    assert.equal(valueOf(spool, entries[0]!), "x".repeat(10));
    spool.rest(entries[0]!);
    assert.equal(valueOf(spool, entries[0]!), "x".repeat(10), "not forgotten");
    assert.match(captured.text(), /returns cannot be spooled.*free space.*\/returns.*no space left/);
    assert.equal(captured.complaints().length, 1, "said once");
    spool.done(entries[2]!);
    disk.full = false;
    spool.rest(entries[0]!);
    assert.deepEqual(memory.list("/returns").length, 2);
    assert.match(captured.text(), /returns can be spooled again/);
    assert.deepEqual(life().found.map(({ jid }) => jid), [jidOf(1), jidOf(2)]);
  });

  test("what rests is read from the disk again when it is sent", () => {
    const { life, memory } = desk();
    const { spool } = life();
    const entry = spool.add(jidOf(1), MASTER, loadOf(1));
    spool.rest(entry);
    assert.equal(valueOf(spool, entry), "x".repeat(10));
    memory.remove(`/returns/${memory.list("/returns")[0]}`);
    assert.equal(spool.load(entry), undefined);
  });

  test("what no master takes is dropped when it is too old, and the log says so", () => {
    const { life, clock, captured } = desk();
    const { spool } = life();
    const entry = spool.add(jidOf(1), MASTER, loadOf(1));
    clock.advance(WEEK);
    assert.equal(spool.tooOld(entry), false);
    clock.advance(1);
    assert.equal(spool.tooOld(entry), true);
    assert.equal(spool.size, 0);
    assert.match(captured.text(), /return dropped: no master took it in time/);
    const held = spool.hold(jidOf(2), MASTER, loadOf(2));
    assert.equal(valueOf(spool, held), "x".repeat(10));
    spool.done(held);
    assert.equal(spool.size, 0);
  });
});
