import { abortable, within } from "../../base/async/within.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import { deferred } from "../../base/async/deferred.ts";
import { MasterKeyError } from "../../protocol/channel/auth_client.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { LastingTrouble } from "./lasting_trouble.ts";
import { RejectedError } from "./sign_in.ts";

/** A master that a minion may fail over to. */
export interface Candidate {
  readonly address: string;
  /** The master's host without port, by which events and Salt's functions name the master. */
  readonly host: string;
  /** Signs in once, listens, and takes the pillar into use. Rejects if the master does not let the minion in now. */
  tryToOpen(signal: AbortSignal): Promise<void>;
  /** Stops listening to the master. */
  leave(): Promise<void>;
  /** Resolves when the master replies to a question that needs no sign-in. */
  ping(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** The intervals and times in seconds, as in the options of these names. */
export interface FailoverTimes {
  master_alive_interval: number;
  master_failback: boolean;
  master_failback_interval: number;
  auth_timeout: number;
  acceptance_wait_time: number;
  acceptance_wait_time_max: number;
}

interface FailoverOptions<M extends Candidate> {
  clock: Clock;
  random(): number;
  log: Logger;
  opts: FailoverTimes;
  /** The masters in the order in which they are tried; the minion fails back to the first. */
  candidates: readonly M[];
  /** Called when a new master has let the minion in. */
  serve(master: M): Promise<void>;
  /** Fires an event on the minion's own bus. */
  fire(tag: string, data: Record<string, unknown>): void;
}

/** Why the minion leaves a master: it is lost, or the first master is open again. */
type Change<M> = { lost: string } | { first: M };

/** After how many questions without a reply a master counts as lost. */
const MAX_SILENCES = 3;
/** Default of `master_failback_interval`, in seconds. */
const FAILBACK_SECONDS = 30;
const FIRST_PAUSE_MS = 1000;

/** True if a name in an event means a master: its host, or `host:port`. */
function isNamed({ host, address }: Candidate, name: unknown): boolean {
  return name === host || `tcp://${name}` === address;
}

/** Returns a promise that never settles. */
const never = new Promise<never>(() => {});

/**
 * Connects the minion to one of several masters: the first in order that lets it in. When that master is lost the others are tried, the
 * lost one last, and with `master_failback` the minion goes back to the first master.
 *
 * A master is lost if its stream of publications has ended and is not back after `auth_timeout`, so that a master that is
 * restarted keeps its minions; or if it has not replied to three questions, asked every `master_alive_interval`.
 *
 * @see salt/minion.py Minion.handle_event, MinionBase.eval_master
 */
export class Failover<M extends Candidate> {
  readonly #options: FailoverOptions<M>;
  readonly #connected = new Set<M>();
  #changed = deferred<void>();
  #asked = { alive: deferred<void>(), back: deferred<void>() };
  #current: M | undefined;
  /** Why a candidate did not let the minion in last, so that the same reason is logged once. */
  readonly #refusals = new Map<M, string>();

  constructor(options: FailoverOptions<M>) {
    this.#options = options;
  }

  /** The master that the minion serves; undefined while it looks for one. */
  get current(): M | undefined {
    return this.#current;
  }

  /** To be called when the stream of publications of a master has been opened or lost. */
  markConnected(master: M, isConnected: boolean): void {
    if (isConnected) this.#connected.add(master);
    else this.#connected.delete(master);
    this.#changed.resolve();
    this.#changed = deferred();
  }

  /** Tests now whether the named master still answers, since an event or a function says that it does not. */
  suspect(host: unknown): void {
    if (this.#current === undefined || !isNamed(this.#current, host)) return;
    this.#asked.alive.resolve();
    this.#asked.alive = deferred();
  }

  /** Tests now whether the first master, if it has this name, lets the minion in again. */
  tryFirst(host: unknown): void {
    const [first] = this.#options.candidates;
    if (first === undefined || !isNamed(first, host)) return;
    this.#asked.back.resolve();
    this.#asked.back = deferred();
  }

  /**
   * Connects the minion to one master after another until the signal aborts.
   *
   * @throws {RejectedError} if every master has refused the minion for good
   */
  async run(signal: AbortSignal): Promise<void> {
    const { candidates, log, fire } = this.#options;
    let order = candidates;
    let next: M | undefined;
    while (!signal.aborted) {
      const master = next ?? await this.#find(order, signal);
      this.#current = master;
      this.#refusals.clear();
      await this.#options.serve(master);
      const change = await this.#untilChange(master, signal);
      this.#current = undefined;
      next = "first" in change ? change.first : undefined;
      if ("lost" in change) {
        log.warning("master lost, trying the next one", { master: master.address, reason: change.lost });
        order = [...candidates.filter((one) => one !== master), master];
      } else {
        log.info("the first master accepts the minion again: switching back", {
          master: change.first.address,
          left: master.address,
        });
      }
      this.#connected.delete(master);
      await master.leave();
      if (next === undefined) fire("__master_disconnected", { master: master.host });
    }
  }

  /** Tries the candidates in order, again and again, until one lets the minion in. */
  async #find(order: readonly M[], signal: AbortSignal): Promise<M> {
    const { clock, random, opts } = this.#options;
    const trouble = new LastingTrouble(this.#options, "error");
    signal.addEventListener("abort", () => trouble.forget(), { once: true });
    for (let round = 0;; round++) {
      const rejections: RejectedError[] = [];
      for (const candidate of order) {
        const refusal = await this.#tryToOpen(candidate, signal);
        if (refusal === undefined) {
          trouble.end("a master accepts the minion again", { master: candidate.address });
          return candidate;
        }
        if (refusal instanceof RejectedError) rejections.push(refusal);
      }
      if (rejections.length === order.length) {
        trouble.forget();
        throw rejections[0];
      }
      trouble.begin("no master accepts the minion: trying all of them again", { masters: order.length });
      const maxMs = 1000 * Math.max(opts.acceptance_wait_time, opts.acceptance_wait_time_max);
      await clock.sleep(backoffDelay(round, { initialMs: Math.min(FIRST_PAUSE_MS, maxMs), maxMs }, random()), signal);
    }
  }

  /** @returns why the candidate does not let the minion in; undefined if it does */
  async #tryToOpen(candidate: M, signal: AbortSignal): Promise<unknown> {
    const { log } = this.#options;
    try {
      await candidate.tryToOpen(signal);
      this.#connected.add(candidate);
      return undefined;
    } catch (error) {
      await candidate.leave();
      signal.throwIfAborted();
      const reason = messageOf(error);
      const fields = { master: candidate.address, reason };
      if (this.#refusals.get(candidate) === reason) log.debug("cannot use this master", fields);
      else log[error instanceof MasterKeyError ? "error" : "warning"]("cannot use this master", fields);
      this.#refusals.set(candidate, reason);
      return error;
    }
  }

  async #untilChange(master: M, signal: AbortSignal): Promise<Change<M>> {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const watches = [
      this.#watchStream(master, either),
      this.#watchReplies(master, either),
      this.#watchFirst(master, either),
    ];
    try {
      return await abortable(Promise.race(watches), signal);
    } finally {
      ended.abort();
      // One of the watchers may be opening the first master, which must not be closed after it was opened again.
      await Promise.allSettled(watches);
    }
  }

  /** Resolves when the stream of publications has ended, and is not back in time. */
  async #watchStream(master: M, signal: AbortSignal): Promise<Change<M>> {
    const { clock, log, opts: { auth_timeout: seconds } } = this.#options;
    for (;;) {
      await this.#until(() => !this.#connected.has(master), signal);
      log.info("master lost: the next master follows unless this one is back in time", {
        master: master.address,
        seconds,
      });
      const over = new AbortController();
      const back = this.#until(() => this.#connected.has(master), AbortSignal.any([signal, over.signal]));
      const first = await within(clock, seconds * 1000, signal, back, () => "late");
      over.abort();
      if (first === "late") return { lost: `its connection closed, and was not restored after ${seconds} seconds` };
    }
  }

