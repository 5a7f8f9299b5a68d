/** Requests over https, directly and through a proxy: whom they trust, and what the proxy sees. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { HttpTrust } from "../../src/runtime/http.ts";
import type { Connection, Listener } from "../../src/runtime/net.ts";
import { Authority } from "../support/certificates.ts";

const { http, net } = await currentRuntime();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);

const listeners: Listener[] = [];
/** What the proxy was asked, and all the bytes that it has passed on to the server. */
const seen: { asked: string[]; passed: string } = { asked: [], passed: "" };
let [server, proxy, trusted] = [0, 0, ""];

const listen = async (accept: (connection: Connection) => void, tls?: { certificate: string; key: string }) => {
  const options = tls === undefined ? {} : { tls: { ...tls, clients: "not asked" as const } };
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, accept, options);
  listeners.push(listener);
  return (listener.address as { port: number }).port;
};

/** A proxy that connects on to any host's port, on the loopback. */
function passOn(client: Connection): void {
  let head = "";
  let other: Promise<Connection> | undefined;
  client.start({
    onData(chunk) {
      const piece = chunk.slice();
      if (other !== undefined) {
        seen.passed += text(piece);
        return void other.then((connection) => connection.write(piece));
      }
      head += text(piece);
      if (!head.endsWith("\r\n\r\n")) return;
      seen.asked.push(head);
      const [, port] = /^CONNECT [^ :]+:(\d+) /.exec(head)!;
      other = net.dial({ kind: "tcp", host: "127.0.0.1", port: Number(port) });
      void other.then((connection) => {
        connection.start({ onData: (chunk) => void client.write(chunk.slice()), onClose: () => client.end() });
        client.write(bytes("HTTP/1.1 200 Connected\r\n\r\n"));
      });
    },
    onClose: () => void other?.then((connection) => connection.end()),
  });
}

before(async () => {
  using authority = new Authority();
  const { certificate, key } = authority.sign("server");
  trusted = authority.pem;
  server = await listen((connection) => {
    let head = "";
    connection.start({
      onData(chunk) {
        head += text(chunk);
        if (!head.endsWith("\r\n\r\n")) return;
        const body = JSON.stringify({ first: head.split("\r\n")[0], key: /x-key: (.*)\r/i.exec(head)?.[1] });
        connection.write(bytes(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
        connection.end();
      },
      onClose() {},
    });
  }, { certificate, key });
  proxy = await listen(passOn);
});
after(() => Promise.all(listeners.map((listener) => listener.close())));

for (const through of [false, true]) {
  describe(through ? "through a proxy" : "directly", () => {
    const ask = (tls: HttpTrust) =>
      http.request(`https://localhost:${server}/secret?a=b`, {
        headers: new Headers({ "x-key": "hunter2" }),
        tls,
        ...(through ? { proxy: { host: "127.0.0.1", port: proxy, username: "ann", password: "pw" } } : {}),
      });

    test("a certificate of a known authority is trusted; the proxy learns host and port alone", async () => {
      [seen.asked, seen.passed] = [[], ""];
      const response = await ask({ ca: trusted });
      assert.deepEqual(await response.json(), { first: "GET /secret?a=b HTTP/1.1", key: "hunter2" });
      assert.doesNotMatch(seen.passed, /secret|hunter2/);
      const target = `localhost:${server}`;
      const head = `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic YW5uOnB3\r\n\r\n`;
      assert.deepEqual(seen.asked, through ? [head] : []);
    });

    test("another one is refused, unless any is taken", async () => {
      await assert.rejects(ask({}), /certificate/i);
      assert.equal((await (await ask({ verify: false })).json() as { key: string }).key, "hunter2");
    });
  });
}
