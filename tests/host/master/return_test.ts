/** What the master does with a return: on the bus, in the job cache, and where no job expects it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { SystemError } from "../../../src/base/errors.ts";
import { publishJob } from "../../../src/host/master/jobs/publication.ts";
import { jobReturned } from "../../../src/host/master/commands/return.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { type Cluster, PAIRS, startCluster } from "../../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };
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
const stored = async (cluster: Cluster, jid = JID) =>
  (await cluster.master.services.jobs.returns(jid)).map(({ minion, return: value }) => [
    minion,
    decode(value.bytes, { mode: "bin" }),
  ]);
const fired = (cluster: Cluster) => cluster.events.filter(({ tag }) => tag.includes("/ret/"));
const complaints = (cluster: Cluster) =>
  cluster.captured.records.filter(({ message }) => message === "return refused").map(({ fields }) => fields);

/** A job of the master for these minions. */
async function publish(cluster: Cluster, minions = ["web1"]): Promise<string> {
  const job = { tgt: "*", tgt_type: "glob", fun: "test.echo", arg: ["x"], ret: "", user: "root", jid: "", kwargs: {} };
  return (await publishJob(cluster.master.services, job, minions, []))!.jid;
}

describe("_return", TIMEOUT, () => {
  test("of a target is stored in its job, and fired on the bus", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const jid = await publish(cluster);
    assert.equal(await peer.send({ ...load, jid }), null);
    assert.deepEqual(await stored(cluster, jid), [["web1", "x"]]);
    const [event] = fired(cluster);
    assert.equal(event!.tag, `salt/job/${jid}/ret/web1`);
    assert.equal(event!.data.return, "x");
    assert.equal(typeof event!.data.ts, "number");
    assert.ok(!("tok" in event!.data) && !("nonce" in event!.data));
    assert.deepEqual(await cluster.master.services.jobs.unsettled(), []);
  });

  test("of an unknown job is refused, logged and counted", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    assert.equal(await peer.send(load), null);
    await peer.send(load);
    assert.deepEqual(await cluster.jids(), []);
    assert.deepEqual(fired(cluster), []);
    assert.deepEqual(complaints(cluster).map(({ why, id, jid, count }) => [why, id, jid, count]), [
      ["unknown job", "web1", JID, 1],
      ["unknown job", "web1", JID, 2],
    ]);
    assert.equal(cluster.master.services.refused["unknown job"], 2);
  });

  test("of a minion that is not a target is refused, while the job is open and after", TIMEOUT, async () => {
    await using cluster = await master();
    const [web, db] = [await cluster.peer("web1"), await cluster.peer("db1")];
    const jid = await publish(cluster);
    await db.send({ ...load, jid, return: "mine" });
    await web.send({ ...load, jid });
    await db.send({ ...load, jid, return: "mine" });
    assert.deepEqual(await stored(cluster, jid), [["web1", "x"]]);
    assert.equal(fired(cluster).length, 1);
    assert.equal(cluster.master.services.refused["not a target"], 2);
  });

  test("a second time does not replace the first, and fires no event", TIMEOUT, async () => {
    await using cluster = await master();
    const [web, db] = [await cluster.peer("web1"), await cluster.peer("db1")];
    const jid = await publish(cluster, ["web1", "db1"]);
    await web.send({ ...load, jid });
    await web.send({ ...load, jid, return: "changed" });
    await db.send({ ...load, jid });
    await web.send({ ...load, jid, return: "changed after all are in" });
    assert.deepEqual(await stored(cluster, jid), [["db1", "x"], ["web1", "x"]]);
    assert.equal(fired(cluster).length, 2);
    assert.equal(cluster.master.services.refused["returned before"], 2);
  });

  test("in another minion's name is refused", TIMEOUT, async () => {
    await using cluster = await master();
    const jid = await publish(cluster, ["db1"]);
    assert.equal(await jobReturned(cluster.master.services, { ...load, jid, id: "db1" }, "web1"), null);
    assert.deepEqual(await stored(cluster, jid), []);
    assert.equal(cluster.master.services.refused.impostor, 1);
  });

  test("with an invalid jid changes nothing", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    for (const jid of ["../../x", "2024", "", 7, null]) await peer.send({ ...load, jid });
    assert.deepEqual(await cluster.jids(), []);
    assert.equal(cluster.master.services.refused.malformed, 5);
  });

  test("without a job of its own is given a jid", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({ ...load, jid: "req" });
    const [jid] = await cluster.jids();
    assert.match(jid!, /^\d{20}$/);
    assert.deepEqual(await stored(cluster, jid), [["web1", "x"]]);
    const { arg, fun, tgt } = (await cluster.master.services.jobs.load(jid!))!;
    assert.deepEqual([fun, arg, tgt], ["test.echo", ["x"], "web1"]);
  });

  test("of a minion's own schedule is kept as a job of its own", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    await peer.send({ ...load, schedule: "nightly" });
    assert.deepEqual(await stored(cluster), [["web1", "x"]]);
    assert.deepEqual(await cluster.master.services.jobs.minions(JID), ["web1"]);
  });

  for (
    const { what, opts, more, want } of [
      { what: "jobs", opts: { minion_jobs_hourly: 3 }, more: {}, want: 3 },
      { what: "bytes", opts: { minion_job_bytes_hourly: 5000 }, more: { return: "x".repeat(2000) }, want: 2 },
      {
        what: "bytes of arguments",
        opts: { minion_job_bytes_hourly: 7000 },
        more: { fun_args: ["x".repeat(2000)] },
        want: 2,
      },
      { what: "any number of jobs", opts: { minion_jobs_hourly: 0, minion_job_bytes_hourly: 0 }, more: {}, want: 5 },
    ]
  ) {
    test(`that nobody has asked for is kept within an hour's ${what} of its minion`, TIMEOUT, async () => {
      await using cluster = await master(opts);
      const peer = await cluster.peer("web1");
      for (let at = 0; at < 5; at++) {
        const own = at % 2 === 0 ? { jid: "req" } : { jid: `2024050607000012300${at}`, schedule: "nightly" };
        await peer.send({ ...load, ...more, ...own });
      }
      assert.equal((await cluster.jids()).length, want);
      assert.equal(cluster.master.services.refused["too many jobs"], 5 - want);
      cluster.acceptKey("web2");
      const other = await cluster.peer("web2");
      await other.send({ ...load, id: "web2", jid: "req" });
      assert.equal((await cluster.jids()).length, want + 1, "another minion has a quota of its own");
    });
  }

  test("that is larger than max_return_size leaves a failure that says so", TIMEOUT, async () => {
    await using cluster = await master({ max_return_size: 1000 });
    const peer = await cluster.peer("web1");
    const jid = await publish(cluster);
    await peer.send({ ...load, jid, return: "x".repeat(2000) });
    const [only] = await cluster.master.services.jobs.returns(jid);
    assert.match(String(decode(only!.return.bytes, { mode: "bin" })), /2003 bytes.*max_return_size \(1000\)/);
    assert.deepEqual([only!.retcode, only!.success], [1, false]);
    assert.deepEqual([fired(cluster)[0]!.data.retcode, fired(cluster)[0]!.data.success], [1, false]);
  });

  test("that cannot be stored is not acknowledged, and is accepted when it is sent again", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const jid = await publish(cluster);
    const { jobs } = cluster.master.services;
    const flush = jobs.flush.bind(jobs);
    jobs.flush = () => {
      throw new SystemError("ENOSPC", "no space left");
    };
    const given = peer.requests.send({ ...load, jid }, { tries: 1, timeoutMs: 5000 });
    const unanswered = assert.rejects(given, { code: "TIMEOUT" });
    await until(() => cluster.captured.complaints().some((line) => line.startsWith("job cache could not")));
    await cluster.clock.waiting(5000);
    cluster.clock.advance(5000);
    await unanswered;
    assert.deepEqual(fired(cluster), []);
    jobs.flush = flush;
    // The memory cache keeps the changes: a real one rolls them back.
    assert.equal(await peer.send({ ...load, jid }), null);
    assert.equal((await stored(cluster, jid)).length, 1);
  });

  test("is acknowledged by a flush that began when it had been saved, and so is the second", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const jid = await publish(cluster);
    const { jobs } = cluster.master.services;
    const [flush, saveReturn] = [jobs.flush.bind(jobs), jobs.saveReturn.bind(jobs)];
    const [asking, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [saving, slow] = [false, false];
    // Like a remote cache: it is asked for the return before it stores one.
    jobs.saveReturn = async (...args) => {
      saving = true;
      await asking.promise;
      slow = true;
      return saveReturn(...args);
    };
    jobs.flush = () => slow ? disk.promise.then(flush) : flush();
    const answers: string[] = [];
    const first = peer.send({ ...load, jid }).then(() => answers.push("first"));
    await until(() => saving);
    const second = peer.send({ ...load, jid }).then(() => answers.push("second"));
    await turns(30);
    asking.resolve();
    await turns(30);
    assert.deepEqual(answers, []);
    disk.resolve();
    await Promise.all([first, second]);
    assert.equal((await stored(cluster, jid)).length, 1);
  });

  test("among several in one request is accepted or refused by itself", TIMEOUT, async () => {
    await using cluster = await master();
    const web = await cluster.peer("web1");
    const jids = [await publish(cluster), await publish(cluster), await publish(cluster, ["db1"])];
    const returns = [
      { ...load, jid: jids[0] },
      { ...load, jid: jids[1], return: { deep: [1, "x"] } },
      { ...load, jid: jids[0], return: "a second time" },
      { ...load, jid: jids[2], return: "of another" },
      { ...load, jid: jids[2], id: "db1", return: "in another's name" },
      { ...load, jid: "../../etc" },
    ];
    const handIn = (packed: unknown[]) => web.send({ cmd: "_jobs", returns: packed });
    const packed = returns.map((one) => encode({ id: "web1", ...one }, "wire"));
    assert.deepEqual(await handIn([...packed, "text", encode(7, "wire"), new Uint8Array([0xc1])]), {
      kept: Array(9).fill(true),
    });
    assert.deepEqual(await stored(cluster, jids[0]), [["web1", "x"]]);
    assert.deepEqual(await stored(cluster, jids[1]), [["web1", { deep: [1, "x"] }]]);
    assert.deepEqual(await stored(cluster, jids[2]), []);
    assert.deepEqual(fired(cluster).map(({ tag }) => tag), jids.slice(0, 2).map((jid) => `salt/job/${jid}/ret/web1`));
    const alone = await publish(cluster);
    await web.send({ ...load, jid: alone });
    const [first, , third] = fired(cluster).map(({ data }) => Object.keys(data).sort());
    assert.deepEqual(first, third, "as if it had come alone");
    const { refused } = cluster.master.services;
    assert.deepEqual(
      [refused["returned before"], refused["not a target"], refused.impostor, refused.malformed],
      [1, 1, 1, 3],
    );
    assert.match(cluster.captured.text(), /return could not be handled/);
  });

  test("is still expected after a list of jobs that an acknowledgement has overtaken on its way", TIMEOUT, async () => {
    await using cluster = await master();
    const web = await cluster.peer("web1");
    const jid = await publish(cluster);
    const outcome = async () => (await cluster.master.services.ledger.outcomes(jid)).map(({ state }) => state);
    const states = [[jid, "started", ""]];
    await web.send({ cmd: "_jobs", states, order: ["a", 2] });
    await web.send({ cmd: "_jobs", present: true, known: [], order: ["a", 1] });
    assert.deepEqual(await outcome(), ["started"]);
    await web.send({ cmd: "_jobs", present: true, known: [], order: ["a", 3] });
    assert.deepEqual(await outcome(), ["lost"]);
  });

  test("is not expected of another run of the minion that does not know the job", TIMEOUT, async () => {
    for (const order of [["b", 1], undefined, ["a".repeat(40), 1], ["a", "1"]]) {
      await using cluster = await master();
      const web = await cluster.peer("web1");
      const jid = await publish(cluster);
      await web.send({ cmd: "_jobs", states: [[jid, "started", ""]], order: ["a", 2] });
      await web.send({ cmd: "_jobs", present: true, known: [], ...(order === undefined ? {} : { order }) });
      assert.deepEqual((await cluster.master.services.ledger.outcomes(jid)).map(({ state }) => state), ["lost"]);
    }
  });

  test("among several that cannot be stored is asked for again", TIMEOUT, async () => {
    await using cluster = await master();
    const peer = await cluster.peer("web1");
    const jids = [await publish(cluster), await publish(cluster)];
    const returns = jids.map((jid) => encode({ ...load, id: "web1", jid }, "wire"));
    const { jobs } = cluster.master.services;
    const flush = jobs.flush.bind(jobs);
    jobs.flush = () => {
      throw new SystemError("ENOSPC", "no space left");
    };
    assert.deepEqual(await peer.send({ cmd: "_jobs", returns }), { kept: [false, false] });
    assert.deepEqual(fired(cluster), []);
    jobs.flush = flush;
    // The memory cache keeps the changes: a real one rolls them back.
    assert.deepEqual(await peer.send({ cmd: "_jobs", returns }), { kept: [true, true] });
    for (const jid of jids) assert.equal((await stored(cluster, jid)).length, 1);
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
      const jid = await publish(cluster);
      await peer.send({ ...load, jid });
      assert.equal(fired(cluster).length, events);
      assert.equal((await stored(cluster, jid)).length, kept);
    });
  }
});

