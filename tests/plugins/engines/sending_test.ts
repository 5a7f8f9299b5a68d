/** The engines that send events elsewhere: what they send, and what becomes of it while the receiver is away. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { engine as fluent } from "../../../src/plugins/engines/fluent.ts";
import { chosenEvents, engine as httpLogstash } from "../../../src/plugins/engines/http_logstash.ts";
import { engine as logstash } from "../../../src/plugins/engines/logstash.ts";
import { engine as notify, eventText } from "../../../src/plugins/engines/notify.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Connection } from "../../../src/runtime/net.ts";
import { StreamDecoder } from "../../../src/protocol/wire/msgpack_stream.ts";
import { type EngineSite, engineSite } from "../../support/engine_site.ts";

/** A TCP server that collects what it is sent. */
async function receiver() {
  const { net } = await currentRuntime();
  const connections: Connection[] = [];
  let bytes = new Uint8Array(0);
  let wake = () => {};
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
    connections.push(connection);
    connection.start({
      onData(chunk) {
        const whole = new Uint8Array(bytes.length + chunk.length);
        whole.set(bytes);
        whole.set(chunk, bytes.length);
        bytes = whole;
        wake();
      },
      onClose: () => {},
    });
    wake();
  });
  const { port } = listener.address as { port: number };
  return {
    port,
    connections,
    text: () => new TextDecoder().decode(bytes),
    bytes: () => bytes,
    async until(holds: () => boolean) {
      while (!holds()) await new Promise<void>((resolve) => wake = resolve);
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy();
      await listener.close();
    },
  };
}

