import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { MINION_OPTIONS, type MinionOpts } from "../../../../src/model/config/minion_opts.ts";
import { openExecution } from "../../../../src/host/minion/processes/choose_process.ts";
import { jobBed, testProgram } from "./job_bed.ts";
import { TEST_MODULES } from "./job_modules.ts";

const TIMEOUT = { timeout: 60_000 };

async function bed(given: Record<string, unknown> = {}, apart = true) {
  const made = await jobBed();
  const { runtime, captured, context, functions, directory } = made;
  const defaults = Object.fromEntries(Object.entries(MINION_OPTIONS).map(([key, { default: value }]) => [key, value]));
  const execution = openExecution({
    runtime,
    log: captured.log,
    opts: { ...defaults, process_pool_size: 0, ...given } as unknown as MinionOpts,
    functions,
    modules: TEST_MODULES,
    context: () => context,
    jobCommand: apart ? testProgram(runtime, "./job_child.ts") : undefined,
    socket: { kind: "unix", path: `${directory}/execution.ipc` },
  });
  return {
    ...made,
    run: (fun: unknown, arg: unknown[] = [], load: Record<string, unknown> = {}) =>
      made.run(fun, arg, { execution, load }),
    async [Symbol.asyncDispose]() {
      await execution.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

describe("openExecution()", () => {
  test("inline functions run in the minion, all others in their own processes", TIMEOUT, async () => {
    await using minion = await bed();
    assert.equal((await minion.run("bad.inline_pid")).return, process.pid);
    assert.notEqual((await minion.run("bad.pid")).return, process.pid);
    const { return: both } = await minion.run(["bad.inline_pid", "bad.pid"], [[], []]);
    const pids = Object.values(both as Record<string, number>);
    assert.equal(pids[0], pids[1]);
    assert.notEqual(pids[0], process.pid);
    assert.deepEqual((await minion.run(["bad.inline_pid", "test.ping"], [[], []])).return, {
      "bad.inline_pid": process.pid,
      "test.ping": true,
    });
  });

  test("without multiprocessing_inline only questions about jobs do", TIMEOUT, async () => {
    await using minion = await bed({ multiprocessing_inline: false });
    assert.notEqual((await minion.run("bad.inline_pid")).return, process.pid);
    assert.deepEqual((await minion.run("saltutil.running")).return, []);
  });

  test("without multiprocessing, or a command to start processes, all run in the minion", TIMEOUT, async () => {
    for (const minion of [await bed({ multiprocessing: false }), await bed({}, false)]) {
      await using one = minion;
      assert.equal((await one.run("bad.pid")).return, process.pid);
    }
  });

  test("a job has the timeout of the option, or its own", TIMEOUT, async () => {
    await using minion = await bed({ job_timeout: 60 });
    const { ended, return: text } = await minion.run("test.sleep", [60], { delivery: { timeout: 0.3 } });
    assert.deepEqual([ended, text], ["timed out", "The job was ended after 0.3 seconds (job_timeout)"]);
    assert.equal((await minion.run("test.sleep", [0])).return, true);
  });
});
