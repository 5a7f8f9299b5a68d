import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../../src/base/log.ts";
import { RunningJobs } from "../../../../src/host/minion/jobs/running_jobs.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { encode } from "../../../../src/protocol/wire/msgpack.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const [ONE, TWO, THREE] = ["20250101000000000001", "20250101000000000002", "20250101000000000003"];
const load = (jid: string) => ({ jid, fun: "test.sleep", arg: [5], tgt: "*", tgt_type: "glob", user: "root", ret: "" });

async function bed() {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  // Another program, which runs until it is killed.
  const programs = { "salt-call": () => new Promise<number>(() => {}) };
  const runtime = memoryRuntime({ clock, crypto, process: { pid: 4242, programs } });
  const jobs = new RunningJobs(runtime, silentLogger, "/cache");
  jobs.prepare();
  const file = (jid: string, pid: number) =>
    runtime.fs.write(`/cache/proc/${jid}`, encode({ ...load(jid), pid }, "wire"));
  const other = await runtime.process.spawn({ argv: ["salt-call"] });
  return { clock, runtime, jobs, file, other };
}

test("RunningJobs: jobs of other processes are shown, and the files of those that have exited are removed", async () => {
  const { runtime, jobs, file, other } = await bed();
  file(ONE, other.pid);
  file(TWO, 99_999);
  // With our pid, from before it was ours: another process had it.
  file(THREE, 4242);
  runtime.fs.write("/cache/proc/not-a-jid", "x");
  assert.deepEqual(
    jobs.running(),
    [{ pid: other.pid, ...load(ONE) }].map(({ jid, pid, ...rest }) => ({ jid, pid, ...rest })),
  );
  assert.deepEqual(runtime.fs.list("/cache/proc").sort(), [ONE, "not-a-jid"]);
});

test("RunningJobs: a job of another process can be signalled", async () => {
  const { runtime, jobs, file, other } = await bed();
  file(ONE, other.pid);
  assert.deepEqual(jobs.signal(ONE, 15), { pid: other.pid });
  assert.deepEqual(await other.exited, { code: null, signal: "SIGTERM" });
  assert.equal(jobs.signal(ONE, 15), undefined);
  assert.deepEqual(runtime.fs.list("/cache/proc"), []);
});

test("RunningJobs: a job that lasts has a file with the pid of its own process", async () => {
  const { clock, runtime, jobs, other } = await bed();
  const job = jobs.begin(ONE, load(ONE));
  assert.equal(jobs.running()[0]!.pid, 4242);
  job.ownProcess(other.pid);
  clock.advance(249);
  assert.deepEqual(runtime.fs.list("/cache/proc"), []);
  clock.advance(1);
  assert.deepEqual(runtime.fs.list("/cache/proc"), [ONE]);
  assert.deepEqual(
    new RunningJobs({ ...runtime, process: { ...runtime.process, pid: 1 } }, silentLogger, "/cache").running(),
    [
      { ...jobs.running()[0] },
    ],
  );
  job.end();
  assert.deepEqual([jobs.running(), runtime.fs.list("/cache/proc")], [[], []]);
});

test("RunningJobs: signals that end a process end the job, others do not", async () => {
  const { jobs } = await bed();
  for (const [signal, ends] of [[10, false], [15, true], [9, true], [2, true]] as const) {
    const job = jobs.begin(ONE, load(ONE));
    // It has no process of its own: only the job can be meant.
    assert.deepEqual(jobs.signal(ONE, signal), { pid: 4242 });
    assert.equal(job.signal.aborted, ends, String(signal));
    job.end();
  }
});
