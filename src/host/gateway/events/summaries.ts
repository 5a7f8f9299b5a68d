/** The state of jobs and minions, which `?format_events` and `/formatted_events` send instead of events. */
import { isMap, lookup } from "../../../language/python/values.ts";
import type { StreamEvent } from "./stream_event.ts";

interface JobSummary {
  jid?: unknown;
  start_time?: unknown;
  minions: Record<string, unknown>;
  fun?: unknown;
  tgt?: unknown;
  tgt_type?: unknown;
  state?: string;
}

/** The change by an event: all current jobs, or all minions by id. */
interface SummaryChange {
  jobs?: Record<string, unknown>;
  minions?: Map<string, Record<string, unknown>>;
}

/** The most jobs that are remembered; then the oldest is forgotten. Salt remembers all jobs. */
const MAX_JOBS = 1000;

/** Keeps the summaries of one listener. */
export class Summaries {
  readonly #jobs = new Map<string, JobSummary>();
  readonly #minions = new Map<string, Record<string, unknown>>();

  /** Applies an event; undefined if it is not about jobs or minions. */
  take({ tag, data }: StreamEvent): SummaryChange | undefined {
    const parts = tag.split("/");
    if (parts[0] !== "salt") return undefined;
    switch (parts[1]) {
      case "job":
        if (parts[3] === "new") return this.#started(data);
        return parts[3] === "ret" ? this.#returned(parts[2]!, parts.slice(4).join("/"), data) : undefined;
      case "key":
        return this.#key(data);
      case "presence":
        return parts[2] === "present" ? this.#present(data) : undefined;
      default:
        return undefined;
    }
  }

  /** Forgets a job; its data about minions stays. */
  forget(jid: string): void {
    this.#jobs.delete(jid);
  }

  #job(jid: string): JobSummary {
    let job = this.#jobs.get(jid);
    if (job === undefined) {
      job = { minions: {} };
      this.#jobs.set(jid, job);
      if (this.#jobs.size > MAX_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    }
    return job;
  }

  #started(data: Record<string, unknown>): SummaryChange {
    const { jid, _stamp, fun, tgt, tgt_type, minions } = data;
    const ids = Array.isArray(minions) ? minions.map(String) : [];
    this.#jobs.delete(String(jid));
    const job = this.#job(String(jid));
    Object.assign(job, {
      jid,
      start_time: _stamp,
      minions: Object.fromEntries(ids.map((id) => [id, { success: false }])),
      fun,
      tgt,
      tgt_type,
      state: "running",
    });
    if (fun === "grains.items") this.#minions.clear();
    return { jobs: Object.fromEntries(this.#jobs) };
  }

  #returned(jid: string, id: string, data: Record<string, unknown>): SummaryChange {
    const { success, retcode } = data;
    const job = this.#job(jid);
    job.minions = Object.fromEntries([
      ...Object.entries(job.minions),
      [id, { success, return: data.return, retcode }],
    ]);
    const done = Object.values(job.minions).every((minion) => isMap(minion) && lookup(minion, "success") === true);
    if (done) job.state = "complete";
    if (data.fun === "grains.items") this.#minions.set(id, { grains: data.return });
    return { jobs: Object.fromEntries(this.#jobs) };
  }

  #key({ act, id }: Record<string, unknown>): SummaryChange {
    if (act === "delete") this.#minions.delete(String(id));
    else if (act === "accept" && !this.#minions.has(String(id))) this.#minions.set(String(id), {});
    return this.#all();
  }

  #present({ present }: Record<string, unknown>): SummaryChange | undefined {
    const ids = new Set(Array.isArray(present) ? present.map(String) : []);
    const before = this.#minions.size;
    for (const id of this.#minions.keys()) if (!ids.has(id)) this.#minions.delete(id);
    let changed = this.#minions.size !== before;
    for (const id of ids) {
      if (this.#minions.has(id)) continue;
      this.#minions.set(id, {});
      changed = true;
    }
    return changed ? this.#all() : undefined;
  }

  #all(): SummaryChange {
    return { minions: new Map([...this.#minions].map(([id, known]) => [id, { ...known, id }])) };
  }
}
