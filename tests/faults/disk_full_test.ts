/** The disk is full under the master's job cache, then under a minion's spool and journal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { Bed, whyNot } from "./bed.ts";

const MEGABYTES = 24;

function whyNoDisk(): string | false {
  const why = whyNot();
  if (why !== false) return why;
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "a small disk can be mounted by root on Linux alone";
  }
  const probe = path.join("/tmp", `brine-faults-probe-${process.pid}`);
  mkdirSync(probe);
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", probe], { encoding: "utf8" });
  if (status === 0) spawnSync("umount", [probe]);
  rmSync(probe, { recursive: true });
  return status === 0 ? false : `a small disk cannot be mounted here: ${stderr.trim()}`;
}

/** Puts a small disk in the place of a directory. */
function mount(bed: Bed, directory: string): { fill(): void; free(): void } {
  mkdirSync(directory, { recursive: true });
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${MEGABYTES}m`, "none", directory], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  bed.onStop(() => void spawnSync("umount", ["-l", directory]));
  const ballast = path.join(directory, "ballast");
  return {
    fill() {
      const { bavail, bsize } = statfsSync(directory);
      writeFileSync(ballast, new Uint8Array(bavail * bsize));
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

const skip = whyNoDisk();

test("with its disk full the master refuses jobs and withholds acknowledgements, and goes on when there is space", {
  skip,
  timeout: 150_000,
}, async (t) => {
  let disk!: ReturnType<typeof mount>;
  await using bed = await Bed.start({
    minions: 2,
    prepare: (bed) => disk = mount(bed, bed.path("master", "cache")),
  });
  assert.ok(await bed.publish());
  const gate = bed.path("gate");
  const held = [];
  for (let job = 0; job < 5; job++) {
    held.push(await bed.publish({ after: `while [ ! -e ${gate} ]; do sleep 0.05; done;` }));
  }
  assert.ok(held.every((one) => one !== undefined), bed.refusal);
  await until("all of them run", () => bed.ids.every((id) => bed.history.runs(id).size >= 6));
  disk.fill();
  // Its log of changes may have room that was had before.
  let taken = 0;
  while (await bed.publish() !== undefined) {
    assert.ok(++taken < 5000, "the disk is full and jobs are taken all the same");
  }
  assert.match(bed.refusal, /^Cannot publish: .*\/master\/cache\/.*(space|full)/i);
  assert.match(
    bed.master.log,
    /\[ERROR +\].*publication failed: job cannot be recorded.*\/master\/cache\/.*is full; free space on its file system/,
  );
  bed.write("gate", "");
  await until("returns are withheld", () => bed.ids.every((id) => /return not delivered/.test(bed.log(id))));
  assert.match(bed.master.log, /job cache could not be written.*jobs\.sqlite.*(space|full)/);
  disk.free();
  await until("jobs are taken again", async () => await bed.publish() !== undefined);
  await bed.settled();
  const parts = await bed.verify();
  bed.assertReturned(parts);
  assert.match(bed.master.log, /job cache can be written again/);
  t.diagnostic(`seed ${bed.seed}: ${parts.length} parts, ${taken} jobs taken after the disk was full: ${bed.refusal}`);
});

test("with its disk full a minion says so, does its jobs all the same, and keeps returns until there is space", {
  skip,
  timeout: 150_000,
}, async (t) => {
  let disk!: ReturnType<typeof mount>;
  await using bed = await Bed.start({
    minions: 1,
    prepare: (bed) => disk = mount(bed, bed.path("m1", "cache")),
  });
  assert.ok(await bed.publish());
  await bed.settled();
  disk.fill();
  // The last page of the journal may have room left: such a command does not fit into it.
  const large = `: ${"y".repeat(8000)}; head -c 100000 /dev/zero | tr '\\0' x; echo;`;
  assert.ok(await bed.publish({ after: large }));
  await bed.settled();
  const gate = bed.path("gate");
  for (let job = 0; job < 3; job++) {
    assert.ok(await bed.publish({ after: `while [ ! -e ${gate} ]; do sleep 0.05; done; ${large}` }));
  }
  await until("they run", () => bed.history.runs("m1").size >= 5);
  await bed.master.kill();
  bed.write("gate", "");
  await until("they have ended", () => bed.log("m1").split("job ended").length - 1 >= 5);
  assert.match(bed.log("m1"), /the journal of jobs cannot be written: free disk space.*\/jobs\/journal/);
  assert.match(bed.log("m1"), /returns cannot be spooled.*free disk space.*\/jobs\/returns/);
  disk.free();
  await until("returns are spooled again", () => /returns can be spooled again/.test(bed.log("m1")));
  // What was in memory alone is on the disk now, and outlives the minion.
  await bed.killMinion("m1");
  await bed.startMaster();
  await bed.ready();
  await bed.settled();
  const parts = await bed.verify();
  bed.assertReturned(parts);
  t.diagnostic(`seed ${bed.seed}: ${parts.map(({ state }) => state).join(", ")}`);
});
