/** The returners `elasticsearch`, `slack_webhook`, `splunk` and `local`, compared with what real Salt sends; and `multi_returner`. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import type { ReturnerContext, ReturnerModule } from "../../src/model/loader/family.ts";
import { localReturner } from "../../src/plugins/returners/local.ts";
import { RETURNERS } from "../../src/plugins/returners/mod.ts";
import { multiReturner } from "../../src/plugins/returners/multi_returner.ts";
import { fromJson } from "../../src/plugins/returners/json.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { pack } from "../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { vectors } from "../support/vectors.ts";

const runtime = await currentRuntime();

interface RecordedReturn {
  name: string;
  opts: Record<string, unknown>;
  ret: Record<string, unknown>;
  sent: {
    /** Null where it fails. */
    slack_webhook: { url: string; payload: unknown } | null;
    splunk: { url: string; text: string; authorization: string };
    local: string;
    /** Calls of Salt's module; absent where it fails. */
    elasticsearch?: unknown[][];
  };
}
const recorded = vectors("returners/answers") as unknown as RecordedReturn[];

const contextOf = (opts: Record<string, unknown>): ReturnerContext => ({
  runtime: {
    ...runtime,
    clock: new FakeClock(1714979289500),
    host: { ...runtime.host, hostname: () => "HOST" },
  },
  log: captureLog().log,
  opts: { grains: { id: "web1", os: "Debian", localhost: "web1.example" }, ...opts },
});

/** A web server for one test: what it is sent is kept. */
async function serve(answer = "ok", status: number | ((method: string) => number) = 200) {
  const seen: { method: string; url: string; body: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method!, url: request.url!, body, headers: request.headers });
    response.writeHead(typeof status === "number" ? status : status(request.method!)).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A return as a minion has it, with its floats. */
const returnOf = (ret: unknown) => fromJson(JSON.stringify(ret)) as Record<string, unknown>;

for (const { name, opts, ret, sent } of recorded) {
  test(`slack_webhook posts what real Salt posts: ${name}`, async () => {
    await using web = await serve();
    const { returner } = await RETURNERS.slack_webhook!();
    await returner.returner(
      contextOf({ ...opts, "slack_webhook.webhook": `${web.origin}/T0/B0/secret` }),
      returnOf(ret),
    );
    assert.equal(web.seen.length, 1);
    if (sent.slack_webhook === null) return;
    assert.equal(new URL(sent.slack_webhook.url).pathname, `/services${web.seen[0]!.url}`);
    assert.deepEqual(JSON.parse(new URLSearchParams(web.seen[0]!.body).get("payload")!), sent.slack_webhook.payload);
  });

  test(`splunk posts what real Salt posts: ${name}`, async () => {
    await using web = await serve('{"text":"Success","code":0}');
    const { returner } = await RETURNERS.splunk!();
    const splunk = { ...opts.splunk_http_forwarder as object, indexer: web.origin };
    await returner.returner(contextOf({ ...opts, splunk_http_forwarder: splunk }), returnOf(ret));
    const [{ url, body, headers }] = web.seen as [typeof web.seen[0]];
    assert.equal(`https://splunk:8088${url}`, sent.splunk.url);
    assert.equal(headers.authorization, sent.splunk.authorization);
    assert.deepEqual(JSON.parse(body), JSON.parse(sent.splunk.text));
  });

  test(`elasticsearch stores what real Salt stores: ${name}`, async () => {
    await using web = await serve("{}", (method) => method === "HEAD" ? 404 : 200);
    const { returner } = await RETURNERS.elasticsearch!();
    await returner.returner(contextOf({ ...opts, "elasticsearch.hosts": [web.origin] }), returnOf(ret));
    if (sent.elasticsearch === undefined) return;
    if (name === "states with states_order_output") {
      // Salt changes the map while it walks over it, and misses some.
      const { data } = JSON.parse(web.seen.at(-1)!.body) as { data: object };
      assert.deepEqual(Object.keys(data).map((key) => key.split("_|-")[0]), ["1", "0", "2", "3"]);
      return;
    }
    const requests = sent.elasticsearch.map(([call, ...given]) => {
      const [first, second] = given as [string, string];
      if (call === "index_exists") return [`HEAD /${first}`];
      if (call === "index_create") return [`PUT /${first}`, second];
      if (call === "alias_create") return [`PUT /${first}/_alias/${second}`];
      return [`POST /${second}/_doc`, first];
    });
    const got = web.seen.map(({ method, url, body }) => [`${method} ${url}`, ...body === "" ? [] : [JSON.parse(body)]]);
    assert.deepEqual(got, requests);
  });

  test(`local prints what real Salt prints: ${name}`, async () => {
    const printed: string[] = [];
    await localReturner((text) => printed.push(text)).returner(contextOf({}), returnOf(ret));
    assert.deepEqual(printed, [sent.local.slice(0, -1)]);
  });
}

