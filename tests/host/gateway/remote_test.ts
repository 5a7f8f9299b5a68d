/** A gateway before another gateway: all that a host without sockets needs of a master. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import {
  createGateway,
  type Flavour,
  FLAVOURS,
  type Gateway,
  gatewaySettings,
  remoteBackend,
} from "../../../src/host/gateway/mod.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Json } from "../../support/vectors.ts";
import { type Site, startSite } from "./site.ts";
import { EXTERNAL_AUTH } from "./users.ts";

const TIMEOUT = { timeout: 60_000 };
const CLIENTS = [
  "local",
  "local_async",
  "local_batch",
  "local_subset",
  "runner",
  "runner_async",
  "wheel",
  "wheel_async",
];

interface Chain extends AsyncDisposable {
  site: Site;
  outer: Gateway;
  down: { now: boolean };
  post(path: string, body: unknown, token?: string): Promise<{ status: number; text: string; json: Json }>;
  login(username: string, password: string): Promise<string>;
}

async function chain(): Promise<Chain> {
  const site = await startSite({ minions: ["web1", "db1"] });
  const { runtime } = site.cluster;
  const settings = gatewaySettings({
    rest_cherrypy: { port: 8000, disable_ssl: true },
    netapi_enable_clients: CLIENTS,
    external_auth: EXTERNAL_AUTH,
    timeout: 5,
    gather_job_timeout: 5,
  }, "rest_cherrypy");
  const inner = createGateway({ runtime, settings, backend: site.backend });
  const down = { now: false };
  const backend = remoteBackend({
    url: "http://inner.example/",
    clock: runtime.clock,
    listener: { eauth: "file", username: "alice", password: "wonder" },
    fetch: (request) => down.now ? Promise.reject(new TypeError("connection refused")) : inner.fetch(request),
    random: () => 0.5,
  });
  const outer = createGateway({ runtime, settings: { ...settings, externalAuth: {} }, backend });
  const post: Chain["post"] = async (path, body, token = "") => {
    const answer = await outer.fetch(
      new Request(`http://outer.example${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-Auth-Token": token },
        body: JSON.stringify(body),
      }),
    );
    const text = await answer.text();
    return { status: answer.status, text, json: answer.ok ? JSON.parse(text) : undefined };
  };
  return {
    site,
    outer,
    down,
    post,
    login: async (username, password) => {
      const { json } = await post("/login", { eauth: "file", username, password });
      return json.return[0].token;
    },
    async [Symbol.asyncDispose]() {
      outer.drain();
      await backend[Symbol.asyncDispose]();
      inner.drain();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** A gateway of that flavour whose hooks need no session, and the requests that it sends to the one behind it. */
