/** What the gateway does beside the recorded exchanges: where it differs on purpose, and its extensions. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decode, encode } from "@msgpack/msgpack";
import type { PublishRequest } from "../../../src/client/mod.ts";
import { newApiKey } from "../../../src/host/gateway/mod.ts";
import { pathTemplate } from "../../../src/host/gateway/openapi.ts";
import { TokenFamilies } from "../../../src/host/gateway/auth/token_families.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { type Door, openDoor, PASSWORD } from "./fake_backend.ts";

const PING = [{ client: "local", tgt: "*", fun: "test.ping" }];
const decoder = new TextDecoder();

/** Reads a stream until its text so far matches. */
async function readUntil(answer: Response, wanted: RegExp, door?: Door): Promise<string> {
  const reader = answer.body!.getReader();
  let text = "";
  while (!wanted.test(text)) {
    door?.clock.advance(20);
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text;
}

async function ended(answer: Response): Promise<boolean> {
  const reader = answer.body!.getReader();
  try {
    for (;;) if ((await reader.read()).done) return true;
  } catch {
    return true;
  }
}

describe("where it differs from the original on purpose", () => {
  test("a preflight is answered 200, also without a session", async () => {
    const door = await openDoor();
    for (const path of ["/", "/minions", "/hook/x"]) {
      const answer = await door.send("OPTIONS", path, {
        headers: { Origin: "http://gui.example", "Access-Control-Request-Method": "POST" },
      });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("Access-Control-Allow-Origin"), "http://gui.example");
      assert.equal(answer.headers.get("Access-Control-Allow-Methods"), "GET, POST");
      assert.equal(answer.headers.get("Access-Control-Allow-Headers"), "Content-Type, X-Auth-Token, X-Requested-With");
      assert.equal(answer.headers.get("Access-Control-Max-Age"), "1400");
    }
  });

  test("a webhook without a session fires its event where none is needed", async () => {
    const door = await openDoor({ webhook_disable_auth: true, webhook_url: "/in" });
    assert.equal((await door.send("POST", "/in/x", { body: { a: 1 } })).status, 200);
    assert.equal((await door.send("POST", "/hook/x", { body: { a: 1 } })).status, 404);
    assert.equal(door.backend.fired[0]!.tag, "salt/netapi/hook/x");
  });

  test("EventSource may listen in tornado's profile", async () => {
    const door = await openDoor({}, { flavour: "rest_tornado" });
    const headers = { ...await door.login(), Accept: "text/event-stream" };
    const answer = await door.send("GET", "/events", { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("Content-Type"), "text/event-stream");
    await answer.body!.cancel();
  });

  test("bodies and answers may be msgpack", async () => {
    const door = await openDoor();
    const headers = { ...await door.login(), "Content-Type": "application/msgpack", Accept: "application/msgpack" };
    const send = (body: Uint8Array) => door.send("POST", "/", { headers, body });
    const answer = await send(encode([{ client: "local", tgt: "*", fun: "test.echo", arg: [2n ** 60n, "ä", null] }], {
      useBigInt64: true,
    }));
    assert.equal(answer.headers.get("Content-Type"), "application/msgpack");
    assert.deepEqual(decode(new Uint8Array(await answer.arrayBuffer())), { return: [{ web1: true }] });
    const { request } = door.backend.calls.find(({ method }) => method === "run")!;
    assert.deepEqual((request as PublishRequest).arg, [2n ** 60n, "ä", null]);
    // {"__proto__": 1}
    assert.equal((await send(Uint8Array.of(0x81, 0xa9, ...new TextEncoder().encode("__proto__"), 1))).status, 400);
  });

  test("a token does not outlive its login", async () => {
    const door = await openDoor();
    const headers = await door.login();
    assert.equal(door.backend.tokens.size, 1);
    assert.equal((await door.send("POST", "/logout", { headers, body: {} })).status, 200);
    assert.equal(door.backend.tokens.size, 0);
  });

  test("listeners see no secret of the runner that makes tokens", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/events", { headers: await door.login() });
    const made = { fun: "runner.auth.mk_token", fun_args: [{ password: "hunter2" }], return: { token: "c0ffee" } };
    door.backend.event("salt/run/20260101000000000000/ret", { ...made, jid: "20260101000000000000" });
    const text = await readUntil(answer, /mk_token/, door);
    assert.match(text, /"jid": "20260101000000000000"/);
    assert.doesNotMatch(text, /hunter2|c0ffee/);
    await answer.body!.cancel();
  });

  test("GET /logout is 405 and does not end the session", async () => {
    const door = await openDoor();
    const headers = await door.login();
    assert.equal((await door.send("GET", "/logout", { headers })).status, 405);
    assert.equal((await door.send("POST", "/", { headers, body: PING })).status, 200);
  });
});

