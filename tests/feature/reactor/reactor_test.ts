import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deferred } from "../../../src/base/async/deferred.ts";
import { BusEvent } from "../../../src/model/event/bus.ts";
import { LoopGuard } from "../../../src/feature/reactor/loop_guard.ts";
import { requestProof } from "../../../src/feature/reactor/manage_requests.ts";
import type { Reaction } from "../../../src/feature/reactor/compile_reactions.ts";
import { type ReactionClients, Reactor } from "../../../src/feature/reactor/reactor.ts";
import { ReactionJournal } from "../../../src/feature/reactor/reaction_journal.ts";
import { ReactorManager } from "../../../src/feature/reactor/reactor_manager.ts";
import { ReactorRules } from "../../../src/feature/reactor/reactor_rules.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { memoryFiles } from "../../support/memory_files.ts";

const TIMEOUT = { timeout: 120_000 };
const { crypto, later } = await currentRuntime();
const turn = () => new Promise<void>((resolve) => later(resolve));
const reaction = (state: string, fun: string, more: Record<string, unknown> = {}): Reaction => ({
  id: `${state} ${fun}`,
  sls: "/a.sls",
  line: 1,
  chunk: { state, fun, name: "x", __id__: "x", __sls__: "/a.sls", order: 1, ...more },
});

function scene(
  options: { threads?: number; most?: number; reactions?: Reaction[] | ((event: { tag: string }) => Reaction[]) } = {},
) {
  const fs = memoryFiles();
  const { log, records, complaints } = captureLog();
  const open = () => ReactionJournal.open({ fs, log, later, path: "/cache/reactor/journal" });
  const calls: string[] = [];
  const ended: ReturnType<typeof deferred<void>>[] = [];
  let published = Promise.resolve();
  const running = () => {
    const end = deferred<void>();
    ended.push(end);
    return end.promise;
  };
  const clients: ReactionClients = {
    local: async ({ fun }, { tag }) => {
      await published;
      calls.push(`local ${fun} ${tag}`);
      if (fun === "fails.now") throw new Error("no master");
      return { jid: "20260101000000000001", minions: ["m1"] };
    },
    runner: ({ fun }) => {
      calls.push(`runner ${fun}`);
      return Promise.resolve({ jid: "20260101000000000002", ended: running() });
    },
    wheel: ({ fun }) => Promise.resolve(void calls.push(`wheel ${fun}`)).then(() => ({})),
    caller: ({ fun }) => Promise.resolve(void calls.push(`caller ${fun}`)).then(() => ({})),
  };
  const { journal } = open();
  const rules = new ReactorRules({ fs, log, parse: () => [], reactor: [{ "my/*": ["/a.sls"] }] });
  const reactor = new Reactor({
    log,
    now: () => 1_700_000_000_500,
    journal,
    rules,
    guard: new LoopGuard({ elapsed: () => 0, limit: 3 }),
    clients,
    compile: (event) => {
      const { reactions = [reaction("local", "test.ping", { tgt: "*" })] } = options;
      return Promise.resolve({
        reactions: typeof reactions === "function" ? reactions(event) : reactions,
        problems: [],
      });
    },
    signatureOf: () => Promise.resolve({ params: [], varargs: undefined, keywords: "kwargs" }),
    threads: options.threads ?? 2,
    most: options.most ?? 100,
  });
  let n = 0;
  const take = (tag: string, data: Record<string, unknown> = {}, cause?: string) =>
    reactor.take(BusEvent.fromData(tag, { _stamp: "now", ...data }, cause), { boot: "b", n: ++n });
  const until = async (count: number) => {
    while (calls.length < count) await turn();
    await turn();
    return calls;
  };
  const hold = () => {
    const held = deferred<void>();
    published = held.promise;
    return held.resolve;
  };
  return { reactor, calls, records, complaints, take, until, open, ended, hold, fs, log };
}

