/** HTTP on Bun: `Bun.serve` with its own WebSockets. */
import { SystemError } from "../../errors.ts";
import { GOING_AWAY, plainAddress } from "../http.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../http.ts";
import { BunWebSockets, type SocketData } from "./http_websocket.ts";

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

/** The longest idle time that Bun accepts, in seconds. */
const MAX_IDLE = 255;

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** Serves with `Bun.serve`. */
export async function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { tls } = options;
  const sockets = new BunWebSockets();
  const start = (port: number, pair: TlsPair | undefined) => startServer(handler, { ...options, port }, pair, sockets);
  let server = start(options.port, tls);
  const { port } = server;
  let closed: Promise<void> | undefined;
  return await Promise.resolve({
    port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Bun cannot change the certificate while it listens. Open connections stay with the old server until they are done.
      void server.stop();
      server = start(port, pair);
      await Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= closeServer(server, sockets, graceMs),
    [Symbol.asyncDispose]: () => closed ??= closeServer(server, sockets, 0),
  });
}

/** @throws {SystemError} */
function startServer(
  handler: HttpHandler,
  { host, port, headTimeoutMs = 20_000 }: HttpServeOptions,
  pair: TlsPair | undefined,
  sockets: BunWebSockets,
): BunServer {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: Math.min(MAX_IDLE, Math.max(1, Math.ceil(headTimeoutMs / 1000))),
      // The handler has a limit of its own and answers 413, where Bun would close the connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      reusePort: false,
      ...(pair === undefined ? {} : { tls: { cert: pair.cert, key: pair.key } }),
      fetch: (request: Request, server: BunServer) => answer(handler, request, server),
      websocket: sockets.options,
    });
  } catch (error) {
    const { code = "EIO", message } = error as { code?: string; message: string };
    throw new SystemError(code, `Cannot serve HTTP at ${host}:${port}: ${message}`, { cause: error });
  }
}

/** The handler's response; undefined for a request that was upgraded, as Bun expects. */
async function answer(handler: HttpHandler, request: Request, server: BunServer): Promise<Response | undefined> {
  let upgraded = false;
  // A handler may wait for minions longer than a connection may be idle.
  server.timeout(request, 0);
  const response = await handler(request, {
    address: plainAddress(server.requestIP(request)?.address),
    upgrade(handlers) {
      upgraded = server.upgrade(request, { data: { handlers } });
      if (!upgraded) throw new TypeError("Cannot upgrade: the request did not ask for a WebSocket");
      return new Response(null);
    },
    keepOpen: () => {},
  });
  return upgraded ? undefined : response;
}

async function closeServer(server: BunServer, sockets: BunWebSockets, graceMs: number): Promise<void> {
  sockets.closeAll(GOING_AWAY);
  const stopped = server.stop();
  let timer: unknown;
  // Open streams keep a server from stopping.
  await Promise.race([stopped, new Promise<void>((resolve) => timer = setTimeout(resolve, graceMs))]);
  clearTimeout(timer);
  await server.stop(true);
}
