/** HTTP/1.1 over a byte stream, one request a connection: what a daemon behind a Unix socket speaks. */
import type { Clock } from "../../base/async/clock.ts";
import type { Connection } from "../../runtime/net.ts";

interface HttpRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Bytes, or pieces that are sent one after the other. @default none */
  body?: Uint8Array | Iterable<Uint8Array>;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

const LONGEST_HEAD = 65_536;
const LONGEST_LINE = 1024;
/** Bytes that wait here before the other side is held back. */
const MOST_WAITING = 1 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

/** The bytes of a connection as they are asked for. */
class Incoming {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #idleMs: number;
  #left = new Uint8Array(0);
  readonly #chunks: Uint8Array[] = [];
  #waiting = 0;
  #closed = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(connection: Connection, clock: Clock, idleMs: number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#idleMs = idleMs;
    connection.start({
      onData: (chunk) => {
        this.#chunks.push(chunk);
        this.#waiting += chunk.length;
        if (this.#waiting > MOST_WAITING) connection.pause();
        this.#wake?.();
      },
      onDrain: () => this.#drained?.(),
      onClose: (error) => {
        this.#closed = true;
        this.#failure ??= error;
        this.#wake?.();
        this.#drained?.();
      },
    });
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#connection.destroy();
    this.#wake?.();
    this.#drained?.();
  }

  /** Passes bytes on; resolves when there is room for more. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#connection.write(bytes) || this.#closed) return;
    const cancel = this.#clock.after(this.#idleMs, () => this.fail(new Error("Write timed out")));
    await new Promise<void>((resolve) => this.#drained = resolve);
    cancel();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The next bytes; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#left.length > 0) {
      const left = this.#left;
      this.#left = new Uint8Array(0);
      return left;
    }
    if (this.#chunks.length === 0 && !this.#closed && this.#failure === undefined) {
      const seconds = this.#idleMs / 1000;
      const late = () => this.fail(new Error(`Read timed out. (read timeout=${seconds})`));
      const cancel = Number.isFinite(this.#idleMs) ? this.#clock.after(this.#idleMs, late) : () => {};
      await new Promise<void>((resolve) => this.#wake = resolve);
      this.#wake = undefined;
      cancel();
    }
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#failure !== undefined) throw this.#failure;
    if (chunk !== undefined && this.#waiting > MOST_WAITING && this.#waiting - chunk.length <= MOST_WAITING) {
      this.#connection.resume();
    }
    this.#waiting -= chunk?.length ?? 0;
    return chunk;
  }

  /** Text up to an end, which is taken and not returned. */
  async until(end: string, most: number): Promise<string> {
    let text = "";
    for (;;) {
      const chunk = await this.next();
      if (chunk === undefined) throw new Error("The connection was closed in the middle of an answer");
      const seen = text + decoder.decode(chunk);
      const at = seen.indexOf(end, Math.max(0, text.length - end.length));
      if (at >= 0) {
        this.#left = chunk.slice(at + end.length - text.length);
        return seen.slice(0, at);
      }
      if (seen.length > most) throw new Error("An answer has a head that is too long");
      text = seen;
    }
  }

  async *exactly(length: number): AsyncGenerator<Uint8Array> {
    for (let missing = length; missing > 0;) {
      const chunk = await this.next();
      if (chunk === undefined) throw new Error("The connection was closed in the middle of an answer");
      if (chunk.length > missing) this.#left = chunk.slice(missing);
      yield chunk.subarray(0, Math.min(missing, chunk.length));
      missing -= Math.min(missing, chunk.length);
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) yield chunk;
  }

  async *chunked(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = (await this.until("\r\n", LONGEST_LINE)).split(";")[0]!.trim();
      if (!/^[0-9a-f]{1,8}$/i.test(line)) throw new Error(`An answer has a piece of length "${line}"`);
      const length = parseInt(line, 16);
      if (length === 0) return;
      yield* this.exactly(length);
      await this.until("\r\n", LONGEST_LINE);
    }
  }
}

function parseHead(text: string): Pick<HttpResponse, "status" | "headers"> {
  const [first = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
  if (status === undefined) throw new Error("The answer is not HTTP");
  const pairs = lines.map((line) => /^([^:]+):\s*(.*?)\s*$/.exec(line)).filter((match) => match !== null);
  return { status: Number(status), headers: Object.fromEntries(pairs.map(([, k, v]) => [k!.toLowerCase(), v!])) };
}

async function send(incoming: Incoming, { method, path, headers = {}, body }: HttpRequest, host: string) {
  const own: Record<string, string> = { Host: host, Connection: "close", ...headers };
  const whole = body instanceof Uint8Array;
  if (whole) own["Content-Length"] = String(body.length);
  else if (body !== undefined) own["Transfer-Encoding"] = "chunked";
  else if (method !== "GET") own["Content-Length"] = "0";
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  await incoming.write(encoder.encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  if (whole) await incoming.write(body);
  else if (body !== undefined) {
    for (const piece of body) {
      if (piece.length === 0) continue;
      await incoming.write(encoder.encode(`${piece.length.toString(16)}\r\n`));
      await incoming.write(piece);
      await incoming.write(encoder.encode("\r\n"));
    }
    await incoming.write(encoder.encode("0\r\n\r\n"));
  }
}

interface ExchangeOptions {
  clock: Clock;
  /** How long to wait for the next bytes. */
  idleMs: number;
  host: string;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request over a new connection and reads the answer, whose body is read as it is asked for. The connection is closed
 * when the body ends or is given up.
 *
 * @throws {Error} what is no HTTP, an end in the middle, or silence for `idleMs`
 */
export async function exchange(
  connection: Connection,
  request: HttpRequest,
  { clock, idleMs, host, signal }: ExchangeOptions,
): Promise<HttpResponse> {
  const incoming = new Incoming(connection, clock, idleMs);
  const stop = () => incoming.fail(signal!.reason instanceof Error ? signal!.reason : new Error("aborted"));
  signal?.addEventListener("abort", stop, { once: true });
  const end = () => {
    signal?.removeEventListener("abort", stop);
    connection.destroy();
  };
  try {
    await send(incoming, request, host);
    const head = parseHead(await incoming.until("\r\n\r\n", LONGEST_HEAD));
    const { "content-length": length, "transfer-encoding": encoding } = head.headers;
    const bytes = request.method === "HEAD" || [204, 304].includes(head.status)
      ? incoming.exactly(0)
      : encoding?.toLowerCase() === "chunked"
      ? incoming.chunked()
      : length !== undefined && /^\d{1,15}$/.test(length)
      ? incoming.exactly(Number(length))
      : incoming.rest();
    const body = async function* () {
      try {
        yield* bytes;
      } finally {
        end();
      }
    };
    return { ...head, body: body() };
  } catch (error) {
    end();
    throw error;
  }
}
