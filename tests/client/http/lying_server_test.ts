/** What a hostile server can cost {@link HttpClient}: each answer, event and job takes bounded time and memory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { EarlyEvents } from "../../../src/client/early_events.ts";
import { JobCollector, type JobSource } from "../../../src/client/job_collector.ts";
import { highestRetcode } from "../../../src/client/outcome.ts";
import { BusEvent } from "../../../src/model/event/bus.ts";
import { succeeded } from "../../../src/model/job/outcome.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { FakeEvents, FakeServer, LOGIN, page } from "./fake_server.ts";

const TIMEOUT = { timeout: 60_000 };
const JID = "20260101000000000001";
const reply = (data: unknown) => Response.json({ return: [data] });
/** What `String()` refuses, and a parser of JSON makes without a word. */
const NO_TEXT = { toString: 1, valueOf: 1 };
const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const returnOf = (id: string, fields: Record<string, unknown> = {}) =>
  BusEvent.fromData(`salt/job/${JID}/ret/${id}`, { id, return: true, retcode: 0, success: true, ...fields });

describe("events before the job has its id", TIMEOUT, () => {
  const event = BusEvent.fromData("x", {});

  test("are bounded by number and by size, and what is lost is known", () => {
    for (const [size, most] of [[0, 10_000], [1_000_000, 16]] as const) {
      const early = new EarlyEvents(true);
      for (let count = 0; count < 20_000; count++) early.take(event, size);
      assert.ok(early.lost);
      assert.equal([...early].length, most);
      assert.equal([...early].length, 0);
    }
    const trusted = new EarlyEvents(false);
    for (let count = 0; count < 20_000; count++) trusted.take(event, 1_000_000);
    assert.ok(!trusted.lost);
    assert.equal([...trusted].length, 20_000);
  });

  test("of a size that nobody keeps are let go, and the record tells what came of the job", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    const published = Promise.withResolvers<Response>();
    const results = { web1: { return: "on record", retcode: 0, success: true } };
    let stream: FakeEvents | undefined;
    server.answer = ({ path, body }) => {
      if (path === "/events") return (stream = new FakeEvents("retry: 400\nid: b-0\n\n")).response;
      const low = body?.[0] ?? {};
      if (low.client === "local_async") return published.promise;
      if (low.fun === "jobs.list_job") {
        return reply({ data: { return: { Minions: ["web1"], Result: results }, success: true } });
      }
      return low.fun === "jobs.outcome" ? reply({ data: { return: { Outcomes: {} }, success: true } }) : undefined;
    };
    const outcomes = salt.run({ tgt: "*", fun: "test.ping" }).all();
    await until(() => server.to("/").some(({ body }) => body[0]?.client === "local_async"));
    const text = "x".repeat(6_000_000);
    for (let count = 0; count < 3; count++) stream!.event("flood/event", { text });
    stream!.event(`salt/job/${JID}/ret/web1`, { id: "web1", return: text, retcode: 0, success: true });
    await until(() => stream!.read);
    published.resolve(reply({ jid: JID, minions: ["web1"] }));
    const [outcome] = await server.settled(outcomes);
    assert.equal(outcome!.kind === "returned" && outcome!.return, "on record");
    await salt.close();
  });
});

