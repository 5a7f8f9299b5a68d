/** What {@link HttpClient} does with servers that fail, lie, move, or go away. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { connect } from "../../../mod.ts";
import { HttpClient } from "../../../src/client/http/http_client.ts";
import { FakeEvents, FakeServer, LOGIN, page } from "./fake_server.ts";

const TIMEOUT = { timeout: 120_000 };

/** A body that never ends. */
function endless(piece: string, type: string): { response: Response; sent: () => number; cancelled: () => boolean } {
  const bytes = new TextEncoder().encode(piece);
  let [sent, cancelled] = [0, false];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += bytes.length;
      controller.enqueue(bytes);
    },
    cancel: () => void (cancelled = true),
  });
  return {
    response: new Response(body, { headers: { "Content-Type": type } }),
    sent: () => sent,
    cancelled: () => cancelled,
  };
}

describe("connect() over HTTP", TIMEOUT, () => {
  for (
    const url of ["http://salt.example:8000", "http://10.0.0.7", "http://127.0.0.1.example", "http://[fd00::1]:8000"]
  ) {
    test(`refuses ${url}: anyone on the way could read the token`, async () => {
      const server = new FakeServer();
      const options = { token: "x", fetch: server.fetch };
      await assert.rejects(connect(url, options), {
        code: "INSECURE",
        message: /Use https:\/\/, or set insecure: true/,
      });
      assert.equal(server.asked.length, 0);
      await (await connect(url, { ...options, insecure: true })).close();
    });
  }

  for (
    const url of ["http://127.0.0.1:8000", "http://localhost:8000/salt/", "http://[::1]:8000", "https://salt.example"]
  ) {
    test(`accepts ${url}`, async () => {
      const server = new FakeServer();
      await (await connect(url, { token: "x", fetch: server.fetch })).close();
    });
  }

  test("refuses what is no address, or names no one", async () => {
    for (
      const url of [
        "salt.example",
        "ftp://salt.example",
        "https://ann:secret@salt.example",
        "https://salt.example/?x=1",
      ]
    ) {
      await assert.rejects(connect(url, { token: "x" }), TypeError, url);
    }
    const url = "https://salt.example";
    await assert.rejects(connect(url, {}), /both are missing/);
    await assert.rejects(connect(url, { token: "x", login: LOGIN }), /both are given/);
    await assert.rejects(connect(url, { username: "ann" } as never), /write it inside login/);
    await assert.rejects(
      connect(url, { login: { username: "ann", password: "x" } as never }),
      /login\.eauth is missing/,
    );
  });

  test("shows at once that a token or a login is not accepted", async () => {
    const server = new FakeServer();
    server.answer = ({ path }) =>
      path === "/login"
        ? page(401, "Could not authenticate using provided credentials")
        : path === "/"
        ? page(401, "No permission -- see authorization schemes")
        : undefined;
    await assert.rejects(server.open({ token: "old" }), { code: "AUTHENTICATION" });
    await assert.rejects(server.open({ login: LOGIN }), { code: "AUTHENTICATION" });
    await assert.rejects(server.open({ token: "with\nnewline" }), { code: "AUTHENTICATION" });
  });

  test("a server that is none is named as such", async () => {
    const server = new FakeServer();
    for (const answer of [new Response("<html>hello</html>"), Response.json({ hello: 1 }), page(404, "x")]) {
      server.answer = () => answer.clone();
      await assert.rejects(server.open({ login: LOGIN }), { code: "PROTOCOL", message: /check that .* a salt-api/ });
    }
  });
});

