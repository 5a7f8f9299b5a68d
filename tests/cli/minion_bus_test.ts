/** What `salt-call` asks of the minion on its host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { deferred } from "../../src/base/async/deferred.ts";
import { minionBus } from "../../cli/programs/call/minion_bus.ts";
import type { MinionOpts } from "../../src/model/config/minion_opts.ts";
import { localSockets, openLocalBus } from "../../src/host/minion/local_bus.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { lateNet } from "../support/late_net.ts";

const opts = { id: "web1", hash_id: "", hash_type: "sha256", sock_dir: "/run/salt" } as unknown as MinionOpts;

async function site() {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock, crypto });
  runtime.fs.mkdir("/run/salt");
  return { clock, runtime };
}

test("salt-call is answered by the minion on its host", async () => {
  const { runtime } = await site();
  const { bus, close } = await openLocalBus(runtime, localSockets(runtime, opts, "web1"), captureLog().log);
  const fired: unknown[] = [];
  bus.on(({ tag, data }) => {
    fired.push([tag, data.func]);
    if (data.func === "list") bus.fire("/salt/minion/minion_schedule_list_complete", { complete: true, schedule: {} });
  });
  const asking = minionBus(runtime, opts);
  const answer = await asking.askLocal(
    "manage_schedule",
    { func: "list" },
    "/salt/minion/minion_schedule_list_complete",
    1000,
  );
  assert.deepEqual([answer?.complete, answer?.schedule], [true, {}]);
  asking.fireLocal("manage_schedule", { func: "run_job" });
  await asking.close();
  assert.ok(
    fired.some((event) => JSON.stringify(event) === '["manage_schedule","run_job"]'),
    "close() waits for the event",
  );
  await close();
});

test("an answer that comes before the bus has taken the listener's connection is not lost", async () => {
  const { runtime, clock } = await site();
  const sockets = localSockets(runtime, opts, "web1");
  const { bus, close } = await openLocalBus(runtime, sockets, captureLog().log);
  let fired = 0;
  bus.on(({ tag }) => {
    fired++;
    if (tag === "manage_schedule") bus.fire("answer", { complete: true });
  });
  const taken = deferred<void>();
  const net = lateNet(runtime.net, sockets.pub, taken.promise);
  const asking = minionBus({ ...runtime, net }, opts);
  const answer = asking.askLocal("manage_schedule", {}, "answer", 30_000);
  await until(() => fired > 0);
  taken.resolve();
  let complete: unknown;
  void answer.then((found) => complete = found?.complete ?? "none");
  await until(() => complete !== undefined, { clock });
  assert.equal(complete, true);
  await asking.close();
  await close();
});

test("where no minion runs nobody answers, and nothing is waited for", async () => {
  const { runtime, clock } = await site();
  const asking = minionBus(runtime, opts);
  assert.equal(await asking.askLocal("manage_schedule", {}, "answer", 30_000), undefined);
  asking.fireLocal("manage_schedule", {});
  await asking.close();
  assert.deepEqual(clock.waits, []);
});
