import type { Clock } from "../base/async/clock.ts";
import { deferred } from "../base/async/deferred.ts";
import type { BusEvent } from "../model/event/bus.ts";
import { ProtocolError } from "../base/errors.ts";
import { ENDED, type OutcomeState } from "../model/job/outcome.ts";
import { isRecord } from "../base/record.ts";
import { type Credentials, type Published, type PublishRequest, textList } from "./publish_request.ts";
import { findJob } from "./find_job.ts";
import { type Outcome, type ReportedOutcome, returnOutcome, statusOutcome } from "./outcome.ts";

/** Output of a running command. */
export interface Output {
  /** The minion's id. */
  id: string;
  /** The job's id, 20 digits. */
  jid: string;
  /** The number of the piece among those of the minion, from 0; a gap means that pieces were lost. */
  seq: number;
  /** The stream of the command. */
  stream: "stdout" | "stderr";
  /** A piece of output, not always whole lines. */
  text: string;
  /** The number of bytes that were not sent because of the minion's `stream_bytes`; they are in the return. */
  dropped?: number;
}

/** A finished state of a run that is still in progress. */
export interface StateProgress {
  /** The minion's id. */
  id: string;
  /** The job's id, 20 digits. */
  jid: string;
  /** The result of the state: `{result, changes, comment, name, __id__, __sls__, __run_num__, duration, …}`. */
  state: Record<string, unknown>;
  /** The number of states of the run; undefined if the minion does not report it. */
  total: number | undefined;
}

/** The options for collecting the outcomes of a job. */
export interface CollectOptions {
  /** Called once the job is published, with its id and the minions that are expected to return. */
  onPublished?(jid: string, published: Published): void;
  /** Called with each piece of live output, in order for each minion ({@link PublishRequest.stream}). */
  onOutput?(output: Output): void;
  /** Called with each finished state, for minions that fire an event for it (`state_events`, or {@link PublishRequest.stream}). */
  onProgress?(progress: StateProgress): void;
  /** Silence allowed before asking `saltutil.find_job`: Salt's `timeout`, in seconds there. @default 5000 */
  timeoutMs?: number;
  /** How long to wait for the answers of `saltutil.find_job`: Salt's `gather_job_timeout`, in seconds there. @default 10000 */
  gatherMs?: number;
  /** How long to wait for syndics to name their minions: Salt's `syndic_wait`, in seconds there. @default 5000 */
  syndicWaitMs?: number;
  /** Ends the wait: `run()` then throws the signal's reason. The job continues. */
  signal?: AbortSignal;
}

/** The methods of a client that a collector uses. */
export interface JobSource {
  /** True for a Brine master, which keeps the outcome of each target. */
  readonly isBrine: boolean;
  /** Rejects once the connection to the master is lost. */
  readonly lost: Promise<never>;
  publish(request: PublishRequest): Promise<Published | undefined>;
  ask(cmd: string, load: Record<string, unknown>): Promise<unknown>;
  /** Listens to events. @param listener gets each event, and the number of its received characters if known */
  onEvent(listener: (event: BusEvent, size?: number) => void): () => void;
  /** The most characters of outcomes that wait for a slow reader. @default no bound, for a trusted source */
  readonly mostWaiting?: number;
  /** For a source that may lose events: calls `listener` each time events were lost; the returned function removes the listener. */
  onGap?(listener: () => void): () => void;
  /** Fires the recorded events of a job again, for a source that may lose events. */
  catchUp?(jid: string): Promise<void>;
}

/** The most targets that only events name, in addition to those that were named when the job was published: beyond any fleet. */
const MAX_NAMED = 1_000_000;
/** The most characters of a target's name, which is the name of its key file. */
const MAX_NAME_CHARACTERS = 255;

interface FindJobRound {
  working: readonly string[];
  done: Promise<void>;
  over: boolean;
}

