/** The engine `webhook`: what a request becomes, and what a stranger cannot do. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engine } from "../../../src/plugins/engines/webhook.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { hex } from "../../../src/protocol/crypto/hex.ts";
import { engineSite, type EngineSiteOptions } from "../../support/engine_site.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { vectors } from "../../support/vectors.ts";

interface Recorded {
  requests: { name: string; path: string; method: string; headers?: Record<string, string>; body?: string }[];
  responses: Record<string, number>;
  events: { tag: string; data: { headers: Record<string, string>; body: { $text: string } } }[];
}

const utf8 = (text: string) => new TextEncoder().encode(text);

async function site(settings: Record<string, unknown> = {}, options: EngineSiteOptions = {}) {
  const here = await engineSite(options);
  void here.start(engine, { address: "127.0.0.1", port: 0, ...settings });
  await here.until(() => here.details.port !== undefined, "it listens");
  const url = `http://127.0.0.1:${here.details.port}`;
  const post = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { method: "POST", ...init });
    return { status: response.status, text: await response.text() };
  };
  return { ...here, url, post, [Symbol.asyncDispose]: here.end };
}

describe("webhook", () => {
  test("a request becomes an event with its headers and its body", async () => {
    await using here = await site();
    const answer = await here.post("/my/build%20done?x=1", {
      body: '{"ok": true}',
      headers: { "content-type": "application/json", "x-my-header": "a" },
    });
    assert.deepEqual(answer, { status: 200, text: "" });
    const [{ tag, data }] = here.fired as [
      { tag: string; data: { headers: Record<string, string>; body: Uint8Array } },
    ];
    assert.equal(tag, "salt/engines/hook/my/build done");
    assert.equal(data.headers["Content-Type"], "application/json");
    assert.equal(data.headers["X-My-Header"], "a");
    assert.deepEqual(data.body, utf8('{"ok": true}'));
    assert.equal(here.details.taken, 1);
  });

  test("requests become the events that real Salt has made of them", async () => {
    const recorded = vectors("engines") as Recorded;
    await using here = await site();
    for (const { name, path, headers, ...init } of recorded.requests) {
      // Runtimes add a type of their own, or none: the recorded one was Node's.
      const typed = { "Content-Type": "text/plain;charset=UTF-8", ...headers };
      assert.equal((await here.post(path, { ...init, headers: typed })).status, recorded.responses[name], name);
    }
    const expected = recorded.events.filter(({ tag }) => tag.startsWith("salt/engines/hook/"));
    assert.equal(here.fired.length, expected.length);
    for (const { tag, data } of expected) {
      const found = here.fired.find((event) => event.tag === tag)!.data as {
        headers: Record<string, string>;
        body: Uint8Array;
      };
      assert.equal(new TextDecoder().decode(found.body), data.body.$text);
      for (const [header, value] of Object.entries(data.headers)) assert.equal(found.headers[header], value, header);
    }
  });

  test("a prefix of one's own, and an empty path and body", async () => {
    await using here = await site({ tag: "myco/hook" });
    assert.equal((await here.post("/")).status, 200);
    assert.deepEqual(here.fired.map(({ tag, data }) => [tag, (data.body as Uint8Array).length]), [["myco/hook/", 0]]);
  });

  const refused: [string, string, RequestInit, number][] = [
    ["another method", "/a", { method: "GET" }, 405],
    ["control characters in the tag", "/a%0a%0ab", {}, 400],
    ["an escape sequence for terminals", "/a%1b[2J", {}, 400],
    ["a path that is not UTF-8", "/%ff", {}, 400],
    ["a path that is too long", `/${"a".repeat(901)}`, {}, 414],
    ["a body that is too large", "/a", { body: "x".repeat(1001) }, 413],
  ];
  for (const [name, path, init, status] of refused) {
    test(`refused: ${name}`, async () => {
      await using here = await site({ max_body: 1000 });
      assert.equal((await here.post(path, init)).status, status);
      assert.deepEqual(here.fired, []);
      assert.equal(here.details.refused, 1);
    });
  }

  test("a body of unknown length is read up to the bound", async () => {
    await using here = await site({ max_body: 1000 });
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (++pulled > 5000) controller.close();
        else controller.enqueue(utf8("x".repeat(100)));
      },
    });
    const answer = await here.post("/a", { body, duplex: "half" } as RequestInit).catch(() => ({ status: 413 }));
    assert.equal(answer.status, 413);
    assert.deepEqual(here.fired, []);
  });

  test("a body that does not come to an end is given up after ten seconds", async () => {
    const clock = new FakeClock();
    const runtime = await currentRuntime();
    await using here = await site({}, { runtime: { ...runtime, clock } });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(utf8("slow")) });
    const cut = new AbortController();
    const answer = here.post("/a", { body, duplex: "half", signal: cut.signal } as RequestInit)
      .catch(() => ({ status: 408 }));
    await clock.waiting(10_000);
    clock.advance(10_000);
    await here.until(() => here.details.refused === 1, "it is refused");
    assert.match(JSON.stringify(here.captured.records), /"status":408/);
    cut.abort();
    await answer;
    assert.deepEqual(here.fired, []);
  });

  test("dots of a path lead nowhere: a tag is a text", async () => {
    await using here = await site();
    assert.equal((await here.post("/a/%2e%2e%2f%2e%2e%2fjob/new")).status, 200);
    assert.ok(here.fired[0]!.tag.startsWith("salt/engines/hook/"), here.fired[0]!.tag);
  });

  test("with a token only who knows it fires events, and nobody reads it in them", async () => {
    await using here = await site({ token: "t0ken" });
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "t0ken" }]) {
      assert.equal((await here.post("/a", { headers })).status, 401);
    }
    assert.equal((await here.post("/a", { headers: { authorization: "Bearer t0ken" } })).status, 200);
    assert.equal(here.fired.length, 1);
    assert.doesNotMatch(JSON.stringify(here.fired), /t0ken/);
  });

  test("with a secret the body has to be signed with it", async () => {
    await using here = await site({ secret: "s3cret" });
    const { crypto } = await currentRuntime();
    const sign = (text: string) => `sha256=${hex(crypto.hmac("sha256", utf8("s3cret"), utf8(text)))}`;
    const post = (body: string, signature: string) =>
      here.post("/a", { body, headers: { "x-hub-signature-256": signature } });
    assert.equal((await post("body", sign("other"))).status, 401);
    assert.equal((await post("body", "")).status, 401);
    assert.equal((await post("body", sign("body"))).status, 200);
  });

  test("while no more events can be fired, callers are asked to come again", async () => {
    await using here = await site({}, { fire: () => Promise.reject(new RangeError("1000 wait already")) });
    assert.equal((await here.post("/a")).status, 503);
  });

  test("half a pair of TLS files is an error before it listens", async () => {
    await using here = await engineSite();
    await assert.rejects(here.start(engine, { port: 0, ssl_crt: "/nowhere.crt" }), /give both, or neither/);
  });

  test("an open port on all addresses is logged as what it is", async () => {
    await using here = await engineSite();
    void here.start(engine, { port: 0 });
    await here.until(() => here.details.port !== undefined, "it listens");
    assert.match(JSON.stringify(here.captured.records), /everyone who reaches this port can send events/);
    const response = await fetch(`http://127.0.0.1:${here.details.port}/v4`, { method: "POST" });
    assert.equal(response.status, 200);
    await response.text();
  });
});
