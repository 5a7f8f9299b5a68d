/** The way through an HTTP proxy, and the proxies that do not connect on. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deferred } from "../../src/base/async/deferred.ts";
import { readProxy } from "../../src/protocol/transport/proxy.ts";
import { SaltError } from "../../src/base/errors.ts";
import { memoryNet } from "../../src/runtime/memory/net.ts";
import type { Connection } from "../../src/runtime/net.ts";
import { proxyNet } from "../../src/runtime/proxy_net.ts";

const PROXY = { kind: "tcp", host: "proxy", port: 3128 } as const;
const MASTER = { kind: "tcp", host: "salt.example.com", port: 443 } as const;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);

/** A proxy that says `reply` to the first request, and sends back all that follows. */
async function proxied(reply: string, more: Record<string, unknown> = {}, chunkSize = Infinity) {
  const net = memoryNet({ chunkSize });
  const asked = deferred<string>();
  await net.listen(PROXY, (connection) => {
    let head = "";
    let open = false;
    connection.start({
      onData(chunk) {
        if (open) return void connection.write(chunk.slice());
        head += text(chunk);
        if (!head.endsWith("\r\n\r\n")) return;
        open = true;
        asked.resolve(head);
        connection.write(bytes(reply));
      },
      onClose() {},
    });
  });
  const proxy = readProxy({ proxy_host: "proxy", proxy_port: 3128, ...more })!;
  return { net: proxyNet(net, proxy), plain: net, asked: asked.promise };
}

function echoed(connection: Connection, word: string): Promise<string> {
  const heard = deferred<string>();
  let got = "";
  connection.start({
    onData(chunk) {
      got += text(chunk);
      if (got.length === word.length) heard.resolve(got);
    },
    onClose: (error) => heard.reject(error ?? new Error("closed")),
  });
  connection.write(bytes(word));
  return heard.promise;
}

describe("proxyNet()", () => {
  for (const chunkSize of [1, Infinity]) {
    test(`asks the proxy to connect on, then passes bytes, ${chunkSize === 1 ? "one at a time" : "whole"}`, async () => {
      const { net, asked } = await proxied("HTTP/1.1 200 Connection established\r\n\r\n", {}, chunkSize);
      const connection = await net.dial(MASTER);
      assert.equal(await echoed(connection, "hello"), "hello");
      assert.equal(await asked, "CONNECT salt.example.com:443 HTTP/1.1\r\nHost: salt.example.com:443\r\n\r\n");
    });
  }

  test("sends credentials", async () => {
    const { net, asked } = await proxied("HTTP/1.0 200 OK\r\n\r\n", { proxy_username: "ann", proxy_password: "s:é" });
    await net.dial(MASTER);
    assert.match(await asked, /\r\nProxy-Authorization: Basic YW5uOnM6w6k=\r\n/);
  });

  test("dials masters of no_proxy directly", async () => {
    const { net, plain } = await proxied("HTTP/1.1 500 No\r\n\r\n", { no_proxy: ["salt.example.com"] });
    const reached = deferred<void>();
    await plain.listen(MASTER, () => reached.resolve());
    await net.dial(MASTER);
    await reached.promise;
  });

  for (
    const { what, reply, want } of [
      {
        what: "asks for credentials",
        reply: "HTTP/1.1 407 Authenticate\r\n\r\n",
        want: /proxy_username and proxy_password/,
      },
      { what: "refuses", reply: "HTTP/1.1 403 For\u001bbidden\r\n\r\n", want: /it replied "HTTP\/1\.1 403 For/ },
      { what: "speaks before the master can", reply: "HTTP/1.1 200 OK\r\n\r\nhello", want: /unexpected bytes/ },
      { what: "is none", reply: "SSH-2.0-OpenSSH_9.6\r\n\r\n", want: /it replied "SSH/ },
      { what: "never ends its reply", reply: "HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(3000), want: /more than 8192/ },
    ]
  ) {
    test(`fails with a proxy that ${what}, and says so`, async () => {
      const { net } = await proxied(reply);
      await assert.rejects(net.dial(MASTER), (error) => {
        assert.ok(error instanceof SaltError, String(error));
        assert.match(error.message, want);
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(error.message, /\u001b/);
        return true;
      });
    });
  }
});
