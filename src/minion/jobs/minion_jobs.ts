import { joinPath } from "../../config/paths.ts";
import type { MinionOpts } from "../../config/minion_opts.ts";
import { messageOf } from "../../errors.ts";
import { jobOutput } from "../../event/tag.ts";
import { hex } from "../../crypto/hex.ts";
import type { Logger } from "../../log.ts";
import type { Runtime } from "../../runtime/mod.ts";
import { encode } from "../../wire/msgpack.ts";
import { isJobFunction } from "./dispatcher.ts";
import type { Execution } from "../processes/execution.ts";
import { failure, type JobOutcome, packReturn } from "../processes/executor.ts";
import type { RunningJobs } from "./running_jobs.ts";
import { Journal, type OpenJob } from "./journal.ts";
import { JobOutput } from "./live_output.ts";
import { ReturnSender } from "./return_sender.ts";
import { Spool } from "./spool.ts";

type Load = Record<string, unknown>;

/** A job that takes longer is acknowledged before it returns; the return of any other is its acknowledgement. */
const ACKNOWLEDGE_AFTER_MS = 300;
/** For a question about jobs to a Brine master. */
const ASK_MS = 10_000;
const LONGEST_PAUSE_MS = 10_000;
/** How long a return waits for the rest of its live output. */
const OUTPUT_ENDS_MS = 10_000;

/** A master, as the jobs that it sends see it. */
export interface JobMaster {
  readonly address: string;
  /** The master is Brine's: it takes acknowledgements, and gives out the jobs that were missed. */
  readonly isBrine: boolean;
  send(load: Load, options: { timeoutMs: number; tries: number }): Promise<unknown>;
}

export interface MinionJobsOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  id: string;
  runningJobs: RunningJobs;
  execution: Execution;
  /** Hands a return on to the returners that it is for. */
  handOn(load: Load, ret: Load): Promise<void>;
}

/** Keeps a copy of a return on the minion (`cache_jobs`), where Salt's tools look for it. */
function cacheReturn({ fs }: Runtime, cacheDir: string, jid: string, ret: Load): void {
  const directory = joinPath(cacheDir, "minion_jobs", jid);
  fs.mkdir(directory, 0o755);
  fs.write(joinPath(directory, "return.p"), encode(ret, "wire"), { mode: 0o600 });
}

/** {@link Dispatcher.dispatch}. */
type Dispatch = (load: Load, after?: Promise<unknown>, forUs?: boolean) => Promise<void> | false;

/** What a return says in the place of a job in whose midst its minion ended. */
const ENDED_BY_STOP = {
  started: "The minion was stopped before this job was over: how much of it was done is not known",
  starting: "The minion was stopped before this job was over, as it was about to begin: whether it began is not known",
  "too large":
    "The minion was stopped before this job began: it did not run, for its arguments are too large to be kept",
} as const;
/** Of a job that an earlier life has taken, for a master that cannot tell whether it is still wanted. */
const STILL_WANTED_MS = 3_600_000;

/** The return of a job, as `_return` takes it. */
function returnOf(id: string, load: Load, outcome: JobOutcome): Load {
  const ret: Load = { cmd: "_return", id, success: outcome.success, return: outcome.return };
  ret.retcode = outcome.retcode;
  ret.jid = load.jid;
  ret.fun = load.fun;
  ret.fun_args = load.arg;
  for (const field of ["user", "master_id"]) if (load[field] !== undefined) ret[field] = load[field];
  const { metadata } = load;
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)) ret.metadata = metadata;
  if (outcome.out !== undefined) ret.out = outcome.out;
  if (outcome.ended !== undefined) ret.ended = outcome.ended;
  return ret;
}

/**
 * The life of the jobs of a minion: each is written down when it is taken, so that it is run though the minion ends before its
 * turn comes, and before it begins, so that it is never run twice; its return is kept on the disk until its master has it, so
 * that it survives the end of either.
 */
