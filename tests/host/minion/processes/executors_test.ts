/** How a function of a job is run: `module_executors` and `sudo_user`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { executeBy } from "../../../../src/host/minion/processes/executors.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import type { JobContext } from "../../../../src/model/loader/family.ts";
import { testMinion } from "../../../support/context.ts";

/** `salt.executors.splay._calc_splay(300)` by the id of the minion; `tenfold` is 3000 s of web1. */
const SPLAYS = { web1: 234, "web2.example.com": 267, "été": 291, tenfold: 2343 };

describe("executors of a job", () => {
  for (
    const { name, load = {}, opts = {}, want } of [
      { name: "none are named", want: true },
      { name: "direct_call", load: { module_executors: ["direct_call"] }, want: true },
      { name: "direct_call as text", load: { module_executors: "direct_call" }, want: true },
      { name: "an empty list means those of the minion", load: { module_executors: [] }, want: true },
      {
        name: "one that is not there",
        load: { module_executors: ["nosuch"] },
        want: "ERROR executing 'test.ping': Executor 'nosuch' is not available",
      },
      {
        name: "one that every object has something under",
        load: { module_executors: ["constructor"] },
        want: "ERROR executing 'test.ping': Executor 'constructor' is not available",
      },
      {
        name: "sudo without sudo_user",
        load: { module_executors: ["sudo"] },
        want: "ERROR executing 'test.ping': Executor 'sudo' is not available",
      },
      {
        name: "one of the minion's that is not there",
        opts: { module_executors: ["docker"] },
        want: "ERROR executing 'test.ping': Executor 'docker' is not available",
      },
      {
        name: "no list at all",
        load: { module_executors: 7 },
        want: "ERROR executing 'test.ping': Wrong executors specification: 7. String or non-empty list expected",
      },
    ] as { name: string; load?: Record<string, unknown>; opts?: Record<string, unknown>; want: unknown }[]
  ) {
    test(name, async () => {
      const minion = await testMinion({ opts });
      const outcome = await minion.run("test.ping", [], { load });
      assert.equal(outcome.return, want);
      assert.equal(outcome.retcode, want === true ? 0 : 1);
    });
  }

  test("each function of several is run by them", async () => {
    const { return: value } = await (await testMinion()).run(["test.ping"] as never, [[]], {
      load: { module_executors: ["nosuch"] },
    });
    assert.match(String((value as Record<string, unknown>)["test.ping"]), /Executor 'nosuch' is not available/);
  });
});

describe("splay", () => {
  const clock = (waited: number[]) => ({
    ...systemClock,
    sleep: (ms: number) => (waited.push(ms), Promise.resolve()),
  });
  for (
    const { id, load, opts = {}, want } of [
      // What Salt waits for these ids, in seconds.
      { id: "web1", load: {}, want: SPLAYS.web1 },
      { id: "web2.example.com", load: {}, want: SPLAYS["web2.example.com"] },
      { id: "été", load: {}, want: SPLAYS["été"] },
      { id: "web1", load: { executor_opts: { splaytime: 3000 } }, want: SPLAYS.tenfold },
      { id: "web1", load: {}, opts: { splaytime: 3000 }, want: SPLAYS.tenfold },
    ] as { id: string; load: Record<string, unknown>; opts?: Record<string, unknown>; want: number }[]
  ) {
    test(`${id} waits ${want} s, then the next executor runs the function`, async () => {
      const waited: number[] = [];
      const minion = await testMinion({ opts, grains: { id }, runtime: { clock: clock(waited) } });
      const outcome = await minion.run("test.ping", [], {
        load: { module_executors: ["splay", "direct_call"], ...load },
      });
      assert.deepEqual([outcome.return, waited], [true, [want * 1000]]);
    });
  }

  test("alone, it returns nothing", async () => {
    const minion = await testMinion({ grains: { id: "web1" }, runtime: { clock: clock([]) } });
    assert.equal((await minion.run("test.ping", [], { load: { module_executors: "splay" } })).return, null);
  });

  for (
    const [splaytime, want] of [[0, /splaytime must be a positive integer/], [
      "5s",
      /must be a number, not '5s'/,
    ]] as const
  ) {
    test(`splaytime ${splaytime} is refused`, async () => {
      const minion = await testMinion({ grains: { id: "web1" }, runtime: { clock: clock([]) } });
      const load = { module_executors: ["splay"], executor_opts: { splaytime } };
      assert.match(String((await minion.run("test.ping", [], { load })).return), want);
    });
  }
});

