import { deferred } from "../async/deferred.ts";
import { Pool } from "../async/pool.ts";
import { AsyncQueue } from "../async/queue.ts";
import { messageOf } from "../errors.ts";
import type { BusEvent } from "../event/bus.ts";
import type { Signature } from "../loader/signature.ts";
import type { Logger } from "../log.ts";
import { str } from "../python/repr.ts";
import type { Reaction, Reactions } from "./compile_reactions.ts";
import type { Entered, LoopGuard } from "./loop_guard.ts";
import { type ReactionCall, reactionCall } from "./reaction_call.ts";
import type { ReactionJournal } from "./reaction_journal.ts";
import { ReactionRecord } from "./reaction_record.ts";
import type { ReactorRules } from "./reactor_rules.ts";

/** The user of runners and wheel functions that the reactor starts: no SLS reacts to their own events. */
export const REACTOR_USER = "Reactor";

/** Where a reaction comes from, for the record of who asked for what. */
export interface Origin {
  tag: string;
  sls: string;
  id: string;
}

/** A job that a reaction has started. */
export interface StartedReaction {
  jid?: string | undefined;
  /** Of `local`. */
  minions?: readonly string[];
  /** Resolves once a runner has ended. */
  ended?: Promise<unknown>;
}

/** What calls the reactions. Each rejects if it could not be called. */
export type ReactionClients = Record<
  ReactionCall["type"],
  (call: ReactionCall, origin: Origin) => Promise<StartedReaction>
>;

/** Where an event stands among those of a master. */
export interface Position {
  boot: string;
  n: number;
}

export interface ReactorOptions {
  log: Logger;
  rules: ReactorRules;
  guard: LoopGuard;
  /** Absent where events have no numbers: on minions. */
  journal?: ReactionJournal;
  clients: ReactionClients;
  compile(event: { tag: string; data: unknown }, references: readonly string[]): Promise<Reactions>;
  /** Of runner and wheel functions. */
  signatureOf(type: "runner" | "wheel", fun: string): Promise<Signature | undefined>;
  /** `reactor_worker_threads`: runners, wheel functions and callers that run at once. */
  threads: number;
  /** `reactor_worker_hwm`: how many more of them, and how many events, may wait. */
  most: number;
}

/** Bytes of all events that may wait. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Waiting {
  event: BusEvent;
  at: Position | undefined;
  references: string[];
}

/** Calls what reacts to events: one event after the other, each once. */
export class Reactor {
  /** What reacted lately, and counts. */
  readonly record: ReactionRecord;
  /** False while another master's reactor acts on events. */
  isLeader = true;
  readonly #options: ReactorOptions;
  #rules: ReactorRules;
  readonly #queue: AsyncQueue<Waiting>;
  readonly #pool: Pool;
  #bytes = 0;
  #dropped = 0;

  constructor(options: ReactorOptions) {
    this.#options = options;
    this.#rules = options.rules;
    this.#queue = new AsyncQueue({ limit: options.most, whenFull: "drop-newest" });
    this.#pool = new Pool(options.threads);
    this.record = new ReactionRecord();
  }

  get rules(): ReactorRules {
    return this.#rules;
  }

  set rules(rules: ReactorRules) {
    this.#rules = rules;
  }

