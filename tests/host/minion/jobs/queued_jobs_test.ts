/** Jobs that were kept for a minion while it was away, from whichever master and however they come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deferred } from "../../../../src/base/async/deferred.ts";
import { QueuedJobs } from "../../../../src/host/minion/jobs/queued_jobs.ts";

function bench() {
  const queued = new QueuedJobs();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (jid: string) =>
    queued.add(jid, () => {
      began.push(jid);
      const { promise, resolve } = deferred<void>();
      ends.set(jid, resolve);
      return promise;
    });
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await undefined;
  };
  return { add, began, ends, settle };
}

test("queued jobs run one after the other, the oldest of those that are there first", async () => {
  const { add, began, ends, settle } = bench();
  const over: string[] = [];
  // Of one answer, in whatever order.
  for (const jid of ["3", "1", "5"]) void add(jid).then(() => over.push(jid));
  assert.deepEqual(began, [], "not before all of an answer are there");
  await settle();
  assert.deepEqual(began, ["1"]);
  // Of another master, by a publication.
  void add("4");
  await settle();
  for (const jid of ["1", "3", "4", "5"]) {
    assert.equal(began.at(-1), jid);
    ends.get(jid)!();
    await settle();
  }
  assert.deepEqual([began, over], [["1", "3", "4", "5"], ["1", "3", "5"]]);
  void add("2");
  await settle();
  assert.equal(began.at(-1), "2", "one that comes when nothing runs begins at once");
});

test("a publication says whether its job was queued", () => {
  for (
    const [load, want] of [[{}, false], [{ delivery: { queued: true } }, true], [
      { delivery: { queued: 1 } },
      false,
    ]] as const
  ) {
    assert.equal(QueuedJobs.isQueued(load), want);
  }
});
