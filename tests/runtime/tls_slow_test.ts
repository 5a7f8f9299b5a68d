/** TLS of the present runtime: see src/runtime/node/tls.ts. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { deferred } from "../../src/base/async/deferred.ts";
import { SystemError, TlsError } from "../../src/base/errors.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Connection, Listener, Net, SocketAddress, TlsDial, TlsListen } from "../../src/runtime/net.ts";
import { netContract } from "../contract/net_contract.ts";
import { Authority } from "../support/certificates.ts";

const authority = new Authority();
const stranger = new Authority("stranger");
after(() => {
  authority[Symbol.dispose]();
  stranger[Symbol.dispose]();
});
const server = authority.sign("server");
const client = authority.sign("client");
const other = stranger.sign("other");
const { net } = await currentRuntime();

const trusted = { authorities: authority.pem };
const LISTEN: TlsListen = { ...server, ...trusted, clients: "required" };
const DIAL: TlsDial = { ...client, ...trusted, verify: "name" };
const PLACE: SocketAddress = { kind: "tcp", host: "127.0.0.1", port: 0 };
const text = (value: string) => new TextEncoder().encode(value);

/** Plain in the eyes of a test, TLS on the wire; a connection is accepted once its handshake is done. */
function tlsNet(): Net {
  return {
    ...net,
    dial: (to, options) => net.dial(to, { ...options, tls: DIAL }),
    listen: (at, accept, options) =>
      net.listen(at, (connection) => void connection.secured!.then(() => accept(connection), () => {}), {
        ...options,
        tls: LISTEN,
      }),
  };
}

netContract("current over TLS", tlsNet, [{ kind: "tcp", place: () => ({ ...PLACE }) }], {
  eager: "bytes are encrypted in a later turn, until when they count as buffered",
});

/** A server that sends back what it receives, and how its connections ended. */
async function echo(tls: TlsListen) {
  const ends: (Error | undefined)[] = [];
  const ended = deferred<Error | undefined>();
  const accepted = deferred<Connection>();
  const listener: Listener = await net.listen(PLACE, (connection) => {
    accepted.resolve(connection);
    connection.start({
      onData: (chunk) => void connection.write(chunk.slice()),
      onClose: (error) => {
        ends.push(error);
        ended.resolve(error);
      },
    });
  }, { tls });
  return { listener, ended: ended.promise, accepted: accepted.promise };
}

/** Sends a word; resolves to the reply, or to the error that the connection ended with. */
async function say(connection: Connection, word: string): Promise<string | Error | undefined> {
  const heard = deferred<string | Error | undefined>();
  connection.start({
    onData: (chunk) => heard.resolve(new TextDecoder().decode(chunk)),
    onClose: (error) => heard.resolve(error),
  });
  connection.write(text(word));
  const reply = await heard.promise;
  connection.destroy();
  return reply;
}

