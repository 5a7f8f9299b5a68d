/** A gateway behind the HTTP server of the runtime that the tests run on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { openDoor } from "./fake_backend.ts";

declare function setTimeout(callback: () => void, ms: number): unknown;

const runtime = await currentRuntime();
const TIMEOUT = { timeout: 120_000 };

test("a listener that does not read is disconnected before much waits for it", TIMEOUT, async () => {
  const door = await openDoor({ listener_buffer: 100_000 });
  await using server = await runtime.http.serve(door.gateway.fetch, { host: "127.0.0.1", port: 0 });
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
  // The operating system also buffers for a connection.
  let sent = 0;
  for (; !gone() && sent < 2000; sent++) {
    door.backend.event("salt/large", { text: "x".repeat(50_000) });
    door.clock.advance(20);
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
  }
  connection.destroy();
  assert.ok(gone(), `after ${sent} events it is still connected`);
});