describe("routing", () => {
  const rows: { method: string; path: string; status: number; login?: true; says?: RegExp }[] = [
    { method: "GET", path: "/login/", status: 200 },
    { method: "GET", path: "//login//", status: 200 },
    { method: "GET", path: "/Login", status: 404, says: /The path '\/Login' was not found\./ },
    { method: "GET", path: "/login/x", status: 404, says: /Nothing matches the given URI/ },
    { method: "GET", path: "/run", status: 200, says: /Welcome/ },
    { method: "GET", path: "/token", status: 200, says: /Welcome/ },
    { method: "GET", path: "/index", status: 200, says: /Welcome/ },
    { method: "HEAD", path: "/", status: 200 },
    { method: "GET", path: "/hook", status: 401 },
    { method: "GET", path: "/hook", status: 405, login: true },
    { method: "POST", path: "/stats", status: 405, login: true },
    { method: "DELETE", path: "/minions", status: 401 },
    { method: "DELETE", path: "/minions", status: 405, login: true, says: /Specified method is invalid/ },
    { method: "GET", path: "/minions?mid=web*", status: 200, login: true },
    { method: "GET", path: "/jobs?limit=0", status: 400, login: true },
    { method: "GET", path: "/jobs?before=x", status: 400, login: true },
    { method: "GET", path: "/app", status: 404 },
  ];
  for (const { method, path, status, login, says } of rows) {
    test(`${method} ${path}${login ? " with a session" : ""}: ${status}`, async () => {
      const door = await openDoor();
      const answer = await door.send(method, path, { headers: login ? await door.login() : {} });
      const text = (await answer.text()).replaceAll("&#x27;", "'");
      assert.equal(answer.status, status, text);
      if (says !== undefined) assert.match(text, says);
      if (method === "HEAD") assert.equal(text, "");
    });
  }

  test("without sessions, /login and the routes that need a session are 404", async () => {
    const door = await openDoor({ enable_sessions: false });
    for (const path of ["/login", "/minions", "/jobs"]) assert.equal((await door.send("GET", path)).status, 404);
    assert.equal((await door.send("GET", "/")).status, 200);
  });

  test("all routes can be mounted below a path", async () => {
    const door = await openDoor({ root_prefix: "/api" });
    assert.equal((await door.send("GET", "/api/login")).status, 200);
    assert.equal((await door.send("GET", "/api")).status, 200);
  });

  test("tornado's profile knows exact paths only", async () => {
    const door = await openDoor({}, { flavour: "rest_tornado" });
    for (const path of ["/login/", "//login", "/stats", "/keys", "/token"]) {
      assert.equal((await door.send("GET", path)).status, 404, path);
    }
    assert.equal((await door.send("HEAD", "/")).status, 405);
  });

  test("the answer has the type that the client prefers", async () => {
    const door = await openDoor();
    for (
      const [accept, type] of [
        ["application/json;q=0.2, application/x-yaml", "application/x-yaml"],
        ["text/html, */*;q=0.8", "application/json"],
        ["application/*", "application/json"],
        ["application/vnd.msgpack", "application/vnd.msgpack"],
        ["application/json;q=0, application/x-yaml;q=0.1", "application/x-yaml"],
      ]
    ) assert.equal((await door.send("GET", "/", { headers: { Accept: accept! } })).headers.get("Content-Type"), type);
  });
});