describe("connecting", TIMEOUT, () => {
  test("is ended by its signal, with its reason", async () => {
    const server = new FakeServer();
    server.answer = ({ path }) => path === "/login" ? new Promise(() => {}) : undefined;
    const stop = new AbortController();
    const opening = server.open({ login: LOGIN, signal: stop.signal });
    opening.catch(() => {});
    await until(() => server.to("/login").length >= 1);
    const reason = new Error("enough");
    stop.abort(reason);
    await assert.rejects(opening, (error) => error === reason);
    await assert.rejects(server.open({ token: "x", signal: stop.signal }), (error) => error === reason);
    await assert.rejects(connect({ rootDir: "/nowhere", signal: stop.signal }), (error) => error === reason);
    assert.equal(server.asked.length, 1);
  });

  test("leaves no login behind where it fails", async () => {
    const server = new FakeServer();
    server.answer = ({ path }) => path === "/ready" ? page(503, "the master is down") : undefined;
    await assert.rejects(server.settled(server.open({ login: LOGIN })), { code: "MASTER_DOWN" });
    await until(() => server.loggedOut.length >= 1);
    assert.deepEqual(server.loggedOut, ["t1"]);
  });

  test("does not take a server for Salt's own that has only not said yet what it is", async () => {
    const server = new FakeServer();
    server.answer = ({ path }) => path === "/ready" ? new Promise(() => {}) : undefined;
    await assert.rejects(server.settled(server.open({ token: "x", timeoutMs: 1000 })), { code: "TIMEOUT" });
  });

  test("refuses numbers that mean nothing", async () => {
    const server = new FakeServer();
    for (
      const options of [{ timeoutMs: 0 }, { timeoutMs: NaN }, { maxBytes: -1 }, { retries: -1 }, { patienceMs: NaN }]
    ) {
      await assert.rejects(server.open({ token: "x", ...options }), RangeError, JSON.stringify(options));
    }
    await assert.rejects(server.open({ token: 7 as never }), TypeError);
    assert.equal(server.asked.length, 0);
  });
});

test("a client has the members of Salt, and none of what they are made of", async () => {
  const salt = await new FakeServer().open();
  const members = [...Object.keys(salt), ...Object.getOwnPropertyNames(HttpClient.prototype)]
    .filter((name) => name !== "constructor").sort();
  assert.deepEqual(members, [
    "close",
    "command",
    "events",
    "isBrine",
    "jobs",
    "keys",
    "minions",
    "publish",
    "run",
    "runner",
    "targets",
    "wheel",
  ]);
  await salt.close();
});

test("closing ends the calls that wait", TIMEOUT, async () => {
  const server = new FakeServer();
  const salt = await server.open();
  server.answer = ({ path }) => path === "/" ? new Promise(() => {}) : undefined;
  const calls = [salt.runner({ fun: "test.arg" }), salt.publish({ tgt: "*", fun: "test.ping" }), salt.keys.list()];
  for (const call of calls) call.catch(() => {});
  await until(() => server.to("/").length === calls.length + 1);
  await salt.close();
  for (const call of calls) await assert.rejects(call, { code: "CLOSED" });
});

describe("the token", TIMEOUT, () => {
  test("goes to no other address than the one that was named", async () => {
    const server = new FakeServer();
    const salt = await server.open({ token: "secret" });
    for (const location of ["https://evil.example/", "https://salt.example:8000/elsewhere", "//evil.example/"]) {
      for (const status of [301, 302, 303, 307, 308]) {
        server.answer = () => new Response(null, { status, headers: { Location: location } });
        const before = server.asked.length;
        await assert.rejects(salt.runner({ fun: "test.arg" }), {
          code: "PROTOCOL",
          message: /connect to that address/,
        });
        assert.equal(server.asked.length, before + 1);
      }
    }
  });

  test("that rest_tornado does not accept is told by its redirect to the login", async () => {
    const server = new FakeServer();
    const salt = await server.open({ token: "old" });
    server.answer = () => new Response(null, { status: 302, headers: { Location: "/login" } });
    await assert.rejects(salt.runner({ fun: "test.arg" }), { code: "AUTHENTICATION" });
  });

  test("is renewed once it is refused, by one login for all callers, and not again and again", async () => {
    const server = new FakeServer();
    const salt = await server.open({ login: LOGIN });
    server.answer = ({ path, token }) =>
      path === "/" && token === "t1" ? page(401, "No permission -- see authorization schemes") : undefined;
    await Promise.all([1, 2, 3].map(() => salt.publish({ tgt: "*", fun: "test.ping" })));
    assert.equal(server.logins, 2);
    server.answer = ({ path }) => path === "/" ? page(401, "No permission -- see authorization schemes") : undefined;
    await assert.rejects(salt.publish({ tgt: "*", fun: "test.ping" }), { code: "AUTHENTICATION" });
    assert.equal(server.logins, 3);
  });

  test("is renewed before it expires; a refusal of permission renews nothing", async () => {
    const server = new FakeServer();
    const salt = await server.open({ login: LOGIN });
    server.clock.advance(3_595_000);
    await salt.publish({ tgt: "*", fun: "test.ping" });
    assert.equal(server.logins, 2);
    server.answer = ({ path }) => path === "/" ? page(401, "Authorization error occurred.") : undefined;
    await assert.rejects(salt.publish({ tgt: "*", fun: "test.ping" }), { code: "PERMISSION" });
    assert.equal(server.logins, 2);
  });

  test("of a login is ended with the client, a given one is not", async () => {
    const server = new FakeServer();
    {
      await using salt = await server.open({ login: LOGIN });
      await salt.publish({ tgt: "*", fun: "test.ping" });
    }
    assert.deepEqual(server.loggedOut, ["t1"]);
    await (await server.open({ token: "mine" })).close();
    assert.deepEqual(server.loggedOut, ["t1"]);
  });

  test("is not sent with credentials of a job's own", async () => {
    const server = new FakeServer();
    const salt = await server.open({ token: "mine" });
    await salt.publish({ tgt: "*", fun: "test.ping", credentials: { token: "other" } });
    const [run] = server.to("/run");
    assert.equal(run!.token, null);
    assert.equal(run!.body[0].token, "other");
  });
});

