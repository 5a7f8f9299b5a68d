/** Attacks on the gateway: each is refused, nothing is run, and the gateway goes on serving. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLIENT_NAMES } from "../../../src/host/gateway/commands/clients.ts";
import { encode } from "../../../src/protocol/wire/msgpack.ts";
import { type Door, openDoor, PASSWORD, TOKEN } from "./fake_backend.ts";
import { startSite } from "./site.ts";
import { createGateway, FLAVOURS, gatewaySettings } from "../../../src/host/gateway/mod.ts";

const low = (client: string, more: Record<string, unknown> = {}) => ({
  client,
  fun: client.startsWith("local") || client === "ssh" ? "test.ping" : "jobs.active",
  ...(client.startsWith("local") || client === "ssh" ? { tgt: "*" } : {}),
  ...more,
});

async function refusedEverywhere(door: Door, status: number, path: string, more: Record<string, unknown>) {
  for (const client of CLIENT_NAMES) {
    const answer = await door.send("POST", path, { body: [low(client, more)] });
    assert.equal(answer.status, status, `${client}: ${await answer.text()}`);
  }
  assert.deepEqual(door.backend.acts, []);
}

describe("every route authenticates its caller", () => {
  test("no client, sync or async, runs without credentials (CVE-2020-25592, CVE-2021-25281)", async () => {
    const door = await openDoor();
    await refusedEverywhere(door, 401, "/run", {});
    await refusedEverywhere(door, 401, "/", {});
    await refusedEverywhere(door, 401, "/", { token: TOKEN });
  });

  test("a malformed token never reaches the master (CVE-2020-11652)", async () => {
    const door = await openDoor();
    for (const token of ["../../etc/passwd", "", "0x1f\0", "é", 17, null, ["a"], { a: 1 }, "f".repeat(257)]) {
      await refusedEverywhere(door, 401, "/run", { token });
    }
    assert.deepEqual(door.backend.calls, []);
  });

  test("a Brine master refuses bad eauth and expired tokens for every client (CVE-2021-3144, CVE-2017-5192)", {
    timeout: 60_000,
  }, async () => {
    await using site = await startSite({ minions: ["web1"] });
    const settings = gatewaySettings({
      ...site.master.opts,
      netapi_enable_clients: CLIENT_NAMES,
      rest_cherrypy: { port: 0, disable_ssl: true },
    }, "rest_cherrypy");
    const gateway = createGateway({ runtime: site.master.runtime, settings, backend: site.backend });
    const post = (body: unknown) =>
      gateway.fetch(
        new Request("http://gateway.example/run", {
          method: "POST",
          headers: { "Content-Type": "application/json", "Content-Length": "1" },
          body: JSON.stringify(body),
        }),
      );
    const { token } = (await site.backend.login({ eauth: "file", username: "alice", password: "wonder" }))!;
    const before = site.cluster.events.length;
    site.cluster.clock.set(site.cluster.clock.now() + 43_201_000);
    for (const client of CLIENT_NAMES) {
      for (
        const who of [
          { token },
          { token: "0".repeat(64) },
          { eauth: "file", username: "alice", password: "wrong" },
          { eauth: "nosuch", username: "alice", password: "wonder" },
          { eauth: "file" },
        ]
      ) {
        const answer = await post([low(client, who)]);
        assert.equal(answer.status, 401, `${client} ${JSON.stringify(who)}: ${await answer.text()}`);
      }
    }
    const run = site.cluster.events.slice(before).filter(({ tag }) => /^salt\/(?:job|run|wheel)\/\d+\/new$/.test(tag));
    assert.deepEqual(run, []);
  });

  test("a session acts as its own user, whatever token the command has", async () => {
    const door = await openDoor();
    const headers = await door.login();
    await door.send("POST", "/", { headers, body: [low("local", { token: "b".repeat(64) })] });
    assert.deepEqual((door.backend.acts[0] as { request: { credentials: unknown } }).request.credentials, {
      token: TOKEN,
    });
  });

  test("fields that mean something to the master are not passed on (CVE-2021-3197)", async () => {
    const door = await openDoor();
    const headers = await door.login();
    const hostile = {
      key: "k",
      user: "root",
      cmd: "mk_token",
      auth_list: [".*"],
      id: "other",
      master_id: "m",
      nocache: true,
      __jid__: "1",
      __user__: "root",
      __tag__: "salt/key",
      ssh_options: "ProxyCommand=sh",
    };
    for (const client of ["local", "local_async", "wheel", "runner"]) {
      const answer = await door.send("POST", "/", { headers, body: [low(client, hostile)] });
      assert.equal(answer.status, 200, await answer.text());
    }
    for (const { method, request } of door.backend.calls.filter(({ method }) => method !== "login")) {
      const { kwargs, kwarg, credentials } = request as Record<string, Record<string, unknown>>;
      const handed = { ...kwargs, ...kwarg };
      const taken = method === "wheel" || method === "runner"
        ? ["auth_list", "id", "master_id", "nocache", "ssh_options"]
        : [];
      // The master checks which arguments a runner or wheel function has.
      const expected = method === "runner" ? [...taken, "cmd"] : taken;
      assert.deepEqual(Object.keys(handed).sort(), expected.sort(), method);
      assert.deepEqual(Object.keys(credentials!), ["token"]);
    }
  });

  test("an unknown session id is replaced, and a login never uses the id that was presented", async () => {
    const door = await openDoor();
    const planted = "c".repeat(40);
    const headers = { Cookie: `session_id=${planted}` };
    const body = { username: "somebody", password: PASSWORD, eauth: "pam" };
    const answer = await door.send("POST", "/login", { headers, body });
    const cookie = /session_id=([0-9a-f]{40})/.exec(answer.headers.get("Set-Cookie")!)![1]!;
    assert.notEqual(cookie, planted);
    assert.equal(answer.headers.get("X-Auth-Token"), cookie);
    const again = await door.send("POST", "/login", { headers: { Cookie: `session_id=${cookie}` }, body });
    assert.notEqual(again.headers.get("X-Auth-Token"), cookie);
    assert.match(again.headers.get("Set-Cookie")!, /; HttpOnly; SameSite=Lax/);
  });

  test("an address with too many failures has to wait, and others do not", async () => {
    const door = await openDoor({ login_attempts: 3 });
    const body = { username: "somebody", password: "guess", eauth: "pam" };
    for (let count = 0; count < 3; count++) assert.equal((await door.send("POST", "/login", { body })).status, 401);
    const refused = await door.send("POST", "/login", { body: { ...body, password: PASSWORD } });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("Retry-After"), "60");
    assert.equal(
      (await door.send("POST", "/login", { body: { ...body, password: PASSWORD }, from: "10.0.0.9" })).status,
      200,
    );
    door.clock.advance(60_001);
    assert.equal((await door.send("POST", "/login", { body: { ...body, password: PASSWORD } })).status, 200);
  });

  test("pages of other origins cannot listen with the browser's cookie", async () => {
    const door = await openDoor();
    const headers = { ...await door.login(), Upgrade: "websocket", Host: "gateway.example" };
    const foreign = await door.send("GET", "/ws", { headers: { ...headers, Origin: "http://evil.example" } });
    assert.equal(foreign.status, 403);
    assert.equal(
      (await door.send("GET", "/ws", { headers: { ...headers, Origin: "http://gateway.example" } })).status,
      200,
    );
  });
});

describe("bodies", () => {
  const deep = "[".repeat(100_000);
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${
    [..."bcdefghi"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(",")}]`).join("\n")
  }\n`;
  const rows: { name: string; type: string; body: string | Uint8Array; status: number }[] = [
    { name: "JSON cut short", type: "application/json", body: '[{"client": "local"', status: 400 },
    { name: "JSON in JSON in JSON", type: "application/json", body: deep, status: 400 },
    {
      name: "closed, and as deep",
      type: "application/json",
      body: `${"[".repeat(5000)}${"]".repeat(5000)}`,
      status: 400,
    },
    { name: "bytes that are not UTF-8", type: "application/json", body: Uint8Array.of(0xff, 0xfe, 0), status: 400 },
    { name: "a YAML bomb", type: "application/x-yaml", body: bomb, status: 400 },
    {
      name: "YAML with a Python object",
      type: "application/x-yaml",
      body: "!!python/object/apply:os.system [id]",
      status: 400,
    },
    { name: "broken YAML", type: "text/yaml", body: "a: [b", status: 400 },
    {
      name: "msgpack cut short",
      type: "application/msgpack",
      body: encode([{ client: "local" }], "bin").slice(0, 5),
      status: 400,
    },
    {
      name: "msgpack with a false size",
      type: "application/msgpack",
      body: Uint8Array.of(0xdd, 255, 255, 255, 255),
      status: 400,
    },
    {
      name: "a form of many fields",
      type: "application/x-www-form-urlencoded",
      body: "a=1&".repeat(2000),
      status: 400,
    },
    { name: "multipart", type: "multipart/form-data; boundary=x", body: "--x\r\n", status: 406 },
    { name: "a list of texts", type: "application/json", body: '["local"]', status: 400 },
    { name: "a number", type: "application/json", body: "7", status: 400 },
    {
      name: "a command without a function",
      type: "application/json",
      body: '[{"client": "local", "tgt": "*"}]',
      status: 400,
    },
    {
      name: "a command without a target",
      type: "application/json",
      body: '[{"client": "local", "fun": "test.ping"}]',
      status: 400,
    },
    {
      name: "a target that is a map",
      type: "application/json",
      body: '[{"client": "local", "fun": "a.b", "tgt": {}}]',
      status: 400,
    },
    {
      name: "a timeout that is not a number",
      type: "application/json",
      body: '[{"client":"local","fun":"a.b","tgt":"*","timeout":"x"}]',
      status: 400,
    },
    {
      name: "a client of the prototype",
      type: "application/json",
      body: '[{"client": "constructor", "fun": "a.b"}]',
      status: 400,
    },
  ];
  for (const { name, type, body, status } of rows) {
    test(`${name}: ${status}, and nothing is run`, async () => {
      const door = await openDoor();
      const session = await door.login();
      const headers = { ...session, "Content-Type": type };
      const answer = await door.send("POST", "/", { headers, body });
      assert.equal(answer.status, status, await answer.text());
      assert.deepEqual(door.backend.acts, []);
      assert.equal(
        (await door.send("POST", "/", { headers: session, body: [low("local")] }))
          .status,
        200,
      );
    });
  }

  test("a body that is cut short anywhere is refused", async () => {
    const door = await openDoor();
    const headers = await door.login();
    const whole = JSON.stringify([low("local", { arg: [1, "é"], kwarg: { a: { b: [true] } } })]);
    for (let length = 1; length < whole.length; length++) {
      const answer = await door.send("POST", "/", { headers, body: whole.slice(0, length) });
      assert.equal(answer.status, 400, whole.slice(0, length));
    }
    assert.deepEqual(door.backend.acts, []);
  });

  test("a body that is too large is refused by its announced and by its actual length", async () => {
    const door = await openDoor({ max_request_body_size: 2000 });
    const headers = await door.login();
    const body = JSON.stringify([low("local", { arg: ["x".repeat(3000)] })]);
    assert.equal((await door.send("POST", "/", { headers, body })).status, 413);
    const chunked = { ...headers, "Transfer-Encoding": "chunked" };
    assert.equal((await door.send("POST", "/", { headers: chunked, body })).status, 413);
    assert.deepEqual(door.backend.acts, []);
  });

  test("a body that does not arrive is not waited for", async () => {
    const door = await openDoor({ body_timeout: 5 });
    const { "X-Auth-Token": token } = await door.login();
    const request = new Request("http://gateway.example/", {
      method: "POST",
      headers: { "X-Auth-Token": token!, "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
      body: new ReadableStream({ start() {} }),
      duplex: "half",
    } as RequestInit);
    const answer = door.gateway.fetch(request);
    await door.clock.waiting(5000);
    door.clock.advance(5000);
    assert.equal((await answer).status, 408);
  });

  test("names on Object.prototype are ordinary names (prototype pollution)", async () => {
    const door = await openDoor();
    const headers = await door.login();
    const rows: [string, string][] = [
      [
        "application/json",
        '[{"client":"local","fun":"a.b","tgt":"*","__proto__":{"polluted":1},"kwarg":{"__proto__":{"polluted":1}}}]',
      ],
      [
        "application/x-yaml",
        "- client: local\n  fun: a.b\n  tgt: '*'\n  kwarg: {__proto__: {polluted: 1}, constructor: {prototype: {polluted: 1}}}\n",
      ],
      ["application/x-www-form-urlencoded", "client=local&fun=a.b&tgt=*&__proto__=polluted&constructor=x"],
    ];
    for (const [type, body] of rows) {
      const answer = await door.send("POST", "/", { headers: { ...headers, "Content-Type": type }, body });
      assert.ok([200, 400].includes(answer.status), `${type}: ${answer.status}`);
      assert.equal(({} as Record<string, unknown>).polluted, undefined, type);
    }
    const answer = await door.send("POST", "/login", {
      body: '{"username":"__proto__","password":"x","eauth":"__proto__","__proto__":{"polluted":1}}',
    });
    assert.equal(answer.status, 400);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});

describe("paths and headers", () => {
  test("no path leaves the directory of static files", async () => {
    const door = await openDoor({ static: "/srv/static" });
    const { fs } = door.runtime;
    fs.mkdir("/srv/static/sub");
    fs.write("/srv/secret.txt", "secret");
    fs.write("/srv/static/sub/ok.txt", "ok");
    fs.symlink("/srv/secret.txt", "/srv/static/link.txt");
    assert.equal(await (await door.send("GET", "/static/sub/ok.txt")).text(), "ok");
    for (
      const path of [
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "sub/..%2f..%2fsecret.txt",
        "..%5csecret.txt",
        "link.txt",
        "%00",
        "sub%2fok.txt%00.png",
        "sub",
        "",
      ]
    ) {
      const answer = await door.send("GET", `/static/${path}`);
      assert.equal(answer.status, 404, path);
      assert.ok(!(await answer.text()).includes("secret\n"));
    }
    assert.equal((await door.send("GET", "/static/%zz")).status, 400);
  });

  test("a minion id cannot end a header (header injection)", async () => {
    const door = await openDoor();
    for (const mid of ["a\r\nSet-Cookie: x=1", '"', "../../etc/x", "a/b", "", "a\0b"]) {
      const body = { mid, username: "somebody", password: PASSWORD, eauth: "pam" };
      const answer = await door.send("POST", "/keys", { body });
      assert.equal(answer.status, 400, mid);
      assert.equal(answer.headers.get("Content-Disposition"), null);
    }
    assert.deepEqual(door.backend.acts, []);
  });

  test("a webhook cannot end its tag, and its event has no credentials", async () => {
    const door = await openDoor();
    const session = await door.login();
    const headers = { ...session, Cookie: "session_id=secret", Authorization: "Basic c2VjcmV0" };
    for (const path of ["/hook/a%0a%0ab", "/hook/%00", `/hook/${"x".repeat(2000)}`]) {
      assert.equal((await door.send("POST", path, { headers, body: {} })).status, 400, path);
    }
    assert.equal((await door.send("POST", "/hook/a/b", { headers, body: { n: 1 } })).status, 200);
    const [{ tag, data }] = door.backend.fired as [{ tag: string; data: Record<string, unknown> }];
    assert.equal(tag, "salt/netapi/hook/a/b");
    const said = JSON.stringify(data);
    for (const secret of ["secret", "c2VjcmV0", session["X-Auth-Token"]!]) assert.ok(!said.includes(secret), said);
    assert.equal((data.headers as Record<string, string>)["Remote-Addr"], "127.0.0.1");
  });

  for (const flavour of FLAVOURS) {
    test(`${flavour}: a header of the client does not replace what the server reports about the sender of a webhook`, async () => {
      const door = await openDoor({}, { flavour });
      const token = (await door.backend.login({ username: "somebody", password: PASSWORD, eauth: "pam" }))!.token;
      const session = flavour === "rest_tornado" ? { "X-Auth-Token": token } : await door.login();
      const forged = Object.fromEntries(
        ["Remote-Addr", "REMOTE_ADDR", "remote-addr", "Remote_Host", "Remote-User", "Remote-Port"]
          .map((name) => [name, "203.0.113.7"]),
      );
      const answer = await door.send("POST", "/hook/x", {
        headers: { ...session, ...forged, "X-Mine": "1" },
        body: {},
      });
      assert.equal(answer.status, 200);
      const { headers } = door.backend.fired[0]!.data as { headers: Record<string, string> };
      assert.equal(headers["Remote-Addr"], "127.0.0.1");
      assert.equal(headers["X-Mine"], "1");
      assert.ok(!JSON.stringify(headers).includes("203.0.113.7"), JSON.stringify(headers));
    });
  }

  test("every cookie is kept from scripts and from other sites, and with TLS from plain HTTP", async () => {
    for (const flavour of FLAVOURS) {
      for (const tls of [false, true]) {
        const section = tls ? { disable_ssl: false, ssl_crt: "/crt", ssl_key: "/key" } : {};
        const door = await openDoor(section, { flavour });
        const body = { username: "somebody", password: PASSWORD, eauth: "pam" };
        const login = await door.send("POST", "/login", { body });
        const answers = [login];
        if (flavour === "rest_cherrypy") {
          const headers = { "X-Auth-Token": login.headers.get("X-Auth-Token")! };
          answers.push(
            await door.send("GET", "/stats", { headers }),
            await door.send("POST", "/logout", { headers, body: {} }),
          );
        }
        for (const answer of answers) {
          const words = answer.headers.get("Set-Cookie")!.split("; ");
          for (const word of ["HttpOnly", "SameSite=Lax"]) assert.ok(words.includes(word), words.join("; "));
          assert.equal(words.includes("Secure"), tls);
        }
      }
    }
  });

  test("text of a request never becomes markup in an answer", async () => {
    const door = await openDoor();
    const answer = await door.send("GET", "/%3Cscript%3Ealert(1)%3C/script%3E");
    const body = await answer.text();
    assert.equal(answer.status, 404);
    assert.ok(!body.includes("<script>"), body);
    assert.equal(answer.headers.get("X-Content-Type-Options"), "nosniff");
  });
});

test("no log line has a password, a token or a body in it, at any level", async () => {
  const door = await openDoor({ login_attempts: 0 });
  const headers = await door.login();
  await door.send("POST", "/login", { body: { username: "somebody", password: "wrong-password", eauth: "pam" } });
  await door.send("POST", "/", { headers, body: [low("local", { arg: ["payload-of-a-command"] })] });
  await door.send("GET", `/events?token=${headers["X-Auth-Token"]}`);
  await door.send("GET", `/ws/${headers["X-Auth-Token"]}`);
  await door.send("GET", `/ws/${headers["X-Auth-Token"]}/elsewhere`);
  await door.send("GET", `/all_events/${TOKEN}`);
  await door.send("POST", "/run", { body: [low("local", { username: "somebody", password: PASSWORD, eauth: "pam" })] });
  const said = JSON.stringify(door.captured.records);
  assert.ok(door.captured.records.length >= 6);
  for (const secret of [PASSWORD, "wrong-password", TOKEN, headers["X-Auth-Token"]!, "payload-of-a-command"]) {
    assert.ok(!said.includes(secret), secret);
  }
});

test("without a master every route is 503 with Retry-After, at once", async () => {
  const door = await openDoor();
  const headers = await door.login();
  door.backend.up = false;
  const credentials = { username: "somebody", password: PASSWORD, eauth: "pam" };
  const requests: [string, string, unknown?][] = [
    ["POST", "/login", credentials],
    ["POST", "/", [low("local")]],
    ["POST", "/", [low("wheel_async")]],
    ["GET", "/minions"],
    ["POST", "/minions", [low("local")]],
    ["GET", "/jobs"],
    ["GET", "/keys"],
    ["POST", "/token", [credentials]],
    ["POST", "/hook/x", {}],
    ["GET", "/events"],
    ["GET", "/ready"],
  ];
  for (const [method, path, body] of requests) {
    const answer = await door.send(method, path, { headers, body });
    assert.equal(answer.status, 503, `${method} ${path}`);
    if (path !== "/ready") assert.equal(answer.headers.get("Retry-After"), "5", path);
  }
  assert.equal((await door.send("GET", "/health")).status, 200);
});
