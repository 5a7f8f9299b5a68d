import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClientError } from "../../src/client/client_error.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import type { Outcome } from "../../src/client/outcome.ts";
import type { PublishRequest } from "../../src/client/publish_request.ts";
import { connect, type ConnectOptions } from "../../src/client/connect.ts";
import { checkCollectOptions, checkedRequest } from "../../src/client/publish_request.ts";
import { callWheel } from "../../src/client/wheel.ts";
import { startRunner } from "../../src/client/runner.ts";
import { SystemError } from "../../src/base/errors.ts";
import { silentLogger } from "../../src/base/log.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { startCluster } from "../support/start_cluster.ts";

const FUN = "test.ping";

/** What a caller without a type checker may write. */
const untyped = (request: Record<string, unknown>) => request as unknown as PublishRequest;

describe("checkedRequest() refuses what no master would understand", () => {
  for (
    const { name, request, says } of [
      {
        name: "a target type",
        request: { tgt: "*", tgt_type: "globb", fun: FUN },
        says: /tgt_type "globb": did you mean "glob"/,
      },
      {
        name: "a target type that is near to none",
        request: { tgt: "*", tgt_type: "zzzzzz", fun: FUN },
        says: /expected one of glob/,
      },
      {
        name: "a type of a prototype",
        request: { tgt: "*", tgt_type: "constructor", fun: FUN },
        says: /Unknown tgt_type/,
      },
      {
        name: "a list as a glob",
        request: { tgt: ["a"], tgt_type: "glob", fun: FUN },
        says: /by tgt_type "glob": use "list"/,
      },
      { name: "no target", request: { fun: FUN }, says: /Cannot target undefined/ },
      { name: "a number as target", request: { tgt: 5, fun: FUN }, says: /Cannot target 5/ },
      { name: "numbers in a list", request: { tgt: [5], fun: FUN }, says: /Cannot target \[5\]/ },
      { name: "no function", request: { tgt: "*" }, says: /Cannot run undefined/ },
      { name: "no functions", request: { tgt: "*", fun: [] }, says: /Cannot run \[\]/ },
      {
        name: "text as arguments",
        request: { tgt: "*", fun: FUN, arg: "x" },
        says: /Cannot read arg "x": expected a list/,
      },
      { name: "a list as keyword arguments", request: { tgt: "*", fun: FUN, kwarg: ["x"] }, says: /Cannot read kwarg/ },
      {
        name: "a key in another spelling",
        request: { tgt: "*", fun: FUN, tgtType: "list" },
        says: /"tgtType" of a job: did you mean "tgt_type"/,
      },
      {
        name: "Python's name of a key",
        request: { tgt: "*", fun: FUN, expr_form: "list" },
        says: /use tgt_type/,
      },
      {
        name: "the time to wait",
        request: { tgt: "*", fun: FUN, timeout: 5 },
        says: /an option of run\(\).*timeoutMs/,
      },
      {
        name: "arguments of the function as kwargs",
        request: { tgt: "*", fun: FUN, kwargs: { cwd: "/" } },
        says: /"cwd" of kwargs: .*into kwarg/,
      },
      {
        name: "keyword arguments of several functions",
        request: { tgt: "*", fun: [FUN, FUN], kwarg: { a: 1 } },
        says: /several functions/,
      },
      {
        name: "keyword arguments twice",
        request: { tgt: "*", fun: FUN, arg: [{ __kwarg__: true }], kwarg: { a: 1 } },
        says: /given twice/,
      },
    ]
  ) {
    test(
      name,
      () =>
        assert.throws(
          () => checkedRequest(untyped(request)),
          (error) => error instanceof TypeError && says.test(error.message),
        ),
    );
  }
});

