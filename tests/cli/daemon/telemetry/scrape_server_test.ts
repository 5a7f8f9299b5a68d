import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ScrapeServerOptions, serveScrapes } from "../../../../cli/daemon/telemetry/scrape_server.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryNet } from "../../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const { crypto } = await currentRuntime();
const encoder = new TextEncoder();

function bed(changes: Partial<ScrapeServerOptions> = {}) {
  const net = memoryNet();
  const clock = new FakeClock();
  let written = 0;
  const serving = serveScrapes({
    net,
    clock,
    crypto,
    host: "127.0.0.1",
    port: 9464,
    token: undefined,
    contentType: "text/plain; version=0.0.4",
    write: () => Promise.resolve(`written ${++written}\n`),
    ...changes,
  });
  /** Sends bytes, and resolves to all that came when the server closes the connection. */
  const ask = async (...chunks: string[]): Promise<string> => {
    const server = await serving;
    const connection = await net.dial(server.address);
    let got = "";
    return await new Promise((resolve) => {
      connection.start({
        onData: (chunk) => void (got += new TextDecoder().decode(chunk)),
        onClose: () => resolve(got),
      });
      for (const chunk of chunks) connection.write(encoder.encode(chunk));
    });
  };
  return { net, clock, serving, ask, written: () => written };
}

const get = (path: string, ...headers: string[]) => `GET ${path} HTTP/1.1\r\n${headers.join("")}\r\n`;

describe("serveScrapes", () => {
  test("GET /metrics answers with all metrics", async () => {
    const { ask } = bed();
    const answer = await ask(get("/metrics"));
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain; version=0\.0\.4\r\nContent-Length: 10\r\n/);
    assert.ok(answer.endsWith("\r\n\r\nwritten 1\n"));
  });

  test("a request may come in pieces", async () => {
    const { ask } = bed();
    assert.match(await ask("GET /met", "rics HTTP/1.0\r\nHost: x\r", "\n\r", "\n"), /^HTTP\/1\.1 200 /);
  });

  for (
    const { name, request, status } of [
      { name: "GET /health", request: get("/health"), status: 200 },
      { name: "a query", request: get("/metrics?x=1"), status: 200 },
      { name: "another path", request: get("/"), status: 404 },
      { name: "a path above", request: get("/metrics/../etc/passwd"), status: 404 },
      { name: "POST", request: "POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", status: 405 },
      { name: "what is not HTTP", request: "\x16\x03\x01 hello\r\n\r\n", status: 400 },
      { name: "a head without end", request: `GET /metrics HTTP/1.1\r\nX: ${"x".repeat(9000)}`, status: 431 },
      { name: "a head that is too long", request: get("/metrics", `X: ${"x".repeat(9000)}\r\n`), status: 431 },
    ]
  ) {
    test(`${name} is answered with ${status}`, async () => {
      assert.match(await bed().ask(request), new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }

  test("with a token, /metrics needs it and /health does not", async () => {
    const { ask, written } = bed({ token: "s3cret" });
    const bearer = (token: string) => `authorization: Bearer ${token}\r\n`;
    assert.match(await ask(get("/metrics")), /^HTTP\/1\.1 401 /);
    assert.match(await ask(get("/metrics", bearer("wrong"))), /^HTTP\/1\.1 401 /);
    assert.match(await ask(get("/metrics", "X-Authorization: Bearer s3cret\r\n")), /^HTTP\/1\.1 401 /);
    assert.equal(written(), 0);
    assert.match(await ask(get("/metrics", bearer("s3cret"))), /^HTTP\/1\.1 200 /);
    assert.match(await ask(get("/health")), /^HTTP\/1\.1 200 /);
  });

  test("a head that does not end is given up", async () => {
    const { ask, clock } = bed();
    const asked = ask("GET /metrics HTTP/1.1\r\n");
    await clock.waiting(10_000);
    clock.advance(10_000);
    assert.equal(await asked, "");
  });

  test("metrics are collected once a second at most", async () => {
    const { ask, clock, written } = bed();
    for (let i = 0; i < 20; i++) await ask(get("/metrics"));
    assert.equal(written(), 1);
    clock.advance(1001);
    assert.ok((await ask(get("/metrics"))).endsWith("written 2\n"));
  });

  test("of more connections than it serves the oldest that asks nothing is closed, and a request is answered", async () => {
    const { net, serving, ask, clock } = bed();
    const server = await serving;
    const closed: number[] = [];
    for (let i = 0; i < 33; i++) {
      const idle = await net.dial(server.address);
      idle.start({
        onData: () => {},
        onClose: () => void closed.push(i),
      });
      if (i === 32) assert.match(await ask(get("/health")), /^HTTP\/1\.1 200 /);
    }
    assert.deepEqual(closed, [0, 1]);
    clock.advance(10_000);
    assert.match(await ask(get("/health")), /^HTTP\/1\.1 200 /);
    assert.equal(closed.length, 33);
  });

  test("an error while metrics are collected is 500, and tells nothing", async () => {
    const { ask } = bed({ write: () => Promise.reject(new Error("secret")) });
    const answer = await ask(get("/metrics"));
    assert.match(answer, /^HTTP\/1\.1 500 /);
    assert.doesNotMatch(answer, /secret/);
  });
});