/** Follows one job on the event bus until each target has an outcome or the wait is over. */
export class JobCollector {
  readonly #client: JobSource;
  readonly #jid: string;
  readonly #prefix: string;
  readonly #waiting: Set<string>;
  readonly #missing: Set<string>;
  readonly #queued: Set<string>;
  /** Syndics that have not named their minions. */
  readonly #syndics: Set<string>;
  readonly #syndicWaitMs: number;
  /** Targets that a Brine master reports as working: they need not be asked. */
  readonly #started = new Set<string>();
  readonly #onOutput: CollectOptions["onOutput"];
  readonly #onProgress: CollectOptions["onProgress"];
  readonly #timeoutMs: number;
  readonly #gatherMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #credentials: Credentials | undefined;
  #ready: { outcome: Outcome; size: number }[] = [];
  /** The number of characters of the outcomes that wait for the reader. */
  #readySize = 0;
  /** The number of targets that only events have named. */
  #named = 0;
  #failure: Error | undefined;
  #catching: Promise<void> | undefined;
  #catchAgain = false;
  readonly #ended = new Set<string>();
  /** Minion → the time until which it counts as working. */
  readonly #deadline = new Map<string, number>();
  #wake = deferred<void>();

  constructor(
    client: JobSource,
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
    this.#syndics = new Set(published.syndics);
    this.#syndicWaitMs = options.syndicWaitMs ?? 5000;
    this.#onOutput = options.onOutput;
    this.#onProgress = options.onProgress;
    this.#missing = new Set(published.missing);
    this.#timeoutMs = options.timeoutMs ?? 5000;
    // Answers of minions below a syndic take longer.
    this.#gatherMs = (options.gatherMs ?? 10_000) + (this.#syndics.size > 0 ? this.#syndicWaitMs : 0);
    this.#signal = options.signal;
    this.#clock = clock;
  }