/** A master of masters, and a syndic that brings returns of jobs which nobody has published there. */
async function inventing(cluster: Awaited<ReturnType<typeof master>>, id: string) {
  const peer = await cluster.peer(id);
  return async (number: number) => {
    const jid = `2024050607${String(number).padStart(10, "0")}`;
    const part = { jid, fun: "test.echo", fun_args: ["x"], return: { [`far${id}`]: { return: "x", retcode: 0 } } };
    await peer.send({ cmd: "_syndic_return", load: [part] });
    return (await stored(cluster, jid)).length;
  };
}

describe("_syndic_return", TIMEOUT, () => {
  test(
    "of jobs that a syndic makes up is taken so often in an hour, for each syndic, and no more",
    TIMEOUT,
    async () => {
      await using cluster = await master({ order_masters: true, syndic_jobs_hourly: 3 });
      const one = await inventing(cluster, "web1");
      assert.deepEqual([await one(1), await one(2), await one(3), await one(4)], [1, 1, 1, 0]);
      assert.equal(cluster.master.services.refused["too many jobs"], 1);
      cluster.acceptKey("web2");
      const other = await inventing(cluster, "web2");
      assert.equal(await other(5), 1, "another syndic has a quota of its own");
    },
  );

  const part = {
    jid: JID,
    fun: "test.echo",
    fun_args: ["x"],
    return: { db1: { return: "x", retcode: 0, success: true }, far: { return: "y", retcode: 0, success: true } },
  };

  test(
    "with order_masters counts for the minions below the syndic, and for none with a key here",
    TIMEOUT,
    async () => {
      await using cluster = await master({ order_masters: true });
      const peer = await cluster.peer("web1");
      await peer.send({ cmd: "_syndic_return", load: [part] });
      assert.deepEqual(await stored(cluster), [["far", "y"]]);
      assert.deepEqual(fired(cluster).map(({ tag }) => tag.split("/").at(-1)), ["far"]);
      await peer.send({
        cmd: "_minion_event",
        events: [{ tag: "salt/minion/far/start", data: { id: "far" } }],
        pretag: "syndic/web1",
      });
      assert.ok(cluster.events.some(({ tag }) => tag === "syndic/web1/salt/minion/far/start"));
    },
  );
});