describe("failures", TIMEOUT, () => {
  for (
    const [status, message, code] of [
      [400, "Client disabled: 'runner'.", "REFUSED"],
      [401, "Authorization error occurred.", "PERMISSION"],
      [401, 'Authentication failure of type "token" occurred for user ann.', "PERMISSION"],
      [401, "No permission -- see authorization schemes", "AUTHENTICATION"],
      [403, "Bad IP", "PERMISSION"],
      [404, "Nothing matches", "PROTOCOL"],
      [413, "too large", "REFUSED"],
      [429, "Too many", "TOO_MANY_ATTEMPTS"],
      [500, "An unexpected error occurred", "FAILED"],
      [502, "Bad gateway", "UNREACHABLE"],
      [503, "Salt Master is not available.", "MASTER_DOWN"],
      [504, "not in time", "TIMEOUT"],
    ] as const
  ) {
    test(`${status} ${message} is ${code}`, async () => {
      const server = new FakeServer();
      const salt = await server.open();
      server.answer = () => page(status, message, { "Retry-After": "7" });
      await assert.rejects(salt.runner({ fun: "test.arg" }), (error: Error & Record<string, unknown>) => {
        assert.deepEqual([error.code, error.status, error.said], [code, status, message]);
        if (status === 429) assert.equal(error.retryAfterMs, 7000);
        return true;
      });
    });
  }

  test("what reads is repeated with growing waits, what acts is not", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    let left = 2;
    server.answer = ({ path }) => {
      if (path !== "/" || left-- <= 0) return Response.json({ return: [{ data: { return: {}, success: true } }] });
      throw new TypeError("connection refused");
    };
    const before = server.asked.length;
    await server.settled(salt.runner({ fun: "jobs.list_jobs" }));
    assert.equal(server.asked.length, before + 3);
    left = 1;
    await assert.rejects(server.settled(salt.runner({ fun: "my.custom" })), {
      code: "UNREACHABLE",
      message: /No answer from https:\/\/salt\.example:8000 \(connection refused\)/,
    });
    left = 1;
    await assert.rejects(server.settled(salt.wheel({ fun: "key.delete", kwarg: { match: "x" } })), {
      code: "UNREACHABLE",
    });
    left = 99;
    const gone = server.asked.length;
    await assert.rejects(server.settled(salt.runner({ fun: "jobs.list_jobs" })), { code: "UNREACHABLE" });
    assert.equal(server.asked.length, gone + 4);
  });

  test("a job is sent again under its own id to Brine's master, and not at all to real Salt's", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    let left = 1;
    server.answer = ({ path, body }) => {
      if (path !== "/") return undefined;
      if (left-- > 0) return page(503, "Salt Master is not available.");
      return Response.json({ return: [{ jid: body[0].jid, minions: ["web1"], missing: [], queued: [] }] });
    };
    const published = await server.settled(salt.publish({ tgt: "*", fun: "test.ping" }));
    const [first, second] = server.to("/").slice(-2).map(({ body }) => body[0].jid);
    assert.match(first, /^\d{20}_\d{6}$/);
    assert.equal(second, first);
    assert.equal(published!.jid, first);
    server.brine = false;
    server.answer = () => undefined;
    const real = await server.open();
    left = 1;
    server.answer = ({ path }) => path === "/" && left-- > 0 ? page(503, "down") : undefined;
    const before = server.to("/").length;
    await assert.rejects(server.settled(real.publish({ tgt: "*", fun: "test.ping" })), { code: "MASTER_DOWN" });
    assert.equal(server.to("/").length, before + 1);
    assert.equal(server.to("/").at(-1)!.body[0].jid, undefined);
    await assert.rejects(real.publish({ tgt: "*", fun: "test.ping", queue: 60 }), { code: "NOT_BRINE" });
    await assert.rejects(real.targets.preview({ tgt: "*" }), { code: "NOT_BRINE" });
  });

  test("a server that never answers is a TIMEOUT, and the request is aborted", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    server.answer = () => new Promise<Response>(() => {});
    await assert.rejects(server.settled(salt.wheel({ fun: "key.list_all" }, { timeoutMs: 3000 })), {
      code: "TIMEOUT",
      message: /POST \/ within 3000 ms/,
    });
  });

  test("an answer that never ends is cut off at maxBytes", async () => {
    const server = new FakeServer();
    const salt = await server.open({ token: "x", maxBytes: 100_000 });
    const body = endless(`"${"x".repeat(10_000)}",`, "application/json");
    server.answer = () => body.response;
    await assert.rejects(salt.runner({ fun: "test.arg" }), { code: "PROTOCOL", message: /more than 100000 bytes/ });
    assert.ok(body.sent() < 200_000, `${body.sent()} bytes`);
    assert.ok(body.cancelled());
  });

  for (const piece of [`data: ${"x".repeat(10_000)}\n`, "x".repeat(10_000)]) {
    test(`an event that never ends is cut off at maxBytes: ${piece.slice(0, 8)}…`, async () => {
      const server = new FakeServer();
      const salt = await server.open({ token: "x", maxBytes: 100_000 });
      const body = endless(piece, "text/event-stream");
      server.answer = ({ path }) => path === "/events" ? body.response : undefined;
      await assert.rejects(salt.events().next(), { code: "PROTOCOL" });
      assert.ok(body.sent() < 200_000, `${body.sent()} bytes`);
      assert.ok(body.cancelled());
    });
  }
});

