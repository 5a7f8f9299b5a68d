import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JobCollector, type JobSource, type StateProgress } from "../../src/client/job_collector.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import { FakeClock } from "../support/fake_clock.ts";

const JID = "20260101000000000000";

/** A collector of a job on web1 and web2, and what it reports of their states. */
function collector() {
  const source: JobSource = {
    isBrine: false,
    lost: new Promise(() => {}),
    publish: () => Promise.resolve(undefined),
    ask: () => Promise.resolve({}),
    onEvent: () => () => {},
  };
  const seen: StateProgress[] = [];
  const published = { jid: JID, minions: ["web1", "web2"], missing: [], queued: [] };
  const options = { onProgress: (progress: StateProgress) => void seen.push(progress) };
  const job = new JobCollector(source, published, options, new FakeClock(), undefined);
  return { seen, take: (tag: string, data: Record<string, unknown>) => job.take(BusEvent.fromData(tag, data)) };
}

describe("the progress of states", () => {
  const ret = { __id__: "a", __run_num__: 0, result: true, changes: {} };

  test("is reported of each minion of the job, with the number of its states", () => {
    const { seen, take } = collector();
    take(`salt/job/${JID}/prog/web1/0`, { id: "web1", cmd: "_minion_event", data: { ret, len: 3 } });
    take(`salt/job/${JID}/prog/web2/0`, { ret });
    assert.deepEqual(seen, [
      { id: "web1", jid: JID, state: ret, total: 3 },
      { id: "web2", jid: JID, state: ret, total: undefined },
    ]);
  });

  test("ends with the return, and others' events are passed over", () => {
    const { seen, take } = collector();
    take(`salt/job/${JID}/ret/web1`, { id: "web1", jid: JID, return: {}, retcode: 0 });
    for (const tag of [`${JID}/prog/web1/1`, `${JID}/prog/db1/0`, `${JID}/prog/web2`, `2026/prog/web2/0`]) {
      take(`salt/job/${tag}`, { ret, len: 3 });
    }
    take(`salt/job/${JID}/prog/web2/0`, { ret: "text" });
    assert.deepEqual(seen, []);
  });
});
