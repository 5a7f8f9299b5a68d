import assert from "node:assert/strict";
import { test } from "node:test";
import { Api } from "../../../../src/console/api.ts";
import type { EventSourceLike } from "../../../../src/console/event_stream.ts";
import { Store } from "../../../../src/console/ui/store/store.ts";

const NOW_JID = "20270115080000000000";

type Low = Record<string, unknown> & { client: string; fun: string };

/** A store on a fake clock, with a server that answers from a table. */
function bed(
  answers: Record<string, (low: Low) => unknown>,
  forbidden: ReadonlySet<string> = new Set(),
  perms: readonly unknown[] = [".*", "@wheel", "@runner"],
) {
  let now = 1_800_000_000_000;
  const timers = new Set<{ at: number; call: () => void }>();
  const sources: (EventSourceLike & { closed?: boolean })[] = [];
  const kept = new Map<string, string>();
  const asked: Low[] = [];
  const addresses: string[] = [];
  let session = true;
  const reply = (status: number, body: unknown) => Promise.resolve(new Response(JSON.stringify(body), { status }));
  const api = new Api("", (url, init) => {
    if (url === "/login") {
      session = true;
      const { username } = JSON.parse(String(init.body));
      return reply(200, {
        return: [{ user: username, eauth: "file", expire: now / 1000 + 3600, perms }],
      });
    }
    if (!session) return reply(401, { return: "No permission -- see authorization schemes" });
    const special = answers[url];
    if (url !== "/") {
      return special === undefined
        ? reply(404, {})
        : special(JSON.parse(String(init.body ?? "{}"))) as Promise<Response>;
    }
    const body = JSON.parse(String(init.body)) as Low | Low[];
    if (Array.isArray(body)) {
      asked.push(...body);
      return reply(200, { return: body.map((low) => answers[low.fun]?.(low)) });
    }
    const low = body;
    asked.push(low);
    if (forbidden.has(low.fun)) return reply(401, { return: "Authorization error occurred." });
    const value = answers[low.fun]?.(low);
    if (value === undefined) return reply(500, { status: 500, return: "An unexpected error occurred" });
    return reply(200, { return: [low.client === "wheel" ? { data: { return: value, success: true } } : value] });
  });
  const store = new Store({
    api,
    openEvents: () => {
      const source = { onopen: null, onerror: null, onmessage: null, readyState: 1, close() {} } as EventSourceLike;
      sources.push(source);
      return source;
    },
    now: () => now,
    later: (call, ms) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 0.5,
    visible: () => true,
    replaceAddress: (hash) => void addresses.push(hash),
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
  }, "#/jobs");
  /** Runs everything that does not wait for the clock. */
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    const end = now + ms;
    for (;;) {
      const next = [...timers].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
      if (next === undefined) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.call();
      await settle();
    }
    now = end;
  };
  return {
    store,
    asked,
    addresses,
    kept,
    settle,
    pass,
    sources,
    endSession: () => session = false,
    signIn: async (username = "ada") => {
      await store.session.signIn({ username, password: "p", eauth: "file" });
      sources.at(-1)!.onopen!({} as never);
      await settle();
    },
  };
}

const JID = "20261121084331391697";
const FLEET = {
  "key.list_all": () => ({ minions: ["a", "b"], minions_pre: [] }),
  "minions.connected": () => ["a"],
};
const returned = (id: string) => ({ tag: `salt/job/${JID}/ret/${id}`, data: { id, return: 1, retcode: 0 } });

test("signing in reads the fleet, and stores the name and no password", async () => {
  const { store, signIn, kept } = bed(FLEET);
  await signIn();
  assert.deepEqual([store.fleet.minions.ids, store.fleet.minions.counts.up, store.fleet.minions.counts.down], [
    ["a", "b"],
    1,
    1,
  ]);
  assert.equal(store.link.state.value, "live");
  assert.deepEqual(store.session.lastName, { username: "ada", eauth: "file" });
  assert.ok([...kept.values()].every((value) => !value.includes("password")));
});

