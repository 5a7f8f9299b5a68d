import { type Signal, signal } from "@preact/signals";
import { type Api, ApiError, isForbidden } from "../../api.ts";
import type { StreamedEvent } from "../../event_stream.ts";
import { isRecord } from "../../../base/record.ts";
import { Job } from "../../job.ts";
import type { JobHead } from "../../job_head.ts";
import { countText, errorText, jidTime } from "../../text.ts";
import type { Beats } from "./beats.ts";
import type { BrowserEnvironment } from "./environment.ts";
import type { Notices } from "./notices.ts";

/** The most jobs that are kept in memory with their returns. */
const MAX_KEPT_JOBS = 50;

/** A job to start, as salt-api takes it. */
export type FollowRequest = Record<string, unknown> & { fun: string; tgt: unknown };

/** The jobs whose returns are in memory: started here, opened on a page, or running now. */
export class FollowedJobs {
  /** The jids of jobs that are known to run. */
  readonly running: Signal<ReadonlySet<string>> = signal(new Set<string>());
  /** Increments when a followed job changes. */
  readonly beat: Signal<number> = signal(0);
  readonly #api: Api;
  readonly #now: () => number;
  readonly #beats: Beats;
  readonly #notices: Notices;
  readonly #followed = new Map<string, Job>();
  /** True if the master reports outcomes, as Brine does; undefined until it was asked. */
  #namesOutcomes: boolean | undefined;
  /** True if the master reports its open jobs (`jobs.open`); undefined until it was asked. */
  #knowsOpen: boolean | undefined;

  constructor({ api, now }: BrowserEnvironment, beats: Beats, notices: Notices) {
    this.#api = api;
    this.#now = now;
    this.#beats = beats;
    this.#notices = notices;
  }

