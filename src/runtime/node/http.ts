/** HTTP on Node: its own server, with `@hono/node-server` and the `ws` sockets of `@hono/node-ws`. */
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { SystemError } from "../../base/errors.ts";
import { GOING_AWAY, plainAddress } from "../http.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../http.ts";
import { Guests } from "./http_guests.ts";
import { type Bindings, type HttpPackages, loadHttpPackages, type NodeWebSockets } from "./http_packages.ts";
import { webSocketsFor } from "./http_websocket.ts";

/** How often a closing server closes connections that have become idle, in milliseconds. */
const SWEEP_MS = 50;

/** Serves on Node's own server. */
export async function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { tls } = options;
  const packages = await loadHttpPackages();
  const guests = new Guests(options);
  const server = createFor(options, listenerFor(handler, options, packages, guests));
  guests.watch(server);
  const sockets = webSocketsFor(handler, packages, guests);
  sockets.injectWebSocket(server as Server);
  const port = await listening(server, options);
  let closed: Promise<void> | undefined;
  return {
    port,
    reloadTls: (pair: TlsPair) => {
      if (tls !== undefined) (server as SecureServer).setSecureContext({ cert: pair.cert, key: pair.key });
      return Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= closeServer(server, sockets, graceMs).finally(() => guests.close()),
    [Symbol.asyncDispose]: () => closed ??= closeServer(server, sockets, 0).finally(() => guests.close()),
  };
}

function listenerFor(
  handler: HttpHandler,
  { host }: HttpServeOptions,
  { getRequestListener }: HttpPackages,
  guests: Guests,
): RequestListener {
  const answer = (request: Request, env: unknown) => {
    const { incoming: { socket } } = env as Bindings;
    return handler(request, {
      address: plainAddress(socket.remoteAddress),
      upgrade: () => {
        throw new TypeError("Cannot upgrade: the request did not ask for a WebSocket");
      },
      keepOpen() {
        socket.setTimeout(0);
        guests.known(socket);
      },
      known: () => guests.known(socket),
    });
  };
  return getRequestListener(answer, { overrideGlobalObjects: false, hostname: host });
}

function createFor(
  { tls, headTimeoutMs = 20_000 }: HttpServeOptions,
  listener: RequestListener,
): Server | SecureServer {
  const timers = {
    headersTimeout: headTimeoutMs,
    // The handler has a timeout of its own for the body, and a slow response is not the client's fault, so no limit here.
    requestTimeout: 0,
    keepAliveTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.max(250, Math.min(headTimeoutMs / 4, 5000)),
  };
  if (tls === undefined) return createServer(timers, listener);
  return createSecureServer({ ...timers, handshakeTimeout: headTimeoutMs, cert: tls.cert, key: tls.key }, listener);
}

/** Resolves with the port once the server is listening. */
async function listening(
  server: Server | SecureServer,
  { host, port, backlog = 511 }: HttpServeOptions,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new SystemError(error.code ?? "EIO", `Cannot serve HTTP at ${host}:${port}: ${error.message}`));
    });
    server.listen({ host, port, backlog }, resolve);
  });
  return (server.address() as { port: number }).port;
}

function closeServer(server: Server | SecureServer, { wss }: NodeWebSockets, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of wss.clients) socket.close(GOING_AWAY);
  server.closeIdleConnections();
  // A connection becomes idle when its response is sent, and would then wait for another request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const deadline = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of wss.clients) socket.terminate();
  }, graceMs);
  return closed.finally(() => {
    clearInterval(sweep);
    clearTimeout(deadline);
  });
}