test("returns that came before the jid was known belong to the job", async () => {
  const { store, signIn } = bed({
    ...FLEET,
    "test.ping": () => {
      store.take(returned("a"));
      return { jid: JID, minions: ["a", "b"] };
    },
  });
  await signIn();
  assert.equal(await store.start({ fun: "test.ping", tgt: "*" }), JID);
  assert.deepEqual([store.jobs.get(JID).count("returned"), store.jobs.get(JID).open], [1, 1]);
  assert.ok(store.jobs.running.value.has(JID));
  store.take(returned("b"));
  assert.ok(store.jobs.get(JID).done);
  assert.ok(!store.jobs.running.value.has(JID));
});

test("a job without matching minions has no jid", async () => {
  const { store, signIn } = bed({ ...FLEET, "test.ping": () => ({}) });
  await signIn();
  assert.equal(await store.start({ fun: "test.ping", tgt: "nobody" }), undefined);
});

test("a return whose event was missed is read before minions are asked", async () => {
  const { store, signIn, pass, asked } = bed({
    ...FLEET,
    "test.ping": () => ({ jid: JID, minions: ["a"] }),
    "jobs.list_job": () => ({ Minions: ["a"], Result: { a: { return: true, retcode: 0, success: true } } }),
  });
  await signIn();
  await store.start({ fun: "test.ping", tgt: "a" });
  await pass(5000);
  assert.ok(store.jobs.get(JID).done);
  await pass(30_000);
  assert.equal(asked.filter(({ fun }) => fun === "jobs.list_job").length, 1);
  assert.ok(!asked.some(({ fun }) => fun === "saltutil.find_job"));
});

test("silent minions are asked after a while, and given up if they do not know the job", async () => {
  const { store, signIn, pass, asked } = bed({
    ...FLEET,
    "test.sleep": () => ({ jid: JID, minions: ["a", "b"] }),
    "saltutil.find_job": () => ({ a: { jid: JID, pid: 7 }, b: {} }),
    "jobs.list_job": () => ({ jid: JID, Function: "test.sleep", Minions: ["a", "b"], Result: {} }),
  });
  await signIn();
  await store.start({ fun: "test.sleep", tgt: "*" });
  await pass(9000);
  assert.ok(!asked.some(({ fun }) => fun === "saltutil.find_job"));
  await pass(3000);
  const question = asked.find(({ fun }) => fun === "saltutil.find_job")!;
  assert.deepEqual([question.tgt, question.tgt_type, question.arg], ["a,b", "list", [JID]]);
  assert.deepEqual([store.jobs.get(JID).part("a")?.state, store.jobs.get(JID).part("b")?.state], [
    "published",
    "no answer",
  ]);
});

test("a master that names outcomes is asked instead of the minions", async () => {
  const { store, signIn, pass, asked } = bed({
    ...FLEET,
    "test.sleep": () => ({ jid: JID, minions: ["a", "b"] }),
    "jobs.outcome": () => ({ Outcomes: { a: { Outcome: "started" }, b: { Outcome: "lost", Note: "gone" } } }),
  });
  await signIn();
  await store.start({ fun: "test.sleep", tgt: "*" });
  await pass(12_000);
  assert.deepEqual([store.jobs.get(JID).part("a")?.state, store.jobs.get(JID).part("b")?.state], ["started", "lost"]);
  assert.ok(!asked.some(({ fun }) => fun === "saltutil.find_job"));
});

test("after a gap in the stream open jobs and keys are read", async () => {
  const { store, signIn, settle, sources } = bed({
    ...FLEET,
    "test.ping": () => ({ jid: JID, minions: ["a"] }),
    "jobs.list_job": () => ({ Minions: ["a"], Result: { a: { return: true, retcode: 0, success: true } } }),
  });
  await signIn();
  await store.start({ fun: "test.ping", tgt: "*" });
  sources.at(-1)!.onerror!({} as never);
  assert.equal(store.link.state.value, "lost");
  sources.at(-1)!.onopen!({} as never);
  await settle();
  assert.equal(store.jobs.get(JID).part("a")?.state, "returned");
});

test("an expired session keeps its data for the same user, and not for another one", async () => {
  const { store, signIn, endSession } = bed({ ...FLEET, "test.ping": () => ({ jid: JID, minions: ["a"] }) });
  await signIn();
  await store.start({ fun: "test.ping", tgt: "*" });
  store.take(returned("a"));
  endSession();
  await assert.rejects(store.start({ fun: "test.ping", tgt: "*" }));
  assert.ok(store.session.expired.value);
  await signIn();
  assert.ok(!store.session.expired.value);
  assert.ok(store.jobs.get(JID).done);
  endSession();
  await assert.rejects(store.start({ fun: "test.ping", tgt: "*" }));
  await signIn("eve");
  assert.equal(store.log.size, 0);
  assert.equal(store.jobs.get(JID).size, 0);
});

