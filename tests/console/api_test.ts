import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError, saysSignedOut } from "../../src/console/api.ts";

interface Reply {
  status?: number;
  body: unknown;
}

/** An API that answers from a table of paths and records the requests. */
function fake(replies: Record<string, Reply | Error>) {
  const asked: { url: string; body: unknown }[] = [];
  const api = new Api("/salt", (url, init) => {
    asked.push({ url, body: typeof init.body === "string" ? JSON.parse(init.body) : undefined });
    const reply = replies[url.slice("/salt".length)];
    if (reply === undefined || reply instanceof Error) return Promise.reject(reply ?? new Error(`no ${url}`));
    const { status = 200, body } = reply;
    return Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
  });
  return { api, asked };
}

const page = (message: string) => `<html><h2>401 Unauthorized</h2><p>${message}</p><pre id="traceback"></pre></html>`;

for (
  const { message, want } of [
    { message: "No permission -- see authorization schemes", want: true },
    { message: "Authorization error occurred.", want: false },
    { message: 'Authentication failure of type "token" occurred for user rita.', want: false },
    { message: 'Authentication failure of type "token" occurred.', want: undefined },
    { message: "Authentication error occurred.", want: true },
  ]
) {
  test(`401 with "${message}" ${want === undefined ? "could be either" : want ? "ends the session" : "is a missing permission"}`, () => {
    assert.equal(saysSignedOut(message), want);
  });
}

test("login() returns the session without the token", async () => {
  const { api, asked } = fake({
    "/login": { body: { return: [{ token: "ab", user: "ada", eauth: "file", expire: 5, start: 1, perms: [".*"] }] } },
  });
  const session = await api.login({ username: "ada", password: "p", eauth: "file" });
  assert.deepEqual(session, { user: "ada", eauth: "file", expire: 5, perms: [".*"] });
  assert.deepEqual(asked, [{ url: "/salt/login", body: { username: "ada", password: "p", eauth: "file" } }]);
});

test("login() returns no perms for an account without permissions, whose perms are a mapping", async () => {
  const { api } = fake({ "/login": { body: { return: [{ user: "ada", eauth: "file", expire: 5, perms: {} }] } } });
  assert.deepEqual((await api.login({ username: "ada", password: "p", eauth: "file" })).perms, []);
});

test("a command is sent as one lowstate, and its first return is the result", async () => {
  const { api, asked } = fake({ "/": { body: { return: [{ jid: "1", minions: ["a"] }] } } });
  assert.deepEqual(await api.publish({ tgt: "*", fun: "test.ping" }), { jid: "1", minions: ["a"] });
  await api.runner("jobs.list_job", { jid: "1" });
  assert.deepEqual(asked.map(({ body }) => body), [
    { client: "local_async", tgt: "*", fun: "test.ping" },
    { client: "runner", fun: "jobs.list_job", jid: "1" },
  ]);
});

test("wheel() returns the function's return, and learns the master's time zone", async () => {
  const data = { return: ["a"], success: true, jid: "20261121084330525449", _stamp: "2026-11-21T07:43:30.737195" };
  const { api } = fake({ "/": { body: { return: [{ tag: "t", data }] } } });
  assert.deepEqual(await api.wheel("minions.connected"), ["a"]);
  assert.equal(api.jidZoneMs, -3_600_000);
});

test("wheel() throws with the function's message when it failed", async () => {
  const { api } = fake({ "/": { body: { return: [{ data: { return: "no such key", success: false } }] } } });
  await assert.rejects(
    api.wheel("key.accept"),
    (error: ApiError) => error.kind === "refused" && /no such key/.test(error.message),
  );
});

for (
  const { name, replies, kind, ended = false } of [
    {
      name: "an ended session",
      replies: { "/": { status: 401, body: page("No permission -- see") } },
      kind: "signed out",
      ended: true,
    },
    {
      name: "a refusal",
      replies: { "/": { status: 401, body: page("Authorization error occurred.") } },
      kind: "forbidden",
    },
    {
      name: "a 401 of either kind whose session lives",
      replies: {
        "/": { status: 401, body: page('Authentication failure of type "token" occurred.') },
        "/stats": { body: {} },
      },
      kind: "forbidden",
    },
    {
      name: "a 401 of either kind whose session is gone",
      replies: {
        "/": { status: 401, body: page('Authentication failure of type "token" occurred.') },
        "/stats": { status: 401, body: "" },
      },
      kind: "signed out",
      ended: true,
    },
    {
      name: "a 401 for a token that was removed at the master while the session lives",
      replies: { "/": { status: 401, body: page("Authentication error occurred.") }, "/stats": { body: {} } },
      kind: "signed out",
      ended: true,
    },
    { name: "a dead server", replies: { "/": new Error("refused") }, kind: "unreachable" },
    { name: "a master that is down", replies: { "/": { status: 503, body: page("x") } }, kind: "failed" },
    {
      name: "a bad request",
      replies: { "/": { status: 400, body: page("Lowstates must be a list") } },
      kind: "refused",
    },
  ]
) {
  test(`${name} is reported as "${kind}", with a remedy`, async () => {
    const { api } = fake(replies as Record<string, Reply | Error>);
    let told = false;
    api.onSignedOut = () => told = true;
    await assert.rejects(api.runner("manage.up"), (error: ApiError) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.kind, kind);
      assert.ok(error.remedy.length > 10);
      return true;
    });
    assert.equal(told, ended);
  });
}

for (
  const { call, needs } of [
    { call: (api: Api) => api.runner("jobs.list_jobs"), needs: '"@runner": [jobs.list_jobs]' },
    { call: (api: Api) => api.wheel("key.list_all"), needs: '"@wheel": [key.list_all]' },
    {
      call: (api: Api) => api.publish({ fun: "cmd.run", tgt: "*" }),
      needs: "cmd.run on these minions in the master's external_auth: ask an administrator, or choose a smaller target",
    },
  ]
) {
  test(`a refused call names the permission that is missing: ${needs}`, async () => {
    const { api } = fake({ "/": { status: 401, body: { return: "Authorization error occurred." } } });
    const error = await call(api).then(() => undefined, (caught) => caught as ApiError);
    assert.equal(error?.kind, "forbidden");
    assert.ok(error.remedy.includes(needs), error.remedy);
    assert.equal(error.remedy.includes("target"), needs.includes("target"));
  });
}

for (
  const { name, reply, want } of [
    { name: "a Brine server names", reply: { body: ["file", "pam"] }, want: ["file", "pam"] },
    { name: "another server has no such file", reply: { status: 404, body: "<html></html>" }, want: undefined },
    { name: "another server answers with a page", reply: { body: "<html></html>" }, want: undefined },
    { name: "nobody answers", reply: new Error("refused"), want: undefined },
  ]
) {
  test(`the systems to sign in with, where ${name}`, async () => {
    const { api } = fake({ "/console/eauth.json": reply });
    assert.deepEqual(await api.signInSystems(), want);
  });
}
