/** How many sockets a minion keeps to its master, and for how long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestSockets } from "../../../src/host/minion/request_sockets.ts";
import type { RequestKind } from "../../../src/protocol/channel/req_client.ts";
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
  const ask = (kind?: RequestKind) => sockets.exchange(new Uint8Array(1), { timeoutMs: 1000, kind });
  const answer = (at: number) => open[at]!.waiting.shift()!([new Uint8Array([at])]);
  return { open, clock, sockets, ask, answer };
}

test("a piece of a file goes over a second socket while another request is under way", async () => {
  const { open, ask, answer } = bed();
  const [first, second] = [ask("piece"), ask("piece")];
  assert.equal(open.length, 2);
  answer(0);
  answer(1);
  assert.deepEqual([(await first)[0], (await second)[0]], [0, 1]);
});

test("the second socket is closed when no piece has been asked for in ten seconds", async () => {
  const { open, clock, ask, answer } = bed();
  for (let round = 0; round < 2; round++) {
    const both = [ask(), ask("piece")];
    answer(0);
    answer(1);
    await Promise.all(both);
    clock.advance(9000);
    assert.deepEqual(open.map(({ closed }) => closed), [false, false]);
  }
  clock.advance(1000);
  assert.deepEqual(open.map(({ closed }) => closed), [false, true]);
  const [main, bulk] = [ask(), ask("piece")];
  assert.equal(open.length, 3);
  clock.advance(60_000);
  assert.equal(open[2]!.closed, false, "a socket with a request under way stays");
  answer(0);
  answer(2);
  await Promise.all([main, bulk]);
});

test("a closed connection leaves no socket and no timer", async () => {
  const { open, clock, sockets, ask, answer } = bed();
  const both = [ask(), ask("piece")];
  answer(0);
  answer(1);
  await Promise.all(both);
  await sockets.close();
  assert.deepEqual(open.map(({ closed }) => closed), [true, true]);
  assert.deepEqual(clock.waits, []);
});

test("nothing waits for a slow request, and the order of the others is kept", async () => {
  const { open, ask, answer } = bed();
  const slow = ask("slow");
  const first = ask();
  assert.deepEqual(open.map(({ waiting }) => waiting.length), [1, 1]);
  answer(0);
  assert.equal((await slow)[0], 0);
  // The first socket is free again, but the second has an older request.
  const [later, piece, slower] = [ask(), ask("piece"), ask("slow")];
  assert.deepEqual(open.map(({ waiting }) => waiting.length), [2, 2]);
  for (const at of [1, 1, 0, 0]) answer(at);
  assert.deepEqual(await Promise.all([first, later, piece, slower].map(async (one) => (await one)[0])), [1, 1, 0, 0]);
  const [ordered, alone, last] = [ask(), ask("slow"), ask()];
  assert.deepEqual(open.map(({ waiting }) => waiting.length), [2, 1], "a slow request does not wait either");
  for (const at of [0, 0, 1]) answer(at);
  assert.deepEqual(await Promise.all([ordered, alone, last].map(async (one) => (await one)[0])), [0, 1, 0]);
});

test("with a port of its own a minion has one socket for all requests", () => {
  let opened = 0;
  const waiting = new Promise<Message>(() => {});
  const sockets = new RequestSockets(
    () => (opened++, { request: () => waiting } as unknown as Req),
    new FakeClock(),
    false,
  );
  for (const kind of ["slow", undefined, "piece"] as const) {
    void sockets.exchange(new Uint8Array(1), { timeoutMs: 1000, kind });
  }
  assert.equal(opened, 1);
});
