/** What every {@link Http} promises, whichever runtime serves. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { connect } from "node:tls";
import { until } from "../../bench/bed/until.ts";
import { type Http, type HttpHandler, type HttpServeOptions, MAX_SOCKET_MESSAGE } from "../../src/runtime/http.ts";
import type { HttpServer, TlsPair } from "../../src/runtime/http.ts";
import type { Net } from "../../src/runtime/net.ts";
import { openSocket } from "../support/raw_web_socket.ts";

declare function setTimeout(callback: () => void, ms: number): unknown;

const TIMEOUT = { timeout: 20_000 };

export interface HttpUnderTest {
  http: Http;
  /** Sends a request to a server, as a client of its own would. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** For clients that speak bytes; undefined without sockets. */
  net?: Net;
  /** Moves the clock past a deadline of this many milliseconds. @default real time passes */
  pass?(ms: number): void;
  /** Sockets and timers that the process holds open. Undefined if that cannot be counted. */
  held?(): number;
}

/** Why an adapter cannot do something. */
export interface HttpGaps {
  /** Why there are no connections, and so no WebSockets, TLS, or heads that do not arrive. */
  sockets?: string;
  headTimeout?: string;
}

const pair = (name: string): TlsPair => {
  const read = (ending: string) => readFileSync(new URL(`./fixtures/${name}.${ending}`, import.meta.url), "utf8");
  return { cert: read("crt"), key: read("key") };
};

/** A handler whose requests wait until the test answers them. */
function waitingHandler() {
  const begun = Promise.withResolvers<Request>();
  const response = Promise.withResolvers<Response>();
  const handler: HttpHandler = (request) => {
    begun.resolve(request);
    return response.promise;
  };
  return { handler, begun: begun.promise, answer: (text: string) => response.resolve(new Response(text)) };
}

/** A handler whose response is a stream that the test writes to. */
function streamHandler() {
  const cancelled = Promise.withResolvers<void>();
  let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const handler: HttpHandler = (_request, peer) => {
    peer.keepOpen();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (given) => void (controller = given),
      cancel: () => cancelled.resolve(),
    });
    push("first");
    return new Response(body);
  };
  const push = (text: string) => controller.enqueue(new TextEncoder().encode(text));
  return { handler, push, cancelled: cancelled.promise };
}

/** The name in the certificate that a server presents. */
function certificateOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, servername: "one.example" }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

/** A connection that sends no request. */
async function idle(net: Net, port: number, text = "") {
  const connection = await net.dial({ kind: "tcp", host: "127.0.0.1", port });
  const closed = Promise.withResolvers<void>();
  let open = true;
  connection.start({
    onData: () => {},
    onClose() {
      open = false;
      closed.resolve();
    },
  });
  if (text !== "") connection.write(new TextEncoder().encode(text));
  return { closed: closed.promise, open: () => open, leave: () => connection.destroy() };
}

/** Reads a stream. */
function listen(net: Net, port: number, path: string) {
  let text = "";
  const opened = net.dial({ kind: "tcp", host: "127.0.0.1", port }).then((connection) => {
    connection.start({ onData: (chunk) => void (text += new TextDecoder().decode(chunk)), onClose: () => {} });
    connection.write(new TextEncoder().encode(GET.replace("/ ", `${path} `)));
    return connection;
  });
  return {
    until: (wanted: RegExp) => until(() => wanted.test(text)),
    leave: () => void opened.then((connection) => connection.destroy()),
  };
}

