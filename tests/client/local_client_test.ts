/** How long a client waits for each target, and which outcome it reports: under a clock that the test moves. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import { highestRetcode, type Outcome } from "../../src/client/outcome.ts";
import type { BusEvent } from "../../src/model/event/bus.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let started = 0;
  const run = async () => {
    started++;
    await promise;
    return "done";
  };
  const module: ExecutionModule = { functions: { wait: { signature: "", doc: "", run } } };
  return { open: () => resolve(), started: () => started, modules: { gate: () => Promise.resolve({ module }) } };
}

async function collect(run: AsyncIterable<Outcome>, outcomes: Outcome[] = []): Promise<Outcome[]> {
  for await (const outcome of run) outcomes.push(outcome);
  return outcomes;
}
const asked = (cluster: Cluster) =>
  cluster.events.filter(({ tag, data }) => tag.endsWith("/new") && data.fun === "saltutil.find_job");

describe("LocalClient.run()", TIMEOUT, () => {
  test("a minion that never answers is still published after one round of find_job", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1"] });
    cluster.acceptKey("ghost");
    const client = await cluster.client();
    const outcomes: Outcome[] = [];
    const done = collect(client.run({ tgt: "*", fun: "test.ping" }), outcomes);
    await until(() => outcomes.length >= 1);
    await cluster.clock.waiting(5000);
    assert.equal(asked(cluster).length, 0);
    cluster.clock.advance(5000);
    await until(() => asked(cluster).length >= 1);
    assert.deepEqual(asked(cluster)[0]!.data.tgt, ["ghost"]);
    await cluster.clock.waiting(10_000);
    cluster.clock.advance(10_000);
    assert.deepEqual((await done).map(({ kind, id }) => [kind, id]), [["returned", "web1"], ["published", "ghost"]]);
  });

  test("a minion that says it is at work is waited for, and not asked", TIMEOUT, async () => {
    const { open, started, modules } = gate();
    await using cluster = await startCluster({ minions: ["web1"], modules });
    const client = await cluster.client();
    const done = collect(client.run({ tgt: "*", fun: "gate.wait" }, { timeoutMs: 5000, gatherMs: 10_000 }));
    const heard = Promise.withResolvers<unknown>();
    client.onEvent(({ tag, data }) => tag.endsWith("/outcome/web1") && heard.resolve(data.outcome));
    await until(() => started() === 1);
    await cluster.clock.waiting(300);
    cluster.clock.advance(300);
    assert.equal(await heard.promise, "started");
    cluster.clock.advance(4700);
    for (let round = 2; round <= 4; round++) {
      await cluster.clock.waiting(5000);
      cluster.clock.advance(5000);
    }
    await cluster.clock.waiting(5000);
    open();
    const [outcome] = await done;
    assert.ok(outcome!.kind === "returned");
    assert.equal(outcome!.return, "done");
    assert.equal(asked(cluster).length, 0);
  });

  test("a minion whose job an operator ends is not waited for any longer", TIMEOUT, async () => {
    const { started, modules } = gate();
    await using cluster = await startCluster({ minions: ["web1"], modules });
    const client = await cluster.client();
    const done = collect(client.run({ tgt: "*", fun: "gate.wait" }));
    await until(() => started() === 1);
    const jobs = cluster.minions.get("web1")!.context.jobs;
    const [job] = await jobs.running();
    await jobs.signal(String(job!.jid), 15);
    const [outcome] = await done;
    assert.ok(outcome!.kind === "cancelled");
    assert.match(outcome!.note ?? "", /signal 15/);
  });

  test("names of a list without a key are missing; no match at all is undefined", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1"] });
    const client = await cluster.client();
    const outcomes = await collect(client.run({ tgt: ["web1", "zz", "aa"], tgt_type: "list", fun: "test.ping" }));
    assert.deepEqual(outcomes.map(({ kind, id }) => [kind, id]), [
      ["returned", "web1"],
      ["missing", "aa"],
      ["missing", "zz"],
    ]);
    assert.equal(await client.publish({ tgt: "none*", fun: "test.ping" }), undefined);
    assert.deepEqual(await collect(client.run({ tgt: "none*", fun: "test.ping" })), []);
  });

  test("an abort ends the wait with its reason", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    cluster.acceptKey("ghost");
    const client = await cluster.client();
    const stop = new AbortController();
    const done = collect(client.run({ tgt: "*", fun: "test.ping" }, { signal: stop.signal }));
    const failed = assert.rejects(done, /enough/);
    await cluster.clock.waiting(5000);
    stop.abort(new Error("enough"));
    await failed;
  });

  test("leaving the loop ends the listening", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1", "web2"] });
    const client = await cluster.client();
    for await (const outcome of client.run({ tgt: "*", fun: "test.ping" })) {
      assert.equal(outcome.kind, "returned");
      break;
    }
    assert.deepEqual(await client.command({ tgt: "*", fun: "test.ping" }), { web1: true, web2: true });
  });

  test("a return whose data names another minion than its tag is ignored", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    cluster.acceptKey("ghost");
    const client = await cluster.client();
    const done = collect(client.run({ tgt: "*", fun: "test.ping" }));
    await cluster.clock.waiting(5000);
    const [jid] = await cluster.jids();
    const { bus } = cluster.master.services;
    bus.fire(`salt/job/${jid}/ret/web1`, { id: "ghost", return: "forged" });
    bus.fire(`salt/job/${jid}/ret/ghost`, { id: "web1", return: "forged" });
    bus.fire(`salt/job/${jid}/ret/ghost`, { id: "ghost" });
    bus.fire(`salt/job/${jid}/ret/ghost`, { id: "ghost", return: "genuine", retcode: 0 });
    assert.deepEqual((await done).map((outcome) => outcome.kind === "returned" && outcome.return), ["genuine"]);
  });
});

describe("LocalClient", TIMEOUT, () => {
  test("open() says when no master runs", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    await cluster.master.close();
    await assert.rejects(cluster.client(), { code: "MASTER_DOWN", message: /Unable to connect to the salt master/ });
  });

  test("publish() says when the key cannot be read, or is refused", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1"] });
    const { fs } = cluster.runtime;
    const path = `${cluster.root}/cache/.root_key`;
    const key = fs.readText(path);
    fs.remove(path);
    await assert.rejects((await cluster.client()).publish({ tgt: "*", fun: "test.ping" }), { code: "NO_KEY" });
    fs.write(path, `${key.startsWith("x") ? "y" : "x"}${key.slice(1)}`);
    const client = await cluster.client();
    await assert.rejects(client.publish({ tgt: "*", fun: "test.ping" }), {
      code: "AUTHENTICATION",
      message: "Authentication error occurred.",
    });
    // The master was started anew meanwhile: the key on the disk is another than the one in memory.
    fs.write(path, key);
    assert.deepEqual((await client.publish({ tgt: "*", fun: "test.ping" }))!.minions, ["web1"]);
  });

  test("publish() says when the master does not answer", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const client = await cluster.client({ requestTimeoutMs: 7000 });
    // A request port without a server: only the bus is there.
    const mute = await LocalClient.open({
      runtime: cluster.runtime,
      log: cluster.captured.log,
      opts: { ...cluster.masterOpts, ret_port: 1 },
      requestTimeoutMs: 7000,
    });
    const failed = assert.rejects(mute.publish({ tgt: "*", fun: "test.ping" }), { code: "TIMEOUT" });
    await until(() => cluster.clock.waits.some((ms) => ms > 6000));
    cluster.clock.advance(7000);
    await failed;
    await mute.close();
    await client.close();
  });

  test("a master that goes away while a job is waited for is an error", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    cluster.acceptKey("ghost");
    const client = await cluster.client();
    const failed = assert.rejects(collect(client.run({ tgt: "*", fun: "test.ping" })), { code: "BUS_LOST" });
    await cluster.clock.waiting(5000);
    await cluster.master.close();
    await failed;
  });

  test("onEvent() calls its listener until it is removed", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: [] });
    const client = await cluster.client();
    const heard: string[] = [];
    const off = client.onEvent(({ tag }: BusEvent) => void heard.push(tag));
    cluster.master.services.bus.fire("one", {});
    await until(() => heard.includes("one"));
    off();
    let other = false;
    client.onEvent(({ tag }) => other ||= tag === "two");
    cluster.master.services.bus.fire("two", {});
    await until(() => other);
    assert.deepEqual(heard, ["one"]);
  });
});

test("highestRetcode() of one function and of several", () => {
  for (
    const [retcode, want] of [[0, 0], [3, 3], [{ a: 0, b: 2 }, 2], [[0, 1], 1], [new Map([["a", 4]]), 4], [null, 0], [
      "x",
      0,
    ], [{}, 0]] as const
  ) assert.equal(highestRetcode(retcode), want);
});
