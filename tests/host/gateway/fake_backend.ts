/** A master that records its requests, for tests of what the gateway sends and what it does not. */
import type {
  BatchEvent,
  Credentials,
  Outcome,
  Published,
  PublishRequest,
  TokenRecord,
} from "../../../src/client/mod.ts";
import { BusEvent } from "../../../src/model/event/bus.ts";
import {
  type Backend,
  createGateway,
  gatewaySettings,
  MasterDownError,
  RefusedError,
} from "../../../src/host/gateway/mod.ts";
import type { Flavour, Gateway } from "../../../src/host/gateway/mod.ts";
import type { HttpPeer } from "../../../src/runtime/http.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { type CapturedLog, captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

export const TOKEN = "a".repeat(64);
export const PASSWORD = "correct-horse-battery";

export class FakeBackend implements Backend {
  up = true;
  isBrine = false;
  cluster?: NonNullable<Backend["cluster"]>;
  /** The requests, with the name of the method. */
  readonly calls: { method: string; request: unknown }[] = [];
  readonly fired: { tag: string; data: Record<string, unknown> }[] = [];
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #clock: FakeClock;
  /** Valid tokens. */
  readonly tokens = new Map<string, TokenRecord>();
  /** Their second names. */
  readonly #names = new Map<string, string>();
  #made = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  #note(method: string, request: unknown): void {
    if (!this.up) throw new MasterDownError();
    this.calls.push({ method, request });
  }

  /** As a master does, refuses credentials that are not valid. */
  #ask(method: string, request: { credentials?: Credentials | undefined }): void {
    this.#note(method, request);
    const { token, password, eauth } = request.credentials ?? {};
    const valid = token === undefined ? password === PASSWORD || eauth === "oidc" : this.tokens.has(String(token));
    if (!valid) throw new RefusedError("authentication", "Authentication error occurred.");
  }

  /** What was run, started or changed. */
  get acts(): unknown[] {
    return this.calls.filter(({ method }) => method !== "login" && method !== "token");
  }

  login: Backend["login"] = async (credentials, session) => {
    this.#note("login", credentials);
    if (credentials.password !== PASSWORD && credentials.eauth !== "oidc") return await Promise.resolve(undefined);
    const start = this.#clock.now() / 1000;
    const token = this.#made++ === 0 ? TOKEN : this.#made.toString(16).padStart(64, "b");
    const name = String(credentials.username ?? "somebody");
    const record: TokenRecord = { token, start, expire: start + 43_200, name, eauth: String(credentials.eauth) };
    this.tokens.set(token, record);
    if (session !== undefined) this.#names.set(session, token);
    return record;
  };
  token: Backend["token"] = async (token) => {
    this.#note("token", token);
    const record = await Promise.resolve(this.tokens.get(this.#names.get(token) ?? token));
    return record !== undefined && record.expire > this.#clock.now() / 1000 ? record : undefined;
  };
  /** Users that may not read every event. */
  readonly limited = new Set<string>();
  mayReadAllEvents: Backend["mayReadAllEvents"] = async ({ name, token }) =>
    await Promise.resolve(this.tokens.has(token) && !this.limited.has(name));
  revoke: Backend["revoke"] = async (token) => {
    this.#note("revoke", token);
    await Promise.resolve(this.tokens.delete(token));
  };
  publish: Backend["publish"] = async (request) => {
    this.#ask("publish", request);
    return await Promise.resolve(matches(request) ? PUBLISHED : undefined);
  };
  preview: Backend["preview"] = async (request) => {
    this.#ask("preview", request);
    return await Promise.resolve(this.isBrine ? { minions: ["web1"], missing: [] } : undefined);
  };
  run: Backend["run"] = (request) => this.#run(request);
  async *#run(request: PublishRequest): AsyncGenerator<Outcome, Published | undefined> {
    this.#ask("run", request);
    await Promise.resolve();
    if (!matches(request)) return undefined;
    yield RETURNED;
    return PUBLISHED;
  }
  batch: Backend["batch"] = (request) => this.#batch(request);
  async *#batch(request: PublishRequest): AsyncGenerator<BatchEvent> {
    this.#ask("batch", request);
    await Promise.resolve();
    if (matches(request)) yield { kind: "ended", outcome: RETURNED };
  }
  subset: Backend["subset"] = async (request, count) => {
    this.#ask("subset", request);
    return await Promise.resolve(matches(request) ? ["web1"].slice(0, count) : []);
  };
  startRunner: Backend["startRunner"] = async (request) => {
    this.#ask("startRunner", request);
    return await Promise.resolve({ tag: `salt/run/${JID}`, jid: JID });
  };
  runner: Backend["runner"] = async (request) => {
    this.#ask("runner", request);
    return await Promise.resolve({
      tag: `salt/run/${JID}/ret`,
      data: { return: { args: request.arg }, success: true },
    });
  };
  wheel: Backend["wheel"] = async (request) => {
    this.#ask("wheel", request);
    return await Promise.resolve({ tag: `salt/wheel/${JID}`, data: { jid: JID, return: {}, success: true } });
  };
  fire: Backend["fire"] = async (tag, data) => {
    this.#note("fire", { tag, data });
    this.fired.push({ tag, data });
    this.event(tag, data);
    await Promise.resolve();
  };

  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Fires an event on the master's bus. */
  event(tag: string, data: Record<string, unknown> = {}): void {
    for (const listener of this.#listeners) listener(BusEvent.fromData(tag, data));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    return Promise.resolve();
  }
}

