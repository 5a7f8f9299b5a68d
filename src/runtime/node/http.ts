/** HTTP on Node: `@hono/node-server`, and the `ws` sockets of `@hono/node-ws`. */
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import { SystemError } from "../../errors.ts";
import type {
  HttpHandler,
  HttpPeer,
  HttpServeOptions,
  HttpServer,
  TlsPair,
  WebSocketHandlers,
  WebSocketPeer,
} from "../http.ts";

/** What node-server and node-ws hand on with a request. */
interface Bindings {
  incoming: { socket: Socket };
}

/** How often a closing server looks for connections that have become idle, in milliseconds. */
const SWEEP_MS = 50;

/** What is used of the socket of a peer; the `ws` package's. */
interface RawSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

/** What is used of `hono/ws`. */
interface Events {
  onOpen(event: unknown, socket: { raw?: RawSocket }): void;
  onMessage(event: { data: unknown }): void;
  onClose(): void;
}

/** What is used of `@hono/node-ws`. */
interface Sockets {
  readonly wss: { readonly clients: Iterable<RawSocket>; readonly options: { maxPayload?: number } };
  injectWebSocket(server: Server): void;
  /** Of the two ways to call it, the one that is not wrapped as middleware. */
  upgradeWebSocket(context: unknown, events: Events): Promise<Response>;
}

/** What is used of `@hono/node-server`. */
type GetRequestListener = (
  answer: (request: Request, env: unknown) => Response | Promise<Response>,
  options: { overrideGlobalObjects: boolean; hostname: string },
) => RequestListener;

/**
 * The two packages. They are described above and loaded here, since whoever imports Brine from a URL has no map for their
 * names: a script that serves no HTTP must not fail for want of them, neither when it runs nor when its types are checked.
 */
async function packages(): Promise<{
  getRequestListener: GetRequestListener;
  createNodeWebSocket(options: { app: unknown }): Sockets;
}> {
  const [server, sockets] = await Promise.all([import("@hono/node-server"), import("@hono/node-ws")]);
  return {
    getRequestListener: server.getRequestListener as GetRequestListener,
    createNodeWebSocket: sockets.createNodeWebSocket as unknown as (options: { app: unknown }) => Sockets,
  };
}

function addressOf(socket: Socket): string {
  // An IPv4 peer of a dual-stack socket.
  return (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
}

/** Serves on Node's own server. */
export async function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { host, port, backlog = 511, tls, headTimeoutMs = 20_000 } = options;
  const answer = (request: Request, env: unknown): Response | Promise<Response> => {
    const { incoming: { socket } } = env as Bindings;
    const peer: HttpPeer = {
      address: addressOf(socket),
      upgrade: () => {
        throw new TypeError("Cannot upgrade: the request did not ask for a WebSocket");
      },
      keepOpen: () => void socket.setTimeout(0),
    };
    return handler(request, peer);
  };
  const { getRequestListener, createNodeWebSocket } = await packages();
  const listener = getRequestListener(answer, { overrideGlobalObjects: false, hostname: host });
  const timers = {
    headersTimeout: headTimeoutMs,
    // The body has a limit of its own, in the handler; a slow answer is no fault of the request.
    requestTimeout: 0,
    keepAliveTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.max(250, Math.min(headTimeoutMs / 4, 5000)),
  };
  const server: Server | SecureServer = tls === undefined
    ? createServer(timers, listener)
    : createSecureServer({ ...timers, cert: tls.cert, key: tls.key }, listener);

  const sockets: Sockets = createNodeWebSocket({
    app: {
      // What node-ws asks before it answers: the handler, whose peer can upgrade here.
      request: (url: URL, init: RequestInit, env: Bindings) => {
        const request = new Request(url, init);
        return handler(request, {
          address: addressOf(env.incoming.socket),
          upgrade: (handlers) => upgraded(sockets, handlers, request, env),
          keepOpen: () => {},
        });
      },
    },
  });
  // Those who listen say a word or two; the library's own bound is 100 MiB.
  sockets.wss.options.maxPayload = 65_536;
  sockets.injectWebSocket(server as Server);

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new SystemError(error.code ?? "EIO", `Cannot serve HTTP at ${host}:${port}: ${error.message}`));
    });
    server.listen({ host, port, backlog }, resolve);
  });
  const { port: taken } = server.address() as { port: number };

  let closed: Promise<void> | undefined;
  const close = (graceMs: number) => {
    const gone = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets.wss.clients) socket.close(1001);
    server.closeIdleConnections();
    // A connection that was busy a moment ago is idle when its answer is out, and would stay for a next request.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const hard = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of sockets.wss.clients) socket.terminate();
    }, graceMs);
    return gone.finally(() => {
      clearInterval(sweep);
      clearTimeout(hard);
    });
  };
  return {
    port: taken,
    reloadTls: (pair: TlsPair) => {
      if (tls !== undefined) (server as SecureServer).setSecureContext({ cert: pair.cert, key: pair.key });
      return Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= close(graceMs),
    [Symbol.asyncDispose]: () => closed ??= close(0),
  };
}

/** node-ws upgrades from within a Hono handler; ours needs the context's two fields that it looks at. */
function upgraded(sockets: Sockets, handlers: WebSocketHandlers, request: Request, env: Bindings): Response {
  let peer: WebSocketPeer | undefined;
  const events: Events = {
    onOpen: (_event, { raw }) => {
      const socket = raw!;
      peer = {
        send: (text) => socket.send(text),
        get buffered() {
          return socket.bufferedAmount;
        },
        close: (code, reason) => socket.close(code, reason),
      };
      handlers.onOpen?.(peer);
    },
    onMessage: ({ data }) => {
      if (typeof data === "string") handlers.onMessage?.(data, peer!);
      else peer!.close(1003, "Only text is understood");
    },
    onClose: () => handlers.onClose?.(),
  };
  const context = { req: { url: request.url, header: (name: string) => request.headers.get(name) ?? undefined }, env };
  // Synchronous up to the registration that node-ws looks for once this answer is there.
  void sockets.upgradeWebSocket(context, events);
  return new Response(null);
}
