/** Which masters of a minion are one, also after a restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MasterClusters } from "../../../../src/host/minion/jobs/master_clusters.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

test("which masters are a cluster is known to the next run: the master that a job came from may be gone", () => {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  fs.mkdir("/jobs");
  const { log, complaints } = captureLog();
  const open = () => {
    const clusters = new MasterClusters({
      fs,
      log,
      path: "/jobs/clusters",
      unfinished: (address) => [`of ${address}`],
    });
    clusters.open();
    return clusters;
  };
  const first = open();
  for (const address of ["a", "b"]) first.tells(address, "one");
  first.tells("c", "two");
  first.tells("d", undefined);
  const next = open();
  assert.deepEqual([next.other("a"), next.other("c"), next.other("d")], ["b", undefined, undefined]);
  assert.deepEqual([next.areOne("a", "b"), next.areOne("a", "c"), next.areOne("d", "d")], [true, false, true]);
  assert.deepEqual(next.jobsElsewhere("a"), ["of b", "of c"]);
  next.tells("b", undefined);
  assert.equal(open().other("a"), undefined, "it has left the cluster");
  fs.write("/jobs/clusters", "{");
  assert.equal(open().other("a"), undefined);
  assert.equal(complaints().length, 1);
});
