import type { MinionIdentity } from "../../protocol/channel/auth_client.ts";
import { isRefusal } from "../../client/client_error.ts";
import type { PublishRequest } from "../../client/publish_request.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf } from "../../base/errors.ts";
import { LEGACY_SYNDIC_START, syndicStart } from "../../model/event/tag.ts";
import { isPlainJid } from "../../model/job/jid.ts";
import type { Logger } from "../../base/log.ts";
import { MasterConnection } from "../minion/connection.ts";
import type { MasterAddress } from "../minion/master_address.ts";
import { ctime } from "../minion/serve_masters.ts";
import { isRecord } from "../../base/record.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import type { ForwardedJobOwner, HeldReturn, ReturnFields, SyndicLoad } from "./forwarded_job.ts";
import { ForwardedJob } from "./forwarded_job.ts";
import type { ForwardJournal } from "./forward_journal.ts";
import type { LocalJobs } from "./local_job_cache.ts";
import type { LocalMaster } from "./local_master.ts";
import { Uplink } from "./uplink.ts";

/** The most bytes of returns that are held in memory for all higher masters; other returns are read from the local job cache. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

export class ReturnMemory {
  #bytes = 0;

  hold(result: ReturnFields, size: number): HeldReturn {
    if (this.#bytes + size > MAX_HELD_BYTES) return { result: undefined, size: 0 };
    this.#bytes += size;
    return { result, size };
  }

  release(held: HeldReturn): void {
    this.#bytes -= held.size;
    held.size = 0;
  }
}

interface HigherMasterOptions {
  runtime: Runtime;
  log: Logger;
  sockets: Transport;
  identity: MinionIdentity;
  opts: MinionOpts;
  masterOpts: MasterOpts;
  master: MasterAddress;
  publishPort?: number;
  local: LocalMaster;
  journal: ForwardJournal;
  memory: ReturnMemory;
  jobs: LocalJobs;
  /** Returns the same job of another higher master, if it is on the local master already. */
  elsewhere(jid: string, than: HigherMaster): ForwardedJob | undefined;
}

/** The most jobs of one higher master; if there are more, the oldest is given up. */
const MAX_JOBS = 10_000;
/** The pause before a job is offered to the local master again, in milliseconds. */
const AGAIN_MS = 500;

/** The fields of a publication that are passed on to the minions. */
const PASSED_ON = [
  "delimiter",
  "ret_config",
  "metadata",
  "module_executors",
  "executor_opts",
  "ret_kwargs",
  "master_id",
] as const;

/** Returns the request for the local master to publish a job: the same job, by the same user. */
function requestOf(load: SyndicLoad): PublishRequest {
  const kwargs: SyndicLoad = {};
  for (const name of PASSED_ON) if (load[name] !== undefined) kwargs[name] = load[name];
  const delivery = isRecord(load.delivery) ? load.delivery : {};
  if (delivery.stream === true) kwargs.stream = true;
  if (typeof delivery.timeout === "number") kwargs.job_timeout = delivery.timeout;
  if (typeof delivery.queue === "number") kwargs.queue = delivery.queue;
  return {
    tgt: load.tgt as string,
    tgt_type: typeof load.tgt_type === "string" ? load.tgt_type : "glob",
    fun: load.fun as string,
    arg: Array.isArray(load.arg) ? load.arg : [],
    ret: typeof load.ret === "string" ? load.ret : "",
    jid: String(load.jid),
    kwargs,
    ...(typeof load.user === "string" ? { user: load.user } : {}),
  };
}

/** One master above: the syndic gives its jobs to the local master, and sends their returns and outcomes up. */
export class HigherMaster implements ForwardedJobOwner, AsyncDisposable {
  readonly connection: MasterConnection;
  readonly uplink: Uplink;
  readonly #options: HigherMasterOptions;
  readonly #jobs = new Map<string, ForwardedJob>();
  readonly #closing = new AbortController();
  #isOpen = false;

  constructor(options: HigherMasterOptions) {
    this.#options = options;
    const { runtime, log, opts, masterOpts, identity, memory, jobs } = options;
    this.connection = this.#connect();
    this.uplink = new Uplink({
      clock: runtime.clock,
      log: log.child("uplink"),
      random: () => runtime.random(),
      id: identity.id,
      jobs: () => this.#jobs.values(),
      isBrine: () => this.connection.isBrine,
      readReturns: (job) => jobs.returns(job),
      readLoad: (job) => jobs.load(job),
      send: (load, timeoutMs) => this.connection.requests.send(load, { timeoutMs, tries: 1 }),
      onSent: (job) => this.settle(job),
      release: (held) => memory.release(held),
      leastMs: opts.return_retry_timer * 1000,
      mostMs: opts.return_retry_timer_max * 1000,
      gatherMs: masterOpts.syndic_event_forward_timeout * 1000,
    });
  }

