import type { Clock } from "../../../base/async/clock.ts";
import type { Credentials } from "../../../client/publish_request.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { messageOf } from "../../../base/errors.ts";
import type { BusEvent } from "../../../model/event/bus.ts";
import { coversAllEvents } from "../../../model/event/tag.ts";
import { type Logger, silentLogger } from "../../../base/log.ts";
import { RefusedError } from "../wire/errors.ts";
import type { Backend } from "./backend.ts";
import { RemoteEvents } from "./remote_events.ts";
import { batchOutcome, chunkOf, lowstateOutcomes } from "../../../client/http/lowstate.ts";
import { type Json, SaltApiClient } from "./salt_api_client.ts";

/** The options of a backend that uses another salt-api. */
export interface RemoteBackendOptions {
  /** The address of a salt-api of Brine or Salt: `https://salt.example.com:8000`, with its `root_prefix` if it has one. */
  url: string;
  /** The clock for expiry and retries. */
  clock: Clock;
  /** The log of the backend. @default no log */
  log?: Logger;
  /** The login for listening to events and firing hooks: `{eauth, username, password}`. @default neither is possible */
  listener?: Credentials;
  /** Makes the requests. @default the global `fetch` */
  fetch?: (request: Request) => Promise<Response>;
  /** A random number in [0, 1). @default Math.random */
  random?(): number;
}

/** The most logins that are remembered, with the answer of the salt-api. */
const MAX_LOGINS = 10_000;
/** The assumed lifetime of a token from a login at another gateway, in seconds. */
const UNKNOWN_LIFETIME = 600;

/**
 * A master on another host, through its salt-api, of Brine or of Salt. The backend needs only `fetch`, so the gateway runs on
 * any host that answers requests with a function.
 *
 * @example
 * ```ts
 * import { currentRuntime, remoteBackend } from "brine/gateway";
 *
 * const { clock } = await currentRuntime();
 * await using backend = remoteBackend({ url: "https://salt.example.com:8000", clock });
 * console.log(backend.isBrine); // false
 * ```
 */
export function remoteBackend(options: RemoteBackendOptions): Backend {
  return new RemoteBackend(options);
}

class RemoteBackend implements Backend {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #client: SaltApiClient;
  readonly #events: RemoteEvents;
  readonly #listener: Credentials | undefined;
  readonly #logins = new Map<string, TokenRecord>();
  /** The login of {@link RemoteBackendOptions.listener}. */
  #ownLogin: Promise<TokenRecord | undefined> | undefined;
  readonly isBrine = false;

  constructor({ url, clock, log = silentLogger, listener, fetch, random = Math.random }: RemoteBackendOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#random = random;
    this.#listener = listener;
    this.#client = new SaltApiClient({ url, clock, log, fetch });
    this.#events = new RemoteEvents({ clock, log, random, open: (signal) => this.#openEvents(signal) });
  }

  get up(): boolean {
    return this.#client.up;
  }

