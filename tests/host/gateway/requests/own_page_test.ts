/** A session's cookie counts for pages of this server alone, whatever they ask for. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Door, openDoor, PASSWORD } from "../fake_backend.ts";

type Headers = Record<string, string>;

const OWN = "http://gateway.example";
/** Another port, a sibling domain, another site, a page without an origin. */
const FOREIGN = ["http://gateway.example:3000", "https://other.example", "http://wiki.gateway.example", "null", "x"];

const ALLOWED: Headers[] = [
  {},
  { Origin: OWN },
  { Origin: "https://gateway.example" },
  { Referer: `${OWN}/console/` },
  { "Sec-Fetch-Site": "same-origin" },
  { "Sec-Fetch-Site": "same-origin", Origin: "https://public.example" },
  { "Sec-Fetch-Site": "none" },
];
const REFUSED: Headers[] = [
  ...FOREIGN.map((Origin) => ({ Origin })),
  ...FOREIGN.map((Origin) => ({ Origin, "Sec-Fetch-Site": "same-site" })),
  { Referer: "http://gateway.example:3000/page" },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "cross-site" },
];

/** Every route that answers for a session, or changes something. */
const ROUTES = {
  rest_cherrypy: [
    ["POST", "/"],
    ["POST", "/index"],
    ["GET", "/minions"],
    ["GET", "/minions/web1"],
    ["POST", "/minions"],
    ["GET", "/jobs"],
    ["GET", "/jobs/20260101000000000000"],
    ["POST", "/jobs"],
    ["GET", "/keys"],
    ["GET", "/keys/web1"],
    ["POST", "/hook/x"],
    ["POST", "/preview"],
    ["GET", "/events"],
    ["GET", "/stats"],
    ["POST", "/logout"],
  ],
  rest_tornado: [
    ["POST", "/"],
    ["GET", "/minions"],
    ["POST", "/minions"],
    ["GET", "/jobs"],
    ["POST", "/run"],
    ["GET", "/events"],
    ["POST", "/hook/x"],
    ["POST", "/preview"],
  ],
} as const;

const LOW = [{ client: "local", tgt: "*", fun: "test.ping" }];

function bodyOf(path: string): unknown {
  return path === "/minions" ? [{ ...LOW[0], client: "local_async" }] : path === "/logout" ? {} : LOW;
}

async function ask(door: Door, method: string, path: string, headers: Headers): Promise<Response> {
  return await door.send(method, path, { headers, ...(method === "POST" ? { body: bodyOf(path) } : {}) });
}

/** True if the request has done or told something. */
async function served(door: Door, answer: Response): Promise<boolean> {
  const isStream = (answer.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
  const text = isStream ? "stream" : await answer.text();
  if (isStream) await answer.body?.cancel();
  const acted = door.backend.acts.length > 0;
  door.backend.calls.length = 0;
  return acted || (answer.status < 300 && !text.includes("Failed to authenticate"));
}

for (const flavour of ["rest_cherrypy", "rest_tornado"] as const) {
  describe(`the cookie in ${flavour}`, () => {
    const open = async () => {
      const door = await openDoor({ collect_stats: true, stats_disable_auth: false }, { flavour });
      door.backend.isBrine = true;
      const session = async () => ({ Cookie: `session_id=${(await door.login())["X-Auth-Token"]}` });
      return { door, session };
    };

    for (const [method, path] of ROUTES[flavour]) {
      test(`${method} ${path} is for pages of this server, and clients that are no browser`, async () => {
        const { door, session } = await open();
        for (const headers of ALLOWED) {
          const cookie = await session();
          door.backend.calls.length = 0;
          const answer = await ask(door, method, path, { ...cookie, ...headers });
          assert.ok(await served(door, answer), `${JSON.stringify(headers)}: ${answer.status}`);
        }
        const cookie = await session();
        door.backend.calls.length = 0;
        for (const headers of REFUSED) {
          const answer = await ask(door, method, path, { ...cookie, ...headers });
          assert.equal(await served(door, answer), false, `${JSON.stringify(headers)}: ${answer.status}`);
        }
        const wanted = { ...(await session()), "Sec-Fetch-Site": "same-origin" };
        assert.ok(await served(door, await ask(door, method, path, wanted)), "and the session goes on");
      });
    }

    test("a token in a header works from every page", async () => {
      const { door } = await open();
      const headers = await door.login();
      for (const one of REFUSED) {
        assert.equal((await ask(door, "POST", "/", { ...headers, ...one })).status, 200, JSON.stringify(one));
      }
    });

    test("a page of another origin cannot sign the browser in as somebody else", async () => {
      const { door } = await open();
      const body = { username: "mallory", password: PASSWORD, eauth: "pam" };
      for (const headers of REFUSED) {
        const answer = await door.send("POST", "/login", { headers, body });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get("Set-Cookie"), null, JSON.stringify(headers));
      }
      assert.match((await door.send("POST", "/login", { body })).headers.get("Set-Cookie")!, /session_id=/);
    });

    test("a page of an origin in cors_origin may use it, and with a star none may", async () => {
      for (const [cors_origin, status] of [[["https://gui.example"], true], [["*"], false]] as const) {
        const door = await openDoor({ cors_origin }, { flavour });
        const Cookie = `session_id=${(await door.login())["X-Auth-Token"]}`;
        door.backend.calls.length = 0;
        const headers = { Cookie, Origin: "https://gui.example", "Sec-Fetch-Site": "same-site" };
        assert.equal(await served(door, await ask(door, "POST", "/", headers)), status);
      }
    });
  });
}

test("only pages that may use the cookie are told that they may send it", async () => {
  const door = await openDoor({ cors_origin: ["https://gui.example"] });
  const allowed = async (headers: Headers) => {
    const answer = await door.send("GET", "/", { headers });
    return [answer.headers.get("Access-Control-Allow-Origin"), answer.headers.get("Access-Control-Allow-Credentials")];
  };
  assert.deepEqual(await allowed({ Origin: "http://gateway.example:3000" }), ["http://gateway.example:3000", null]);
  assert.deepEqual(await allowed({ Origin: OWN }), [OWN, "true"]);
  assert.deepEqual(await allowed({ Origin: "https://gui.example" }), ["https://gui.example", "true"]);
  assert.deepEqual(await allowed({}), ["*", "true"]);
});
