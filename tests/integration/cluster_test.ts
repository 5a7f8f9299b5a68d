import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { minionJobs } from "../../src/host/master/commands/jobs.ts";
import { encode, Packed } from "../../src/protocol/wire/msgpack.ts";
import type { Cluster } from "../support/start_cluster.ts";
import { Masters } from "../support/start_masters.ts";

/** The returns of one job by a client on a master's host: minion → value. */
async function run(place: Cluster, tgt: string, fun: string, arg: unknown[] = []): Promise<Record<string, unknown>> {
  const client = await place.client();
  const found: Record<string, unknown> = {};
  for await (const outcome of client.run({ tgt, fun, arg }, { timeoutMs: 30_000 })) {
    found[outcome.id] = outcome.kind === "returned" ? outcome.return : outcome.kind;
  }
  return found;
}

const pings = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, true]));

test("any master publishes to the minions of all, and sees all returns", async () => {
  await using masters = await Masters.start([["web1", "web2"], ["db1"]]);
  for (const at of [0, 1]) assert.deepEqual(await run(masters.at(at), "*", "test.ping"), pings("web1", "web2", "db1"));
});

test("events of one master reach the buses of the others, once, and say where they come from", async () => {
  await using masters = await Masters.start([["web1"], []]);
  const origins: (string | undefined)[] = [];
  masters.at(1).master.services.bus.on(({ tag, origin }) => void (tag === "my/tag" && origins.push(origin)));
  masters.at(0).master.services.bus.fire("my/tag", { answer: 42 });
  await until(() => origins.length > 0);
  masters.at(1).master.services.bus.fire("my/tag", {});
  await until(() => origins.length > 1);
  assert.match(origins[0]!, /^a\//);
  assert.equal(origins[1], undefined);
  await until(() => masters.at(0).events.filter(({ tag }) => tag === "my/tag").length >= 2);
});

test("the minions of all masters are present on each", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  for (const at of [0, 1]) {
    const { presence } = masters.at(at).master.services;
    await until(() => presence.connected("web1") && presence.connected("db1"));
  }
  await masters.at(0).minions.get("web1")!.close();
  await until(() => !masters.at(1).master.services.presence.connected("web1"));
});

test("publications are numbered alike and under one key: a minion that moves refuses none", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  await run(a, "*", "test.ping");
  await a.minions.get("web1")!.close();
  const moved = await b.startMinion("web1");
  await moved.ready;
  assert.deepEqual(await run(a, "*", "test.ping"), pings("web1", "db1"));
  a.master.services.rotateMasterKey();
  assert.deepEqual(await run(b, "*", "test.ping"), pings("web1", "db1"));
});

test("publications that are numbered lower than before get a new key: minions refuse none of them for good", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  for (let job = 0; job < 3; job++) await run(a, "*", "test.ping");
  const key = () => masters.ledger.kinds.get("cluster")!.records.get("publication key")!.version;
  const before = key();
  masters.broker.remake("publications");
  assert.deepEqual(await run(a, "*", "test.ping"), pings("web1", "db1"));
  assert.equal(key(), before + 1);
  assert.ok(a.captured.complaints().some((line) => line.startsWith("publications have lower numbers than before")));
  assert.deepEqual(await run(b, "*", "test.ping"), pings("web1", "db1"));
  assert.equal(key(), before + 1);
});