  /** Runs one chunk, in the session of a token or with the chunk's credentials. Returns the results. */
  async #run(low: Record<string, unknown>, credentials: Credentials = {}, signal?: AbortSignal): Promise<Json[]> {
    const { token, ...others } = credentials;
    const answer = typeof token === "string"
      ? await this.#client.post([], [low], token, signal)
      : await this.#client.post(["run"], [{ ...low, ...others }], "", signal);
    return answer.return;
  }

  async login(credentials: Credentials): Promise<TokenRecord | undefined> {
    let answer: Json;
    try {
      answer = await this.#client.post(["login"], credentials);
    } catch (error) {
      if (error instanceof RefusedError && error.kind !== "other") return undefined;
      throw error;
    }
    const [{ token, start, expire, user: name, eauth, perms }] = answer.return;
    const record = { token, start, expire, name, eauth, ...(Array.isArray(perms) ? { auth_list: perms } : {}) };
    this.#logins.set(token, record);
    if (this.#logins.size > MAX_LOGINS) this.#logins.delete(this.#logins.keys().next().value!);
    return record;
  }

  async token(token: string): Promise<TokenRecord | undefined> {
    try {
      // Posts an empty lowstate, which runs nothing and needs a valid session.
      await this.#client.post([], [], token);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#logins.delete(token);
      return undefined;
    }
    const start = this.#clock.now() / 1000;
    return this.#logins.get(token) ?? { token, start, expire: start + UNKNOWN_LIFETIME, name: "", eauth: "" };
  }

  /** Decides by the permissions in the salt-api's answer to the login. */
  mayReadAllEvents({ token, auth_list }: TokenRecord): Promise<boolean> {
    return Promise.resolve(coversAllEvents(auth_list ?? this.#logins.get(token)?.auth_list ?? []));
  }

  async revoke(token: string): Promise<void> {
    this.#logins.delete(token);
    await this.#client.post(["logout"], {}, token).catch((error) => {
      this.#log.warning("cannot end a session of the salt-api", { error: messageOf(error) });
    });
  }

  publish: Backend["publish"] = async (request) => {
    const [published] = await this.#run({ ...chunkOf(request), client: "local_async" }, request.credentials);
    if (typeof published?.jid !== "string") return undefined;
    return { jid: published.jid, minions: published.minions, missing: [], queued: [] };
  };

  /** Always undefined: the salt-api may be Salt's, which has no previews. */
  preview: Backend["preview"] = () => Promise.resolve(undefined);

  run: Backend["run"] = async function* (this: RemoteBackend, request, { timeoutMs, gatherMs, signal }) {
    const low = {
      ...chunkOf(request),
      client: "local",
      full_return: true,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
      ...(gatherMs === undefined ? {} : { gather_job_timeout: gatherMs / 1000 }),
    };
    const [returns = {}] = await this.#run(low, request.credentials, signal);
    const { jid, outcomes } = lowstateOutcomes(returns ?? {});
    if (outcomes.length === 0) return undefined;
    yield* outcomes;
    return { jid, minions: outcomes.map(({ id }) => id), missing: [], queued: [] };
  };

  batch: Backend["batch"] = async function* (this: RemoteBackend, request, { size, signal }) {
    const low = { ...chunkOf(request), client: "local_batch", batch: size };
    for (const part of await this.#run(low, request.credentials, signal)) {
      for (const [id, value] of Object.entries(part as Record<string, unknown>)) {
        yield { kind: "ended", outcome: batchOutcome(id, value) };
      }
    }
  };

  subset: Backend["subset"] = async (request, count, { signal }) => {
    const { fun: _fun, arg: _arg, ...target } = chunkOf(request);
    const low = { ...target, client: "local", fun: "sys.list_functions" };
    const [functions = {}] = await this.#run(low, request.credentials, signal);
    const needed = [request.fun].flat();
    return Object.entries(functions as Record<string, unknown>)
      .filter(([, names]) => Array.isArray(names) && needed.every((fun) => names.includes(fun)))
      .map(([id]): [number, string] => [this.#random(), id])
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

  /** The token of {@link RemoteBackendOptions.listener}; logs in again when the token has expired. */
  async #ownToken(): Promise<string> {
    const listener = this.#listener;
    if (listener === undefined) {
      throw new RefusedError("other", "This gateway cannot listen without a login: set the option listener");
    }
    let record = await this.#ownLogin?.catch(() => undefined);
    if (record === undefined || record.expire < this.#clock.now() / 1000) {
      record = await (this.#ownLogin = this.login(listener));
    }
    if (record === undefined) throw new RefusedError("authentication", "The credentials of listener are not valid");
    return record.token;
  }

  async fire(tag: string, data: Record<string, unknown>): Promise<void> {
    const [root, netapi, hook, ...rest] = tag.split("/");
    if (root !== "salt" || netapi !== "netapi" || hook !== "hook") {
      throw new RefusedError(
        "other",
        `Cannot fire ${JSON.stringify(tag)} through a salt-api: expected salt/netapi/hook/…`,
      );
    }
    const path = [hook, ...rest];
    this.#client.checkPath(path);
    await this.#client.post(path, data.post ?? {}, await this.#ownToken());
  }

  onEvent(listener: (event: BusEvent) => void): () => void {
    return this.#listener === undefined ? () => {} : this.#events.listen(listener);
  }

  async #openEvents(signal: AbortSignal): Promise<Response> {
    try {
      return await this.#client.events(await this.#ownToken(), signal);
    } catch (error) {
      if (error instanceof RefusedError && error.kind !== "other") this.#ownLogin = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events.close();
  }
}