describe("a job of a lying server", TIMEOUT, () => {
  /** A collector, and how often the record was read. */
  function collecting({ mostWaiting }: { mostWaiting?: number } = {}) {
    const gaps: (() => void)[] = [];
    const reads: (() => void)[] = [];
    const clock = new FakeClock();
    const source: JobSource = {
      isBrine: false,
      lost: new Promise<never>(() => {}),
      publish: () => Promise.resolve(undefined),
      ask: () => Promise.reject(new Error("not Brine")),
      onEvent: () => () => {},
      onGap: (listener) => {
        gaps.push(listener);
        return () => {};
      },
      catchUp: () => new Promise((resolve) => void reads.push(resolve)),
      ...(mostWaiting === undefined ? {} : { mostWaiting }),
    };
    const published = { jid: JID, minions: ["web1"], missing: [], queued: [] };
    return { clock, gaps, reads, collector: new JobCollector(source, published, {}, clock, undefined) };
  }

  test("ends with PROTOCOL once it names more targets than there can be", async () => {
    const { collector } = collecting();
    const names = Array.from({ length: 1_000_100 }, (_, count) => `m${count}`);
    collector.take(BusEvent.fromData(JID, { minions: names.slice(0, 500_000) }));
    collector.take(BusEvent.fromData(`salt/job/${JID}/new`, { missing: names.slice(500_000) }));
    await assert.rejects(collector.outcomes().next(), { code: "PROTOCOL", message: /more than 1000000 targets/ });
  });

  test("ends with PROTOCOL once more outcomes wait for its reader than these may take", async () => {
    const { collector } = collecting({ mostWaiting: 1000 });
    const outcomes = collector.outcomes();
    collector.take(returnOf("big"), 5000);
    assert.equal((await outcomes.next()).value.id, "big");
    for (let count = 0; count < 4; count++) collector.take(returnOf(`m${count}`), 300);
    await assert.rejects(outcomes.next(), { code: "PROTOCOL", message: /read them faster, or raise maxBytes/ });
    const { collector: read } = collecting({ mostWaiting: 1000 });
    const faster = read.outcomes();
    for (let count = 0; count < 100; count++) {
      read.take(returnOf(`m${count}`), 300);
      assert.equal((await faster.next()).value.id, `m${count}`);
    }
  });

  test("reads the record once at a time, however often the server says that events were lost", async () => {
    const { collector, gaps, reads } = collecting();
    const waiting = collector.outcomes().next();
    await until(() => gaps.length >= 1);
    for (let count = 0; count < 10_000; count++) gaps[0]!();
    assert.equal(reads.length, 1);
    reads[0]!();
    await until(() => reads.length >= 2);
    collector.take(returnOf("web1"));
    reads[1]!();
    assert.equal((await waiting).value.id, "web1");
    assert.equal(reads.length, 2);
  });

  test("takes no name that is none, and no value that has no text", async () => {
    const { collector } = collecting();
    collector.take(BusEvent.fromData(`salt/job/${JID}/ret/x`, { id: NO_TEXT, return: 1 }));
    collector.take(BusEvent.fromData(`salt/job/${JID}/out/x`, { id: "x", seq: NO_TEXT, text: "x" }));
    collector.take(returnOf("x".repeat(256)));
    collector.take(BusEvent.fromData(JID, { minions: ["", "y".repeat(300)] }));
    collector.take(returnOf("web1", { retcode: deep(100_000) }));
    const found = [];
    for await (const { id, kind } of collector.outcomes()) found.push([id, kind]);
    assert.deepEqual(found, [["web1", "failed"]]);
  });

  test("has a return code of any shape", () => {
    assert.equal(succeeded(deep(100_000), true), false);
    assert.equal(succeeded({ "test.ping": 0, "state.apply": { nested: 0 } }, true), true);
    const codes = Object.fromEntries(Array.from({ length: 300_000 }, (_, count) => [`f${count}`, count]));
    assert.equal(highestRetcode(codes), 299_999);
  });
});

