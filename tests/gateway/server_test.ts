/** The HTTP servers of the runtime that the tests run on, over real sockets. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { connect } from "node:tls";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../../src/runtime/http.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryHttp } from "../../src/runtime/memory/mod.ts";
import { openDoor } from "./fake_backend.ts";
import { openSocket } from "./raw_socket.ts";

const runtime = await currentRuntime();
const TIMEOUT = { timeout: 20_000 };

const pair = (name: string): TlsPair => {
  const read = (ending: string) => readFileSync(new URL(`fixtures/${name}.${ending}`, import.meta.url), "utf8");
  return { cert: read("crt"), key: read("key") };
};

function serve(handler: HttpHandler, options: Partial<HttpServeOptions> = {}): Promise<HttpServer> {
  return runtime.http.serve(handler, { host: "127.0.0.1", port: 0, ...options });
}

/** Sends bytes, and gives what comes until the connection ends. */
async function exchange(port: number, text: string): Promise<string> {
  const connection = await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port });
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  connection.start({
    onData: (chunk) => void (answer += new TextDecoder().decode(chunk)),
    onClose: () => resolve(answer),
  });
  connection.write(new TextEncoder().encode(text));
  return await promise;
}

/** The name in the certificate that a server shows. */
function certificate(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, servername: "one.example" }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("HTTP servers", TIMEOUT, () => {
  test("a request comes with its method, path, body and the address of who sent it", TIMEOUT, async () => {
    await using server = await serve(async (request, { address }) =>
      Response.json({
        method: request.method,
        path: new URL(request.url).pathname,
        type: request.headers.get("Content-Type"),
        body: await request.text(),
        address,
      })
    );
    const answer = await fetch(`http://127.0.0.1:${server.port}/a/b`, {
      method: "POST",
      headers: { "Content-Type": "text/x" },
      body: "é",
    });
    assert.deepEqual(await answer.json(), {
      method: "POST",
      path: "/a/b",
      type: "text/x",
      body: "é",
      address: "127.0.0.1",
    });
  });

  test("a port that is taken is EADDRINUSE", TIMEOUT, async () => {
    await using server = await serve(() => new Response(""));
    await assert.rejects(serve(() => new Response(""), { port: server.port }), { errno: "EADDRINUSE" });
  });

  test("what a stream sends arrives as it is sent, and it learns that nobody listens any more", TIMEOUT, async () => {
    let push: (text: string) => void = () => {};
    const gone = Promise.withResolvers<void>();
    await using server = await serve((_request, peer) => {
      peer.keepOpen();
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          push = (text) => controller.enqueue(new TextEncoder().encode(text));
          push("first");
        },
        cancel: () => gone.resolve(),
      });
      return new Response(body);
    });
    const abort = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { signal: abort.signal });
    const reader = answer.body!.getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    assert.equal(await next(), "first");
    push("second");
    assert.equal(await next(), "second");
    reader.read().catch(() => {});
    abort.abort();
    await gone.promise;
  });

  test("a listener that does not read is sent away before much waits for it", TIMEOUT, async () => {
    const door = await openDoor({ listener_buffer: 100_000 });
    await using server = await serve(door.gateway.fetch);
    const { "X-Auth-Token": token } = await door.login();
    const connection = await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port: server.port });
    const head = Promise.withResolvers<void>();
    connection.start({
      onData() {
        connection.pause();
        head.resolve();
      },
      onClose() {},
    });
    const lines = ["GET /events HTTP/1.1", "Host: x", `X-Auth-Token: ${token}`, "", ""];
    connection.write(new TextEncoder().encode(lines.join("\r\n")));
    await head.promise;
    const gone = () => door.gateway.listeners === 0;
    // What the operating system holds for a connection counts, too.
    let sent = 0;
    for (; !gone() && sent < 2000; sent++) {
      door.backend.event("salt/large", { text: "x".repeat(50_000) });
      door.clock.advance(20);
      await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    }
    connection.destroy();
    assert.ok(gone(), `after ${sent} events it is still there`);
  });

  test("a WebSocket speaks both ways, and both sides learn of its end", TIMEOUT, async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((_request, peer) =>
      peer.upgrade({
        onOpen: (socket) => socket.send("hello"),
        onMessage: (text, socket) => text === "bye" ? socket.close(4001, "as asked") : socket.send(`${text}!`),
        onClose: () => closed.resolve(),
      })
    );
    const socket = await openSocket(runtime.net, server.port, "/x");
    assert.equal(socket.status, 101);
    assert.equal(await socket.next(), "hello");
    socket.send("you");
    assert.equal(await socket.next(), "you!");
    socket.send("bye");
    assert.equal(await socket.closed, 4001);
    socket.close();
    await closed.promise;
  });

  test("an upgrade can be refused", TIMEOUT, async () => {
    await using server = await serve(() => new Response("no", { status: 401 }));
    const socket = await openSocket(runtime.net, server.port, "/x");
    assert.equal(socket.status, 401);
    socket.close();
  });

  test("another certificate can be used without a restart", TIMEOUT, async () => {
    await using server = await serve(() => new Response("ok"), { tls: pair("one") });
    assert.equal(await certificate(server.port), "one.example");
    await server.reloadTls(pair("two"));
    assert.equal(await certificate(server.port), "two.example");
  });

  test("a server that closes lets requests in progress end, and takes no more", TIMEOUT, async () => {
    const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
    const server = await serve(() => {
      begun.resolve();
      return finish.promise;
    });
    const answer = fetch(`http://127.0.0.1:${server.port}/`, { headers: { Connection: "close" } });
    await begun.promise;
    const closed = server.close(15_000);
    await assert.rejects(async () => {
      for (;;) await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port: server.port }).then((c) => c.destroy());
    });
    finish.resolve(new Response("done"));
    assert.equal(await (await answer).text(), "done");
    await closed;
  });

  test("a head that does not come is not waited for", {
    ...TIMEOUT,
    ...(runtime.name === "deno" ? { skip: "Deno.serve has no such timer" } : {}),
  }, async () => {
    await using server = await serve(() => new Response("ok"), { headTimeoutMs: 1000 });
    const answer = await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow:");
    assert.ok(!answer.includes("200 OK"), answer);
  });
});

describe("HTTP in memory", () => {
  test("finds servers by their ports", async () => {
    const http = memoryHttp();
    const server = await http.serve((_request, { address }) => new Response(address), { host: "", port: 8000 });
    await assert.rejects(http.serve(() => new Response(""), { host: "", port: 8000 }), { errno: "EADDRINUSE" });
    assert.equal(await (await http.fetch(new Request("http://x:8000/"), "10.0.0.1")).text(), "10.0.0.1");
    await server.close();
    await assert.rejects(http.fetch(new Request("http://x:8000/")), { errno: "ECONNREFUSED" });
  });
});
