import assert from "node:assert/strict";
import { test } from "node:test";
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import { minionId } from "../../../src/host/minion/id.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";

const { crypto } = await currentRuntime();

test("an id that cannot be kept, as by a user who is not root, is used all the same", async () => {
  const runtime = memoryRuntime({ crypto, clock: new FakeClock() });
  const records: LogRecord[] = [];
  const log = createLogger((record) => void records.push(record), "warning");
  const opts = {
    id: "",
    append_domain: "",
    minion_id_caching: true,
    conf_file: "/nowhere/minion",
  } as unknown as MinionOpts;
  const id = await minionId(runtime, opts, log);
  assert.notEqual(id, "");
  assert.deepEqual(records.map(({ message }) => message), [
    "the minion id cannot be saved and may change: set the option id",
  ]);
  runtime.fs.mkdir("/nowhere", 0o755);
  assert.equal(await minionId(runtime, opts, log), id);
  assert.equal(runtime.fs.readText("/nowhere/minion_id"), id);
  assert.equal(records.length, 1);
});
