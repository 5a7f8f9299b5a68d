/** A master of masters, syndics, and minions below them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { Outcome } from "../../src/client/outcome.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import { startTestSyndic } from "../support/start_syndic.ts";

const TIMEOUT = { timeout: 180_000 };

const top = (opts: Record<string, unknown> = {}) =>
  startCluster({ place: "current", minions: [], master: { order_masters: true, ...opts } });
const lower = (minions: string[], opts: Record<string, unknown> = {}) =>
  startCluster({
    place: "current",
    minions,
    master: opts,
    minion: { return_retry_timer: 1, return_retry_timer_max: 2 },
  });

async function outcomes(cluster: Cluster, request: Record<string, unknown>): Promise<Outcome[]> {
  const client = await cluster.client();
  const found: Outcome[] = [];
  for await (const outcome of client.run({ tgt: "*", fun: "test.ping", ...request })) found.push(outcome);
  return found.sort((a, b) => a.id < b.id ? -1 : 1);
}
const kinds = (found: Outcome[]) => found.map(({ id, kind }) => `${id} ${kind}`);

describe("a master of masters", TIMEOUT, () => {
  test("runs jobs on minions below its syndic, and has their returns once", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1", "low2"]);
    await using syndic = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await syndic.ready;
    const found = await outcomes(above, { fun: "test.echo", arg: ["hello"] });
    assert.deepEqual(kinds(found), ["low1 returned", "low2 returned"]);
    const [jid] = await above.jids();
    const { jobs } = above.master.services;
    assert.deepEqual(await jobs.minions(jid!), ["low1", "low2"]);
    assert.deepEqual((await jobs.returns(jid!)).map(({ minion }) => minion), ["low1", "low2"]);
    await until(async () => (await jobs.unsettled()).length === 0);
    assert.equal((await below.master.services.jobs.load(jid!))?.user, (await jobs.load(jid!))?.user);
  });

  test(
    "reaches minions of its own and of three levels by every target, and waits for none that is not there",
    TIMEOUT,
    async () => {
      await using above = await top();
      await using middle = await lower(["mid1"], { order_masters: true });
      await using below = await lower(["low1", "low2"]);
      await above.startMinion("web1");
      await using _one = await startTestSyndic({ id: "synd1", above: [above], beside: middle });
      await using _two = await startTestSyndic({ id: "synd2", above: [middle], beside: below });
      await Promise.all([_one.ready, _two.ready, above.minions.get("web1")!.ready]);
      for (
        const [tgt, tgt_type, ids] of [
          ["*", "glob", ["low1", "low2", "mid1", "web1"]],
          ["low*", "glob", ["low1", "low2"]],
          [["web1", "low2"], "list", ["low2", "web1"]],
          ["os:Test", "grain", ["low1", "low2", "mid1", "web1"]],
          ["mid1 or E@low[1]", "compound", ["low1", "mid1"]],
        ] as const
      ) {
        const found = await outcomes(above, { tgt, tgt_type });
        assert.deepEqual(kinds(found), ids.map((id) => `${id} returned`), String(tgt));
      }
      const [jid] = await above.jids();
      await until(async () => !(await above.master.services.jobs.unsettled()).includes(jid!));
    },
  );

  test("hears how a job ended on a minion that does not return", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1"], { job_delivery_timeout: 1, gather_job_timeout: 1 });
    below.acceptKey("gone");
    await using syndic = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await syndic.ready;
    const client = await above.client();
    const published = await client.publish({ tgt: "*", fun: "test.ping" });
    assert.deepEqual(published!.syndics, ["synd"]);
    const { data } = await above.event(new RegExp(`^salt/job/${published!.jid}/outcome/gone$`));
    assert.ok(data.outcome === "lost" || data.outcome === "timed out", String(data.outcome));
  });

  test("gets what was returned while the syndic was down, once it is there again", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1", "low2"]);
    const first = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await first.ready;
    const client = await above.client();
    const published = await client.publish({ tgt: "*", fun: "test.sleep", arg: [1] });
    await above.event(`syndic/synd/${published!.jid}`);
    await first.close();
    await until(async () => (await below.master.services.jobs.returns(published!.jid)).length >= 2);
    const { jobs } = above.master.services;
    assert.deepEqual(await jobs.returns(published!.jid), []);
    await using second = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await second.ready;
    await until(async () => (await jobs.returns(published!.jid)).length >= 2);
    const masters = second.status().masters as { jobs: number }[];
    await until(() => (second.status().masters as { jobs: number }[])[0]!.jobs === 0);
    assert.equal(masters.length, 1);
  });

  test("hands a job to a syndic that was away when it was published", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1"]);
    const first = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await first.ready;
    await first.close();
    const client = await above.client();
    const published = await client.publish({ tgt: "*", fun: "test.echo", arg: ["late"] });
    await using second = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await second.ready;
    const { jobs } = above.master.services;
    await until(async () => (await jobs.returns(published!.jid)).length >= 1);
    const [stored] = await jobs.returns(published!.jid);
    assert.equal(decode(stored!.return.bytes, { mode: "bin" }), "late");
  });

  test("keeps a queued job for a minion below that is away", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1"]);
    below.acceptKey("away");
    await using syndic = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await syndic.ready;
    const client = await above.client();
    const published = await client.publish({ tgt: "away", fun: "test.ping", queue: 600 });
    await above.event(`salt/job/${published!.jid}/outcome/away`);
    const { ledger, jobs } = above.master.services;
    assert.deepEqual((await ledger.outcomes(published!.jid)).map(({ state }) => state), ["queued"]);
    await below.startMinion("away");
    await until(async () => (await jobs.returns(published!.jid)).length >= 1);
  });

  test("is one of several, each with its own jobs", TIMEOUT, async () => {
    await using one = await top();
    await using two = await top();
    await using below = await lower(["low1"]);
    await using syndic = await startTestSyndic({ id: "synd", above: [one, two], beside: below });
    await syndic.ready;
    for (const above of [one, two]) assert.deepEqual(kinds(await outcomes(above, {})), ["low1 returned"]);
    for (const above of [one, two]) {
      const jids = await above.jids();
      assert.equal(jids.length, 1);
      assert.equal((await above.master.services.jobs.returns(jids[0]!)).length, 1);
    }
  });

  test("records jobs of the lower master as the syndic's, unless syndic_mode is cluster", TIMEOUT, async () => {
    for (const [syndic_mode, expected] of [["sync", 1], ["cluster", 0]] as const) {
      await using above = await top();
      await using below = await lower(["low1"]);
      await using syndic = await startTestSyndic({
        id: "synd",
        above: [above],
        beside: below,
        master: { syndic_mode },
      });
      await syndic.ready;
      assert.deepEqual(kinds(await outcomes(below, { fun: "test.echo", arg: ["own"] })), ["low1 returned"]);
      const [jid] = await below.jids();
      const { jobs } = above.master.services;
      if (expected === 1) {
        await until(async () => (await jobs.returns(jid!)).length >= 1);
        assert.equal((await jobs.load(jid!))?.syndic, "synd");
        assert.equal((await jobs.load(jid!))?.fun, "test.echo");
      }
      // A job from above comes after what was passed on of the one before.
      assert.deepEqual(kinds(await outcomes(above, {})), ["low1 returned"]);
      assert.equal((await jobs.returns(jid!)).length, expected);
    }
  });

  test("passes on events of the lower master with its name before them", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1"]);
    await using syndic = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await syndic.ready;
    await above.event("salt/syndic/synd/start");
    below.master.services.bus.fire("my/tag", { x: 1 });
    assert.equal((await above.event("syndic/synd/my/tag")).data.x, 1);
    assert.ok(above.events.some(({ tag }) => tag === "my/tag"));
    below.master.services.bus.fire("salt/auth", { id: "x" });
    await above.event("syndic/synd/salt/auth");
    assert.ok(!above.events.some(({ tag, data }) => tag === "salt/auth" && data.id === "x"));
  });
});

describe("a syndic cannot", TIMEOUT, () => {
  const part = (jid: string, ids: string[], more: Record<string, unknown> = {}) => ({
    jid,
    fun: "test.ping",
    return: Object.fromEntries(ids.map((id) => [id, { return: "forged", retcode: 0, success: true }])),
    ...more,
  });
  const publish = async (cluster: Cluster, request: Record<string, unknown>) => {
    const client = await cluster.client();
    return (await client.publish({ tgt: "*", fun: "test.ping", ...request }))!;
  };
  const returned = async (cluster: Cluster, jid: string) =>
    (await cluster.master.services.jobs.returns(jid)).map(({ minion }) => minion);

  test("speak for a minion with a key here, or beyond a target by name", TIMEOUT, async () => {
    await using above = await startCluster({ minions: [], master: { order_masters: true } });
    for (const id of ["synd", "web1"]) above.acceptKey(id);
    const peer = await above.peer("synd");
    await peer.send({ cmd: "_jobs", syndic: true, known: [] });
    const { jid } = await publish(above, { tgt: "w*,low*".split(",")[1]! });
    await peer.send({
      cmd: "_minion_event",
      events: [{ tag: jid, data: { minions: ["web1", "low1", "other", "../x"] } }],
      pretag: "syndic/synd",
    });
    const { jobs } = above.master.services;
    assert.deepEqual(await jobs.minions(jid), ["low1"]);
    await peer.send({ cmd: "_syndic_return", load: [part(jid, ["web1", "low1", "low2", "other", "synd"])] });
    assert.deepEqual(await returned(above, jid), ["low1", "low2"]);
    await peer.send({ cmd: "_syndic_return", load: [part(jid, ["low1"])] });
    assert.equal(above.events.filter(({ tag }) => tag.endsWith("/ret/low1")).length, 1);
  });

  test("name minions of a job that has ended", TIMEOUT, async () => {
    await using above = await startCluster({ minions: [], master: { order_masters: true } });
    above.acceptKey("synd");
    const peer = await above.peer("synd");
    await peer.send({ cmd: "_jobs", syndic: true, known: [] });
    const { jobs } = above.master.services;
    const jid = "20240506070809123456";
    await jobs.saveLoad(jid, { jid, fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "ann" }, ["web1"]);
    await peer.send({
      cmd: "_minion_event",
      events: [{ tag: jid, data: { minions: ["low1", "low2"] } }],
      pretag: "syndic/synd",
    });
    assert.deepEqual(await jobs.minions(jid), ["web1"]);
  });

  test("report an outcome at a time of which no date can be shown", TIMEOUT, async () => {
    await using above = await startCluster({ minions: [], master: { order_masters: true } });
    above.acceptKey("synd");
    const peer = await above.peer("synd");
    await peer.send({ cmd: "_jobs", syndic: true, reports: true, known: [] });
    const { jid } = await publish(above, {});
    const report = (at: number, more = {}) => ({
      tag: `salt/job/${jid}/outcome/low1`,
      data: { outcome: "queued", at, ...more },
    });
    const send = (...events: unknown[]) => peer.send({ cmd: "_minion_event", events, pretag: "syndic/synd" });
    const shown = async () => (await above.master.services.ledger.outcomes(jid)).map(({ state }) => state);
    await send({ tag: jid, data: { minions: ["low1"], more: true } });
    await send(report(Number.MAX_SAFE_INTEGER), report(-1));
    assert.deepEqual(await shown(), ["published"]);
    await send(report(1_700_000_000, { until: Number.MAX_SAFE_INTEGER, since: -1 }));
    const [outcome] = await above.master.services.ledger.outcomes(jid);
    assert.deepEqual([outcome?.state, outcome?.untilMs, outcome?.sinceMs], ["queued", undefined, undefined]);
  });

  test("speak for others than syndic_minions lists", TIMEOUT, async () => {
    const syndic_minions = { "eu-*": ["eu-*"], synd: "low1" };
    await using above = await startCluster({ minions: [], master: { order_masters: true, syndic_minions } });
    for (const id of ["synd", "eu-1", "mallory"]) above.acceptKey(id);
    const [synd, mallory] = [await above.peer("synd"), await above.peer("mallory")];
    await synd.send({ cmd: "_jobs", syndic: true, known: [] });
    const { jid } = await publish(above, {});
    await mallory.send({ cmd: "_syndic_return", load: [part(jid, ["low1"])] });
    await synd.send({ cmd: "_syndic_return", load: [part(jid, ["eu-web1", "low1", "low2"])] });
    assert.deepEqual(await returned(above, jid), ["low1"]);
    assert.deepEqual(above.master.services.syndics.ids(), ["synd"]);
  });

  test("return for a job that was published below another one", TIMEOUT, async () => {
    await using above = await startCluster({ minions: [], master: { order_masters: true } });
    for (const id of ["synd", "other"]) above.acceptKey(id);
    const [synd, other] = [await above.peer("synd"), await above.peer("other")];
    const jid = "20240506070809123456";
    await synd.send({ cmd: "_syndic_return", load: [part(jid, ["low1"], { load: { tgt: "*", user: "ann" } })] });
    await other.send({ cmd: "_syndic_return", load: [part(jid, ["low2"], { load: { tgt: "*", user: "eve" } })] });
    await synd.send({ cmd: "_syndic_return", load: [part(jid, ["low3"])] });
    assert.deepEqual(await returned(above, jid), ["low1", "low3"]);
    const load = await above.master.services.jobs.load(jid);
    assert.deepEqual([load?.user, load?.syndic], ["ann", "synd"]);
  });

  test("be reached by a user whose permissions are for certain minions", TIMEOUT, async () => {
    const external_auth = {
      sharedsecret: { ann: [{ "web*": ["test.*"] }], bob: ["test.*"] },
    };
    await using above = await startCluster({
      minions: ["web1"],
      master: { order_masters: true, external_auth, sharedsecret: "s" },
    });
    above.acceptKey("synd");
    const peer = await above.peer("synd");
    await peer.send({ cmd: "_jobs", syndic: true, known: [] });
    const as = (username: string) => ({ credentials: { eauth: "sharedsecret", username, password: "s" } });
    const narrow = await publish(above, { tgt: "web*", ...as("ann") });
    assert.deepEqual(narrow.syndics, undefined);
    const load = await above.master.services.jobs.load(narrow.jid);
    assert.deepEqual([load?.tgt, load?.tgt_type], [["web1"], "list"]);
    await assert.rejects(publish(above, { tgt: "low*", ...as("ann") }), /Authorization error/);
    assert.deepEqual((await publish(above, { tgt: "low*", ...as("bob") })).syndics, ["synd"]);
  });
});
