/** HTTP on Deno: `Deno.serve` with its own WebSockets. */
import { SystemError } from "../../errors.ts";
import type { HttpHandler, HttpServeOptions, HttpServer, TlsPair, WebSocketHandlers, WebSocketPeer } from "../http.ts";

interface DenoSocket {
  bufferedAmount: number;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

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

/** How often, and at what distance, a port is tried that is about to be free. */
const MOST_TRIES = 200;
const TRY_MS = 5;

const ERRNO: Record<string, string> = { AddrInUse: "EADDRINUSE", PermissionDenied: "EACCES", NotCapable: "EACCES" };

/** Serves with `Deno.serve`. It has no timer for the head of a request: `headTimeoutMs` does not count here. */
export function serveHttp(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer> {
  const { Deno } = globalThis as unknown as { Deno: DenoGlobal };
  const { host, tls } = options;
  const open = new Set<DenoSocket>();
  const upgrade = (request: Request, handlers: WebSocketHandlers): Response => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    const peer: WebSocketPeer = {
      send: (text) => socket.send(text),
      get buffered() {
        return socket.bufferedAmount;
      },
      close: (code, reason) => socket.close(code, reason),
    };
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      open.delete(socket);
      handlers.onClose?.();
    };
    socket.onopen = () => {
      open.add(socket);
      handlers.onOpen?.(peer);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") handlers.onMessage?.(data, peer);
      else socket.close(1003, "Only text is understood");
    };
    socket.onclose = end;
    socket.onerror = end;
    return response;
  };
  const start = (port: number, pair: TlsPair | undefined, signal: AbortSignal): DenoServer =>
    Deno.serve({
      hostname: host,
      port,
      signal,
      onListen: () => {},
      ...(options.backlog === undefined ? {} : { tcpBacklog: options.backlog }),
      ...(pair === undefined ? {} : { cert: pair.cert, key: pair.key }),
    }, (request, { remoteAddr }) =>
      handler(request, {
        address: (remoteAddr.hostname ?? "").replace(/^::ffff:(?=\d+\.)/, ""),
        upgrade: (handlers) => upgrade(request, handlers),
        keepOpen: () => {},
      }));

  let abort = new AbortController();
  let server: DenoServer;
  try {
    server = start(options.port, tls, abort.signal);
  } catch (error) {
    const { name, message } = error as Error;
    throw new SystemError(ERRNO[name] ?? "EIO", `Cannot serve HTTP at ${host}:${options.port}: ${message}`, {
      cause: error,
    });
  }
  const { port } = server.addr;
  let closed: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    for (const socket of open) socket.close(1001);
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(true), graceMs);
    const isLate = await Promise.race([server.shutdown().then(() => false), late]);
    clearTimeout(timer);
    // A server that has shut down by itself has nothing left to abort, and says so loudly.
    if (isLate) abort.abort();
    await server.finished;
  };
  return Promise.resolve({
    port,
    async reloadTls(pair: TlsPair) {
      if (tls === undefined) return;
      // Deno takes no other certificate while it listens. What is connected stays with the old server until it is done.
      void server.shutdown();
      abort = new AbortController();
      // It lets go of the port in a turn of its own.
      for (let tries = 0;; tries++) {
        try {
          server = start(port, pair, abort.signal);
          return;
        } catch (error) {
          if (tries >= MOST_TRIES) throw error;
          await new Promise<void>((resolve) => void setTimeout(resolve, TRY_MS));
        }
      }
    },
    close: (graceMs = 0) => closed ??= close(graceMs),
    [Symbol.asyncDispose]: () => closed ??= close(0),
  });
}