  /**
   * Takes an event of the bus; events of other jobs are ignored.
   *
   * @param size the number of characters in which the event was received
   */
  take({ tag, data }: BusEvent, size = 0): void {
    if (tag === this.#jid) return this.#expect(data);
    if (tag.startsWith("syndic/") && tag.endsWith(`/${this.#jid}`)) {
      this.#expect(data);
      if (data.more !== true) this.#syndics.delete(tag.slice("syndic/".length, -this.#jid.length - 1));
      return this.#wake.resolve();
    }
    if (!tag.startsWith(this.#prefix)) return;
    const step = /^\/prog\/([^/]+)\/[^/]+$/.exec(tag.slice(this.#prefix.length));
    if (step !== null) return this.#takeProgress(step[1]!, data);
    // The master puts the sender's id into the tag; the data is the sender's own. Where they differ the event is ignored.
    const id = typeof data.id === "string" ? data.id : "";
    switch (tag.slice(this.#prefix.length)) {
      case "/new":
        for (const name of textList(data.missing)) if (this.#admit(name)) this.#missing.add(name);
        break;
      case `/out/${id}`:
        this.#takeOutput(id, data);
        break;
      case `/outcome/${id}`:
        this.#takeOutcome(id, data);
        break;
      case `/ret/${id}`:
        this.#takeReturn(id, data, size);
    }
  }

  /** True if a name can be one of a target. A server that names too many targets is an error. */
  #admit(id: string): boolean {
    if ([this.#waiting, this.#ended, this.#queued, this.#missing].some((names) => names.has(id))) return true;
    if (id === "" || id.length > MAX_NAME_CHARACTERS || this.#failure !== undefined) return false;
    if (++this.#named <= MAX_NAMED) return true;
    this.#fail(new ProtocolError(`Events name more than ${MAX_NAMED} targets for job ${this.#jid}`));
    return false;
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#ready = [];
    this.#wake.resolve();
  }

  /** Adds minions that the master, or one of its syndics, names as targets. */
  #expect({ minions }: Record<string, unknown>): void {
    for (const id of textList(minions)) {
      if (!this.#ended.has(id) && !this.#queued.has(id) && this.#admit(id)) this.#waiting.add(id);
    }
  }

  /**
   * Yields the outcome of each target: returns as they come, then targets that did not return, queued and missing ones,
   * sorted by id.
   */
  async *outcomes(): AsyncGenerator<Outcome> {
    const jid = this.#jid;
    const off = this.#client.onGap?.(() => {
      // After lost events it is unknown whether these targets still work on the job: they are asked like silent ones.
      this.#started.clear();
      void this.#catchUp();
    });
    try {
      yield* this.#untilSilent();
    } finally {
      off?.();
    }
    if (this.#waiting.size > 0) {
      await this.#catchUp();
      const known = await this.#known();
      // Outcomes may have come during the question.
      yield* this.#takeReady();
      for (const id of [...this.#waiting].sort()) yield statusOutcome(id, jid, known[id]);
    }
    for (const id of [...this.#queued].sort()) if (!this.#ended.has(id)) yield { kind: "queued", id, jid };
    for (const id of [...this.#missing].sort()) if (!this.#ended.has(id)) yield { kind: "missing", id, jid };
  }

  /** Yields outcomes until every target has one, or the remaining targets neither return nor say that they are working. */
  async *#untilSilent(): AsyncGenerator<Outcome> {
    const syndicsUntil = this.#clock.now() + this.#syndicWaitMs;
    let until = this.#clock.now() + this.#timeoutMs;
    let round: FindJobRound | undefined;
    for (;;) {
      yield* this.#takeReady();
      const now = this.#clock.now();
      const gathering = this.#syndics.size > 0 && now < syndicsUntil;
      if (this.#waiting.size === 0 && !gathering) return;
      this.#signal?.throwIfAborted();
      if (round?.over) {
        for (const id of [...round.working, ...this.#started]) this.#deadline.set(id, now + this.#timeoutMs);
        if (!gathering && ![...this.#waiting].some((id) => (this.#deadline.get(id) ?? 0) > now)) return;
        round = undefined;
        until = now + this.#timeoutMs;
        continue;
      }
      if (round === undefined && now >= until && this.#waiting.size > 0) round = this.#askSilent();
      else if (round === undefined && now >= until) until = syndicsUntil;
      this.#wake = deferred<void>();
      if (this.#hasNews) continue;
      await this.#wait(round, Math.min(until, gathering ? syndicsUntil : Infinity) - now);
    }
  }

  /** Waits for an outcome, the end of a round, `ms` if there is no round, the abort, or the loss of the master. */
  async #wait(round: FindJobRound | undefined, ms: number): Promise<void> {
    const timer = new AbortController();
    const stop = () => timer.abort(this.#signal?.reason);
    this.#signal?.addEventListener("abort", stop, { once: true });
    try {
      await Promise.race([
        this.#wake.promise,
        this.#client.lost,
        round === undefined ? this.#clock.sleep(ms, timer.signal) : round.done,
      ]);
    } catch (error) {
      if (!this.#signal?.aborted) throw error;
    } finally {
      this.#signal?.removeEventListener("abort", stop);
      timer.abort();
    }
  }

  get #hasNews(): boolean {
    return this.#ready.length > 0 || this.#failure !== undefined;
  }

  /** Yields the outcomes that are ready. @throws {ProtocolError} if the server has sent too much */
  *#takeReady(): Generator<Outcome> {
    do {
      if (this.#failure !== undefined) throw this.#failure;
      // Takes the whole array: removing outcomes one by one would move all later ones.
      const ready = this.#ready;
      this.#ready = [];
      for (const { outcome, size } of ready) {
        this.#readySize -= size;
        yield outcome;
      }
    } while (this.#hasNews);
  }

  #end(outcome: Outcome, size = 0): void {
    if (this.#failure !== undefined) return;
    this.#ended.add(outcome.id);
    this.#waiting.delete(outcome.id);
    this.#ready.push({ outcome, size });
    this.#readySize += size;
    const { mostWaiting = Infinity } = this.#client;
    // A single outcome is bounded when it is received.
    if (this.#readySize > mostWaiting && this.#ready.length > 1) {
      this.#fail(
        new ProtocolError(
          `Outcomes of job ${this.#jid} with more than ${mostWaiting} characters wait to be read: read them faster, ` +
            "or raise maxBytes",
        ),
      );
    }
    this.#wake.resolve();
  }

  #takeReturn(id: string, { return: value, retcode, success, out }: Record<string, unknown>, size: number): void {
    if (value === undefined || this.#ended.has(id) || !this.#admit(id)) return;
    const outputter = typeof out === "string" ? out : undefined;
    this.#end(returnOutcome({ id, jid: this.#jid, return: value, retcode, success, out: outputter }), size);
  }

  #takeOutput(id: string, { seq, stream, text, dropped }: Record<string, unknown>): void {
    if (id === "" || typeof text !== "string" || this.#onOutput === undefined) return;
    this.#onOutput({
      id,
      jid: this.#jid,
      seq: typeof seq === "object" ? Number.NaN : Number(seq),
      stream: stream === "stderr" ? "stderr" : "stdout",
      text,
      ...(typeof dropped === "number" ? { dropped } : {}),
    });
  }

  #takeProgress(id: string, event: Record<string, unknown>): void {
    // An event that a minion fires through the master is inside the load that carried it.
    const { ret, len } = isRecord(event.data) ? event.data : event;
    // Progress that arrives after the return is ignored.
    if (this.#onProgress === undefined || !this.#waiting.has(id) || !isRecord(ret)) return;
    this.#onProgress({ id, jid: this.#jid, state: ret, total: typeof len === "number" ? len : undefined });
  }

  /** Handles an outcome without a return that the master reports. */
  #takeOutcome(id: string, reported: ReportedOutcome): void {
    const { outcome } = reported;
    if (outcome === "started" && this.#waiting.has(id)) this.#started.add(id);
    if (ENDED.has(outcome as OutcomeState) && this.#waiting.has(id)) this.#end(statusOutcome(id, this.#jid, reported));
  }

  /** Reads the record of the job, after events may have been lost. If that fails, the minions are asked, or have no return. */
  #catchUp(): Promise<void> {
    // Reads once at a time; if more events are lost meanwhile, the record is read once more.
    this.#catchAgain = this.#catching !== undefined;
    return this.#catching ??= this.#readRecord().finally(() => this.#catching = undefined);
  }

  async #readRecord(): Promise<void> {
    do {
      this.#catchAgain = false;
      await this.#client.catchUp?.(this.#jid).catch(() => {});
    } while (this.#catchAgain);
  }

  /** The outcomes that a Brine master has of this job; none with a Salt master. */
  async #known(): Promise<Record<string, ReportedOutcome>> {
    if (!this.#client.isBrine) return {};
    try {
      const reply = await this.#client.ask("job_outcomes", { jid: this.#jid });
      return (reply as { outcomes: Record<string, ReportedOutcome> }).outcomes;
    } catch {
      // A failure is ignored: these outcomes are additional facts, and the returns must not be lost because of them.
      return {};
    }
  }

  /** Asks the targets that have not answered whether they are working on the job. */
  #askSilent(): FindJobRound {
    const limit = new AbortController();
    const stopTimer = this.#clock.after(this.#gatherMs, () => limit.abort());
    const silent = [...this.#waiting].filter((id) => !this.#started.has(id));
    const ask = async (): Promise<string[]> => {
      // Minions that the master reports as not connected are not asked.
      const known = silent.length > 0 ? await this.#known() : {};
      const asked = silent.filter((id) => known[id]?.since === undefined);
      if (asked.length === 0) return [];
      return await findJob(this.#client, asked, this.#jid, { credentials: this.#credentials, signal: limit.signal });
    };
    const round: FindJobRound = { working: [], done: Promise.resolve(), over: false };
    // If the round fails, no minion counts as working.
    round.done = ask().catch(() => []).then((working) => {
      stopTimer();
      round.working = working;
      round.over = true;
    });
    return round;
  }
}
