/** The HTTP server for Prometheus: `GET /metrics` and `GET /health`, and nothing else. */
import type { Clock } from "../../../src/base/async/clock.ts";
import type { Crypto } from "../../../src/runtime/crypto.ts";
import type { Connection, Net, SocketAddress } from "../../../src/runtime/net.ts";

export interface ScrapeServerOptions {
  net: Net;
  clock: Clock;
  crypto: Crypto;
  host: string;
  /** Port; 0 for any free port. */
  port: number;
  /** The bearer token that `/metrics` requires; undefined for none. */
  token: string | undefined;
  contentType: string;
  /** Returns all metrics as text. */
  write(): Promise<string>;
}

interface ScrapeServer {
  readonly address: SocketAddress;
  close(): Promise<void>;
}

/** Concurrent connections, at most. For one more, the oldest connection without a complete request is closed. */
const MAX_CONNECTIONS = 32;
/** Bytes of a request's head, at most. */
const HEAD_BYTES = 8192;
/** Timeout for a whole request with its answer, in milliseconds. */
const LIMIT_MS = 10_000;
/** Milliseconds for which an answer is used again, so that frequent requests cost no more. */
const FRESH_MS = 1000;

const encoder = new TextEncoder();
const REASONS: Record<number, string> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
};

interface Answer {
  status: number;
  type?: string;
  body: string;
}

/**
 * Serves metrics until it is closed. Each connection has one request; a head that is too long or too late closes the
 * connection.
 *
 * @throws {SystemError} if the address cannot be used
 */
export async function serveScrapes(options: ScrapeServerOptions): Promise<ScrapeServer> {
  const { net, clock, host, port, write } = options;
  const open = new Set<Connection>();
  /** Connections with an incomplete request, oldest first. */
  const waiting = new Set<Connection>();
  const forget = (connection: Connection): void => {
    open.delete(connection);
    waiting.delete(connection);
  };
  let text: { atMs: number; value: Promise<string> } | undefined;
  const metrics = (): Promise<string> => {
    const now = clock.now();
    if (text === undefined || Math.abs(now - text.atMs) > FRESH_MS) text = { atMs: now, value: write() };
    return text.value;
  };
  const listener = await net.listen({ kind: "tcp", host, port }, (connection) => {
    if (open.size >= MAX_CONNECTIONS) {
      // Close an idle connection for a new one: a health probe without an answer would restart the daemon.
      const [idle] = waiting;
      if (idle === undefined) return connection.destroy();
      forget(idle);
      idle.destroy();
    }
    open.add(connection);
    waiting.add(connection);
    const cancel = clock.after(LIMIT_MS, () => connection.destroy());
    let head = new Uint8Array(0);
    let done = false;
    connection.start({
      onData(chunk) {
        if (done) return;
        const longer = new Uint8Array(head.length + chunk.length);
        longer.set(head);
        longer.set(chunk, head.length);
        head = longer;
        const end = endOf(head);
        if (end < 0 && head.length <= HEAD_BYTES) return;
        done = true;
        waiting.delete(connection);
        const answer = end < 0 || end > HEAD_BYTES
          ? Promise.resolve({ status: 431, body: "The head of the request is too long\n" })
          : answerTo(new TextDecoder().decode(head.subarray(0, end)), options, metrics);
        void answer.then((answer) => {
          connection.write(bytesOf(answer));
          connection.end();
        });
      },
      onClose() {
        cancel();
        forget(connection);
      },
    });
  });
  return {
    address: listener.address,
    async close() {
      await listener.close();
      for (const connection of open) connection.destroy();
    },
  };
}

/** Offset of the end of a request's head; -1 if the head is incomplete. */
function endOf(bytes: Uint8Array): number {
  for (let at = 3; at < bytes.length; at++) {
    if (bytes[at] === 10 && bytes[at - 1] === 13 && bytes[at - 2] === 10 && bytes[at - 3] === 13) return at - 3;
  }
  return -1;
}

async function answerTo(head: string, options: ScrapeServerOptions, metrics: () => Promise<string>): Promise<Answer> {
  const [first = "", ...lines] = head.split("\r\n");
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined) return { status: 400, body: "Not an HTTP request\n" };
  const path = target!.replace(/[?#].*$/, "");
  if (path !== "/metrics" && path !== "/health") return { status: 404, body: "Use /metrics or /health\n" };
  if (method !== "GET") return { status: 405, body: "Use GET\n" };
  if (path === "/health") return { status: 200, body: "ok\n" };
  if (!mayRead(lines, options)) return { status: 401, body: "Send the token: Authorization: Bearer <token>\n" };
  try {
    return { status: 200, type: options.contentType, body: await metrics() };
  } catch {
    return { status: 500, body: "The metrics could not be collected\n" };
  }
}

function mayRead(lines: readonly string[], { token, crypto }: ScrapeServerOptions): boolean {
  if (token === undefined) return true;
  const line = lines.find((line) => /^authorization:/i.test(line)) ?? "";
  const [, given = ""] = /^[^:]*:\s*bearer\s+(\S+)\s*$/i.exec(line) ?? [];
  const digest = (text: string) => crypto.hash("sha256", encoder.encode(text));
  return crypto.equal(digest(given), digest(token));
}

function bytesOf({ status, type = "text/plain; charset=utf-8", body }: Answer): Uint8Array {
  const content = encoder.encode(body);
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${content.length}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    ...(status === 401 ? ["WWW-Authenticate: Bearer"] : []),
    "Connection: close",
    "",
    "",
  ];
  const start = encoder.encode(head.join("\r\n"));
  const bytes = new Uint8Array(start.length + content.length);
  bytes.set(start);
  bytes.set(content, start.length);
  return bytes;
}