async function openHooks(flavour: Flavour) {
  const asked: { url: string; body: string }[] = [];
  const runtime = await currentRuntime();
  const backend = remoteBackend({
    url: "http://inner.example/api/",
    clock: runtime.clock,
    listener: { eauth: "file", username: "alice", password: "wonder" },
    async fetch(request) {
      const body = await request.text();
      // The requests of the listener itself are left out.
      if (!body.includes('"wonder"') && request.method === "POST") asked.push({ url: request.url, body });
      const login = { token: "a".repeat(40), start: 0, expire: 1e12, user: "alice", eauth: "file", perms: [] };
      return Response.json({ return: [login] });
    },
  });
  const section = { port: 8000, disable_ssl: true, webhook_disable_auth: true };
  const settings = gatewaySettings({ [flavour]: section, netapi_enable_clients: CLIENTS }, flavour);
  const gateway = createGateway({ runtime, settings, backend });
  const hook = (place: string) =>
    gateway.fetch(
      new Request(`http://outer.example/hook/${place}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify([{ client: "local", tgt: "*", fun: "cmd.run", arg: ["id"] }]),
      }),
    );
  return { asked, backend, gateway, hook };
}

describe("a hook reaches no other path of the salt-api behind it", () => {
  const places = [
    "..%2F",
    "..%2f",
    "..%2Frun",
    "a/..%2F..%2F",
    "..%5C",
    "%2e%2e%2Frun",
    "%252e%252e%252Frun",
    "..%252F",
    "x%3Ftoken=1",
    "x%23y",
    "x%00y",
    "x%0D%0AX-Auth-Token:%20y",
    ".%2Fx",
    "x%2F.",
    "%2F%2Fother.example%2F",
  ];
  for (const flavour of FLAVOURS) {
    for (const place of places) {
      test(`${flavour}: /hook/${place}`, async () => {
        const { asked, backend, gateway, hook } = await openHooks(flavour);
        assert.equal((await hook(place)).status, 400);
        assert.deepEqual(asked, []);
        gateway.drain();
        await backend[Symbol.asyncDispose]();
      });
    }
  }

  test("a valid path is passed on, encoded", async () => {
    const { asked, backend, gateway, hook } = await openHooks("rest_cherrypy");
    assert.equal((await hook("deploy/a%20b/%C3%A9/...")).status, 200);
    assert.deepEqual(asked.map(({ url }) => url), ["http://inner.example/api/hook/deploy/a%20b/%C3%A9/..."]);
    gateway.drain();
    await backend[Symbol.asyncDispose]();
  });

  test("a redirect is not followed with the token", async () => {
    const { backend } = await openHooks("rest_cherrypy");
    await backend[Symbol.asyncDispose]();
    const modes: string[] = [];
    const away = remoteBackend({
      url: "http://inner.example",
      clock: (await currentRuntime()).clock,
      fetch(request) {
        modes.push(request.redirect);
        return Promise.resolve(new Response(null, { status: 307, headers: { Location: "http://other.example/" } }));
      },
    });
    assert.equal(await away.token("f".repeat(40)), undefined);
    assert.deepEqual(modes, ["manual"]);
    await away[Symbol.asyncDispose]();
  });

  test("a token that cannot be a header is unknown", async () => {
    const { asked, backend } = await openHooks("rest_cherrypy");
    for (const token of ["a\r\nX: y", "a b", "é", "\0"]) assert.equal(await backend.token(token), undefined);
    assert.deepEqual(asked, []);
    await backend[Symbol.asyncDispose]();
  });
});

describe("a gateway before another gateway", TIMEOUT, () => {
  test("carries jobs, runners and wheel functions, and their values", TIMEOUT, async () => {
    await using here = await chain();
    const token = await here.login("alice", "wonder");
    const call = async (low: Record<string, unknown>) => (await here.post("/", [low], token)).json.return;
    assert.deepEqual(await call({ client: "local", tgt: "*", fun: "test.ping" }), [{ db1: true, web1: true }]);
    const [{ web1 }] = await call({
      client: "local",
      tgt: "web1",
      fun: "test.arg",
      arg: [1, "a"],
      kwarg: { b: [null] },
    });
    assert.deepEqual([web1.args, web1.kwargs.b], [[1, "a"], [null]]);
    const [{ web1: full }] = await call({ client: "local", tgt: "web1", fun: "no.such", full_return: true });
    assert.deepEqual([full.ret, full.retcode], ["'no.such' is not available.", 1]);
    assert.deepEqual(await call({ client: "local", tgt: "nobody", fun: "test.ping" }), [{}]);
    const [published] = await call({ client: "local_async", tgt: "*", fun: "test.ping" });
    assert.match(published.jid, /^\d{20}$/);
    assert.deepEqual(published.minions, ["db1", "web1"]);
    const batch = await call({ client: "local_batch", tgt: "*", fun: "test.ping", batch: "1" });
    assert.deepEqual(Object.assign({}, ...batch), { db1: true, web1: true });
    const [subset] = await call({ client: "local_subset", tgt: "*", fun: "test.ping", subset: 1 });
    assert.equal(Object.keys(subset).length, 1);
    const [several] = await call({ client: "local", tgt: "web1", fun: ["test.ping", "test.echo"], arg: [[], ["x"]] });
    assert.deepEqual(several.web1, { "test.ping": true, "test.echo": "x" });
    assert.deepEqual((await call({ client: "runner", fun: "test.arg", arg: ["a"], kwarg: { b: 2 } }))[0].args, ["a"]);
    const [{ data }] = await call({ client: "wheel", fun: "key.finger", match: "web1" });
    assert.deepEqual([data.success, Object.keys(data.return.minions)], [true, ["web1"]]);
  });

  test("passes on refusals", TIMEOUT, async () => {
    await using here = await chain();
    assert.equal((await here.post("/login", { eauth: "file", username: "alice", password: "x" })).status, 401);
    const rita = await here.login("rita", "rrr");
    for (
      const low of [
        { client: "local", tgt: "*", fun: "cmd.run", arg: ["id"] },
        { client: "runner", fun: "manage.down" },
        { client: "wheel", fun: "key.accept", match: "*" },
        { client: "wheel_async", fun: "key.accept", match: "*" },
      ]
    ) {
      const { status, text } = await here.post("/", [low], rita);
      assert.equal(status, 401, low.fun);
      assert.match(text, /Authorization error|occurred for user rita/);
    }
    assert.equal((await here.post("/", [{ client: "local", tgt: "*", fun: "test.ping" }], "f".repeat(40))).status, 401);
    const run = {
      client: "local",
      tgt: "web1",
      fun: "test.ping",
      eauth: "file",
      username: "alice",
      password: "wonder",
    };
    assert.deepEqual((await here.post("/run", [run])).json.return, [{ web1: true }]);
    assert.equal((await here.post("/run", [{ ...run, password: "x" }])).status, 401);
  });

  test("passes on events and hooks", TIMEOUT, async () => {
    await using here = await chain();
    const token = await here.login("alice", "wonder");
    const answer = await here.outer.fetch(
      new Request("http://outer.example/events", { headers: { "X-Auth-Token": token } }),
    );
    assert.equal(answer.status, 200);
    let text = "";
    const reader = answer.body!.getReader();
    const reading = (async () => {
      while (!text.includes("salt/netapi/hook/deploy")) {
        const { value, done } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
    })();
    // The outer gateway starts to listen when it is created, and the inner one may take a moment.
    await until(async () => {
      await here.post("/hook/deploy", { version: 7 }, token);
      return text.includes("salt/netapi/hook/deploy");
    });
    await reading;
    assert.match(text, /"post": \{"version": 7\}/);
    await reader.cancel();
  });

  test("without the salt-api behind it every request is 503, until that is back", TIMEOUT, async () => {
    await using here = await chain();
    const token = await here.login("alice", "wonder");
    here.down.now = true;
    const ping = [{ client: "local", tgt: "*", fun: "test.ping" }];
    assert.equal((await here.post("/", ping, token)).status, 503);
    assert.equal((await here.post("/login", { eauth: "file", username: "alice", password: "wonder" })).status, 503);
    here.down.now = false;
    assert.equal((await here.post("/", ping, token)).status, 200);
  });
});
