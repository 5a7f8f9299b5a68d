/** What becomes of a return: on the bus, in the job cache, and when it is nobody's. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cleanPem } from "../../src/crypto/rsa_key.ts";
import { decode } from "../../src/wire/msgpack.ts";
import { type Cluster, PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 30_000 };
const JID = "20240506070809123456";

function master(opts: Record<string, unknown> = {}): Promise<Cluster> {
  return startCluster({
    minions: [],
    master: opts,
    prepare({ fs }, root) {
      for (const id of ["web1", "db1"]) fs.write(`${root}/pki/minions/${id}`, cleanPem(PAIRS.minion.publicPem));
    },
  });
}
const load = { cmd: "_return", jid: JID, fun: "test.echo", fun_args: ["x"], return: "x", retcode: 0, success: true };
const stored = (cluster: Cluster, jid = JID) =>
  cluster.master.services.jobs.returns(jid).map(({ minion, return: value }) => [
    minion,
    decode(value.bytes, { mode: "bin" }),
  ]);
const fired = (cluster: Cluster) => cluster.events.filter(({ tag }) => tag.includes("/ret/"));

describe("_return", TIMEOUT, () => {
  test("of a job that nobody has published is kept with what it tells of the job", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    assert.equal(await peer.send(load), null);
    assert.deepEqual(stored(cluster), [["web1", "x"]]);
    const { arg, fun, tgt } = cluster.master.services.jobs.load(JID)!;
    assert.deepEqual([fun, arg, tgt], ["test.echo", ["x"], "web1"]);
    const [event] = fired(cluster);
    assert.equal(event!.tag, `salt/job/${JID}/ret/web1`);
    assert.equal(event!.data.return, "x");
    assert.ok(!("tok" in event!.data) && !("nonce" in event!.data));
  });

  test("a second time is told to the bus and does not replace the first", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send(load);
    await peer.send({ ...load, return: "changed" });
    assert.deepEqual(stored(cluster), [["web1", "x"]]);
    assert.equal(fired(cluster).length, 2);
  });

  test("without a job of its own is given a jid", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({ ...load, jid: "req" });
    const [job] = [...cluster.master.services.jobs.list()];
    assert.match(job!.jid, /^\d{20}$/);
    assert.deepEqual(stored(cluster, job!.jid), [["web1", "x"]]);
  });

  for (
    const [name, opts, events, kept] of [
      ["job_cache off", { job_cache: false }, 1, 0],
      ["an ext_job_cache", { ext_job_cache: "redis" }, 1, 0],
      ["require_minion_sign_messages", { require_minion_sign_messages: true }, 0, 0],
    ] as const
  ) {
    test(`with ${name}: ${events} events, ${kept} kept`, TIMEOUT, async () => {
      await using cluster = await master(opts);
      const peer = await cluster.peer("web1");
      await peer.send(load);
      assert.equal(fired(cluster).length, events);
      assert.equal(stored(cluster).length, kept);
    });
  }
});

describe("_syndic_return", TIMEOUT, () => {
  const part = {
    jid: JID,
    fun: "test.echo",
    fun_args: ["x"],
    return: { db1: { return: "x", retcode: 0, success: true }, far: { return: "y", retcode: 0, success: true } },
  };

  test("with order_masters counts for the minions below the syndic", TIMEOUT, async () => {
    await using cluster = await master({ order_masters: true });
    const peer = await cluster.peer("web1");
    await peer.send({ cmd: "_syndic_return", load: [part] });
    assert.deepEqual(stored(cluster), [["db1", "x"], ["far", "y"]]);
    assert.deepEqual(fired(cluster).map(({ tag }) => tag.split("/").at(-1)), ["db1", "far"]);
    await peer.send({
      cmd: "_minion_event",
      events: [{ tag: "salt/minion/far/start", data: { id: "far" } }],
      pretag: "syndic/web1",
    });
    assert.ok(cluster.events.some(({ tag }) => tag === "syndic/web1/salt/minion/far/start"));
  });
});
