import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SystemError } from "../../base/errors.ts";
import { SALT_COMPAT } from "../../base/version.ts";
import type { HttpRequest, HttpTrust } from "../http.ts";
import type { TlsDial } from "../net.ts";
import { askProxy, proxyAuthorization } from "../proxy_net.ts";
import { builtin } from "./builtin.ts";
import { dialSocket } from "./net.ts";

/** The `User-Agent`, as Salt sends it: some servers refuse a request without one. */
const AGENT = `Salt/${SALT_COMPAT} http.query()`;
/** Statuses without a body: `Response` refuses a body for them. */
const BODILESS = new Set([101, 103, 204, 205, 304]);

/**
 * One request over `node:http`, which leaves a body as it was sent. `fetch()` undoes a content-encoding: the bytes would not be those
 * that a checksum was made of. It opens the connection itself: the three runtimes then parse responses alike, and none of them looks
 * for proxies in the environment.
 */
export async function requestHttp(address: string, request: HttpRequest): Promise<Response> {
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`Cannot fetch over ${url.protocol}`);
  const { signal } = request;
  signal?.throwIfAborted();
  const line = await connected(url, request);
  const { socket } = line;
  try {
    const message = await sent(url, request, socket);
    const { "transfer-encoding": coding = "chunked" } = message.headers;
    if (coding.toLowerCase() !== "chunked") {
      throw new TypeError(`Cannot read a body with transfer-encoding "${coding}"`);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(message.headersDistinct)) {
      for (const one of value ?? []) headers.append(name, one);
    }
    const status = message.statusCode ?? 0;
    const init = { status, statusText: message.statusMessage ?? "", headers };
    if (!BODILESS.has(status)) return new Response(bodyOf(message, line, signal), init);
    socket.destroy();
    return new Response(null, init);
  } catch (error) {
    socket.destroy();
    throw signal?.aborted ? signal.reason : error;
  }
}

/** A connection, and the error that has ended it, if any. */
interface Line {
  socket: Socket;
  failure(): Error | undefined;
}

function failureOf(socket: Socket): () => Error | undefined {
  let failure: Error | undefined;
  socket.on("error", (error) => failure ??= error);
  return () => failure;
}

function tlsOf({ verify, ca, cert, key = cert }: HttpTrust = {}): TlsDial {
  return { verify: verify === false ? "nothing" : "name", authorities: ca, certificate: cert, key };
}

/** Opens a new connection for the request: one with another certificate or other authorities must not be reused. The request's signal ends it. */
function connected(url: URL, { signal, tls, proxy, connectMs }: HttpRequest): Promise<Line> {
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const to = { kind: "tcp" as const, host, port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port) };
  return dialSocket(
    proxy === undefined ? to : { kind: "tcp", host: proxy.host, port: proxy.port },
    {
      ...(signal === undefined ? {} : { signal }),
      ...(connectMs === undefined ? {} : { timeoutMs: connectMs }),
      ...(isSecure ? { tls: { ...tlsOf(tls), serverName: host } } : {}),
      ...(isSecure && proxy !== undefined ? { prepare: (plain, signal) => askProxy(plain, proxy, to, signal) } : {}),
    },
    (socket) => {
      const abort = () => void socket.destroy(signal?.reason as Error);
      signal?.addEventListener("abort", abort, { once: true });
      socket.once("close", () => signal?.removeEventListener("abort", abort));
      return { socket, failure: failureOf(socket) };
    },
  );
}

function sent(
  url: URL,
  { method = "GET", headers, body, proxy }: HttpRequest,
  socket: Socket,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const path = `${url.pathname}${url.search}`;
  const asked = url.protocol === "http:" ? proxy : undefined;
  const shown = asked && proxyAuthorization(asked);
  const outgoing = builtin("node:http").request({
    path: asked === undefined ? path : `http://${url.host}${path}`,
    method,
    createConnection: () => socket,
    headers: {
      "user-agent": AGENT,
      ...Object.fromEntries(headers ?? new Headers()),
      host: url.host,
      ...(shown === undefined ? {} : { "proxy-authorization": shown }),
      ...(body === undefined ? {} : { "content-length": String(body.length) }),
    },
  });
  outgoing.once("response", resolve);
  outgoing.once("upgrade", () => reject(new TypeError("The server changes the protocol without a request")));
  outgoing.on("error", reject);
  outgoing.once("close", () => reject(new Error("The server closed the connection before it answered")));
  outgoing.end(body);
  return promise;
}

function cutShort(cause: unknown): SystemError {
  return new SystemError("ECONNRESET", "the connection closed before the end of the body", { cause });
}

/**
 * The body of a response, which fails if the connection breaks off. For a body without a length, the parser takes any end of the
 * connection for the end of the body, so a failed or aborted connection is checked here.
 */
function bodyOf(
  message: IncomingMessage,
  { socket, failure }: Line,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const pieces = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next().catch((error) => {
        socket.destroy();
        throw signal?.aborted ? signal.reason : cutShort(failure() ?? error);
      });
      if (!done) return controller.enqueue(new Uint8Array(value));
      signal?.throwIfAborted();
      const error = failure();
      if (error !== undefined) throw cutShort(error);
      socket.destroy();
      controller.close();
    },
    cancel: () => void socket.destroy(),
  });
}