test("the open jobs of a master that is gone are taken over, and their returns kept", async () => {
  await using masters = await Masters.start([[], ["db1"], ["app1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const client = await a.client();
  const { jid } = (await client.publish({ tgt: "*", fun: "test.sleep", arg: [3] }))!;
  await until(() => b.events.some(({ tag }) => tag === `salt/job/${jid}/new`));
  masters.cut(0);
  await until(() => [1, 2].some((at) => masters.at(at).master.services.ledger.loadOf(jid) !== undefined));
  const owners = [1, 2].filter((at) => masters.at(at).master.services.ledger.loadOf(jid) !== undefined);
  assert.equal(owners.length, 1);
  const { services } = masters.at(owners[0]!).master;
  await until(() => services.ledger.loadOf(jid) === undefined);
  const returns = await services.jobs.returns(jid);
  assert.deepEqual(returns.map(({ minion }) => minion), ["app1", "db1"]);
});

test("a master that was away for longer than its lease decides nothing, begins anew, and goes on", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const client = await a.client();
  const { jid } = (await client.publish({ tgt: "*", fun: "test.sleep", arg: [4] }))!;
  await until(() => b.events.some(({ tag }) => tag === `salt/job/${jid}/new`));
  const before = a.master.services.cluster!.status().name;
  masters.cut(0);
  await until(() => !a.master.services.cluster!.valid);
  await assert.rejects(client.publish({ tgt: "*", fun: "test.ping" }), /Cannot publish/);
  await until(() => b.master.services.ledger.loadOf(jid) !== undefined);
  masters.cut(0, false);
  await until(() => a.master.services.cluster!.valid);
  assert.notEqual(a.master.services.cluster!.status().name, before);
  assert.equal(a.master.services.ledger.loadOf(jid), undefined);
  await until(() => b.master.services.ledger.loadOf(jid) === undefined);
  const { jobs } = b.master.services;
  assert.deepEqual((await jobs.returns(jid)).map(({ minion }) => minion), ["db1", "web1"]);
  await until(() => a.master.services.presence.connected("db1") && b.master.services.presence.connected("web1"));
  assert.deepEqual(await run(a, "*", "test.ping"), pings("web1", "db1"));
  assert.deepEqual(await run(b, "*", "test.ping"), pings("web1", "db1"));
});

test("what a master still has to publish when its lease is gone is not published: another one has the job", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  // The bus stays: only the storage is away, or the process was stopped for a while.
  masters.all[0]!.storage.cut();
  await until(() => !a.master.services.cluster!.valid);
  const records = () => masters.broker.stream("publications").last;
  const before = records();
  a.master.services.send({
    jid: "20240506070809123456",
    fun: "test.ping",
    arg: [],
    tgt: "*",
    tgt_type: "glob",
    ret: "",
  }, [
    "web1",
    "db1",
  ]);
  await until(() => a.captured.complaints().some((line) => line.startsWith("publication not sent")));
  assert.equal(records(), before);
  masters.all[0]!.storage.cut(false);
  await until(() => a.master.services.cluster!.valid);
  assert.deepEqual(await run(b, "*", "test.ping"), pings("web1", "db1"));
});

test("while the bus is away nothing is published, returns are kept, and the job ends once it is back", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const client = await a.client();
  const kinds: string[] = [];
  const running = (async () => {
    for await (const { id, kind } of client.run({ tgt: "*", fun: "test.sleep", arg: [2] })) kinds.push(`${id} ${kind}`);
  })();
  const { tag } = await b.event(/\/new$/);
  const jid = tag.split("/")[2]!;
  for (const { wire } of masters.all) masters.broker.cut(wire);
  await assert.rejects(client.publish({ tgt: "*", fun: "test.ping" }), /Cannot publish: .*bus of the cluster/);
  await until(async () => (await a.master.services.jobs.returns(jid)).length >= 2);
  for (const { wire } of masters.all) masters.broker.mend(wire);
  await running;
  assert.deepEqual(kinds.sort(), ["db1 returned", "web1 returned"]);
});

test("a return that comes by two ways is told of once", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const isReturn = /^salt\/job\/\d+\/ret\/db1$/;
  const [{ tag, data }] = await Promise.all([a.event(isReturn), run(a, "db1", "test.ping")]);
  // As where the event was late, and the return was looked up meanwhile.
  b.master.services.bus.fire(tag, data);
  b.master.services.bus.fire("my/end", {});
  await a.event(/my\/end/);
  assert.equal(a.events.filter((event) => event.tag === tag).length, 1);
});

