import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AuthClient } from "../../../src/protocol/channel/auth_client.ts";
import { type AuthEvent, AuthServer } from "../../../src/protocol/channel/auth_server.ts";
import { type Served, SignInQueue, type SignInQueueOptions } from "../../../src/protocol/channel/sign_in_queue.ts";
import { Crypticle, newKeyString } from "../../../src/protocol/crypto/crypticle.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { SessionKeys } from "../../../src/host/master/keys/session_keys.ts";
import { CountedStrangerKeys } from "../../../src/host/master/keys/stranger_keys.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { decode } from "../../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const { crypto } = await currentRuntime();

/** A queue with one slot, which is busy until the test releases it. */
function bed(options: Partial<SignInQueueOptions> = {}) {
  const clock = new FakeClock();
  const line = new SignInQueue({ now: () => clock.now(), random: () => 0, atOnce: 1, ...options });
  const worked: string[] = [];
  const first = Promise.withResolvers<void>();
  const busy = line.run({ remote: "tcp://10.0.0.1:1", open: true }, "first", false, () => first.promise);
  let port = 1000;
  const sender = (host = "10.0.0.1") => ({ remote: `tcp://${host}:${port++}`, open: true });
  const ask = (name: string, from = sender(), patient = false): Promise<Served<string>> =>
    line.run(from, name, patient, () => {
      worked.push(name);
      return Promise.resolve(name);
    });
  const goOn = async () => {
    first.resolve();
    await busy;
  };
  return { clock, line, worked, sender, ask, goOn };
}

const states = async (all: Promise<Served<string>>[]) => (await Promise.all(all)).map(({ state }) => state);

describe("SignInQueue", () => {
  test("serves the newest first", async () => {
    const { ask, goOn, worked } = bed();
    const all = ["a", "b", "c"].map((name) => ask(name));
    await goOn();
    await Promise.all(all);
    assert.deepEqual(worked, ["c", "b", "a"]);
  });

  test("lets senders take turns, however many calls one of them has", async () => {
    const { ask, sender, goOn, worked } = bed();
    const all = ["a1", "a2", "a3", "a4"].map((name) => ask(name, sender("10.0.0.1")));
    all.push(ask("b", sender("10.0.0.2")), ask("c", sender("[2001:db8::7]")), ask("c2", sender("[2001:db8::8]")));
    await goOn();
    await Promise.all(all);
    assert.deepEqual(worked, ["a4", "b", "c2", "a3", "c", "a2", "a1"]);
  });

  test("skips senders that have disconnected", async () => {
    const { ask, sender, goOn, worked, line } = bed();
    const senders = Array.from({ length: 50 }, () => sender());
    const all = senders.map((from, at) => ask(String(at), from));
    for (const [at, from] of senders.entries()) if (at !== 7) from.open = false;
    await goOn();
    assert.deepEqual((await states(all)).filter((state) => state === "dropped").length, 49);
    assert.deepEqual([worked, line.waiting, line.dropped], [["7"], 0, 49]);
  });

  test("does nothing for a sender that has disconnected before its call was read, also when nothing waits", async () => {
    const { ask, sender, goOn, worked, line } = bed();
    await goOn();
    assert.equal((await ask("gone", { ...sender(), open: false })).state, "dropped");
    assert.deepEqual([worked, line.dropped], [[], 1]);
  });

  test("a newer call replaces an older one for the same id, of the same sender only", async () => {
    const { ask, sender, goOn, worked } = bed();
    const all = [ask("a", sender("10.0.0.1")), ask("a", sender("10.0.0.1")), ask("a", sender("10.0.0.2"))];
    await goOn();
    assert.deepEqual(await states(all), ["dropped", "done", "done"]);
    assert.deepEqual(worked, ["a", "a"]);
  });

  test("is bounded, for one connection and in all: the one that would be served last is dropped", async () => {
    const { ask, sender, goOn, worked, line } = bed({ limit: 100 });
    const one = sender("10.0.0.9");
    const flood = Array.from({ length: 1000 }, (_, at) => ask(`flood${at}`, one));
    assert.equal(line.waiting, 16);
    const many = Array.from({ length: 1000 }, (_, at) => ask(`many${at}`, sender("10.0.0.8")));
    assert.ok(line.waiting <= 100);
    const honest = ask("honest", sender("10.0.0.7"));
    await goOn();
    assert.equal((await honest).state, "done");
    await Promise.all([...flood, ...many]);
    assert.ok(worked.length <= 100 && worked.indexOf("honest") <= 2, String(worked.length));
  });

  test("replies to clients that understand it when to retry, at different times, without any work for them", async () => {
    const { ask, sender, goOn, worked, line } = bed();
    const all = Array.from({ length: 5000 }, (_, at) => ask(String(at), sender(), true));
    await goOn();
    const served = await Promise.all(all);
    const after = served.flatMap((one) => one.state === "later" ? [one.afterMs] : []);
    assert.equal(after.length + worked.length, 5000);
    assert.ok(after.length > 1000 && worked.length > 100, `${after.length} are sent away`);
    assert.deepEqual(after, [...after].sort((a, b) => a - b));
    assert.ok(after.at(-1)! > after[0]! + 4000 && after.at(-1)! <= 66_000);
    assert.equal(line.dropped, 0);
  });

  test("counts connections that were not read yet among those that wait", async () => {
    let unread = 5000;
    const { ask, sender, goOn } = bed({ unread: () => unread });
    assert.equal((await ask("a", sender(), true)).state, "later");
    unread = 0;
    const next = ask("b", sender(), true);
    await goOn();
    assert.equal((await next).state, "done");
  });

  test("drops all calls when it is closed, and accepts no more", async () => {
    const { ask, goOn, worked, line } = bed();
    const all = ["a", "b"].map((name) => ask(name));
    line.close();
    assert.deepEqual(await states([...all, ask("c")]), ["dropped", "dropped", "dropped"]);
    await goOn();
    assert.deepEqual(worked, []);
  });
});

