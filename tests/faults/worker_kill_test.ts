/** The master's workers are killed and stopped while they compile pillar: every minion gets its pillar, and no job is lost. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { pause, until } from "../../bench/bed/until.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

const ROUNDS = FULL ? 40 : 4;
const MINIONS = FULL ? 12 : 4;
const NAMES = 3000;

/** The workers of a master: its children that are parts. */
function workersOf(master: number): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) !== master) return false;
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--part-process");
    } catch {
      return false;
    }
  });
}

test("a killed or stopped worker costs no minion its pillar, and no job", {
  skip: whyNot() || (existsSync("/proc/self/stat") ? false : "processes cannot be listed here"),
  timeout: FULL ? 1_200_000 : 240_000,
}, async (t) => {
  const tree = bedDirectory("pillar");
  writeFileSync(path.join(tree, "top.sls"), "base: {'*': [heavy]}\n");
  const names = Array.from({ length: NAMES }, (_, at) => `name_${at}: {value: ${at}, on: true}\n`);
  writeFileSync(path.join(tree, "heavy.sls"), names.join(""));
  await using bed = await Bed.start({
    minions: MINIONS,
    minion: { multiprocessing: false },
    master: { worker_threads: 2, worker_hang_timeout: 10, pillar_roots: { base: [tree] } },
  });
  bed.onStop(() => rmSync(tree, { recursive: true, force: true }));
  const { random } = bed;
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const refreshed = bed.client.command({ tgt: "*", fun: "pillar.items" }, { timeoutMs: 120_000 });
    assert.ok(await bed.publish(), bed.refusal);
    await until("a worker compiles", () => workersOf(bed.master.pid!).length > 0);
    await pause(300 * random());
    const workers = workersOf(bed.master.pid!);
    const victim = workers[Math.floor(random() * workers.length)];
    // One of them hangs, and is found out by its heartbeat.
    if (victim !== undefined) process.kill(victim, round === 1 ? "SIGSTOP" : "SIGKILL");
    if (victim !== undefined) killed++;
    const pillars = await refreshed;
    assert.deepEqual(Object.keys(pillars).sort(), [...bed.ids].sort(), bed.log("master").slice(-2000));
    for (const [id, pillar] of Object.entries(pillars)) {
      const { length } = Object.keys(pillar as Record<string, unknown>);
      assert.equal(length, NAMES, `${id}: ${JSON.stringify(pillar).slice(0, 200)}`);
    }
  }
  await bed.settled();
  bed.assertReturned(await bed.verify());
  assert.ok(killed > 0);
  const master = bed.master.pid!;
  const left = workersOf(master);
  await bed.master.kill();
  await until("no worker outlives the master", () => !left.some((pid) => existsSync(`/proc/${pid}`)));
  t.diagnostic(`seed ${bed.seed}: ${ROUNDS} rounds, ${killed} workers killed or stopped`);
});
