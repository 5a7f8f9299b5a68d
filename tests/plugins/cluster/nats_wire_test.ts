/** A server that says it is NATS, and is not as it should be. */
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { systemClock } from "../../../src/base/async/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { openNatsWire } from "../../../src/plugins/cluster/nats_wire.ts";

/** Greets with some numbers of its own, answers pings, and keeps what it is told. */
class FakeNats implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  told = "";

  constructor(info: Record<string, unknown>) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        const text = chunk.toString("latin1");
        this.told += text;
        if (/^PING\r$/m.test(text)) socket.write("PONG\r\n");
      });
      socket.write(
        `INFO ${JSON.stringify({ server_id: "fake", version: "2.10.0", proto: 1, headers: true, ...info })}\r\n`,
      );
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as { port: number }).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const open = (servers: string[], tls?: { ca?: string }) =>
  openNatsWire({
    servers,
    cluster: "test",
    clock: systemClock,
    log: silentLogger,
    random: "w",
    ...(tls === undefined ? {} : { tls }),
  });

for (
  const [what, server, tls] of [
    ["the address asks for", "tls://salt:hidden@127.0.0.1", undefined],
    ["cluster: tls asks for", "nats://salt:hidden@127.0.0.1", {}],
  ] as const
) {
  test(`TLS that ${what} is not left out because the server says so, and no password goes out in clear`, async () => {
    await using fake = new FakeNats({ max_payload: 2 ** 20, tls_required: false });
    const port = await fake.listen();
    await assert.rejects(open([`${server}:${port}`], tls), {
      code: "ETLS",
      message: /Cannot connect to (tls|nats):\/\/127/,
    });
    assert.equal(fake.told, "");
  });
}

test("of several servers one with tls:// is enough to insist on it: all get the same password", async () => {
  await using fake = new FakeNats({ max_payload: 2 ** 20 });
  const port = await fake.listen();
  await assert.rejects(open([`nats://127.0.0.1:${port}`, `tls://salt:hidden@127.0.0.1:${port}`]), { code: "ETLS" });
  assert.equal(fake.told, "");
});

for (const max_payload of [0, 1, 1024, 1030, -1, 65535, "1048576", null, 1.5]) {
  test(`a server that takes ${max_payload} bytes at once is refused, with the remedy`, async () => {
    await using fake = new FakeNats({ max_payload });
    const port = await fake.listen();
    await assert.rejects(open([`nats://127.0.0.1:${port}`]), {
      code: "ENOTSUP",
      message: /set its max_payload to at least 65536/,
    });
  });
}
