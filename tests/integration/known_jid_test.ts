/** A caller that publishes under a jid in use can only repeat its own job. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { deferred } from "../../src/base/async/deferred.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { decode, encode } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, type ClusterOptions, type Peer, startCluster } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const JID = "20240506070809123456";
const REFUSED = /^Cannot publish: The jid 20240506070809123456 belongs to another job/;

const ROOT = {};
const ALICE = { eauth: "file", username: "alice", password: "wonder" };
/** May run everything everywhere, but is a different user. */
const ADMIN = { eauth: "file", username: "admin", password: "secret" };

interface Site extends AsyncDisposable {
  cluster: Cluster;
  publish(who: Record<string, unknown>, job: Record<string, unknown>): Promise<Json>;
  asMinion(id: string): Promise<Peer>;
}

async function site(options: ClusterOptions = {}): Promise<Site> {
  const cluster = await startCluster({
    minions: ["web1"],
    ...options,
    master: {
      external_auth: { file: { "^filename": "/brine/users", alice: [{ web1: [".*"] }], admin: [".*", "@runner"] } },
      peer: { ".*": [".*"] },
      ...options.master,
    },
    prepare(runtime) {
      runtime.fs.write("/brine/users", "alice:wonder\nadmin:secret\n", { mode: 0o600 });
    },
  });
  cluster.acceptKey("db1");
  return {
    cluster,
    async publish(who, job) {
      const key = who === ROOT ? cluster.runtime.fs.readText(`${cluster.root}/cache/.root_key`) : "";
      const load = { cmd: "publish", tgt_type: "list", ret: "", user: "root", key, arg: [], kwargs: who, ...job };
      const reply = await cluster.exchange()(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 60_000 });
      return decode(reply, { mode: "wire" }) as Json;
    },
    asMinion: (id) => cluster.peer(id),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

/** Root's job, for an unreachable minion. */
const QUEUED = { jid: JID, tgt: ["db1"], fun: "test.echo", arg: ["root's"], kwargs: { queue: 3600 } };

/** Connects as db1, and returns the loads that the master has for it. */
async function comesBack({ asMinion }: Site): Promise<Json[]> {
  const db1 = await asMinion("db1");
  return (await db1.send({ cmd: "_jobs", present: true, known: [] }) as Json).jobs;
}

describe("the jid of an open job", TIMEOUT, () => {
  const attempts: { name: string; who: Record<string, unknown>; job: Record<string, unknown> }[] = [
    {
      name: "another function, within the user's permissions",
      who: ALICE,
      job: { tgt: ["web1"], fun: "cmd.run", arg: ["id"] },
    },
    { name: "other arguments", who: ALICE, job: { tgt: ["web1"], fun: "test.echo", arg: ["alice's"] } },
    { name: "the same call by another user", who: ADMIN, job: { tgt: ["web1"], fun: "test.echo", arg: ["root's"] } },
    { name: "the same target by another user", who: ADMIN, job: { tgt: ["db1"], fun: "test.echo", arg: ["mine"] } },
    { name: "other arguments of the same user", who: ROOT, job: { tgt: ["web1"], fun: "test.echo", arg: ["other"] } },
    {
      name: "another returner of the same user",
      who: ROOT,
      job: { tgt: ["web1"], fun: "test.echo", arg: ["root's"], ret: "local" },
    },
    {
      name: "another executor of the same user",
      who: ROOT,
      job: { tgt: ["web1"], fun: "test.echo", arg: ["root's"], kwargs: { module_executors: ["sudo"] } },
    },
  ];
  for (const { name, who, job } of attempts) {
    test(`is refused for ${name}, and its load stays`, async () => {
      await using here = await site();
      const first = await here.publish(ROOT, QUEUED);
      assert.equal(first.load.jid, JID);
      const before = await here.cluster.master.services.jobs.load(JID);
      const { kwargs, ...rest } = job as { kwargs?: Record<string, unknown> };
      const second = await here.publish(who, { jid: JID, ...rest, kwargs: { ...who, ...kwargs } });
      assert.match(second.load.error, REFUSED);
      assert.deepEqual(await here.cluster.master.services.jobs.load(JID), before);
      assert.deepEqual(await here.cluster.master.services.jobs.minions(JID), ["db1"]);
      const [load, ...more] = await comesBack(here);
      assert.deepEqual(more, []);
      assert.deepEqual([load.fun, load.arg, load.user], ["test.echo", ["root's"], "root"]);
    });
  }

  test("is accepted from the same user for the same call: a retry, and more targets", async () => {
    await using here = await site();
    await here.publish(ROOT, QUEUED);
    const retry = await here.publish(ROOT, QUEUED);
    assert.deepEqual([retry.load.jid, retry.load.minions], [JID, ["db1"]]);
    const more = await here.publish(ROOT, { ...QUEUED, tgt: ["web1"] });
    assert.deepEqual([more.load.jid, more.load.minions], [JID, ["web1"]]);
    await here.cluster.event(`salt/job/${JID}/ret/web1`);
    const { jobs } = here.cluster.master.services;
    assert.deepEqual((await jobs.load(JID))!.tgt, ["db1"]);
    assert.deepEqual(await jobs.minions(JID), ["db1", "web1"]);
    const [load] = await comesBack(here);
    assert.deepEqual(load.arg, ["root's"]);
  });

  test("two concurrent publications under it: one gets it, and the other is compared with that", async () => {
    await using here = await site();
    const [one, other, again] = await Promise.all([
      here.publish(ROOT, QUEUED),
      here.publish(ADMIN, { ...QUEUED, fun: "test.arg", kwargs: { ...ADMIN, queue: 3600 } }),
      here.publish(ROOT, QUEUED),
    ]);
    const errors = [one, other, again].filter(({ load }) => load.error !== undefined);
    const { fun } = (await here.cluster.master.services.jobs.load(JID))!;
    assert.equal(errors.length, fun === "test.arg" ? 2 : 1);
    for (const { load } of errors) assert.match(load.error, REFUSED);
  });

  test("stays reserved after a restart of the master", async () => {
    await using here = await site({ jobs: memoryJobCache(() => 0) });
    await here.publish(ROOT, QUEUED);
    await here.cluster.master.close();
    await here.cluster.startMaster();
    const { load } = await here.publish(ALICE, { jid: JID, tgt: ["web1"], fun: "cmd.run", arg: ["id"] });
    assert.match(load.error, REFUSED);
    assert.deepEqual((await comesBack(here))[0].arg, ["root's"]);
  });
});

describe("the jid of a finished job", TIMEOUT, () => {
  async function finished(here: Site): Promise<void> {
    await here.publish(ROOT, { jid: JID, tgt: ["web1"], fun: "test.echo", arg: ["root's"] });
    await here.cluster.event(`salt/job/${JID}/ret/web1`);
    await until(() => here.cluster.master.services.ledger.size === 0);
  }

  test("is refused to other users: the record of the job stays", async () => {
    await using here = await site();
    await finished(here);
    const { jobs } = here.cluster.master.services;
    const before = [await jobs.load(JID), await jobs.minions(JID), await jobs.returns(JID)];
    const { load } = await here.publish(ALICE, { jid: JID, tgt: ["web1"], fun: "test.echo", arg: ["alice's"] });
    assert.match(load.error, REFUSED);
    assert.deepEqual([await jobs.load(JID), await jobs.minions(JID), await jobs.returns(JID)], before);
  });

  test("a retry of it runs on no minion again, and the job stays finished", async () => {
    await using here = await site();
    await finished(here);
    const { load } = await here.publish(ROOT, { jid: JID, tgt: ["web1"], fun: "test.echo", arg: ["root's"] });
    assert.deepEqual([load.jid, load.minions], [JID, ["web1"]]);
    await until(() => here.cluster.master.services.ledger.size === 0);
    assert.equal(here.cluster.events.filter(({ tag }) => tag === `salt/job/${JID}/ret/web1`).length, 1);
    assert.deepEqual(await here.cluster.master.services.jobs.unsettled(), []);
  });
});

test("the jid of a running runner is refused to publications, and its record stays", TIMEOUT, async () => {
  const over = deferred<{ status: string; printed: string }>();
  await using here = await site({ runners: { run: () => over.promise, close: () => Promise.resolve() } });
  const { cluster } = here;
  const ask = { cmd: "runner", fun: "test.sleep", kwarg: {}, ...ADMIN };
  const reply = await cluster.exchange()(encode({ enc: "clear", load: ask, version: 3 }, "wire"), {
    timeoutMs: 60_000,
  });
  const { jid } = decode(reply, { mode: "wire" }) as Json;
  for (const who of [ALICE, ADMIN]) {
    const { load } = await here.publish(who, { jid, tgt: ["web1"], fun: "test.ping", kwargs: who });
    assert.match(load.error ?? "", /^Cannot publish: The jid \d{20} belongs to another job/);
  }
  over.resolve({ status: "killed", printed: "" });
  await cluster.event(`salt/run/${jid}/ret`);
  const record = await cluster.master.services.jobs.load(jid);
  assert.deepEqual([record?.fun, record?.user], ["runner.test.sleep", "admin"]);
});

describe("jids that minions choose", TIMEOUT, () => {
  test("a publication of a minion gets a jid from the master, whatever jid it requests", async () => {
    await using here = await site();
    await here.publish(ROOT, QUEUED);
    const db1 = await here.asMinion("db1");
    for (const cmd of ["minion_pub", "minion_publish"]) {
      const load = {
        cmd,
        fun: "test.echo",
        arg: ["db1's"],
        tgt: "web1",
        tgt_type: "glob",
        ret: "",
        jid: JID,
        form: "full",
      };
      const answer = await db1.send(load) as Json;
      const jid = answer.jid ?? answer.__jid__;
      assert.match(jid, /^\d{20}$/);
      assert.notEqual(jid, JID);
    }
    assert.deepEqual((await here.cluster.master.services.jobs.load(JID))!.arg, ["root's"]);
  });

  test("a job that a minion started itself does not change the record of another job under the same jid", async () => {
    await using here = await site();
    await here.publish(ROOT, { ...QUEUED, kwargs: {} });
    const { jobs } = here.cluster.master.services;
    const before = await jobs.load(JID);
    const web1 = await here.asMinion("web1");
    for (const more of [{ schedule: "nightly" }, {}]) {
      await web1.send({ cmd: "_return", id: "web1", jid: JID, fun: "test.ping", fun_args: [], return: true, ...more });
    }
    assert.deepEqual(await jobs.load(JID), before);
    assert.deepEqual(await jobs.returns(JID), []);
  });

  test("a job that a minion started itself allows no publication under its jid", async () => {
    await using here = await site();
    const web1 = await here.asMinion("web1");
    const own = {
      id: "web1",
      jid: JID,
      fun: "test.echo",
      fun_args: ["root's"],
      arg: ["root's"],
      user: "root",
      ret: "",
    };
    await web1.send({ cmd: "_return", ...own, return: true, schedule: "nightly", module_executors: ["sudo"] });
    const { load } = await here.publish(ROOT, QUEUED);
    assert.match(load.error, REFUSED);
  });
});