describe("Reactor", TIMEOUT, () => {
  test("events are handled one after the other, and those that nothing reacts to are not kept", async () => {
    const { reactor, take, until, open } = scene();
    void reactor.run();
    for (const tag of ["my/1", "other", "my/2", "my/3"]) take(tag);
    assert.deepEqual(await until(3), ["local test.ping my/1", "local test.ping my/2", "local test.ping my/3"]);
    assert.deepEqual(open().left, []);
    assert.deepEqual(open().journal.last, { boot: "b", n: 4 });
  });

  test("no SLS reacts to what its own runners and wheel functions fire, nor while another reactor leads", async () => {
    const { reactor, take, until, calls } = scene();
    void reactor.run();
    take("my/own", { user: "Reactor" });
    reactor.isLeader = false;
    take("my/other");
    reactor.isLeader = true;
    take("my/mine");
    await until(1);
    assert.deepEqual(calls, ["local test.ping my/mine"]);
  });

  test("reactions for different minions are called at once, and those for the same one in their order", async () => {
    const reactions = (event: { tag: string }) => [reaction("local", "test.ping", { tgt: event.tag.slice(3) })];
    const { reactor, take, hold, until, calls } = scene({ reactions });
    void reactor.run();
    const release = hold();
    take("my/a");
    for (let turns = 0; turns < 10; turns++) await turn();
    const releaseAgain = hold();
    for (const tag of ["my/a", "my/b", "my/*", "my/c"]) take(tag);
    for (let turns = 0; turns < 10; turns++) await turn();
    assert.deepEqual(calls, [], "all wait for their replies");
    releaseAgain();
    await until(1);
    for (let turns = 0; turns < 10; turns++) await turn();
    assert.deepEqual(calls, ["local test.ping my/b"], "the second for a waits for the first, and the others for it");
    release();
    const done = await until(5);
    assert.deepEqual(done.slice(1).filter((one) => /a$|\*$|c$/.test(one)), [
      "local test.ping my/a",
      "local test.ping my/a",
      "local test.ping my/*",
      "local test.ping my/c",
    ]);
  });

  test("an event whose reaction is under way when the process ends is left in the journal, by name", async () => {
    const { reactor, take, hold, open } = scene();
    void reactor.run();
    hold();
    take("my/1");
    take("my/2");
    for (let turns = 0; turns < 5; turns++) await turn();
    const { left, journal } = open();
    assert.deepEqual(left.map(({ tag, called }) => [tag, called]), [["my/1", ["local test.ping"]], ["my/2", []]]);
    assert.deepEqual(journal.last, { boot: "b", n: 2 });
  });

  test("a reaction that fails is named with its place, and the next one is called", async () => {
    const reactions = [reaction("local", "fails.now", { tgt: "*" }), reaction("local", "test.ping", { tgt: "*" })];
    const { reactor, take, until, records } = scene({ reactions });
    void reactor.run();
    take("my/1");
    await until(2);
    const [failed] = records.filter(({ level }) => level === "error");
    assert.deepEqual(failed?.fields, {
      tag: "my/1",
      sls: "/a.sls",
      line: 1,
      reaction: "local fails.now",
      fun: "local.fails.now",
      error: "no master",
    });
    assert.deepEqual(reactor.record.counts, { events: 1, called: 1, failed: 1, stopped: 0, dropped: 0 });
  });

  test("runners take a worker until they end; more than may wait are refused in Salt's words", async () => {
    const { reactor, take, until, calls, ended, complaints, records } = scene({
      threads: 1,
      most: 1,
      reactions: [reaction("runner", "test.one"), reaction("runner", "test.two"), reaction("runner", "test.three")],
    });
    void reactor.run();
    take("my/1");
    await until(1);
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.deepEqual(calls, ["runner test.one"]);
    assert.equal(complaints().length, 1);
    assert.match(String(records.at(-1)?.fields.error), /^TaskPool queue is full! Consider tuning/);
    ended[0]!.resolve();
    assert.deepEqual(await until(2), ["runner test.one", "runner test.two"]);
  });

  test("events that wait are bounded, and the first that is dropped is named", async () => {
    const { reactor, take, calls, records } = scene({ most: 10 });
    for (let n = 0; n < 50; n++) take(`my/${n}`);
    assert.equal(reactor.waiting, 10);
    assert.equal(reactor.record.counts.dropped, 40);
    assert.deepEqual(records.filter(({ level }) => level === "error").map(({ fields }) => fields.tag), ["my/10"]);
    assert.deepEqual(calls, []);
  });

  test("a reaction that causes its own event is stopped, and named", async () => {
    const { reactor, take, until, records } = scene();
    void reactor.run();
    take("my/loop");
    for (let round = 1; round <= 5; round++) {
      await until(Math.min(round, 3));
      take("my/loop", {}, "20260101000000000001");
    }
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.equal(reactor.record.counts.called, 3);
    const stopped = records.find(({ message }) => message === "reaction stopped: it causes its own event");
    assert.equal(stopped?.fields.sls, "/a.sls");
  });
});

