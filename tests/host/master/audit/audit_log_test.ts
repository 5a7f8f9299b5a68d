/** The audit log on a disk: its chain, its files, and what a check finds of those who change it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AuditLog, type AuditLogOptions } from "../../../../src/host/master/audit/audit_log.ts";
import { auditReader } from "../../../../src/host/runner/runner_context.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { Breaker } from "../../../support/failing.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PAIRS } from "../../../support/start_cluster.ts";

const { crypto } = await currentRuntime();
const KEY = crypto.loadPrivateKey(PAIRS.master.privatePem);
const FIRST = "/audit/audit-00000001.jsonl";

function site() {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto });
  runtime.fs.mkdir("/pki");
  runtime.fs.write("/pki/master.pub", PAIRS.master.publicPem);
  const captured = captureLog();
  const told: { n: number; hash: string }[] = [];
  const open = (more: Partial<AuditLogOptions> = {}) =>
    new AuditLog({
      fs: runtime.fs,
      crypto,
      clock,
      log: captured.log,
      directory: "/audit",
      key: KEY,
      fileBytes: 65_536,
      fileMs: 86_400_000,
      keep: 0,
      onCheckpoint: (at) => void told.push(at),
      ...more,
    });
  const reader = auditReader(runtime, "/audit", "/pki");
  return { ...captured, clock, runtime, fs: runtime.fs, told, open, reader };
}

async function write(log: AuditLog, count: number, from = 0): Promise<void> {
  for (let at = from; at < from + count; at++) {
    log.record({ kind: "publish", user: `user${at}`, fun: "test.ping", outcome: "ok" });
  }
  await log.saved();
}

describe("AuditLog", () => {
  test("chains its lines, signs them, and is whole", async () => {
    const { fs, open, reader, told } = site();
    const log = open();
    await write(log, 20);
    await log.checkpoint();
    await log.checkpoint();
    const { ok, lines, checkpoints, signed_to, unsigned, begins } = reader.verify();
    assert.deepEqual([ok, lines, checkpoints, signed_to, unsigned], [true, 22, 1, 22, 0]);
    assert.equal(begins, "with its first line");
    assert.equal(fs.stat(FIRST)!.mode, 0o600);
    assert.deepEqual(told.map(({ n }) => n), [21]);
    assert.equal(reader.verify(told[0]).ok, true);
  });

  test("goes on after a restart, and takes a torn line off", async () => {
    const { fs, open, reader } = site();
    await write(open(), 3);
    fs.append(FIRST, '{"n":5,"time":"20');
    const log = open();
    await write(log, 2, 3);
    await log.checkpoint();
    assert.deepEqual(reader.verify().problems, []);
    assert.equal(reader.search({ kind: ["recovered"], limit: 9 })[0]!.bytes, 17);
    assert.deepEqual(reader.search({ user: "user*", limit: 9 }).length, 5);
  });

  test("begins another file by size and by age, and keeps as many as it should", async () => {
    const { fs, clock, open, reader } = site();
    const log = open({ keep: 2 });
    for (let round = 0; round < 6; round++) await write(log, 500, 500 * round);
    await clock.advance(86_400_001);
    await write(log, 1, 9000);
    await log.checkpoint();
    const files = fs.list("/audit").filter((name) => name.endsWith(".jsonl"));
    assert.equal(files.length, 3);
    const report = reader.verify();
    assert.deepEqual(report.problems, []);
    assert.match(report.begins!, /earlier files were removed/);
    assert.deepEqual(reader.search({ user: "user9000", limit: 1 }).length, 1);
    assert.ok(reader.search({ kind: ["removed"], limit: 9 }).length > 0);
  });

  test("a full disk is named once, and what waited is written when there is room", async () => {
    const { clock, runtime, open, reader, records } = site();
    const breaker = new Breaker();
    const log = open({ fs: breaker.files(runtime.fs) });
    await write(log, 2);
    breaker.fail();
    for (let at = 0; at < 5; at++) await assert.rejects(write(log, 1, 10 + at), { code: "AUDIT" });
    assert.match(log.failure!, /no space left/);
    assert.equal(records.filter(({ level }) => level === "critical").length, 1);
    await clock.advance(60_001);
    await assert.rejects(log.saved());
    assert.equal(records.filter(({ level }) => level === "critical").length, 2);
    // 10,000 lines wait at most; the rest are counted.
    for (let at = 0; at < 12_000; at++) log.record({ kind: "wheel", user: "flood", outcome: "ok" });
    breaker.mend();
    await log.saved();
    await log.checkpoint();
    assert.equal(log.failure, undefined);
    assert.deepEqual(reader.verify().problems, []);
    assert.deepEqual(reader.search({ user: "user1?", limit: 9 }).length, 5);
    assert.equal(reader.search({ kind: ["lost"], limit: 9 })[0]!.count, 2005);
  });

  test("another program's bytes do not get into the chain unnoticed", async () => {
    const { fs, open, reader, text } = site();
    const log = open();
    await write(log, 3);
    fs.append(FIRST, "evil\n");
    await write(log, 3, 3);
    await log.checkpoint();
    assert.match(text(), /changed by another program/);
    assert.equal(reader.search({ user: "user*", limit: 9 }).length, 6);
    assert.equal(reader.verify().ok, false);
    assert.equal(reader.search({ kind: ["foreign"], limit: 9 }).length, 1);
  });

  test("search lets through what a filter says, the newest of it", async () => {
    const { clock, open, reader } = site();
    const log = open();
    const entries = [
      { kind: "publish", user: "ann", fun: "cmd.run", minions: ["web1", "db1"], outcome: "ok" },
      { kind: "publish", user: "bob", fun: ["test.ping", "cmd.run"], minions: ["db1"], outcome: "AuthorizationError" },
      { kind: "key", id: "web1", user: "ann", act: "accept", outcome: "ok" },
      { kind: "runner", user: "ann", fun: "manage.up", outcome: "ok" },
    ] as const;
    for (const entry of entries) log.record({ ...entry });
    await log.saved();
    const start = clock.now();
    const of = (filter: object) => reader.search({ limit: 100, ...filter }).map(({ n }) => n);
    assert.deepEqual(of({ user: "a*" }), [2, 4, 5]);
    assert.deepEqual(of({ fun: "cmd.*" }), [2, 3]);
    assert.deepEqual(of({ minion: "web*" }), [2, 4]);
    assert.deepEqual(of({ kind: ["runner", "key"] }), [4, 5]);
    assert.deepEqual(of({ outcome: "Auth*" }), [3]);
    assert.deepEqual(of({ sinceMs: start + 1 }), []);
    assert.deepEqual(of({ limit: 2 }), [4, 5]);
  });
});

/** A generator of numbers below a bound, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor(state / 65_536) % below;
  };
}

function sha256(text: string): string {
  const bytes = crypto.hash("sha256", new TextEncoder().encode(text));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

describe("a log that was changed is found, however it was changed", () => {
  const HEAD = "/audit/audit.head";
  const ADDED = '{"n":3,"time":"x","kind":"publish","prev":"00"}';

  /** Ways to change a log that ends with a checkpoint. */
  const ATTACKS: Record<string, (lines: string[], pick: (below: number) => number) => string[]> = {
    "a byte of a line": (lines, pick) => {
      const at = pick(lines.length);
      const line = lines[at]!;
      const place = pick(line.length);
      return lines.with(at, line.slice(0, place) + (line[place] === "x" ? "y" : "x") + line.slice(place + 1));
    },
    "a line removed": (lines, pick) => lines.toSpliced(pick(lines.length), 1),
    "a line written twice": (lines, pick) => {
      const at = pick(lines.length);
      return lines.toSpliced(at, 0, lines[at]!);
    },
    "two lines in another order": (lines, pick) => {
      const at = pick(lines.length - 1);
      return lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!);
    },
    "a line added": (lines, pick) => lines.toSpliced(pick(lines.length), 0, ADDED),
    "the end cut off": (lines, pick) => lines.slice(0, pick(lines.length)),
    "the begin cut off": (lines, pick) => lines.slice(1 + pick(lines.length - 1)),
    "all of it rewritten with right numbers and hashes, but without the master's key": (lines) => {
      let prev = "";
      return lines.map((line) => {
        const entry = JSON.parse(line);
        if (prev !== "") entry.prev = prev;
        if (entry.user === "user3") entry.user = "bob";
        const changed = JSON.stringify(entry);
        prev = sha256(changed);
        return changed;
      });
    },
  };

  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(name, async () => {
      const { fs, open, reader } = site();
      const log = open();
      await write(log, 12);
      await log.checkpoint();
      await write(log, 5, 12);
      await log.checkpoint();
      const before = fs.readText(FIRST);
      const lines = before.trimEnd().split("\n");
      assert.equal(reader.verify().ok, true);
      for (let seed = 1; seed <= 60; seed++) {
        const changed = attack(lines, numbers(seed)).map((line) => `${line}\n`).join("");
        if (changed === before) continue;
        fs.write(FIRST, changed);
        assert.equal(reader.verify().ok, false, `seed ${seed}:\n${changed}`);
      }
    });
  }

  test("the end cut off together with its signature, by a copy of the hash that is elsewhere", async () => {
    const { fs, open, reader, told } = site();
    const log = open();
    await write(log, 5);
    await log.checkpoint();
    const [earlier, head] = [fs.read(FIRST), fs.read(HEAD)];
    await write(log, 5, 5);
    await log.checkpoint();
    fs.write(FIRST, earlier);
    fs.write(HEAD, head);
    // Nothing on this disk tells of it: docs/keys.md says so.
    assert.equal(reader.verify().ok, true);
    assert.match(reader.verify(told[1]).problems[0]!.problem, /not in the log, which ends at line 7/);
  });

  test("a missing signature file is named", async () => {
    const { fs, open, reader } = site();
    const log = open();
    await write(log, 5);
    await log.checkpoint();
    fs.remove(HEAD);
    assert.match(reader.verify().problems[0]!.problem, /missing or damaged/);
  });
});
