/** What a master does by the clock: expiry, the key cache, presence events, and a clock that is set. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../../bench/bed/until.ts";
import { decode, encode } from "../../../../src/protocol/wire/msgpack.ts";
import { type Cluster, startCluster } from "../../../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };
const HOUR_MS = 3_600_000;

/** Lets the master live through some time, second by second. */
async function live({ clock }: Cluster, seconds: number, stepMs = 1000): Promise<void> {
  for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
    clock.advance(stepMs);
    await turns(1);
  }
  await turns(5);
}

const tagged = ({ events }: Cluster, tag: string) =>
  events.filter((event) => event.tag === tag).map(({ data }) => data);

/** A token file that expires in so many seconds. */
function token({ runtime, clock, root }: Cluster, digit: string, seconds: number): string {
  const name = digit.repeat(64);
  const start = clock.now() / 1000;
  runtime.fs.mkdir(`${root}/cache/tokens`);
  runtime.fs.write(
    `${root}/cache/tokens/${name}`,
    encode({ start, expire: start + seconds, name: "ann", eauth: "pam", token: name }, "wire"),
  );
  return name;
}

describe("expiry", TIMEOUT, () => {
  test("tokens are removed within loop_interval of their end", async () => {
    await using cluster = await startCluster({ minions: [], master: { loop_interval: 10 } });
    const { fs } = cluster.runtime;
    const [short, long] = [token(cluster, "a", 15), token(cluster, "b", 500)];
    await live(cluster, 10);
    assert.deepEqual(fs.list(`${cluster.root}/cache/tokens`), [short, long]);
    await live(cluster, 20);
    assert.deepEqual(fs.list(`${cluster.root}/cache/tokens`), [long]);
  });

  test("jobs are removed soon after keep_jobs_seconds, however short it is", async () => {
    await using cluster = await startCluster({ master: { keep_jobs_seconds: 120, loop_interval: 5 } });
    const client = await cluster.client();
    const { jid } = (await client.publish({ tgt: "*", fun: "test.ping" }))!;
    const { jobs, ledger } = cluster.master.services;
    await until(() => ledger.size === 0);
    await live(cluster, 110);
    assert.equal(await jobs.hasLoad(jid), true);
    await live(cluster, 30);
    assert.equal(await jobs.hasLoad(jid), false);
  });

  test("half-written files of programs that were killed are removed after an hour, and no other", async () => {
    await using cluster = await startCluster({ minions: ["web1"] });
    const { fs } = cluster.runtime;
    const { root } = cluster;
    const left = ".0b8e7a9c-1111-4222-8333-444455556666.tmp";
    const places = [`${root}/pki/minions`, `${root}/cache`, `${root}/cache/minions/web1`];
    for (const place of places) fs.write(`${place}/${left}`, "half");
    fs.write(`${root}/pki/minions/.notes.tmp`, "an operator's");
    await live(cluster, 7300, 100_000);
    for (const place of places) assert.equal(fs.stat(`${place}/${left}`), undefined, place);
    assert.ok(fs.stat(`${root}/pki/minions/.notes.tmp`));
  });
});

describe("a clock that is set", TIMEOUT, () => {
  test("by an hour forward is named, and nothing is removed by its age for ten minutes", async () => {
    await using cluster = await startCluster({ minions: [], master: { loop_interval: 10, keep_jobs_seconds: 600 } });
    const { fs } = cluster.runtime;
    const name = token(cluster, "a", 1800);
    cluster.setClock("master", HOUR_MS);
    await live(cluster, 300, 10_000);
    const told = cluster.captured.records.filter(({ message }) => message.startsWith("the system clock jumped"));
    assert.deepEqual(told.map(({ level, fields }) => [level, fields]), [
      ["warning", { seconds: 3600, direction: "forward" }],
    ]);
    assert.deepEqual(fs.list(`${cluster.root}/cache/tokens`), [name]);
    cluster.setClock("master", 0);
    await live(cluster, 700, 10_000);
    assert.deepEqual(fs.list(`${cluster.root}/cache/tokens`), [name]);
    assert.equal(cluster.captured.records.filter(({ message }) => message.startsWith("the system clock")).length, 2);
  });

  test("and stays so lets expire what is old by it", async () => {
    await using cluster = await startCluster({ minions: [], master: { loop_interval: 10 } });
    token(cluster, "a", 1800);
    cluster.setClock("master", HOUR_MS);
    await live(cluster, 620, 10_000);
    assert.deepEqual(cluster.runtime.fs.list(`${cluster.root}/cache/tokens`), []);
  });

  for (const [direction, byMs] of [["forward", HOUR_MS], ["back", -HOUR_MS]] as const) {
    test(`an hour ${direction}: minions go on under their sessions, the master key stays, and jobs are done`, async () => {
      await using cluster = await startCluster({ master: { publish_session: 1800 } });
      const client = await cluster.client();
      const rotations = () => tagged(cluster, "key").length;
      const signIns = () => tagged(cluster, "salt/auth").length;
      const before = signIns();
      cluster.setClock("master", byMs);
      await live(cluster, 60);
      const { jid } = (await client.publish({ tgt: "*", fun: "test.ping" }))!;
      await cluster.event(`salt/job/${jid}/ret/web1`);
      assert.deepEqual([rotations(), signIns() - before], [0, 0]);
      await live(cluster, 1800, 10_000);
      assert.equal(rotations(), 1);
    });
  }

  test("a queued job waits for its minion as long as it was to, by the time that passes", async () => {
    await using cluster = await startCluster({ minions: [] });
    cluster.acceptKey("away1");
    const client = await cluster.client();
    const { jid } = (await client.publish({ tgt: "away1", fun: "test.ping", queue: 1000 }))!;
    const { ledger } = cluster.master.services;
    await live(cluster, 5);
    cluster.setClock("master", HOUR_MS);
    await live(cluster, 900, 10_000);
    assert.equal(ledger.awaits("away1"), true);
    await live(cluster, 200, 10_000);
    assert.deepEqual((await ledger.outcomes(jid)).map(({ state }) => state), ["expired"]);
  });

  test("with request_server_ttl, returns are refused while the clocks differ, and taken when they agree again", async () => {
    await using cluster = await startCluster({ master: { request_server_ttl: 60 } });
    const client = await cluster.client();
    const refused = () =>
      cluster.captured.complaints().some((text) => text.includes("it is older than request_server_ttl"));
    cluster.setClock("master", HOUR_MS);
    const { jid } = (await client.publish({ tgt: "*", fun: "test.ping" }))!;
    while (!refused()) await live(cluster, 1);
    assert.equal(await cluster.master.services.jobs.hasReturn(jid, "web1"), false);
    cluster.setClock("master", 0);
    while (!await cluster.master.services.jobs.hasReturn(jid, "web1")) await live(cluster, 1);
  });
});