test("local prints a return as it came to a master, and events", async () => {
  const printed: string[] = [];
  const local = localReturner((text) => printed.push(text));
  await local.returner(contextOf({}), { id: "web1", return: pack({ a: 1 }, "wire") });
  await local.eventReturn!(contextOf({}), {
    id: "1",
    again: false,
    events: [{ id: "2", tag: "t", data: { a: null } }],
  });
  assert.deepEqual(printed, ["{'id': 'web1', 'return': {'a': 1}}", "[{'data': {'a': None}, 'tag': 't'}]"]);
});

describe("secrets", () => {
  for (
    const { name, opts } of [
      { name: "slack_webhook", opts: (origin: string) => ({ "slack_webhook.webhook": `${origin}/hunter2` }) },
      {
        name: "elasticsearch",
        opts: (origin: string) => ({
          elasticsearch: { hosts: origin, username: "u", password: "hunter2" },
        }),
      },
      { name: "splunk", opts: (origin: string) => ({ splunk_http_forwarder: { indexer: origin, token: "hunter2" } }) },
    ]
  ) {
    test(`a failure of ${name} names the server without its secret`, async () => {
      await using web = await serve("no_team hunter2", 403);
      const { returner } = await RETURNERS[name]!();
      await assert.rejects(
        returner.returner(contextOf(opts(web.origin)), { id: "web1", fun: "a.b", return: 1 }),
        (error: Error) => {
          assert.match(error.message, /Cannot .*127\.0\.0\.1.*403/);
          assert.doesNotMatch(error.message, /hunter2/);
          return true;
        },
      );
    });
  }

  test("slack_webhook: an answer that is not ok is a failure", async () => {
    await using web = await serve("hunter2");
    const { returner } = await RETURNERS.slack_webhook!();
    const done = returner.returner(contextOf({ "slack_webhook.webhook": `${web.origin}/x` }), { id: "web1" });
    await assert.rejects(done, /it did not answer "ok"$/);
  });

  test("options that are missing are named", async () => {
    const { returner: slack } = await RETURNERS.slack_webhook!();
    const { returner: splunk } = await RETURNERS.splunk!();
    await assert.rejects(slack.returner(contextOf({}), {}), /set slack_webhook\.webhook/);
    await assert.rejects(splunk.returner(contextOf({}), {}), /set splunk_http_forwarder:token/);
  });
});

test("splunk takes the events of a master in one request", async () => {
  await using web = await serve('{"text":"Success","code":0}');
  const { returner } = await RETURNERS.splunk!();
  const context = contextOf({ splunk_http_forwarder: { indexer: web.origin, token: "t" } });
  const events = [{ id: "1", tag: "a", data: { x: 1 } }, { id: "2", tag: "b", data: {} }];
  await returner.eventReturn!(context, { id: "1", again: false, events });
  const sent = web.seen[0]!.body.split("\n").map((line) => JSON.parse(line).event);
  assert.deepEqual(sent, [{ data: { x: 1 }, tag: "a" }, { data: {}, tag: "b" }]);
});

