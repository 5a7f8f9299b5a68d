/** Connections that Bun dials: what the contract of all runtimes cannot show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { BunConnection, type BunSocket } from "../../src/runtime/bun/dial.ts";

/** A connection over a socket that takes as many bytes as a test says. */
function bed() {
  let room = 0;
  const sent: number[] = [];
  const socket = {
    write(bytes: Uint8Array) {
      const count = Math.min(room, bytes.length);
      room -= count;
      sent.push(count);
      return count;
    },
    pause: () => {},
    resume: () => {},
    shutdown: () => void sent.push(-1),
  } as unknown as BunSocket;
  const connection = new BunConnection(socket, { kind: "unix", path: "/run/bus" });
  let drains = 0;
  connection.start({ onData: () => {}, onDrain: () => void drains++, onClose: () => {} });
  const take = (bytes: number) => {
    room += bytes;
    connection.drained();
  };
  return { connection, sent, take, drains: () => drains };
}

test("who was told that there is no room hears of the drain, whatever others write meanwhile", () => {
  const { connection, take, drains } = bed();
  assert.equal(connection.write(new Uint8Array(100_000)), false);
  take(90_000);
  assert.equal(connection.buffered, 10_000);
  assert.equal(connection.write(new Uint8Array(5)), true);
  assert.equal(drains(), 0);
  take(10_005);
  assert.equal(connection.buffered, 0);
  assert.equal(drains(), 1);
});

test("the end is sent after what waits", () => {
  const { connection, sent, take } = bed();
  connection.write(new Uint8Array(10));
  connection.end();
  assert.deepEqual(sent, [0]);
  take(4);
  take(6);
  assert.deepEqual(sent, [0, 4, 6, -1]);
});

test("a handler that throws closes the connection, and the peer sees it", {
  skip: !("Bun" in globalThis) && "Bun alone calls back with what a handler throws",
}, async () => {
  const { net } = await currentRuntime();
  const ended = Promise.withResolvers<void>();
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (peer) => {
    peer.start({ onData: () => {}, onClose: () => ended.resolve() });
    peer.write(new Uint8Array(3));
  });
  const connection = await net.dial(listener.address);
  const closed = Promise.withResolvers<Error | undefined>();
  connection.start({
    onData() {
      throw new Error("no such message");
    },
    onClose: closed.resolve,
  });
  assert.equal((await closed.promise)?.message, "no such message");
  await ended.promise;
  await listener.close();
});
