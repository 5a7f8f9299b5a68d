import { messageOf } from "../../base/errors.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import type { EngineContext, EngineModule } from "../../model/loader/engines.ts";
import { str } from "../../language/python/values.ts";
import type { HttpServer, TlsPair } from "../../runtime/http.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";

/** Time for a body, and for the head of a request. */
const BODY_MS = 10_000;
/** Requests that are taken at once. */
const MOST_REQUESTS = 64;
/** Characters of a tag behind the prefix. */
const LONGEST_PATH = 900;
/** Above half of an event a value is replaced by `VALUE_TRIMMED`: a body must stay below. */
const MOST_BODY = 512 * 1024;
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;
/** What a request may be proven by; it is not for those who listen to the events. */
const SECRET_HEADERS = new Set(["authorization", "cookie", "x-hub-signature", "x-hub-signature-256"]);
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/;

interface Settings {
  tag: string;
  maxBody: number;
  token: string | undefined;
  secret: string | undefined;
}

/** An answer other than 200. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `Content-Type` of `content-type`, as Tornado has the names of headers. */
const headerName = (name: string) =>
  name.split("-").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join("-");

function headersOf(request: Request, isProven: boolean): Record<string, string> {
  return Object.fromEntries(
    [...request.headers].filter(([name]) => !isProven || !SECRET_HEADERS.has(name)).map((
      [name, value],
    ) => [headerName(name), value]),
  );
}

/** The tag behind the prefix. @throws {Refusal} 400 */
function pathTag(request: Request): string {
  let path: string;
  try {
    path = decodeURIComponent(new URL(request.url).pathname.slice(1));
  } catch {
    throw new Refusal(400, "The path is not UTF-8");
  }
  if (path.length > LONGEST_PATH) throw new Refusal(414, `The path has more than ${LONGEST_PATH} characters`);
  if (CONTROL.test(path)) throw new Refusal(400, "The path has control characters");
  return path;
}