test("a job of another user is added to the list, and ends there", async () => {
  const { store, signIn } = bed({ ...FLEET, "jobs.list_jobs": () => ({}) });
  await signIn();
  await store.history.load();
  const started = {
    tag: `salt/job/${JID}/new`,
    data: { fun: "test.ping", tgt: "*", arg: [], minions: ["a"], user: "eve" },
  };
  store.take(started);
  store.take(started);
  store.take({ tag: "salt/job/1/new", data: { fun: "saltutil.find_job", minions: ["a"] } });
  assert.deepEqual(store.history.rows.value?.map(({ jid, user }) => [jid, user]), [[JID, "eve"]]);
  assert.ok(store.jobs.running.value.has(JID));
  store.take(returned("a"));
  assert.ok(!store.jobs.running.value.has(JID));
});

test("an error is shown once, with its remedy", async () => {
  const { store, signIn } = bed(FLEET);
  await signIn();
  await store.fleet.check();
  await store.fleet.check();
  assert.equal(store.notices.list.value.length, 1);
  assert.match(store.notices.list.value[0]!.text, /manage\.status/);
  assert.ok(store.notices.list.value[0]!.remedy !== "");
  store.notices.dismiss(store.notices.list.value[0]!.key);
  assert.equal(store.notices.list.value.length, 0);
});

const answer = (status: number, body: unknown = {}) => Promise.resolve(new Response(JSON.stringify(body), { status }));

test("a Brine master previews a target, which is unknown without the permission", async () => {
  const previewed: Low[] = [];
  const { store, signIn, asked } = bed({
    ...FLEET,
    "/preview": (low) => {
      previewed.push(low);
      return low.fun === "cmd.run" ? answer(401, { return: "Authorization error occurred." }) : answer(200, {
        return: [{
          minions: low.tgt_type === "compound" ? [] : ["a"],
          missing: low.tgt_type === "list" ? ["ghost"] : [],
        }],
      });
    },
  });
  await signIn();
  assert.deepEqual(await store.fleet.askTarget({ tgt: "os:Debian", type: "grain", fun: "test.ping", why: "" }), {
    kind: "here",
    matched: ["a"],
    unknown: [],
  });
  const list = await store.fleet.askTarget({ tgt: "a,ghost", type: "list", fun: "test.ping", why: "" });
  assert.match(list?.kind === "here" ? list.why ?? "" : "", /ghost/);
  const doubted = await store.fleet.askTarget({
    tgt: "G@role:web and (a",
    type: "compound",
    fun: "test.ping",
    why: "",
  });
  assert.match(doubted?.kind === "here" ? doubted.why ?? "" : "", /write blanks around parentheses/);
  const refused = await store.fleet.askTarget({ tgt: "*", type: "glob", fun: "cmd.run", why: "" });
  assert.equal(refused?.kind, "unknown");
  assert.deepEqual(previewed.map(({ tgt }) => tgt), ["os:Debian", ["a", "ghost"], "G@role:web and (a", "*"]);
  assert.ok(!asked.some(({ fun }) => fun === "cache.grains"));
});

test("a master without previews is asked only for targets that the browser cannot match", async () => {
  let tried = 0;
  const { store, signIn } = bed({
    ...FLEET,
    "/preview": () => {
      tried++;
      return answer(404);
    },
    "cache.grains": () => ({ b: {} }),
  });
  await signIn();
  assert.equal(await store.fleet.askTarget({ tgt: "os:Debian", type: "grain", fun: "test.ping", why: "" }), undefined);
  const pillar = await store.fleet.askTarget({ tgt: "role:web", type: "pillar", fun: "test.ping", why: "" });
  assert.deepEqual(pillar?.kind === "here" && pillar.matched, ["b"]);
  assert.equal(tried, 1);
});

