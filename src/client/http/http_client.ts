import { type Clock, systemClock } from "../../async/clock.ts";
import { codeOf, ProtocolError } from "../../errors.ts";
import { fnmatch } from "../../event/tag.ts";
import type { BusEvent } from "../../event/bus.ts";
import { JidGenerator } from "../../job/jid.ts";
import { refuseUnknownKeys } from "../../known.ts";
import { type Logger, silentLogger } from "../../log.ts";
import { isRecord } from "../../record.ts";
import { checkEventsOptions, eventFeed } from "../bus_feed.ts";
import { checkedRunner, checkedWheel } from "../checked_call.ts";
import { ClientError } from "../client_error.ts";
import { returnOrFailure } from "../function_failed.ts";
import type {
  AnyRunner,
  AnyWheel,
  FunctionReturn,
  Functions,
  RunnerReturn,
  WheelReturn,
} from "../functions/call_types.ts";
import type { CollectOptions } from "../job_collector.ts";
import { jobRun } from "../job_run.ts";
import { hasReturn, type Outcome, type ReportedOutcome } from "../outcome.ts";
import {
  checkCollectOptions,
  checkedRequest,
  listOf,
  type Published,
  type PublishRequest,
  type SettledRequest,
} from "../publish_request.ts";
import { runJob } from "../run_job.ts";
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
  SaltEvent,
  Targets,
  WheelCall,
} from "../salt.ts";
import { jobReport, reportedOutcomes } from "../verbs/job_report.ts";
import { jobsOf } from "../verbs/jobs.ts";
import { keysOf } from "../verbs/keys.ts";
import { minionsOf } from "../verbs/minions.ts";
import { targetsOf } from "../verbs/targets.ts";
import { Exchange, type Message } from "./exchange.ts";
import { settledChunk } from "./lowstate.ts";
import { literal } from "./literal.ts";
import { READS } from "./reads.ts";
import { resumingEvents } from "./resuming_events.ts";
import { serverUrl } from "./server_url.ts";
import { type Login, Session } from "./session.ts";
import { SharedEvents } from "./shared_events.ts";

/**
 * How a program reaches a master over HTTP. One of `token` and `login` is needed.
 *
 * @example
 * ```ts
 * import type { HttpOptions } from "brine";
 *
 * export const options: HttpOptions = { login: { username: "ann", password: "secret", eauth: "pam" }, retries: 5 };
 * ```
 */
export interface HttpOptions {
  /** A token of a login elsewhere, a JSON Web Token, or an API key. It is not ended with the client. */
  token?: string;
  /** Logs in, again when that has expired, and out when the client is closed. */
  login?: Login;
  /** Allows plain HTTP to another machine, where the network itself is safe. @default false */
  insecure?: boolean;
  /** Of one request, in milliseconds, where the call does not say. @default 60000 */
  timeoutMs?: number;
  /** How often a request is repeated that may be: one that reads, or a job by its own id. @default 3 */
  retries?: number;
  /** For how long the server may be away while events or a job are followed, in milliseconds. @default 60000 */
  patienceMs?: number;
  /** The largest answer and the largest event, in bytes. @default 67108864, 64 MiB */
  maxBytes?: number;
  /** Makes the requests. @default the host's own */
  fetch?: (request: Request) => Promise<Response>;
  /** The clock by which it waits. @default the host's own */
  clock?: Clock;
  /** In [0, 1), to spread retries. @default Math.random */
  random?: () => number;
  /** Where the client logs. @default no log */
  log?: Logger;
}

const OPTIONS: readonly (keyof Required<HttpOptions>)[] = [
  "token",
  "login",
  "insecure",
  "timeoutMs",
  "retries",
  "patienceMs",
  "maxBytes",
  "fetch",
  "clock",
  "random",
  "log",
];
const NEED_LOGIN = 'login: { username: "…", password: "…", eauth: "…" }';
const REMEDIES = {
  username: `it belongs into ${NEED_LOGIN}`,
  password: `it belongs into ${NEED_LOGIN}`,
  eauth: `it belongs into ${NEED_LOGIN}`,
  credentials: `they are called login here: ${NEED_LOGIN}`,
  timeout: "durations are in milliseconds here: use timeoutMs",
  apiKey: "an API key is a token: use token",
};
const MOST_BYTES = 64 * 1024 * 1024;
/** How long a runner may take, in milliseconds, where its caller does not say, and for its answer to come. */
const RUNNER_MS = 300_000;
const ANSWER_MS = 10_000;
/** Fields of a command that are not arguments of a wheel function. */
const COMMAND_FIELDS = ["client", "fun", "cmd", "user", "key", "token", "eauth", "username", "password"];
/** Statuses of a server that does not know the preview of a target. */
const NO_PREVIEW: readonly unknown[] = [404, 405, 501];

