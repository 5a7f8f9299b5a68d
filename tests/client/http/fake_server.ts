/** A salt-api for tests: a function of requests, each of which is kept. */
import { until } from "../../../bench/bed/until.ts";
import { HttpClient } from "../../../src/client/http/http_client.ts";
import type { HttpOptions } from "../../../src/client/http/http_options.ts";
import { FakeClock } from "../../support/fake_clock.ts";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  token: string | null;
  headers: Headers;
  // deno-lint-ignore no-explicit-any
  body: any;
}

type Answer = Response | undefined | Promise<Response | undefined>;

const encoder = new TextEncoder();

export class FakeServer {
  readonly asked: Asked[] = [];
  readonly clock = new FakeClock();
  brine = true;
  /** Tokens are t1, t2, … */
  logins = 0;
  loggedOut: (string | null)[] = [];
  /** Answers before the rest does. */
  answer: (asked: Asked) => Answer = () => undefined;

  fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const text = await request.text();
    const asked: Asked = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      token: request.headers.get("X-Auth-Token"),
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    this.asked.push(asked);
    const given = await this.answer(asked);
    if (given !== undefined) return given;
    switch (asked.path) {
      case "/login": {
        const now = this.clock.now() / 1000;
        const record = { token: `t${++this.logins}`, start: now, expire: now + 3600, user: "ann", eauth: "file" };
        return Response.json({ return: [record] });
      }
      case "/logout":
        this.loggedOut.push(asked.token);
        return Response.json({ return: "Your token has been cleared" });
      case "/ready":
        return this.brine ? Response.json({ ready: true, brine: true }) : page(404, "The path '/ready' was not found.");
      default:
        return Response.json({ return: [] });
    }
  };

  /** The requests to a path. */
  to(path: string): Asked[] {
    return this.asked.filter((one) => one.path === path);
  }

  async open(options: HttpOptions = { token: "given" }): Promise<HttpClient> {
    return await HttpClient.open("https://salt.example:8000", {
      fetch: this.fetch,
      clock: this.clock,
      random: () => 0.5,
      ...options,
    });
  }

  /** Lets time pass until a promise has settled. */
  async settled<T>(work: Promise<T>, stepMs = 100): Promise<T> {
    let over = false;
    work.then(() => over = true, () => over = true);
    await until(() => over, { clock: this.clock, stepMs });
    return await work;
  }
}

export const LOGIN = { username: "ann", password: "secret", eauth: "file" };

/** An error page as CherryPy writes it. */
export const page = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  new Response(`<html><body><h2>${status}</h2><p>${message}</p></body></html>`, { status, headers });

/** A stream of events that the test writes. */
export class FakeEvents {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  cancelled = false;
  readonly response: Response;

  constructor(first = "retry: 400\n") {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      cancel: () => void (this.cancelled = true),
    });
    this.response = new Response(body, { headers: { "Content-Type": "text/event-stream;charset=utf-8" } });
    if (first !== "") this.write(first);
  }

  write(text: string): void {
    if (!this.cancelled) this.#controller.enqueue(encoder.encode(text));
  }

  event(tag: string, data: Record<string, unknown>, id = ""): void {
    this.write(`${id === "" ? "" : `id: ${id}\n`}tag: ${tag}\ndata: ${JSON.stringify({ tag, data })}\n\n`);
  }

  /** True once the client has read all that was written. */
  get read(): boolean {
    return this.#controller.desiredSize === 1;
  }

  end(): void {
    this.#controller.close();
  }

  fail(): void {
    this.#controller.error(new TypeError("connection reset"));
  }
}