describe("elasticsearch", () => {
  const batch = {
    id: "1",
    again: false,
    events: [{ id: "e1", tag: "a", data: { x: 1 } }, { id: "e2", tag: "b", data: {} }],
  };

  test("the events of a master go in one request, each with its id", async () => {
    await using web = await serve('{"took":1,"errors":false,"items":[]}');
    const { returner } = await RETURNERS.elasticsearch!();
    const elasticsearch = { host: web.origin, username: "u", password: "ü" };
    await returner.eventReturn!(contextOf({ elasticsearch }), batch);
    const [head, bulk] = web.seen;
    assert.equal(head!.method, "HEAD");
    assert.equal(bulk!.url, "/salt-master-event-cache/_bulk");
    assert.equal(bulk!.headers.authorization, "Basic dTrDvA==");
    assert.deepEqual(bulk!.body.trimEnd().split("\n").map((line) => JSON.parse(line)), [
      { index: { _id: "e1" } },
      { tag: "a", data: { x: 1 } },
      { index: { _id: "e2" } },
      { tag: "b", data: {} },
    ]);
  });

  for (const { status, name } of [{ status: 400, name: "EventsRefused" }, { status: 429, name: "Error" }]) {
    test(`events that it does not take are ${status === 429 ? "given again" : "refused"}`, async () => {
      await using web = await serve(`{"took":1,"errors":true,"items":[{"index":{"_id":"e1","status":${status}}}]}`);
      const { returner } = await RETURNERS.elasticsearch!();
      const done = returner.eventReturn!(contextOf({ elasticsearch: { host: web.origin } }), batch);
      await assert.rejects(done, (error: Error) => error.constructor.name === name);
    });
  }

  test("a publication is stored under its jid", async () => {
    await using web = await serve("{}");
    const { returner } = await RETURNERS.elasticsearch!();
    await returner.saveLoad!(contextOf({ elasticsearch: { host: web.origin } }), "2024", { fun: "a" }, []);
    assert.equal(`${web.seen[1]!.method} ${web.seen[1]!.url}`, "PUT /salt-master-job-cache/_doc/2024");
    assert.deepEqual(JSON.parse(web.seen[1]!.body), { jid: "2024", load: { fun: "a" } });
  });

  test("a function that could be another address is refused", async () => {
    await using web = await serve("{}");
    const { returner } = await RETURNERS.elasticsearch!();
    const context = contextOf({ elasticsearch: { host: web.origin } });
    await assert.rejects(returner.returner(context, { id: "x", fun: "a/../b", return: 1 }), /as a segment of a URL/);
    assert.deepEqual(web.seen, []);
  });

  test("the next server is asked where one does not answer", async () => {
    await using web = await serve("{}");
    const { returner } = await RETURNERS.elasticsearch!();
    const context = contextOf({ elasticsearch: { hosts: ["127.0.0.1:1", web.origin] } });
    await returner.returner(context, { id: "x", fun: "a.b", return: 1 });
    assert.deepEqual(web.seen.map(({ method }) => method), ["HEAD", "POST"]);
  });
});

describe("multi_returner", () => {
  /** A returner in memory with these jobs, newest first. */
  function stored(jobs: Record<string, Record<string, unknown>>, heard: string[] = []): ReturnerModule {
    return {
      returner: (_context, ret) => Promise.resolve(void heard.push(String(ret.id))),
      saveLoad: (_context, jid) => Promise.resolve(void heard.push(jid)),
      getLoad: (_context, jid) => Promise.resolve(jobs[jid]),
      getJid: (_context, jid) =>
        Promise.resolve(jobs[jid] === undefined ? {} : { [String(jobs[jid].id)]: { return: 1 } }),
      async *getJids() {
        for (const jid of Object.keys(jobs).sort().reverse()) yield [jid, jobs[jid]!];
      },
    };
  }
  const bad: ReturnerModule = { returner: () => Promise.reject(new Error("no room")) };
  const multi = (table: Record<string, ReturnerModule>) =>
    multiReturner(() =>
      Object.fromEntries(Object.entries(table).map(([name, returner]) => [name, () => Promise.resolve({ returner })]))
    );
  const context = (...names: string[]) => contextOf({ multi_returner: names });

  test("every one gets the return, also behind one that fails", async () => {
    const heard: string[] = [];
    const returner = multi({ a: stored({}, heard), bad, b: stored({}, heard) });
    await assert.rejects(returner.returner(context("a", "bad", "b"), { id: "web1" }), /^Error: bad: no room$/);
    await returner.saveLoad(context("a", "b"), "j1", {}, []);
    assert.deepEqual(heard, ["web1", "web1", "j1", "j1"]);
  });

  test("jobs are those of all, each once, newest first", async () => {
    const returner = multi({
      a: stored({ 5: { id: "x", from: "a" }, 3: { id: "y" }, 1: { id: "z" } }),
      b: stored({ 5: { id: "w", from: "b" }, 4: { id: "v" } }),
      bad,
    });
    const all = context("a", "bad", "b");
    const jids: [string, unknown][] = [];
    for await (const [jid, load] of returner.getJids(all)) jids.push([jid, load.from]);
    assert.deepEqual(jids, [["5", "b"], ["4", undefined], ["3", undefined], ["1", undefined]]);
    assert.deepEqual(await returner.getLoad(all, "5"), { id: "w", from: "b" });
    assert.equal(await returner.getLoad(all, "9"), undefined);
    assert.deepEqual(Object.keys(await returner.getJid(all, "5")), ["x", "w"]);
    await assert.rejects(returner.getLoad(context("bad"), "5"), /all of its returners only write/);
  });

  test("it refuses no list, unknown names and itself", async () => {
    const { returner } = await RETURNERS.multi_returner!();
    for (const names of [[], ["nosuch"], ["multi_returner"]]) {
      await assert.rejects(
        returner.returner(context(...names), {}),
        /^(?:Type|Range)Error: Cannot use .*multi_returner/,
      );
    }
  });
});