describe("a stream of events", TIMEOUT, () => {
  test("that never begins is a TIMEOUT, and a job is not waited for behind it", async () => {
    const server = new FakeServer();
    const salt = await server.open({ token: "x", timeoutMs: 3000 });
    const silent = new FakeEvents("");
    server.answer = ({ path }) => path === "/events" ? silent.response : undefined;
    await assert.rejects(server.settled(salt.run({ tgt: "*", fun: "test.ping" }).next()), { code: "TIMEOUT" });
    assert.ok(silent.cancelled);
    assert.ok(!server.to("/").some(({ body }) => body[0]?.client === "local_async"));
  });

  test("that ends before it begins is UNREACHABLE", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    server.answer = ({ path }) =>
      path === "/events" ? new Response("", { headers: { "Content-Type": "text/event-stream" } }) : undefined;
    await assert.rejects(server.settled(salt.run({ tgt: "*", fun: "test.ping" }).next()), { code: "UNREACHABLE" });
    await assert.rejects(server.settled(salt.events().next()), { code: "UNREACHABLE" });
    assert.equal(server.to("/events").length, 2);
  });

  test("that begins once and never again is given up after patienceMs", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    const first = new FakeEvents();
    let opened = 0;
    server.answer = ({ path }) =>
      path !== "/events"
        ? undefined
        : opened++ === 0
        ? first.response
        : new Response("", { headers: { "Content-Type": "text/event-stream" } });
    const feed = salt.events();
    await feed.ready();
    const waiting = feed.next();
    waiting.catch(() => {});
    first.end();
    await assert.rejects(server.settled(waiting, 1000), {
      code: "UNREACHABLE",
      message: /could not be reached for 60000 ms/,
    });
  });

  test("has no tags of any length", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    const stream = new FakeEvents();
    server.answer = ({ path }) => path === "/events" ? stream.response : undefined;
    const feed = salt.events({ tag: "*x*x*" });
    await feed.ready();
    stream.event("x".repeat(1_000_000), {});
    stream.event("xx", {});
    assert.equal((await feed.next()).value!.tag, "xx");
    await feed.return();
  });
});

describe("answers that mean nothing", TIMEOUT, () => {
  test("a clock that no clock can show does not become that of job ids", async () => {
    for (const start of [1e308, -1e308, 1e12, -1e12]) {
      const server = new FakeServer();
      server.answer = ({ path }) => path === "/login" ? reply({ token: "t1", start, expire: start }) : undefined;
      const salt = await server.open({ login: LOGIN });
      server.answer = ({ path, body }) =>
        path === "/" ? reply({ jid: body[0].jid, minions: ["web1"], missing: [], queued: [] }) : undefined;
      const published = await salt.publish({ tgt: "*", fun: "test.ping" });
      assert.match(published!.jid, /^(?:19|20)\d{18}_\d{6}$/, `${start}`);
    }
  });

  for (
    const [asked, ms] of [["30", 30_000], ["-5", 60_000], ["1e300", 60_000], ["Infinity", 60_000], ["soon", 60_000]]
  ) {
    test(`Retry-After: ${asked} is a wait of ${ms} ms`, async () => {
      const server = new FakeServer();
      server.answer = () => page(429, "Too many", { "Retry-After": String(asked) });
      await assert.rejects(server.open({ login: LOGIN }), { code: "TOO_MANY_ATTEMPTS", retryAfterMs: ms });
    });
  }

  test("values without a text are none, and names of properties are names", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    const says = (value: unknown) =>
      server.answer = ({ path }) => path === "/" ? reply({ data: { return: value, success: true } }) : undefined;
    says([{ JID: NO_TEXT, Function: [NO_TEXT, "test.ping"], Target: [NO_TEXT], Arguments: NO_TEXT, User: NO_TEXT }]);
    const [job] = await salt.jobs.list();
    assert.deepEqual([job!.jid, job!.fun, job!.arg, job!.user], ["", ["", "test.ping"], [], ""]);
    says({ minions: { web1: NO_TEXT } });
    assert.equal((await salt.keys.fingerprint("*"))[0]!.fingerprint, "");
    says(JSON.parse('{"Minions":["__proto__"],"Result":{"__proto__":{"return":1,"retcode":0,"success":true}}}'));
    const [outcome] = await salt.jobs.outcomes(JID);
    assert.deepEqual([outcome!.id, outcome!.kind], ["__proto__", "returned"]);
  });
});
