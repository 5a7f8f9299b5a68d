/** Which jobs go up is on the disk, and survives the end of the syndic. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRuntime } from "../../src/runtime/memory/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { ForwardJournal } from "../../src/syndic/forward_journal.ts";
import { ForwardedJob } from "../../src/syndic/forwarded_job.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

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