test("a return whose storing seemed to fail at another master is told of by the owner of its job", async () => {
  await using masters = await Masters.start([["web1"], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const { jobs } = b.master.services;
  const { saveReturn } = jobs;
  // The other master has stored it, and its connection was cut before it knew: it fires no event.
  jobs.saveReturn = async (...args) => {
    jobs.saveReturn = saveReturn;
    await saveReturn(...args);
    return await saveReturn(...args);
  };
  const isReturn = /^salt\/job\/\d+\/ret\/db1$/;
  const [{ tag }, returned] = await Promise.all([a.event(isReturn), run(b, "db1", "test.ping")]);
  assert.deepEqual(returned, pings("db1"));
  b.master.services.bus.fire("my/end", {});
  await a.event(/my\/end/);
  assert.equal(a.events.filter((event) => event.tag === tag).length, 1);
});

test("an event that looks like a return ends no job of another master, and hides no return", async () => {
  await using masters = await Masters.start([[], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const client = await a.client();
  const { jid } = (await client.publish({ tgt: "db1", fun: "test.sleep", arg: [2] }))!;
  const tag = `salt/job/${jid}/ret/db1`;
  // As by the runner event.send, on the master that does not own the job.
  b.master.services.bus.fire(tag, { jid, id: "db1", fun: "test.sleep", fun_args: [2], return: "made up", retcode: 0 });
  const returns = () => a.events.filter((event) => event.tag === tag).map(({ data }) => data.return);
  await until(() => returns().length >= 1);
  assert.equal(a.master.services.ledger.awaitsEnd(jid, "db1"), true);
  await until(() => a.master.services.ledger.loadOf(jid) === undefined);
  assert.deepEqual((await a.master.services.jobs.returns(jid)).map(({ minion }) => minion), ["db1"]);
  await until(() => returns().length >= 2);
});

test("what one master does for all is done by one, and by another when that is gone", async () => {
  await using masters = await Masters.start([[], []]);
  const onDuty = () => masters.all.map(({ place }) => place.master.services.cluster!.onDuty);
  await until(() => onDuty().includes(true));
  assert.equal(onDuty().filter(Boolean).length, 1);
  const first = onDuty().indexOf(true);
  masters.cut(first);
  await until(() => onDuty()[1 - first] === true);
  assert.equal(onDuty()[first], false);
});

test("a master that stops hands its jobs over at once", async () => {
  await using masters = await Masters.start([[], ["db1"]], {}, 30);
  const [a, b] = [masters.at(0), masters.at(1)];
  const client = await a.client();
  const { jid } = (await client.publish({ tgt: "*", fun: "test.sleep", arg: [1] }))!;
  assert.equal((await masters.ledger.open().leases.list("master/")).length, 2);
  await a.master.close();
  const left = await masters.ledger.open().leases.list("master/");
  assert.deepEqual(left.map(({ held }) => held).sort(), [false, true]);
  await until(async () => (await b.master.services.jobs.returns(jid)).length >= 1);
});

test("without a cluster, nothing of it is there", async () => {
  const { Cluster } = await import("../support/start_cluster.ts");
  await using place = await Cluster.start();
  assert.equal(place.master.services.cluster, undefined);
  assert.equal(place.master.services.presence.onChange, undefined);
});

test("keys, data and decisions of one master reach the others, and a revocation with them", async () => {
  await using masters = await Masters.start([["web1"], []]);
  const [a, b] = [masters.at(0).master.services, masters.at(1).master.services];
  await until(() => b.cache.data("web1") !== undefined);
  assert.deepEqual(b.cache.data("web1")!.grains, a.cache.data("web1")!.grains);
  const pem = a.keys.read("accepted", "web1")!;
  a.keys.write("accepted", "new1", pem);
  await until(() => b.keys.accepted("new1") !== undefined);
  await b.keyAdmin.as({ user: "ann", via: "wheel" }).change("reject", { minions: ["new1"] });
  await until(() => a.keys.accepted("new1") === undefined && a.keys.has("rejected", "new1"));
  assert.equal(b.keys.has("rejected", "new1"), true);
});

test("jobs of a takeover whose answer was lost are in the ledger of the new owner, and those it is publishing are left alone", async () => {
  await using masters = await Masters.start([[], ["db1"], []]);
  const [a, b] = [masters.at(0), masters.at(1)];
  await b.minions.get("db1")!.close();
  const client = await a.client();
  const { jid } = (await client.publish({ tgt: "db1", fun: "test.ping" }))!;
  const { storage } = masters.all[2]!;
  // The other one would take it first.
  masters.all[1]!.storage.takeOver = () => Promise.resolve(undefined);
  const { takeOver } = storage;
  let lost = 0;
  storage.takeOver = async (dead, by) => {
    const jids = await takeOver(dead, by);
    if (jids?.length === 1 && lost++ === 0) throw new Error("no answer in time");
    return jids;
  };
  const own = (await (await masters.at(2).client()).publish({ tgt: "db1", fun: "test.ping" }))!;
  const { ledger } = masters.at(2).master.services;
  const before = ledger.expected();
  masters.cut(0);
  await until(() => lost === 1 && ledger.loadOf(jid) !== undefined);
  assert.deepEqual(ledger.expected().filter(([open]) => open === own.jid), before);
});

test("a revocation is on the other masters at once, whatever the lease, and the publication key is another one", async () => {
  await using masters = await Masters.start([["web1"], []], {}, 300);
  const [a, b] = [masters.at(0).master.services, masters.at(1).master.services];
  const record = () => masters.ledger.kinds.get("cluster")!.records.get("publication key")!.version;
  const before = record();
  a.keys.write("accepted", "new1", a.keys.read("accepted", "web1")!);
  await until(() => b.keys.accepted("new1") !== undefined);
  await b.keyAdmin.as({ user: "ann", via: "wheel" }).change("delete", { minions: ["new1"] });
  await until(() => a.keys.accepted("new1") === undefined && record() > before);
  assert.deepEqual(await run(masters.at(0), "web1", "test.ping"), pings("web1"));
});

test("a new publication key that the storage did not take is made once it is back", async () => {
  await using masters = await Masters.start([[], []], {}, 30);
  const { storage } = masters.all[0]!;
  const version = () => masters.ledger.kinds.get("cluster")!.records.get("publication key")!.version;
  const before = version();
  storage.cut();
  masters.at(0).master.services.rotateMasterKey();
  await until(() => !storage.state.usable);
  assert.equal(version(), before);
  storage.cut(false);
  await until(() => version() > before);
});

test("a flood of pending keys leaves nothing in the storage once they are gone", async () => {
  await using masters = await Masters.start([[], []], {}, 30);
  const { keys, cluster, runtime: { clock } } = masters.at(0).master.services;
  const ids = Array.from({ length: 50 }, (_, n) => `stranger${n}`);
  for (const id of ids) keys.write("pre", id, "a key");
  const records = () => masters.ledger.kinds.get("key")?.records ?? new Map<string, { value: unknown }>();
  await until(() => records().size === ids.length);
  for (const id of ids) keys.remove("pre", id);
  await until(() => [...records().values()].every(({ value }) => value === undefined));
  assert.equal(await cluster!.forgetRemoved(clock.now() - 3_600_000), 0);
  assert.equal(await cluster!.forgetRemoved(clock.now() + 1000), ids.length);
  assert.equal(records().size, 0);
  // The masters go on: what comes under the same names is shared as before.
  keys.write("pre", "stranger1", "another key");
  await until(() => masters.at(1).master.services.keys.has("pre", "stranger1"));
});

for (
  const [what, tamper] of [
    ["runs another function", (masters: Masters, jid: string) => {
      const { jobs } = masters.all[1]!.storage;
      const { load } = jobs;
      jobs.load = async (asked) => {
        const stored = await load(asked);
        return asked === jid && stored !== undefined ? { ...stored, fun: "test.echo", arg: ["stolen"] } : stored;
      };
    }],
    ["has a further target", (masters: Masters, jid: string) => {
      const { jobs } = masters.all[1]!.storage;
      const { minions } = jobs;
      jobs.minions = async (asked) => [...await minions(asked), ...(asked === jid ? ["app1"] : [])];
    }],
    ["has lost its seal", (masters: Masters, jid: string) => void masters.ledger.seals.delete(jid)],
  ] as const
) {
  test(`a stored job that somebody has changed is not sent after a takeover, and is named: it ${what}`, async () => {
    await using masters = await Masters.start([[], ["db1", "app1"]]);
    const [a, b] = [masters.at(0), masters.at(1)];
    await b.minions.get("db1")!.close();
    const { jid } = (await (await a.client()).publish({ tgt: "db1", fun: "test.ping", kwargs: { queue: 60 } }))!;
    tamper(masters, jid);
    masters.cut(0);
    await until(() => b.captured.complaints().some((line) => line.startsWith("stored job not sent")));
    const again = await b.startMinion("db1", { again: true });
    await again.ready;
    assert.deepEqual(await run(b, "*", "test.ping"), pings("db1", "app1"));
    assert.equal(b.master.services.ledger.loadOf(jid), undefined);
    assert.deepEqual(await b.master.services.jobs.returns(jid), []);
    await until(async () => (await b.master.services.jobs.outcomes(jid)).some(({ state }) => state === "lost"));
  });
}

for (const state of ["published", "queued"] as const) {
  test(`an outcome that somebody puts beside a stored job makes no target of a minion: ${state}`, async () => {
    await using masters = await Masters.start([[], ["db1", "app1"]]);
    const [a, b] = [masters.at(0), masters.at(1)];
    await b.minions.get("db1")!.close();
    const { jid } = (await (await a.client()).publish({ tgt: "db1", fun: "test.ping", kwargs: { queue: 60 } }))!;
    const now = Date.now();
    await masters.ledger.jobs.saveOutcomes(jid, [{ minion: "app1", state, atMs: now, untilMs: now + 60_000 }]);
    masters.cut(0);
    const { ledger, jobs } = b.master.services;
    await until(() => ledger.loadOf(jid) !== undefined);
    assert.equal(ledger.standing(jid, "app1"), "not a target");
    assert.equal(ledger.standing(jid, "db1"), "expected");
    const again = await b.startMinion("db1", { again: true });
    await again.ready;
    await until(() => ledger.loadOf(jid) === undefined);
    assert.deepEqual(await run(b, "app1", "test.ping"), pings("app1"));
    assert.deepEqual((await jobs.returns(jid)).map(({ minion }) => minion), ["db1"]);
  });

  test(`nor does it get the seal of the job when that is published again: ${state}`, async () => {
    await using masters = await Masters.start([["web1"], ["db1", "app1"]]);
    const a = masters.at(0);
    const client = await a.client();
    const job = { tgt: "db1", fun: "test.ping", jid: "20240506070809123456" };
    await client.publish(job);
    const { jobs, cluster, ledger } = a.master.services;
    await until(async () => (await jobs.returns(job.jid)).length >= 1 && ledger.loadOf(job.jid) === undefined);
    await masters.ledger.jobs.saveOutcomes(job.jid, [{ minion: "app1", state, atMs: Date.now() }]);
    await client.publish(job);
    const load = (await jobs.load(job.jid))!;
    assert.deepEqual(await jobs.minions(job.jid), ["db1"]);
    assert.equal(await cluster!.isGenuine(job.jid, load, ["db1"]), true);
    assert.equal(await cluster!.isGenuine(job.jid, load, ["app1", "db1"]), false);
  });
}

test("a job of long ago that somebody opens again, and calls queued, is sent to no minion", async () => {
  await using masters = await Masters.start([[], ["db1"]]);
  const [a, b] = [masters.at(0), masters.at(1)];
  await b.minions.get("db1")!.close();
  const jid = "20240506070809123456";
  await (await a.client()).publish({ tgt: "db1", fun: "test.ping", jid, kwargs: { queue: 60 } });
  const now = Date.now();
  await masters.ledger.jobs.saveOutcomes(jid, [{ minion: "db1", state: "queued", atMs: now, untilMs: now + 1e9 }]);
  masters.cut(0);
  const { ledger, jobs } = b.master.services;
  await until(async () => (await jobs.outcomes(jid)).some(({ state }) => state === "expired"));
  const again = await b.startMinion("db1", { again: true });
  await again.ready;
  assert.deepEqual(await run(b, "db1", "test.ping"), pings("db1"));
  assert.equal(ledger.loadOf(jid), undefined);
  assert.deepEqual(await jobs.returns(jid), []);
});

test("which jobs of other masters are over for a minion is known without reading the returns of others", async () => {
  await using masters = await Masters.start([["web1"], []]);
  const [a, b] = [masters.at(0), masters.at(1)];
  const { jobs } = a.master.services;
  const [returned, ended, open, others, unknown] = [1, 2, 3, 4, 5].map((n) => `2024050607080900000${n}`);
  for (const jid of [returned, ended, open, others]) {
    await jobs.saveLoad(jid!, { jid, fun: "test.ping" }, [jid === others ? "web1" : "db1", "app1"]);
  }
  const value = new Packed(encode(true, "bin"));
  await jobs.saveReturn(returned!, { minion: "db1", return: value, retcode: 0, success: true, storedMs: 1 });
  await jobs.saveOutcomes(ended!, [{ minion: "db1", state: "cancelled", atMs: 1 }]);
  await jobs.saveOutcomes(open!, [{ minion: "db1", state: "started", atMs: 1 }]);
  let read = 0;
  masters.all[1]!.storage.jobs.returns = () => {
    read++;
    return Promise.resolve([]);
  };
  const waiting = [returned, ended, open, others, unknown, "no jid"];
  const { over } = await minionJobs(b.master.services, { present: true, known: [], waiting }, "db1") as {
    over: string[];
  };
  assert.deepEqual(over, [returned, ended, others, unknown]);
  assert.equal(read, 0);
});

/** The lines of the audit log that the storage has, oldest first. */
async function auditOf(masters: Masters): Promise<Record<string, unknown>[]> {
  const lines = await masters.ledger.open().audit.read({ limit: 1000 });
  return lines.reverse().map(({ by, line }) => ({ by, ...JSON.parse(new TextDecoder().decode(line)) }));
}

test("what was done at each master is in the storage, once, also after a restart", async () => {
  await using masters = await Masters.start([["web1"], []], { master: { audit_log: true, audit_dir: "/audit" } });
  for (const at of [0, 1]) await run(masters.at(at), "web1", "test.ping");
  const of = async (kind: string) => (await auditOf(masters)).filter((line) => line.kind === kind);
  await until(async () => (await of("publish")).length >= 2);
  const published = await of("publish");
  assert.deepEqual(published.map(({ by }) => String(by).split("/")[0]).sort(), ["a", "b"]);
  assert.deepEqual(published.map(({ fun, outcome }) => [fun, outcome]), [["test.ping", "ok"], ["test.ping", "ok"]]);
  await masters.at(0).master.close();
  await masters.at(0).startMaster();
  await until(async () => (await of("start")).length >= 3);
  assert.equal((await of("publish")).length, 2);
  const numbers = (await auditOf(masters)).map(({ by, n }) => `${by} ${n}`);
  assert.equal(new Set(numbers).size, numbers.length);
});

test("an audit log that the storage does not take holds up no publication, and is copied later", async () => {
  await using masters = await Masters.start([["web1"]], { master: { audit_log: true, audit_dir: "/audit" } });
  const { audit } = masters.all[0]!.storage;
  const { append } = audit;
  const held = Promise.withResolvers<void>();
  let asked = 0;
  audit.append = async (by, lines) => {
    asked++;
    await held.promise;
    await append(by, lines);
  };
  await until(() => asked > 0);
  for (let job = 0; job < 5; job++) assert.deepEqual(await run(masters.at(0), "web1", "test.ping"), pings("web1"));
  assert.deepEqual(await auditOf(masters), []);
  held.resolve();
  await until(async () => (await auditOf(masters)).filter(({ kind }) => kind === "publish").length >= 5);
});