/** @throws {Refusal} 413 too large, 408 too slow, 400 broken off */
async function bodyOf(request: Request, most: number, { clock }: Pick<Runtime, "clock">): Promise<Uint8Array> {
  const tooLarge = () => new Refusal(413, `The body has more than ${most} bytes`);
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > most) throw tooLarge();
  if (request.body === null) return new Uint8Array(0);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const cancel = clock.after(BODY_MS, () => late.reject(new Refusal(408, "The body did not arrive in time")));
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) break;
      length += value.length;
      if (length > most) throw tooLarge();
      parts.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error instanceof Refusal ? error : new Refusal(400, "The body was broken off");
  } finally {
    cancel();
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Takes requests and fires their events. */
class Hooks {
  readonly #engine: EngineContext;
  readonly #settings: Settings;
  readonly #counts = { taken: 0, refused: 0 };
  #open = 0;

  constructor(engine: EngineContext, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
  }

  async answer(request: Request, address: string): Promise<Response> {
    const { log, report } = this.#engine;
    try {
      if (this.#open >= MOST_REQUESTS) throw new Refusal(503, "Too many requests at once");
      this.#open++;
      try {
        await this.#take(request);
      } finally {
        this.#open--;
      }
      report({ taken: ++this.#counts.taken });
      return new Response(null, { headers: { "content-type": "text/html; charset=UTF-8" } });
    } catch (error) {
      report({ refused: ++this.#counts.refused });
      const refusal = error instanceof Refusal ? error : new Refusal(503, "The event cannot be fired now");
      log.warning("request refused", { address, status: refusal.status, reason: messageOf(error) });
      const headers = { connection: "close", ...(refusal.status === 503 ? { "retry-after": "1" } : {}) };
      return new Response(`${refusal.message}\n`, { status: refusal.status, headers });
    }
  }

  async #take(request: Request): Promise<void> {
    const { runtime, fire } = this.#engine;
    const { tag, maxBody, token, secret } = this.#settings;
    if (request.method !== "POST") throw new Refusal(405, "Only POST is taken");
    const path = pathTag(request);
    this.#checkToken(request);
    const body = await bodyOf(request, maxBody, runtime);
    this.#checkSignature(request, body);
    await fire(`${tag}/${path}`, { headers: headersOf(request, (token ?? secret) !== undefined), body });
  }

  /** @throws {Refusal} 401 */
  #checkToken(request: Request): void {
    const { token } = this.#settings;
    if (token === undefined) return;
    const given = request.headers.get("authorization") ?? "";
    if (!this.#same(given, `Bearer ${token}`)) throw new Refusal(401, "The bearer token is missing or wrong");
  }

  /** As GitHub and others sign what they send. @throws {Refusal} 401 */
  #checkSignature(request: Request, body: Uint8Array): void {
    const { secret } = this.#settings;
    if (secret === undefined) return;
    const { crypto } = this.#engine.runtime;
    const signature = `sha256=${hex(crypto.hmac("sha256", utf8(secret), body))}`;
    if (!this.#same(request.headers.get("x-hub-signature-256") ?? "", signature)) {
      throw new Refusal(401, "The header X-Hub-Signature-256 is missing or wrong");
    }
  }

  #same(a: string, b: string): boolean {
    const { crypto } = this.#engine.runtime;
    const digest = (text: string) => crypto.hash("sha256", utf8(text));
    return crypto.equal(digest(a), digest(b));
  }
}

function tlsPair({ fs }: Pick<Runtime, "fs">, crt: unknown, key: unknown): TlsPair | undefined {
  if (crt === null && key === null) return undefined;
  if (crt === null || key === null) throw new TypeError("ssl_crt and ssl_key belong together: give both, or neither");
  return { cert: fs.readText(str(crt)), key: fs.readText(str(key)) };
}

/** Listens on an address, or on all: those of IPv6 as well, where there are any. */
async function serve(
  engine: EngineContext,
  hooks: Hooks,
  address: string | undefined,
  options: { port: number; tls?: TlsPair },
): Promise<HttpServer> {
  const { http } = engine.runtime;
  const handler = (request: Request, peer: { address: string }) => hooks.answer(request, peer.address);
  const how = { ...options, headTimeoutMs: BODY_MS };
  if (address !== undefined) return await http.serve(handler, { ...how, host: address });
  try {
    return await http.serve(handler, { ...how, host: "::" });
  } catch (error) {
    if ((error as { errno?: unknown }).errno === "EADDRINUSE") throw error;
    return await http.serve(handler, { ...how, host: "0.0.0.0" });
  }
}

/**
 * Takes HTTP requests, and fires an event for each: `salt/engines/hook/<path>` with `headers` and `body`.
 *
 * @see salt/engines/webhook.py
 */
export const engine: EngineModule = {
  signature: "address=None, port=5000, ssl_crt=None, ssl_key=None, tag='salt/engines/hook', token=None, secret=None, " +
    `max_body=${MOST_BODY}`,
  doc: "Takes HTTP requests, and fires an event for each.",
  async start(engine, { address, port, ssl_crt, ssl_key, tag, token, secret, max_body }) {
    const { runtime, log, signal, report } = engine;
    const text = (value: unknown) => value === null ? undefined : str(value);
    const settings = { tag: str(tag), maxBody: Number(max_body), token: text(token), secret: text(secret) };
    const tls = tlsPair(runtime, ssl_crt, ssl_key);
    const hooks = new Hooks(engine, settings);
    const options = { port: Number(port), ...(tls === undefined ? {} : { tls }) };
    await using server = await serve(engine, hooks, text(address), options);
    const where = text(address) ?? "all addresses";
    const isOpen = (settings.token ?? settings.secret) === undefined;
    report({ address: where, port: server.port, tls: tls !== undefined, authentication: !isOpen });
    if (isOpen && !LOOPBACK.test(where)) {
      log.warning("everyone who reaches this port can send events: set token or secret, or address to 127.0.0.1", {
        address: where,
        port: server.port,
      });
    }
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await server.close(500);
  },
};