describe("events", () => {
  test("a stream can be for some tags only", async () => {
    const door = await openDoor();
    const headers = await door.login();
    const answer = await door.send("GET", "/events?tag=salt/job/*/ret/*", { headers });
    door.backend.event("salt/job/1/new", { n: 1 });
    door.backend.event("salt/job/1/ret/web1", { n: 2 });
    const text = await readUntil(answer, /\n\n$/, door);
    assert.equal(
      text,
      'retry: 400\ntag: salt/job/1/ret/web1\ndata: {"data": {"n": 2}, "tag": "salt/job/1/ret/web1"}\n\n',
    );
  });

  test("a tag never begins a line of its own", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/events", { headers: await door.login() });
    door.backend.event("a\ndata: forged", {});
    assert.match(await readUntil(answer, /\n\n$/, door), /^retry: 400\ntag: a data: forged\ndata: \{/);
  });

  test("with ids a listener resumes where it was, and learns that events were lost", async () => {
    const door = await openDoor({ event_history: 3 });
    const headers = await door.login();
    const first = await door.send("GET", "/events?ids=1", { headers });
    door.backend.event("one");
    door.backend.event("two");
    const text = await readUntil(first, /two"\}\n\n$/, door);
    assert.match(text, /^retry: 400\nid: .+-0\n\nid: .+-1\ntag: one\n/);
    const ids = [...text.matchAll(/^id: (.+)\ntag/gm)].map(([, id]) => id!);
    assert.equal(ids.length, 2);
    await first.body!.cancel();
    door.backend.event("three");
    const after = (id: string) => door.send("GET", "/events", { headers: { ...headers, "Last-Event-ID": id } });
    assert.match(
      await readUntil(await after(ids[0]!), /three"\}\n\n/, door),
      /retry: 400\nid: .+\ntag: two\n[^]+tag: three\n/,
    );
    for (const tag of ["four", "five", "six"]) door.backend.event(tag);
    const late = await readUntil(await after(ids[0]!), /six"\}\n\n/, door);
    assert.match(late, /^retry: 400\nevent: lost\ndata: \{"missed":2\}\n\nid: .+-3\n\nid: .+-4\ntag: four\n/);
    assert.match(
      await readUntil(await after("other-1"), /six"\}\n\n/, door),
      /event: lost\ndata: \{\}\n/,
      "an id of another process does not say how many",
    );
  });

  test("there are no ids unless the listener asks for them", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/events", { headers: await door.login() });
    door.backend.event("one");
    assert.ok(!(await readUntil(answer, /\n\n$/, door)).includes("id:"));
  });

  test("a listener that does not read is disconnected, and the others get every event", async () => {
    const door = await openDoor({ listener_buffer: 20_000 });
    const headers = await door.login();
    const slow = await door.send("GET", "/events", { headers });
    const quick = await door.send("GET", "/events", { headers });
    for (let count = 0; count < 50; count++) {
      door.backend.event(`burst/${count}`, { text: "x".repeat(2000) });
      door.clock.advance(20);
      await readUntil(quick, new RegExp(`burst/${count}"\\}\n\n$`));
    }
    assert.equal(door.gateway.listeners, 1);
    // What waited for it was dropped: it gets nothing rather than a part.
    assert.equal(await slow.text(), "");
  });

  test("a stream ends with its session, with its token, and with the gateway", async () => {
    const door = await openDoor();
    const headers = await door.login();
    const bySession = await door.send("GET", "/events", { headers });
    assert.equal((await door.send("POST", "/logout", { headers, body: {} })).status, 200);
    assert.ok(await ended(bySession));
    const again = await door.login();
    const byToken = await door.send("GET", "/events", { headers: again });
    door.clock.advance(43_201_000);
    assert.ok(await ended(byToken));
    assert.equal((await door.send("GET", "/events", { headers: again })).status, 401);
    const byGateway = await door.send("GET", "/events", { headers: await door.login() });
    door.gateway.drain();
    assert.ok(await ended(byGateway));
  });

  test("the streams of a token that the master has revoked end soon", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/events", { headers: await door.login() });
    door.backend.tokens.clear();
    door.clock.advance(16_000);
    door.backend.event("one");
    door.clock.advance(20);
    assert.ok(await ended(answer));
  });
});

describe("sessions and tokens", () => {
  const credentials = { username: "somebody", password: PASSWORD, eauth: "pam" };

  test("a session lives for ten hours after its last request", async () => {
    const door = await openDoor();
    const headers = await door.login();
    door.clock.advance(9 * 3_600_000);
    assert.equal((await door.send("GET", "/stats", { headers })).status, 200);
    door.clock.advance(9 * 3_600_000);
    assert.equal((await door.send("GET", "/stats", { headers })).status, 200);
    door.clock.advance(10 * 3_600_000);
    assert.equal((await door.send("GET", "/stats", { headers })).status, 401);
  });

  test("a JWT is valid until it expires, and is renewed by a refresh token that is valid for nothing else", async () => {
    const door = await openDoor({ jwt: { access_seconds: 60, refresh_seconds: 600, rotate_seconds: 100 } });
    const answer = await door.send("POST", "/login", { body: { ...credentials, token_type: "jwt" } });
    const [row] = (await answer.json() as { return: Record<string, string>[] }).return;
    const { token, refresh_token } = row!;
    const ping = (bearer: string) =>
      door.send("POST", "/", { headers: { Authorization: `Bearer ${bearer}` }, body: PING });
    assert.equal((await ping(token!)).status, 200);
    assert.equal((await ping(refresh_token!)).status, 401);
    assert.equal(
      (await ping(token!.replace(/\.(.)([^.]*)$/, (_all, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`)))
        .status,
      401,
    );
    door.clock.advance(61_000);
    assert.equal((await ping(token!)).status, 401);
    // By now there is a newer key; this one is still known.
    door.clock.advance(100_000);
    await door.send("POST", "/login", { body: { ...credentials, token_type: "jwt" } });
    const renewed = await door.send("POST", "/refresh", { body: { refresh_token } });
    assert.equal(renewed.status, 200);
    const [pair] = (await renewed.json() as { return: Record<string, string>[] }).return;
    assert.equal((await ping(pair!.access_token!)).status, 200);
    assert.equal((await door.send("POST", "/refresh", { body: { refresh_token: pair!.access_token } })).status, 401);
    const ring = JSON.parse(door.runtime.fs.readText("/state/jwt_keys.json")) as unknown[];
    assert.equal(ring.length, 2);
    assert.equal(door.runtime.fs.stat("/state/jwt_keys.json")!.mode & 0o777, 0o600);
    door.backend.tokens.clear();
    assert.equal((await door.send("POST", "/refresh", { body: { refresh_token } })).status, 401);
  });

  /** A login with JWTs, before a master that cannot revoke tokens, like real Salt's. */
  async function jwtLogin(door: Door) {
    door.backend.revoke = () => Promise.resolve();
    const answer = await door.send("POST", "/login", { body: { ...credentials, token_type: "jwt" } });
    return (await answer.json() as { return: Record<string, string>[] }).return[0]!;
  }
  const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` });
  const statusOf = async (door: Door, token: string | undefined) =>
    (await door.send("POST", "/", { headers: bearer(token), body: PING })).status;
  async function renew(door: Door, refresh_token: string | undefined) {
    const answer = await door.send("POST", "/refresh", { body: { refresh_token } });
    if (answer.status !== 200) return answer.status;
    return (await answer.json() as { return: Record<string, string>[] }).return[0]!;
  }

  test("a logout revokes a JWT, its refresh token and what was renewed from it, also after a restart", async () => {
    const door = await openDoor({ jwt: true });
    const row = await jwtLogin(door);
    const other = await jwtLogin(door);
    const pair = await renew(door, row.refresh_token) as Record<string, string>;
    const listening = await door.send("GET", "/events", { headers: bearer(row.access_token) });
    const tokens = [row.access_token, pair.access_token];
    for (const token of tokens) assert.equal(await statusOf(door, token), 200);
    assert.equal((await door.send("POST", "/logout", { headers: bearer(row.access_token), body: {} })).status, 200);
    assert.equal((await listening.text()).trim(), "retry: 400", "its stream has ended");
    const again = await openDoor({ jwt: true }, { like: door });
    for (const one of [door, again]) {
      for (const token of tokens) assert.equal(await statusOf(one, token), 401);
      for (const token of [row.refresh_token, pair.refresh_token]) assert.equal(await renew(one, token), 401);
      assert.equal(await statusOf(one, other.access_token), 200, "another login of the same user goes on");
    }
    assert.equal(door.runtime.fs.stat("/state/jwt_families")!.mode & 0o777, 0o600);
  });

  test("a refresh token that comes again ends the login, unless the caller missed the answer", async () => {
    const door = await openDoor({ jwt: true });
    const row = await jwtLogin(door);
    const first = await renew(door, row.refresh_token) as Record<string, string>;
    const again = await renew(door, row.refresh_token) as Record<string, string>;
    assert.equal(await statusOf(door, again.access_token), 200);
    door.clock.advance(10_000);
    const restarted = await openDoor({ jwt: true }, { like: door });
    assert.equal(await renew(restarted, row.refresh_token), 401);
    for (const token of [row.access_token, first.access_token, again.access_token]) {
      assert.equal(await statusOf(restarted, token), 401);
    }
    assert.equal(await renew(restarted, first.refresh_token), 401);
  });

  test("an unreadable record of logouts revokes all earlier tokens; half a line at its end does not", async () => {
    const door = await openDoor({ jwt: true });
    const row = await jwtLogin(door);
    const { fs } = door.runtime;
    fs.append("/state/jwt_families", '["half');
    assert.equal(await statusOf(await openDoor({ jwt: true }, { like: door }), row.access_token), 200);
    fs.append("/state/jwt_families", "broken\n");
    assert.equal(await statusOf(await openDoor({ jwt: true }, { like: door }), row.access_token), 401);
  });

  test("a logout survives a loss of power", async () => {
    const clock = new FakeClock();
    const disk = memoryFileSystem({ clock });
    const options = { clock, path: "/state/f", keep: true };
    const now = clock.now() / 1000;
    const family = (id: string) => ({ id, user: "ann", expire: now + 1000 });
    const families = new TokenFamilies({ ...options, fs: disk });
    await families.revoke(family("one"));
    assert.equal(await families.renew(family("two"), 0), 1);
    clock.advance(20_000);
    const after = new TokenFamilies({ ...options, fs: disk.powerCut() });
    assert.equal(after.isRevoked(family("one"), now), true);
    assert.equal(await after.renew(family("two"), 0), undefined, "the refresh token was used before");
    assert.equal(after.isRevoked(family("two"), now), true);
  });

  test("the record of logouts has a limited size, and a revoked token never becomes valid again because of it", async () => {
    const clock = new FakeClock();
    const fs = memoryFileSystem({ clock });
    const families = new TokenFamilies({ clock, fs, path: "/state/f", keep: true, most: 100 });
    const now = clock.now() / 1000;
    const family = (user: string, at: number) => ({ id: `${user}${at}`, user, expire: now + 1000 });
    await families.revoke(family("ann", 0));
    for (let at = 0; at < 1000; at++) await families.revoke(family("mallory", at));
    assert.ok(fs.readText("/state/f").split("\n").length < 1200);
    for (const known of [families, new TokenFamilies({ clock, fs, path: "/state/f", keep: true, most: 100 })]) {
      assert.equal(known.isRevoked(family("ann", 0), now), true);
      assert.equal(known.isRevoked(family("ann", 1), now), false, "others keep theirs");
      for (const at of [0, 500, 999]) assert.equal(known.isRevoked(family("mallory", at), Math.floor(now)), true);
    }
    clock.advance(1_001_000);
    new TokenFamilies({ clock, fs, path: "/state/f", keep: true });
    assert.equal(fs.readText("/state/f"), "", "what has ended is forgotten");
  });

  test("an identity token is passed to the master's eauth backend unchanged", async () => {
    const door = await openDoor();
    const answer = await door.send("POST", "/login", {
      body: { eauth: "oidc", username: "somebody", id_token: "e.y.s" },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(door.backend.calls[0]!.request, { eauth: "oidc", username: "somebody", id_token: "e.y.s" });
  });

  test("an API key may do what its scopes cover, as its user", async () => {
    const { key, sha256 } = newApiKey((await currentRuntime()).crypto);
    const door = await openDoor({ api_keys: { ci: { sha256, user: "builder", scopes: ["local:test.*", "hook"] } } }, {
      master: { sharedsecret: PASSWORD },
    });
    const headers = { "X-Auth-Token": key };
    assert.equal((await door.send("POST", "/", { headers, body: PING })).status, 200);
    assert.deepEqual(door.backend.calls[0]!.request, {
      eauth: "sharedsecret",
      username: "builder",
      password: PASSWORD,
    });
    assert.equal((await door.send("POST", "/", { headers, body: [{ ...PING[0], fun: "cmd.run" }] })).status, 401);
    assert.equal(
      (await door.send("POST", "/", { headers, body: [{ ...PING[0], fun: ["test.ping", "cmd.run"] }] })).status,
      401,
    );
    assert.equal((await door.send("GET", "/keys", { headers })).status, 401);
    assert.equal((await door.send("GET", "/events", { headers })).status, 401);
    assert.equal((await door.send("POST", "/hook/x", { headers, body: {} })).status, 200);
    assert.equal((await door.send("POST", "/", { headers: { "X-Auth-Token": `${key}0` }, body: PING })).status, 401);
    assert.equal(door.backend.calls.filter(({ method }) => method === "login").length, 1);
  });

  test("an API key carries with a job what its scopes cover", async () => {
    const { key, sha256 } = newApiKey((await currentRuntime()).crypto);
    const scopes = ["local*:*", "publish:metadata"];
    const door = await openDoor({ api_keys: { ci: { sha256, user: "builder", scopes } } }, {
      master: { sharedsecret: PASSWORD },
    });
    const send = async (client: string, more: Record<string, unknown>) =>
      (await door.send("POST", "/", { headers: { "X-Auth-Token": key }, body: [{ ...PING[0], client, ...more }] }))
        .status;
    for (const client of ["local", "local_async", "local_batch", "local_subset"]) {
      for (
        const more of [
          { ret: "rawfile_json" },
          { ret_config: "x" },
          { ret_kwargs: { filename: "/x" } },
          { module_executors: ["sudo"] },
          { executor_opts: { a: 1 } },
          { queue: 60 },
          { job_timeout: 60 },
          { jid: "20240506070809123456" },
        ]
      ) assert.equal(await send(client, more), 401, JSON.stringify([client, more]));
    }
    assert.equal(await send("local_async", { metadata: { a: 1 }, ret: "", ret_kwargs: {} }), 200);
  });
});

describe("extensions", () => {
  test("the OpenAPI description has every route and method, and no others", async () => {
    for (const flavour of ["rest_cherrypy", "rest_tornado"] as const) {
      const door = await openDoor({ jwt: true, websockets: true }, { flavour });
      const document = await (await door.send("GET", "/openapi.json")).json() as {
        openapi: string;
        paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>;
      };
      assert.equal(document.openapi, "3.1.0");
      const described = Object.entries(document.paths)
        .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`)).sort();
      const served = door.gateway.routes.flatMap(({ path, methods }) =>
        Object.keys(methods).map((method) => `${method.toLowerCase()} ${pathTemplate(path).template}`)
      ).sort();
      assert.deepEqual(described, served);
      const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
      assert.equal(new Set(ids).size, ids.length, ids.join(" "));
      for (const [path, item] of Object.entries(document.paths)) {
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        for (const { parameters = [] } of Object.values(item)) {
          assert.deepEqual(parameters.filter((one) => one.in === "path").map(({ name }) => name), names);
        }
      }
      const refs = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
      const { schemas } = (document as unknown as { components: { schemas: object } }).components;
      for (const name of refs) assert.ok(Object.hasOwn(schemas, name), name);
      const page = await (await door.send("GET", "/docs")).text();
      for (const path of Object.keys(document.paths)) assert.ok(page.includes(path), path);
      assert.ok(!/https?:\/\//.test(page));
    }
  });

  test("the OpenAPI description has what Brine adds to commands, and what /ready answers", async () => {
    const door = await openDoor();
    const { components: { schemas }, paths } = await (await door.send("GET", "/openapi.json")).json() as {
      components: { schemas: Record<string, { properties: Record<string, unknown>; required: string[] }> };
      paths: Record<string, Record<string, { responses: unknown; parameters?: { name: string }[] }>>;
    };
    const fields = Object.keys(schemas.Lowstate!.properties);
    for (const name of ["jid", "queue", "job_timeout", "stream", "full_return"]) assert.ok(fields.includes(name), name);
    const ready = await (await door.send("GET", "/ready")).json() as object;
    assert.deepEqual(Object.keys(ready).sort(), schemas.Ready!.required.toSorted());
    // `cluster` is there for masters of one alone.
    assert.deepEqual([...Object.keys(ready), "cluster"].sort(), Object.keys(schemas.Ready!.properties).sort());
    assert.match(JSON.stringify(paths["/ready"]!.get!.responses), /schemas\/Ready/);
    const query = paths["/events"]!.get!.parameters!.map(({ name }) => name);
    assert.deepEqual(query, ["tag", "ids", "last_event_id", "token"]);
  });

  for (const flavour of ["rest_cherrypy", "rest_tornado"] as const) {
    test(`pages of origins that may call ${flavour} may read /ready, and when to try again`, async () => {
      const section = flavour === "rest_tornado" ? { cors_origin: ["http://gui.example"] } : {};
      const door = await openDoor({ login_attempts: 1, ...section }, { flavour });
      const body = { username: "somebody", password: "guess", eauth: "pam" };
      const from = (origin: string) => ({ headers: { Origin: origin } });
      const allowed = ({ headers }: Response) => headers.get("Access-Control-Allow-Origin");
      const ready = await door.send("GET", "/ready", from("http://gui.example"));
      assert.equal(allowed(ready), "http://gui.example");
      const answer = await door.send("POST", "/login", { ...from("http://gui.example"), body });
      assert.doesNotMatch(answer.headers.get("Access-Control-Expose-Headers") ?? "", /Retry-After/);
      const late = await door.send("POST", "/login", { ...from("http://gui.example"), body });
      assert.deepEqual([late.status, allowed(late), late.headers.get("Retry-After")], [
        429,
        "http://gui.example",
        "60",
      ]);
      assert.match(late.headers.get("Access-Control-Expose-Headers")!, /\bRetry-After$/);
      door.backend.up = false;
      const down = await door.send("GET", "/ready", from("http://gui.example"));
      assert.equal(allowed(down), "http://gui.example");
      if (flavour === "rest_cherrypy") return;
      const foreign = await door.send("POST", "/login", { ...from("http://evil.example"), body });
      assert.deepEqual([foreign.status, allowed(foreign)], [429, null]);
      assert.equal(foreign.headers.get("Access-Control-Expose-Headers"), null);
    });
  }

  test("a gateway that is stopping reports it, and refuses requests", async () => {
    const door = await openDoor();
    assert.deepEqual(await (await door.send("GET", "/ready")).json(), {
      ready: true,
      master: true,
      draining: false,
      brine: false,
    });
    door.gateway.drain();
    assert.equal((await door.send("GET", "/ready")).status, 503);
    assert.equal((await door.send("GET", "/health")).status, 200);
    assert.equal((await door.send("GET", "/")).status, 503);
  });

  test("a master of a cluster that cannot publish is not ready, and says why", async () => {
    const door = await openDoor();
    const well = { masters: 2, storage: true, bus: true, lease: true };
    for (const lost of [undefined, "storage", "bus", "lease"] as const) {
      const cluster = lost === undefined ? well : { ...well, [lost]: false };
      door.backend.cluster = () => Promise.resolve(cluster);
      const answer = await door.send("GET", "/ready");
      assert.equal(answer.status, lost === undefined ? 200 : 503);
      assert.deepEqual(await answer.json(), {
        ready: lost === undefined,
        master: true,
        draining: false,
        brine: false,
        cluster,
      });
    }
  });

  test("jobs come in pages", async () => {
    const door = await openDoor();
    const jids = ["20260101000000000001", "20260101000000000002", "20260101000000000003"];
    door.backend.runner = () =>
      Promise.resolve({ tag: "", data: { return: new Map(jids.map((jid) => [jid, {}])), success: true } });
    const headers = await door.login();
    const page = async (query: string) => {
      const answer = await door.send("GET", `/jobs${query}`, { headers });
      return Object.keys((await answer.json() as { return: Record<string, unknown>[] }).return[0]!);
    };
    assert.deepEqual((await page("")).sort(), jids);
    assert.deepEqual(await page("?limit=2"), [jids[2], jids[1]]);
    assert.deepEqual(await page(`?limit=2&before=${jids[1]}`), [jids[0]]);
  });

  test("the console is served with its policy; until it is built, a page says how", async () => {
    const none = await openDoor({}, { consoleDir: "/console" });
    const missing = await none.send("GET", "/console");
    assert.equal(missing.status, 404);
    assert.match(await missing.text(), /has not been built/);
    const door = await openDoor({}, { consoleDir: "/console" });
    const { fs } = door.runtime;
    fs.mkdir("/console/assets");
    fs.write("/console/index.html", "<!doctype html>page");
    fs.write("/console/assets/main-4f9a2b1c.js", "code");
    for (const path of ["/console", "/console/jobs/1", "/console/"]) {
      const page = await door.send("GET", path);
      assert.equal(await page.text(), "<!doctype html>page");
      assert.equal(page.headers.get("Cache-Control"), "no-cache");
      assert.match(page.headers.get("Content-Security-Policy")!, /default-src 'none'; script-src 'self';/);
    }
    const script = await door.send("GET", "/console/assets/main-4f9a2b1c.js");
    assert.equal(script.headers.get("Content-Type"), "text/javascript");
    assert.match(script.headers.get("Cache-Control")!, /immutable/);
  });

  test("the sign-in form of the console learns the names of the systems to sign in with, and nothing else", async () => {
    const door = await openDoor({}, { consoleDir: "/console" });
    const systems = await door.send("GET", "/console/eauth.json");
    assert.equal(systems.headers.get("Content-Type"), "application/json");
    assert.deepEqual(await systems.json(), ["pam"]);
  });

  test("a runner is called again without unknown arguments, unless they were in kwarg", async () => {
    const door = await openDoor();
    const seen: unknown[] = [];
    door.backend.runner = ({ kwarg }) => {
      seen.push({ ...kwarg });
      const bad = Object.keys(kwarg).find((name) => name !== "jid");
      const text = `\nPassed invalid arguments: lookup() got an unexpected keyword argument '${bad}'\n\nUsage:\n`;
      return Promise.resolve({ tag: "", data: { return: bad === undefined ? "found" : text, success: true } });
    };
    const low = { client: "runner", fun: "jobs.lookup_jid", kwarg: { jid: "1" }, batch: null, tgt: "*" };
    const answer = await door.send("POST", "/", { headers: await door.login(), body: low });
    assert.deepEqual(await answer.json(), { return: ["found"] });
    assert.deepEqual(seen.at(-1), { jid: "1" });
  });

  test("a number keeps the kind that it has", async () => {
    const door = await openDoor();
    const body = '[{"client":"local_async","tgt":"*","fun":"test.arg","arg":[1.0,1,12345678901234567890]}]';
    await door.send("POST", "/", { headers: await door.login(), body });
    const { arg } = (door.backend.acts[0] as { request: { arg: unknown[] } }).request;
    assert.ok(arg[0] instanceof Number);
    assert.equal(arg[1], 1);
    assert.equal(arg[2], "12345678901234567890");
  });
});

describe("previews", () => {
  const ask = [{ tgt: "os:Debian", tgt_type: "grain", fun: "cmd.run", arg: ["id"] }];

  test("the master names the minions of a command, by the permissions of the session's user", async () => {
    const door = await openDoor();
    door.backend.isBrine = true;
    const headers = await door.login();
    const answer = await door.send("POST", "/preview", { headers, body: ask });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { return: [{ minions: ["web1"], missing: [] }] });
    const { method, request } = door.backend.calls.at(-1)! as { method: string; request: PublishRequest };
    assert.equal(method, "preview");
    assert.deepEqual([request.tgt, request.tgt_type, request.fun, request.arg], ["os:Debian", "grain", "cmd.run", [
      "id",
    ]]);
    assert.ok(typeof request.credentials?.token === "string");
  });

  test("a preview needs a session, and is 501 before real Salt's master", async () => {
    const door = await openDoor();
    assert.equal((await door.send("POST", "/preview", { body: ask })).status, 401);
    assert.deepEqual(door.backend.calls.filter(({ method }) => method === "preview"), []);
    const answer = await door.send("POST", "/preview", { headers: await door.login(), body: ask });
    assert.equal(answer.status, 501);
  });
});