describe("checkedRequest() fills in", () => {
  for (
    const { name, request, want } of [
      { name: "a glob for text", request: { tgt: "web*", fun: FUN }, want: { tgt_type: "glob", arg: [] } },
      { name: "a list for a list", request: { tgt: ["web1"], fun: FUN }, want: { tgt_type: "list", arg: [] } },
      {
        name: "nothing for the words of a compound",
        request: { tgt: ["web*"], tgt_type: "compound", fun: FUN },
        want: { tgt_type: "compound", arg: [] },
      },
      {
        name: "keyword arguments, where Salt has them",
        request: { tgt: "*", fun: FUN, arg: [1], kwarg: { a: 2 } },
        want: { tgt_type: "glob", arg: [1, { __kwarg__: true, a: 2 }] },
      },
    ]
  ) {
    test(name, () => {
      const { tgt_type, arg } = checkedRequest(request);
      assert.deepEqual({ tgt_type, arg }, want);
    });
  }
});

test("run() refuses options that it does not have, and says what durations are called", () => {
  assert.throws(() => checkCollectOptions({ timeout: 5 }), /"timeout" of the options of run\(\): .*timeoutMs/);
  checkCollectOptions({ timeoutMs: 1, gatherMs: 1, signal: undefined });
});

test("connect() refuses options that it does not have", async () => {
  const wrong = { root: "/srv/run" } as ConnectOptions;
  await assert.rejects(connect(wrong), /Unknown key "root" of the options of connect\(\): did you mean "rootDir"/);
});

describe("a client", { timeout: 120_000 }, () => {
  test("takes a list of ids as a list target, and reports those without a key", async () => {
    await using cluster = await startCluster({ minions: ["web1", "db1"] });
    const client = await cluster.client();
    const outcomes: Outcome[] = [];
    for await (const outcome of client.run({ tgt: ["web1", "ghost"], fun: FUN })) outcomes.push(outcome);
    assert.deepEqual(outcomes.map(({ id, kind }) => [id, kind]), [["web1", "returned"], ["ghost", "missing"]]);
  });

  test("passes keyword arguments to the function", async () => {
    await using cluster = await startCluster();
    const client = await cluster.client();
    const returns = await client.command({ tgt: "*", fun: "test.kwarg", kwarg: { name: "ann" } });
    assert.equal((returns.web1 as { name?: unknown }).name, "ann");
  });

  test("refuses unknown keys of runners and wheel functions before it asks", async () => {
    await using cluster = await startCluster({ minions: [] });
    const client = await cluster.client();
    const credentials = client.ownCredentials;
    const runner = { fun: "jobs.active", arg: [], kwargs: {}, credentials } as unknown as Parameters<
      typeof startRunner
    >[1];
    await assert.rejects(startRunner(client, runner), /Unknown key "kwargs" of a runner's call: did you mean "kwarg"/);
    const wheel = { fun: "key.list_all", kwarg: {}, match: "*", credentials } as Parameters<typeof callWheel>[1];
    await assert.rejects(callWheel(client, wheel), /Unknown key "match" of a wheel function's call/);
  });

  test("without checks leaves mistakes to the master", async () => {
    await using cluster = await startCluster();
    const client = await cluster.client({ checked: false });
    assert.equal(await client.publish({ tgt: "*", tgt_type: "globb", fun: FUN }), undefined);
  });
});

test("a user who may not open the master's sockets is told which user that is, and what to do", async () => {
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto });
  const refuse = () => Promise.reject(new SystemError("EACCES", "Cannot connect to /brine/sock: EACCES"));
  const net = { ...runtime.net, dial: refuse };
  const opts = { interface: "127.0.0.1", ret_port: 4506, sock_dir: "/brine/sock", cachedir: "/brine", user: "salt" };
  const name = runtime.host.user().name;
  await assert.rejects(LocalClient.open({ runtime: { ...runtime, net }, log: silentLogger, opts }), (error) => {
    assert.equal((error as ClientError).code, "NO_ACCESS");
    const { message } = error as ClientError;
    assert.ok(message.startsWith("Unable to connect to the salt master publisher at /brine/sock"));
    assert.ok(
      message.includes(`the user "${name}" may not open the sockets there`) && message.includes("publisher_acl"),
    );
    return true;
  });
});
