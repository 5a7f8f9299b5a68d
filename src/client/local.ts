import { deferred } from "../async/deferred.ts";
import type { Clock } from "../async/clock.ts";
import { sendClear } from "../channel/req_client.ts";
import { joinPath } from "../config/paths.ts";
import { codeOf, messageOf, SaltError } from "../errors.ts";
import type { BusEvent } from "../event/bus.ts";
import type { TargetType } from "../target/target.ts";
import { type BusListener, listenBus, OWN_BUS } from "../event/ipc.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import { checkCollectOptions, checkedRequest, settled } from "./request.ts";
import { type Req, runtimeSockets, type SocketFactory } from "../zmtp/mod.ts";

/** The master could not be asked, or would not do what it was asked. */
export class ClientError extends SaltError {}

/** How somebody proves to the master who they are: `{token}`, or `{eauth, username, password, …}`. */
export type Credentials = Readonly<Record<string, unknown>>;

/** A publication as a program asks for it. */
export interface PublishRequest {
  /** Text as `tgt_type` has it, or a list of ids. */
  tgt: string | string[];
  /** One of {@link TargetType}. @default "list" for a list of ids, "glob" for text */
  tgt_type?: TargetType | (string & Record<never, never>) | undefined;
  fun: string | string[];
  /** Positional values, then at most one map with `__kwarg__`; a list of such lists for several functions. */
  arg?: unknown[];
  /** Keyword arguments of the function. Of several functions each has its own, at the end of its list in `arg`. */
  kwarg?: Record<string, unknown>;
  /** Returners, comma separated. */
  ret?: string;
  jid?: string;
  /** Fields of the publication beside these: `delimiter`, `metadata`, `ret_config`, `ret_kwargs`, `module_executors`, … */
  kwargs?: Record<string, unknown> | undefined;
  /** Who asks, instead of the user of this process: a `token`, or `eauth` with what that back end wants. */
  credentials?: Credentials | undefined;
  /** Seconds for which the job is kept for minions that are away. Our masters only. @default not at all */
  queue?: number;
  /** Have our minions send what commands print while they run; see {@link CollectOptions.onOutput}. @default false */
  stream?: boolean;
  /** Seconds after which our minions end the job. @default the minion's own `job_timeout` */
  jobTimeout?: number;
}

/** What a command printed while it ran. */
export interface Output {
  id: string;
  jid: string;
  /** Counts the pieces of one minion from 0; a gap means that some were lost. */
  seq: number;
  stream: "stdout" | "stderr";
  text: string;
  /** Bytes that were too many to be sent (the minion's `stream_bytes`); they are in the return. */
  dropped?: number;
}

/** A job that was published. */
export interface Published {
  jid: string;
  /** Who is expected to answer. */
  minions: string[];
  /** Names of a list target without an accepted key. */
  missing: string[];
  /** Those of {@link Published.minions} that are away and get the job when they come back. */
  queued: string[];
}

/** What one minion gave back. */
export interface MinionReturn {
  id: string;
  return: unknown;
  retcode: unknown;
  success: unknown;
  out: string | undefined;
  jid: string;
}

/** How a minion's part in a job ended. */
export type Outcome =
  | ({ kind: "returned" } & MinionReturn)
  /** It neither returned nor says that it is still working. What our masters know of it comes along. */
  | { kind: "silent"; id: string; jid: string; known?: KnownOutcome }
  /** It is away, and gets the job when it comes back. */
  | { kind: "queued"; id: string; jid: string }
  /** It has no accepted key. */
  | { kind: "unknown"; id: string; jid: string };

/** What a master of ours knows of a target that has not returned. */
export interface KnownOutcome {
  /** `published`, `started`, `timed out`, `lost`, `expired` or `cancelled`. */
  outcome: string;
  /** Since when, in seconds since the epoch. */
  at?: number;
  /** Since when the minion is gone, in seconds since the epoch. */
  since?: number;
  note?: string;
}

