/** The mine: data that minions share through the master. And publish: jobs that minions send to each other. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

/** The return of one minion. */
async function call(cluster: Cluster, id: string, fun: string, ...arg: unknown[]): Promise<unknown> {
  const client = await cluster.client();
  const answers = await client.command({ tgt: id, fun, arg });
  assert.deepEqual(Object.keys(answers), [id]);
  return answers[id];
}
const kwargs = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });
const mined = (cluster: Cluster, id: string) => cluster.master.services.cache.mine(id);

describe("the mine", TIMEOUT, () => {
  for (
    const { master, kept } of [
      { master: { minion_data_cache: false }, kept: undefined },
      { master: { minion_data_cache: false, enforce_mine_cache: true }, kept: { "test.ping": true } },
      { master: {}, kept: { "test.ping": true } },
    ]
  ) {
    test(`is ${kept === undefined ? "not " : ""}kept with ${JSON.stringify(master)}`, TIMEOUT, async () => {
      await using cluster = await startCluster({ minions: [], master });
      cluster.acceptKey("web1");
      const peer = await cluster.peer("web1");
      assert.equal(await peer.send({ cmd: "_mine", id: "web1", data: { "test.ping": true } }), true);
      assert.deepEqual(mined(cluster, "web1"), kept);
    });
  }

  const mine_functions = {
    "test.echo": ["mined"],
    secret: [{ mine_function: "test.echo" }, "for web2", { allow_tgt: "web2" }],
    named: { mine_function: "test.arg", a: 1 },
    missing: [{ mine_function: "no.such" }],
    "test.exception": ["fails"],
  };

  test("is filled when a minion starts, and again after each interval", TIMEOUT, async () => {
    await using cluster = await startCluster({
      minions: ["web1", "web2"],
      minion: { mine_functions, mine_interval: 5 },
    });
    await until(() => mined(cluster, "web1") !== undefined && mined(cluster, "web2") !== undefined);
    const { named, ...rest } = mined(cluster, "web1")!;
    assert.deepEqual(rest, {
      "test.echo": "mined",
      secret: { __data__: "for web2", __saltmine_acl__: 1, allow_tgt: "web2" },
    });
    assert.deepEqual((named as { kwargs: unknown }).kwargs, { a: 1 });
    cluster.master.services.cache.flushMine("web1");
    cluster.clock.advance(300_000);
    await until(() => mined(cluster, "web1") !== undefined);
  });

  test("is read by one name, by several names, and only by minions that may read it", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1", "web2"], minion: { mine_functions } });
    await until(() => mined(cluster, "web1") !== undefined && mined(cluster, "web2") !== undefined);
    const both = { web1: "mined", web2: "mined" };
    assert.deepEqual(await call(cluster, "web1", "mine.get", "*", "test.echo"), both);
    assert.deepEqual(await call(cluster, "web1", "mine.get", "*", "test.echo", kwargs({ exclude_minion: true })), {
      web2: "mined",
    });
    assert.deepEqual(await call(cluster, "web1", "mine.get", "web2", "test.echo,secret"), {
      "test.echo": { web2: "mined" },
    });
    assert.deepEqual(await call(cluster, "web2", "mine.get", "web1", ["secret"]), { secret: { web1: "for web2" } });
    assert.deepEqual(await call(cluster, "web1", "mine.get", "*", "nothing"), {});
  });

  test("stores data that is sent, and removes data that is deleted or flushed", TIMEOUT, async () => {
    await using cluster = await startCluster();
    assert.equal(await call(cluster, "web1", "mine.valid"), null);
    assert.equal(await call(cluster, "web1", "mine.update"), null);
    assert.equal(await call(cluster, "web1", "mine.send", "test.ping"), true);
    assert.equal(
      await call(cluster, "web1", "mine.send", "greeting", "hello", kwargs({ mine_function: "test.echo" })),
      true,
    );
    assert.equal(await call(cluster, "web1", "mine.send", "no.such"), false);
    assert.equal(await call(cluster, "web1", "mine.update", kwargs({ mine_functions: ["test.version"] })), true);
    assert.deepEqual(Object.keys(mined(cluster, "web1")!).sort(), ["greeting", "test.ping", "test.version"]);
    assert.equal(await call(cluster, "web1", "mine.delete", "test.ping"), true);
    assert.deepEqual(await call(cluster, "web1", "mine.get", "*", ["greeting", "test.ping"]), {
      greeting: { web1: "hello" },
    });
    assert.equal(await call(cluster, "web1", "mine.flush"), true);
    assert.equal(mined(cluster, "web1"), undefined);
  });

  test("returns the valid configuration, without functions that do not exist", TIMEOUT, async () => {
    await using cluster = await startCluster({ minion: { mine_functions } });
    assert.deepEqual(await call(cluster, "web1", "mine.valid"), {
      "test.echo": ["mined"],
      secret: { "test.echo": ["for web2"] },
      named: { "test.arg": [{ a: 1 }] },
      "test.exception": ["fails"],
    });
  });
});

