import type { Clock } from "../../base/async/clock.ts";
import { SystemError } from "../../base/errors.ts";
import type { Http, HttpHandler, HttpServer } from "../http.ts";

/** HTTP servers of one process, and the way to send them requests. */
interface MemoryHttp extends Http {
  /**
   * Sends a request to the server that listens on the port of its URL.
   *
   * @param from the client's address. @default 127.0.0.1
   * @throws {SystemError} `ECONNREFUSED` if there is none, `ECONNRESET` if it is closed before the response is complete
   */
  fetch(request: Request, from?: string): Promise<Response>;
}

/** The lowest port for servers that ask for port 0. */
const FIRST_PORT = 49_152;

interface MemoryServer {
  handler: HttpHandler;
  /** For each request in progress, a function that ends it. */
  requests: Set<() => void>;
  /** Called when the last request in progress has ended. */
  onIdle(): void;
}

/** HTTP without sockets. It has no WebSockets, and TLS makes no difference. @param clock for the grace of `close()` */
export function memoryHttp(clock: Clock): MemoryHttp {
  const servers = new Map<number, MemoryServer>();
  let next = FIRST_PORT;
  return {
    serve(handler, { port }): Promise<HttpServer> {
      const taken = port === 0 ? next++ : port;
      if (servers.has(taken)) {
        const error = new SystemError("EADDRINUSE", `Cannot serve HTTP at port ${taken}: it is in use`, {
          port: taken,
        });
        return Promise.reject(error);
      }
      const server: MemoryServer = { handler, requests: new Set(), onIdle: () => {} };
      servers.set(taken, server);
      let closed: Promise<void> | undefined;
      const close = (graceMs = 0) => {
        servers.delete(taken);
        return closed ??= drain(server, graceMs, clock);
      };
      return Promise.resolve({
        port: taken,
        reloadTls: () => Promise.resolve(),
        close,
        [Symbol.asyncDispose]: () => close(),
      });
    },
    request(url, { method = "GET", headers = new Headers(), body, signal }) {
      const init = { method, headers, ...(body === undefined ? {} : { body: Uint8Array.from(body) }) };
      return this.fetch(new Request(url, { ...init, ...(signal === undefined ? {} : { signal }) }));
    },
    async fetch(request, from = "127.0.0.1") {
      const { port, protocol } = new URL(request.url);
      const server = servers.get(port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));
      if (server === undefined) throw new SystemError("ECONNREFUSED", `No server listens at ${request.url}`);
      return await exchange(server, request, from);
    },
  };
}

/** Waits until no request is in progress, for at most `graceMs`, then ends those that are left. */
async function drain(server: MemoryServer, graceMs: number, clock: Clock): Promise<void> {
  const { requests } = server;
  if (requests.size > 0 && graceMs > 0) {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(graceMs, resolve);
      server.onIdle = () => {
        cancel();
        resolve();
      };
    });
  }
  for (const end of [...requests]) end();
}

async function exchange(server: MemoryServer, request: Request, from: string): Promise<Response> {
  const { handler, requests } = server;
  const gone = new AbortController();
  const reset = Promise.withResolvers<never>();
  reset.promise.catch(() => {});
  const end = () => {
    const error = new SystemError("ECONNRESET", `The server of ${request.url} was closed`);
    gone.abort(error);
    reset.reject(error);
  };
  const leave = () => gone.abort(request.signal.reason);
  if (request.signal.aborted) leave();
  request.signal.addEventListener("abort", leave);
  requests.add(end);
  try {
    const received = new Request(request, { signal: gone.signal });
    const aborted = new Promise<never>((_resolve, reject) => {
      gone.signal.addEventListener("abort", () => reject(gone.signal.reason), { once: true });
    });
    aborted.catch(() => {});
    return await Promise.race([handler(received, peerFrom(from)), reset.promise, aborted]);
  } finally {
    request.signal.removeEventListener("abort", leave);
    requests.delete(end);
    if (requests.size === 0) server.onIdle();
  }
}

const peerFrom = (address: string) => ({
  address,
  upgrade() {
    throw new TypeError("Cannot upgrade: there are no WebSockets in memory");
  },
  keepOpen: () => {},
  known: () => {},
});