export interface CollectOptions {
  /** Called with the job id as soon as there is one, and with who is expected to answer. */
  onPublished?(jid: string, published: Published): void;
  /** Called with each piece of live output, in order of each minion ({@link PublishRequest.stream}). */
  onOutput?(output: Output): void;
  /** Silence allowed before asking `saltutil.find_job`: Salt's `timeout`, in seconds there. @default 5000 */
  timeoutMs?: number;
  /** How long to wait for the answers to that: `gather_job_timeout`, in seconds there. @default 10000 */
  gatherMs?: number;
  signal?: AbortSignal;
}

export interface LocalClientOptions {
  runtime: Runtime;
  log: Logger;
  /** `{interface, ret_port, sock_dir, cachedir, user}` of the master's configuration. */
  opts:
    & { interface: string; ret_port: number; sock_dir: string; cachedir: string; user: string }
    & Record<string, unknown>;
  /** @default our own ZeroMQ */
  sockets?: SocketFactory;
  /** Of one request to the master, in milliseconds. @default 60000 */
  requestTimeoutMs?: number;
  /** Requests that may be with the master at once; each has a connection of its own. @default 1 */
  lanes?: number;
  /**
   * Whether what no master would understand is refused: unknown keys, target types and the like. False hands everything
   * on to the master, for programs whose users expect Salt's own answer. @default true
   */
  checked?: boolean;
}

/** A connection to the request port, which carries one request at a time. */
interface Lane {
  req: Req;
  busy: number;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function knownOutcome({ outcome, at, since, note }: Record<string, unknown>): KnownOutcome {
  return {
    outcome: String(outcome),
    ...(typeof at === "number" ? { at } : {}),
    ...(typeof since === "number" ? { since } : {}),
    ...(typeof note === "string" ? { note } : {}),
  };
}

/** A retcode that counts as a failure; that of several functions is a map. */
export function highestRetcode(retcode: unknown): number {
  if (typeof retcode === "number") return retcode;
  if (typeof retcode !== "object" || retcode === null) return 0;
  const codes = retcode instanceof Map ? [...retcode.values()] : Object.values(retcode);
  return Math.max(0, ...codes.map((code) => typeof code === "number" ? code : 0));
}

/**
 * What a program on the master's host uses to run jobs: publishes through the request port, and hears of returns on the
 * master's event bus. Works with our master and with real Salt's.
 *
 * @see salt/client/__init__.py LocalClient
 */
export class LocalClient implements AsyncDisposable {
  readonly #options: LocalClientOptions;
  readonly #clock: Clock;
  readonly #lanes: Lane[] = [];
  readonly #openLane: () => Req;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #lost = deferred<never>();
  #bus: BusListener | undefined;
  #ours = false;
  #key: string | undefined;
  /** Read once: a gateway publishes a thousand times a second. */
  #name: string | undefined;

  private constructor(options: LocalClientOptions, openLane: () => Req) {
    this.#options = options;
    this.#clock = options.runtime.clock;
    this.#openLane = openLane;
    // Without a listener it would count as an error that nobody has dealt with.
    this.#lost.promise.catch(() => {});
  }

