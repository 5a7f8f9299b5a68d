/** HTTP on Deno: `Deno.serve` with its own WebSockets. */
import { SystemError } from "../../errors.ts";
import { GOING_AWAY, plainAddress } from "../http.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../http.ts";
import { type DenoSocket, DenoWebSockets } from "./http_websocket.ts";
import { OpenResponses } from "./open_responses.ts";

interface DenoServer {
  readonly addr: { port: number };
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

interface DenoGlobal {
  serve(
    options: Record<string, unknown>,
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Response | Promise<Response>,
  ): DenoServer;
  upgradeWebSocket(request: Request): { socket: DenoSocket; response: Response };
}

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** How often a port that is about to become free is retried, and the wait in between in milliseconds. */
const MAX_TRIES = 200;
const TRY_MS = 5;

const ERRNO: Record<string, string> = { AddrInUse: "EADDRINUSE", PermissionDenied: "EACCES", NotCapable: "EACCES" };

/** A server, and the two ways to end its requests: at once with all connections, or by completing their responses. */
interface Started {
  server: DenoServer;
  abort: AbortController;
  responses: OpenResponses;
}

/** Serves with `Deno.serve`. It has no timer for the head of a request: `headTimeoutMs` has no effect here. */
export async function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { tls } = options;
  const sockets = new DenoWebSockets();
  const start = (port: number, pair: TlsPair | undefined) => startServer(handler, { ...options, port }, pair, sockets);
  let started = start(options.port, tls);
  const { port } = started.server.addr;
  let closed: Promise<void> | undefined;
  return await Promise.resolve({
    port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Deno cannot change the certificate while it listens. Open connections stay with the old server until they are done.
      void started.server.shutdown();
      started = await onceFree(() => start(port, pair));
    },
    close: (graceMs = 0) => closed ??= closeServer(started, sockets, graceMs),
    [Symbol.asyncDispose]: () => closed ??= closeServer(started, sockets, 0),
  });
}

/** @throws {SystemError} */
function startServer(
  handler: HttpHandler,
  { host, port, backlog }: HttpServeOptions,
  pair: TlsPair | undefined,
  sockets: DenoWebSockets,
): Started {
  const { Deno } = globalThis as unknown as { Deno: DenoGlobal };
  const abort = new AbortController();
  const responses = new OpenResponses();
  const serveOptions = {
    hostname: host,
    port,
    signal: abort.signal,
    onListen: () => {},
    ...(backlog === undefined ? {} : { tcpBacklog: backlog }),
    ...(pair === undefined ? {} : { cert: pair.cert, key: pair.key }),
  };
  try {
    const server = Deno.serve(serveOptions, async (request, { remoteAddr }) => {
      let isLong = false;
      const response = await responses.track(handler(request, {
        address: plainAddress(remoteAddr.hostname),
        upgrade(handlers) {
          const { socket, response } = Deno.upgradeWebSocket(request);
          sockets.attach(socket, handlers);
          return response;
        },
        keepOpen: () => void (isLong = true),
      }));
      return isLong ? responses.cuttable(response) : response;
    });
    return { server, abort, responses };
  } catch (error) {
    const { name, message } = error as Error;
    const code = ERRNO[name] ?? "EIO";
    throw new SystemError(code, `Cannot serve HTTP at ${host}:${port}: ${message}`, { cause: error });
  }
}

/** Starts a server where another has just stopped, which releases the port a little later. */
async function onceFree(start: () => Started): Promise<Started> {
  for (let tries = 0;; tries++) {
    try {
      return start();
    } catch (error) {
      if (tries >= MAX_TRIES) throw error;
      await new Promise<void>((resolve) => void setTimeout(resolve, TRY_MS));
    }
  }
}

async function closeServer(
  { server, abort, responses }: Started,
  sockets: DenoWebSockets,
  graceMs: number,
): Promise<void> {
  sockets.closeAll(GOING_AWAY);
  if (graceMs === 0) {
    abort.abort();
  } else {
    const deadline = setTimeout(() => responses.endAll(), graceMs);
    await server.shutdown();
    clearTimeout(deadline);
  }
  await server.finished;
}