test("the number of minions is unknown to an account that may not list them", async () => {
  const { store, signIn, settle } = bed(FLEET, new Set(["key.list_all", "manage.status", "minions.connected"]));
  await signIn();
  await settle();
  assert.deepEqual([store.fleet.ready.value, store.fleet.known.value, store.fleet.keysKnown.value], [
    true,
    false,
    false,
  ]);
  const other = bed({ ...FLEET, "manage.status": () => ({ up: ["a"], down: ["b"] }) }, new Set(["key.list_all"]));
  await other.signIn();
  await other.settle();
  assert.deepEqual([other.store.fleet.known.value, other.store.fleet.keysKnown.value], [true, false]);
});

test("outcomes of a page of jobs are read in one request, or in a few from a master that does not count", async () => {
  const jids = Array.from({ length: 12 }, (_value, at) => `${JID.slice(0, -2)}${at + 10}`);
  const counting = bed({
    ...FLEET,
    "jobs.tally": ({ jids }) => Object.fromEntries((jids as string[]).map((jid) => [jid, { returned: 2 }])),
  });
  await counting.signIn();
  const seen: unknown[] = [];
  await counting.store.tallies.read(jids, (jid, { counts, done }) => seen.push([jid, counts, done]));
  assert.deepEqual(seen, jids.map((jid) => [jid, [["returned", 2]], true]));
  assert.equal(counting.asked.filter(({ fun }) => fun === "jobs.tally").length, 1);

  const plain = bed({
    ...FLEET,
    "jobs.list_job": () => ({ Minions: ["a"], Result: { a: { return: 1, retcode: 1, success: false } } }),
  });
  await plain.signIn();
  const counted: unknown[] = [];
  for (let turn = 0; turn < 2; turn++) {
    await plain.store.tallies.read(jids, (_jid, { counts }) => counted.push(counts));
  }
  assert.equal(counted.length, 24);
  assert.deepEqual(counted[0], [["failed", 1]]);
  // Whether the master counts is asked once.
  assert.equal(plain.asked.filter(({ fun }) => fun === "jobs.tally").length, 1);
});

test("a stopped master is shown while the event stream stays open, and what was missed is read when it is back", async () => {
  let up = true;
  const { store, signIn, pass, asked } = bed({ ...FLEET, "/ready": () => answer(up ? 200 : 503) });
  await signIn();
  await pass(6000);
  assert.equal(store.link.master.value, true);
  up = false;
  await pass(6000);
  assert.deepEqual([store.link.state.value, store.link.master.value], ["live", false]);
  const before = asked.filter(({ fun }) => fun === "key.list_all").length;
  up = true;
  await pass(6000);
  assert.equal(store.link.master.value, true);
  assert.equal(asked.filter(({ fun }) => fun === "key.list_all").length, before + 1);
});

test("a Brine master is asked for its open jobs, and no minion", async () => {
  const jobs = { [NOW_JID]: { open: 2, queued: 1 }, "20260101000000000000": { open: 3, queued: 3 } };
  const { store, signIn, asked } = bed({ ...FLEET, "jobs.open": () => jobs, "jobs.list_job": () => ({}) });
  await signIn();
  await store.jobs.loadRunning();
  await store.jobs.loadRunning();
  assert.deepEqual([...store.jobs.running.value], [NOW_JID], "what only waits for its minions does not run");
  assert.equal(asked.filter(({ fun }) => fun === "jobs.active").length, 0);
});

test("another master's minions are asked for running jobs, and its open jobs once", async () => {
  const { store, signIn, asked } = bed({
    ...FLEET,
    "jobs.active": () => ({ [NOW_JID]: {} }),
    "jobs.list_job": () => ({}),
  });
  await signIn();
  await store.jobs.loadRunning();
  await store.jobs.loadRunning();
  assert.deepEqual([...store.jobs.running.value], [NOW_JID]);
  assert.deepEqual(["jobs.open", "jobs.active"].map((fun) => asked.filter((low) => low.fun === fun).length), [1, 2]);
});

test("an account that may not read the open jobs has no minion asked in their place", async () => {
  const { store, signIn, asked } = bed({ ...FLEET, "jobs.active": () => ({}) }, new Set(["jobs.open"]));
  await signIn();
  await store.jobs.loadRunning();
  assert.equal(asked.filter(({ fun }) => fun === "jobs.active").length, 0);
  assert.deepEqual(store.notices.list.value, []);
});