describe("sudo_user", () => {
  function seen(opts: Record<string, unknown>, ended: Record<string, unknown>) {
    const calls: unknown[] = [];
    const context = {
      runtime: { host: { user: () => ({ name: "root" }) } },
      opts: { conf_file: "/etc/salt/minion", ...opts },
      retcode: 0,
      call(fun: string, positional: unknown[], keyword: unknown) {
        calls.push([fun, ...positional, keyword]);
        return Promise.resolve(ended);
      },
    } as unknown as JobContext;
    return { calls, context };
  }
  const OK = { retcode: 0, stdout: '{"local": {"return": {"a": 1}, "retcode": 3}}' };

  test("runs jobs of the master by sudo and salt-call, with any executors", async () => {
    const { calls, context } = seen({ sudo_user: "saltdev" }, OK);
    const keyword = new Map<string, unknown>([["cwd", "/tmp"], ["n", 1]]);
    const call = { context, fun: "cmd.run", positional: ["a=b; id", "1", 1], keyword, published: true };
    const value = await executeBy(["direct_call"], {
      ...call,
      direct: () => assert.fail("it ran as the minion's user"),
    });
    assert.deepEqual(value, { a: 1 });
    assert.equal(context.retcode, 3);
    const words = ["sudo", "-n", "-u", "saltdev", "salt-call", "--out", "json", "--metadata", "-c", "/etc/salt", "--"];
    assert.deepEqual(calls, [[
      "cmd.run_all",
      [...words, "cmd.run", '"a=b; id"', '"1"', "1", 'cwd="/tmp"', "n=1"],
      { python_shell: false },
    ]]);
  });

  test("state runs may run beside the job that called them", async () => {
    const { calls, context } = seen({ sudo_user: "saltdev" }, OK);
    const call = {
      context,
      fun: "state.apply",
      positional: [],
      keyword: new Map(),
      published: true,
      direct: () => true,
    };
    await executeBy(undefined, call);
    assert.equal((calls[0] as [string, string[]])[1].at(-1), "concurrent=true");
  });

  test("is not bypassed by an executor that is named before the last", async () => {
    const { calls, context } = seen({ sudo_user: "saltdev" }, OK);
    const called: string[] = [];
    const direct = () => void called.push("direct");
    const call = { context, fun: "test.ping", positional: [], keyword: new Map(), published: true, direct };
    await executeBy(["direct_call", "direct_call"], call);
    assert.deepEqual([called, calls.length], [[], 1]);
  });

  test("returns the error of sudo, and its exit code", async () => {
    const { context } = seen({ sudo_user: "saltdev" }, {
      retcode: 1,
      stdout: "",
      stderr: "sudo: a password is required",
    });
    const call = { context, fun: "test.ping", positional: [], keyword: new Map(), published: true, direct: () => true };
    assert.equal(await executeBy(undefined, call), "sudo: a password is required");
    assert.equal(context.retcode, 1);
  });

  test("salt-call runs functions itself, as in Salt", async () => {
    const { calls, context } = seen({ sudo_user: "saltdev" }, OK);
    const call = {
      context,
      fun: "test.ping",
      positional: [],
      keyword: new Map(),
      published: false,
      direct: () => true,
    };
    assert.equal(await executeBy(undefined, call), true);
    assert.deepEqual(calls, []);
  });
});
