/** Guessing credentials: on every route, in parallel and from many addresses. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import { deferred } from "../../../../src/base/async/deferred.ts";
import { type CredentialUse, FailedAttempts } from "../../../../src/host/gateway/auth/failed_attempts.ts";
import { HttpError, RefusedError } from "../../../../src/host/gateway/wire/errors.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { type Door, openDoor, PASSWORD } from "../fake_backend.ts";

const LIMIT = 3;

/** A master that refuses credentials that are not valid. */
function refusing(door: Door): void {
  const { backend } = door;
  const check = (credentials: Record<string, unknown> | undefined) => {
    backend.calls.push({ method: "tried", request: credentials });
    const { token, password } = credentials ?? {};
    const holds = typeof token === "string" ? backend.tokens.has(token) : password === PASSWORD;
    if (!holds) throw new RefusedError("authentication", "Authentication error occurred.");
  };
  const { publish, startRunner, runner, wheel, run, batch, subset } = backend;
  // deno-lint-ignore require-yield
  async function* none(credentials: Record<string, unknown> | undefined): AsyncGenerator<never, undefined> {
    await Promise.resolve();
    check(credentials);
    return undefined;
  }
  async function* after<T, R>(credentials: Record<string, unknown> | undefined, go: () => AsyncGenerator<T, R>) {
    yield* none(credentials);
    return yield* go();
  }
  Object.assign(backend, {
    publish: async (request: Parameters<typeof publish>[0]) => (check(request.credentials), await publish(request)),
    startRunner: async (
      request: Parameters<typeof startRunner>[0],
    ) => (check(request.credentials), await startRunner(request)),
    wheel: async (request: Parameters<typeof wheel>[0]) => (check(request.credentials), await wheel(request)),
    subset: async (
      ...[request, ...rest]: Parameters<typeof subset>
    ) => (check(request.credentials), await subset(request, ...rest)),
    runner: async (...[request, how]: Parameters<typeof runner>) => {
      check(request.credentials);
      const made = request.fun === "auth.mk_token" && request.kwarg.password === PASSWORD;
      return made ? { tag: "t", data: { return: { token: "a" }, success: true } } : await runner(request, how);
    },
    run: (...[request, how]: Parameters<typeof run>) => after(request.credentials, () => run(request, how)),
    batch: (...[request, how]: Parameters<typeof batch>) => after(request.credentials, () => batch(request, how)),
  });
}

/** The attempts that have reached the master. */
const tried = ({ backend }: Door) =>
  backend.calls.filter(({ method }) => method === "tried" || method === "login" || method === "token").length;

const inline = (client: string, more: Record<string, unknown> = {}) => (password: string) => [{
  client,
  fun: client.startsWith("local") || client === "ssh" ? "test.ping" : "jobs.active",
  tgt: "*",
  username: "somebody",
  password,
  eauth: "pam",
  ...more,
}];
const login = (password: string) => ({ username: "somebody", password, eauth: "pam" });