test("while the master is away its minions are unknown, and what said so is gone when it is back", async () => {
  let up = true;
  const presence = () => ({ connected: ["web1"], lost: {}, since: 1_700_000_000 });
  const { store, signIn, pass } = bed({
    ...FLEET,
    "key.list_all": () => ({ minions: ["web1", "web2"] }),
    "minions.presence": presence,
    "/ready": () => answer(up ? 200 : 503),
  });
  await signIn();
  await pass(3000);
  assert.deepEqual(store.fleet.minions.counts.up, 1);
  up = false;
  await pass(3000);
  assert.deepEqual([store.fleet.minions.counts.up, store.fleet.minions.counts.unknown], [0, 2]);
  const sinceMs = store.link.awaySinceMs.value!;
  assert.equal(store.fleet.minions.awaySinceMs, sinceMs);
  store.notices.add("bad", "jobs.active: the master does not answer", "", true);
  store.notices.add("bad", "something else");
  up = true;
  await pass(3000);
  assert.equal(store.link.awaySinceMs.value, undefined);
  assert.deepEqual([store.fleet.minions.counts.up, store.fleet.minions.counts.down], [1, 1]);
  assert.deepEqual(store.notices.list.value.map(({ text }) => text), ["something else"]);
});

test("minions that a restarted master has not seen yet are asked for again and again, until they are seen", async () => {
  const found = { connected: ["web1", "web2"], lost: {}, since: 1_700_000_000 };
  const { store, signIn, pass, asked } = bed({
    ...FLEET,
    "key.list_all": () => ({ minions: ["web1", "web2"] }),
    "minions.presence": () => structuredClone(found),
    "/ready": () => answer(200),
  });
  store.route.value = { page: "fleet", name: "", query: {} };
  await signIn();
  const reads = () => asked.filter(({ fun }) => fun === "minions.presence").length;
  Object.assign(found, { connected: [], since: 1_700_000_500 });
  await store.fleet.load();
  assert.deepEqual(store.fleet.minions.counts.unknown, 2, "nobody is down whom it had no time to see");
  const before = reads();
  await pass(10_000);
  assert.ok(reads() >= before + 2, `${reads()} ${before}`);
  found.connected = ["web1"];
  await pass(5000);
  assert.deepEqual([store.fleet.minions.counts.up, store.fleet.minions.counts.unknown], [1, 1]);
  await pass(120_000);
  assert.deepEqual([store.fleet.minions.counts.up, store.fleet.minions.counts.down], [1, 1]);
});

test("minions that have not said who they are since a restart are unknown, not down, as long as somebody is connected", async () => {
  const found: Record<string, unknown> = {
    connected: ["web1"],
    lost: { web3: 1_700_000_100 },
    since: 1_700_000_000,
    unnamed: 1,
  };
  const { store, signIn, pass } = bed({
    ...FLEET,
    "key.list_all": () => ({ minions: ["web1", "web2", "web3"] }),
    "minions.presence": () => structuredClone(found),
    "/ready": () => answer(200),
  });
  store.route.value = { page: "fleet", name: "", query: {} };
  await signIn();
  await pass(240_000);
  const states = () => ["web1", "web2", "web3"].map((id) => store.fleet.minions.presence(id));
  assert.deepEqual(states(), ["up", "unknown", "down"]);
  found.unnamed = 0;
  await pass(120_000);
  assert.deepEqual(states(), ["up", "down", "down"]);
});

test("a page keeps what it shows in the address, and a link leads back to it", async () => {
  const { store, signIn, addresses } = bed(FLEET);
  await signIn();
  store.open("#/fleet?tgt=web*");
  const visit = store.visit.value;
  store.show({ tgt: "db*", state: "down", sort: "" }, store.visit.value);
  store.show({ tgt: "db*", state: "down", sort: "" }, store.visit.value);
  assert.deepEqual(addresses, ["#/fleet?tgt=db*&state=down"]);
  assert.equal(store.visit.value, visit, "the page stays as it is");
  assert.equal(store.addressOf("fleet"), "#/fleet", "from the page itself, to all that it has");
  store.open("#/minions/db1");
  assert.equal(store.visit.value, visit + 1);
  assert.equal(store.addressOf("fleet"), "#/fleet?tgt=db*&state=down");
  assert.equal(store.addressOf("jobs"), "#/jobs");
  store.show({ tab: "pillar" }, store.visit.value);
  assert.equal(addresses.at(-1), "#/minions/db1?tab=pillar");
  await signIn("eve");
  assert.equal(store.addressOf("fleet"), "#/fleet", "of another user");
});