/**
 * A master that is reached over HTTP, through a salt-api: Brine's or real Salt's. It needs nothing but `fetch` and the other
 * standards of the web, so it works in browsers and workers as well. {@link connect} opens one.
 *
 * @example
 * ```ts
 * import { connect, type HttpClient } from "brine";
 *
 * export const open = (token: string): Promise<HttpClient> => connect("https://salt.example.com:8000", { token });
 * ```
 */
export class HttpClient implements Salt {
  readonly #options: Required<Pick<HttpOptions, "timeoutMs" | "patienceMs" | "maxBytes" | "random">>;
  readonly #exchange: Exchange;
  readonly #session: Session;
  readonly #shared: SharedEvents;
  readonly #jids: JidGenerator;
  readonly #closing = new AbortController();
  #isBrine = false;
  /** The clock by which it waits. */
  readonly clock: Clock;
  /** Jobs that the master has on record. */
  readonly jobs: Jobs = jobsOf(this);
  /** The minions with an accepted key. */
  readonly minions: Minions = minionsOf(this);
  /** Keys of minions. */
  readonly keys: Keys = keysOf(this);
  /** Targets without a job. */
  readonly targets: Targets = targetsOf(this);

  private constructor(url: string | URL, options: HttpOptions) {
    const { clock = systemClock, random = Math.random, log = silentLogger, token, login, fetch } = options;
    const { timeoutMs = 60_000, patienceMs = 60_000, maxBytes = MOST_BYTES, retries = 3 } = options;
    this.#options = { timeoutMs, patienceMs, maxBytes, random };
    this.clock = clock;
    this.#exchange = new Exchange({
      url: serverUrl(url, options.insecure === true),
      clock,
      fetch,
      random,
      maxBytes,
      retries,
    });
    this.#session = new Session({ exchange: this.#exchange, clock, log, timeoutMs, token, login });
    this.#shared = new SharedEvents({ clock, open: (how) => this.#stream(how) });
    this.#jids = new JidGenerator({ now: () => clock.now() + this.#session.aheadMs });
  }

  /**
   * Connects to a salt-api, and shows that it accepts the token or the login.
   *
   * @param url with its `root_prefix` if it has one: `https://salt.example.com:8000`
   * @throws {TypeError} for an address or an option that is none
   * @throws {ClientError} `INSECURE`, `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`
   */
  static async open(url: string | URL, options: HttpOptions = {}): Promise<HttpClient> {
    checkOptions(options);
    const client = new HttpClient(url, options);
    // No command: it runs nothing, and only a valid session may post it.
    if (options.token !== undefined) await client.#post([], []);
    else await client.#session.token();
    client.#isBrine = await client.#findBrine();
    return client;
  }

  /** True if the master is Brine's, which keeps the outcome of every target of a job. */
  get isBrine(): boolean {
    return this.#isBrine;
  }

  /** Rejects once its events cannot be heard any more. */
  get lost(): Promise<never> {
    return this.#shared.lost;
  }

  /** Publishes a job and yields the outcome of each target; see {@link Salt.run}. */
  run<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): JobRun<FunctionReturn<Fun>> {
    return jobRun(this.#run<FunctionReturn<Fun>>(request as PublishRequest, options));
  }

  /** The caller knows what the function returns. */
  async *#run<Return>(
    request: PublishRequest,
    options: CollectOptions,
  ): AsyncGenerator<Outcome<Return>, Published | undefined, void> {
    checkCollectOptions(options);
    const { signal } = options;
    const outcomes = runJob(this, () => this.publish(request, signal === undefined ? {} : { signal }), {
      options,
      credentials: request.credentials,
    });
    return yield* outcomes as AsyncGenerator<Outcome<Return>, Published | undefined, void>;
  }

  /** Runs a job to its end: id → return, without the targets that did not return. */
  async command<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CollectOptions = {},
  ): Promise<Record<string, FunctionReturn<Fun> | string>> {
    const returns: Record<string, FunctionReturn<Fun> | string> = {};
    for await (const outcome of this.run(request, options)) {
      if (hasReturn(outcome)) returns[outcome.id] = outcome.return;
    }
    return returns;
  }

  /**
   * Publishes a job and does not wait for it; undefined if no minion matches. To Brine's master it is sent again if need be,
   * under a job id of its own, so that it is run once.
   *
   * @throws {ClientError} beside those of every call, `REFUSED` with the master's message
   * @throws {TypeError} for keys and values that no master would understand, with the nearest right one
   */
  async publish<const Fun extends Functions>(
    request: JobRequest<Fun>,
    options: CallOptions = {},
  ): Promise<Published | undefined> {
    const settled = this.#checked(request as PublishRequest);
    const jid = settled.jid ?? (this.#isBrine ? this.#ownJid() : undefined);
    const { queue, stream, jobTimeout } = settled;
    const chunk = {
      ...settledChunk({ ...settled, ...(jid === undefined ? {} : { jid }) }),
      client: "local_async",
      full_return: true,
      ...(queue === undefined ? {} : { queue }),
      ...(stream ? { stream } : {}),
      ...(jobTimeout === undefined ? {} : { job_timeout: jobTimeout }),
    };
    const answer = await this.#run1(chunk, { ...options, safe: this.#isBrine, credentials: request.credentials });
    const published = isRecord(answer) ? answer : {};
    if (typeof published.jid !== "string") {
      if (Object.keys(published).length === 0) return undefined;
      throw new ProtocolError(`${this.#exchange.origin} published a job without its id: is it a salt-api?`);
    }
    const syndics = listOf(published.syndics);
    return {
      jid: published.jid,
      minions: listOf(published.minions),
      missing: listOf(published.missing),
      queued: listOf(published.queued),
      ...(syndics.length === 0 ? {} : { syndics }),
    };
  }

  /** A job id that no other client makes in the same moment. */
  #ownJid(): string {
    const { random } = this.#options;
    return `${this.#jids.next()}_${String(Math.floor(random() * 1_000_000)).padStart(6, "0")}`;
  }

  #checked(request: PublishRequest): SettledRequest {
    const settled = checkedRequest(request);
    if (settled.user !== undefined || settled.origin !== undefined) {
      throw new TypeError("Cannot publish for another user over HTTP: leave out user and origin");
    }
    const { queue, stream, jobTimeout } = settled;
    if (queue !== undefined || stream || jobTimeout !== undefined) {
      this.#needBrine("it has no queue, live output or job timeout");
    }
    return settled;
  }

  #needBrine(why: string): void {
    if (!this.#isBrine) {
      throw new ClientError("NOT_BRINE", `The master behind ${this.#exchange.origin} is Salt's own: ${why}`);
    }
  }

  /** The minions that {@link HttpClient.publish} would publish this for; no minion is sent anything. */
  async preview(request: PublishRequest, options: CallOptions = {}): Promise<Pick<Published, "minions" | "missing">> {
    this.#needBrine("it cannot list the minions of a target without a job");
    const settled = this.#checked(request);
    try {
      const [found] = await this.#post(["preview"], settledChunk(settled), { ...options, safe: true });
      const { minions, missing } = isRecord(found) ? found : {};
      return { minions: listOf(minions), missing: listOf(missing) };
    } catch (error) {
      if (!NO_PREVIEW.includes((error as { status?: unknown }).status)) throw error;
      throw new ClientError("NOT_BRINE", `${this.#exchange.origin} cannot list the minions of a target without a job`);
    }
  }

  /** Calls a runner and waits for its end; see {@link Salt.runner}. */
  async runner<const Fun extends AnyRunner>(
    call: RunnerCall<Fun>,
    options: CallOptions = {},
  ): Promise<RunnerReturn<Fun>> {
    const { fun, arg, kwarg } = checkedRunner(call as RunnerCall);
    const { timeoutMs = RUNNER_MS } = options;
    const chunk = { client: "runner", fun, arg: arg.map(literal), kwarg, full_return: true, timeout: timeoutMs / 1000 };
    const ended = await this.#run1(chunk, { ...options, timeoutMs: timeoutMs + ANSWER_MS, safe: READS.has(fun) });
    return this.#returned(`runner "${fun}"`, ended) as RunnerReturn<Fun>;
  }

  /** Calls a wheel function; see {@link Salt.wheel}. */
  async wheel<const Fun extends AnyWheel>(
    call: WheelCall<Fun>,
    options: CallOptions = {},
  ): Promise<WheelReturn<Fun>> {
    const { fun, kwarg } = checkedWheel(call as WheelCall);
    const taken = COMMAND_FIELDS.find((name) => Object.hasOwn(kwarg, name));
    if (taken !== undefined) throw new TypeError(`Cannot pass "${taken}" to a wheel function over HTTP`);
    const ended = await this.#run1({ ...kwarg, client: "wheel", fun }, { ...options, safe: READS.has(fun) });
    return this.#returned(`wheel function "${fun}"`, ended) as WheelReturn<Fun>;
  }

  /** The return in the last event of a function, `{tag, data}`. */
  #returned(what: string, ended: unknown): unknown {
    const data = isRecord(ended) ? ended.data : undefined;
    if (isRecord(data)) return returnOrFailure(what, data);
    throw new ProtocolError(`${this.#exchange.origin} answered the ${what} without its return: is it a salt-api?`);
  }

  /** The events of the master's bus, on a connection of their own. */
  events(options: EventsOptions = {}): EventFeed {
    checkEventsOptions(options);
    const { tag, after, onMissed = () => {}, signal } = options;
    const wants = tag === undefined ? () => true : fnmatch(tag);
    const stop = new AbortController();
    const left = new DOMException("The loop was left", "AbortError");
    const opened = Promise.withResolvers<void>();
    opened.promise.catch(() => {});
    const stream = () =>
      this.#stream({
        signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
        ...(tag === undefined ? {} : { tag }),
        ...(after === undefined ? {} : { after }),
        onOpen: () => opened.resolve(),
        onMissed,
      });
    async function* events(): AsyncGenerator<SaltEvent, void, void> {
      try {
        for await (const event of stream()) if (wants(event.tag)) yield event;
      } catch (error) {
        opened.reject(error);
        if (error !== left) throw error;
      }
    }
    return heldFeed(events(), opened.promise, () => stop.abort(left));
  }

  /** Calls `listener` with every event that the client hears from now on; the returned function ends that. */
  onEvent(listener: (event: BusEvent) => void): () => void {
    return this.#shared.onEvent(listener);
  }

  /** Calls `listener` each time that events were lost; the returned function ends that. */
  onGap(listener: () => void): () => void {
    return this.#shared.onGap(listener);
  }

  /** Resolves once no event is missed that happens from then on. */
  async listening(signal?: AbortSignal): Promise<void> {
    await this.#shared.listening(signal);
  }

  /** Calls the listeners with what is on record of a job. */
  async catchUp(jid: string): Promise<void> {
    const report = jobReport(jid, await this.runner({ fun: "jobs.list_job", kwarg: { jid } }));
    for (const [id, result] of Object.entries(report?.results ?? {})) {
      this.#shared.fire(`salt/job/${jid}/ret/${id}`, { ...result, id, jid });
    }
    const outcomes = this.#isBrine ? await this.#outcomes(jid) : {};
    for (const [id, outcome] of Object.entries(outcomes)) {
      // Of these the return says it, above or by its own event.
      if (outcome.outcome === "returned" || outcome.outcome === "failed") continue;
      this.#shared.fire(`salt/job/${jid}/outcome/${id}`, { ...outcome, id });
    }
  }

  /** What only a Brine master keeps, here by a runner: `job_outcomes`. @throws {ClientError} `NOT_BRINE` */
  async ask(cmd: string, load: Record<string, unknown>): Promise<unknown> {
    this.#needBrine(`it does not know "${cmd}"`);
    return { outcomes: await this.#outcomes(String(load.jid)) };
  }

  async #outcomes(jid: string): Promise<Record<string, ReportedOutcome>> {
    return reportedOutcomes(await this.runner({ fun: "jobs.outcome", kwarg: { jid } }));
  }

  /** Runs one command and returns its result, with the session's token or with credentials of its own. */
  async #run1(
    chunk: Record<string, unknown>,
    options: CallOptions & { safe: boolean; credentials?: PublishRequest["credentials"] },
  ): Promise<unknown> {
    const { credentials, ...how } = options;
    const [result] = credentials === undefined
      ? await this.#post([], [chunk], how)
      : await this.#post(["run"], [{ ...chunk, ...credentials }], { ...how, open: true });
    return result;
  }

  /** Posts to the server and returns the list of its answer; with a new token if the one at hand has expired. */
  async #post(
    path: readonly string[],
    body: unknown,
    options: CallOptions & { safe?: boolean; open?: boolean } = {},
  ): Promise<unknown[]> {
    this.#closing.signal.throwIfAborted();
    const { timeoutMs = this.#options.timeoutMs, signal, safe = false, open = false } = options;
    const message: Message = { method: "POST", path, body, timeoutMs, signal, safe };
    const answer = open
      ? await this.#exchange.json(message)
      : await this.#withToken((token) => this.#exchange.json({ ...message, token }));
    if (isRecord(answer) && Array.isArray(answer.return)) return answer.return;
    throw new ProtocolError(`${this.#exchange.origin} answered without a list of returns: is it a salt-api?`);
  }

  async #withToken<T>(step: (token: string) => Promise<T>): Promise<T> {
    const token = await this.#session.token();
    try {
      return await step(token);
    } catch (error) {
      // It is refused before anything is run.
      if (codeOf(error) !== "AUTHENTICATION" || !this.#session.refused(token)) throw error;
      return await step(await this.#session.token());
    }
  }

  /** The events of the server, across interruptions. */
  #stream({ signal, tag, after, onOpen, onMissed }: {
    signal: AbortSignal;
    tag?: string;
    after?: string;
    onOpen(): void;
    onMissed(count: number | undefined): void;
  }): AsyncGenerator<SaltEvent, void, void> {
    const { random, maxBytes: most, patienceMs, timeoutMs } = this.#options;
    const open = (id: string, link: AbortSignal) =>
      this.#withToken((token) =>
        this.#exchange.stream({
          method: "GET",
          path: ["events"],
          // In the address, since browsers may not send the header to another origin.
          query: { ids: "1", ...(tag === undefined ? {} : { tag }), ...(id === "" ? {} : { last_event_id: id }) },
          accept: "text/event-stream",
          token,
          timeoutMs,
          signal: link,
          safe: true,
        })
      );
    return resumingEvents({
      clock: this.clock,
      random,
      most,
      patienceMs,
      open,
      ...(after === undefined ? {} : { after }),
      signal: AbortSignal.any([signal, this.#closing.signal]),
      onOpen,
      onMissed,
    });
  }

  /** Whether the master behind the server is Brine's; a server of real Salt does not know what is asked. */
  async #findBrine(): Promise<boolean> {
    try {
      const message: Message = { method: "GET", path: ["ready"], timeoutMs: this.#options.timeoutMs, safe: true };
      const answer = await this.#exchange.json(message);
      return isRecord(answer) && answer.brine === true;
    } catch (error) {
      if (codeOf(error) === "MASTER_DOWN" || codeOf(error) === "UNREACHABLE") throw error;
      return false;
    }
  }

  /** Ends the login, if it is the client's own, and its streams. Jobs that are running go on. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ClientError("CLOSED", "The client is closed"));
    this.#shared.close();
    await this.#session.close();
  }

  /** The same as {@link HttpClient.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A feed that listens from {@link EventFeed.ready} on, which asks for the first event before the caller does. */
function heldFeed(
  events: AsyncGenerator<SaltEvent, void, void>,
  opened: Promise<void>,
  stop: () => void,
): EventFeed {
  let asked = false;
  let held: Promise<IteratorResult<SaltEvent, void>> | undefined;
  const ready = async () => {
    if (!asked) held = events.next();
    asked = true;
    held?.catch(() => {});
    await opened;
  };
  const feed = eventFeed(events, { ready, stop });
  feed.next = () => {
    const first = held;
    held = undefined;
    asked = true;
    return first ?? events.next();
  };
  return feed;
}

function checkOptions(options: HttpOptions): void {
  refuseUnknownKeys("the options of connect()", options, OPTIONS, REMEDIES);
  const { token, login } = options;
  if ((token === undefined) === (login === undefined)) {
    const which = token === undefined ? "neither is given" : "both are given";
    throw new TypeError(`Cannot connect without knowing as whom (${which}): expected token: "…", or ${NEED_LOGIN}`);
  }
  if (login === undefined) return;
  for (const name of ["username", "password", "eauth"] as const) {
    if (typeof login[name] !== "string") throw new TypeError(`Cannot log in: login.${name} is missing`);
  }
}
