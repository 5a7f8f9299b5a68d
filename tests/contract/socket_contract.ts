import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { describe, test } from "node:test";
import { SaltError, TimeoutError } from "../../src/base/errors.ts";
import type { Message, Pub, Receiver, SocketFactory } from "../../src/protocol/zmtp/mod.ts";

/** What a pair of factories cannot do: the sentence that the test report shows. */
export interface SocketGaps {
  /** ECONNRESET for a request whose connection is lost. */
  lostRequest?: string;
  /** The remote address of a ROUTER's peer. */
  remote?: string;
  /** `send()` of a ROUTER returning false. */
  routerSend?: string;
  /** A bind error while the same process holds the address. */
  bindTaken?: string;
}

export interface SocketContract {
  /** The side that binds, and the side that connects. */
  binding: SocketFactory;
  connecting: SocketFactory;
  /** A free endpoint each time. */
  endpoint: () => string;
  gaps?: SocketGaps;
  /** A reason to skip the whole contract. */
  skip?: string | undefined;
}

const text = (value: string) => new TextEncoder().encode(value);
const words = (message: Message | undefined) => message?.map((frame) => new TextDecoder().decode(frame));
const fast = { reconnectInitialMs: 1, reconnectMaxMs: 20, lingerMs: 500 };

function sized(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + seed) & 0xff;
  return bytes;
}

async function take(receiver: Receiver): Promise<Message> {
  const message = await receiver.receive();
  assert.ok(message !== undefined, "receive() ended");
  return message;
}

/** Publishes `topic` until `receiver` gets it, which shows that the subscription has arrived; then drains these messages. */
export async function untilSubscribed(pub: Pub, receiver: Receiver, topic: string): Promise<void> {
  let arrived = false;
  const first = Promise.resolve(receiver.receive()).then(() => arrived = true);
  while (!arrived) {
    pub.send([text(topic), text("probe")]);
    for (let turn = 0; turn < 10 && !arrived; turn++) await setImmediate();
  }
  await first;
  pub.send([text(topic), text("last probe")]);
  while (words(await take(receiver))![1] !== "last probe");
}

/** libzmq frees a port some time after its socket is closed, in a thread of its own. */
async function rebind(socket: { bind(endpoint: string): Promise<string> }, endpoint: string): Promise<string> {
  for (;;) {
    try {
      return await socket.bind(endpoint);
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
      await setImmediate();
    }
  }
}