export class MinionJobs {
  readonly #options: MinionJobsOptions;
  readonly #journal: Journal;
  readonly #spool: Spool;
  readonly #masters = new Map<string, MasterJobs>();
  /** What an earlier life has taken and not begun, until their masters are attached. */
  #waiting: OpenJob[] = [];
  #stopping = false;

  /** Returns that no master has yet, and their bytes. */
  get unsent(): { count: number; bytes: number } {
    return { count: this.#spool.size, bytes: this.#spool.bytes };
  }

  constructor(options: MinionJobsOptions) {
    this.#options = options;
    const { runtime: { fs, clock }, opts } = options;
    const log = options.log.child("jobs");
    const directory = joinPath(opts.cachedir, "jobs");
    this.#journal = new Journal({ fs, log, directory, remembered: opts.minion_jid_queue_hwm });
    this.#spool = new Spool({
      fs,
      clock,
      log,
      directory: joinPath(directory, "returns"),
      bytes: opts.return_spool_bytes,
      ageMs: opts.return_spool_seconds * 1000,
      tombstone: (load, why) => {
        const text = `The return was dropped at the minion: ${why}`;
        const { cmd, id, jid, fun, fun_args, user, metadata } = load;
        return { cmd, id, jid, fun, fun_args, user, metadata, return: text, retcode: 1, success: false, out: "nested" };
      },
    });
  }

  /**
   * Takes up what an earlier minion has left: returns that nobody took, jobs that had not begun, and jobs in whose midst it
   * ended.
   */
  open(): void {
    const { id, log, runningJobs } = this.#options;
    const spooled = this.#spool.open();
    const returned = new Set(spooled.map(({ jid }) => jid));
    for (const job of this.#journal.open()) {
      const { jid, mark, load, master } = job;
      if (returned.has(jid)) continue;
      if (mark === "taken") {
        this.#waiting.push(job);
        continue;
      }
      log.warning("job was interrupted when the minion ended", { jid, fun: load.fun, mark });
      // Its process may have outlived us if it never came to look whether we were there; nobody would take its return.
      runningJobs.signal(jid, 9);
      this.#spool.add(jid, master, returnOf(id, { ...load, jid }, failure(ENDED_BY_STOP[mark])));
    }
    if (this.#spool.size > 0) log.info("returns are waiting for their master", { returns: this.#spool.size });
    if (this.#waiting.length > 0) log.info("jobs that had not begun are run now", { jobs: this.#waiting.length });
  }

  /** The jobs of one master. @param first takes what is spooled for masters that are not configured any more */
  attach(master: JobMaster, first: boolean): MasterJobs {
    const { runtime: { clock, random }, opts, log } = this.#options;
    const sender = new ReturnSender({
      clock,
      log: log.child("jobs"),
      spool: this.#spool,
      random,
      send: (load, timeoutMs) => master.send(load, { timeoutMs, tries: 1 }),
      sendTogether: async (loads, timeoutMs) => {
        const returns = loads.map((load) => encode(load, "wire"));
        const reply = await master.send({ cmd: "_jobs", returns }, { timeoutMs, tries: 1 });
        const { kept } = reply as { kept?: unknown };
        return loads.map((_, at) => Array.isArray(kept) && kept[at] === true);
      },
      // What is signed goes alone: masters look for a signature at each return.
      together: () => master.isBrine && !this.#options.opts.minion_sign_messages,
      leastMs: opts.return_retry_timer * 1000,
      mostMs: Math.max(opts.return_retry_timer, opts.return_retry_timer_max) * 1000,
      tries: opts.return_retry_tries,
      onDone: (jid) => this.#journal.end(jid),
    });
    const jobs = new MasterJobs(this.#options, this.#journal, this.#spool, master, sender, () => this.#stopping);
    this.#masters.set(master.address, jobs);
    if (first) this.#orphans = jobs;
    return jobs;
  }
  #orphans: MasterJobs | undefined;

  /** Begins to hand in what was left, now that all masters are attached. */
  resume(): void {
    for (const job of this.#waiting.splice(0)) {
      const master = this.#masters.get(job.master);
      master?.resume(job);
      if (master !== undefined) continue;
      const { jid, load: { fun } } = job;
      this.#options.log.warning("job that had not begun is not run: its master is not configured any more", {
        jid,
        fun,
      });
      this.#journal.end(jid);
    }
    for (const entry of this.#spool.entries()) (this.#masters.get(entry.master) ?? this.#orphans)?.handIn(entry);
  }

  /** Jobs that are ended from now on were not ended by an operator. */
  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    for (const master of this.#masters.values()) master.close();
  }
}

/** The jobs that one master sends. */
export class MasterJobs {
  readonly #options: MinionJobsOptions;
  readonly #journal: Journal;
  readonly #spool: Spool;
  readonly #master: JobMaster;
  readonly #sender: ReturnSender;
  readonly #stopping: () => boolean;
  /** Jobs of this master that have been taken and not come to their end. */
  readonly #taken = new Set<string>();
  /** Jobs that an earlier life has taken and not begun, in that order, until they are dispatched. */
  readonly #waiting = new Map<string, OpenJob>();
  readonly #ended = new AbortController();
  #presenting = new AbortController();
  #states: [jid: string, state: string, note: string][] = [];
  readonly #life: string;
  #stated = 0;
  /** The last of the jobs that run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: MinionJobsOptions,
    journal: Journal,
    spool: Spool,
    master: JobMaster,
    sender: ReturnSender,
    stopping: () => boolean,
  ) {
    this.#options = options;
    this.#journal = journal;
    this.#spool = spool;
    this.#master = master;
    this.#sender = sender;
    this.#stopping = stopping;
    this.#life = hex(options.runtime.crypto.randomBytes(8));
  }

  handIn(entry: Parameters<ReturnSender["push"]>[0]): void {
    this.#sender.push(entry);
  }

  /** A job that an earlier life has taken, and that had not begun. */
  resume(job: OpenJob): void {
    this.#waiting.set(job.jid, job);
  }

  /** True if an earlier life of this minion has taken the job, and it is not to be run by this one. */
  known(jid: string): boolean {
    return this.#journal.has(jid) && !this.#waiting.has(jid);
  }

  /** The master has sent a job again: it has not heard that we have it. */
  again(jid: string): void {
    if (this.#taken.has(jid)) this.#tell(jid, "started");
    else this.#sender.hurry();
  }

  /** What we state is numbered, since messages may overtake each other: on different connections, or while they wait. */
  #order(): [life: string, number: number] {
    return [this.#life, ++this.#stated];
  }

  #tell(jid: string, state: "started" | "cancelled", note = ""): void {
    if (!this.#master.isBrine) return;
    this.#states.push([jid, state, note]);
    if (this.#states.length > 1) return;
    // Those of one turn go together.
    this.#options.runtime.later(() => {
      const states = this.#states.splice(0);
      const order = this.#order();
      // What the master is told that we have must be here after a loss of power.
      const telling = this.#journal.synced().then(() =>
        this.#master.send({ cmd: "_jobs", states, order }, { timeoutMs: ASK_MS, tries: 1 })
      );
      telling.catch((error) => {
        // The master sends the job again if it does not know.
        this.#options.log.debug("acknowledgement not delivered", { jids: states.length, error: messageOf(error) });
      });
    });
  }

  /**
   * Tells the master that we are there, and takes up the jobs that we have missed; to be called with each connection.
   *
   * @param dispatch takes a job; its promise resolves when the job is over
   * @param hurry returns that wait are sent at once: the master may have been away
   */
  async present(dispatch: Dispatch, hurry: boolean): Promise<void> {
    const { log, runtime: { clock } } = this.#options;
    if (hurry) this.#sender.hurry();
    if (!this.#master.isBrine) return this.#runWaiting(dispatch, ({ atMs }) => clock.now() - atMs <= STILL_WANTED_MS);
    // Asked until there is an answer, for nobody else would tell of what is queued; one that asks is enough.
    this.#presenting.abort();
    const presenting = this.#presenting = new AbortController();
    const signal = AbortSignal.any([this.#ended.signal, presenting.signal]);
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#journal.synced();
        const waiting = [...this.#waiting.keys()];
        const known = [...this.#taken, ...waiting, ...this.#spool.jids(this.#master.address)];
        const order = this.#order();
        const ask = { cmd: "_jobs", present: true, known, order, ...(waiting.length === 0 ? {} : { waiting }) };
        const reply = await this.#master.send(ask, { timeoutMs: ASK_MS, tries: 1 });
        const { jobs, over } = reply as { jobs?: unknown; over?: unknown };
        const unwanted = new Set(Array.isArray(over) ? over : []);
        // What came meanwhile by another way is not in the map any more.
        this.#runWaiting(dispatch, ({ jid }) => waiting.includes(jid) && !unwanted.has(jid));
        for (const load of Array.isArray(jobs) ? jobs as Load[] : []) this.#dispatch(load, dispatch);
        return;
      } catch (error) {
        log.debug("could not ask for missed jobs", { attempt, error: messageOf(error) });
        await clock.sleep(Math.min(attempt * 1000, LONGEST_PAUSE_MS), signal).catch(() => {});
      }
    }
  }

  /** Runs what an earlier life has taken, in that order, if it is still wanted. */
  #runWaiting(dispatch: Dispatch, isWanted: (job: OpenJob) => boolean): void {
    for (const job of [...this.#waiting.values()]) {
      const { jid, load } = job;
      if (isWanted(job)) this.#dispatch(load, dispatch, true);
      else {
        this.#options.log.warning("job that had not begun is not run: it is given up by now", { jid, fun: load.fun });
        this.#waiting.delete(jid);
        this.#journal.end(jid);
      }
    }
  }

  #dispatch(load: Load, dispatch: Dispatch, forUs = false): void {
    const delivery = load.delivery as { queued?: unknown } | undefined;
    if (delivery?.queued !== true) return void dispatch(load, undefined, forUs);
    // What was kept for us is run in its order, one after the other.
    const over = dispatch(load, this.#last, forUs);
    if (over !== false) this.#last = over.catch(() => {});
  }

  /** Takes a job, and gives what runs it: from its first line in the journal to its return. */
  take(load: Load): () => Promise<void> {
    const { runtime: { clock } } = this.#options;
    const jid = load.jid as string;
    // Questions about other jobs may be asked twice, and must be answered on a full disk, too.
    const asks = isJobFunction(load.fun);
    this.#taken.add(jid);
    // What an earlier life has written down need not be written again.
    const written = asks || this.#waiting.delete(jid) ||
      this.#journal.take(jid, load, this.#master.address, clock.now());
    const calm = clock.after(ACKNOWLEDGE_AFTER_MS, () => this.#tell(jid, "started"));
    return () => this.#run(load, { asks, written, calm });
  }

  async #run(load: Load, { asks, written, calm }: { asks: boolean; written: boolean; calm(): void }): Promise<void> {
    const { runtime: { clock }, opts, log, runningJobs, execution, id } = this.#options;
    const jid = load.jid as string;
    const { fun } = load;
    const master = this.#master;
    let begun = false;
    const begin = async () => {
      // It is left for our next life.
      if (this.#stopping()) throw new Error("The minion is stopping");
      await this.#begin(jid, asks, written);
      begun = true;
      // By then its function has been called.
      if (!asks) this.#options.runtime.later(() => this.#taken.has(jid) && this.#journal.mark(jid, "started"));
    };
    if (this.#stopping()) {
      calm();
      return;
    }
    const delivery = load.delivery as { stream?: unknown } | undefined;
    const output = delivery?.stream === true
      ? new JobOutput({
        clock,
        jid,
        id,
        bytes: opts.stream_bytes,
        send: (data) =>
          master.send({ cmd: "_minion_event", events: [{ tag: jobOutput(jid, id), data }], pretag: null }, {
            timeoutMs: ASK_MS,
            tries: 1,
          }),
      })
      : undefined;
    const running = runningJobs.begin(jid, load);
    log.info("job started", { jid, fun });
    let outcome: JobOutcome;
    try {
      outcome = await execution.run({
        load,
        master: this.#master.address,
        signal: running.signal,
        ownProcess: running.ownProcess,
        output: output && ((stream, chunk) => output.write(stream, chunk)),
        begin,
      });
      if (!begun && this.#stopping()) return;
    } catch (error) {
      if (!begun && this.#stopping()) return;
      if (!running.signal.aborted) throw error;
      log.warning("job was ended from outside", { jid, fun });
      // As in Salt, a job that was killed does not return; a Brine master hears why. One that ends because we do is told
      // of by our next life.
      if (!this.#stopping()) this.#cancelled(jid, messageOf(running.signal.reason));
      return;
    } finally {
      calm();
      running.end();
      this.#taken.delete(jid);
    }
    await this.#return(load, outcome, output, asks);
  }

  /**
   * Writes down that a job begins, here or at its master; from then on it is not run again.
   *
   * @throws {Error} if we end before that could be done
   */
  async #begin(jid: string, asks: boolean, written: boolean): Promise<void> {
    if (asks) return;
    const marked = (written || this.#journal.again(jid)) && this.#journal.mark(jid, "starting") &&
      await this.#journal.synced();
    if (!marked && this.#master.isBrine && !await this.#promised(jid)) throw new Error("The minion is stopping");
  }

  /** A job that is not on our disk must be known as begun to the master, lest it is sent again. False if we end before. */
  async #promised(jid: string): Promise<boolean> {
    const { log, runtime: { clock } } = this.#options;
    const { signal } = this.#ended;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const load = { cmd: "_jobs", states: [[jid, "started", ""]], order: this.#order() };
        await this.#master.send(load, { timeoutMs: ASK_MS, tries: 1 });
        return true;
      } catch (error) {
        if (attempt === 1) {
          log.warning("job waits: it can be written down neither here nor at the master", {
            jid,
            error: messageOf(error),
          });
        }
        await clock.sleep(Math.min(attempt * 1000, LONGEST_PAUSE_MS), signal).catch(() => {});
        if (this.#journal.again(jid) && this.#journal.mark(jid, "starting") && await this.#journal.synced()) {
          return true;
        }
      }
    }
    return false;
  }

  #cancelled(jid: string, note: string): void {
    if (!this.#master.isBrine) return this.#journal.end(jid);
    const load = { cmd: "_jobs", states: [[jid, "cancelled", note]] };
    this.#sender.push(this.#spool.add(jid, this.#master.address, load));
  }

  async #return(load: Load, outcome: JobOutcome, output: JobOutput | undefined, asks: boolean): Promise<void> {
    const { runtime, opts, log, id, handOn } = this.#options;
    const jid = load.jid as string;
    const ret = returnOf(id, load, packReturn(outcome));
    log.info("job ended", { jid, fun: load.fun, retcode: outcome.retcode });
    if (opts.pub_ret) {
      // On the disk before anything else; behind its live output on the wire.
      const entry = asks
        ? this.#spool.hold(jid, this.#master.address, ret)
        : this.#spool.add(jid, this.#master.address, ret);
      if (output === undefined) this.#sender.push(entry);
      else {
        const { clock } = runtime;
        const late = new AbortController();
        void Promise.race([output.end(), clock.sleep(OUTPUT_ENDS_MS, late.signal).catch(() => {})]).then(() => {
          late.abort();
          this.#sender.push(entry);
        });
      }
    } else this.#journal.end(jid);
    try {
      if (opts.cache_jobs) cacheReturn(runtime, opts.cachedir, jid, ret);
    } catch (error) {
      log.error("the copy of a return could not be written (cache_jobs)", { jid, error: messageOf(error) });
    }
    await handOn(load, ret);
  }

  close(): void {
    this.#ended.abort();
    this.#sender.close();
  }
}
