/** The connection to a salt-api, with the methods that the verbs of {@link Salt} use. */
import { type Clock, systemClock } from "../../base/async/clock.ts";
import { codeOf, ProtocolError } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import { isPlainJid, JidGenerator } from "../../model/job/jid.ts";
import { silentLogger } from "../../base/log.ts";
import { isRecord } from "../../base/record.ts";
import { abortable } from "../../base/async/within.ts";
import { checkedRunner, checkedWheel } from "../checked_call.ts";
import { ClientError, returnOrFailure } from "../client_error.ts";
import type { AnyRunner, AnyWheel, RunnerReturn, WheelReturn } from "../functions/call_types.ts";
import type { ReportedOutcome } from "../outcome.ts";
import type { Previewed, Published, PublishRequest, SettledRequest } from "../publish_request.ts";
import { checkedRequest, previewedOf, textList } from "../publish_request.ts";
import type { CallOptions, RunnerCall, WheelCall } from "../salt.ts";
import type { SaltLink } from "../job_run.ts";
import { jobReport, reportedOutcomes } from "../verbs/job_report.ts";
import { HttpExchange, type HttpMessage } from "./exchange.ts";
import type { HttpOptions } from "./http_options.ts";
import { settledChunk } from "./lowstate.ts";
import { type HeardEvent, resumingEvents } from "./resuming_events.ts";
import { HttpSession } from "./session.ts";
import { SharedEvents } from "./shared_events.ts";
import { UrlBase } from "../../model/config/url.ts";

/**
 * Quotes a text for salt-api, which reads arguments of runners like a command line: without quotes, `1` would become a number, and
 * `a=1` a keyword argument.
 *
 * @see salt/utils/args.py parse_input
 */
