/** How many sockets a minion keeps to its master, and for how long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestSockets } from "../../../src/host/minion/request_sockets.ts";
import type { Message, Req } from "../../../src/protocol/zmtp/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Sockets that answer when they are told to. */
function bed() {
  const open: { waiting: ((reply: Message) => void)[]; closed: boolean }[] = [];
  const clock = new FakeClock();
  const sockets = new RequestSockets(() => {
    const socket = { waiting: [] as ((reply: Message) => void)[], closed: false };
    open.push(socket);
    return {
      request: () => new Promise<Message>((resolve) => socket.waiting.push(resolve)),
      close() {
        socket.closed = true;
        return Promise.resolve();
      },
    } as unknown as Req;
  }, clock);
  const ask = (bulk: boolean) => sockets.exchange(new Uint8Array(1), { timeoutMs: 1000, bulk });
  const answer = (at: number) => open[at]!.waiting.shift()!([new Uint8Array([at])]);
  return { open, clock, sockets, ask, answer };
}

test("a piece of a file goes over a second socket while another request is under way", async () => {
  const { open, ask, answer } = bed();
  const [first, second] = [ask(true), ask(true)];
  assert.equal(open.length, 2);
  answer(0);
  answer(1);
  assert.deepEqual([(await first)[0], (await second)[0]], [0, 1]);
});

test("the second socket is closed when no piece has been asked for in ten seconds", async () => {
  const { open, clock, ask, answer } = bed();
  for (let round = 0; round < 2; round++) {
    const both = [ask(false), ask(true)];
    answer(0);
    answer(1);
    await Promise.all(both);
    clock.advance(9000);
    assert.deepEqual(open.map(({ closed }) => closed), [false, false]);
  }
  clock.advance(1000);
  assert.deepEqual(open.map(({ closed }) => closed), [false, true]);
  const [main, bulk] = [ask(false), ask(true)];
  assert.equal(open.length, 3);
  clock.advance(60_000);
  assert.equal(open[2]!.closed, false, "a socket with a request under way stays");
  answer(0);
  answer(2);
  await Promise.all([main, bulk]);
});

test("a closed connection leaves no socket and no timer", async () => {
  const { open, clock, sockets, ask, answer } = bed();
  const both = [ask(false), ask(true)];
  answer(0);
  answer(1);
  await Promise.all(both);
  await sockets.close();
  assert.deepEqual(open.map(({ closed }) => closed), [true, true]);
  assert.deepEqual(clock.waits, []);
});
