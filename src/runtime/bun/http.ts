/** HTTP on Bun: `Bun.serve` with its own WebSockets. */
import { SystemError } from "../../errors.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair, WebSocketHandlers, WebSocketPeer } from "../http.ts";

interface BunSocket {
  data: SocketData;
  send(text: string): number;
  getBufferedAmount(): number;
  close(code?: number, reason?: string): void;
}

interface SocketData {
  handlers: WebSocketHandlers;
  peer?: WebSocketPeer;
}

interface BunServer {
  port: number;
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
  upgrade(request: Request, options: { data: SocketData }): boolean;
  stop(closeConnections?: boolean): Promise<void>;
}

interface BunGlobal {
  serve(options: Record<string, unknown>): BunServer;
}

const LONGEST_IDLE = 255;

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** Serves with `Bun.serve`. */
export function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  const { host, tls, headTimeoutMs = 20_000 } = options;
  const open = new Set<BunSocket>();
  // Streams that are open keep a server from stopping.
  let inProgress = 0;
  const start = (port: number, pair: TlsPair | undefined): BunServer =>
    Bun.serve({
      hostname: host,
      port,
      idleTimeout: Math.min(LONGEST_IDLE, Math.max(1, Math.ceil(headTimeoutMs / 1000))),
      // The limit is the handler's: it answers 413, where Bun would close the connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      reusePort: false,
      ...(pair === undefined ? {} : { tls: { cert: pair.cert, key: pair.key } }),
      async fetch(request: Request, server: BunServer): Promise<Response | undefined> {
        let upgraded = false;
        inProgress++;
        // A handler may wait for minions longer than a connection may be idle.
        server.timeout(request, 0);
        try {
          const response = await handler(request, {
            address: (server.requestIP(request)?.address ?? "").replace(/^::ffff:(?=\d+\.)/, ""),
            upgrade(handlers) {
              upgraded = server.upgrade(request, { data: { handlers } });
              if (!upgraded) throw new TypeError("Cannot upgrade: the request did not ask for a WebSocket");
              return new Response(null);
            },
            keepOpen: () => {},
          });
          return upgraded ? undefined : response;
        } finally {
          inProgress--;
        }
      },
      websocket: {
        idleTimeout: 0,
        sendPings: true,
        // Those who listen say a word or two.
        maxPayloadLength: 65_536,
        open(socket: BunSocket) {
          open.add(socket);
          const peer: WebSocketPeer = {
            send: (text) => void socket.send(text),
            get buffered() {
              return socket.getBufferedAmount();
            },
            close: (code, reason) => socket.close(code, reason),
          };
          socket.data.peer = peer;
          socket.data.handlers.onOpen?.(peer);
        },
        message(socket: BunSocket, message: string | Uint8Array) {
          if (typeof message === "string") socket.data.handlers.onMessage?.(message, socket.data.peer!);
          else socket.close(1003, "Only text is understood");
        },
        close(socket: BunSocket) {
          open.delete(socket);
          socket.data.handlers.onClose?.();
        },
      },
    });

  let server: BunServer;
  try {
    server = start(options.port, tls);
  } catch (error) {
    const { code = "EIO", message } = error as { code?: string; message: string };
    throw new SystemError(code, `Cannot serve HTTP at ${host}:${options.port}: ${message}`, { cause: error });
  }
  const { port } = server;
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    for (const socket of open) socket.close(1001);
    const stopped = server.stop();
    let timer: unknown;
    await Promise.race([
      stopped,
      new Promise<void>((resolve) => timer = setTimeout(resolve, inProgress === 0 && graceMs === 0 ? 0 : graceMs)),
    ]);
    clearTimeout(timer);
    await server.stop(true);
  };
  return Promise.resolve({
    port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Bun takes no other certificate while it listens. What is connected stays with the old server until it is done.
      void server.stop();
      server = start(port, pair);
      await Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= close(graceMs),
    [Symbol.asyncDispose]: () => closed ??= close(0),
  });
}
