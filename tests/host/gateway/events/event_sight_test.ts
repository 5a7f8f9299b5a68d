/** What a listener sees who may not read every event: presence and the jobs of the same user, on every kind of stream. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGateway, gatewaySettings, newApiKey } from "../../../../src/host/gateway/mod.ts";
import { Audiences, maySee } from "../../../../src/host/gateway/events/event_sight.ts";
import type { HttpPeer, WebSocketHandlers } from "../../../../src/runtime/http.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { type Door, openDoor, PASSWORD } from "../fake_backend.ts";
import { startSite } from "../site.ts";

const BOBS = "20260101000000000001";
const OTHERS = "20260101000000000002";
const SECRET = "pillar-of-another";

/** Events of two users, and of nobody; a listener like bob may see those with `bob` or `presence` in them. */
const EVENTS: [tag: string, data: Record<string, unknown>][] = [
  [OTHERS, { minions: ["web1"], note: SECRET }],
  [`salt/job/${OTHERS}/new`, { user: "alice", jid: OTHERS, arg: [SECRET] }],
  [`salt/job/${BOBS}/new`, { user: "bob", jid: BOBS, note: "bob-1" }],
  // It does not become his job.
  [`salt/job/${OTHERS}/new`, { user: "bob", jid: OTHERS, arg: [SECRET] }],
  [`salt/job/${OTHERS}/ret/web1`, { fun: "pillar.items", return: SECRET }],
  [`salt/job/${OTHERS}/out/web1`, { text: SECRET }],
  [`salt/job/${BOBS}/ret/web1`, { fun: "test.ping", return: "bob-2" }],
  [`salt/job/${BOBS}/out/web1`, { text: "bob-3" }],
  ["salt/job/20260101000000000003/ret/web1", { return: SECRET }],
  ["salt/run/20260101000000000004/new", { user: "alice", fun_args: [SECRET] }],
  ["salt/run/20260101000000000004/ret", { user: "alice", return: SECRET }],
  ["salt/run/20260101000000000005/new", { user: "bob", note: "bob-4" }],
  ["salt/run/20260101000000000005/ret", { user: "bob", return: "bob-5" }],
  ["salt/wheel/20260101000000000006/new", { user: "alice", note: SECRET }],
  ["salt/wheel/20260101000000000006/ret", { user: "bob", return: SECRET }],
  ["salt/wheel/20260101000000000007/new", { user: "bob", note: "bob-6" }],
  ["salt/presence/present", { present: ["presence"] }],
  ["salt/presence/change", { new: ["presence"], lost: [] }],
  ["salt/presence/other", { note: SECRET }],
  ["salt/minion/web1/start", { data: SECRET }],
  ["salt/beacon/web1/log", { line: SECRET }],
  ["salt/auth", { id: SECRET }],
  ["salt/key", { id: SECRET }],
  ["salt/netapi/hook/deploy", { post: SECRET }],
  ["myco/deploy/done", { user: "bob", note: SECRET }],
  ["other", { user: "bob", note: SECRET }],
];
const BOB_SEES = ["bob-1", "bob-2", "bob-3", "bob-4", "bob-5", "bob-6"];

function fireAll({ backend, clock }: Door): void {
  for (const [tag, data] of EVENTS) backend.event(tag, data);
  backend.event("salt/presence/present", { present: ["the-last"] });
  clock.advance(20);
}

