/** What `?format_events` and `/formatted_events` send instead of events: how jobs and minions stand. */
import { isMap, lookup } from "../../python/containers.ts";
import type { StreamEvent } from "./event_hub.ts";
import type { Flavour } from "../settings.ts";

interface JobSummary {
  jid?: unknown;
  start_time?: unknown;
  minions: Record<string, unknown>;
  fun?: unknown;
  tgt?: unknown;
  tgt_type?: unknown;
  state?: string;
}

/** Jobs that are remembered; the oldest is forgotten. The original remembers all. */
const MOST_JOBS = 1000;

/** Keeps the summaries of one listener. */
export class Summaries {
  readonly #flavour: Flavour;
  readonly #jobs = new Map<string, JobSummary>();
  readonly #minions = new Map<string, Record<string, unknown>>();

  constructor(flavour: Flavour) {
    this.#flavour = flavour;
  }

  /** What has changed by an event, or undefined if it says nothing of jobs and minions. */
  take({ tag, data }: StreamEvent): Record<string, unknown> | undefined {
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

  /** Leaves a job out from here on; what was learnt of its minions stays. */
  forget(jid: string): void {
    this.#jobs.delete(jid);
  }

  #job(jid: string): JobSummary {
    let job = this.#jobs.get(jid);
    if (job === undefined) {
      job = { minions: {} };
      this.#jobs.set(jid, job);
      if (this.#jobs.size > MOST_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    }
    return job;
  }

  #started(data: Record<string, unknown>): Record<string, unknown> {
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

  #returned(jid: string, id: string, data: Record<string, unknown>): Record<string, unknown> {
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

  #key({ act, id }: Record<string, unknown>): Record<string, unknown> {
    if (act === "delete") this.#minions.delete(String(id));
    else if (act === "accept" && !this.#minions.has(String(id))) this.#minions.set(String(id), {});
    return this.#all();
  }

  #present({ present }: Record<string, unknown>): Record<string, unknown> | undefined {
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

  #all(): Record<string, unknown> {
    const rows: [string, unknown][] = [...this.#minions].map(([id, known]) => [id, { ...known, id }]);
    // One server sends a list, the other a map.
    return {
      minions: this.#flavour === "rest_cherrypy" ? rows.map(([, row]) => row) : Object.fromEntries(rows),
    };
  }
}