describe("key_cache", TIMEOUT, () => {
  test("sched keeps a list of the accepted keys; it is written again when they change, or when it is gone", async () => {
    await using cluster = await startCluster({ minions: [], master: { key_cache: "sched", loop_interval: 5 } });
    const { fs } = cluster.runtime;
    const path = `${cluster.root}/pki/minions/.key_cache`;
    const ids = () => decode(fs.read(path), { mode: "bin" });
    await live(cluster, 5);
    assert.deepEqual(ids(), []);
    for (const id of ["web2", "web1"]) cluster.acceptKey(id);
    await live(cluster, 5);
    assert.deepEqual([ids(), fs.stat(path)!.mode], [["web1", "web2"], 0o600]);
    const { ino } = fs.stat(path)!;
    await live(cluster, 20);
    assert.equal(fs.stat(path)!.ino, ino);
    fs.remove(path);
    await live(cluster, 5);
    assert.deepEqual(ids(), ["web1", "web2"]);
    assert.deepEqual(cluster.master.services.keys.list("accepted"), ["web1", "web2"]);
  });

  test("without it there is no such file", async () => {
    await using cluster = await startCluster({ minions: [] });
    await live(cluster, 120, 10_000);
    assert.equal(cluster.runtime.fs.stat(`${cluster.root}/pki/minions/.key_cache`), undefined);
  });
});

describe("presence_events", TIMEOUT, () => {
  const CHANGE = "salt/presence/change";
  const PRESENT = "salt/presence/present";

  test("who is present is told each loop_interval, who came or went before it", async () => {
    await using cluster = await startCluster({
      minions: ["web2", "web1"],
      master: { presence_events: true, loop_interval: 10 },
    });
    await live(cluster, 11);
    assert.deepEqual(tagged(cluster, CHANGE).map(({ _stamp, ...rest }) => rest), [{ new: ["web1", "web2"], lost: [] }]);
    const [latest] = tagged(cluster, PRESENT).slice(-1);
    assert.deepEqual(Object.keys(latest!), ["present", "_stamp"]);
    assert.deepEqual(latest!.present, ["web1", "web2"]);
    const before = tagged(cluster, PRESENT).length;
    await live(cluster, 30);
    assert.equal(tagged(cluster, PRESENT).length - before, 3);
    assert.equal(tagged(cluster, CHANGE).length, 1);
    await cluster.minions.get("web1")!.close();
    await until(() => !cluster.master.services.presence.connected("web1"));
    await live(cluster, 10);
    assert.deepEqual(tagged(cluster, CHANGE).at(-1)!.lost, ["web1"]);
    assert.deepEqual(tagged(cluster, PRESENT).at(-1)!.present, ["web2"]);
    const order = cluster.events.map(({ tag }) => tag).filter((tag) => tag.startsWith("salt/presence/"));
    assert.deepEqual(order.slice(-2), [CHANGE, PRESENT]);
  });

  test("a minion whose key was deleted is lost, though its connection is open", async () => {
    await using cluster = await startCluster({ master: { presence_events: true, loop_interval: 10 } });
    await live(cluster, 11);
    const client = await cluster.client();
    const connected = async () => Object.keys((await client.ask("connected", {}) as { connected: object }).connected);
    assert.deepEqual(await connected(), ["web1"]);
    cluster.runtime.fs.remove(`${cluster.root}/pki/minions/web1`);
    await live(cluster, 10);
    assert.deepEqual(await connected(), []);
    assert.deepEqual(tagged(cluster, CHANGE).map(({ _stamp, ...rest }) => rest), [
      { new: ["web1"], lost: [] },
      { new: [], lost: ["web1"] },
    ]);
  });

  test("they are off by default", async () => {
    await using cluster = await startCluster();
    await live(cluster, 120, 10_000);
    assert.equal(cluster.events.some(({ tag }) => tag.startsWith("salt/presence/")), false);
  });
});
