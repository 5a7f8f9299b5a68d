import { deferred } from "../../base/async/deferred.ts";
import { Pool } from "../../base/async/pool.ts";
import { AsyncQueue } from "../../base/async/queue.ts";
import { messageOf } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import type { Signature } from "../../model/loader/signature.ts";
import type { Logger } from "../../base/log.ts";
import { str } from "../../language/python/values.ts";
import type { Reaction, Reactions } from "./compile_reactions.ts";
import type { Entered, LoopGuard } from "./loop_guard.ts";
import { type ReactionCall, reactionCall } from "./reaction_call.ts";
import type { ReactionJournal } from "./reaction_journal.ts";
import { ReactionRecord } from "./reaction_record.ts";
import type { ReactorRules } from "./reactor_rules.ts";
import { orderTargetsOf, TargetOrder } from "./target_order.ts";

/** The user of runners and wheel functions that the reactor starts: no SLS reacts to their own events. */
const REACTOR_USER = "Reactor";

/** The source of a reaction, for the audit log. */
interface Origin {
  tag: string;
  sls: string;
  id: string;
}

interface StartedReaction {
  jid?: string | undefined;
  minions?: readonly string[];
  /** Resolves once a runner has ended. */
  ended?: Promise<unknown>;
}

/** The functions that call reactions, by type. Each rejects if the reaction could not be called. */
export type ReactionClients = Record<
  ReactionCall["type"],
  (call: ReactionCall, origin: Origin) => Promise<StartedReaction>
>;

/** The position of an event among those of a master. */
interface Position {
  boot: string;
  n: number;
}

interface ReactorOptions {
  log: Logger;
  /** The current time for the record, in milliseconds since the epoch. */
  now(): number;
  rules: ReactorRules;
  guard: LoopGuard;
  /** The journal; absent on minions, where events have no numbers. */
  journal?: ReactionJournal;
  clients: ReactionClients;
  compile(event: { tag: string; data: unknown }, references: readonly string[]): Promise<Reactions>;
  signatureOf(type: "runner" | "wheel", fun: string): Promise<Signature | undefined>;
  /** Salt's `reactor_worker_threads`: the most runners, wheel functions and callers that run at once. */
  threads: number;
  /** Salt's `reactor_worker_hwm`: the most calls, and the most events, that wait. */
  most: number;
}

/** The most bytes of all waiting events. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The most events that are handled at once, for different minions. */
const AT_ONCE = 16;

interface Waiting {
  event: BusEvent;
  at: Position | undefined;
  references: string[];
}

/** Calls the reactions to events: each event once, and events for the same minions one after the other. */
export class Reactor {
  /** The latest reactions, and their counts. */
  readonly record: ReactionRecord;
  /** False while another master's reactor acts on events. */
  isLeader = true;
  readonly #options: ReactorOptions;
  #rules: ReactorRules;
  readonly #queue: AsyncQueue<Waiting>;
  /** The pool for runners, wheel functions and callers. */
  readonly #pool: Pool;
  /** The pool for events whose jobs are being published. */
  readonly #underway = new Pool(AT_ONCE);
  readonly #order = new TargetOrder();
  #bytes = 0;
  #dropped = 0;

  constructor(options: ReactorOptions) {
    this.#options = options;
    this.#rules = options.rules;
    this.#queue = new AsyncQueue({ limit: options.most, whenFull: "drop-newest" });
    this.#pool = new Pool(options.threads);
    this.record = new ReactionRecord(options.now);
  }

  get rules(): ReactorRules {
    return this.#rules;
  }