describe("TLS", { timeout: 60_000 }, () => {
  test("a peer that does not read makes write() return false for good, until it reads", async () => {
    const net = tlsNet();
    const accepted = deferred<Connection>();
    const listener = await net.listen(PLACE, (connection) => accepted.resolve(connection));
    const near = await net.dial(listener.address);
    const far = await accepted.promise;
    let received = 0;
    const all = deferred<void>();
    const drained: (() => void)[] = [];
    near.start({ onData() {}, onDrain: () => drained.splice(0).forEach((go) => go()), onClose() {} });
    const chunk = new Uint8Array(1_000_000);
    const MOST = 64 * chunk.length;
    far.start({
      onData(bytes) {
        received += bytes.length;
        if (received === MOST) all.resolve();
      },
      onClose() {},
    });
    far.pause();
    let sent = 0;
    const send = (): boolean => {
      while (sent < MOST) {
        sent += chunk.length;
        if (!near.write(chunk)) return false;
      }
      return true;
    };
    send();
    assert.ok(sent < MOST);
    far.resume();
    const goOn = () => void (send() || drained.push(goOn));
    drained.push(goOn);
    await all.promise;
    near.destroy();
    await listener.close();
  });

  for (
    const { name, listen, dial } of [
      { name: "with certificates on both sides", listen: LISTEN, dial: DIAL },
      {
        name: "with one certificate",
        listen: { ...LISTEN, clients: "not asked" },
        dial: { ...trusted, verify: "name" },
      },
      {
        name: "where a certificate is optional",
        listen: { ...LISTEN, clients: "optional" },
        dial: { ...trusted, verify: "name" },
      },
      { name: "of version 1.2", listen: LISTEN, dial: { ...DIAL, maxVersion: "TLSv1.2" } },
      {
        name: "where the name is not checked",
        listen: { ...LISTEN, ...authority.sign("elsewhere", "DNS:elsewhere.example") },
        dial: { ...DIAL, verify: "certificate" },
      },
      { name: "where nothing is checked", listen: { ...LISTEN, ...other }, dial: { ...DIAL, verify: "nothing" } },
    ] as { name: string; listen: TlsListen; dial: TlsDial }[]
  ) {
    test(`carries bytes ${name}`, async () => {
      const { listener } = await echo(listen);
      assert.equal(await say(await net.dial(listener.address, { tls: dial }), "hello"), "hello");
      await listener.close();
    });
  }

  for (
    const { name, dial } of [
      { name: "missing", dial: { ...trusted, verify: "name" } },
      { name: "another authority's", dial: { ...other, ...trusted, verify: "name" } },
      {
        name: "another authority's, with TLS 1.2,",
        dial: { ...other, ...trusted, verify: "name", maxVersion: "TLSv1.2" },
      },
    ] as { name: string; dial: TlsDial }[]
  ) {
    test(`a client certificate that is ${name} is refused, with the reason`, async () => {
      const { listener, ended } = await echo(LISTEN);
      // With TLS 1.3 a client hears of it only after its own handshake.
      const reply = await net.dial(listener.address, { tls: dial }).then(
        (connection) => say(connection, "hello"),
        (error) => error,
      );
      assert.notEqual(reply, "hello");
      const error = await ended;
      assert.ok(error instanceof TlsError, String(error));
      assert.match(
        error.message,
        name === "missing" ? /the other side sent no certificate/ : /not signed by an authority that is trusted/,
      );
      await listener.close();
    });
  }

  test("an optional certificate that another authority has signed is refused", async () => {
    const { listener, ended } = await echo({ ...LISTEN, clients: "optional" });
    const dial: TlsDial = { ...other, ...trusted, verify: "name" };
    const reply = await net.dial(listener.address, { tls: dial }).then(
      (connection) => say(connection, "hello"),
      (error) => error,
    );
    assert.notEqual(reply, "hello");
    assert.match(String(await ended), /not signed by an authority that is trusted/);
    await listener.close();
  });

  for (
    const { name, dial, want } of [
      {
        name: "of another authority",
        dial: { ...DIAL, authorities: stranger.pem },
        want: /not signed by an authority/,
      },
      { name: "for another name", dial: { ...DIAL, serverName: "other.example" }, want: /for another name/ },
    ] as { name: string; dial: TlsDial; want: RegExp }[]
  ) {
    test(`a server's certificate ${name} is refused`, async () => {
      const { listener } = await echo(LISTEN);
      await assert.rejects(net.dial(listener.address, { tls: dial }), (error) => {
        assert.ok(error instanceof TlsError, String(error));
        assert.match(error.message, want);
        assert.match(error.message, /tcp:\/\/127\.0\.0\.1:/);
        return true;
      });
      await listener.close();
    });
  }

  test("a client that does not speak TLS is refused, with the reason", async () => {
    const { listener, ended } = await echo(LISTEN);
    const reply = await say(await net.dial(listener.address), "GET / HTTP/1.1\r\n\r\n");
    assert.notEqual(reply, "GET / HTTP/1.1\r\n\r\n");
    assert.match(String(await ended), /does not speak TLS/);
    await listener.close();
  });

  test("a connection is accepted before its handshake, and ended by us if it never comes", async () => {
    const { listener, accepted, ended } = await echo(LISTEN);
    const near = await net.dial(listener.address);
    const far = await accepted;
    assert.match(far.remote, /^tcp:\/\/127\.0\.0\.1:\d+$/);
    far.destroy();
    await ended;
    await assert.rejects(far.secured!);
    near.destroy();
    await listener.close();
  });

  test("a server that never answers the handshake costs no more than the timeout", async () => {
    const listener = await net.listen(PLACE, (connection) => connection.start({ onData() {}, onClose() {} }));
    await assert.rejects(net.dial(listener.address, { tls: DIAL, timeoutMs: 200 }), /ETIMEDOUT/);
    await listener.close();
  });

  test("a key that does not fit the certificate is refused at listen()", async () => {
    await assert.rejects(net.listen(PLACE, () => {}, { tls: { ...LISTEN, key: client.key } }), (error) => {
      assert.ok(error instanceof SystemError, String(error));
      assert.match(error.message, /with TLS/);
      return true;
    });
  });

  test("what is prepared over the plain connection comes before TLS", async () => {
    const back = await echo(LISTEN);
    const asked = deferred<string>();
    const proxy = await net.listen(PLACE, (near) => {
      let far: Connection | undefined;
      near.start({
        onData(chunk) {
          if (far !== undefined) return void far.write(chunk.slice());
          asked.resolve(new TextDecoder().decode(chunk));
          void net.dial(back.listener.address).then((dialled) => {
            far = dialled;
            far.start({ onData: (bytes) => void near.write(bytes.slice()), onClose: () => near.destroy() });
            near.write(text("yes\n"));
          });
        },
        onClose: () => far?.destroy(),
      });
    });
    const connection = await net.dial(proxy.address, {
      tls: DIAL,
      prepare(plain) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        plain.start({ onData: () => resolve(), onClose: () => reject(new Error("closed")) });
        plain.write(text("connect me\n"));
        return promise;
      },
    });
    assert.equal(await say(connection, "hello"), "hello");
    assert.equal(await asked.promise, "connect me\n");
    await Promise.all([proxy.close(), back.listener.close()]);
  });
});
