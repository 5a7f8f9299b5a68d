/** Which jobs go up is on the disk, and survives the end of the syndic. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemError } from "../../../src/base/errors.ts";
import type { FileSystem } from "../../../src/runtime/fs.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { ForwardJournal } from "../../../src/host/syndic/forward_journal.ts";
import { ForwardedJob } from "../../../src/host/syndic/forwarded_job.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("what is added after a failed sync is safe, and what could not be synced is written again", async () => {
  const clock = new FakeClock();
  const memory = memoryFileSystem({ clock });
  let isFailing = false;
  const dropped = new Set<string>();
  const fs = {
    ...memory,
    /** The system takes what it could not write for written. */
    // deno-lint-ignore require-await
    async sync(path: string) {
      if (isFailing && path !== "/syndic") {
        dropped.add(path);
        throw new SystemError("EIO", `Cannot sync "${path}": EIO`);
      }
      if (!dropped.has(path)) await memory.sync(path);
    },
  };
  const open = (disk: FileSystem) =>
    new ForwardJournal({ fs: disk, clock, log: captureLog().log, directory: "/syndic" });
  const left = () => open(memory.powerCut()).open().map(({ job }) => job.jid);
  const journal = open(fs);
  journal.open();
  const jids = ["20240506070809000001", "20240506070809000002", "20240506070809000003"];
  const add = (jid: string) =>
    journal.add("tcp://127.0.0.1:4506", new ForwardedJob(jid, {}, { atMs: 1, isLocal: false }));
  await add(jids[0]!);
  isFailing = true;
  await assert.rejects(add(jids[1]!), { errno: "EIO" });
  isFailing = false;
  await add(jids[2]!);
  assert.deepEqual(left(), [jids[0], jids[2]]);
  for (const ms of [100, 1900, 100]) {
    clock.advance(ms);
    for (let turn = 0; turn < 30; turn++) await undefined;
  }
  assert.deepEqual(left(), jids);
});

test("a journal has the jobs that were added and not removed, in their order, also where a record is cut short", async () => {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  const { fs } = memoryRuntime({ clock, crypto, hostname: "low" });
  const captured = captureLog();
  const open = () => new ForwardJournal({ fs, clock, log: captured.log, directory: "/cache/syndic" });
  const journal = open();
  assert.deepEqual(journal.open(), []);
  const jobs = ["20240506070809000001", "20240506070809000002", "20240506070809000003"].map((jid, at) =>
    new ForwardedJob(jid, { fun: "test.ping", tgt: "*", jid }, { atMs: 1000 + at, isLocal: at === 2 })
  );
  for (const job of jobs) await journal.add("tcp://127.0.0.1:4506", job);
  journal.remove(jobs[0]!);
  journal.remove(jobs[0]!);

  const found = open().open();
  assert.deepEqual(
    found.map(({ master, job: { jid, atMs, isLocal, load } }) => [master, jid, atMs, isLocal, load.fun]),
    [
      ["tcp://127.0.0.1:4506", jobs[1]!.jid, 1001, false, "test.ping"],
      ["tcp://127.0.0.1:4506", jobs[2]!.jid, 1002, true, "test.ping"],
    ],
  );
  assert.ok(found.every(({ job }) => job.isStale));

  const [name] = fs.list("/cache/syndic");
  const bytes = fs.read(`/cache/syndic/${name}`);
  fs.write(`/cache/syndic/${name}`, bytes.subarray(0, bytes.length - 5));
  // The removal was written last: the job is found again, and what the master has already is sent once more.
  assert.deepEqual(open().open().map(({ job }) => job.jid), jobs.map(({ jid }) => jid));
});