/** The promises of `src/protocol/zmtp/types.ts`, for any implementation. */
export function socketContract(name: string, prepare: () => Promise<SocketContract> | SocketContract): void {
  let prepared: Promise<SocketContract> | undefined;
  type Body = (contract: SocketContract & { b: SocketFactory; c: SocketFactory }) => Promise<void>;
  const it = (title: string, body: Body, gap?: keyof SocketGaps) =>
    test(title, { timeout: 20_000 }, async (context) => {
      const contract = await (prepared ??= Promise.resolve(prepare()));
      const skip = contract.skip ?? (gap === undefined ? undefined : contract.gaps?.[gap]);
      if (skip !== undefined) return context.skip(skip);
      await body({ ...contract, b: contract.binding, c: contract.connecting });
    });

  describe(`sockets, ${name}`, { timeout: 120_000 }, () => {
    it("PULL receives what PUSH sent, in order, whatever the frames' sizes", async ({ b, c, endpoint }) => {
      await using pull = b.pull(fast);
      await using push = c.push(fast);
      push.connect(await pull.bind(endpoint()));
      const sizes = [0, 1, 255, 256, 16_384, 16_385, 70_000, 0];
      await push.send(text("first"));
      await push.send(sizes.map((size, index) => sized(size, index)));
      await push.send([sized(3_000_000, 1)]);
      await push.send([text(""), text("")]);
      assert.deepEqual(words(await take(pull)), ["first"]);
      const parts = await take(pull);
      assert.deepEqual(parts.map((part) => part.length), sizes);
      for (const [index, part] of parts.entries()) assert.deepEqual(part, sized(sizes[index]!, index));
      assert.deepEqual(await take(pull), [sized(3_000_000, 1)]);
      assert.deepEqual(words(await take(pull)), ["", ""]);
    });

    it("PUSH sends to the connected PULLs in turn", async ({ b, c, endpoint }) => {
      await using push = b.push(fast);
      const at = await push.bind(endpoint());
      await using left = c.pull(fast);
      await using right = c.pull(fast);
      left.connect(at);
      right.connect(at);
      // Once each has received a message, both are connected.
      const seen = [Promise.resolve(left.receive()), Promise.resolve(right.receive())];
      let settled = 0;
      for (const one of seen) one.then(() => settled++);
      while (settled < 2) {
        await push.send(text("hello"));
        for (let turn = 0; turn < 10; turn++) await setImmediate();
      }
      for (let at = 0; at < 10; at++) await push.send(text(`${at}`));
      for (const pull of [left, right]) {
        const got: string[] = [];
        while (got.length < 5) {
          const [word] = words(await take(pull))!;
          if (word !== "hello") got.push(word!);
        }
        assert.deepEqual(got, [...got].sort());
        assert.ok(got.every((word) => Number(word) % 2 === Number(got[0]) % 2), got.join());
      }
    });

    it("PUSH queues before the PULL listens, and close() still delivers", async ({ b, c, endpoint }) => {
      await using pull = b.pull(fast);
      const at = await pull.bind(endpoint());
      const push = c.push({ ...fast, lingerMs: 10_000 });
      push.connect(at);
      for (let index = 0; index < 500; index++) await push.send(text(`${index}`));
      await push.close();
      for (let index = 0; index < 500; index++) assert.deepEqual(words(await take(pull)), [`${index}`]);
    });

    it("PUSH waits while the PULL does not read, and nothing is lost", async ({ b, c, endpoint }) => {
      await using pull = b.pull({ ...fast, receiveHighWaterMark: 10 });
      await using push = c.push({ ...fast, sendHighWaterMark: 10 });
      push.connect(await pull.bind(endpoint()));
      const count = 300;
      let sent = 0;
      const sending = (async () => {
        for (let index = 0; index < count; index++) {
          await push.send([text(`${index}`), new Uint8Array(100_000)]);
          sent++;
        }
      })();
      assert.deepEqual(words([(await take(pull))[0]!]), ["0"]);
      for (let turn = 0; turn < 200; turn++) await setImmediate();
      assert.ok(sent < count, "PUSH never waited");
      for (let index = 1; index < count; index++) assert.deepEqual(words([(await take(pull))[0]!]), [`${index}`]);
      await sending;
    });

    it("SUB receives by prefix, once each, until it unsubscribes", async ({ b, c, endpoint }) => {
      await using pub = b.pub(fast);
      await using sub = c.sub(fast);
      sub.connect(await pub.bind(endpoint()));
      sub.subscribe("a");
      sub.subscribe("ab");
      sub.subscribe("b");
      sub.subscribe("end");
      await untilSubscribed(pub, sub, "end");
      for (const topic of ["abc", "b", "c", "", "a"]) pub.send([text(topic), text("body")]);
      assert.deepEqual(words(await take(sub)), ["abc", "body"]);
      assert.deepEqual(words(await take(sub)), ["b", "body"]);
      assert.deepEqual(words(await take(sub)), ["a", "body"]);
      sub.unsubscribe("a");
      pub.send(text("abx"));
      pub.send(text("ax"));
      pub.send(text("b2"));
      assert.deepEqual(words(await take(sub)), ["abx"]);
      assert.deepEqual(words(await take(sub)), ["b2"]);
    });

    it("the empty topic matches everything, and a PUB may have many subscribers", async ({ b, c, endpoint }) => {
      await using pub = b.pub(fast);
      const at = await pub.bind(endpoint());
      const subs = Array.from({ length: 5 }, () => c.sub(fast));
      for (const sub of subs) {
        sub.connect(at);
        sub.subscribe("");
        await untilSubscribed(pub, sub, "");
      }
      const big = sized(100_000, 3);
      pub.send([text("x"), big]);
      for (const sub of subs) {
        let got = await take(sub);
        // Probes for the subscribers that connected later.
        while (words([got[0]!])![0] !== "x") got = await take(sub);
        assert.deepEqual(got[1], big);
      }
      for (const sub of subs) await sub.close();
    });

    it("a SUB may bind and receive from several PUBs", async ({ b, c, endpoint }) => {
      await using sub = b.sub(fast);
      sub.subscribe(text("t"));
      const at = await sub.bind(endpoint());
      for (const word of ["t1", "t2"]) {
        await using pub = c.pub(fast);
        pub.connect(at);
        await untilSubscribed(pub, sub, "t");
        pub.send(text(word));
        assert.deepEqual(words(await take(sub)), [word]);
      }
    });

    it("onMessage() gets what was queued, then what arrives", async ({ b, c, endpoint }) => {
      await using pull = b.pull(fast);
      await using push = c.push(fast);
      push.connect(await pull.bind(endpoint()));
      const all = Promise.withResolvers<void>();
      for (let index = 0; index < 10; index++) await push.send(text(`${index}`));
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      const got: string[] = [];
      pull.onMessage((message) => {
        got.push(words(message)![0]!);
        if (got.length === 20) all.resolve();
      });
      for (let index = 10; index < 20; index++) await push.send(text(`${index}`));
      await all.promise;
      assert.deepEqual(got, Array.from({ length: 20 }, (_, index) => `${index}`));
    });

    it("REQ gets the reply to its own request, several concurrent ones in order", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      await using req = c.req(fast);
      const asked: string[] = [];
      rep.serve(async ([word]) => {
        asked.push(new TextDecoder().decode(word));
        await setImmediate();
        return [word!, text("!")];
      });
      req.connect(await rep.bind(endpoint()));
      const replies = await Promise.all(["1", "2", "3"].map((word) => req.request([text(word)])));
      assert.deepEqual(replies.map(words), [["1", "!"], ["2", "!"], ["3", "!"]]);
      assert.deepEqual(asked, ["1", "2", "3"]);
      assert.deepEqual(words(await req.request(text(""))), ["", "!"]);
      const big = sized(2_000_000, 5);
      assert.deepEqual((await req.request([big]))[0], big);
    });

    it("REP serves different peers concurrently", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      const at = await rep.bind(endpoint());
      const both = Promise.withResolvers<void>();
      let running = 0;
      rep.serve(async (message) => {
        if (++running === 2) both.resolve();
        await both.promise;
        return message;
      });
      await using one = c.req(fast);
      await using two = c.req(fast);
      one.connect(at);
      two.connect(at);
      const replies = await Promise.all([one.request(text("one")), two.request(text("two"))]);
      assert.deepEqual(replies.map(words), [["one"], ["two"]]);
    });

    it("REP answers with an empty frame when its handler throws", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      rep.serve(() => {
        throw new Error("no");
      });
      await using req = c.req(fast);
      req.connect(await rep.bind(endpoint()));
      assert.deepEqual(words(await req.request(text("x"))), [""]);
    });

    it("a late reply never answers the request after the one that timed out", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      const late = Promise.withResolvers<void>();
      const second = Promise.withResolvers<void>();
      rep.serve(async ([word]) => {
        if (new TextDecoder().decode(word) === "slow") await late.promise;
        else second.resolve();
        return [text("re "), word!];
      });
      await using req = c.req(fast);
      req.connect(await rep.bind(endpoint()));
      await req.request(text("warm"));
      await assert.rejects(req.request(text("slow"), { timeoutMs: 30 }), TimeoutError);
      const next = req.request(text("next"));
      await second.promise;
      late.resolve();
      assert.deepEqual(words(await next), ["re ", "next"]);
      assert.deepEqual(words(await req.request(text("third"))), ["re ", "third"]);
    });

    it("request() rejects with the reason of its signal", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      const asked = Promise.withResolvers<void>();
      const never = Promise.withResolvers<void>();
      rep.serve(async ([word]) => {
        if (new TextDecoder().decode(word) === "hang") {
          asked.resolve();
          await never.promise;
        }
        return word!;
      });
      await using req = c.req(fast);
      req.connect(await rep.bind(endpoint()));
      const reason = new Error("changed my mind");
      await assert.rejects(req.request(text("x"), { signal: AbortSignal.abort(reason) }), reason);
      const controller = new AbortController();
      const hanging = req.request(text("hang"), { signal: controller.signal });
      await asked.promise;
      controller.abort(reason);
      await assert.rejects(hanging, reason);
      assert.deepEqual(words(await req.request(text("y"))), ["y"]);
      never.resolve();
    });

    it("close() rejects pending requests", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      const asked = Promise.withResolvers<void>();
      const never = Promise.withResolvers<void>();
      rep.serve(async (message) => {
        asked.resolve();
        await never.promise;
        return message;
      });
      const req = c.req(fast);
      req.connect(await rep.bind(endpoint()));
      const first = assert.rejects(req.request(text("x")), SaltError);
      await asked.promise;
      await req.close();
      await first;
      await assert.rejects(req.request(text("z")));
      never.resolve();
    });

    it("a lost connection rejects its pending request, and the next one reaches the new peer", async ({
      b,
      c,
      endpoint,
    }) => {
      const rep = b.rep({ ...fast, lingerMs: 0 });
      const at = await rep.bind(endpoint());
      const asked = Promise.withResolvers<void>();
      const never = Promise.withResolvers<void>();
      rep.serve(async (message) => {
        asked.resolve();
        await never.promise;
        return message;
      });
      await using req = c.req(fast);
      req.connect(at);
      const lost = assert.rejects(req.request(text("x")), { errno: "ECONNRESET" });
      await asked.promise;
      await rep.close();
      await lost;
      await using again = b.rep(fast);
      again.serve((message) => message);
      await again.bind(at);
      assert.deepEqual(words(await req.request(text("y"))), ["y"]);
      never.resolve();
    }, "lostRequest");

    it("ROUTER replies to the DEALER it names, by announced and by generated identity", async ({ b, c, endpoint }) => {
      await using router = b.router(fast);
      router.onMessage((peer, frames) => router.send(peer, [peer.identity, ...frames]));
      const at = await router.bind(endpoint());
      await using named = c.dealer({ ...fast, identity: text("web1") });
      await using unnamed = c.dealer(fast);
      named.connect(at);
      unnamed.connect(at);
      await named.send([text("a"), text("b")]);
      await unnamed.send(text("c"));
      assert.deepEqual(words(await take(named)), ["web1", "a", "b"]);
      const [identity, body] = await take(unnamed);
      assert.equal(identity![0], 0);
      assert.equal(identity!.length, 5);
      assert.deepEqual(body, text("c"));
    });

    it("ROUTER replies to a REQ through its envelope, also by identity alone", async ({ b, c, endpoint }) => {
      await using router = b.router(fast);
      router.onMessage((peer, [empty, ...body]) => {
        assert.equal(empty!.length, 0);
        router.send(peer.identity, [empty!, ...body, text("ok")]);
      });
      await using req = c.req(fast);
      req.connect(await router.bind(endpoint()));
      assert.deepEqual(words(await req.request([text("q"), text("")])), ["q", "", "ok"]);
    });

    it("DEALER sends a REP several requests ahead and gets the replies in order", async ({ b, c, endpoint }) => {
      await using rep = b.rep(fast);
      rep.serve(async (message) => {
        await setImmediate();
        return message;
      });
      await using dealer = c.dealer(fast);
      dealer.connect(await rep.bind(endpoint()));
      for (let index = 0; index < 100; index++) await dealer.send([text("way"), text(""), text(`${index}`)]);
      for (let index = 0; index < 100; index++) {
        assert.deepEqual(words(await take(dealer)), ["way", "", `${index}`]);
      }
    });

    it("ROUTER knows the remote address of its peer", async ({ b, c, endpoint }) => {
      await using router = b.router(fast);
      const remote = Promise.withResolvers<string>();
      router.onMessage((peer) => remote.resolve(peer.remote));
      await using dealer = c.dealer(fast);
      dealer.connect(await router.bind(endpoint()));
      await dealer.send(text("x"));
      assert.match(await remote.promise, /^(tcp:\/\/(127\.0\.0\.1|\[::1\]):\d+|ipc:\/\/.+)$/);
    }, "remote");

    it("ROUTER's send() returns false for a peer that is unknown or gone", async ({ b, c, endpoint }) => {
      await using router = b.router(fast);
      assert.equal(router.send(text("nobody"), text("x")), false);
      const dealer = c.dealer({ ...fast, identity: text("web1") });
      const gone = Promise.withResolvers<boolean>();
      router.onMessage(async (peer) => {
        await dealer.close();
        while (peer.open) await setImmediate();
        gone.resolve(router.send(peer, text("x")) || router.send(text("web1"), text("x")));
      });
      dealer.connect(await router.bind(endpoint()));
      await dealer.send(text("x"));
      assert.equal(await gone.promise, false);
    }, "routerSend");

    it("SUB, PUSH and DEALER reconnect after the other side was restarted", async ({ b, c, endpoint }) => {
      await using sub = c.sub(fast);
      sub.subscribe("t");
      await using dealer = c.dealer(fast);
      let [pubAt, routerAt] = [endpoint(), endpoint()];
      for (let round = 0; round < 3; round++) {
        await using pub = b.pub({ ...fast, lingerMs: 0 });
        await using router = b.router({ ...fast, lingerMs: 0 });
        router.onMessage((peer, frames) => router.send(peer, frames));
        const bound = [await rebind(pub, pubAt), await rebind(router, routerAt)] as const;
        if (round === 0) {
          [pubAt, routerAt] = bound;
          sub.connect(pubAt);
          dealer.connect(routerAt);
        }
        await untilSubscribed(pub, sub, "t");
        pub.send(text(`t${round}`));
        assert.deepEqual(words(await take(sub)), [`t${round}`]);
        // What is sent while the other side is down may be lost with its connection, so retry until there is a reply.
        let answered = false;
        const answer = take(dealer).then((message) => {
          answered = true;
          return message;
        });
        while (!answered) {
          await dealer.send(text("d"));
          for (let turn = 0; turn < 20 && !answered; turn++) await setImmediate();
        }
        assert.deepEqual(words(await answer), ["d"]);
        await router.close();
        await pub.close();
      }
    });

    it("onConnect() and onDisconnect() report peers that connect and disconnect", async ({ b, c, endpoint }) => {
      const pull = b.pull({ ...fast, lingerMs: 0 });
      await using push = c.push(fast);
      const [came, went] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      push.onConnect(() => came.resolve());
      push.onDisconnect(() => went.resolve());
      push.connect(await pull.bind(endpoint()));
      await came.promise;
      await pull.close();
      await went.promise;
    });

    it("receive() is undefined after close(), and close() twice is harmless", async ({ b, endpoint }) => {
      const pull = b.pull(fast);
      await pull.bind(endpoint());
      const waiting = pull.receive();
      await pull.close();
      await pull.close();
      assert.equal(await waiting, undefined);
      assert.equal(await pull.receive(), undefined);
    });

    it("bind() rejects with EADDRINUSE when the endpoint is taken", async ({ b, c, endpoint }) => {
      await using one = b.pull(fast);
      const at = await one.bind(endpoint());
      await using two = c.pull(fast);
      await assert.rejects(two.bind(at), { errno: "EADDRINUSE" });
    }, "bindTaken");
  });
}