  set rules(rules: ReactorRules) {
    this.#rules = rules;
  }

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
    // Logs the first dropped event, and then one in a thousand.
    if (this.#dropped++ % 1000 !== 0) return;
    this.#options.log.error(
      "event not handled: too many events wait for the reactor. Consider tuning reactor_worker_hwm",
      {
        tag,
        waiting: this.#queue.size,
        dropped: this.#dropped,
      },
    );
  }

  /** Handles events until {@link Reactor.close}. */
  async run(): Promise<void> {
    for await (const { event, at, references } of this.#queue) {
      try {
        const planned = await this.#plan(event, at, references);
        // Jobs for different minions are published at the same time: waiting for each reply would take most of the time.
        const order = this.#order.enter(orderTargetsOf(planned.map(({ call }) => call)));
        await this.#underway.room();
        void this.#underway.run(async () => {
          await order.ready;
          await this.#handle(planned, event, at).finally(order.leave);
        });
      } catch (error) {
        this.#options.log.error("event not handled", { tag: event.tag, error: messageOf(error) });
      } finally {
        this.#bytes -= event.bytes.length;
      }
    }
  }

  close(): void {
    this.#queue.close();
  }

  /** Takes an event, and finds the calls of its reactions. */
  async #plan(event: BusEvent, at: Position | undefined, references: string[]): Promise<Planned[]> {
    const { log, journal, compile, guard, signatureOf } = this.#options;
    const { tag, data } = event;
    this.record.counts.events++;
    if (at !== undefined) await journal?.take({ ...at, tag, stamp: str(data._stamp ?? ""), sls: references });
    // Waits for pending publications: the reply with the jid of the job may not have arrived yet.
    if (guard.isUnknown(event)) await this.#order.settled();
    const { reactions, problems } = await compile({ tag, data }, references);
    for (const { sls, line, message } of problems) {
      log.error("reaction not compiled", { tag, sls, ...line === undefined ? {} : { line }, error: message });
      this.record.add({ tag, sls, id: "", fun: "", outcome: "failed", error: message });
    }
    const entered = new Map<string, ReturnType<LoopGuard["enter"]>>();
    const planned: Planned[] = [];
    for (const reaction of reactions) {
      const { sls } = reaction;
      if (!entered.has(sls)) entered.set(sls, guard.enter(event, sls));
      const place = placeOf(reaction, tag);
      const into = entered.get(sls)!;
      if ("stopped" in into) {
        this.#fail("reaction stopped: it causes its own event", place, into.stopped, "stopped");
        continue;
      }
      try {
        const call = await reactionCall(reaction.chunk, signatureOf);
        for (const name of call.ignored) {
          log.warning("argument of a reaction is ignored: it has args", { ...place, name });
        }
        planned.push({ reaction, call, entered: into, place });
      } catch (error) {
        this.#fail("reaction not called", place, messageOf(error));
      }
    }
    return planned;
  }

  /** Calls the reactions of an event, one after the other. */
  async #handle(planned: readonly Planned[], { tag }: BusEvent, at: Position | undefined): Promise<void> {
    const { journal } = this.#options;
    const begun: Promise<void>[] = [];
    for (const one of planned) {
      const run = async () => {
        if (at !== undefined) await journal?.call(at, one.reaction.id);
        return await this.#call(one, tag);
      };
      if (one.call.type === "local") await run();
      else begun.push(this.#onWorker(one, run));
    }
    if (at === undefined) return;
    const done = () => {
      journal?.done(at);
      if (this.#queue.size === 0) journal?.flush();
    };
    if (begun.length === 0) done();
    else void Promise.all(begun).then(done);
  }

  /** Runs a call in the pool of workers until it has ended. @returns a promise that resolves once the call has begun */
  #onWorker({ place }: Planned, run: () => Promise<Pick<StartedReaction, "ended">>): Promise<void> {
    if (this.#pool.waiting >= this.#options.most) {
      const error = "TaskPool queue is full! Consider tuning reactor_worker_threads and/or reactor_worker_hwm";
      this.#fail("reaction not called", place, error);
      return Promise.resolve();
    }
    const begun = deferred<void>();
    void this.#pool.run(async () => {
      const { ended } = await run();
      begun.resolve();
      await ended?.catch(() => {});
    });
    return begun.promise;
  }

  async #call(
    { reaction: { id, sls }, call, entered, place }: Planned,
    tag: string,
  ): Promise<Pick<StartedReaction, "ended">> {
    try {
      const { jid, minions, ended } = await this.#options.clients[call.type](call, { tag, sls, id });
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
      this.#fail("reaction failed", place, messageOf(error));
      return {};
    }
  }

  #fail(message: string, place: Place, error: string, outcome: "failed" | "stopped" = "failed"): void {
    this.#options.log.error(message, { ...place, error });
    const { tag, sls, reaction: id, fun } = place;
    this.record.add({ tag, sls, id, fun, outcome, error });
  }
}

/** The event, file and id of a reaction, for the log. */
interface Place {
  tag: string;
  sls: string;
  line?: number;
  reaction: string;
  fun: string;
}

function placeOf({ id, sls, line, chunk }: Reaction, tag: string): Place {
  const fun = `${str(chunk.state)}.${str(chunk.fun)}`;
  return { tag, sls, ...line === undefined ? {} : { line }, reaction: id, fun };
}

interface Planned {
  reaction: Reaction;
  call: ReactionCall;
  entered: Entered;
  place: Place;
}
