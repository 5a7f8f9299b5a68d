/** What `salt-call` asks of the minion on its host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { minionBus } from "../../cli/programs/call/minion_bus.ts";
import type { MinionOpts } from "../../src/model/config/minion_opts.ts";
import { localSockets, openLocalBus } from "../../src/host/minion/local_bus.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

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

test("where no minion runs nobody answers, and nothing is waited for", async () => {
  const { runtime, clock } = await site();
  const asking = minionBus(runtime, opts);
  assert.equal(await asking.askLocal("manage_schedule", {}, "answer", 30_000), undefined);
  asking.fireLocal("manage_schedule", {});
  await asking.close();
  assert.deepEqual(clock.waits, []);
});
