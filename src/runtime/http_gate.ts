/**
 * Counts connections in front of an HTTP server that does not report them. The servers of Bun and Deno report a request once its head is
 * complete, but never a connection, so a client without a request could not be counted. The gate accepts connections, and opens one to
 * the server behind it, on the loopback, when the first bytes arrive.
 */
import type { HttpHandler, HttpPeer, HttpServeOptions } from "./http.ts";
import { plainAddress } from "./http.ts";
import { HttpConnectionLimit, type HttpGuest, limitsOf } from "./http_connection_limit.ts";
import type { Connection, Net } from "./net.ts";

export interface Gate {
  readonly port: number;
  /** Stops accepting, and closes the connections that have no request. */
  stop(): Promise<void>;
  /** To be called after the server behind the gate is closed: waits a moment for the last bytes to reach clients, then closes the rest. */
  close(): Promise<void>;
  /**
   * The handler for the server behind the gate, which gives requests the address of their client. A request that did not come through
   * the gate gets 403.
   */
  handle(request: Request, innerPort: number | undefined, peer: Omit<HttpPeer, "address">): Promise<Response>;
}

/** Descriptors of one connection: the one to the client, and both ends of the one to the server. */
const DESCRIPTORS = 3;

/** How long clients have for the last bytes of a server that is closed, in milliseconds. */
const FLUSH_MS = 500;

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

interface Visitor extends HttpGuest {
  inner: Connection | undefined;
}

/** `tcp://127.0.0.1:51312` → `51312` */
const portOf = (name: string): number => Number(name.slice(name.lastIndexOf(":") + 1));

/** `tcp://[2001:db8::7]:51312` → `2001:db8::7` */
function hostOf(name: string): string {
  const host = name.slice(name.indexOf("://") + 3, name.lastIndexOf(":"));
  return plainAddress(host.replace(/^\[|\]$/g, ""));
}

/**
 * Opens a gate.
 *
 * @param innerPort of the server behind it, on 127.0.0.1: asked for each connection
 * @throws {SystemError} if it cannot listen
 */
export async function openGate(
  net: Pick<Net, "listen" | "dial">,
  handler: HttpHandler,
  innerPort: () => number,
  options: HttpServeOptions,
): Promise<Gate> {
  const { host, port, backlog = 511 } = options;
  const connectionLimit = new HttpConnectionLimit(limitsOf(options, DESCRIPTORS), () => performance.now());
  /** Clients by the local port of the gate's connection to the server behind it. */
  const visitors = new Map<number, Visitor>();
  const listener = await net.listen(
    { kind: "tcp", host, port },
    (connection) => welcome(net, connection, { connectionLimit, visitors, innerPort }),
    { backlog },
  );
  return {
    port: (listener.address as { port: number }).port,
    async stop() {
      await listener.close();
      connectionLimit.closeIdle();
    },
    async close() {
      await emptied(connectionLimit);
      connectionLimit.close();
    },
    async handle(request, from, peer) {
      const visitor = from === undefined ? undefined : visitors.get(from);
      if (visitor === undefined) return new Response(null, { status: 403, headers: { Connection: "close" } });
      // The end of a stream or a WebSocket is not seen here, so its connection keeps the rank of a known caller.
      let ends = true;
      const stay = () => {
        ends = false;
        connectionLimit.known(visitor);
      };
      connectionLimit.begin(visitor);
      try {
        return await handler(request, {
          address: visitor.address,
          upgrade(handlers) {
            const response = peer.upgrade(handlers);
            stay();
            return response;
          },
          keepOpen() {
            stay();
            peer.keepOpen();
          },
          known: () => connectionLimit.known(visitor),
        });
      } finally {
        if (ends) connectionLimit.end(visitor);
      }
    },
  };
}

/** Resolves when all connections have ended, or after {@link FLUSH_MS}. */
async function emptied(connectionLimit: HttpConnectionLimit): Promise<void> {
  let timer: unknown;
  await Promise.race([connectionLimit.empty(), new Promise<void>((resolve) => timer = setTimeout(resolve, FLUSH_MS))]);
  clearTimeout(timer);
}

interface Rooms {
  connectionLimit: HttpConnectionLimit;
  visitors: Map<number, Visitor>;
  innerPort: () => number;
}

/** Counts a connection, and joins it to the server once its first bytes are there. */
function welcome(net: Pick<Net, "dial">, outer: Connection, { connectionLimit, visitors, innerPort }: Rooms): void {
  let gone = false;
  const visitor: Visitor = {
    address: hostOf(outer.remote),
    inner: undefined,
    close() {
      outer.destroy();
      visitor.inner?.destroy();
    },
  };
  const early: Uint8Array[] = [];
  const join = async () => {
    outer.pause();
    let inner: Connection;
    try {
      inner = await net.dial({ kind: "tcp", host: "127.0.0.1", port: innerPort() }, { keepAliveIdle: false });
    } catch {
      // The server is being closed.
      outer.destroy();
      return;
    }
    if (gone) return inner.destroy();
    const at = portOf(inner.local);
    visitors.set(at, visitor);
    visitor.inner = inner;
    inner.start({
      onData(chunk) {
        connectionLimit.active(visitor);
        if (!outer.write(chunk)) inner.pause();
      },
      onDrain: () => outer.resume(),
      onClose() {
        visitors.delete(at);
        outer.end();
      },
    });
    for (const chunk of early.splice(0)) inner.write(chunk);
    outer.resume();
  };
  outer.start({
    onData(chunk) {
      if (visitor.inner !== undefined) {
        if (!visitor.inner.write(chunk)) outer.pause();
        return;
      }
      early.push(chunk);
      if (early.length === 1) void join();
    },
    onDrain: () => visitor.inner?.resume(),
    onClose() {
      gone = true;
      connectionLimit.leave(visitor);
      visitor.inner?.destroy();
    },
  });
  connectionLimit.enter(visitor);
}