function literal(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // Escapes "#", which would begin a comment, and control characters, which YAML does not allow.
  return JSON.stringify(value).replace(
    /[#\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Matches names and addresses of the local machine. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of a salt-api, with its `root_prefix` if it has one.
 *
 * @param insecure true allows plain HTTP to other machines
 * @throws {TypeError} for an invalid address
 * @throws {ClientError} `INSECURE` for plain HTTP to another machine: anyone on the network path could read token and password
 */
function serverUrl(text: string | URL, insecure: boolean): UrlBase {
  const base = new UrlBase(String(text));
  const { protocol, hostname } = new URL(base.origin);
  if (protocol === "https:" || insecure || LOOPBACK.test(hostname)) return base;
  throw new ClientError(
    "INSECURE",
    `Cannot connect to ${base.origin} without TLS: others on the network could read the token. Use ` +
      "https://, or set insecure: true on a trusted network",
    { url: base.origin },
  );
}

/** Runner and wheel functions that change nothing, so that they may be called again when an answer is lost. */
const READS: ReadonlySet<string> = new Set([
  "cache.grains",
  "cache.pillar",
  "jobs.exit_success",
  "jobs.get_jid",
  "jobs.last_run",
  "jobs.list_job",
  "jobs.list_jobs",
  "jobs.list_jobs_filter",
  "jobs.lookup_jid",
  "jobs.outcome",
  "jobs.print_job",
  "jobs.queued",
  "jobs.tally",
  "key.finger",
  "key.list",
  "key.list_all",
  "key.name_match",
  "manage.not_present",
  "manage.present",
  "minions.connected",
]);

/** Bytes of one answer, at most, unless the caller sets a limit: a browser has room for it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The default time for a runner and its answer, in milliseconds. */
const RUNNER_MS = 300_000;
const ANSWER_MS = 10_000;
/** The fields of a command that are not arguments of a wheel function. */
const COMMAND_FIELDS = ["client", "fun", "cmd", "user", "key", "token", "eauth", "username", "password"];
/** The statuses of a server without previews of targets. */
const NO_PREVIEW: readonly unknown[] = [404, 405, 501];
/** The codes of failures after which it is still unknown whether the server is Brine or Salt. */
const UNKNOWN_YET: readonly string[] = ["MASTER_DOWN", "UNREACHABLE", "TIMEOUT", "CLOSED"];

interface StreamRequest {
  signal: AbortSignal;
  tag?: string;
  after?: string;
  onOpen(): void;
  onMissed(count: number | undefined): void;
}

/** The connection of one client to a server. */
export class HttpLink implements SaltLink {
  readonly #options: Required<Pick<HttpOptions, "timeoutMs" | "patienceMs" | "maxBytes" | "random">>;
  readonly #exchange: HttpExchange;
  readonly #session: HttpSession;
  readonly #shared: SharedEvents;
  readonly #jids: JidGenerator;
  readonly #closing = new AbortController();
  #isBrine = false;
  /** True if the server itself is Brine, whose events have ids. The master behind it may still be Salt. */
  #isOurs = false;
  readonly clock: Clock;

  constructor(url: string | URL, options: HttpOptions) {
    const { clock = systemClock, random = Math.random, log = silentLogger, token, login, fetch } = options;
    const { timeoutMs = 60_000, patienceMs = 60_000, maxBytes = MAX_BYTES, retries = 3 } = options;
    this.#options = { timeoutMs, patienceMs, maxBytes, random };
    this.clock = clock;
    this.#exchange = new HttpExchange({
      url: serverUrl(url, options.insecure === true),
      clock,
      fetch,
      random,
      maxBytes,
      retries,
    });
    this.#session = new HttpSession({ exchange: this.#exchange, clock, log, timeoutMs, token, login });
    this.#shared = new SharedEvents({ clock, open: (how) => this.stream(how) });
    this.#jids = new JidGenerator({ now: () => clock.now() + this.#session.aheadMs });
  }

  /**
   * Checks that the server accepts the token or the login, and whether it is Brine or Salt.
   *
   * @throws {ClientError} `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`
   */
  async begin(token: string | undefined): Promise<void> {
    // Posts an empty list of commands, which runs nothing and needs a valid session.
    if (token !== undefined) await this.#post([], []);
    else await this.#session.token();
    await this.#findOut();
  }

  get isBrine(): boolean {
    return this.#isBrine;
  }

  /** The most characters of waiting outcomes: four of the largest, since a caller may take a moment for each. */
  get mostWaiting(): number {
    return 4 * this.#options.maxBytes;
  }

  get lost(): Promise<never> {
    return this.#shared.lost;
  }

  /**
   * Publishes a job and does not wait for it; undefined if no minion matches. A Brine master gets the request again if the answer is
   * lost: the client chooses the job id, so the job runs once.
   *
   * @throws {ClientError} as every call, and `REFUSED` with the master's message
   * @throws {TypeError} for keys and values that no master understands, with the nearest valid one
   */
  async publish(request: PublishRequest, options: CallOptions = {}): Promise<Published | undefined> {
    const settled = this.#checked(request);
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
    const answer = await this.#runOne(chunk, { ...options, safe: this.#isBrine, credentials: request.credentials });
    const published = isRecord(answer) ? answer : {};
    if (!isPlainJid(published.jid)) {
      if (Object.keys(published).length === 0) return undefined;
      throw new ProtocolError(`${this.#exchange.origin} published a job without its id: check that it is a salt-api`);
    }
    const syndics = textList(published.syndics);
    return {
      jid: published.jid,
      minions: textList(published.minions),
      missing: textList(published.missing),
      queued: textList(published.queued),
      ...(syndics.length === 0 ? {} : { syndics }),
    };
  }

  /** Makes a job id that no other client makes at the same time. */
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
      throw new ClientError("NOT_BRINE", `The master of ${this.#exchange.origin} is Salt's master: ${why}`);
    }
  }

  /** The minions that {@link HttpLink.publish} would publish a request for; nothing is sent to a minion. */
  async preview(request: PublishRequest, options: CallOptions = {}): Promise<Previewed> {
    this.#needBrine("it cannot list the minions of a target without a job");
    const settled = this.#checked(request);
    try {
      const [found] = await this.#post(["preview"], settledChunk(settled), { ...options, safe: true });
      return previewedOf(isRecord(found) ? found : undefined);
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
    const ended = await this.#runOne(chunk, { ...options, timeoutMs: timeoutMs + ANSWER_MS, safe: READS.has(fun) });
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
    const ended = await this.#runOne({ ...kwarg, client: "wheel", fun }, { ...options, safe: READS.has(fun) });
    return this.#returned(`wheel function "${fun}"`, ended) as WheelReturn<Fun>;
  }

  /** The return in the last event of a function, `{tag, data}`. */
  #returned(what: string, ended: unknown): unknown {
    const data = isRecord(ended) ? ended.data : undefined;
    if (isRecord(data)) return returnOrFailure(what, data);
    throw new ProtocolError(
      `${this.#exchange.origin} answered the ${what} without its return: check that it is a salt-api`,
    );
  }

  /** Calls `listener` with every event from now on; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent, size?: number) => void): () => void {
    return this.#shared.onEvent(listener);
  }

  /** Calls `listener` each time that events were lost; the returned function removes the listener. */
  onGap(listener: () => void): () => void {
    return this.#shared.onGap(listener);
  }

  /** Resolves once the client listens: later events are not missed. */
  async listening(signal?: AbortSignal): Promise<void> {
    await this.#shared.listening(signal);
  }

  /** Calls the listeners with the recorded events of a job. */
  async catchUp(jid: string): Promise<void> {
    const report = jobReport(jid, await this.runner({ fun: "jobs.list_job", kwarg: { jid } }));
    for (const [id, result] of Object.entries(report?.results ?? {})) {
      this.#shared.fire(`salt/job/${jid}/ret/${id}`, { ...result, id, jid });
    }
    const outcomes = this.#isBrine ? await this.#outcomes(jid) : {};
    for (const [id, outcome] of Object.entries(outcomes)) {
      // Skips targets with a return: it was fired above, or comes as an event.
      if (outcome.outcome === "returned" || outcome.outcome === "failed") continue;
      this.#shared.fire(`salt/job/${jid}/outcome/${id}`, { ...outcome, id });
    }
  }

  /** Reads `job_outcomes`, which only a Brine master keeps, with a runner. @throws {ClientError} `NOT_BRINE` */
  async ask(cmd: string, load: Record<string, unknown>): Promise<unknown> {
    this.#needBrine(`it does not know "${cmd}"`);
    return { outcomes: await this.#outcomes(String(load.jid)) };
  }

  async #outcomes(jid: string): Promise<Record<string, ReportedOutcome>> {
    return reportedOutcomes(await this.runner({ fun: "jobs.outcome", kwarg: { jid } }));
  }

  /** Runs one command and returns its result, with the session's token or the credentials of the command. */
  async #runOne(
    chunk: Record<string, unknown>,
    options: CallOptions & { safe: boolean; credentials?: PublishRequest["credentials"] },
  ): Promise<unknown> {
    const { credentials, ...how } = options;
    const [result] = credentials === undefined
      ? await this.#post([], [chunk], how)
      : await this.#post(["run"], [{ ...chunk, ...credentials }], { ...how, open: true });
    return result;
  }

  /** Posts to the server and returns the list in the answer; logs in again if the token has expired. */
  async #post(
    path: readonly string[],
    body: unknown,
    options: CallOptions & { safe?: boolean; open?: boolean } = {},
  ): Promise<unknown[]> {
    const { timeoutMs = this.#options.timeoutMs, safe = false, open = false } = options;
    const signal = this.#untilClosed(options.signal);
    signal.throwIfAborted();
    const message: HttpMessage = { method: "POST", path, body, timeoutMs, signal, safe };
    const answer = open
      ? await this.#exchange.json(message)
      : await this.#withToken(signal, (token) => this.#exchange.json({ ...message, token }));
    if (isRecord(answer) && Array.isArray(answer.return)) return answer.return;
    throw new ProtocolError(`${this.#exchange.origin} answered without a list of returns: check that it is a salt-api`);
  }

  /** Aborts with the caller's signal, or once the client is closed. */
  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  async #withToken<T>(signal: AbortSignal, step: (token: string) => Promise<T>): Promise<T> {
    // The login is shared with other callers, so it continues after an abort.
    const token = await abortable(this.#session.token(), signal);
    try {
      return await step(token);
    } catch (error) {
      // An invalid token is refused before anything is run, so the request may be repeated.
      if (codeOf(error) !== "AUTHENTICATION" || !this.#session.refused(token)) throw error;
      return await step(await abortable(this.#session.token(), signal));
    }
  }

  /** The events of the server; the stream survives interruptions. */
  stream({ signal, tag, after, onOpen, onMissed }: StreamRequest): AsyncGenerator<HeardEvent, void, void> {
    const { random, maxBytes: most, patienceMs, timeoutMs } = this.#options;
    const open = (id: string, link: AbortSignal) =>
      this.#withToken(link, (token) =>
        this.#exchange.stream({
          method: "GET",
          path: ["events"],
          // Salt's server refuses query parameters.
          ...(this.#isOurs ? { query: resuming(tag, id) } : {}),
          accept: "text/event-stream",
          token,
          timeoutMs,
          signal: link,
          safe: true,
        }));
    return resumingEvents({
      clock: this.clock,
      random,
      most,
      patienceMs,
      beginMs: timeoutMs,
      open,
      ...(after === undefined ? {} : { after }),
      signal: this.#untilClosed(signal),
      onOpen,
      onMissed,
    });
  }

  /** Finds out whether the server, and the master behind it, are Brine. Salt's server does not know the request. */
  async #findOut(): Promise<void> {
    try {
      const { timeoutMs } = this.#options;
      const { signal } = this.#closing;
      const answer = await this.#exchange.json({ method: "GET", path: ["ready"], timeoutMs, signal, safe: true });
      this.#isOurs = isRecord(answer) && typeof answer.brine === "boolean";
      this.#isBrine = this.#isOurs && isRecord(answer) && answer.brine === true;
    } catch (error) {
      if (UNKNOWN_YET.includes(codeOf(error))) throw error;
    }
  }

  /** Closes the streams, and ends the login unless the token was given. Running jobs continue. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ClientError("CLOSED", "The client is closed"));
    this.#shared.close();
    await this.#session.close();
  }
}

/** The query of a Brine server's stream. The id is in the address, since browsers may not send `Last-Event-ID` to another origin. */
function resuming(tag: string | undefined, id: string): Record<string, string> {
  return { ids: "1", ...(tag === undefined ? {} : { tag }), ...(id === "" ? {} : { last_event_id: id }) };
}
