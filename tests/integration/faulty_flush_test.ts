/** A job cache whose sync fails with EIO: what it has taken stays, and nobody may be told before it is safe. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { SystemError } from "../../src/base/errors.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { UnannouncedReturns } from "../../src/host/master/jobs/unannounced_returns.ts";
import { startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

describe("a flush that fails", TIMEOUT, () => {
  test("keeps a return from its listeners until it is safe, and tells them of it once", TIMEOUT, async () => {
    let fails = 0;
    const memory: ReturnType<typeof memoryJobCache> = memoryJobCache(() => cluster.clock.now());
    const jobs = {
      ...memory,
      // As with SQLite: the transaction is committed, and its sync fails.
      flush() {
        const flushed = memory.flush();
        if (fails > 0 && fails-- > 0) throw new SystemError("EIO", "Cannot sync: EIO");
        return flushed;
      },
    };
    const cluster = await startCluster({ jobs });
    await using _ = cluster;
    const heard: string[] = [];
    cluster.master.services.bus.on(({ tag }) => {
      if (tag.endsWith("/ret/web1")) heard.push(tag);
    });
    const client = await cluster.client();
    const published = await client.publish({ tgt: "web1", fun: "test.ping", arg: [] });
    fails = 1;
    const { ledger, refused } = cluster.master.services;
    await until(() => {
      cluster.clock.advance(50);
      return ledger.size === 0;
    });
    assert.equal(fails, 0, "no flush has failed");
    assert.deepEqual(heard, [`salt/job/${published!.jid}/ret/web1`]);
    assert.equal(memory.returns(published!.jid) instanceof Promise, false);
    assert.equal(refused["returned before"], 0);
  });

  test("is remembered for so many returns, the latest ones", () => {
    const returns = new UnannouncedReturns();
    const jid = "20260101000000000000";
    for (let n = 0; n < 50_001; n++) {
      returns.storing(jid, `web${n}`, n);
      returns.failed(jid, `web${n}`);
    }
    const taken = (n: number) => returns.take(jid, `web${n}`);
    assert.deepEqual([taken(0), taken(1), taken(1), taken(50_000)], [false, true, false, true]);
  });
});