describe("AuthServer with many sign-ins at once", () => {
  const minionKey = crypto.loadPrivateKey(PAIRS.minion.privatePem);
  const publicPem = cleanPem(PAIRS.minion.publicPem);

  function scene() {
    const clock = new FakeClock();
    const fs = memoryFileSystem({ clock });
    const { log } = captureLog();
    fs.mkdir("/cache");
    const keys = new KeyDirectories(fs, crypto, "/pki", clock);
    keys.prepare();
    const keyString = newKeyString(crypto);
    const events: AuthEvent[] = [];
    const server = new AuthServer({
      crypto,
      clock,
      random: () => 0.5,
      identity: { key: crypto.loadPrivateKey(PAIRS.master.privatePem), publicPem: cleanPem(PAIRS.master.publicPem) },
      keys,
      strangers: new CountedStrangerKeys({ keys, clock, log, limit: 0 }),
      sessionKeys: new SessionKeys({
        fs,
        crypto,
        clock,
        log,
        cacheDir: "/cache",
        masterPem: PAIRS.master.publicPem,
        lifetimeSeconds: 3600,
      }),
      masterKey: () => ({ keyString, crypticle: new Crypticle(crypto, keyString) }),
      publishPort: () => 4505,
      serial: () => 0,
      minimumVersion: 3,
      openMode: false,
      maxMinions: 0,
      connected: () => new Set(),
      policy: { autoReject: () => false, autoSign: () => true },
      log,
      onEvent: (event) => void events.push(event),
    });
    const minion = (id: string, isBrine: boolean) =>
      new AuthClient({
        crypto,
        log,
        identity: { id, key: minionKey, publicPem },
        masterKeyRecord: { place: "minion_master.pub", read: () => undefined, write: () => {} },
        isBrine,
      });
    const ask = (id: string, isBrine = false) => {
      const sender = { remote: `tcp://10.0.0.1:${1 + Number(id.slice(1))}`, open: true };
      const request = minion(id, isBrine).request();
      const { load } = decode(request.bytes, { mode: "wire" }) as { load: Record<string, unknown> };
      return { sender, request, reply: server.answer(load, 3, sender) };
    };
    return { server, events, ask, minion };
  }

  test("does no work for disconnected minions, and answers the others", async () => {
    const { events, ask } = scene();
    const all = Array.from({ length: 300 }, (_, at) => ask(`m${at}`));
    for (const { sender } of all.slice(0, 290)) sender.open = false;
    const replies = await Promise.all(all.map(({ reply }) => reply));
    assert.ok(replies.slice(290).every((reply) => reply !== undefined));
    assert.ok(events.length < 50, `${events.length} were let in, of whom 10 and those at work had not gone`);
  });

  test("answers no waiting minion when it stops", async () => {
    const { server, events, ask } = scene();
    const all = Array.from({ length: 300 }, (_, at) => ask(`m${at}`));
    server.close();
    const replies = await Promise.all(all.map(({ reply }) => reply));
    assert.equal(replies.filter((reply) => reply !== undefined).length, events.length);
    assert.ok(events.length < 50);
  });

  test("tells Brine minions to retry later, which they accept only in a reply to their own request", async () => {
    const { server, ask, minion } = scene();
    const client = minion("m0", true);
    const { load } = decode(client.request().bytes, { mode: "wire" }) as { load: Record<string, unknown> };
    // They make the line long, and go: no work is done for them.
    const gone = Array.from(
      { length: 2300 },
      (_, at) => ({ remote: `tcp://10.0.${at >> 8}.${at & 255}:1`, open: true }),
    );
    for (const sender of gone) void server.answer({ ...load, later: false }, 3, sender);
    const all = Array.from({ length: 150 }, (_, at) => ask(`m${at}`, true));
    for (const sender of gone) sender.open = false;
    let later = 0;
    for (const { request, reply } of all) {
      const bytes = await reply;
      const outcome = client.outcome(bytes!, request);
      if (outcome.state !== "later") continue;
      later++;
      assert.ok(outcome.afterMs > 0 && outcome.afterMs <= 90_000);
      assert.throws(() => client.outcome(bytes!, { ...request, nonce: "0".repeat(32) }), /not signed/);
    }
    assert.ok(later > 100, String(later));
  });
});
