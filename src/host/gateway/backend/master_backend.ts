import { within } from "../../../base/async/within.ts";
import { deferred } from "../../../base/async/deferred.ts";
import { runBatch } from "../../../client/batch.ts";
import { ClientError, isRefusal } from "../../../client/client_error.ts";
import { LocalClient, type LocalClientOptions } from "../../../client/local_client.ts";
import { callRunner, startRunner } from "../../../client/runner.ts";
import { chooseSubset } from "../../../client/subset.ts";
import { deleteToken, makeToken, readToken } from "../../../client/tokens.ts";
import { callWheel } from "../../../client/wheel.ts";
import { codeOf, messageOf } from "../../../base/errors.ts";
import type { BusEvent } from "../../../model/event/bus.ts";
import { coversAllEvents } from "../../../model/event/tag.ts";
import { type BusSender, sendToMasterBus } from "../../../model/event/bus_client.ts";
import { type Logger, silentLogger } from "../../../base/log.ts";
import { packEvent } from "../../../protocol/wire/event_frame.ts";
import type { Backend } from "./backend.ts";
import { fieldOf } from "../wire/json.ts";
import { permissionsOf } from "../auth/permissions.ts";
import { MasterDownError, type RefusalKind, RefusedError } from "../wire/errors.ts";

/** Time between two attempts to connect to the master, in milliseconds. */
const RETRY_MS = 500;
/** The most requests in progress at the master. */
const LANES = 16;
/** How long the state of the cluster is kept, and how long an answer is waited for, in milliseconds. */
const CLUSTER_MS = 1000;
const CLUSTER_WAIT_MS = 2000;
/** The time after which a request fails, in milliseconds: no request of the gateway takes that long unless the master hangs. */
const REQUEST_TIMEOUT_MS = 30_000;

const KINDS: Record<string, RefusalKind> = {
  AuthenticationError: "authentication",
  TokenAuthenticationError: "authentication",
  EauthAuthenticationError: "authentication",
  UserAuthenticationError: "authentication",
  AuthorizationError: "authorization",
  SaltInvocationError: "invocation",
};

/** The gateway's error for an error of the client. */
function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (isRefusal(error)) {
    const name = String((error as { kind?: unknown }).kind ?? "");
    return new RefusedError(Object.hasOwn(KINDS, name) ? KINDS[name]! : "other", error.message, { cause: error });
  }
  if (error instanceof ClientError) return new MasterDownError({ cause: error });
  if (code === "ECONNRESET" || code === "CLOSED" || code === "QUEUE_FULL") return new MasterDownError({ cause: error });
  return error;
}

/**
 * A master on this host, of Brine or of Salt, through its request port and its event bus. The master may start
 * later, and may restart.
 *
 * @example
 * ```ts
 * import { currentRuntime, masterBackend, masterOptions } from "brine/gateway";
 *
 * const opts = masterOptions({ root_dir: "/srv/run", interface: "127.0.0.1" });
 * export const open = async () => masterBackend({ runtime: await currentRuntime(), opts });
 * ```
 */
export function masterBackend(
  options: Omit<LocalClientOptions, "lanes" | "requestTimeoutMs" | "checked" | "log"> & {
    /** The log of the backend. @default no log */
    log?: Logger;
  },
): Backend {
  return new MasterBackend({ log: silentLogger, ...options });
}

/** The fields of a master's answer to `cluster_status` that are used. */
interface ClusterStatus {
  masters: string[];
  usable: boolean;
  storage: { usable: boolean };
  bus: { connected: boolean };
}

class MasterBackend implements Backend {
  readonly #options: Omit<LocalClientOptions, "lanes" | "requestTimeoutMs">;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #stop = new AbortController();
  readonly #tried = deferred<void>();
  readonly #loop: Promise<void>;
  #client: LocalClient | undefined;
  #sender: Promise<BusSender> | undefined;
  #cluster: { untilMs: number; state: ReturnType<NonNullable<Backend["cluster"]>> } | undefined;

  constructor(options: Omit<LocalClientOptions, "lanes" | "requestTimeoutMs">) {
    this.#options = options;
    this.#loop = this.#keepConnected();
  }

