import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { describe, test } from "node:test";
import { deferred } from "../../src/base/async/deferred.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { Connection, Listener, Net, SocketAddress } from "../../src/runtime/net.ts";

/** What a Net cannot do: the sentence that the test report shows. */
export interface NetGaps {
  ipv6?: string;
  local?: string;
  /** Why `write` may return false although the peer reads. */
  eager?: string;
}

/** Collects what a connection receives, and lets a test wait for it. */
class Ear {
  readonly #wanted: { done: () => boolean; resolve: () => void }[] = [];
  readonly chunks: Uint8Array[] = [];
  size = 0;
  drains = 0;
  closes = 0;
  error: Error | undefined;

  constructor(connection: Connection) {
    connection.start({
      onData: (chunk) => {
        assert.equal(this.closes, 0, "onData after onClose");
        this.chunks.push(chunk);
        this.size += chunk.length;
        this.#look();
      },
      onDrain: () => {
        this.drains++;
        this.#look();
      },
      onClose: (error) => {
        this.closes++;
        this.error = error;
        this.#look();
      },
    });
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  until(done: () => boolean): Promise<void> {
    if (done()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wanted.push({ done, resolve });
    return promise;
  }

  #look(): void {
    for (const { done, resolve } of this.#wanted) if (done()) resolve();
  }
}

const text = (value: string) => new TextEncoder().encode(value);
const hasErrno = (errno: string) => (error: unknown) => {
  assert.ok(error instanceof SystemError, `${error} is no SystemError`);
  assert.equal(error.errno, errno);
  return true;
};

/** The promises of `src/runtime/net.ts`. `place` returns free addresses to listen on. */
export function netContract(
  name: string,
  make: () => Net,
  places: { kind: string; place: () => SocketAddress }[],
  gaps: NetGaps = {},
): void {
  async function linked(net: Net, at: SocketAddress): Promise<[Connection, Connection, Listener]> {
    const accepted = deferred<Connection>();
    const listener = await net.listen(at, (connection) => accepted.resolve(connection));
    const near = await net.dial(listener.address);
    return [near, await accepted.promise, listener];
  }

  for (const { kind, place } of places) {
    describe(`${name} Net over ${kind}`, { timeout: 20_000 }, () => {
      test("bytes arrive in order, both ways", async () => {
        const [near, far, listener] = await linked(make(), place());
        const [nearEar, farEar] = [new Ear(near), new Ear(far)];
        near.write(text("ab"));
        near.write(text("cd"));
        far.write(text("xyz"));
        await Promise.all([farEar.until(() => farEar.size >= 4), nearEar.until(() => nearEar.size >= 3)]);
        assert.deepEqual(farEar.bytes(), text("abcd"));
        assert.deepEqual(nearEar.bytes(), text("xyz"));
        near.destroy();
        await farEar.until(() => farEar.closes >= 1);
        await listener.close();
      });

      test("end() sends what is buffered, then both sides are closed once and without error", async () => {
        const [near, far, listener] = await linked(make(), place());
        const [nearEar, farEar] = [new Ear(near), new Ear(far)];
        near.write(new Uint8Array(1_000_000).fill(7));
        near.end();
        near.end();
        assert.equal(nearEar.closes, 0, "onClose from inside end()");
        await Promise.all([farEar.until(() => farEar.closes >= 1), nearEar.until(() => nearEar.closes >= 1)]);
        assert.equal(farEar.size, 1_000_000);
        assert.equal(farEar.error, undefined);
        assert.equal(nearEar.error, undefined);
        near.write(text("late"));
        near.destroy();
        await listener.close();
        await setImmediate();
        assert.equal(nearEar.closes, 1);
      });

      test("bytes sent before start() are not lost", async () => {
        const [near, far, listener] = await linked(make(), place());
        near.write(text("early"));
        await setImmediate();
        await setImmediate();
        const ear = new Ear(far);
        await ear.until(() => ear.size >= 5);
        near.destroy();
        far.destroy();
        await listener.close();
      });

      test("destroy() closes both sides, never from inside the call", async () => {
        const [near, far, listener] = await linked(make(), place());
        const [nearEar, farEar] = [new Ear(near), new Ear(far)];
        near.destroy();
        near.destroy();
        assert.equal(nearEar.closes, 0);
        await Promise.all([farEar.until(() => farEar.closes >= 1), nearEar.until(() => nearEar.closes >= 1)]);
        await listener.close();
      });

      test("a connection that closed before start() reports it after start()", async () => {
        const [near, far, listener] = await linked(make(), place());
        near.destroy();
        const ear = new Ear(near);
        await ear.until(() => ear.closes >= 1);
        far.destroy();
        await listener.close();
      });

      const full = "write() returns false when a paused peer takes no more, and onDrain follows once it does";
      test(full, { skip: gaps.eager }, async () => {
        const [near, far, listener] = await linked(make(), place());
        const [nearEar, farEar] = [new Ear(near), new Ear(far)];
        far.pause();
        let sent = 0;
        const chunk = new Uint8Array(65_536);
        // Kernel buffers take a few megabytes first.
        for (let goOn = true; goOn && sent < 64_000_000; sent += chunk.length) {
          goOn = near.write(chunk);
          await setImmediate();
        }
        assert.ok(sent < 64_000_000, "write() never returned false");
        assert.ok(near.buffered > 0);
        const before = farEar.size;
        await setImmediate();
        assert.equal(farEar.size, before, "data while paused");
        far.resume();
        await nearEar.until(() => nearEar.drains > 0);
        await farEar.until(() => farEar.size === sent);
        assert.equal(near.buffered, 0);
        near.destroy();
        await farEar.until(() => farEar.closes >= 1);
        await listener.close();
      });

      test("dial() rejects when no process listens, naming the address", async () => {
        const net = make();
        const listener = await net.listen(place(), () => {});
        const { address } = listener;
        await listener.close();
        const wanted = address.kind === "unix" ? "ENOENT" : "ECONNREFUSED";
        await assert.rejects(net.dial(address), (error) => {
          hasErrno(wanted)(error);
          const named = address.kind === "unix" ? address.path : `:${address.port}`;
          assert.ok((error as Error).message.includes(named), (error as Error).message);
          return true;
        });
      });

      test("dial() rejects with the reason of its signal, before and during", async () => {
        const net = make();
        const listener = await net.listen(place(), (connection) => connection.destroy());
        const reason = new Error("no more");
        await assert.rejects(net.dial(listener.address, { signal: AbortSignal.abort(reason) }), reason);
        const controller = new AbortController();
        const dialled = net.dial(listener.address, { signal: controller.signal });
        controller.abort(reason);
        await assert.rejects(dialled, reason);
        await listener.close();
      });

      test("listen() rejects with EADDRINUSE when the address is taken, and the first listener continues", async () => {
        const net = make();
        let accepted = 0;
        const listener = await net.listen(place(), (connection) => {
          accepted++;
          connection.destroy();
        });
        const again = net.listen(listener.address, () => {});
        await assert.rejects(again, hasErrno("EADDRINUSE"));
        const connection = await net.dial(listener.address);
        const ear = new Ear(connection);
        await ear.until(() => ear.closes >= 1);
        // A probe for a live socket may have been accepted, too.
        assert.ok(accepted >= 1);
        await listener.close();
      });

      test("close() ends listening but not the connections, and the address is free again", async () => {
        const net = make();
        const [near, far, listener] = await linked(net, place());
        await listener.close();
        await listener.close();
        const second = await net.listen(listener.address, (connection) => connection.destroy());
        const ear = new Ear(far);
        near.write(text("still here"));
        await ear.until(() => ear.size >= 10);
        near.destroy();
        await ear.until(() => ear.closes >= 1);
        await second.close();
      });

      test("remote and local name both ends", async () => {
        const [near, far, listener] = await linked(make(), place());
        assert.match(near.remote, kind === "ipc" ? /^ipc:\/\// : /^tcp:\/\/.*:\d+$/);
        assert.equal(near.remote, far.local);
        assert.equal(near.local, far.remote);
        near.destroy();
        far.destroy();
        await listener.close();
      });
    });
  }

  describe(`${name} Net`, { timeout: 20_000 }, () => {
    test("listen() on port 0 finds a free port", async () => {
      const net = make();
      const a = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, () => {});
      const b = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, () => {});
      assert.ok(a.address.kind === "tcp" && b.address.kind === "tcp");
      assert.ok(a.address.port > 0 && a.address.port !== b.address.port);
      await a.close();
      await b.close();
    });

    test("a listener on :: is reached by IPv4 and IPv6", { skip: gaps.ipv6 }, async () => {
      const net = make();
      const remotes: string[] = [];
      const listener = await net.listen({ kind: "tcp", host: "::", port: 0 }, (connection) => {
        remotes.push(connection.remote);
        connection.destroy();
      });
      const { port } = listener.address as { port: number };
      for (const host of ["127.0.0.1", "::1"]) {
        const ear = new Ear(await net.dial({ kind: "tcp", host, port }));
        await ear.until(() => ear.closes >= 1);
      }
      assert.match(remotes[0]!, /^tcp:\/\/127\.0\.0\.1:\d+$/);
      assert.match(remotes[1]!, /^tcp:\/\/\[::1\]:\d+$/);
      await listener.close();
    });

    test("dial() of a name takes the family that is asked for", { skip: gaps.ipv6 }, async () => {
      const net = make();
      const remote = Promise.withResolvers<string>();
      const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
        remote.resolve(connection.remote);
        connection.destroy();
      });
      const { port } = listener.address as { port: number };
      const ear = new Ear(await net.dial({ kind: "tcp", host: "localhost", port }, { family: 4 }));
      await ear.until(() => ear.closes >= 1);
      assert.match(await remote.promise, /^tcp:\/\/127\.0\.0\.1:/);
      await listener.close();
    });

    test("dial() leaves from the local address it was given", { skip: gaps.local }, async () => {
      const net = make();
      const remote = deferred<string>();
      const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
        remote.resolve(connection.remote);
        connection.destroy();
      });
      const connection = await net.dial(listener.address, { local: { host: "127.0.0.2" } });
      assert.match(await remote.promise, /^tcp:\/\/127\.0\.0\.2:/);
      connection.destroy();
      await listener.close();
    });
  });
}