  /** Events that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes an event of the bus; it waits for its turn if something reacts to it. */
  take(event: BusEvent, at?: Position): void {
    this.#options.guard.saw(event);
    if (!this.isLeader) return;
    const references = this.#rules.for(event.tag);
    if (references.length === 0 || event.data.user === REACTOR_USER) return;
    const size = event.bytes.length;
    if (this.#bytes + size > MAX_BYTES || !this.#queue.offer({ event, at, references })) return this.#drop(event);
    this.#bytes += size;
    this.#dropped = 0;
  }

  #drop({ tag }: BusEvent): void {
    this.record.counts.dropped++;
    // Said at the first one, and from time to time.
    if (this.#dropped++ % 1000 !== 0) return;
    this.#options.log.error("event not handled: too many wait for the reactor. Consider tuning reactor_worker_hwm", {
      tag,
      waiting: this.#queue.size,
      dropped: this.#dropped,
    });
  }

  /** Handles events until {@link Reactor.close}. */
  async run(): Promise<void> {
    for await (const { event, at, references } of this.#queue) {
      try {
        await this.#handle(event, at, references);
      } catch (error) {
        this.#options.log.error("event not handled", { tag: event.tag, error: messageOf(error) });
      } finally {
        this.#bytes -= event.bytes.length;
        if (this.#queue.size === 0) this.#options.journal?.flush();
      }
    }
  }

  close(): void {
    this.#queue.close();
  }

  async #handle(event: BusEvent, at: Position | undefined, references: string[]): Promise<void> {
    const { log, journal, compile } = this.#options;
    const { tag, data } = event;
    this.record.counts.events++;
    if (at !== undefined) journal?.take({ ...at, tag, stamp: str(data._stamp ?? ""), sls: references });
    const { reactions, problems } = await compile({ tag, data }, references);
    for (const { sls, line, message } of problems) {
      log.error("reaction not compiled", { tag, sls, ...line === undefined ? {} : { line }, error: message });
      this.record.add({ tag, sls, id: "", fun: "", outcome: "failed", error: message });
    }
    const entered = new Map<string, ReturnType<LoopGuard["enter"]>>();
    const started: Promise<void>[] = [];
    for (const reaction of reactions) {
      const { sls } = reaction;
      if (!entered.has(sls)) entered.set(sls, this.#options.guard.enter(event, sls));
      started.push(...await this.#react(reaction, event, at, entered.get(sls)!));
    }
    if (at === undefined) return;
    if (started.length === 0) journal?.done(at);
    else {
      void Promise.all(started).then(() => {
        journal?.done(at);
        if (this.#queue.size === 0) journal?.flush();
      });
    }
  }

  /** Calls one reaction. @returns what has to be waited for until it has really begun */
  async #react(
    reaction: Reaction,
    { tag }: BusEvent,
    at: Position | undefined,
    entered: ReturnType<LoopGuard["enter"]>,
  ): Promise<Promise<void>[]> {
    const { log, signatureOf, most } = this.#options;
    const { id, sls, line, chunk } = reaction;
    const fun = `${str(chunk.state)}.${str(chunk.fun)}`;
    const place = { tag, sls, ...line === undefined ? {} : { line }, reaction: id, fun };
    const fail = (message: string, error: string, outcome: "failed" | "stopped" = "failed") => {
      log.error(message, { ...place, error });
      this.record.add({ tag, sls, id, fun, outcome, error });
      return [];
    };
    if ("stopped" in entered) return fail("reaction stopped: it causes its own event", entered.stopped, "stopped");
    let call: ReactionCall;
    try {
      call = await reactionCall(chunk, signatureOf);
    } catch (error) {
      return fail("reaction not called", messageOf(error));
    }
    for (const name of call.ignored) log.warning("argument of a reaction is ignored: it has args", { ...place, name });
    const run = async () => {
      if (at !== undefined) this.#options.journal?.call(at, id);
      return await this.#call(call, { tag, sls, id }, entered, fail);
    };
    if (call.type === "local") {
      await run();
      return [];
    }
    if (this.#pool.waiting >= most) {
      const error = "TaskPool queue is full! Consider tuning reactor_worker_threads and/or reactor_worker_hwm";
      return fail("reaction not called", error);
    }
    // The worker is taken until what it runs has ended; the event is handled once it has begun.
    const begun = deferred<void>();
    void this.#pool.run(async () => {
      const { ended } = await run();
      begun.resolve();
      await ended?.catch(() => {});
    });
    return [begun.promise];
  }

  async #call(
    call: ReactionCall,
    origin: Origin,
    entered: Entered,
    fail: (message: string, error: string) => unknown,
  ): Promise<Pick<StartedReaction, "ended">> {
    const { tag, sls, id } = origin;
    try {
      const { jid, minions, ended } = await this.#options.clients[call.type](call, origin);
      if (jid !== undefined) this.#options.guard.started(jid, entered);
      this.record.add({
        tag,
        sls,
        id,
        fun: `${call.type}.${call.fun}`,
        outcome: "called",
        ...jid === undefined ? {} : { jid },
        ...minions === undefined ? {} : { minions: minions.length },
      });
      return ended === undefined ? {} : { ended };
    } catch (error) {
      fail("reaction failed", messageOf(error));
      return {};
    }
  }
}