test("a page that was left does not change the address of the one that was opened", async () => {
  const { store, signIn, addresses } = bed(FLEET);
  await signIn();
  store.open("#/fleet?tgt=web*");
  const left = store.visit.value;
  store.open("#/minions/db1?tab=schedule");
  const before = addresses.length;
  store.show({ tgt: "web*" }, left);
  assert.deepEqual(store.route.value.query, { tab: "schedule" });
  assert.equal(addresses.length, before);
});

test("a ping of all minions ends with its result", async () => {
  const { store, signIn } = bed({ ...FLEET, "manage.status": () => ({ up: ["a"], down: ["b"] }) });
  await signIn();
  await store.fleet.check();
  assert.deepEqual(store.notices.list.value.map(({ kind, text }) => [kind, text]), [
    ["ok", "1 of 2 minions answered; no answer: b"],
  ]);
});

test("minions that the master has no grains of are not counted as matching", async () => {
  const { store, signIn } = bed({
    ...FLEET,
    "/preview": () =>
      Promise.resolve(
        new Response(JSON.stringify({ return: [{ minions: ["a", "b"], missing: [], unknown: ["b"] }] })),
      ),
  });
  await signIn();
  const preview = await store.fleet.askTarget({ tgt: "role:web", type: "grain", fun: "test.ping", why: "" });
  assert.deepEqual(preview, { kind: "here", matched: ["a"], unknown: ["b"] });
});

test("an orchestration is listed as it starts, and its states are read when it ends", async () => {
  const states = { "test_|-a_|-a_|-nop": { result: true, comment: "", changes: {} } };
  const { store, signIn, settle, asked } = bed({
    ...FLEET,
    "jobs.list_jobs": () => ({
      [JID]: { Function: "runner.state.orch", Target: "m_master" },
      [NOW_JID]: { Function: "runner.manage.up", Target: "m_master" },
    }),
    "jobs.list_job": () => ({
      Function: "runner.state.orch",
      Minions: ["m_master"],
      Result: {
        m_master: {
          return: { fun: "runner.state.orch", success: true, return: { data: { m: states }, outputter: "highstate" } },
        },
      },
    }),
  });
  await signIn();
  await store.history.load();
  assert.deepEqual(store.history.rows.value!.map(({ fun }) => fun), ["runner.state.orch"]);
  const jid = "20270115080000000001";
  store.take({
    tag: `salt/run/${jid}/new`,
    data: { fun: "runner.state.orch", fun_args: ["deploy"], user: "ada", jid },
  });
  store.take({ tag: `salt/run/${NOW_JID}/new`, data: { fun: "runner.manage.up", user: "ada" } });
  assert.deepEqual(store.history.rows.value!.map((row) => [row.jid, row.args]), [[jid, "deploy"], [JID, ""]]);
  assert.ok(store.jobs.running.value.has(jid));
  assert.ok(!asked.some(({ fun }) => fun === "jobs.list_job"));
  store.take({ tag: `salt/run/${jid}/ret`, data: { fun: "runner.state.orch" } });
  await settle();
  assert.deepEqual(store.jobs.get(jid).part("m_master")!.return, states);
  assert.ok(!store.jobs.running.value.has(jid));
});

test("jobs of an outcome are found by a Brine master, and others say that they cannot", async () => {
  const { store, signIn, asked } = bed({ ...FLEET, "jobs.list_jobs": () => ({ [JID]: { Function: "test.ping" } }) });
  await signIn();
  assert.deepEqual([...await store.history.withOutcome("failed")], [JID]);
  assert.equal(asked.at(-1)!.search_outcome, "failed");
  const salt = bed({ ...FLEET, "jobs.list_jobs": () => "Passed invalid arguments" });
  await salt.signIn();
  await assert.rejects(salt.store.history.withOutcome("failed"), /cannot search jobs by outcome/);
});