/** An HTTP server that collects bodies. */
async function collector(status: () => number = () => 200) {
  const { http } = await currentRuntime();
  const bodies: string[] = [];
  let wake = () => {};
  const server = await http.serve(async (request) => {
    bodies.push(await request.text());
    wake();
    return new Response(null, { status: status() });
  }, { host: "127.0.0.1", port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}/in`,
    bodies,
    async until(count: number) {
      while (bodies.length < count) await new Promise<void>((resolve) => wake = resolve);
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Starts an engine that listens to events. */
async function listening(here: EngineSite, ...start: Parameters<EngineSite["start"]>): Promise<void> {
  let isListening = false;
  const { events } = here.context;
  here.context = Object.assign(here.context, {
    events: (wants?: (tag: string) => boolean) => {
      isListening = true;
      return events(wants);
    },
  });
  const work = here.start(...start);
  work.catch(() => {});
  await here.until(() => isListening, "it listens");
}

describe("logstash", () => {
  test("over TCP: a line of JSON for each event, without fields that a record of Python has itself", async () => {
    await using to = await receiver();
    await using here = await engineSite();
    await listening(here, logstash, { host: "127.0.0.1", port: to.port, proto: "tcp", tag: "my/tag" });
    here.event("salt/job/1/new", {
      fun: "test.ping",
      id: "web1",
      message: "x",
      n: 1,
      blob: new TextEncoder().encode("b"),
    });
    here.event("other", { ü: [1, null, true] });
    await to.until(() => to.text().split("\n").length > 2);
    const [first, second] = to.text().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const { "@timestamp": stamp, host, ...rest } = first;
    assert.match(stamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(typeof host, "string");
    assert.deepEqual(rest, {
      "@version": "1",
      message: "my/tag",
      path: "salt/engines/logstash_engine.py",
      tags: [],
      type: "logstash",
      level: "INFO",
      logger_name: "python-logstash-logger",
      fun: "test.ping",
      n: 1,
      blob: "b",
    });
    assert.deepEqual(second.ü, [1, null, true]);
  });

  test("over UDP what cannot be sent is counted, and the next event is sent", async () => {
    await using here = await engineSite();
    await listening(here, logstash, { host: "127.0.0.1", port: 9 });
    here.event("large", { text: "x".repeat(70_000) });
    here.event("small", { n: 1 });
    await here.until(() => Number(here.details.sent ?? 0) + Number(here.details.not_sent ?? 0) >= 2, "both were tried");
    assert.ok(Number(here.details.not_sent) >= 1);
    assert.match(JSON.stringify(here.captured.records), /a datagram at most 65507/);
  });

  test("an unknown protocol and a port that is none are named", async () => {
    await using here = await engineSite();
    await assert.rejects(
      here.start(logstash, { host: "h", proto: "sctp" }),
      /Cannot use sctp as proto: expected udp or tcp/,
    );
    await assert.rejects(here.start(logstash, { host: "h", port: "x" }), /Cannot use x as port/);
  });
});

describe("fluent", () => {
  test("a message for each event: tag, seconds and data", async () => {
    await using to = await receiver();
    await using here = await engineSite();
    await listening(here, fluent, { host: "127.0.0.1", port: to.port, app: "app" });
    here.event("t", { n: 1, bytes: new Uint8Array([1, 2]) });
    await to.until(() => to.bytes().length > 20);
    const reader = new StreamDecoder({ mode: "bin" });
    reader.push(to.bytes());
    const [tag, seconds, data] = reader.next() as [string, number, Record<string, unknown>];
    assert.equal(tag, "saltstack.app");
    assert.ok(Math.abs(Date.now() / 1000 - seconds) < 60);
    assert.deepEqual([data.n, [...data.bytes as Uint8Array]], [1, [1, 2]]);
  });

  test("a connection that is lost is made again, and what comes meanwhile waits", async () => {
    await using to = await receiver();
    await using here = await engineSite();
    await listening(here, fluent, { host: "127.0.0.1", port: to.port });
    here.event("t", { n: 1 });
    await to.until(() => to.bytes().length > 0);
    to.connections[0]!.destroy();
    await here.until(() => here.details.connections_lost === 1, "the loss is noticed");
    here.event("t", { n: 2 });
    await to.until(() => to.connections.length >= 2);
    await here.until(() => here.details.sent === 2, "the second is sent");
  });
});

describe("http_logstash", () => {
  test("posts the data of the events that are chosen, one after the other", async () => {
    await using to = await collector();
    await using here = await engineSite();
    await listening(here, httpLogstash, { url: to.url, tags: ["salt/job/*/ret/*"], funs: ["test.ping"] });
    here.event("salt/job/1/ret/web1", { fun: "test.ping", return: true });
    here.event("salt/job/1/ret/web1", { fun: "test.arg" });
    here.event("salt/job/1/new", { fun: "test.ping" });
    here.event("salt/job/1/ret/web2", { no: "function" });
    await to.until(2);
    assert.deepEqual(to.bodies, ['{"fun": "test.ping", "return": true}', '{"no": "function"}']);
  });

  test("a server that fails for a moment gets the event again; one that refuses it does not", async () => {
    const answers = [503, 200, 400, 200];
    await using to = await collector(() => answers.shift() ?? 200);
    await using here = await engineSite();
    await listening(here, httpLogstash, { url: to.url });
    for (const n of [1, 2, 3]) here.event("t", { n });
    await to.until(4);
    assert.deepEqual(to.bodies.map((body) => JSON.parse(body).n), [1, 1, 2, 3]);
    await here.until(() => here.details.posted === 2, "two were posted");
    assert.equal(here.details.not_posted, 1);
  });

  test("without a list all tags are chosen", () => {
    assert.equal(chosenEvents("salt/*", null)({ tag: "other", data: {} }), true);
    assert.equal(chosenEvents([], [])({ tag: "other", data: { fun: "x" } }), true);
  });

  test("chooses and posts what real Salt 3006 has posted", async () => {
    const file = new URL("../../vectors/http_logstash.json", import.meta.url);
    const { configurations, events, posted } = JSON.parse(readFileSync(file, "utf8")) as {
      configurations: Record<string, Record<string, unknown>>;
      events: [string, Record<string, unknown>][];
      posted: Record<string, { data: unknown }[]>;
    };
    for (const [name, settings] of Object.entries(configurations)) {
      await using to = await collector();
      await using here = await engineSite();
      await listening(here, httpLogstash, { url: to.url, ...settings });
      for (const [tag, data] of events) here.event(tag, data);
      await to.until(posted[name]!.length);
      await here.until(() => here.details.posted === posted[name]!.length, `${name}: all were posted`);
      assert.deepEqual(to.bodies.map((body) => JSON.parse(body)), posted[name]!.map(({ data }) => data), name);
    }
  });

  test("an address that is none of http is named", async () => {
    await using here = await engineSite();
    await assert.rejects(here.start(httpLogstash, { url: "ftp://x" }), /set url to an address that begins with http/);
  });
});

describe("notify", () => {
  test("texts have what they name of an event", () => {
    const event = { tag: "a/b", data: { id: "web1", deep: { n: 1 }, list: [1] } };
    const cases = {
      "{tag}: {data.id} {data.deep.n}": "a/b: web1 1",
      "{data.list} {data.none}|{data.id.x}|{other}": "[1] ||{other}",
      "{data}": '{"id": "web1", "deep": {"n": 1}, "list": [1]}',
    };
    for (const [template, text] of Object.entries(cases)) assert.equal(eventText(template, event), text);
    assert.equal(eventText("{data.x}", { tag: "t", data: { x: "y".repeat(9000) } }).length, 500);
  });

  test("one message has what has come meanwhile, twenty lines at most, and counts the rest", async () => {
    await using to = await collector();
    await using here = await engineSite();
    await listening(here, notify, {
      url: to.url,
      tags: "salt/engines/status/*",
      where: { state: ["waiting", "absent"] },
      text: "{data.name} {data.state}",
      extra: { channel: "#ops" },
      every: 0,
    });
    here.event("other", { name: "x", state: "waiting" });
    for (let n = 0; n < 50; n++) {
      here.event("salt/engines/status/a", { name: `e${n}`, state: n % 2 === 0 ? "waiting" : "running" });
    }
    await to.until(2);
    const [first, second] = to.bodies.map((body) => JSON.parse(body));
    assert.deepEqual(first, { channel: "#ops", text: "e0 waiting" });
    const lines = second.text.split("\n");
    assert.equal(lines.length, 21);
    assert.equal(lines[0], "e2 waiting");
    assert.equal(lines[20], "… and 4 more");
  });
});