  /**
   * Connects to the master on this host.
   *
   * @throws {ClientError} `MASTER_DOWN` if none is running, `NO_KEY` if its key file cannot be read
   */
  static async open(options: LocalClientOptions): Promise<LocalClient> {
    const { runtime, opts, log } = options;
    const { net } = runtime;
    const sockets = options.sockets ??
      runtimeSockets(runtime, log);
    const host = opts.interface === "0.0.0.0" ? "127.0.0.1" : opts.interface === "::" ? "::1" : opts.interface;
    const client = new LocalClient(options, () => {
      const req = sockets.req({ lingerMs: 0, sendHighWaterMark: 0 });
      req.connect(`tcp://${host.includes(":") ? `[${host}]` : host}:${opts.ret_port}`);
      return req;
    });
    // Connected while we go on: the first request need not wait for it.
    client.#lane();
    const listen = (name: string) =>
      listenBus(
        net,
        { kind: "unix", path: joinPath(opts.sock_dir, name) },
        (event) => {
          for (const listener of client.#listeners) listener(event);
        },
        (error) => client.#lost.reject(new ClientError("BUS_LOST", "The master's event bus is gone", { cause: error })),
      );
    try {
      // A master of ours has a socket for us; a real one has not.
      try {
        client.#bus = await listen(OWN_BUS);
        client.#ours = true;
      } catch {
        client.#bus = await listen("master_event_pub.ipc");
      }
    } catch (error) {
      await client.close();
      const refused = codeOf(error) === "EACCES";
      // Scripts know the beginning.
      const why = refused
        ? `: the user "${runtime.host.user().name}" may not open the sockets there. Run this as the master's user or as root, ` +
          "or give that user permissions (publisher_acl) and start the master again"
        : "";
      throw new ClientError(
        refused ? "NO_ACCESS" : "MASTER_DOWN",
        `Unable to connect to the salt master publisher at ${opts.sock_dir}${why}`,
        { cause: error },
      );
    }
    log.debug("connected to the master", { sock_dir: opts.sock_dir, ours: client.#ours });
    return client;
  }

  get #checked(): boolean {
    return this.#options.checked ?? true;
  }

  #user(): string {
    return this.#name ??= this.#ownName();
  }

  #ownName(): string {
    const { process, host } = this.#options.runtime;
    const sudo = process.env("SUDO_USER");
    const name = host.user().name;
    return name === "root" && sudo !== undefined && sudo !== "" && sudo !== "root" ? `sudo_${sudo}` : name;
  }

  #readKey(): string {
    const { runtime: { fs, host }, opts } = this.#options;
    const name = host.user().name;
    const owner = name === "root" ? opts.user : name;
    const path = joinPath(opts.cachedir, `.${owner.replaceAll("\\", "_").replaceAll("/", "_")}_key`);
    try {
      return fs.readText(path).trim();
    } catch (error) {
      throw new ClientError("NO_KEY", `${messageOf(error)}. Only the master's user and root may publish`, { path });
    }
  }

  /** True if this user has a key of its own on this host, and needs no other credentials. */
  get keyed(): boolean {
    try {
      this.#key ??= this.#readKey();
      return true;
    } catch {
      return false;
    }
  }

