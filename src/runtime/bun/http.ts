/** HTTP on Bun: `Bun.serve` with its own WebSockets. */
import { GOING_AWAY } from "../http.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../http.ts";
import { type Gate, openGate } from "../http_gate.ts";
import type { Net } from "../net.ts";
import { BunWebSockets, type SocketData } from "./http_websocket.ts";

interface BunServer {
  port: number;
  requestIP(request: Request): { port: number } | null;
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

/** Serves with `Bun.serve` behind a gate, which counts connections. */
export async function serveBunHttp(handler: HttpHandler, options: HttpServeOptions, net: Net): Promise<HttpServer> {
  const { tls } = options;
  const sockets = new BunWebSockets();
  let server: BunServer | undefined;
  const gate = await openGate(net, handler, () => server!.port, options);
  server = startServer(gate, options, tls, sockets);
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    await gate.stop();
    await closeServer(server!, sockets, graceMs);
    await gate.close();
  };
  return {
    port: gate.port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Bun cannot change the certificate while it listens. Open connections stay with the old server until they are done.
      const old = server!;
      server = startServer(gate, options, pair, sockets);
      void old.stop();
      await Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= close(graceMs),
    [Symbol.asyncDispose]: () => closed ??= close(0),
  };
}

function startServer(
  gate: Gate,
  { headTimeoutMs = 20_000 }: HttpServeOptions,
  pair: TlsPair | undefined,
  sockets: BunWebSockets,
): BunServer {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: Math.min(MAX_IDLE, Math.max(1, Math.ceil(headTimeoutMs / 1000))),
    // The handler has a limit of its own and answers 413, where Bun would close the connection.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    reusePort: false,
    ...(pair === undefined ? {} : { tls: { cert: pair.cert, key: pair.key } }),
    fetch: (request: Request, server: BunServer) => answer(gate, request, server),
    websocket: sockets.options,
  });
}

/** The handler's response; undefined for a request that was upgraded, as Bun expects. */
async function answer(gate: Gate, request: Request, server: BunServer): Promise<Response | undefined> {
  let upgraded = false;
  // A handler may wait for minions longer than a connection may be idle.
  server.timeout(request, 0);
  const response = await gate.handle(request, server.requestIP(request)?.port, {
    upgrade(handlers) {
      upgraded = server.upgrade(request, { data: { handlers } });
      if (!upgraded) throw new TypeError("Cannot upgrade: the request did not ask for a WebSocket");
      return new Response(null);
    },
    keepOpen: () => {},
    known: () => {},
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