describe("events() over HTTP", TIMEOUT, () => {
  /** A client, and the streams that it has opened. */
  async function listening() {
    const server = new FakeServer();
    const streams: FakeEvents[] = [];
    const next: { down: boolean; greeting: string } = { down: false, greeting: "retry: 400\nid: b-0\n\n" };
    const salt = await server.open();
    server.answer = ({ path }) => {
      if (path !== "/events") return undefined;
      if (next.down) throw new TypeError("connection refused");
      const stream = new FakeEvents(next.greeting);
      streams.push(stream);
      return stream.response;
    };
    return { server, salt, streams, next };
  }

  test("go on after a disconnection where they were, and say how many were lost", async () => {
    const { server, salt, streams, next } = await listening();
    const missed: (number | undefined)[] = [];
    const feed = salt.events({ tag: "my/*", onMissed: (count) => missed.push(count) });
    await feed.ready();
    streams[0]!.event("my/one", { n: 1 }, "b-1");
    streams[0]!.event("other", { n: 2 }, "b-2");
    assert.deepEqual((await feed.next()).value, { tag: "my/one", data: { n: 1 }, id: "b-1" });
    const waiting = feed.next();
    await turns();
    streams[0]!.fail();
    await until(() => streams.length >= 2, { clock: server.clock });
    assert.equal(server.to("/events").at(-1)!.query.get("last_event_id"), "b-2");
    assert.equal(server.to("/events").at(-1)!.query.get("tag"), "my/*");
    assert.equal(server.to("/events").at(-1)!.headers.get("Last-Event-ID"), null);
    streams[1]!.event("my/three", {}, "b-3");
    assert.equal((await waiting).value!.id, "b-3");
    assert.deepEqual(missed, []);
    next.greeting = 'retry: 400\nevent: lost\ndata: {"missed":12}\n\nid: b-15\n\n';
    const last = feed.next();
    streams[1]!.end();
    await until(() => streams.length >= 3, { clock: server.clock });
    streams[2]!.event("my/late", {}, "b-16");
    assert.equal((await last).value!.id, "b-16");
    assert.deepEqual(missed, [12]);
    await feed.return();
    assert.ok(streams[2]!.cancelled);
  });

  test("of a server without ids are reported as missed after a disconnection", async () => {
    const { server, salt, streams, next } = await listening();
    next.greeting = "retry: 400\n";
    const missed: (number | undefined)[] = [];
    const feed = salt.events({ onMissed: (count) => missed.push(count) });
    await feed.ready();
    const waiting = feed.next();
    streams[0]!.end();
    await until(() => streams.length >= 2, { clock: server.clock });
    streams[1]!.write("data: no json\n\n: a comment\n\ndata: [1]\n\n");
    streams[1]!.event("tag", {});
    assert.deepEqual((await waiting).value, { tag: "tag", data: {}, id: "" });
    assert.deepEqual(missed, [undefined]);
    await feed.return();
  });

  test("end with UNREACHABLE once the server has been away for patienceMs", async () => {
    const { server, salt, streams, next } = await listening();
    const feed = salt.events();
    await feed.ready();
    const waiting = feed.next();
    waiting.catch(() => {});
    next.down = true;
    streams[0]!.fail();
    await assert.rejects(server.settled(waiting, 1000), { code: "UNREACHABLE" });
    assert.ok(server.to("/events").length > 5);
  });

  test("are asked for again when a server that numbers them has said nothing for a minute", async () => {
    const { server, salt, streams, next } = await listening();
    const feed = salt.events();
    await feed.ready();
    const waiting = feed.next();
    // The second is one of those that may be silent, and stays.
    next.greeting = "retry: 400\n";
    await until(() => streams.length >= 2, { clock: server.clock, stepMs: 1000 });
    streams[1]!.event("again", {}, "b-1");
    assert.equal((await waiting).value!.tag, "again");
    await feed.return();
  });
});