test("a batch starts the next part once the one before has ended, and stops at failures", async () => {
  const jids = [JID, NOW_JID];
  let started = 0;
  const { store, signIn, settle, asked, pass } = bed({
    ...FLEET,
    "test.fail": (low) => ({ jid: jids[started++], minions: String(low.tgt).split(",") }),
  });
  await signIn();
  const plan = { ids: ["a", "b", "c"], size: "1", waitMs: 0, failures: 1 };
  const { batch } = store.batches.get(store.batches.start({ fun: "test.fail", tgt: "*", tgt_type: "glob" }, plan))!;
  await settle();
  const sent = () => asked.filter(({ fun }) => fun === "test.fail").map(({ tgt, tgt_type }) => [tgt, tgt_type]);
  assert.deepEqual([sent(), store.batches.isRunning], [[["a", "list"]], true]);
  store.take(returned("a"));
  await pass(200);
  assert.deepEqual([sent().length, batch.ended], [2, 1]);
  store.take({ tag: `salt/job/${NOW_JID}/ret/b`, data: { id: "b", return: 1, retcode: 2, success: false } });
  await pass(200);
  assert.deepEqual([sent().length, batch.state, batch.bad, store.batches.isRunning], [2, "stopped", 1, false]);
});

test("SLS files are listed with their comments by a Brine master, and by name by others", async () => {
  const brine = bed({ ...FLEET, "fileserver.sls_list": () => ({ web: "Web servers", db: "" }) });
  await brine.signIn();
  assert.deepEqual(await brine.store.functions.slsFiles(), [{ name: "web", comment: "Web servers" }, {
    name: "db",
    comment: "",
  }]);
  const salt = bed({ ...FLEET, "fileserver.file_list": () => ["top.sls", "db/init.sls", "a/b.sls", "x.txt"] });
  await salt.signIn();
  assert.deepEqual((await salt.store.functions.slsFiles()).map(({ name }) => name), ["a.b", "db", "top"]);
});

test("issues come from the fleet and the master, no minion is asked, and gaps are named", async () => {
  const { store, signIn, asked } = bed({
    "key.list_all": () => ({ minions: ["a", "b"], minions_pre: ["c"], minions_denied: ["a"] }),
    "minions.connected": () => ["a"],
    "jobs.list_jobs": () => ({ [JID]: {}, [NOW_JID]: {} }),
    "manage.issues": () => [{ kind: "disk", level: "error", text: "1.0 GiB free", remedy: "Free it." }],
  });
  await signIn();
  assert.equal(store.issues.list.value, undefined);
  const before = asked.length;
  await store.issues.load();
  assert.deepEqual(store.issues.list.value!.map(({ title }) => title), [
    "1 denied key",
    "1 minion down",
    "2 runs of states failed",
    "Little disk space on the master",
    "1 key waits to be accepted",
  ]);
  assert.deepEqual(store.issues.gaps.value, ["Engines: only Brine masters tell (engines.status)"]);
  assert.ok(asked.slice(before).every(({ client }) => client === "runner"));
  store.take({ tag: "salt/key", data: { act: "delete", id: "c", result: true } });
  await new Promise<void>((resolve) => setImmediate(resolve));
  store.fleet.beat.value++;
  assert.equal(store.issues.list.value!.length, 4);
});

test("the page of issues stays true while it is open: it reads the fleet and the master again", async () => {
  let up = ["a", "b"];
  let disk: unknown[] = [];
  const { store, signIn, pass } = bed({
    "key.list_all": () => ({ minions: ["a", "b"] }),
    "minions.connected": () => up,
    "jobs.list_jobs": () => ({}),
    "manage.issues": () => disk,
    "engines.status": () => ({}),
    "/ready": () => answer(200),
  });
  store.route.value = { page: "issues", name: "", query: {} };
  await signIn();
  await store.issues.load();
  const titles = () => store.issues.list.value!.map(({ title }) => title);
  assert.deepEqual(titles(), []);
  up = ["a"];
  disk = [{ kind: "disk", level: "error", text: "1.0 GiB free", remedy: "Free it." }];
  await pass(120_000);
  assert.deepEqual(titles(), ["1 minion down", "Little disk space on the master"]);
});

test("an account that may not look at minions, keys and the master is told so by the page of issues", async () => {
  const { store, signIn } = bed({}, new Set(), ["test.*"]);
  await signIn();
  await store.issues.load();
  assert.deepEqual(store.issues.list.value, []);
  assert.deepEqual(store.issues.gaps.value.map((gap) => gap.replace(/:.*/, "")), [
    "Minions and keys",
    "Failed states",
    "The master itself",
    "Engines",
  ]);
});