async function textOf(answer: Response): Promise<string> {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("the-last")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function assertBobs(text: string): void {
  assert.ok(!text.includes(SECRET), text);
  assert.deepEqual([...new Set(text.match(/bob-\d/g))], BOB_SEES);
  assert.equal(text.match(/"presence"/g)?.length, 2);
}

function assertAll(text: string): void {
  assert.equal(
    text.match(new RegExp(SECRET, "g"))?.length,
    JSON.stringify(EVENTS).match(new RegExp(SECRET, "g"))?.length,
  );
}

interface Stream {
  name: string;
  flavour?: "rest_cherrypy" | "rest_tornado";
  /** Fires the events, and gives what a listener with that token reads. */
  read(door: Door, headers: Record<string, string>): Promise<string>;
}

const STREAMS: Stream[] = [
  {
    name: "/events",
    read: async (door, headers) => {
      const answer = await door.send("GET", "/events", { headers });
      fireAll(door);
      return await textOf(answer);
    },
  },
  {
    name: "/events?token=",
    read: async (door, headers) => {
      const answer = await door.send("GET", `/events?token=${headers["X-Auth-Token"]}`);
      fireAll(door);
      return await textOf(answer);
    },
  },
  {
    name: "/events by cookie",
    read: async (door, headers) => {
      const answer = await door.send("GET", "/events", {
        headers: { Cookie: `session_id=${headers["X-Auth-Token"]}` },
      });
      fireAll(door);
      return await textOf(answer);
    },
  },
  {
    name: "/events with a tag",
    read: async (door, headers) => {
      const answer = await door.send("GET", "/events?tag=*", { headers });
      fireAll(door);
      return await textOf(answer);
    },
  },
  {
    name: "/events that resumes",
    read: async (door, headers) => {
      const first = await door.send("GET", "/events?ids=1", { headers });
      const reader = first.body!.getReader();
      const [, id] = /^id: (\S+)/m.exec(new TextDecoder().decode((await reader.read()).value))!;
      await reader.cancel();
      fireAll(door);
      return await textOf(await door.send("GET", `/events?last_event_id=${id}`, { headers }));
    },
  },
  { name: "/ws", read: (door, headers) => overSocket(door, "/ws", headers) },
  { name: "/ws/<token>", read: (door, headers) => overSocket(door, `/ws/${headers["X-Auth-Token"]}`, {}) },
  {
    name: "/all_events/<token>",
    flavour: "rest_tornado",
    read: (door, headers) => overSocket(door, `/all_events/${headers["X-Auth-Token"]}`, {}),
  },
  {
    name: "/events of rest_tornado",
    flavour: "rest_tornado",
    read: async (door, headers) => {
      const answer = await door.send("GET", "/events", { headers });
      fireAll(door);
      return await textOf(answer);
    },
  },
];

/** Upgrades, says that it is ready, and returns all that is sent. */
async function openSocket(door: Door, path: string, headers: Record<string, string>): Promise<string[]> {
  let handlers: WebSocketHandlers | undefined;
  const peer: HttpPeer = {
    address: "127.0.0.1",
    upgrade: (given) => {
      handlers = given;
      return new Response(null);
    },
    keepOpen() {},
    known() {},
  };
  const request = new Request(`http://gateway.example${path}`, { headers: { ...headers, Upgrade: "websocket" } });
  const answer = await door.gateway.fetch(request, peer);
  assert.ok(handlers !== undefined, `${answer.status}`);
  const sent: string[] = [];
  const socket = { send: (text: string) => void sent.push(text), buffered: 0, close() {} };
  handlers.onOpen?.(socket);
  handlers.onMessage?.("websocket client ready", socket);
  return sent;
}

async function overSocket(door: Door, path: string, headers: Record<string, string>): Promise<string> {
  const sent = await openSocket(door, path, headers);
  fireAll(door);
  return sent.join("");
}

describe("a user who may not read every event", () => {
  for (const { name, flavour = "rest_cherrypy", read } of STREAMS) {
    const open = () => openDoor({ websockets: true }, { flavour });
    test(`sees own jobs and presence on ${name}`, async () => {
      const door = await open();
      door.backend.limited.add("bob");
      assertBobs(await read(door, await door.login("bob")));
    });

    test(`with the right to all events sees them on ${name}`, async () => {
      const door = await open();
      assertAll(await read(door, await door.login("bob")));
    });
  }

  test("gets summaries of own jobs only", async () => {
    for (
      const [flavour, path] of [
        ["rest_cherrypy", "/ws/:token?format_events"],
        ["rest_tornado", "/formatted_events/:token"],
      ] as const
    ) {
      const door = await openDoor({ websockets: true }, { flavour });
      door.backend.limited.add("bob");
      const token = (await door.login("bob"))["X-Auth-Token"]!;
      const sent = await openSocket(door, path.replace(":token", token), {});
      fireAll(door);
      assert.ok(!sent.join("").includes(OTHERS) && !sent.join("").includes(SECRET), sent.join(""));
    }
  });

  test("with an API key for events or a JSON Web Token is held to the rights of its user", async () => {
    const { key, sha256 } = newApiKey((await currentRuntime()).crypto);
    const door = await openDoor({ jwt: true, api_keys: { k: { sha256, user: "bob", scopes: ["events"] } } }, {
      master: { sharedsecret: PASSWORD },
    });
    door.backend.limited.add("bob");
    assertBobs(await STREAMS[0]!.read(door, { "X-Auth-Token": key }));
    const body = { username: "bob", password: PASSWORD, eauth: "pam", token_type: "jwt" };
    const { return: [{ token }] } = await (await door.send("POST", "/login", { body })).json() as {
      return: [{ token: string }];
    };
    assertBobs(await STREAMS[0]!.read(door, { Authorization: `Bearer ${token}` }));
  });

  test("that loses the right sees less on a stream that is open, and more when it comes back", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/events", { headers: await door.login("bob") });
    const recheck = async () => {
      door.clock.advance(16_000);
      door.backend.event("salt/presence/present", { present: [] });
      door.clock.advance(20);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    };
    door.backend.limited.add("bob");
    await recheck();
    door.backend.event("myco/one", {});
    door.clock.advance(20);
    door.backend.limited.clear();
    await recheck();
    door.backend.event("myco/two", {});
    door.backend.event("salt/presence/present", { present: ["the-last"] });
    door.clock.advance(20);
    const text = await textOf(answer);
    assert.deepEqual(text.match(/^tag: myco.*$/gm), ["tag: myco/two"]);
  });
});

