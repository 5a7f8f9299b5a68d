/** HTTP on Deno: `Deno.serve` with its own WebSockets. */
import { GOING_AWAY } from "../http.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair } from "../http.ts";
import { type Gate, openGate } from "../http_gate.ts";
import type { Net } from "../net.ts";
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
    handler: (request: Request, info: { remoteAddr: { port?: number } }) => Response | Promise<Response>,
  ): DenoServer;
  upgradeWebSocket(request: Request): { socket: DenoSocket; response: Response };
}

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** A server, and the two ways to end its requests: at once with all connections, or by completing their responses. */
interface Started {
  server: DenoServer;
  abort: AbortController;
  responses: OpenResponses;
}

/** Serves with `Deno.serve` behind a gate, which counts connections, and has the timer for heads that Deno has not. */
export async function serveDenoHttp(handler: HttpHandler, options: HttpServeOptions, net: Net): Promise<HttpServer> {
  const { tls } = options;
  const sockets = new DenoWebSockets();
  let started: Started | undefined;
  const gate = await openGate(net, handler, () => started!.server.addr.port, options);
  started = startServer(gate, tls, sockets);
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    await gate.stop();
    await closeServer(started!, sockets, graceMs);
    await gate.close();
  };
  return {
    port: gate.port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Deno cannot change the certificate while it listens. Open connections stay with the old server until they are done.
      const old = started!;
      started = startServer(gate, pair, sockets);
      void old.server.shutdown();
      await Promise.resolve();
    },
    close: (graceMs = 0) => closed ??= close(graceMs),
    [Symbol.asyncDispose]: () => closed ??= close(0),
  };
}

function startServer(gate: Gate, pair: TlsPair | undefined, sockets: DenoWebSockets): Started {
  const { Deno } = globalThis as unknown as { Deno: DenoGlobal };
  const abort = new AbortController();
  const responses = new OpenResponses();
  const serveOptions = {
    hostname: "127.0.0.1",
    port: 0,
    signal: abort.signal,
    onListen: () => {},
    ...(pair === undefined ? {} : { cert: pair.cert, key: pair.key }),
  };
  const server = Deno.serve(serveOptions, async (request, { remoteAddr }) => {
    let isLong = false;
    const response = await responses.track(gate.handle(request, remoteAddr.port, {
      upgrade(handlers) {
        const { socket, response } = Deno.upgradeWebSocket(request);
        sockets.attach(socket, handlers);
        return response;
      },
      keepOpen: () => void (isLong = true),
      known: () => {},
    }));
    return isLong ? responses.cuttable(response) : response;
  });
  return { server, abort, responses };
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