  get all(): Job[] {
    return [...this.#followed.values()];
  }

  peek(jid: string): Job | undefined {
    return this.#followed.get(jid);
  }

  /** The job with this jid; reads it if it is not followed yet. */
  get(jid: string): Job {
    const known = this.#followed.get(jid);
    if (known !== undefined) {
      // Moves the job to the end: the jobs that were not used for longest are dropped first.
      this.#followed.delete(jid);
      this.#followed.set(jid, known);
      return known;
    }
    const job = this.follow({ jid, fun: "", tgt: "", tgtType: "glob", arg: [] });
    void this.refresh(job);
    return job;
  }

  /** Follows a job; drops the ones that were opened least recently. */
  follow(head: JobHead): Job {
    const { jid } = head;
    const known = this.#followed.get(jid);
    if (known !== undefined) return known;
    const startedMs = jidTime(jid, this.#api.jidZoneMs);
    const job = new Job({ ...head, ...(startedMs === undefined ? {} : { startedMs }) });
    this.#followed.set(jid, job);
    for (const oldest of this.#followed.keys()) {
      if (this.#followed.size <= MAX_KEPT_JOBS) break;
      this.#followed.delete(oldest);
      this.#removeRunning(oldest);
    }
    return job;
  }

  /**
   * Starts a job and follows it.
   *
   * @param seen returns the events so far: those that came before the jid was known are applied now
   * @returns the jid of the job, or undefined if the target matched no minion
   */
  async start(request: FollowRequest, seen: () => readonly StreamedEvent[]): Promise<string | undefined> {
    const { jid, minions } = await this.#api.publish(request);
    if (jid === undefined) return undefined;
    const { fun, tgt, tgt_type: type } = request;
    const job = this.follow({ jid, fun, tgt, tgtType: String(type ?? "glob"), arg: recordedArguments(request) });
    job.expect(minions);
    job.head.startedMs ??= this.#now();
    job.heardMs = this.#now();
    this.addRunning(jid);
    this.#beats.mark(this.beat);
    for (const event of seen()) {
      if (event.tag.startsWith(`salt/job/${jid}/`)) job.apply(event, this.#now());
    }
    return jid;
  }

  apply(event: StreamedEvent, jid: string): void {
    const job = this.#followed.get(jid);
    if (job?.apply(event, this.#now())) this.changed(job);
  }

  /** Redraws a job on the pages, and notes whether it has ended. */
  changed(job: Job): void {
    this.#beats.mark(this.beat);
    if (job.done) this.#removeRunning(job.head.jid);
  }

  addRunning(jid: string): void {
    this.running.value = new Set([...this.running.value, jid]);
  }

  #removeRunning(jid: string): void {
    if (!this.running.value.has(jid)) return;
    const running = new Set(this.running.value);
    running.delete(jid);
    this.running.value = running;
  }

  /** Reads the running jobs: from the record of a Brine master; with another master, the minions are asked. */
  async loadRunning(): Promise<void> {
    try {
      const jids = await this.#openJobs() ?? Object.keys((await this.#api.runner("jobs.active") ?? {}) as object);
      this.running.value = new Set(jids);
      for (const jid of jids.slice(0, MAX_KEPT_JOBS / 2)) this.get(jid);
    } catch (error) {
      // An account without the permission sees the list without marks of running jobs.
      if (!isForbidden(error)) this.#notices.fail(error);
    }
  }

  /** The open jobs of a Brine master, without those that only wait for minions to connect; undefined with another master. */
  async #openJobs(): Promise<string[] | undefined> {
    if (this.#knowsOpen === false) return undefined;
    try {
      const found = await this.#api.runner("jobs.open");
      this.#knowsOpen = isRecord(found);
      if (!isRecord(found)) return undefined;
      return Object.entries(found).filter(([, counts]) =>
        isRecord(counts) && Number(counts.open) > Number(counts.queued)
      )
        .map(([jid]) => jid);
    } catch (error) {
      const { kind, status } = error as ApiError;
      // A Salt master fails on an unknown runner.
      const isOther = error instanceof ApiError && (kind === "refused" || kind === "failed") && status !== 503;
      if (!isOther) throw error;
      this.#knowsOpen = false;
    }
    return undefined;
  }

  /** Reads a job from the master's job cache and shows an error if it fails. */
  async refresh(job: Job): Promise<void> {
    try {
      await this.readReturns(job);
      job.takeOutcomes(await this.outcomes(job.head.jid));
      job.heardMs ||= this.#now();
      if (job.size === 0) job.expect([]);
    } catch (error) {
      job.error = errorText(error);
      this.#notices.fail(error);
    }
    this.changed(job);
  }

  /** Reads the jobs that have not ended, after events were missed. */
  async refreshOpen(): Promise<void> {
    for (const job of this.all) if (!job.done) await this.refresh(job);
  }

  async readReturns(job: Job): Promise<void> {
    job.takeReport(await this.#api.runner("jobs.list_job", { jid: job.head.jid }));
  }

  /** The outcomes of a job (`jobs.outcome` of a Brine master); undefined with another master. */
  async outcomes(jid: string): Promise<unknown> {
    if (this.#namesOutcomes === false) return undefined;
    try {
      const report = await this.#api.runner("jobs.outcome", { jid });
      this.#namesOutcomes = typeof report === "object";
      return report;
    } catch (error) {
      if (error instanceof ApiError && error.kind === "signed out") throw error;
      this.#namesOutcomes = false;
      return undefined;
    }
  }

  /** Ends the job on the minions that still run it (`saltutil.kill_job`). */
  async cancel(job: Job): Promise<void> {
    const ids = job.waiting();
    await this.#api.publish({ tgt: ids.join(","), tgt_type: "list", fun: "saltutil.kill_job", arg: [job.head.jid] });
    this.#notices.add("ok", `Asked ${ids.length === 1 ? ids[0] : countText(ids.length, "minion")} to end the job`);
  }

  forget(): void {
    this.#knowsOpen = undefined;
    this.running.value = new Set();
    this.#followed.clear();
  }
}

/** Arguments in the form of a job's record: keyword arguments as a last mapping with the mark `__kwarg__`. */
function recordedArguments({ arg, kwarg }: FollowRequest): unknown[] {
  const named = typeof kwarg === "object" && kwarg !== null && Object.keys(kwarg).length > 0;
  return [...(Array.isArray(arg) ? arg : []), ...(named ? [{ __kwarg__: true, ...kwarg }] : [])];
}
