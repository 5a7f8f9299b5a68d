import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type RunnerContext, SaltInvocationError } from "../../src/model/loader/family.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import { runner } from "../../src/plugins/runners/state.ts";
import { returnCode, succeededIn } from "../../src/host/runner/streamed_return.ts";
import { FakeClock } from "../support/fake_clock.ts";

const entry = (result: boolean) => ({ "salt_|-a_|-a_|-state": { result, changes: {}, comment: "", __run_num__: 0 } });

/** Runs a function of the runner, with an execution module `state` that returns the same each time. */
async function run(fun: string, keyword: Record<string, unknown>, returned: unknown = entry(true)) {
  const calls: unknown[][] = [];
  const progress: unknown[] = [];
  const warned: unknown[] = [];
  const context = {
    id: "here_master",
    jid: "20240506070809000000",
    opts: { pillarenv: "prod" },
    runtime: { clock: new FakeClock() },
    log: { warning: (message: string, fields: unknown) => warned.push([message, fields]) },
    jobs: { hasLoad: (jid: string) => jid === "2" },
    callFunction(...call: unknown[]) {
      calls.push(call);
      return Promise.resolve(returned);
    },
    progress: (data: unknown) => Promise.resolve(void progress.push(data)),
  } as unknown as RunnerContext;
  const { signature, run } = runner.functions[fun]!;
  const args = bindArguments(fun, parseSignature(signature), [], new Map(Object.entries(keyword)));
  return { value: await run(context, args), calls, progress, warned };
}

describe("the runner state", () => {
  for (const fun of ["orchestrate", "orch", "sls"]) {
    test(`${fun} applies the SLS files as the minion of the master's id`, async () => {
      const { value, calls } = await run(fun, { mods: "a", orchestration_jid: "1", pillar: { x: 1 }, test: true });
      assert.deepEqual(value, { data: { here_master: entry(true) }, outputter: "highstate", retcode: 0 });
      const keyword = {
        pillar: { x: 1 },
        saltenv: "base",
        pillarenv: "prod",
        pillar_enc: null,
        __pub_jid: "1",
        orchestration_jid: "1",
      };
      assert.deepEqual(calls, [["state.sls", ["a", true, null], keyword]]);
    });
  }

  test("orchestrate has the id of its run", async () => {
    const { calls: [call] } = await run("orchestrate", { mods: "a" });
    const { __pub_jid, orchestration_jid } = call![2] as Record<string, unknown>;
    assert.deepEqual([orchestration_jid, __pub_jid], ["20240506070809000000", "20240506070809000000"]);
  });

  for (const [what, returned] of [["a state", entry(false)], ["compiling", ["No matching sls found"]]] as const) {
    test(`orchestrate says that ${what} failed`, async () => {
      const { value } = await run("orchestrate", { mods: "a" }, returned);
      assert.deepEqual(value, { data: { here_master: returned }, outputter: "highstate", retcode: 1 });
      assert.deepEqual([returnCode(value), succeededIn(value)], [1, false]);
    });
  }

  for (const fun of ["orchestrate", "orchestrate_single", "orchestrate_high", "orchestrate_show_sls"]) {
    test(`${fun} refuses a pillar that is no map`, async () => {
      const given = { mods: "a", fun: "test.nop", name: "a", data: {} } as Record<string, unknown>;
      const names = parseSignature(runner.functions[fun]!.signature).params.map(({ name }) => name);
      const keyword = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
      const refused = new SaltInvocationError("Pillar data must be formatted as a dictionary");
      await assert.rejects(run(fun, { ...keyword, pillar: "x: 1" }), refused);
    });
  }

  test("orchestrate_single and orchestrate_high show what they return, and run nothing dry", async () => {
    const single = await run("orchestrate_single", { fun: "salt.wheel", name: "key.list_all", test: true, x: 1 });
    assert.deepEqual(single.calls, [["state.single", ["salt.wheel", "key.list_all"], {
      x: 1,
      test: null,
      queue: false,
    }]]);
    assert.deepEqual(single.progress, [{ data: { here_master: entry(true) }, outputter: "highstate" }]);
    const high = await run("orchestrate_high", { data: { a: {} } });
    assert.deepEqual(high.calls, [["state.high", [{ a: {} }], { pillar: null, test: null, queue: false }]]);
    assert.deepEqual(high.value, { here_master: entry(true) });
  });

  test("pause, resume and soft_kill are those of the execution module", async () => {
    const calls = [
      ...(await run("pause", { jid: "1", state_id: "a", duration: 5 })).calls,
      ...(await run("resume", { jid: "1" })).calls,
      ...(await run("soft_kill", { jid: "1" })).calls,
    ];
    assert.deepEqual(calls, [
      ["state.pause", ["1", "a", 5], {}],
      ["state.resume", ["1", null], {}],
      ["state.soft_kill", ["1", null], {}],
    ]);
  });
});

test("an orchestration that is over cannot be stopped, and the log says so", async () => {
  for (const fun of ["pause", "resume", "soft_kill"]) {
    assert.deepEqual((await run(fun, { jid: "1" })).warned, []);
    assert.deepEqual((await run(fun, { jid: "2" })).warned, [
      ["no orchestration with this id is running", { jid: "2" }],
    ]);
  }
});

describe("what a runner returns", () => {
  for (
    const [value, code, success] of [
      [{ data: { m: entry(true) }, outputter: "highstate", retcode: 3 }, 3, true],
      [{ data: { retcode: 2 } }, 2, true],
      [{ data: { m: entry(false) }, outputter: "nested" }, 0, true],
      ["text", 0, true],
      [null, 0, true],
    ] as const
  ) {
    test(`${JSON.stringify(value)} ends the program with ${code}`, () => {
      assert.deepEqual([returnCode(value), succeededIn(value)], [code, success]);
    });
  }
});
