/** Keys that nobody decides on go after `pending_key_ttl`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MasterOpts } from "../../../../src/model/config/master_opts.ts";
import { silentLogger } from "../../../../src/base/log.ts";
import { KeyAdmin } from "../../../../src/host/master/keys/key_admin.ts";
import { KeyDirectories } from "../../../../src/host/master/keys/key_directories.ts";
import { expirePendingKeys } from "../../../../src/host/master/maintenance/pending_keys.ts";
import type { MasterServices } from "../../../../src/host/master/services.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PAIRS } from "../../../support/start_cluster.ts";

const { crypto } = await currentRuntime();

test("old pending and denied keys go with an event, accepted and rejected ones stay", async () => {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto });
  const opts = { pki_dir: "/pki", cachedir: "/cache", user: "root", hash_type: "sha256", pending_key_ttl: 3600 };
  const keys = new KeyDirectories(runtime.fs, crypto, "/pki", clock);
  keys.prepare();
  for (const state of ["accepted", "pre", "rejected", "denied"] as const) {
    keys.write(state, `old-${state}`, PAIRS.minion.publicPem);
  }
  clock.advance(3_599_000);
  keys.write("pre", "young", PAIRS.minion.publicPem);
  const events: [string, unknown][] = [];
  const services = {
    opts,
    keys,
    runtime,
    log: silentLogger,
    bus: { fire: (tag: string, data: unknown) => void events.push([tag, data]) },
    keyAdmin: new KeyAdmin({
      runtime,
      log: silentLogger,
      opts: opts as unknown as MasterOpts,
      keys,
      fire: () => {},
      rotate: () => {},
    }),
  } as unknown as MasterServices;
  assert.equal(await expirePendingKeys(services, new AbortController().signal), 0);
  clock.advance(2000);
  assert.equal(await expirePendingKeys(services, new AbortController().signal), 2);
  assert.deepEqual(keys.list("pre"), ["young"]);
  assert.deepEqual([keys.list("accepted"), keys.list("rejected"), keys.list("denied")], [
    ["old-accepted"],
    ["old-rejected"],
    [],
  ]);
  assert.deepEqual(events.map(([tag, data]) => [tag, (data as { id: string }).id]), [
    ["salt/key", "old-pre"],
    ["salt/key", "old-denied"],
  ]);
  assert.deepEqual(services.keyAdmin.history("*", 9).map(({ act, id, via }) => [act, id, via]), [
    ["expire", "old-pre", "expiry"],
    ["expire", "old-denied", "expiry"],
  ]);
});