  #connect(): MasterConnection {
    const { runtime, opts, log, sockets, identity, master, publishPort } = this.#options;
    return new MasterConnection({
      runtime,
      opts,
      log,
      sockets,
      identity,
      master,
      role: "syndic",
      ...(publishPort === undefined ? {} : { publishPort }),
      onPublication: (load) => void this.#take(load),
      onState: (up) => {
        if (up && this.#isOpen) void this.#present(true);
      },
      onReturn: () => {
        // The report does not hurry: this connection is also renewed after each request that gets no reply.
        if (this.#isOpen) void this.#present(false);
      },
    });
  }

  get address(): string {
    return this.connection.address;
  }

  /** True once the master has let the syndic in. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The number of jobs of which this master lacks something. */
  get size(): number {
    return this.#jobs.size;
  }

  /** The number of returns that this master lacks. */
  get unsent(): number {
    let count = 0;
    for (const { unsent } of this.#jobs.values()) count += unsent.size;
    return count;
  }

  job(jid: string): ForwardedJob | undefined {
    return this.#jobs.get(jid);
  }

  jobs(): Iterable<ForwardedJob> {
    return this.#jobs.values();
  }

  /** Signs in, listens, says that the syndic has started, and takes the jobs that it has missed. */
  async open(): Promise<void> {
    const { opts, runtime: { clock }, identity: { id }, log } = this.#options;
    await this.connection.open();
    const tags = opts.enable_legacy_startup_events ? [LEGACY_SYNDIC_START] : [];
    for (const tag of [...tags, syndicStart(id)]) {
      const data = `Syndic ${id} started at ${ctime(clock.now())}`;
      await this.connection.requests.send({ cmd: "_minion_event", pretag: null, data, tag });
    }
    this.#isOpen = true;
    log.info("syndic is ready", { id, master: this.address });
    await this.#present(true);
  }

  /**
   * Tells the master which jobs the syndic has, takes those that the syndic missed, and sends waiting returns.
   *
   * @param hurry true if the stream of publications is connected again: sends that failed before are tried at once
   */
  async #present(hurry: boolean): Promise<void> {
    const { log, local } = this.#options;
    // The master may have been restarted: tell it again the minions of open jobs.
    if (hurry) { for (const job of this.#jobs.values()) if (!job.isLocal && job.isPublished) job.needsNaming = true; }
    try {
      if (this.connection.isBrine) {
        const reply = await this.connection.requests.send({
          cmd: "_jobs",
          syndic: true,
          reports: local.isBrine,
          known: [...this.#jobs.keys()],
        }, { tries: 1, timeoutMs: 10_000 });
        const { jobs } = isRecord(reply) ? reply : {};
        for (const load of Array.isArray(jobs) ? jobs : []) if (isRecord(load)) void this.#take(load);
      }
    } catch (error) {
      log.debug("could not ask the higher master for missed jobs", { error: messageOf(error) });
    }
    if (hurry) this.uplink.hurry();
    else this.uplink.poke();
  }

  /** Reports again what kind of syndic this is: the local master is known now, or was replaced by another. */
  represent(): void {
    if (this.#isOpen) void this.#present(false);
  }

  /** Takes a job that the master has published. */
  async #take(load: SyndicLoad): Promise<void> {
    const { log, runtime: { clock }, masterOpts } = this.#options;
    const { jid, fun, tgt, master_id } = load;
    if (typeof jid !== "string" || !isPlainJid(jid) || fun === undefined || tgt === undefined) {
      return log.warning("publication of the higher master ignored: it has no jid, fun or tgt", { jid });
    }
    // If masters are above each other in a circle, a job comes back to the master that has published it.
    if (master_id !== undefined && master_id === masterOpts.master_id) return;
    const known = this.#jobs.get(jid);
    if (known !== undefined && !known.isLocal) {
      if (JSON.stringify(known.load.tgt) === JSON.stringify(tgt)) {
        known.needsNaming = true;
        return this.uplink.poke();
      }
      // A batch publishes the same job again for more minions.
      return await this.#publish(known, load);
    }
    const job = new ForwardedJob(jid, load, { atMs: clock.now(), isLocal: false });
    await this.keep(job);
    await this.#publish(job, load);
  }

  /** Remembers a job, in memory and on the disk. */
  async keep(job: ForwardedJob): Promise<void> {
    const { journal, log } = this.#options;
    this.#jobs.set(job.jid, job);
    if (this.#jobs.size > MAX_JOBS) {
      const [oldest] = this.#jobs.values();
      log.error("job given up: too many jobs wait for the higher master", { jid: oldest!.jid, most: MAX_JOBS });
      this.forget(oldest!);
    }
    try {
      await journal.add(this.address, job);
    } catch (error) {
      log.error("job cannot be stored, and a restart of this syndic would lose its returns", {
        jid: job.jid,
        error: messageOf(error),
      });
    }
  }

  /** Adds a job of an earlier process to those of this master. */
  restore(job: ForwardedJob): void {
    this.#jobs.set(job.jid, job);
  }

  /** Publishes a restored job that the local master does not have yet. */
  async publishAgain(job: ForwardedJob): Promise<void> {
    await this.#publish(job, job.load);
  }

  /** Publishes a job on the local master, which may be away for a while. */
  async #publish(job: ForwardedJob, load: SyndicLoad): Promise<void> {
    const { local, log, runtime: { clock }, masterOpts, elsewhere } = this.#options;
    const { signal } = this.#closing;
    const { jid } = job;
    job.isPublishing = true;
    const other = elsewhere(jid, this);
    const generation = local.generation;
    const untilMs = job.atMs + masterOpts.job_delivery_timeout * 1000;
    // If another higher master has published the same job, its minions are found in the job cache.
    for (let attempt = 0; other === undefined && !signal.aborted; attempt++) {
      try {
        const published = await local.publish(requestOf(load));
        if (published !== undefined) job.expect(published.minions);
        for (const syndic of published?.syndics ?? []) job.below.add(syndic);
        for (const id of published?.queued ?? []) job.outcomes.set(id, this.#queued(job, id));
        log.info("job of the higher master published", { jid, minions: published?.minions.length ?? 0 });
        break;
      } catch (error) {
        const refused = isRefusal(error);
        if (refused || clock.now() >= untilMs) {
          log.error(
            refused
              ? "job of the higher master refused by the local master"
              : "job of the higher master given up: the local master could not be reached in time",
            { jid, error: messageOf(error) },
          );
          break;
        }
        await clock.sleep(AGAIN_MS, signal).catch(() => {});
      }
    }
    if (signal.aborted) return;
    if (job.below.size > 0) this.#nameLater(job);
    job.isPublishing = false;
    job.isPublished = true;
    job.needsNaming = true;
    // The local master has the job only from now on: no event of it can have been missed.
    if (other === undefined && generation > 0 && generation === local.generation && job.load === load) {
      job.isStale = false;
    } else await this.#options.jobs.lookUp(this, job);
    this.uplink.poke();
  }

  /** Returns the outcome of a minion for which the local master keeps the job. */
  #queued({ jid, load: { delivery } }: ForwardedJob, id: string): SyndicLoad {
    const at = Math.floor(this.#options.runtime.clock.now() / 1000);
    const { queue } = isRecord(delivery) ? delivery : {};
    return { jid, id, outcome: "queued", at, ...(typeof queue === "number" ? { until: at + Math.ceil(queue) } : {}) };
  }

  /** Tells the higher master, after `syndic_wait` at the latest, that there are no more minions. */
  #nameLater(job: ForwardedJob): void {
    const { runtime: { clock }, masterOpts } = this.#options;
    clock.after(masterOpts.syndic_wait * 1000, () => {
      if (job.below.size === 0 || this.#jobs.get(job.jid) !== job) return;
      job.below.clear();
      job.needsNaming = true;
      this.uplink.poke();
    });
  }

  /** A minion has returned. @param size bytes of the event, about */
  returned(job: ForwardedJob, minion: string, result: ReturnFields, size: number): void {
    job.outcomes.delete(minion);
    if (job.sent.has(minion) || job.unsent.has(minion)) return;
    job.expect([minion]);
    job.unsent.set(minion, this.#options.memory.hold(result, size));
    if (job.unsent.size + job.sent.size >= job.targets.size) this.uplink.wake();
    else this.uplink.poke();
  }

  /** Forgets a job of which the master has everything. */
  settle(job: ForwardedJob): void {
    if (job.isOver) this.forget(job);
  }

  forget(job: ForwardedJob): void {
    this.#jobs.delete(job.jid);
    for (const held of job.unsent.values()) this.#options.memory.release(held);
    this.#options.journal.remove(job);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("The syndic is stopping"));
    await this.connection.close();
    await this.uplink.close();
  }
}
