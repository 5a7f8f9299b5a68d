import { backoffDelay } from "../../async/backoff.ts";
import type { Clock } from "../../async/clock.ts";
import type { Credentials } from "../../client/credentials.ts";
import { type Outcome, returnOutcome } from "../../client/outcome.ts";
import type { Published, PublishRequest } from "../../client/publish_request.ts";
import { settled } from "../../client/publish_request.ts";
import type { TokenRecord } from "../../client/tokens.ts";
import { UrlBase } from "../../config/url.ts";
import { messageOf, TimeoutError } from "../../errors.ts";
import { BusEvent } from "../../event/bus.ts";
import { type Logger, silentLogger } from "../../log.ts";
import type { Backend } from "./backend.ts";
import { HttpError, MasterDownError, RefusedError } from "../wire/errors.ts";

/** Where the other salt-api is, and how it is called. */
export interface RemoteBackendOptions {
  /** Of a salt-api, Brine's or real Salt's: `https://salt.example.com:8000`, with its `root_prefix` if it has one. */
  url: string;
  /** The clock for expiry and retries. */
  clock: Clock;
  /** Where the back end logs. @default no log */
  log?: Logger;
  /** Who listens to its events and fires hooks: `{eauth, username, password}`. Without, there are none. */
  listener?: Credentials;
  /** Makes the requests. @default the host's own */
  fetch?: (request: Request) => Promise<Response>;
  /** In [0, 1). @default Math.random */
  random?(): number;
}

/** Logins that are remembered with all that the server said of them. */
const MOST_LOGINS = 10_000;
/** A token whose login another instance has seen is taken to hold for so long, in seconds. */
const UNKNOWN_HOLDS = 600;
/** Waits between two tries to listen. */
const RETRY = { initialMs: 500, maxMs: 30_000 };

// deno-lint-ignore no-explicit-any
type Json = any;

/** The sentence of an error page, or of whatever else the server answered. */
function sentenceOf(text: string): string {
  return /<p>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replaceAll("&quot;", '"').replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") ?? text.slice(0, 200);
}

/** A token as the value of a header. @throws {RefusedError} for what no salt-api could have given */
function tokenHeader(token: string): string {
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new RefusedError("authentication", "The token is not one that a salt-api could have given");
}

/** Events of a stream as they come, until the signal aborts. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<{ tag: string; data: Json }> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const line = block.split("\n").find((line) => line.startsWith("data: "));
      if (line !== undefined) yield JSON.parse(line.slice("data: ".length));
    }
  }
}

/**
 * A master somewhere else, through a salt-api beside it, Brine's or real Salt's. It needs nothing but `fetch`, so that a gateway
 * over it runs wherever requests are answered by a function.
 */
export function remoteBackend(options: RemoteBackendOptions): Backend {
  return new RemoteBackend(options);
}

class RemoteBackend implements Backend {
  readonly #options: RemoteBackendOptions;
  readonly #base: UrlBase;
  readonly #log: Logger;
  readonly #logins = new Map<string, TokenRecord>();
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #stop = new AbortController();
  #own: Promise<TokenRecord | undefined> | undefined;
  #listening: Promise<void> | undefined;
  #up = true;
  readonly isBrine = false;

  constructor(options: RemoteBackendOptions) {
    this.#options = options;
    this.#base = new UrlBase(options.url);
    this.#log = options.log ?? silentLogger;
  }

  /** False after a request that nobody answered, until the next that somebody does. */
  get up(): boolean {
    return this.#up;
  }

