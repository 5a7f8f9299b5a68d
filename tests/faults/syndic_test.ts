/** Between a syndic and its higher master nothing is lost: not by a network that is cut, nor when either of them is killed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pause, until } from "../../bench/bed/until.ts";
import { FULL, whyNot } from "./bed.ts";
import { SyndicBed } from "./syndic_bed.ts";

const CUT_MS = FULL ? 60_000 : 3000;

test("what is returned below while the network above is cut, or the syndic killed, comes up once", {
  skip: whyNot(),
  timeout: FULL ? 600_000 : 240_000,
}, async (t) => {
  await using bed = await SyndicBed.start();
  for (const forgotten of FULL ? [true, false] : [true]) {
    const before = await bed.publish("before", 1);
    await bed.isBelow(before);
    for (const proxy of bed.proxies) proxy.cut();
    const during = await bed.publish("during");
    await until("the lower master has the returns", () => bed.returned("low", before));
    await pause(CUT_MS);
    assert.equal(await bed.returned("top", before), false);
    for (const proxy of bed.proxies) proxy.restore({ forgotten });
    await bed.settled();
    assert.ok(await bed.returned("top", during));
  }

  const load = Array.from({ length: FULL ? 100 : 15 }, (_, at) => `load${at}`);
  for (const [at, word] of load.entries()) {
    await bed.publish(word);
    if (at % 5 !== 4) continue;
    await bed.syndic.kill();
    bed.syndic.start();
  }
  await bed.settled();

  const last = await bed.publish("last", 1);
  await bed.isBelow(last);
  await bed.client.close();
  await bed.top.kill();
  await until("the lower master has the returns", () => bed.returned("low", last));
  bed.top.start();
  await bed.settled();

  // The master is killed in the moment in which it has said that the job exists: the publication may not have left it.
  for (let at = 0; at < (FULL ? 20 : 3); at++) {
    await bed.connect();
    await bed.publish(`said${at}`);
    await bed.client.close();
    await bed.top.kill();
    bed.top.start();
    await bed.settled();
  }
  t.diagnostic(`${load.length} jobs, ${bed.syndic.kills} kills of the syndic, cut off for ${CUT_MS / 1000} s`);
});