  /** Resolves when a condition on {@link Failover.#connected} holds. */
  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds()) await abortable(this.#changed.promise, signal);
  }

  /** Resolves when the master no longer replies. */
  async #watchReplies(master: M, signal: AbortSignal): Promise<Change<M>> {
    const { opts: { master_alive_interval, auth_timeout } } = this.#options;
    for (let silences = 0;;) {
      if (silences === 0) await this.#pause(master_alive_interval, this.#asked.alive.promise, signal);
      try {
        await master.ping(auth_timeout * 1000, signal);
        silences = 0;
      } catch (error) {
        signal.throwIfAborted();
        if (++silences === MAX_SILENCES) {
          return { lost: `it did not reply to ${silences} requests: ${messageOf(error)}` };
        }
      }
    }
  }

  /** Resolves when the first master has let the minion in again. */
  async #watchFirst(master: M, signal: AbortSignal): Promise<Change<M>> {
    const { opts, candidates, fire } = this.#options;
    const first = candidates[0]!;
    if (first === master) await abortable(never, signal);
    const seconds = opts.master_failback_interval || Math.max(0, opts.master_alive_interval) || FAILBACK_SECONDS;
    for (;;) {
      await this.#pause(opts.master_failback ? seconds : 0, this.#asked.back.promise, signal);
      const answers = await first.ping(opts.auth_timeout * 1000, signal).then(() => true, () => false);
      signal.throwIfAborted();
      if (!answers) continue;
      fire("__master_failback", { master: first.host });
      // The event that the minion has fired comes back to it: ignore it.
      this.#asked.back = deferred();
      if (await this.#tryToOpen(first, signal) === undefined) return { first };
    }
  }

  /** Waits for a number of seconds, or until a test is asked for; with 0 or less only for that. */
  async #pause(seconds: number, asked: Promise<void>, signal: AbortSignal): Promise<void> {
    if (!(seconds > 0)) return await abortable(asked, signal);
    await within(this.#options.clock, seconds * 1000, signal, asked);
  }
}
