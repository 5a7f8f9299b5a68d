import { familyOf, interfacesOf } from "../model/config/url.ts";
import type { Clock } from "../base/async/clock.ts";
import { deferred } from "../base/async/deferred.ts";
import { joinPath } from "../base/paths.ts";
import { codeOf } from "../base/errors.ts";
import { type BusEvent, OWN_BUS } from "../model/event/bus.ts";
import { type BusListener, listenBus } from "../model/event/bus_client.ts";
import type { Logger } from "../base/log.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { NO_TRACER, type Span, TRACE_FIELD, type Tracer } from "../base/telemetry/mod.ts";
import { sendClear } from "../protocol/channel/req_client.ts";
import { openTransport } from "../protocol/transport/open_transport.ts";
import type { Transport } from "../protocol/transport/transport.ts";
import { abortable } from "../base/async/within.ts";
import { busFeed, type MasterLink } from "./bus_feed.ts";
import { checkedRunner, checkedWheel } from "./checked_call.ts";
import { ClientError, refusal, refusalOf, returnOrFailure } from "./client_error.ts";
import type { Credentials, Previewed, Published, PublishRequest } from "./publish_request.ts";
import {
  checkCollectOptions,
  checkedRequest,
  previewedOf,
  publicationLoad,
  publishedOf,
  settled,
} from "./publish_request.ts";
import type { CollectOptions } from "./job_collector.ts";
import { jobRun, returnsOf } from "./job_run.ts";
import type {
  AnyRunner,
  AnyWheel,
  FunctionReturn,
  Functions,
  RunnerReturn,
  WheelReturn,
} from "./functions/call_types.ts";
import { OwnKey } from "./own_key.ts";
import { RequestConnections } from "./request_connections.ts";
import { runJob } from "./run_job.ts";
import { callRunner } from "./runner.ts";
import type {
  CallOptions,
  EventFeed,
  EventsOptions,
  JobRequest,
  JobRun,
  Jobs,
  Keys,
  Minions,
  RunnerCall,
  Salt,
  Targets,
  WheelCall,
} from "./salt.ts";
import { jobsOf } from "./verbs/jobs.ts";
import { keysOf } from "./verbs/keys.ts";
import { minionsOf, verbTargets } from "./verbs/minions.ts";
import { callWheel } from "./wheel.ts";

/** The options of a client; {@link connect} fills them in for a program. */
export interface LocalClientOptions {
  /** The runtime to connect with. */
  runtime: Runtime;
  /** The log of the client. */
  log: Logger;
  /** The options `interface`, `ret_port`, `sock_dir`, `cachedir` and `user` of the master's configuration. */
  opts:
    & { interface: unknown; ret_port: number; sock_dir: string; cachedir: string; user: string }
    & Record<string, unknown>;
  /** The transport of requests. @default the transport in `opts` */
  sockets?: Transport;
  /** The time for one request to the master, in milliseconds. @default 60000 */
  requestTimeoutMs?: number;
  /** The most requests to the master at the same time; each uses a separate connection. @default 1 */
  lanes?: number;
  /**
   * True refuses requests that no master understands: unknown keys, target types and the like. False passes everything on
   * to the master, for programs whose users expect Salt's own answer. @default true
   */
  checked?: boolean;
  /** Traces jobs, from their publication to their last return. @default jobs are not traced */
  tracer?: Tracer;
  /**
   * True listens to the events of the master. Without events, jobs can only be published, and not run to their end; the master is then
   * assumed to be Brine. @default true
   */
  listens?: boolean;
  /** Called when the client is closed; `close` waits for it. @default nothing */
  onClose?(): Promise<void>;
}

/** The default time for a runner, in milliseconds. */
const RUNNER_MS = 300_000;

/**
 * The client of a program on the master's host, to run jobs: publishes through the request port, and receives returns on the
 * master's event bus. Works with a Brine master and with a Salt master.
 *
 * @example
 * ```ts
 * import { connect, type LocalClient } from "brine";
 *
 * await using salt: LocalClient = await connect();
 * console.log(salt.isBrine, await salt.command({ tgt: "*", fun: "test.version" }));
 * ```
 * @see salt/client/__init__.py LocalClient
 */
