import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "../http.ts";
import { builtin } from "./builtin.ts";

/** Statuses whose responses have no body: `Response` insists on it. */
const BODILESS = new Set([101, 103, 204, 205, 304]);

/**
 * One request over `node:http`, which leaves a body as it was sent. `fetch()` undoes a content-encoding: the bytes would not be those
 * that a checksum was made of.
 */
export async function requestHttp(address: string, request: HttpRequest): Promise<Response> {
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`Cannot fetch over ${url.protocol}`);
  const message = await sent(url, request);
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  const status = message.statusCode ?? 0;
  const init = { status, statusText: message.statusMessage ?? "", headers };
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, init);
  }
  return new Response(bodyOf(message), init);
}

function sent(url: URL, { method = "GET", headers, body, signal, tls = {} }: HttpRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  signal?.throwIfAborted();
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const client = url.protocol === "https:" ? builtin("node:https") : builtin("node:http");
  const outgoing = client.request({
    host,
    port: url.port === "" ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method,
    // A connection of its own: none of another certificate or trust is used again.
    agent: false,
    headers: {
      ...Object.fromEntries(headers ?? new Headers()),
      host: url.host,
      ...(body === undefined ? {} : { "content-length": String(body.length) }),
    },
    ...(url.protocol === "https:"
      ? {
        servername: /^[\d.]+$|:/.test(host) ? "" : host,
        ...(tls.verify === false ? { rejectUnauthorized: false } : {}),
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key ?? tls.cert }),
      }
      : {}),
  });
  const abort = () => void outgoing.destroy(signal?.reason as Error);
  signal?.addEventListener("abort", abort, { once: true });
  outgoing.once("response", (message) => {
    message.once("close", () => signal?.removeEventListener("abort", abort));
    resolve(message);
  });
  outgoing.once("error", (error) => {
    signal?.removeEventListener("abort", abort);
    reject(signal?.aborted ? signal.reason : error);
  });
  outgoing.end(body);
  return promise;
}

/** The body of a response; it fails where the connection breaks off. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void message.destroy(),
  });
}