describe("run() over HTTP", TIMEOUT, () => {
  test("a return that was fired during a disconnection is taken from the record", async () => {
    const server = new FakeServer();
    const streams: FakeEvents[] = [];
    const jid = "20260101000000000000";
    let recorded: Record<string, unknown> = {};
    const salt = await server.open();
    server.answer = ({ path, body }) => {
      if (path === "/events") {
        const lost = streams.length === 0 ? "" : "event: lost\ndata: {}\n\n";
        const stream = new FakeEvents(`retry: 400\n${lost}id: b-0\n\n`);
        streams.push(stream);
        return stream.response;
      }
      const low = body?.[0] ?? {};
      const reply = (value: unknown) => Response.json({ return: [value] });
      if (low.client === "local_async") return reply({ jid, minions: ["web1", "db1"], missing: [], queued: [] });
      if (low.fun === "jobs.list_job") {
        return reply({ data: { return: { jid, Minions: ["web1", "db1"], Result: recorded }, success: true } });
      }
      if (low.fun === "jobs.outcome") return reply({ data: { return: { Outcomes: {} }, success: true } });
      return undefined;
    };
    const run = salt.run({ tgt: "*", fun: "test.ping" });
    const first = run.next();
    await until(() => streams.length >= 1 && server.to("/").some(({ body }) => body[0]?.client === "local_async"));
    streams[0]!.event(`salt/job/${jid}/ret/web1`, { id: "web1", return: true, retcode: 0, success: true }, "b-1");
    assert.equal(((await first).value as { id: string }).id, "web1");
    streams[0]!.event(`salt/job/${jid}/outcome/db1`, { id: "db1", outcome: "started" }, "b-2");
    const second = run.next();
    recorded = { db1: { return: "late", retcode: 0, success: true } };
    streams[0]!.fail();
    const { value } = await server.settled(second);
    assert.ok(value !== undefined && "kind" in value && value.kind === "returned");
    assert.equal(value.return, "late");
    assert.equal((await run.next()).done, true);
    await salt.close();
    assert.ok(streams.at(-1)!.cancelled);
  });

  test("Salt's own server is asked for events without anything in the address, which it refuses", async () => {
    for (const brine of [true, false]) {
      const server = new FakeServer();
      server.brine = brine;
      const salt = await server.open();
      server.answer = ({ path }) => path === "/events" ? new FakeEvents().response : undefined;
      await salt.events({ tag: "my/*" }).ready();
      const { query } = server.to("/events")[0]!;
      assert.equal(String(query), brine ? "ids=1&tag=my%2F*" : "");
      await salt.close();
    }
  });

  test("events that flood the client before a job has its id are not all kept; the record tells what came of it", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    const jid = "20260101000000000001";
    const reply = (data: unknown) => Response.json({ return: [data] });
    const results = { web1: { return: "kept", retcode: 0, success: true } };
    let stream: FakeEvents | undefined;
    const published = Promise.withResolvers<Response>();
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
    for (let count = 0; count < 11_000; count++) stream!.event("flood/event", { count });
    // It came after so many others that nobody kept it.
    stream!.event(`salt/job/${jid}/ret/web1`, { id: "web1", return: "not kept", retcode: 0, success: true });
    await until(() => stream!.read);
    published.resolve(reply({ jid, minions: ["web1"] }));
    const [outcome] = await server.settled(outcomes);
    assert.equal(outcome!.kind === "returned" && outcome!.return, "kept");
    await salt.close();
  });

  test("two jobs share one stream, which ends after the last", async () => {
    const server = new FakeServer();
    const streams: FakeEvents[] = [];
    let count = 0;
    const salt = await server.open();
    server.answer = ({ path, body }) => {
      if (path === "/events") {
        streams.push(new FakeEvents("retry: 400\nid: b-0\n\n"));
        return streams.at(-1)!.response;
      }
      if (body?.[0]?.client !== "local_async") return undefined;
      const jid = `2026010100000000000${++count}`;
      setTimeout(() => streams[0]!.event(`salt/job/${jid}/ret/web1`, { id: "web1", return: jid, retcode: 0 }), 0);
      return Response.json({ return: [{ jid, minions: ["web1"] }] });
    };
    const job = () => salt.run({ tgt: "*", fun: "test.ping" }).all();
    const [one, other] = await Promise.all([job(), job()]);
    assert.equal(streams.length, 1);
    assert.notEqual(one[0]!.jid, other[0]!.jid);
    server.clock.advance(3000);
    await until(() => streams[0]!.cancelled);
  });

  test("the words of an error are bounded, and cannot redraw a terminal", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    for (const text of ["\x1b[2J".repeat(100_000), "<html><p>".repeat(100_000), `<p>${"y".repeat(100_000)}</p>`]) {
      server.answer = () => new Response(text, { status: 400 });
      await assert.rejects(salt.runner({ fun: "test.arg" }), ({ code, message }: Error & { code: string }) => {
        assert.equal(code, "REFUSED");
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(message, /[\x00-\x1f]/);
        return message.length < 2000;
      });
    }
    const body = endless("<p>", "text/html");
    server.answer = () => new Response(body.response.body, { status: 500 });
    await assert.rejects(salt.runner({ fun: "test.arg" }), { code: "FAILED" });
    assert.ok(body.cancelled() && body.sent() < 200_000, `${body.sent()} bytes`);
  });

  test("a lying server's answers are errors or nothing, never something else", async () => {
    const server = new FakeServer();
    const salt = await server.open();
    for (const answer of [null, 7, "x", {}, { return: "x" }, { return: { jid: "1" } }, { return: [{ jid: 7 }] }]) {
      server.answer = ({ path }) => path === "/" ? Response.json(answer) : undefined;
      await assert.rejects(salt.publish({ tgt: "*", fun: "test.ping" }), { code: "PROTOCOL" }, JSON.stringify(answer));
      await assert.rejects(salt.runner({ fun: "test.arg" }), { code: "PROTOCOL" });
    }
    server.answer = ({ path }) =>
      path === "/" ? Response.json({ return: [{ data: { return: "x", success: true } }] }) : undefined;
    assert.deepEqual(await salt.jobs.list({ before: "20260101000000000000" }), []);
    assert.deepEqual(await salt.minions.list(), []);
    assert.deepEqual(await salt.keys.list(), { accepted: [], pre: [], rejected: [], denied: [] });
    assert.ok(salt instanceof HttpClient);
  });
});

declare function setTimeout(callback: () => void, ms: number): unknown;
