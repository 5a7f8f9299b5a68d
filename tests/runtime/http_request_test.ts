/** Requests over HTTP: responses that are whole, cut, malformed or endless, and those that come through a proxy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createServer, type Socket } from "node:net";
import process from "node:process";
import { until } from "../../bench/bed/until.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { HttpRequest } from "../../src/runtime/http.ts";
import { followRedirects } from "../../src/runtime/http_redirects.ts";
import { type RawReply, rawServer, whole } from "../support/raw_server.ts";

const { http, net } = await currentRuntime();
const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

async function asked(reply: RawReply, request: HttpRequest = {}) {
  await using server = await rawServer(net, () => reply);
  const response = await http.request(`http://127.0.0.1:${server.port}/a%20b?c=d`, request);
  return { status: response.status, body: await response.text(), heads: server.heads };
}

describe("request()", () => {
  for (
    const { name, pieces, want } of [
      { name: "with a length", pieces: [`${OK}Content-Length: 5\r\n\r\nhello`], want: "hello" },
      { name: "in chunks", pieces: [CHUNKED, "5\r\nhello\r\n", "0\r\n\r\n"], want: "hello" },
      { name: "up to the end of the connection", pieces: [`${OK}\r\nhel`, "lo"], want: "hello" },
      { name: "of HTTP/1.0", pieces: ["HTTP/1.0 200 OK\r\n\r\nhello"], want: "hello" },
      { name: "that is empty", pieces: [`${OK}Content-Length: 0\r\n\r\n`], want: "" },
      { name: "with bytes behind its end", pieces: [`${OK}Content-Length: 5\r\n\r\nhello world`], want: "hello" },
      { name: "after 100 Continue", pieces: [`HTTP/1.1 100 Continue\r\n\r\n${OK}\r\nhello`], want: "hello" },
      {
        name: "with a content-encoding that it does not have",
        pieces: [`${OK}Content-Encoding: gzip\r\n\r\nhello`],
        want: "hello",
      },
      { name: "of 304, which has none", pieces: ["HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"], want: "" },
      { name: "of 204, which has none", pieces: ["HTTP/1.1 204 No Content\r\n\r\n"], want: "" },
    ]
  ) {
    test(`returns a body ${name}`, async () => assert.equal((await asked({ pieces })).body, want));
  }

  for (
    const { name, pieces } of [
      { name: "a body that is shorter than its length", pieces: [`${OK}Content-Length: 9\r\n\r\nhello`] },
      { name: "chunks without an end", pieces: [CHUNKED, "5\r\nhello\r\n"] },
      { name: "a chunk that is cut", pieces: [CHUNKED, "50\r\nhello"] },
      { name: "a chunk whose length is no number", pieces: [CHUNKED, "zz\r\nhello\r\n0\r\n\r\n"] },
      { name: "two lengths", pieces: [`${OK}Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello`] },
      {
        name: "a length and chunks",
        pieces: [`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      },
      { name: "another transfer-encoding", pieces: [`${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`] },
      { name: "half a head", pieces: [`${OK}Conte`] },
      { name: "nothing", pieces: [] },
      { name: "another protocol", pieces: ["SSH-2.0-OpenSSH_9.6\r\n"] },
      {
        name: "another protocol from here on",
        pieces: ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
      },
    ]
  ) {
    test(`fails with ${name}`, async () => {
      await assert.rejects(asked({ pieces }), (error) => error instanceof Error && error.message !== "");
    });
  }

  test("ends with its signal, before and after the head", async () => {
    const reason = new Error("enough");
    for (const pieces of [[], [`${OK}Content-Length: 9\r\n\r\nhello`], [`${OK}\r\nhello`]]) {
      await using server = await rawServer(net, () => ({ pieces, stays: true }));
      const ending = new AbortController();
      const response = http.request(`http://127.0.0.1:${server.port}/`, { signal: ending.signal })
        .then((response) => response.text());
      const body = assert.rejects(response, reason);
      await until(() => server.heads.length === 1);
      ending.abort(reason);
      await body;
    }
  });

  test("fails with a body without a length whose connection is reset", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write(`${OK}\r\nhello`));
    });
    const sockets: Socket[] = [];
    server.on("connection", (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { body } = await http.request(`http://127.0.0.1:${(server.address() as { port: number }).port}/`, {});
      const reader = body!.getReader();
      assert.equal(new TextDecoder().decode((await reader.read()).value), "hello");
      sockets[0]!.resetAndDestroy();
      await assert.rejects(reader.read(), /closed before the end of the body/);
    } finally {
      server.close();
    }
  });

  test("a connection that is refused is an error that names the address", async () => {
    await assert.rejects(
      http.request("http://127.0.0.1:1/", {}),
      /Cannot connect to tcp:\/\/127\.0\.0\.1:1: ECONNREFUSED/,
    );
  });

  test("does not look for proxies in the environment", async () => {
    const { http_proxy: before } = process.env;
    process.env.http_proxy = "http://127.0.0.1:1";
    try {
      const { heads } = await asked(whole("hello"));
      assert.match(heads[0]!, /^GET \/a%20b\?c=d HTTP\/1\.1\r\n/);
    } finally {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    }
  });

  test("names itself, unless the caller does", async () => {
    for (
      const [headers, want] of [[{}, /^Salt\/3\d{3}\.\d+ http\.query\(\)$/], [
        { "User-Agent": "mine" },
        /^mine$/,
      ]] as const
    ) {
      const { heads } = await asked(whole("hello"), { headers: new Headers(headers) });
      assert.match(/\r\nuser-agent: (.*)\r\n/i.exec(heads[0]!)?.[1] ?? "", want);
    }
  });

  test("asks a proxy for the whole address, with credentials for it", async () => {
    await using server = await rawServer(net, () => whole("hello"));
    const proxy = { host: "127.0.0.1", port: server.port, username: "ann", password: "p:é" };
    const response = await http.request("http://web.invalid:81/a%20b?c=d", { proxy });
    assert.equal(await response.text(), "hello");
    const [head = ""] = server.heads;
    assert.match(head, /^GET http:\/\/web\.invalid:81\/a%20b\?c=d HTTP\/1\.1\r\n/);
    assert.match(head, /\r\nhost: web\.invalid:81\r\n/i);
    assert.match(head, /\r\nproxy-authorization: Basic YW5uOnA6w6k=\r\n/i);
  });

  test("asks a proxy to connect on for https, without the server's credentials", async () => {
    await using server = await rawServer(net, () => ({ pieces: ["HTTP/1.1 403 No\r\n\r\n"] }));
    const request = http.request("https://web.invalid/secret", {
      headers: new Headers({ authorization: "Basic c2VjcmV0" }),
      proxy: { host: "127.0.0.1", port: server.port },
    });
    await assert.rejects(request, /does not connect to web\.invalid:443: it replied "HTTP\/1\.1 403 No"/);
    assert.equal(server.heads[0], "CONNECT web.invalid:443 HTTP/1.1\r\nHost: web.invalid:443\r\n\r\n");
  });
});

describe("followRedirects()", () => {
  test("asks the proxy of each address", async () => {
    await using proxy = await rawServer(net, () => whole("from the proxy"));
    await using direct = await rawServer(
      net,
      () => ({ pieces: ["HTTP/1.1 302 Found\r\nLocation: http://web.invalid/x\r\n\r\n"] }),
    );
    const response = await followRedirects(http, `http://127.0.0.1:${direct.port}/`, {
      headers: new Headers({ authorization: "Basic c2VjcmV0", cookie: "a=b", accept: "text/plain" }),
      proxyFor: ({ hostname }) => hostname === "127.0.0.1" ? undefined : { host: "127.0.0.1", port: proxy.port },
    });
    assert.equal(await response.text(), "from the proxy");
    assert.match(direct.heads[0]!, /\r\nauthorization: Basic c2VjcmV0\r\n/i);
    assert.match(proxy.heads[0]!, /^GET http:\/\/web\.invalid\/x HTTP[^]*\r\naccept: text\/plain\r\n/i);
    assert.doesNotMatch(proxy.heads[0]!, /authorization|cookie/i);
  });

  for (
    const { name, location, from = "http:", want } of [
      { name: "a loop", location: "/", want: /More than 5 redirections/ },
      { name: "another scheme", location: "file:///etc/passwd", want: /redirection to file:\/\/: only http and https/ },
      { name: "a Location that is no address", location: "http://[", want: /its Location is not a URL/ },
      {
        name: "a way from https to http",
        location: "http://web/",
        from: "https:",
        want: /from https to http:\/\/web: .*Use an https/,
      },
    ]
  ) {
    test(`refuses ${name}`, async () => {
      const request = () => Promise.resolve(new Response(null, { status: 301, headers: { location } }));
      await assert.rejects(followRedirects({ ...http, request }, `${from}//first/`, {}), want);
    });
  }

  test("goes from https to http where what comes back is checked", async () => {
    const asked: string[] = [];
    const response = await followRedirects(
      {
        ...http,
        request(url) {
          asked.push(url);
          return Promise.resolve(
            asked.length === 1
              ? new Response(null, { status: 307, headers: { location: "http://web/" } })
              : new Response("x"),
          );
        },
      },
      "https://first/",
      { toPlain: true },
    );
    assert.deepEqual([await response.text(), asked], ["x", ["https://first/", "http://web/"]]);
  });
});
