import { textsOf } from "../../language/python/values.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import { isPlainJid } from "../../model/job/jid.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ForwardedJob, type ReturnFields, type SyndicLoad } from "./forwarded_job.ts";
import type { HigherMaster } from "./higher_master.ts";
import type { LocalJobs } from "./local_job_cache.ts";

interface LocalEventsOptions {
  runtime: Pick<Runtime, "clock" | "random">;
  log: Logger;
  opts: MasterOpts;
  jobs: LocalJobs;
  masters: readonly HigherMaster[];
}

const JOB = /^salt\/job\/(?<jid>\d{20}[^/]*)\/(?<kind>ret|outcome|new|publish)(?:\/(?<id>[^/]+))?$/;
const BELOW = /^syndic\/(?<syndic>[^/]+)\/(?<jid>\d{20}[^/]*)$/;

/** Handles events of the local master's bus: returns, minions and outcomes of jobs go to the master that published the job. */
export class LocalEvents {
  readonly #options: LocalEventsOptions;
  /** The local jobs that are being recorded. */
  readonly #opening = new Map<string, Promise<void>>();

  constructor(options: LocalEventsOptions) {
    this.#options = options;
  }

  take(event: BusEvent): void {
    const { tag } = event;
    const { jid, kind, id } = JOB.exec(tag)?.groups ?? {};
    if (kind === "ret" && id !== undefined) return this.#returned(jid!, id, event);
    if (kind === "outcome" && id !== undefined) return this.#outcome(jid!, id, event.data);
    if (kind !== undefined) return;
    if (isPlainJid(tag)) return this.#named(tag, event.data);
    const below = BELOW.exec(tag)?.groups;
    if (below !== undefined) return this.#named(below.jid!, event.data, below.syndic);
    if (this.#options.opts.syndic_mode === "sync") this.#passOn(event);
  }

  /** Returns the higher masters that have published a job, or that get the returns of a local job. */
  *#of(jid: string): Iterable<{ master: HigherMaster; job: ForwardedJob }> {
    for (const master of this.#options.masters) {
      const job = master.job(jid);
      if (job !== undefined) yield { master, job };
    }
  }

  #named(jid: string, { minions, more }: SyndicLoad, syndic?: string): void {
    if (!Array.isArray(minions)) return;
    for (const { master, job } of this.#of(jid)) {
      job.expect(textsOf(minions));
      if (syndic !== undefined && more !== true && job.below.delete(syndic)) job.needsNaming = true;
      master.uplink.poke();
    }
  }

  #returned(jid: string, id: string, event: BusEvent): void {
    const { data } = event;
    // The tag has the id of the sender, which the local master has verified.
    if (data.return === undefined || data.id !== id) return;
    const { return: value, retcode, success, fun_args, out } = data;
    const result: ReturnFields = { return: value, retcode, success, fun_args };
    if (typeof out === "string") result.out = out;
    let isKnown = false;
    for (const { master, job } of this.#of(jid)) {
      isKnown = true;
      master.returned(job, id, result, event.bytes.length);
    }
    if (!isKnown && this.#options.opts.syndic_mode === "sync") this.#localJob(jid, data);
  }

  /** Handles a job that was published on the local master: one of the higher masters gets its returns. */
  #localJob(jid: string, { fun, fun_args: arg }: SyndicLoad): void {
    const { runtime: { clock }, jobs, log } = this.#options;
    // `saltutil.find_job` is the question of a master or a client whether another job still runs: it is not passed on.
    if (fun === "saltutil.find_job" || this.#opening.has(jid)) return;
    const master = this.#oneMaster();
    if (master === undefined) return;
    const job = new ForwardedJob(jid, { fun, arg }, { atMs: clock.now(), isLocal: true });
    const opening = master.keep(job).then(() => jobs.lookUp(master, job)).then(
      () => master.uplink.poke(),
      (error) => log.warning("local job is not forwarded", { jid, error: String(error) }),
    );
    this.#opening.set(jid, opening.finally(() => this.#opening.delete(jid)));
  }

  /** Chooses a higher master by `syndic_failover`: the first that is connected, or any of those. */
  #oneMaster(): HigherMaster | undefined {
    const { masters, opts, runtime } = this.#options;
    const open = masters.filter(({ isOpen }) => isOpen);
    return open[opts.syndic_failover === "ordered" ? 0 : Math.floor(runtime.random() * open.length)];
  }

  #outcome(jid: string, id: string, data: SyndicLoad): void {
    if (data.outcome === "returned" || data.outcome === "failed") return;
    for (const { master, job } of this.#of(jid)) {
      if (job.isLocal || job.sent.has(id) || job.unsent.has(id)) continue;
      job.outcomes.set(id, data);
      master.uplink.poke();
    }
  }

  /** Passes any other event on to all higher masters. */
  #passOn({ tag, data, bytes }: BusEvent): void {
    if ("retcode" in data) return;
    const { _stamp: _, ...rest } = data;
    for (const { uplink, isOpen } of this.#options.masters) if (isOpen) uplink.event(tag, rest, bytes.length);
  }
}
