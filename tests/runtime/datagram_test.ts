import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { describe, test } from "node:test";
import { deferred } from "../../src/base/async/deferred.ts";
import { wakeOnLan } from "../../src/plugins/linux/addresses.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testMinion } from "../support/context.ts";

const runtime = await currentRuntime();

/** A socket of this host that records what it receives, and replies to what is not empty or, on demand, to everything. */
async function peer(answers: boolean) {
  const socket = createSocket("udp4");
  const got = deferred<Uint8Array>();
  socket.on("message", (message, from) => {
    got.resolve(new Uint8Array(message));
    if (answers) socket.send("pong", from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  return { port: socket.address().port, got: got.promise, [Symbol.dispose]: () => void socket.close() };
}

describe("datagram()", () => {
  test("sends, and returns the first reply", async () => {
    using one = await peer(true);
    const answer = await runtime.net.datagram({ host: "127.0.0.1", port: one.port }, new Uint8Array([1, 2]), {
      answerMs: 4000,
    });
    assert.deepEqual(await one.got, new Uint8Array([1, 2]));
    assert.equal(new TextDecoder().decode(answer), "pong");
  });

  test("waits for a reply only if requested, and no longer than that", async () => {
    using one = await peer(false);
    const to = { host: "127.0.0.1", port: one.port };
    assert.equal(await runtime.net.datagram(to, new Uint8Array([7])), undefined);
    assert.deepEqual(await one.got, new Uint8Array([7]));
    assert.equal(await runtime.net.datagram(to, new Uint8Array([7]), { answerMs: 20 }), undefined);
  });
});

test("network.connect: over udp only a host that replies counts as reachable", async () => {
  const minion = await testMinion();
  using there = await peer(true);
  using silent = await peer(false);
  const ask = (port: number, timeout: number) =>
    minion.value("network.connect", "127.0.0.1", port, { __kwarg__: true, proto: "udp", timeout });
  assert.deepEqual(await ask(there.port, 4), {
    result: true,
    comment: `Successfully connected to 127.0.0.1 (127.0.0.1) on udp port ${there.port}`,
  });
  assert.deepEqual(await ask(silent.port, 0.05), {
    result: false,
    comment: `Unable to connect to 127.0.0.1 (127.0.0.1) on udp port ${silent.port}`,
  });
});

for (const mac of ["00:11:22:33:44:fF", "00-11-22-33-44-ff", "0011223344ff"]) {
  test(`network.wol: wakes ${mac} up`, async () => {
    using one = await peer(false);
    const minion = await testMinion();
    assert.equal(await minion.value("network.wol", mac, "127.0.0.1", one.port), true);
    const address = [0x00, 0x11, 0x22, 0x33, 0x44, 0xff];
    assert.deepEqual(await one.got, new Uint8Array([...Array(6).fill(0xff), ...Array(16).fill(address).flat()]));
  });
}

test("network.wol: refuses an invalid hardware address", async () => {
  for (const mac of ["00:11:22:33:44", "00:11-22:33:44:55", "zz1122334455", ""]) {
    await assert.rejects(wakeOnLan(runtime, mac, "127.0.0.1", 9), /Invalid MAC address/, mac);
  }
});
