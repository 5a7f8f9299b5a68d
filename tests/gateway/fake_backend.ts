/** A master that notes what is asked of it, for tests of what the gateway asks and what it does not. */
import type { BatchEvent, Outcome, Published, PublishRequest, TokenRecord } from "../../src/client/mod.ts";
import { BusEvent } from "../../src/event/bus.ts";
import { type Backend, createGateway, gatewaySettings, MasterDownError } from "../../src/gateway/mod.ts";
import type { Flavour, Gateway } from "../../src/gateway/mod.ts";
import type { HttpPeer } from "../../src/runtime/http.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/mod.ts";
import { type CapturedLog, captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

export const TOKEN = "a".repeat(64);
export const PASSWORD = "correct-horse-battery";

export class FakeBackend implements Backend {
  up = true;
  isBrine = false;
  /** What was asked, by the name of the method. */
  readonly calls: { method: string; request: unknown }[] = [];
  readonly fired: { tag: string; data: Record<string, unknown> }[] = [];
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #clock: FakeClock;
  /** Tokens that hold. */
  readonly tokens = new Map<string, TokenRecord>();
  #made = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  #note(method: string, request: unknown): void {
    if (!this.up) throw new MasterDownError();
    this.calls.push({ method, request });
  }

  /** Whatever was run, started or changed. */
  get acts(): unknown[] {
    return this.calls.filter(({ method }) => method !== "login" && method !== "token");
  }

  login: Backend["login"] = async (credentials) => {
    this.#note("login", credentials);
    if (credentials.password !== PASSWORD && credentials.eauth !== "oidc") return await Promise.resolve(undefined);
    const start = this.#clock.now() / 1000;
    const token = this.#made++ === 0 ? TOKEN : this.#made.toString(16).padStart(64, "b");
    const name = String(credentials.username ?? "somebody");
    const record: TokenRecord = { token, start, expire: start + 43_200, name, eauth: String(credentials.eauth) };
    this.tokens.set(token, record);
    return record;
  };
  token: Backend["token"] = async (token) => {
    this.#note("token", token);
    const record = await Promise.resolve(this.tokens.get(token));
    return record !== undefined && record.expire > this.#clock.now() / 1000 ? record : undefined;
  };
  revoke: Backend["revoke"] = async (token) => {
    this.#note("revoke", token);
    await Promise.resolve(this.tokens.delete(token));
  };
  publish: Backend["publish"] = async (request) => {
    this.#note("publish", request);
    return await Promise.resolve({ jid: "20260101000000000000", minions: ["web1"], missing: [], queued: [] });
  };
  preview: Backend["preview"] = async (request) => {
    this.#note("preview", request);
    return await Promise.resolve(this.isBrine ? { minions: ["web1"], missing: [] } : undefined);
  };
  run: Backend["run"] = (request) => this.#run(request);
  async *#run(request: PublishRequest): AsyncGenerator<Outcome, Published> {
    this.#note("run", request);
    await Promise.resolve();
    const jid = "20260101000000000000";
    yield { kind: "returned", id: "web1", return: true, retcode: 0, success: true, out: undefined, jid };
    return { jid, minions: ["web1"], missing: [], queued: [] };
  }
  batch: Backend["batch"] = (request) => this.#batch(request);
  async *#batch(request: PublishRequest): AsyncGenerator<BatchEvent> {
    this.#note("batch", request);
    await Promise.resolve();
    yield { kind: "absent", id: "web1" };
  }
  subset: Backend["subset"] = async (request) => {
    this.#note("subset", request);
    return await Promise.resolve(["web1"]);
  };
  startRunner: Backend["startRunner"] = async (request) => {
    this.#note("startRunner", request);
    return await Promise.resolve({ tag: "salt/run/20260101000000000000", jid: "20260101000000000000" });
  };
  runner: Backend["runner"] = async (request) => {
    this.#note("runner", request);
    return await Promise.resolve({ tag: "salt/run/1/ret", data: { return: {}, success: true } });
  };
  wheel: Backend["wheel"] = async (request) => {
    this.#note("wheel", request);
    return await Promise.resolve({ tag: "salt/wheel/1", data: { jid: "1", return: {}, success: true } });
  };
  fire: Backend["fire"] = async (tag, data) => {
    this.#note("fire", { tag, data });
    this.fired.push({ tag, data });
    await Promise.resolve();
  };

  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Something happens on the master's bus. */
  event(tag: string, data: Record<string, unknown> = {}): void {
    for (const listener of this.#listeners) listener(BusEvent.fromData(tag, data));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export interface Door {
  gateway: Gateway;
  backend: FakeBackend;
  clock: FakeClock;
  captured: CapturedLog;
  runtime: ReturnType<typeof memoryRuntime>;
  /** Sends a request; a body that is no text is sent as JSON. */
  send(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: unknown; from?: string },
  ): Promise<Response>;
  /** Signs in, and gives the headers that say so. */
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

/** A gateway before a fake master, under a clock that stands still. */
export async function openDoor(
  section: Record<string, unknown> = {},
  options: {
    flavour?: Flavour;
    master?: Record<string, unknown>;
    consoleDir?: string;
    /** Another gateway before the same master, with the state that this one has left. */
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
    const peer: HttpPeer = { address: from, upgrade: () => new Response(null), keepOpen() {} };
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