  /** What the user of this process is believed by. @throws {ClientError} `NO_KEY` */
  get ownCredentials(): Credentials {
    this.#key ??= this.#readKey();
    return { user: this.#user(), key: this.#key };
  }

  /** Every event of the master's bus from now on; the returned function ends it. */
  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Asks the master to publish; undefined if no minion matches.
   *
   * @throws {ClientError} with the master's own words when it refuses, `TIMEOUT` when it does not answer
   * @throws {TypeError} for keys and values that no master would understand, with the nearest right one
   */
  async publish(request: PublishRequest): Promise<Published | undefined> {
    const fields = await this.#publication("publish", request);
    if (typeof fields?.jid !== "string") {
      if (Array.isArray(fields?.minions)) return undefined;
      throw new ClientError("REFUSED", String(fields?.error ?? "The master gave no job id"));
    }
    const { jid } = fields;
    const [minions, missing, queued] = [listOf(fields.minions), listOf(fields.missing), listOf(fields.queued)];
    this.#options.log.debug("job published", { jid, minions: minions.length, missing: missing.length });
    return { jid, minions, missing, queued };
  }

  /**
   * Whom {@link LocalClient.publish} would publish this for, by the same rules; nothing is sent to anybody.
   *
   * @throws {ClientError} `NOT_OURS` if the master is Salt's own, which cannot be asked for that; else as for `publish`
   */
  async preview(request: PublishRequest): Promise<Pick<Published, "minions" | "missing">> {
    if (!this.#ours) {
      throw new ClientError("NOT_OURS", "The master on this host is Salt's own: it does not tell whom a target means");
    }
    const fields = await this.#publication("publish_preview", request);
    if (fields?.error !== undefined) throw new ClientError("REFUSED", String(fields.error));
    return { minions: listOf(fields?.minions), missing: listOf(fields?.missing) };
  }

  /** What the master says to a publication. @throws {ClientError} */
  async #publication(cmd: string, request: PublishRequest): Promise<Record<string, unknown> | undefined> {
    const { tgt, tgt_type, fun, arg, jid = "", queue, stream, jobTimeout } = this.#checked
      ? checkedRequest(request)
      : settled(request);
    if ((queue !== undefined || stream || jobTimeout !== undefined) && !this.#ours) {
      throw new ClientError(
        "NOT_OURS",
        "The master on this host is Salt's own: it knows no queue, live output or job timeout",
      );
    }
    const kwargs: Record<string, unknown> = { ...request.kwargs };
    if (queue !== undefined) kwargs.queue = queue;
    if (stream) kwargs.stream = true;
    if (jobTimeout !== undefined) kwargs.job_timeout = jobTimeout;
    // As in Salt, it is the caller who sends returns to the external job cache.
    const { ext_job_cache } = this.#options.opts;
    const ret = [request.ret ?? "", typeof ext_job_cache === "string" ? ext_job_cache : ""].filter((name) =>
      name !== ""
    )
      .join(",");
    const load = (key: string) => ({
      cmd,
      tgt,
      fun,
      arg,
      key,
      tgt_type,
      ret,
      jid,
      user: this.#user(),
      kwargs,
      // What Salt's own clients look for on the disk, we hear on the bus.
      ...(this.#ours ? { files: false } : {}),
    });
    const { credentials } = request;
    if (credentials !== undefined) Object.assign(kwargs, credentials);
    // Whoever brings credentials of their own must not be mistaken for the user of this process.
    const reply = credentials === undefined ? await this.#askWithKey(load) : await this.send(load(""));
    if (typeof reply !== "object" || reply === null) {
      throw new ClientError("REFUSED", typeof reply === "string" && reply !== "" ? reply : "The master gave no answer");
    }
    const { error, load: result } = reply as { error?: { name?: string; message?: string } | string; load?: unknown };
    if (error !== undefined) {
      const message = typeof error === "string" ? error : error.message ?? "Authentication error occurred.";
      throw new ClientError("REFUSED", message, { kind: typeof error === "string" ? "" : error.name });
    }
    return result as Record<string, unknown> | undefined;
  }

  async #askWithKey(load: (key: string) => Record<string, unknown>): Promise<unknown> {
    this.#key ??= this.#readKey();
    const reply = await this.send(load(this.#key));
    const refused = (reply as { error?: unknown } | null)?.error;
    if (reply && refused === undefined) return reply;
    // A master that was started anew has a new key.
    const key = this.#readKey();
    if (key === this.#key) return reply;
    this.#key = key;
    return await this.send(load(key));
  }

  /**
   * Asks our master for something that real Salt's does not know: `job_outcomes`, `job_dequeue`, `job_counters`.
   *
   * @throws {ClientError} `NOT_OURS` if it is a real one, `REFUSED` with the master's words
   */
  async ask(cmd: string, load: Record<string, unknown>): Promise<unknown> {
    if (!this.#ours) {
      throw new ClientError("NOT_OURS", `The master on this host does not know "${cmd}": it is Salt's own`);
    }
    const reply = await this.#askWithKey((key) => ({ ...load, cmd, key, user: this.#user() }));
    const error = (reply as { error?: { message?: string } | string } | null)?.error;
    if (error !== undefined) {
      throw new ClientError("REFUSED", typeof error === "string" ? error : error.message ?? "The master refused");
    }
    return reply;
  }

  /** True if the master is one of ours, which knows how every target of a job stands. */
  get ours(): boolean {
    return this.#ours;
  }

  /** Rejects with a {@link ClientError} once the master has gone away. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** The least busy connection; a new one as long as there may be more and all have something to do. */
  #lane(): Lane {
    let [best] = this.#lanes;
    for (const lane of this.#lanes) if (lane.busy < best!.busy) best = lane;
    if (best === undefined || (best.busy > 0 && this.#lanes.length < (this.#options.lanes ?? 1))) {
      best = { req: this.#openLane(), busy: 0 };
      this.#lanes.push(best);
    }
    return best;
  }

  /**
   * Sends one clear command and gives the reply as it is. `load` says by its own fields who asks.
   *
   * @throws {ClientError} `TIMEOUT` when the master does not answer
   */
  async send(load: Record<string, unknown>, options: { timeoutMs?: number } = {}): Promise<unknown> {
    const lane = this.#lane();
    lane.busy++;
    try {
      return await sendClear(async (bytes, how) => (await lane.req.request(bytes, how))[0]!, load, {
        timeoutMs: options.timeoutMs ?? this.#options.requestTimeoutMs ?? 60_000,
      });
    } catch (error) {
      if (codeOf(error) !== "TIMEOUT") throw error;
      throw new ClientError(
        "TIMEOUT",
        "Salt request timed out. The master is not responding. You may need to run your command with `--async` in order " +
          "to bypass the congested event bus. With `--async`, the CLI tool will print the job id (jid) and exit " +
          "immediately without listening for responses. You can then use `salt-run jobs.lookup_jid` to look up the " +
          "results of the job in the job cache later.",
        { cause: error },
      );
    } finally {
      lane.busy--;
    }
  }

  /**
   * Publishes, and yields how it ended for each minion: returns as they come, then those that stayed silent. A minion that
   * works longer than the timeout is waited for as long as it says so.
   *
   * @throws {ClientError} as {@link LocalClient.publish}; also if the master goes away
   */
  async *run(request: PublishRequest, options: CollectOptions = {}): AsyncGenerator<Outcome, Published | undefined> {
    if (this.#checked) checkCollectOptions(options);
    // Listen before publishing: a fast minion can answer before publish() returns.
    const early: BusEvent[] = [];
    let collect = (event: BusEvent): void => {
      early.push(event);
    };
    const off = this.onEvent((event) => collect(event));
    try {
      const published = await this.publish(request);
      if (published !== undefined) options.onPublished?.(published.jid, published);
      if (published === undefined) return undefined;
      const collector = new Collector(this, published, options, this.#clock, request.credentials);
      collect = (event) => collector.take(event);
      for (const event of early) collector.take(event);
      yield* collector.outcomes(this.#lost.promise);
      return published;
    } finally {
      off();
    }
  }

  /** Runs a job to its end: id → return, without those that stayed silent. */
  async command(request: PublishRequest, options: CollectOptions = {}): Promise<Record<string, unknown>> {
    const returns: Record<string, unknown> = {};
    for await (const outcome of this.run(request, options)) {
      if (outcome.kind === "returned") returns[outcome.id] = outcome.return;
    }
    return returns;
  }

  async close(): Promise<void> {
    this.#bus?.close();
    await Promise.all(this.#lanes.map(({ req }) => req.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Follows one job on the bus until every minion's part has ended. */
class Collector {
  readonly #client: LocalClient;
  readonly #jid: string;
  readonly #prefix: string;
  readonly #waiting: Set<string>;
  readonly #unknown: Set<string>;
  readonly #queued: Set<string>;
  /** Those that our master says are at it: there is no need to ask them. */
  readonly #started = new Set<string>();
  readonly #onOutput: CollectOptions["onOutput"];
  readonly #timeoutMs: number;
  readonly #gatherMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #credentials: Credentials | undefined;
  readonly #ready: Outcome[] = [];
  readonly #returned = new Set<string>();
  /** Minion → until when it need not have answered. */
  readonly #deadline = new Map<string, number>();
  #wake = deferred<void>();

  constructor(
    client: LocalClient,
    published: Published,
    options: CollectOptions,
    clock: Clock,
    credentials: Credentials | undefined,
  ) {
    this.#client = client;
    this.#credentials = credentials;
    this.#jid = published.jid;
    this.#prefix = `salt/job/${published.jid}`;
    this.#queued = new Set(published.queued);
    this.#waiting = new Set(published.minions.filter((id) => !this.#queued.has(id)));
    this.#onOutput = options.onOutput;
    this.#unknown = new Set(published.missing);
    this.#timeoutMs = options.timeoutMs ?? 5000;
    this.#gatherMs = options.gatherMs ?? 10_000;
    this.#signal = options.signal;
    this.#clock = clock;
  }

  take(event: BusEvent): void {
    const jid = this.#jid;
    if (event.tag === jid) {
      for (const id of listOf(event.data.minions)) {
        if (!this.#returned.has(id) && !this.#queued.has(id)) this.#waiting.add(id);
      }
      return;
    }
    if (!event.tag.startsWith(this.#prefix)) return;
    if (event.tag === `${this.#prefix}/new`) {
      for (const id of listOf(event.data.missing)) this.#unknown.add(id);
      return;
    }
    const { data } = event;
    const { id } = data;
    if (event.tag === `${this.#prefix}/out/${id}`) return this.#output(data);
    if (event.tag === `${this.#prefix}/outcome/${id}`) return this.#outcome(String(id), data);
    if (!event.tag.startsWith(`${this.#prefix}/ret/`)) return;
    if (typeof id !== "string" || data.return === undefined || this.#returned.has(id)) return;
    // The master puts the sender's id into the tag; the data is the sender's own.
    if (event.tag !== `${this.#prefix}/ret/${id}`) return;
    this.#returned.add(id);
    this.#waiting.delete(id);
    this.#ready.push({
      kind: "returned",
      id,
      return: data.return,
      retcode: data.retcode,
      success: data.success,
      out: typeof data.out === "string" ? data.out : undefined,
      jid,
    });
    this.#wake.resolve();
  }

  #output({ id, seq, stream, text, dropped }: Record<string, unknown>): void {
    if (typeof id !== "string" || typeof text !== "string" || this.#onOutput === undefined) return;
    this.#onOutput({
      id,
      jid: this.#jid,
      seq: Number(seq),
      stream: stream === "stderr" ? "stderr" : "stdout",
      text,
      ...(typeof dropped === "number" ? { dropped } : {}),
    });
  }

  /** The master says that a target came to another state than by a return. */
  #outcome(id: string, known: Record<string, unknown>): void {
    const { outcome } = known;
    if (outcome === "started") this.#started.add(id);
    if (outcome === "started" || outcome === "published" || outcome === "queued") return;
    if (!this.#waiting.delete(id)) return;
    this.#returned.add(id);
    this.#ready.push({ kind: "silent", id, jid: this.#jid, known: knownOutcome(known) });
    this.#wake.resolve();
  }

  async *outcomes(lost: Promise<never>): AsyncGenerator<Outcome> {
    let until = this.#clock.now() + this.#timeoutMs;
    let gathering: { found: Set<string>; done: Promise<void>; over: boolean } | undefined;
    for (;;) {
      while (this.#ready.length > 0) yield this.#ready.shift()!;
      if (this.#waiting.size === 0) break;
      this.#signal?.throwIfAborted();
      const now = this.#clock.now();
      if (gathering?.over) {
        for (const id of [...gathering.found, ...this.#started]) this.#deadline.set(id, now + this.#timeoutMs);
        const working = [...this.#waiting].filter((id) => (this.#deadline.get(id) ?? 0) > now);
        gathering = undefined;
        if (working.length === 0) break;
        until = now + this.#timeoutMs;
        continue;
      }
      if (gathering === undefined && now >= until) gathering = this.#gather();
      this.#wake = deferred<void>();
      if (this.#ready.length > 0) continue;
      const timer = new AbortController();
      const stop = () => timer.abort(this.#signal?.reason);
      this.#signal?.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([
          this.#wake.promise,
          lost,
          gathering === undefined ? this.#clock.sleep(until - now, timer.signal) : gathering.done,
        ]);
      } catch (error) {
        if (!this.#signal?.aborted) throw error;
      } finally {
        this.#signal?.removeEventListener("abort", stop);
        timer.abort();
      }
    }
    if (this.#waiting.size > 0) {
      const known = await this.#known();
      // Some may have come while we asked.
      while (this.#ready.length > 0) yield this.#ready.shift()!;
      for (const id of [...this.#waiting].sort()) {
        yield { kind: "silent", id, jid: this.#jid, ...(known[id] === undefined ? {} : { known: known[id] }) };
      }
    }
    for (const id of [...this.#queued].sort()) {
      if (!this.#returned.has(id)) yield { kind: "queued", id, jid: this.#jid };
    }
    for (const id of [...this.#unknown].sort()) {
      if (!this.#returned.has(id)) yield { kind: "unknown", id, jid: this.#jid };
    }
  }

  /** What the master knows of the silent ones; nothing if it is a real one. */
  async #known(): Promise<Record<string, KnownOutcome>> {
    if (!this.#client.ours) return {};
    try {
      const { outcomes } = await this.#client.ask("job_outcomes", { jid: this.#jid }) as {
        outcomes: Record<string, Record<string, unknown>>;
      };
      return Object.fromEntries(Object.entries(outcomes).map(([id, fields]) => [id, knownOutcome(fields)]));
    } catch {
      return {};
    }
  }

  /** Asks the silent ones whether they are still at work. */
  #gather(): { found: Set<string>; done: Promise<void>; over: boolean } {
    const found = new Set<string>();
    const state = { found, done: Promise.resolve(), over: false };
    const asked = new Set([...this.#waiting].filter((id) => !this.#started.has(id)));
    const limit = new AbortController();
    const timer = this.#clock.after(this.#gatherMs, () => limit.abort());
    const ask = async () => {
      // Those of whom the master knows that they are not there need not be asked.
      const known = asked.size > 0 ? await this.#known() : {};
      for (const id of asked) if (known[id]?.since !== undefined) asked.delete(id);
      if (asked.size === 0) return;
      const answers = new Map<string, BusEvent>();
      const settled = deferred<void>();
      limit.signal.addEventListener("abort", () => settled.resolve(), { once: true });
      let prefix: string | undefined;
      const early: BusEvent[] = [];
      const hear = (event: BusEvent) => {
        if (prefix === undefined) return void early.push(event);
        if (!event.tag.startsWith(prefix)) return;
        answers.set(event.tag.slice(prefix.length), event);
        if (answers.size >= asked.size) settled.resolve();
      };
      const off = this.#client.onEvent(hear);
      try {
        const published = await this.#client.publish({
          tgt: [...asked],
          tgt_type: "list",
          fun: "saltutil.find_job",
          arg: [this.#jid],
          credentials: this.#credentials,
        });
        if (published === undefined) return;
        prefix = `salt/job/${published.jid}/ret/`;
        for (const event of early.splice(0)) hear(event);
        await settled.promise;
      } finally {
        off();
      }
      for (const [id, event] of answers) {
        const answer = event.data.return;
        if (typeof answer === "object" && answer !== null && Object.keys(answer).length > 0) found.add(id);
      }
    };
    state.done = ask().catch(() => {}).then(() => {
      timer();
      state.over = true;
    });
    return state;
  }
}