/** Sends bytes, and resolves with what arrives until the connection ends. */
async function exchange(net: Net, port: number, text: string): Promise<string> {
  const connection = await net.dial({ kind: "tcp", host: "127.0.0.1", port });
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  connection.start({
    onData: (chunk) => void (answer += new TextDecoder().decode(chunk)),
    onClose: () => resolve(answer),
  });
  connection.write(new TextEncoder().encode(text));
  return await promise;
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** @param make a new one at each call, if it has a state of its own */
export function httpContract(name: string, make: () => HttpUnderTest, gaps: HttpGaps = {}): void {
  /** Serves on a free port of the loopback. */
  const serve = (http: Http, handler: HttpHandler, options: Partial<HttpServeOptions> = {}): Promise<HttpServer> =>
    http.serve(handler, { host: "127.0.0.1", port: 0, ...options });
  const urlOf = ({ port }: HttpServer, path = "/") => `http://127.0.0.1:${port}${path}`;
  const ok: HttpHandler = () => new Response("ok");

  describe(`${name} Http: requests`, TIMEOUT, () => {
    test("a handler gets method, path, headers, body and the client's address", TIMEOUT, async () => {
      const { http, fetch } = make();
      await using server = await serve(http, async (request, { address }) =>
        Response.json({
          method: request.method,
          path: new URL(request.url).pathname,
          type: request.headers.get("Content-Type"),
          body: await request.text(),
          address,
        }));
      const answer = await fetch(urlOf(server, "/a/b"), {
        method: "POST",
        headers: { "Content-Type": "text/x" },
        body: "é",
      });
      const wanted = { method: "POST", path: "/a/b", type: "text/x", body: "é", address: "127.0.0.1" };
      assert.deepEqual(await answer.json(), wanted);
    });

    test("status and headers of the response reach the client", TIMEOUT, async () => {
      const { http, fetch } = make();
      await using server = await serve(http, () => new Response("teapot", { status: 418, headers: { "X-Pot": "é" } }));
      const answer = await fetch(urlOf(server));
      assert.deepEqual([answer.status, answer.headers.get("X-Pot"), await answer.text()], [418, "é", "teapot"]);
    });

    test("a stream arrives as it is written, and is cancelled when the client leaves", TIMEOUT, async () => {
      const { http, fetch } = make();
      const { handler, push, cancelled } = streamHandler();
      await using server = await serve(http, handler);
      const reader = (await fetch(urlOf(server))).body!.getReader();
      const next = async () => new TextDecoder().decode((await reader.read()).value);
      assert.equal(await next(), "first");
      push("second");
      assert.equal(await next(), "second");
      await reader.cancel();
      await cancelled;
    });

    test("the request's signal aborts when its client disconnects, and the server continues", TIMEOUT, async () => {
      const { http, fetch } = make();
      const { handler, begun } = waitingHandler();
      await using server = await serve(http, (request, peer) => {
        return request.url.endsWith("/wait") ? handler(request, peer) : ok(request, peer);
      });
      const caller = new AbortController();
      const answer = fetch(urlOf(server, "/wait"), { signal: caller.signal });
      const { signal } = await begun;
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      assert.equal(signal.aborted, false);
      caller.abort();
      await assert.rejects(answer, { name: "AbortError" });
      await aborted;
      assert.equal(await (await fetch(urlOf(server))).text(), "ok");
    });

    test("upgrade() throws a TypeError for a request that did not ask for it", TIMEOUT, async () => {
      const { http, fetch } = make();
      let error: unknown;
      await using server = await serve(http, (_request, peer) => {
        try {
          return peer.upgrade({});
        } catch (caught) {
          error = caught;
          return new Response("no", { status: 400 });
        }
      });
      assert.equal((await fetch(urlOf(server))).status, 400);
      assert.ok(error instanceof TypeError, String(error));
    });
  });

  describe(`${name} Http: ports and close()`, TIMEOUT, () => {
    test("port 0 is a free port, another one each time", TIMEOUT, async () => {
      const { http } = make();
      await using one = await serve(http, ok);
      await using two = await serve(http, ok);
      assert.ok(one.port > 0 && two.port > 0 && one.port !== two.port, `${one.port} ${two.port}`);
    });

    test(
      "serve() rejects with EADDRINUSE on a port that is taken, and the first server continues",
      TIMEOUT,
      async () => {
        const { http, fetch } = make();
        await using server = await serve(http, ok);
        await assert.rejects(serve(http, ok, { port: server.port }), { errno: "EADDRINUSE" });
        assert.equal(await (await fetch(urlOf(server))).text(), "ok");
      },
    );

    test("close() refuses new requests, and its port is free again", TIMEOUT, async () => {
      const { http, fetch } = make();
      const server = await serve(http, ok);
      assert.equal(await (await fetch(urlOf(server))).text(), "ok");
      await server.close();
      await assert.rejects(fetch(urlOf(server)));
      await using again = await serve(http, () => new Response("again"), { port: server.port });
      assert.equal(await (await fetch(urlOf(again))).text(), "again");
    });

    test("close() twice, and disposing after it, is harmless", TIMEOUT, async () => {
      const { http } = make();
      const server = await serve(http, ok);
      await Promise.all([server.close(), server.close(1000)]);
      await server.close();
      await server[Symbol.asyncDispose]();
    });

    test("close() lets requests in progress finish within its grace", TIMEOUT, async () => {
      const { http, fetch } = make();
      const { handler, begun, answer } = waitingHandler();
      const server = await serve(http, handler);
      const response = fetch(urlOf(server), { headers: { Connection: "close" } });
      await begun;
      const closed = server.close(15_000);
      await assert.rejects(async () => {
        for (;;) await (await fetch(urlOf(server), { signal: AbortSignal.timeout(1000) })).text();
      });
      answer("done");
      assert.equal(await (await response).text(), "done");
      await closed;
    });

    test("close() ends requests that take longer than its grace", TIMEOUT, async () => {
      for (const graceMs of [0, 50]) {
        const { http, fetch, pass } = make();
        const { handler, begun } = waitingHandler();
        const server = await serve(http, handler);
        const outcome = fetch(urlOf(server)).then(({ status }) => status, () => "failed");
        const request = await begun;
        const closed = server.close(graceMs);
        pass?.(graceMs);
        await closed;
        assert.ok(["failed", 503].includes(await outcome), String(await outcome));
        await until(() => request.signal.aborted);
      }
    });

    test("close() ends streams that are still open", TIMEOUT, async () => {
      const { http, fetch } = make();
      if (gaps.sockets !== undefined) return;
      for (const graceMs of [0, 50]) {
        const { handler } = streamHandler();
        const server = await serve(http, handler);
        const reader = (await fetch(urlOf(server))).body!.getReader();
        await reader.read();
        const ended = reader.read().then(({ done }) => done, () => true);
        await server.close(graceMs);
        assert.equal(await ended, true);
      }
    });
  });

  describe(
    `${name} Http: connections`,
    { ...TIMEOUT, ...(gaps.sockets === undefined ? {} : { skip: gaps.sockets }) },
    () => {
      const make2 = () => {
        const made = make();
        return { ...made, net: made.net! };
      };

      test("a WebSocket carries messages both ways, and both sides are notified when it closes", TIMEOUT, async () => {
        const { http, net } = make2();
        const closed = Promise.withResolvers<void>();
        await using server = await serve(http, (_request, peer) =>
          peer.upgrade({
            onOpen: (socket) => socket.send("hello"),
            onMessage: (text, socket) => text === "bye" ? socket.close(4001, "as asked") : socket.send(`${text}!`),
            onClose: () => closed.resolve(),
          }));
        const socket = await openSocket(net, server.port, "/x");
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
        const { http, net } = make2();
        await using server = await serve(http, () => new Response("no", { status: 401 }));
        const socket = await openSocket(net, server.port, "/x");
        assert.equal(socket.status, 401);
        socket.close();
      });

      test("a message above the limit closes its WebSocket", TIMEOUT, async () => {
        const { http, net } = make2();
        const messages: string[] = [];
        const closed = Promise.withResolvers<void>();
        await using server = await serve(
          http,
          (_request, peer) =>
            peer.upgrade({ onMessage: (text) => void messages.push(text), onClose: () => closed.resolve() }),
        );
        const socket = await openSocket(net, server.port, "/x");
        socket.send("x".repeat(MAX_SOCKET_MESSAGE + 1));
        await socket.closed;
        socket.close();
        await closed.promise;
        assert.deepEqual(messages, []);
      });

      test("close() closes WebSockets with code 1001", TIMEOUT, async () => {
        const { http, net } = make2();
        const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        let closes = 0;
        const server = await serve(http, (_request, peer) =>
          peer.upgrade({
            onOpen: () => opened.resolve(),
            onClose() {
              closes++;
              closed.resolve();
            },
          }));
        const socket = await openSocket(net, server.port, "/x");
        await opened.promise;
        const done = server.close();
        assert.equal(await socket.closed, 1001);
        socket.close();
        await done;
        await closed.promise;
        assert.equal(closes, 1);
      });

      test("another certificate can be used without a restart", TIMEOUT, async () => {
        const { http } = make2();
        await using server = await serve(http, ok, { tls: pair("one") });
        assert.equal(await certificateOf(server.port), "one.example");
        await server.reloadTls(pair("two"));
        assert.equal(await certificateOf(server.port), "two.example");
      });

      test("a head that does not arrive in time is not waited for", {
        ...TIMEOUT,
        ...(gaps.headTimeout === undefined ? {} : { skip: gaps.headTimeout }),
      }, async () => {
        const { http, net } = make2();
        await using server = await serve(http, ok, { headTimeoutMs: 1000 });
        const answer = await exchange(net, server.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow:");
        assert.ok(!answer.includes("200 OK"), answer);
      });

      test(
        "a connection that sends nothing is closed after a while, and one with a request is not",
        TIMEOUT,
        async () => {
          const { http, net } = make2();
          const { handler, begun, answer } = waitingHandler();
          await using server = await serve(http, handler, { headTimeoutMs: 500 });
          const waiting = exchange(net, server.port, GET);
          await begun;
          const silent = await idle(net, server.port);
          await silent.closed;
          answer("late");
          assert.match(await waiting, /late$/);
        },
      );

      test("idle strangers keep nobody out: the oldest of them make room", TIMEOUT, async () => {
        const { http, net } = make2();
        await using server = await serve(http, ok, { connections: { most: 8, mostOfOne: 8 } });
        const strangers = await Promise.all(Array.from({ length: 40 }, () => idle(net, server.port)));
        for (let count = 0; count < 5; count++) assert.match(await exchange(net, server.port, GET), /ok$/);
        await until(() => strangers.filter(({ open }) => open()).length < 8);
        for (const { leave } of strangers) leave();
      });

      test("half a head is idle, too", TIMEOUT, async () => {
        const { http, net } = make2();
        await using server = await serve(http, ok, { connections: { most: 8, mostOfOne: 8 } });
        const strangers = await Promise.all(
          Array.from({ length: 40 }, () => idle(net, server.port, "GET / HTTP/1.1\r\n")),
        );
        assert.match(await exchange(net, server.port, GET), /ok$/);
        await until(() => strangers.filter(({ open }) => open()).length < 8);
        for (const { leave } of strangers) leave();
      });

      test("an address has no more connections than it may, unless it is shared", TIMEOUT, async () => {
        const { http, net } = make2();
        await using server = await serve(http, ok, { connections: { most: 100, mostOfOne: 3 } });
        const one = await Promise.all(Array.from({ length: 10 }, () => idle(net, server.port)));
        await until(() => one.filter(({ open }) => open()).length === 3);
        await using other = await serve(http, ok, { connections: { most: 100, mostOfOne: 3, isShared: () => true } });
        const many = await Promise.all(Array.from({ length: 10 }, () => idle(net, other.port)));
        assert.match(await exchange(net, other.port, GET), /ok$/);
        assert.equal(many.filter(({ open }) => open()).length, 10);
        for (const { leave } of [...one, ...many]) leave();
      });

      test("streams and requests of known callers stay when strangers come", TIMEOUT, async () => {
        const { http, net } = make2();
        const { handler, push } = streamHandler();
        const waiting = waitingHandler();
        await using server = await serve(http, (request, peer) => {
          if (request.url.endsWith("/stream")) return handler(request, peer);
          if (!request.url.endsWith("/wait")) return ok(request, peer);
          peer.known();
          return waiting.handler(request, peer);
        }, { connections: { most: 4, mostOfOne: 4 }, headTimeoutMs: 500 });
        const heard = listen(net, server.port, "/stream");
        await heard.until(/first/);
        const late = exchange(net, server.port, GET.replace("/ ", "/wait "));
        await waiting.begun;
        const strangers = await Promise.all(Array.from({ length: 20 }, () => idle(net, server.port)));
        await Promise.all(strangers.map(({ closed }) => closed));
        push("second");
        await heard.until(/second/);
        waiting.answer("answered");
        assert.match(await late, /answered$/);
        heard.leave();
      });

      test("closed servers leave no socket and no timer", TIMEOUT, async () => {
        const { http, net, held } = make2();
        if (held === undefined) return;
        /** A request, a WebSocket, a caller that waits and an idle connection; then close with all of them open. */
        const once = async () => {
          const { handler, begun } = waitingHandler();
          const opened = Promise.withResolvers<void>();
          const server = await serve(http, (request, peer) => {
            if (request.url.endsWith("/wait")) return handler(request, peer);
            return request.url.endsWith("/ws") ? peer.upgrade({ onOpen: () => opened.resolve() }) : ok(request, peer);
          });
          assert.match(await exchange(net, server.port, GET), /ok$/);
          const socket = await openSocket(net, server.port, "/ws");
          await opened.promise;
          const waiting = exchange(net, server.port, GET.replace("/ ", "/wait "));
          await begun;
          const idle = await net.dial({ kind: "tcp", host: "127.0.0.1", port: server.port });
          const ended = Promise.withResolvers<void>();
          idle.start({ onData: () => {}, onClose: () => ended.resolve() });
          await server.close(100);
          socket.close();
          idle.destroy();
          await Promise.all([waiting, ended.promise]);
        };
        await once();
        const before = held();
        for (let round = 0; round < 5; round++) await once();
        await until(() => held() <= before);
      });
    },
  );
}