const JID = "20260101000000000000";
const PUBLISHED: Published = { jid: JID, minions: ["web1"], missing: [], queued: [] };
const RETURNED: Outcome = {
  kind: "returned",
  id: "web1",
  return: true,
  retcode: 0,
  success: true,
  out: undefined,
  jid: JID,
};

/** Every target means `web1`, but for those of this name. */
const matches = ({ tgt }: PublishRequest) => !String(tgt).startsWith("nobody");

export interface Door {
  gateway: Gateway;
  backend: FakeBackend;
  clock: FakeClock;
  captured: CapturedLog;
  runtime: ReturnType<typeof memoryRuntime>;
  /** Sends a request; a body that is neither text nor bytes is sent as JSON. */
  send(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: unknown; from?: string },
  ): Promise<Response>;
  /** Logs in, and returns the headers of the session. */
  login(user?: string): Promise<Record<string, string>>;
}

const CLIENTS = [
  "local",
  "local_async",
  "local_batch",
  "local_subset",
  "runner",
  "runner_async",
  "ssh",
  "wheel",
  "wheel_async",
];

/** A gateway before a fake master, with a clock that stands still. */
export async function openDoor(
  section: Record<string, unknown> = {},
  options: {
    flavour?: Flavour;
    master?: Record<string, unknown>;
    consoleDir?: string;
    /** Another gateway before the same master, with the state files of this one. */
    like?: Door;
  } = {},
): Promise<Door> {
  const { flavour = "rest_cherrypy", master = {}, consoleDir, like } = options;
  const { crypto } = await currentRuntime();
  const clock = like?.clock ?? new FakeClock();
  const runtime = like?.runtime ?? memoryRuntime({ clock, crypto });
  const captured = captureLog();
  const backend = like?.backend ?? new FakeBackend(clock);
  const settings = gatewaySettings({
    netapi_enable_clients: CLIENTS,
    external_auth: { pam: { somebody: [".*"] } },
    ...master,
    [flavour]: { port: 0, disable_ssl: true, ...section },
  }, flavour);
  const gateway = createGateway({
    runtime,
    settings,
    backend,
    log: captured.log,
    stateDir: "/state",
    ...(consoleDir === undefined ? {} : { consoleDir }),
  });
  const send: Door["send"] = (method, path, { headers = {}, body, from = "127.0.0.1" } = {}) => {
    const text = body === undefined || typeof body === "string" || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
    const all: Record<string, string> = {
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    };
    if (text !== undefined && !("Transfer-Encoding" in all)) {
      all["Content-Length"] = String(typeof text === "string" ? new TextEncoder().encode(text).length : text.length);
    }
    const peer: HttpPeer = { address: from, upgrade: () => new Response(null), keepOpen() {}, known() {} };
    const request = new Request(`http://gateway.example${path}`, {
      method,
      headers: all,
      ...(text === undefined ? {} : { body: text as string }),
    });
    return gateway.fetch(request, peer);
  };
  const login: Door["login"] = async (user = "somebody") => {
    const answer = await send("POST", "/login", { body: { username: user, password: PASSWORD, eauth: "pam" } });
    const { return: [{ token }] } = await answer.json() as { return: [{ token: string }] };
    return { "X-Auth-Token": token };
  };
  return { gateway, backend, clock, captured, runtime, send, login };
}