export class LocalClient implements Salt, MasterLink {
  readonly #options: LocalClientOptions;
  readonly #connections: RequestConnections;
  readonly #key: OwnKey;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #lost = deferred<never>();
  #bus: BusListener | undefined;
  #isBrine = false;
  /** Jobs that the master has on record. */
  readonly jobs: Jobs = jobsOf(this);
  /** The minions with an accepted key. */
  readonly minions: Minions = minionsOf(this);
  /** Keys of minions. */
  readonly keys: Keys = keysOf(this);
  /** Previews of targets, without a job. */
  readonly targets: Targets = verbTargets(this);

  private constructor(options: LocalClientOptions) {
    this.#options = options;
    const { runtime, log, opts } = options;
    const sockets = options.sockets ?? openTransport({ runtime, log, opts });
    this.#connections = new RequestConnections(() => {
      const req = sockets.req({ lingerMs: 0, sendHighWaterMark: 0, family: familyOf(opts.ipv6) });
      req.connect(requestEndpoint(interfacesOf(opts.interface)[0]!, opts.ret_port));
      return req;
    }, options.lanes ?? 1);
    this.#key = new OwnKey(runtime, opts.cachedir, opts.user);
    // This handler is needed, since a loss that no call waits for would be an unhandled rejection.
    this.#lost.promise.catch(() => {});
  }

  /**
   * Connects to the master on this host.
   *
   * @throws {ClientError} `MASTER_DOWN` if no master is running, `NO_ACCESS` if this user may not open its sockets
   */
  static async open(options: LocalClientOptions): Promise<LocalClient> {
    const client = new LocalClient(options);
    try {
      await client.#listen();
    } catch (error) {
      await client.close();
      throw unreachable(error, options);
    }
    options.log.debug("connected to the master", { sock_dir: options.opts.sock_dir, brine: client.#isBrine });
    return client;
  }

  /** Listens on the master's event bus. A Brine master has a separate socket for Brine's clients, a Salt master does not. */
  async #listen(): Promise<void> {
    const { runtime: { net }, opts } = this.#options;
    const listen = (name: string) =>
      listenBus(
        net,
        { kind: "unix", path: joinPath(opts.sock_dir, name) },
        (event) => {
          for (const listener of this.#listeners) listener(event);
        },
        (error) =>
          this.#lost.reject(
            new ClientError("BUS_LOST", "The connection to the master's event bus is lost", { cause: error }),
          ),
      );
    if (this.#options.listens === false) {
      this.#isBrine = true;
      return;
    }
    try {
      this.#bus = await listen(OWN_BUS);
      this.#isBrine = true;
    } catch {
      this.#bus = await listen("master_event_pub.ipc");
    }
  }

  get #checked(): boolean {
    return this.#options.checked ?? true;
  }

  /** True if this user has a key on this host, and needs no other credentials. */
  get keyed(): boolean {
    return this.#key.readable;
  }

  /** The credentials of the user of this process. @throws {ClientError} `NO_KEY` */
  get ownCredentials(): Credentials {
    return { user: this.#key.user, key: this.#key.value };
  }

  /** The clock for waits. */
  get clock(): Clock {
    return this.#options.runtime.clock;
  }

  /** True if the master is Brine, which keeps the outcome of every target of a job. */
  get isBrine(): boolean {
    return this.#isBrine;
  }

  /** Rejects with a {@link ClientError} `BUS_LOST` once the connection to the master's event bus is lost. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** Calls `listener` with every event of the master's bus from now on; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Asks the master to publish a job; undefined if no minion matches.
   *
   * @throws {ClientError} `AUTHENTICATION`, `PERMISSION` or `REFUSED` with the master's message, `TIMEOUT` if it does not answer
   * @throws {TypeError} for keys and values that no master understands, with the nearest valid one
   */
  async publish<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CallOptions = {},
  ): Promise<Published | undefined> {
    return this.#published(await this.#publication("publish", request as PublishRequest, options));
  }

  #published(fields: Record<string, unknown> | undefined): Published | undefined {
    const published = publishedOf(fields);
    if (published === undefined) return undefined;
    const { jid, minions, missing } = published;
    this.#options.log.debug("job published", { jid, minions: minions.length, missing: missing.length });
    return published;
  }

  /**
   * The minions that {@link LocalClient.publish} would publish a request for, by the same rules; nothing is sent to a minion.
   *
   * @throws {ClientError} `NOT_BRINE` if the master is Salt, which has no such command; otherwise as for `publish`
   */
  async preview(request: PublishRequest, options: CallOptions = {}): Promise<Previewed> {
    this.#needOurs("it cannot list the minions of a target without a job");
    const fields = await this.#publication("publish_preview", request, options);
    if (fields?.error !== undefined) throw refusal(String(fields.error));
    return previewedOf(fields);
  }

  /**
   * Sends a publication; returns the `load` of the master's reply.
   *
   * @param trace the context of the span that the publication is part of
   * @throws {ClientError}
   */
  async #publication(
    cmd: string,
    request: PublishRequest,
    { timeoutMs, signal }: CallOptions,
    trace?: string,
  ): Promise<Record<string, unknown> | undefined> {
    const settledRequest = this.#checked ? checkedRequest(request) : settled(request);
    const { queue, stream, jobTimeout } = settledRequest;
    if (queue !== undefined || stream || jobTimeout !== undefined) {
      this.#needOurs("it has no queue, live output or job timeout");
    }
    const load = (key: string) => ({
      ...(trace === undefined ? {} : { [TRACE_FIELD]: trace }),
      ...publicationLoad(settledRequest, {
        cmd,
        key,
        user: this.#key.user,
        extJobCache: this.#options.opts.ext_job_cache,
        isBrine: this.#isBrine,
      }),
    });
    // A request with its own credentials must not be sent with the key of this process's user.
    const keys = request.credentials === undefined ? this.#key.tries() : [""];
    const reply = await abortable(this.#request(load, keys, timeoutMs), signal);
    if (typeof reply !== "object" || reply === null) {
      throw refusal(typeof reply === "string" && reply !== "" ? reply : "The master sent no answer");
    }
    const refused = refusalOf(reply, "Authentication error occurred.");
    if (refused !== undefined) throw refused;
    return (reply as { load?: Record<string, unknown> }).load;
  }

  /**
   * Sends a Brine master a command that Salt does not have: `job_outcomes`, `job_dequeue`, `job_counters`.
   *
   * @throws {ClientError} `NOT_BRINE` if the master is Salt, `REFUSED` with the master's message
   */
  async ask(cmd: string, load: Record<string, unknown>): Promise<unknown> {
    this.#needOurs(`it does not know "${cmd}"`);
    const reply = await this.#request((key) => ({ ...load, cmd, key, user: this.#key.user }), this.#key.tries());
    const refused = refusalOf(reply, "The master refused");
    if (refused !== undefined) throw refused;
    return reply;
  }

  #needOurs(why: string): void {
    if (!this.#isBrine) throw new ClientError("NOT_BRINE", `The master on this host is Salt's master: ${why}`);
  }

  /**
   * Sends one clear command and returns the reply unchanged. The load has to contain the caller's credentials.
   *
   * @throws {ClientError} `TIMEOUT` if the master does not answer
   */
  async send(load: Record<string, unknown>, options: { timeoutMs?: number } = {}): Promise<unknown> {
    return await this.#request(() => load, [""], options.timeoutMs);
  }

  /** Sends one clear command, with one key after the other until the master takes one. */
  async #request(
    load: (key: string) => Record<string, unknown>,
    keys: Iterable<string>,
    timeoutMs = this.#options.requestTimeoutMs ?? 60_000,
  ): Promise<unknown> {
    let reply: unknown;
    for (const key of keys) {
      reply = await sendClear(this.#connections.leastBusy().exchange, load(key), { timeoutMs });
      if (reply && (reply as { error?: unknown }).error === undefined) break;
    }
    return reply;
  }

  /**
   * Publishes a job and yields the outcome of each target: returns as they come, then the targets without one. A minion
   * that works longer than the timeout is waited for as long as it says that it works. Returns undefined if no minion matches.
   *
   * @throws {ClientError} as {@link LocalClient.publish}; `BUS_LOST` if the connection to the master is lost
   */
  run<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): JobRun<FunctionReturn<Fun>> {
    const { tracer = NO_TRACER, opts: { order_masters, syndic_wait } } = this.#options;
    let span: Span | undefined;
    const publish = async () => {
      if (this.#checked) checkCollectOptions(options);
      const attributes = { "salt.fun": [request.fun].flat().join(",") };
      span = tracer.start("salt.job", { kind: "client", attributes });
      const published = this.#published(
        await this.#publication("publish", request as PublishRequest, {}, span.context),
      );
      if (published !== undefined) span.set("salt.jid", published.jid);
      return published;
    };
    return jobRun(runJob<FunctionReturn<Fun>>(this, publish, {
      options: typeof syndic_wait === "number" ? { syndicWaitMs: syndic_wait * 1000, ...options } : options,
      credentials: request.credentials,
      // A Salt master does not report its syndics, nor when each of them has answered: one unnamed syndic stands for all.
      expected: (published) => !this.#isBrine && order_masters === true ? { ...published, syndics: [""] } : published,
      ended: () => span?.end(),
    }));
  }

  /** Runs a job to its end: id → return, without the targets that did not return. */
  async command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): Promise<Record<string, FunctionReturn<Fun> | string>> {
    return await returnsOf(this.run(request, options));
  }

  /**
   * Calls a runner as the user of this process, and waits for its end. {@link callRunner} takes other credentials.
   *
   * @returns the return of the runner
   * @throws {ClientError} `FAILED` with the runner's message; otherwise as {@link callRunner}
   */
  async runner<const Fun extends AnyRunner>(
    call: RunnerCall<Fun>,
    options: CallOptions = {},
  ): Promise<RunnerReturn<Fun>> {
    const { fun, arg, kwarg } = checkedRunner(call as RunnerCall);
    const { timeoutMs = RUNNER_MS, signal } = options;
    const request = { fun, arg, kwarg, credentials: this.ownCredentials };
    const how = { timeoutMs, clock: this.clock, ...(signal === undefined ? {} : { signal }) };
    const { data } = await abortable(callRunner(this, request, how), signal);
    return returnOrFailure(`runner "${fun}"`, data) as RunnerReturn<Fun>;
  }

  /**
   * Calls a wheel function as the user of this process. {@link callWheel} takes other credentials.
   *
   * @returns the return of the function
   * @throws {ClientError} `FAILED` with the function's message; otherwise as {@link callWheel}
   */
  async wheel<const Fun extends AnyWheel>(
    call: WheelCall<Fun>,
    { timeoutMs, signal }: CallOptions = {},
  ): Promise<WheelReturn<Fun>> {
    const { fun, kwarg } = checkedWheel(call as WheelCall);
    const how = timeoutMs === undefined ? {} : { timeoutMs };
    const { data } = await abortable(callWheel(this, { fun, kwarg, credentials: this.ownCredentials }, how), signal);
    return returnOrFailure(`wheel function "${fun}"`, data) as WheelReturn<Fun>;
  }

  /** The events of the master's bus. Here they have no ids, so {@link EventsOptions.after} cannot return earlier events. */
  events(options?: EventsOptions): EventFeed {
    return busFeed(this, options);
  }

  /** Closes the connections. Running jobs continue. */
  async close(): Promise<void> {
    this.#lost.reject(new ClientError("CLOSED", "The client is closed"));
    this.#bus?.close();
    await this.#connections.close();
    await this.#options.onClose?.();
  }

  /** Calls {@link LocalClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The request port of a master that listens on `host`, an address of this machine or all of them. */
function requestEndpoint(host: string, port: number): string {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `tcp://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** The error for a master whose event bus cannot be opened. Scripts compare the beginning of its message. */
function unreachable(error: unknown, { runtime, opts }: LocalClientOptions): ClientError {
  const refused = codeOf(error) === "EACCES";
  const why = refused
    ? `: the user "${runtime.host.user().name}" may not open the sockets there. Run this as the master's ` +
      "user or as root, or give that user permissions (publisher_acl) and restart the master"
    : ": run salt-doctor to check salt-master";
  const message = `Unable to connect to the salt master publisher at ${opts.sock_dir}${why}`;
  return new ClientError(refused ? "NO_ACCESS" : "MASTER_DOWN", message, { cause: error });
}
