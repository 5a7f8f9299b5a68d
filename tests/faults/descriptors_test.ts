/** The master has no file descriptors left: local programs have taken them all. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { OWN_BUS } from "../../src/model/event/bus.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

const OPEN_FILES = 160;

const skip = whyNot() || !FULL && "set BRINE_FAULTS to full" ||
  process.platform !== "linux" && "descriptors are counted in /proc";

test("without file descriptors the master goes on with what is there, says why, and is well when there are some", {
  skip,
  timeout: 240_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: 1, openFiles: OPEN_FILES });
  assert.ok(await bed.publish());
  await bed.settled();
  const used = () => readdirSync(`/proc/${bed.master.pid}/fd`).length;
  const before = used();

  const sockets: Socket[] = [];
  const taking = bed.path("master", "run", OWN_BUS);
  await until("the master says that there are none left", async () => {
    // Some descriptors have numbers above the limit, and those that are refused come and go: counting would not tell.
    if (sockets.length < 2 * OPEN_FILES) {
      const socket = connect(taking);
      socket.on("error", () => {});
      socket.resume();
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
      sockets.push(socket);
    }
    return /no file descriptors left: .*LimitNOFILE=/.test(bed.master.log);
  }, { timeoutMs: 60_000 });
  // A minion cannot connect now, and is not to be turned away for good.
  await bed.killMinion("m1");
  let taken = 0;
  for (let job = 0; job < 5; job++) if (await bed.publish() !== undefined) taken++;
  assert.ok(taken > 0, `no job was taken: ${bed.refusal}`);

  for (const socket of sockets) socket.destroy();
  await until("the descriptors are free again", () => used() <= before + 5, { timeoutMs: 60_000 });
  await bed.ready();
  assert.ok(await bed.publish());
  await bed.settled();
  bed.assertReturned(await bed.verify());
  await until("the master says that it is over", () => /file descriptors are available again/.test(bed.master.log));
  assert.doesNotMatch(bed.master.log, /unexpected error/);
  t.diagnostic(`${sockets.length} connections, ${taken} of 5 jobs taken, ${before} descriptors at rest`);
});