  /** Every request that goes out is made here. */
  async #request(segments: readonly string[], init: RequestInit, token = ""): Promise<Response> {
    const { fetch: ask = globalThis.fetch } = this.#options;
    const headers = { Accept: "application/json", ...(token === "" ? {} : { "X-Auth-Token": tokenHeader(token) }) };
    const request = new Request(this.#base.at(...segments), {
      ...init,
      headers: { ...headers, ...init.headers },
      // A token or a password goes nowhere but where the configuration sends it.
      redirect: "manual",
    });
    try {
      const response = await ask(request);
      this.#up = response.status !== 503;
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.#up = false;
      this.#log.warning("the salt-api could not be asked", { url: this.#base.origin, error: messageOf(error) });
      throw new MasterDownError({ cause: error });
    }
  }

  async #post(segments: readonly string[], body: unknown, token = "", signal?: AbortSignal): Promise<Json> {
    const response = await this.#request(segments, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    }, token);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const sentence = sentenceOf(text);
    switch (response.status) {
      case 401: {
        const known = /Authorization error|occurred for user/.test(sentence);
        throw new RefusedError(known ? "authorization" : "authentication", sentence);
      }
      case 400:
        throw new RefusedError("invocation", sentence);
      case 429:
        throw new HttpError(429, sentence, { "Retry-After": response.headers.get("Retry-After") ?? "60" });
      case 503:
        throw new MasterDownError();
      case 504:
        throw new TimeoutError(sentence);
      default:
        throw new RefusedError("other", sentence);
    }
  }

  /** Runs one command in somebody's name: with their session, or with credentials that go along. */
  async #run(low: Record<string, unknown>, credentials: Credentials = {}, signal?: AbortSignal): Promise<Json[]> {
    const { token, ...others } = credentials;
    const answer = typeof token === "string"
      ? await this.#post([], [low], token, signal)
      : await this.#post(["run"], [{ ...low, ...others }], "", signal);
    return answer.return;
  }

  async login(credentials: Credentials): Promise<TokenRecord | undefined> {
    let answer: Json;
    try {
      answer = await this.#post(["login"], credentials);
    } catch (error) {
      if (error instanceof RefusedError && error.kind !== "other") return undefined;
      throw error;
    }
    const [{ token, start, expire, user, eauth, perms }] = answer.return;
    const record: TokenRecord = {
      token,
      start,
      expire,
      name: user,
      eauth,
      ...(Array.isArray(perms) ? { auth_list: perms } : {}),
    };
    this.#logins.set(token, record);
    if (this.#logins.size > MOST_LOGINS) this.#logins.delete(this.#logins.keys().next().value!);
    return record;
  }

  async token(token: string): Promise<TokenRecord | undefined> {
    try {
      // No command at all: only who has signed in may run it.
      await this.#post([], [], token);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#logins.delete(token);
      return undefined;
    }
    const start = this.#options.clock.now() / 1000;
    return this.#logins.get(token) ?? { token, start, expire: start + UNKNOWN_HOLDS, name: "", eauth: "" };
  }

  async revoke(token: string): Promise<void> {
    this.#logins.delete(token);
    await this.#post(["logout"], {}, token).catch((error) => {
      this.#log.warning("a session was not ended", { error: messageOf(error) });
    });
  }

  #lowOf(request: PublishRequest): Record<string, unknown> {
    const { tgt, tgt_type, fun, arg, ret, jid, kwargs } = settled(request);
    const last = arg.at(-1) as Record<string, unknown> | undefined;
    const named = typeof fun === "string" && last?.__kwarg__ === true;
    const { __kwarg__: _, ...kwarg } = named ? last : {};
    return {
      tgt,
      tgt_type,
      fun,
      arg: named ? arg.slice(0, -1) : arg,
      ...(named ? { kwarg } : {}),
      ...(ret === undefined || ret === "" ? {} : { ret }),
      ...(jid === undefined || jid === "" ? {} : { jid }),
      ...kwargs,
    };
  }

  publish: Backend["publish"] = async (request) => {
    const [published] = await this.#run({ ...this.#lowOf(request), client: "local_async" }, request.credentials);
    if (typeof published?.jid !== "string") return undefined;
    return { jid: published.jid, minions: published.minions, missing: [], queued: [] };
  };

  /** What is beyond may be real Salt's, which has no such thing. */
  preview: Backend["preview"] = () => Promise.resolve(undefined);

  run: Backend["run"] = async function* (this: RemoteBackend, request, { timeoutMs, gatherMs, signal }) {
    const low = {
      ...this.#lowOf(request),
      client: "local",
      full_return: true,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
      ...(gatherMs === undefined ? {} : { gather_job_timeout: gatherMs / 1000 }),
    };
    const [found] = await this.#run(low, request.credentials, signal);
    const ids = Object.keys(found ?? {});
    if (ids.length === 0) return undefined;
    let known = "";
    const outcomes = ids.map((id): Outcome => {
      const part = found[id];
      if (part === false || part === null || typeof part !== "object") return { kind: "no answer", id, jid: "" };
      const { ret, retcode, jid, out } = part;
      known = String(jid ?? "");
      return returnOutcome({ id, jid: known, return: ret, retcode, success: retcode === 0, out });
    });
    for (const outcome of outcomes) yield { ...outcome, jid: known };
    const published: Published = { jid: known, minions: ids, missing: [], queued: [] };
    return published;
  };

  batch: Backend["batch"] = async function* (this: RemoteBackend, request, { size, signal }) {
    const low = { ...this.#lowOf(request), client: "local_batch", batch: size };
    for (const part of await this.#run(low, request.credentials, signal)) {
      for (const [id, value] of Object.entries(part as Record<string, unknown>)) {
        const outcome: Outcome = value === false
          ? { kind: "no answer", id, jid: "" }
          : { kind: "returned", id, jid: "", return: value, retcode: 0, success: true, out: undefined };
        yield { kind: "ended", outcome };
      }
    }
  };

  subset: Backend["subset"] = async (request, count, { signal }) => {
    const { fun: _fun, arg: _arg, ...target } = this.#lowOf(request);
    const low = { ...target, client: "local", fun: "sys.list_functions" };
    const [found = {}] = await this.#run(low, request.credentials, signal);
    const needed = [request.fun].flat();
    const random = this.#options.random ?? Math.random;
    return Object.entries(found as Record<string, unknown>)
      .filter(([, names]) => Array.isArray(names) && needed.every((fun) => names.includes(fun)))
      .map(([id]): [number, string] => [random(), id])
      .sort(([one], [other]) => one - other)
      .map(([, id]) => id)
      .slice(0, count);
  };

  startRunner: Backend["startRunner"] = async ({ fun, arg, kwarg, credentials }) => {
    const [job] = await this.#run({ client: "runner_async", fun, arg, kwarg }, credentials);
    return job;
  };

  runner: Backend["runner"] = async ({ fun, arg, kwarg, credentials }, { timeoutMs, signal }) => {
    const low = { client: "runner", fun, arg, kwarg, full_return: true, timeout: timeoutMs / 1000 };
    const [event] = await this.#run(low, credentials, signal);
    return event;
  };

  wheel: Backend["wheel"] = async ({ fun, kwarg, credentials }) => {
    const [result] = await this.#run({ ...kwarg, client: "wheel", fun }, credentials);
    return result;
  };

  /** The session of {@link RemoteBackendOptions.listener}. */
  async #ownToken(): Promise<string> {
    const { listener, clock } = this.#options;
    if (listener === undefined) throw new RefusedError("other", "This gateway has no login of its own: set listener");
    let record = await this.#own?.catch(() => undefined);
    if (record === undefined || record.expire < clock.now() / 1000) record = await (this.#own = this.login(listener));
    if (record === undefined) throw new RefusedError("authentication", "The listener's credentials do not hold");
    return record.token;
  }

  async fire(tag: string, data: Record<string, unknown>): Promise<void> {
    const [root, netapi, hook, ...rest] = tag.split("/");
    if (root !== "salt" || netapi !== "netapi" || hook !== "hook") {
      throw new RefusedError("other", `Events of the tag ${JSON.stringify(tag)} cannot be fired from here`);
    }
    try {
      this.#base.at(hook, ...rest);
    } catch (error) {
      // The rest of the tag is whatever somebody called: it must not name another place of the salt-api.
      throw new HttpError(400, messageOf(error));
    }
    await this.#post([hook, ...rest], data.post ?? {}, await this.#ownToken());
  }

  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#options.listener !== undefined) this.#listening ??= this.#listen();
    return () => void this.#listeners.delete(listener);
  }

  async #listen(): Promise<void> {
    const { clock, random = Math.random } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const token = await this.#ownToken();
        const response = await this.#request(["events"], { headers: { Accept: "text/event-stream" }, signal }, token);
        if (response.status === 401) this.#own = undefined;
        if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
        for await (const { tag, data } of eventsOf(response.body, signal)) {
          attempt = 0;
          const event = BusEvent.fromData(tag, data);
          for (const listener of this.#listeners) listener(event);
        }
      } catch (error) {
        if (!signal.aborted) {
          this.#log.warning("the events of the salt-api are not to be had", { error: messageOf(error) });
        }
      }
      await clock.sleep(backoffDelay(attempt, RETRY, random()), signal).catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#listening;
  }
}