describe("publish", TIMEOUT, () => {
  const peer = { web1: ["test.*"] };

  /**
   * The answer to a call during which the minion polls for returns. The clock stands still until as many minions as are
   * expected have returned.
   */
  async function asked(cluster: Cluster, id: string, fun: string, ...arg: unknown[]): Promise<unknown> {
    const answer = call(cluster, id, fun, ...arg);
    let over = false;
    void answer.catch(() => {}).finally(() => over = true);
    const before = cluster.events.length;
    const returned = () => {
      const events = cluster.events.slice(before);
      const targets = events.filter(({ tag, data }) => /^salt\/job\/\d+\/new$/.test(tag) && data.fun !== fun)
        .flatMap(({ data }) => data.minions as string[]).filter((minion) => minion !== "ghost");
      return targets.length <= events.filter(({ tag }) => /^salt\/job\/\d+\/ret\//.test(tag)).length;
    };
    await until(() => {
      if (!over && returned() && cluster.clock.waits.includes(300)) cluster.clock.advance(300);
      return over;
    });
    return await answer;
  }

  test("runs jobs on other minions, if the master permits them", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1", "web2"], master: { peer } });
    assert.deepEqual(await asked(cluster, "web1", "publish.publish", "*", "test.ping"), { web1: true, web2: true });
    assert.deepEqual(await asked(cluster, "web1", "publish.publish", "web2", "test.arg_clean", "[1, two, three=3]"), {
      web2: { args: [1, "two"], kwargs: { three: 3 } },
    });
    assert.deepEqual(await asked(cluster, "web1", "publish.full_data", "web2", "test.echo", "x"), {
      web2: { ret: "x" },
    });
    for (const fun of ["cmd.run", "publish.publish"]) {
      assert.deepEqual(await asked(cluster, "web1", "publish.publish", "*", fun, "id"), {});
    }
    assert.deepEqual(await asked(cluster, "web2", "publish.publish", "*", "test.ping"), {});
  });

  test("waits until its timeout for minions that do not answer", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web1", "web2"], master: { peer } });
    cluster.acceptKey("ghost");
    const began = cluster.clock.now();
    assert.deepEqual(await asked(cluster, "web1", "publish.publish", "*", "test.ping", kwargs({ timeout: 1 })), {
      web1: true,
      web2: true,
    });
    const took = cluster.clock.now() - began;
    assert.ok(took >= 1000 && took < 5000, `${took} ms`);
  });

  test("minion_publish answers with the returns", TIMEOUT, async () => {
    await using cluster = await startCluster({ minions: ["web2"], master: { peer: { db1: ["test.*"] } } });
    cluster.acceptKey("db1");
    const db = await cluster.peer("db1");
    const job = { cmd: "minion_publish", fun: "test.echo", arg: ["x"], tgt: "web2", tgt_type: "glob", ret: "", tmo: 5 };
    assert.deepEqual(await db.send(job), { web2: "x" });
    // Published by the master, as in Salt; the load names the sender.
    const published = await cluster.event(/\/new$/);
    assert.equal(published.data.user, cluster.runtime.host.user().name);
    const full = await db.send({ ...job, form: "full" }) as Record<string, Record<string, unknown>>;
    assert.deepEqual([full.web2!.ret, full.web2!.retcode, full.web2!.fun], ["x", 0, "test.echo"]);
    assert.match(String(full.__jid__), /^\d{20}$/);
    assert.deepEqual(await db.send({ ...job, fun: "cmd.run" }), {});
    assert.deepEqual(await db.send({ ...job, tmo: "soon" }), {});
  });
});