describe("the attempts of a password are limited on every route", () => {
  const rows: { name: string; flavour?: "rest_tornado"; path: string; body: (password: string) => unknown }[] = [
    { name: "/login", path: "/login", body: login },
    { name: "/token", path: "/token", body: (password) => [login(password)] },
    {
      name: "/keys",
      path: "/keys",
      body: (password) => ({ ...login(password), mid: "web1" }),
    },
    ...["local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "ssh", "wheel", "wheel_async"]
      .map((client) => ({ name: `/run of ${client}`, path: "/run", body: inline(client) })),
    {
      name: "/run with many commands",
      path: "/run",
      body: (password) => Array(20).fill(inline("local")(password)[0]),
    },
    { name: "tornado's /login", flavour: "rest_tornado", path: "/login", body: login },
    ...["local", "local_async", "runner", "runner_async"].map((client) => ({
      name: `tornado's /run of ${client}`,
      flavour: "rest_tornado" as const,
      path: "/run",
      body: inline(client),
    })),
  ];
  for (const { name, flavour = "rest_cherrypy", path, body } of rows) {
    test(`${name}, one after the other and 20 at once`, async () => {
      for (const atOnce of [false, true]) {
        const door = await openDoor({ login_attempts: LIMIT }, { flavour });
        refusing(door);
        const send = (guess: number) => door.send("POST", path, { body: body(`guess ${guess}`) });
        const answers: Response[] = [];
        if (atOnce) answers.push(...await Promise.all([...Array(20).keys()].map(send)));
        else for (let guess = 0; guess < 20; guess++) answers.push(await send(guess));
        assert.equal(tried(door), LIMIT, `${name}: ${answers.map(({ status }) => status)}`);
        const late = await door.send("POST", path, { body: body(PASSWORD) });
        assert.equal(late.status, 429, "the right one does not help");
        assert.equal(late.headers.get("Retry-After"), "60");
        assert.equal(tried(door), LIMIT);
        door.clock.advance(60_001);
        assert.notEqual((await door.send("POST", path, { body: body(PASSWORD) })).status, 429);
      }
    });
  }

  test("the runner that makes tokens counts as one, also with a session", async () => {
    for (const client of ["runner", "runner_async"]) {
      const door = await openDoor({ login_attempts: LIMIT });
      const headers = await door.login("mallory");
      refusing(door);
      const guess = (password: string) =>
        door.send("POST", "/", {
          headers,
          body: [{ client, fun: "auth.mk_token", kwarg: { username: "root", password, eauth: "pam" } }],
        });
      for (let count = 0; count < LIMIT; count++) assert.equal((await guess("guess")).status, 200);
      assert.equal((await guess("another")).status, 429);
    }
  });

  const SAYS_NOTHING = [
    { name: "another reason", error: new RefusedError("invocation", "Client disabled") },
    // The master refuses what is on publisher_acl_blacklist before it checks the credentials.
    { name: "a blacklist", error: new RefusedError("authorization", "Authorization error occurred.") },
  ];
  for (const { name, error } of SAYS_NOTHING) {
    test(`a refusal for ${name} does not make a credential count as valid`, async () => {
      const door = await openDoor({ login_attempts: LIMIT });
      refusing(door);
      door.backend.wheel = () => Promise.reject(error);
      for (const client of ["wheel", "local"]) {
        for (let guess = 0; guess < 20; guess++) {
          await door.send("POST", "/run", { body: inline(client)(`guess ${guess}`) });
        }
      }
      assert.equal(tried(door), LIMIT);
    });
  }

  test("bodies that wait for a password to be tried count as arriving", async () => {
    const door = await openDoor({ login_attempts: 20 });
    const over = deferred<never>();
    let waiting = 0;
    door.backend.publish = () => {
      waiting++;
      return over.promise;
    };
    const body = inline("local_async", { arg: ["x".repeat(7_000_000)] })("guess");
    const statuses: number[] = [];
    const send = async () => void statuses.push((await door.send("POST", "/run", { body })).status);
    const asked: Promise<void>[] = [];
    // One after the other: the limit of arriving bodies alone would not refuse them.
    for (let count = 1; count <= 12; count++) {
      asked.push(send());
      await until(() => waiting + statuses.length === count);
    }
    assert.deepEqual([waiting, statuses], [9, [503, 503, 503]]);
    over.reject(new RefusedError("authentication", "Authentication error occurred."));
    await Promise.all(asked);
    await send();
    assert.notEqual(statuses.at(-1), 503, "there is room again");
  });

  test("a caller that disconnects before the answer counts as an attempt", async () => {
    const door = await openDoor({ login_attempts: LIMIT });
    door.backend.wheel = () => Promise.reject(new DOMException("gone", "AbortError"));
    for (let count = 0; count < LIMIT; count++) {
      assert.equal((await door.send("POST", "/run", { body: inline("wheel")("x") })).status, 500);
    }
    assert.equal((await door.send("POST", "/run", { body: inline("wheel")("x") })).status, 429);
  });
});

describe("the attempts of invalid tokens are limited too", () => {
  const guesses: {
    name: string;
    section?: Record<string, unknown>;
    send: (door: Door, at: number) => Promise<Response>;
  }[] = [
    {
      name: "API keys",
      section: { api_keys: { one: { sha256: "0".repeat(64) } } },
      send: (door, at) => door.send("GET", "/minions", { headers: { "X-Auth-Token": `brine_${at}` } }),
    },
    {
      name: "JSON Web Tokens",
      section: { jwt: true },
      send: (door, at) => door.send("GET", "/minions", { headers: { Authorization: `Bearer a.b.c.d.${at}` } }),
    },
    {
      name: "refresh tokens",
      section: { jwt: true },
      send: (door, at) => door.send("POST", "/refresh", { body: { refresh_token: `a.b.c.d.${at}` } }),
    },
    { name: "/events?token", send: (door, at) => door.send("GET", `/events?token=${String(at).padStart(64, "0")}`) },
    {
      name: "/ws",
      send: (door, at) =>
        door.send("GET", `/ws/${String(at).padStart(64, "0")}`, { headers: { Upgrade: "websocket" } }),
    },
    {
      name: "inline",
      send: (door, at) =>
        door.send("POST", "/run", {
          body: inline("local", { token: at.toString(16).padStart(64, "0"), eauth: undefined })(""),
        }),
    },
  ];
  for (const { name, section = {}, send } of guesses) {
    test(`${name}: 401 up to ten times as many as passwords, then 429, and no login is held up`, async () => {
      const door = await openDoor({ login_attempts: LIMIT, ...section });
      refusing(door);
      for (let at = 0; at < LIMIT * 10; at++) assert.equal((await send(door, at)).status, 401);
      assert.equal((await send(door, 999)).status, 429);
      assert.equal((await door.send("POST", "/login", { body: login(PASSWORD) })).status, 200);
    });
  }
});

async function attempts(limit = LIMIT, most?: number) {
  const clock = new FakeClock();
  return { clock, attempts: new FailedAttempts(clock, (await currentRuntime()).crypto, limit, most) };
}

/** True if an attempt is let through; it then fails. */
async function mayGuess(attempts: FailedAttempts, use: Partial<CredentialUse>): Promise<boolean> {
  try {
    const end = await attempts.begin({ address: "10.0.0.1", user: "ann", secret: String(guesses++), ...use });
    end("failed");
    return true;
  } catch (error) {
    assert.ok(error instanceof HttpError && error.status === 429, String(error));
    return false;
  }
}
let guesses = 0;

async function countGuesses(attempts: FailedAttempts, times: number, use: (at: number) => Partial<CredentialUse>) {
  let made = 0;
  for (let at = 0; at < times; at++) if (await mayGuess(attempts, use(at))) made++;
  return made;
}

describe("FailedAttempts", () => {
  test("the failures of an address count together, whatever the user names", async () => {
    const { attempts: a } = await attempts();
    assert.equal(await countGuesses(a, 20, (at) => ({ user: `user ${at}` })), LIMIT);
  });

  test("an IPv6 host counts as one address, and a site has ten times the limit", async () => {
    const { attempts: a } = await attempts();
    assert.equal(await countGuesses(a, 20, (at) => ({ address: `2001:db8:1:2::${at + 1}`, user: `a${at}` })), LIMIT);
    const { attempts: b } = await attempts();
    const site = (at: number) => ({ address: `2001:db8:1:${at.toString(16)}::1`, user: `u${at}` });
    assert.equal(await countGuesses(b, 100, site), LIMIT * 10);
  });

  test("while a name is tried from many addresses, each has one try, and its owner gets in", async () => {
    const { attempts: a } = await attempts();
    assert.equal(await countGuesses(a, 100, (at) => ({ address: `10.0.1.${at}`, user: at % 2 ? "Ann" : "ann" })), 100);
    assert.equal(await mayGuess(a, { address: "10.0.1.7" }), false, "a second try from there");
    const end = await a.begin({ address: "10.9.9.9", user: "ann", secret: "right" });
    end("valid");
  });

  test("a credential that was valid is not counted, nor delayed by others' failures at that address", async () => {
    const { attempts: a, clock } = await attempts();
    const use = { address: "10.0.0.1", user: "ann", secret: "right" };
    (await a.begin(use))("valid");
    assert.equal(await countGuesses(a, 20, () => ({})), LIMIT);
    const ends = await Promise.all(Array.from({ length: 50 }, () => a.begin(use)));
    for (const end of ends) end("valid");
    (await a.begin(use))("failed");
    await assert.rejects(a.begin(use), /Too many/, "until it fails");
    clock.advance(60_001);
    (await a.begin(use))("valid");
  });

  test("a user who has logged in from an address is not locked out there by failures of other names", async () => {
    const { attempts: a, clock } = await attempts();
    const address = "10.0.0.1";
    (await a.begin({ address, user: "Alice", secret: "right" }))("valid");
    clock.advance(7 * 86_400_000);
    const strangers = () => countGuesses(a, 20, (at) => ({ address, user: `user ${at}` }));
    assert.equal(await strangers(), LIMIT);
    (await a.begin({ address, user: "alice", secret: "a new password" }))("valid");
    await assert.rejects(a.begin({ address, user: "carol", secret: "right" }), /Too many/, "not known there");
    assert.equal(
      await countGuesses(a, 20, () => ({ address, user: "alice" })),
      LIMIT,
      "her name has a limit of its own",
    );
    (await a.begin({ address, user: "Alice", secret: "right" }))("valid");
    clock.advance(31 * 86_400_000);
    assert.equal(await strangers(), LIMIT);
    await assert.rejects(a.begin({ address, user: "alice", secret: "right" }), /Too many/, "known for thirty days");
  });

  test("parallel attempts wait for each other, and all valid ones get through", async () => {
    const { attempts: a } = await attempts();
    let most = 0;
    let now = 0;
    await Promise.all(Array.from({ length: 40 }, async (_, at) => {
      const end = await a.begin({ address: "10.0.0.1", user: "ann", secret: `right ${at}` });
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
      end("valid");
    }));
    assert.equal(most, LIMIT);
    assert.equal(a.size, 0, "honest ones leave nothing behind");
  });

  test("attempts of a name in progress elsewhere delay no other address", async () => {
    const { attempts: a } = await attempts();
    const use = (at: number) => ({ address: `10.0.2.${at}`, user: "ann", secret: `${at}` });
    const ends = await Promise.all(Array.from({ length: 200 }, (_, at) => a.begin(use(at))));
    (await a.begin({ address: "10.9.9.9", user: "ann", secret: "right" }))("valid");
    for (const end of ends) end("failed");
  });

  test("two credentials of one request take their places together", async () => {
    const { attempts: a } = await attempts(1);
    const uses = [{ address: "10.0.0.1", user: "ann", secret: "a" }, { address: "10.0.0.1", user: "bob", secret: "b" }];
    (await a.begin(...uses))("valid");
  });

  test("attempts without a master do not count", async () => {
    const { attempts: a } = await attempts();
    for (let at = 0; at < 20; at++) (await a.begin({ address: "10.0.0.1", user: "ann", secret: `${at}` }))("untried");
    assert.equal(a.size, 0);
  });

  test("any number of names and addresses take bounded memory, and refused attempts none", async () => {
    const { attempts: a } = await attempts(LIMIT, 400);
    const use = (at: number) => ({ address: `10.0.${at >> 8}.${at & 255}`, user: `u${at}` });
    assert.equal(await countGuesses(a, 2000, use), 2000);
    assert.ok(a.size <= 400, String(a.size));
    const { attempts: b } = await attempts();
    await countGuesses(b, 500, (at) => ({ user: `${"n".repeat(1000)}${at}` }));
    assert.ok(b.size < 20, String(b.size));
  });
});

describe("api_acl", () => {
  const section = { api_acl: { users: { ann: ["10.0.0.1"], "*": ["10.0.0.2"] } } };
  const credentials = (username: string) => ({ username, password: PASSWORD, eauth: "pam" });
  for (
    const { name, path, body } of [
      { name: "/login", path: "/login", body: credentials("ann") },
      { name: "/token", path: "/token", body: [credentials("ann")] },
      { name: "/run", path: "/run", body: [{ ...inline("local")(PASSWORD)[0], username: "ann" }] },
      { name: "/run of wheel_async", path: "/run", body: [{ ...inline("wheel_async")(PASSWORD)[0], username: "ann" }] },
      { name: "/keys", path: "/keys", body: { ...credentials("ann"), mid: "web1" } },
    ]
  ) {
    test(`applies at ${name}`, async () => {
      const door = await openDoor(section);
      assert.equal((await door.send("POST", path, { body, from: "10.0.0.2" })).status, 401);
      assert.deepEqual(door.backend.calls, []);
      assert.equal((await door.send("POST", path, { body, from: "10.0.0.1" })).status, 200);
    });
  }

  test("applies to the owner of a token, at /run and for listeners", async () => {
    const door = await openDoor(section);
    await door.send("POST", "/login", { body: credentials("ann"), from: "10.0.0.1" });
    const [token] = [...door.backend.tokens.keys()];
    const run = (from: string) =>
      door.send("POST", "/run", { from, body: [{ client: "local", fun: "test.ping", tgt: "*", token }] });
    assert.equal((await run("10.0.0.2")).status, 401);
    assert.deepEqual(door.backend.acts, []);
    assert.equal((await run("10.0.0.1")).status, 200);
    assert.equal((await door.send("GET", `/events?token=${token}`, { from: "10.0.0.2" })).status, 401);
    const answer = await door.send("GET", `/events?token=${token}`, { from: "10.0.0.1" });
    assert.equal(answer.status, 200);
    await answer.body!.cancel();
  });
});

test("tornado passes on no token that a master cannot have issued (CVE-2020-11652)", async () => {
  const door = await openDoor({}, { flavour: "rest_tornado" });
  for (const token of ["../../etc/passwd", "", "a\0", 17, null, ["a"]]) {
    const answer = await door.send("POST", "/run", { body: [{ client: "local", fun: "test.ping", tgt: "*", token }] });
    assert.deepEqual([answer.status, await answer.json()], [200, { return: ["Failed to authenticate"] }]);
  }
  assert.deepEqual(door.backend.calls, []);
});