describe("ReactorManager", TIMEOUT, () => {
  function managed() {
    const all = scene();
    const fired: [string, Record<string, unknown>][] = [];
    const clock = new FakeClock();
    const manager = new ReactorManager({
      log: all.log,
      clock,
      crypto,
      reactor: all.reactor,
      id: "mast",
      key: () => "secret",
      fire: (tag, data) => Promise.resolve(void fired.push([tag, data])),
    });
    const take = (tag: string, data: Record<string, unknown>) => manager.take(BusEvent.fromData(tag, data));
    const proven = (operation: string, fields: Record<string, unknown>) => {
      const tag = `salt/run/20260101000000000000/salt/reactors/manage/${operation}`;
      const request = { ...fields, at: clock.now() };
      return [tag, { ...request, proof: requestProof(crypto, "secret", tag, request), _stamp: "now" }] as const;
    };
    return { ...all, fired, clock, take, proven };
  }

  test("answers requests with the key, as real Salt's runners send them", () => {
    const { take, fired } = managed();
    assert.equal(take("salt/run/20260101000000000000/salt/reactors/manage/list", { key: "secret" }), true);
    assert.equal(take("salt/reactors/manage/is_leader", { key: "secret" }), true);
    assert.deepEqual(fired, [
      ["salt/reactors/manage/list-results", { reactors: [{ "my/*": ["/a.sls"] }] }],
      ["salt/reactors/manage/leader/value", { result: true }],
    ]);
  });

  test("answers requests with a proof, each once and for a minute", () => {
    const { take, proven, fired, clock, reactor } = managed();
    const request = proven("add", { event: "new/*", reactors: ["/new.sls"] });
    take(...request);
    assert.deepEqual(fired.map(([tag]) => tag), ["salt/reactors/manage/add-complete"]);
    assert.deepEqual(reactor.rules.for("new/1"), ["/new.sls"]);
    take(...request);
    assert.equal(fired.length, 1, "a proof is used once");
    const late = proven("delete", { event: "new/*" });
    clock.advance(61_000);
    take(...late);
    assert.equal(fired.length, 1, "it is too old");
    take(...proven("set_leader", { id: "mast", value: false }));
    assert.equal(reactor.isLeader, false);
    take(...proven("set_leader", { id: "other", value: true }));
    assert.equal(reactor.isLeader, false, "another master's");
  });

  for (
    const { name, tag, data } of [
      { name: "no proof", tag: "salt/reactors/manage/add", data: { event: "x", reactors: ["/x"] } },
      { name: "a wrong key", tag: "salt/reactors/manage/add", data: { event: "x", reactors: ["/x"], key: "guess" } },
      {
        name: "a wrong proof",
        tag: "salt/run/20260101000000000000/salt/reactors/manage/add",
        data: { event: "x", reactors: ["/x"], at: new FakeClock().now(), proof: "0".repeat(64) },
      },
      {
        name: "another beginning",
        tag: "salt/netapi/hook/salt/reactors/manage/add",
        data: { key: "secret", event: "x" },
      },
    ]
  ) {
    test(`refuses ${name}`, () => {
      const { take, fired, reactor } = managed();
      assert.equal(take(tag, data), true);
      assert.deepEqual(fired, []);
      assert.equal(reactor.rules.list().length, 1);
    });
  }

  test("a proof of one request is none of another", () => {
    const { take, proven, fired } = managed();
    const [tag, data] = proven("add", { event: "x", reactors: ["/x"] });
    take(tag, { ...data, reactors: ["/etc/evil.sls"] });
    take(tag.replace("add", "delete"), data);
    take("salt/run/20260101000000000009/salt/reactors/manage/add", data);
    assert.deepEqual(fired, []);
  });

  test("other events are left to the reactor", () => {
    const { take } = managed();
    assert.equal(take("salt/minion/m1/start", {}), false);
  });
});
