/** Connections that never finish the TLS handshake, over real sockets. */
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { openTransport } from "../../../../src/protocol/transport/open_transport.ts";
import { decode, encode } from "../../../../src/protocol/wire/msgpack.ts";
import { ConnectionLimit } from "../../../../src/protocol/zmtp/mod.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { Authority } from "../../../support/certificates.ts";

for (const transport of ["tcp", "ws"]) {
  test(
    `${transport}: they are closed in time, are bounded in number, and keep nobody out`,
    { timeout: 60_000 },
    async () => {
      using authority = new Authority();
      const { certfile, keyfile } = authority.sign("host");
      const runtime = await currentRuntime();
      const opts = { transport, ssl: { certfile, keyfile, ca_certs: authority.file } };
      const open = () => openTransport({ runtime, log: captureLog().log, opts });
      const connectionLimit = new ConnectionLimit({ maxConnections: 20, knownHost: () => false });
      await using router = open().router({ handshakeTimeoutMs: 1000, lingerMs: 0, connectionLimit });
      router.onMessage((peer, frames) => void router.send(peer, frames));
      const endpoint = await router.bind("tcp://127.0.0.1:0");
      const port = Number(endpoint.slice(endpoint.lastIndexOf(":") + 1));
      let closed = 0;
      const flood = Array.from({ length: 60 }, (_, n) =>
        new Promise<void>((resolve) => {
          const socket = net.connect({ host: "127.0.0.1", port });
          socket.on("error", () => {});
          socket.on("data", () => {});
          socket.on("close", () => {
            closed++;
            resolve();
          });
          // A third says nothing, a third begins a record of TLS, a third says something else.
          const begun = [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0x47, 0x45, 0x54, 0x20, 0x2f]][n % 3]!;
          socket.on("connect", () => void socket.write(Uint8Array.from(begun)));
        }));
      await Promise.all(flood);
      assert.equal(closed, 60);
      await using req = open().req({ lingerMs: 0 });
      const connected = new Promise<void>((resolve) => req.onConnect(() => resolve()));
      req.connect(endpoint);
      await connected;
      const [reply] = await req.request(encode({ enc: "clear" }, "wire"), { timeoutMs: 20_000 });
      assert.deepEqual(decode(reply!, { mode: "wire" }), { enc: "clear" });
    },
  );
}