  async #keepConnected(): Promise<void> {
    const { runtime: { clock }, log } = this.#options;
    const { signal } = this.#stop;
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    let quiet = false;
    while (!signal.aborted) {
      try {
        const client = await LocalClient.open({
          ...this.#options,
          lanes: LANES,
          checked: false,
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
        });
        client.onEvent((event) => {
          for (const listener of this.#listeners) listener(event);
        });
        this.#client = client;
        log.info("connected to the master", { brine: client.isBrine });
        quiet = false;
        this.#tried.resolve();
        await Promise.race([client.lost, stopped]).catch((error) => {
          log.warning("the connection to the master was lost", { error: messageOf(error) });
        });
        this.#client = undefined;
        this.#disconnectSender();
        await client.close();
      } catch (error) {
        if (!quiet) log.warning("cannot connect to the master", { error: messageOf(error) });
        quiet = true;
        this.#tried.resolve();
      }
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }

  get up(): boolean {
    return this.#client !== undefined;
  }

  get isBrine(): boolean {
    return this.#client?.isBrine === true;
  }

  cluster: NonNullable<Backend["cluster"]> = () => {
    const { opts, runtime: { clock } } = this.#options;
    if ((opts as { cluster?: unknown }).cluster === undefined || !this.isBrine) return Promise.resolve(undefined);
    // All callers share one question to the master a second.
    if (this.#cluster === undefined || clock.elapsed() > this.#cluster.untilMs) {
      const asked = this.#cluster = { untilMs: Infinity, state: this.#askCluster() };
      void asked.state.then(() => asked.untilMs = clock.elapsed() + CLUSTER_MS);
    }
    return this.#cluster.state;
  };

  async #askCluster(): Promise<{ masters: number; storage: boolean; bus: boolean; lease: boolean } | undefined> {
    const { clock } = this.#options.runtime;
    try {
      const asked = this.#ask((client) => client.ask("cluster_status", {}));
      const answer = await within(clock, CLUSTER_WAIT_MS, undefined, asked) as { cluster?: ClusterStatus } | undefined;
      const status = answer?.cluster ?? undefined;
      return status && {
        masters: status.masters.length,
        storage: status.storage.usable,
        bus: status.bus.connected,
        lease: status.usable,
      };
    } catch {
      // The call is not permitted, or the master cannot be reached, which `up` reports.
      return undefined;
    }
  }

  async #connected(): Promise<LocalClient> {
    // A request may come before the first attempt to connect has ended.
    await this.#tried.promise;
    if (this.#client === undefined) throw new MasterDownError();
    return this.#client;
  }

  /** Calls the client; rejects once the connection is lost. */
  async #ask<T>(call: (client: LocalClient) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    try {
      return await Promise.race([call(client), client.lost]);
    } catch (error) {
      throw translated(error);
    }
  }

  async *#follow<T, R>(start: (client: LocalClient) => AsyncGenerator<T, R>): AsyncGenerator<T, R> {
    const client = await this.#connected();
    try {
      return yield* start(client);
    } catch (error) {
      throw translated(error);
    }
  }

  login: Backend["login"] = (credentials, session) =>
    this.#ask((client) => makeToken(client, credentials, client.isBrine ? session : undefined));
  token: Backend["token"] = (token) => this.#ask((client) => readToken(client, token));
  revoke: Backend["revoke"] = async (token) => {
    if (!this.isBrine) return;
    try {
      await this.#ask((client) => deleteToken(client, token));
    } catch (error) {
      this.#options.log.warning("cannot revoke a token", { error: messageOf(error) });
    }
  };
  mayReadAllEvents: Backend["mayReadAllEvents"] = async (owner) => {
    if (!this.isBrine) {
      // A Salt master has no such command: its configuration on this host decides, for plain names and groups.
      const { external_auth = {} } = this.#options.opts as { external_auth?: Record<string, unknown> };
      return coversAllEvents(owner.auth_list ?? permissionsOf(owner, external_auth));
    }
    const reply = await this.#ask((client) => client.send({ cmd: "event_rights", token: owner.token }));
    return fieldOf(reply, "all") === true;
  };
  publish: Backend["publish"] = (request) => this.#ask((client) => client.publish(request));
  preview: Backend["preview"] = (request) =>
    this.#ask((client) => client.isBrine ? client.preview(request) : Promise.resolve(undefined));
  run: Backend["run"] = (request, options) => this.#follow((client) => client.run(request, options));
  batch: Backend["batch"] = (request, options) => {
    const { clock } = this.#options.runtime;
    return this.#follow((client) => runBatch(client, request, { ...options, sleep: (ms) => clock.sleep(ms) }));
  };
  subset: Backend["subset"] = (request, count, options) => {
    const { runtime } = this.#options;
    return this.#ask((client) => chooseSubset(client, request, count, options, () => runtime.random()));
  };
  startRunner: Backend["startRunner"] = (request) => this.#ask((client) => startRunner(client, request));
  runner: Backend["runner"] = (request, options) => {
    const { clock } = this.#options.runtime;
    return this.#ask((client) => callRunner(client, request, { ...options, clock }));
  };
  wheel: Backend["wheel"] = (request) => this.#ask((client) => callWheel(client, request));

  async fire(tag: string, data: Record<string, unknown>): Promise<void> {
    const { runtime, log, opts } = this.#options;
    const packed = packEvent(tag, data, { now: runtime.clock.now() });
    await this.#connected();
    this.#sender ??= sendToMasterBus(runtime, log, opts);
    try {
      (await this.#sender).send(packed);
    } catch (error) {
      this.#sender = undefined;
      throw new MasterDownError({ cause: error });
    }
  }

  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #disconnectSender(): void {
    this.#sender?.then((sender) => sender.close(), () => {});
    this.#sender = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#listeners.clear();
    await this.#loop;
  }
}
