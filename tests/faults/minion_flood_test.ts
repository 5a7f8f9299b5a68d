/**
 * What watches and what is timed on a minion goes wrong: a beacon that finds thousands of things each second, also while the master is away,
 * and a scheduled job that never ends. Both are bounded and named, and jobs from the master are served meanwhile.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { until } from "../../bench/bed/until.ts";
import { EVENTS_MISSED } from "../../src/model/event/tag.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

/** Seconds in which the beacon floods a master that is there, and one that is held. */
const SECONDS = FULL ? 60 : 4;
/** Events of one look, those that are sent of it, and those that may wait in the minion. */
const [FOUND, SENT, QUEUE] = [5000, 1000, 2500];
/** Bytes by which the minion may grow while nobody takes its events. */
const SLACK = 64 * 1024 * 1024;

const BEACON = `
export function beacon() {
  return Array.from({ length: ${FOUND} }, (_, n) => ({ tag: String(n), text: "x".repeat(200) }));
}
`;

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;

test("a beacon that floods is bounded and named, and holds up no job", {
  skip: whyNot() || (existsSync("/proc/self/status") ? false : "memory cannot be read here"),
  timeout: FULL ? 400_000 : 120_000,
}, async (t) => {
  const own = bedDirectory("beacons");
  writeFileSync(path.join(own, "flood.js"), BEACON);
  await using bed = await Bed.start({
    minions: 1,
    minion: { beacons: { flood: [{ a: 1 }] }, beacons_dirs: [own], beacon_queue_events: QUEUE },
  });
  bed.onStop(() => rmSync(own, { recursive: true, force: true }));
  const minion = bed.minions.get("m1")!;
  let shown = 0;
  let missed = 0;
  const named: unknown[] = [];
  bed.client.onEvent(({ tag, data }) => {
    if (tag === EVENTS_MISSED) missed += Number(data.missed);
    else if (tag === "salt/beacon/m1/flood/") named.push(data.dropped);
    else if (tag.startsWith("salt/beacon/m1/flood/")) shown++;
  });
  await until("it floods for a while", () => named.length >= SECONDS, { timeoutMs: SECONDS * 5000 });
  assert.ok(await bed.publish({ tgt_type: "glob", tgt: "*" }));
  await bed.settled(20_000);
  assert.deepEqual([...new Set(named)], [FOUND - SENT]);
  // The last look may be on its way.
  assert.ok(shown <= (named.length + 1) * SENT, `${shown} events of ${named.length} looks`);
  assert.ok(shown + missed >= (named.length - 1) * SENT, `${shown} events of ${named.length} looks`);
  bed.master.signal("SIGSTOP");
  const dropped = () => bed.log("m1").split("no master is connected: events of beacons are dropped").length - 1;
  await until("the minion drops what nobody takes", () => dropped() > 0, { timeoutMs: 60_000 });
  const before = residentBytes(minion.pid!);
  await until("it goes on", () => dropped() > SECONDS, { timeoutMs: SECONDS * 5000 });
  const grown = residentBytes(minion.pid!) - before;
  bed.master.signal("SIGCONT");
  assert.ok(grown < SLACK, `the minion has grown by ${grown} bytes`);
  const looks = named.length;
  await until("its events arrive again", () => named.length > looks + 1, { timeoutMs: 60_000 });
  assert.ok(await bed.publish({ tgt_type: "glob", tgt: "*" }));
  await bed.settled(20_000);
  bed.assertReturned(await bed.verify());
  t.diagnostic(`${shown} events of ${named.length} looks; the minion grew by ${grown} bytes while the master was held`);
});

test("a scheduled job that never ends runs as often as maxrunning says, also after kill -9 of its minion", {
  skip: whyNot() || (existsSync("/proc/self/environ") ? false : "processes cannot be listed here"),
  timeout: FULL ? 400_000 : 120_000,
}, async (t) => {
  const schedule = {
    never: { function: "cmd.run", args: ["exec sleep 86399"], seconds: 1, maxrunning: 2 },
    beat: { function: "test.ping", seconds: 1 },
  };
  await using bed = await Bed.start({ minions: 1, minion: { schedule } });
  let beats = 0;
  bed.client.onEvent(({ tag, data }) => {
    if (/^salt\/job\/[^/]+\/ret\/m1$/.test(tag) && data.schedule === "beat") beats++;
  });
  const sleeping = () => bed.processes("m1").filter((pid) => /^\d+ sleep 86399$/.test(bed.commandLine(pid)));
  let most = 0;
  /** Watches while the other job of the schedule, which ends, goes on. */
  const watch = async (count: number) => {
    const end = beats + count;
    await until("the other job goes on", () => {
      most = Math.max(most, sleeping().length);
      return beats >= end;
    }, { timeoutMs: count * 5000 });
  };
  await until("both run", () => sleeping().length === 2);
  const first = sleeping();
  await watch(SECONDS);
  assert.deepEqual(sleeping(), first, "the same two");
  process.kill(first[0]!, "SIGKILL");
  await until("another one takes the place of one that has ended", () => {
    const now = sleeping();
    return now.length === 2 && !now.includes(first[0]!);
  });
  await bed.killMinion("m1");
  await bed.ready();
  await until("two run", () => sleeping().length === 2);
  await watch(SECONDS);
  assert.equal(most, 2);
  t.diagnostic(`${beats} runs of the other job; never more than ${most} of the one that does not end`);
});