test("the master's rules decide who may read every event", { timeout: 60_000 }, async () => {
  await using site = await startSite({
    minions: ["web1"],
    master: {
      external_auth: {
        file: {
          "^filename": "/brine/users",
          "al*": [".*"],
          rita: ["test.*", "@runner", "@wheel"],
          nadia: ["@events"],
          gina: [],
        },
      },
    },
  });
  const rights: Record<string, boolean> = {};
  for (
    const [username, password] of [["alice", "wonder"], ["rita", "rrr"], ["nadia", "nnn"], ["gina", "ggg"]] as const
  ) {
    const record = (await site.backend.login({ eauth: "file", username, password }))!;
    rights[username] = await site.backend.mayReadAllEvents(record);
    await site.backend.revoke(record.token);
    assert.equal(await site.backend.mayReadAllEvents(record), false, "a token that is over has no rights");
  }
  assert.deepEqual(rights, { alice: true, rita: false, nadia: true, gina: false });
});

test("a real job is seen by its user, and by nobody else without the right", { timeout: 60_000 }, async () => {
  await using site = await startSite({ minions: ["web1"] });
  const settings = gatewaySettings({
    ...site.master.opts,
    netapi_enable_clients: ["local"],
    rest_cherrypy: { port: 0, disable_ssl: true },
  }, "rest_cherrypy");
  await using gateway = createGateway({ runtime: site.master.runtime, settings, backend: site.backend });
  const send = (path: string, headers: Record<string, string>, body?: unknown) =>
    gateway.fetch(
      new Request(`http://gateway.example${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      }),
    );
  const login = async (username: string, password: string) => {
    const answer = await send("/login", {}, { username, password, eauth: "file" });
    const { return: [{ token }] } = await answer.json() as { return: [{ token: string }] };
    return { "X-Auth-Token": token };
  };
  const [alice, rita] = [await login("alice", "wonder"), await login("rita", "rrr")];
  const streams = [await send("/events", alice), await send("/events", rita)];
  const run = async (headers: Record<string, string>, fun: string) =>
    await (await send("/", headers, [{ client: "local", tgt: "web1", fun }])).text();
  assert.match(await run(alice, "pillar.items"), /blue/);
  assert.match(await run(rita, "test.ping"), /web1/);
  await site.backend.fire("salt/presence/present", { present: ["the-last"] });
  const [full, own] = await Promise.all(streams.map(textOf));
  assert.match(full!, /"fun": "pillar.items"/);
  assert.match(full!, /"fun": "test.ping"/);
  assert.doesNotMatch(own!, /pillar|blue/);
  assert.match(own!, /tag: salt\/job\/\d+\/new\n/);
  assert.match(own!, /tag: salt\/job\/\d+\/ret\/web1\n/);
});

test("jobs that are forgotten belong to nobody", () => {
  const audiences = new Audiences(2);
  const start = (jid: string) => audiences.of({ tag: `salt/job/${jid}/new`, data: { user: "bob" } });
  const sees = (jid: string) =>
    maySee({ user: "bob", all: false }, audiences.of({ tag: `salt/job/${jid}/ret/a`, data: {} }));
  for (const jid of ["1", "2", "3"]) start(jid);
  assert.deepEqual(["1", "2", "3"].map(sees), [false, true, true]);
});

test("a user without a name sees no job, also not one without a user", () => {
  const audiences = new Audiences();
  assert.equal(maySee({ user: "", all: false }, audiences.of({ tag: "salt/job/1/new", data: { user: "" } })), false);
  assert.equal(maySee({ user: "undefined", all: false }, audiences.of({ tag: "salt/job/2/new", data: {} })), false);
});
