import { type OutcomeState, succeeded } from "../model/job/outcome.ts";
import { isRecord } from "../base/record.ts";
import type { StreamedEvent } from "./event_stream.ts";
import { headOf, isOrchestration, type JobHead } from "./job_head.ts";
import { masterReturn } from "./master_return.ts";
import { stateMark } from "./state_run.ts";
import { reportedMs, spanMs, stampMs } from "./text.ts";

/** The outcomes of a target, and `no answer` for a silent target on a master that does not keep outcomes. */
export type PartState = OutcomeState | "no answer";

/** All states in the order in which they are shown: failures first, then targets that are still running. */
export const PART_STATES: readonly PartState[] = [
  "failed",
  "timed out",
  "lost",
  "no answer",
  "expired",
  "cancelled",
  "started",
  "published",
  "queued",
  "returned",
];

const OPEN: ReadonlySet<PartState> = new Set(["queued", "published", "started"]);
const BAD: ReadonlySet<PartState> = new Set(["failed", "timed out", "lost", "expired", "no answer"]);

export const isPartOpen = (state: PartState) => OPEN.has(state);
export const isBad = (state: PartState) => BAD.has(state);

/** The most lines of live output that are kept of one minion. */
export const OUTPUT_LINES = 2000;

export interface ShownPart {
  id: string;
  state: PartState;
  /** Milliseconds since the epoch of the last change of state, if known. */
  atMs?: number;
  /** The milliseconds from the start of the job to the target's return, by the master's clock; undefined if not reported. */
  tookMs?: number | undefined;
  return?: unknown;
  retcode?: unknown;
  success?: unknown;
  /** The reason of the target's state, in words. */
  note?: string;
  /** The complete lines of the target's live output. */
  lines: string[];
  /** The last line, without a line end yet. */
  tail: string;
  /** Increments with each change, so that results computed from an earlier version can be discarded. */
  version: number;
}

/** Targets in these states have sent their return. */
const ANSWERED: ReadonlySet<PartState> = new Set(["returned", "failed"]);

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "";

/** One line about a state that has ended: `3/12 failed: nginx: The service is not available`. */
function progressLine(
  { __id__: id, __run_num__: number, name, comment, result, changes }: Record<string, unknown>,
  total: unknown,
) {
  const count = typeof number === "number" && typeof total === "number" ? `${number + 1}/${total} ` : "";
  return `${count}${stateMark({ result, changes })}: ${textOf(id ?? name)}: ${
    textOf(comment ?? "").trim().split("\n")[0]
  }`;
}

/**
 * A job with the state and return of each target, built from events and from the job cache in any order. Each event takes
 * constant time: counters are kept up to date, not recounted.
 */
export class Job {
  head: JobHead;
  /** When the last event of the job was received, in milliseconds since the epoch. */
  heardMs = 0;
  /** Why the job could not be read. */
  error: string | undefined;
  readonly #parts = new Map<string, ShownPart>();
  readonly #counts = new Map<PartState, number>();
  #expectation = false;
  /** When the master published the job, in milliseconds since the epoch, by its clock. */
  #publishedMs: number | undefined;

  constructor(head: JobHead) {
    this.head = head;
  }

  /** Adds the minions that are expected to return. */
  expect(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    this.#expectation = true;
    for (const id of ids) this.#part(String(id));
  }

  /** True if the event belongs to this job and changed something. */
  apply({ tag, data }: StreamedEvent, nowMs: number): boolean {
    const prefix = `salt/job/${this.head.jid}/`;
    if (!tag.startsWith(prefix)) return false;
    const [kind = "", ...rest] = tag.slice(prefix.length).split("/");
    this.heardMs = nowMs;
    if (kind === "new") {
      this.head = { ...this.head, ...headOf(this.head.jid, data), startedMs: this.head.startedMs ?? nowMs };
      this.#publishedMs = stampMs(data._stamp);
      this.expect(data.minions);
      return true;
    }
    const id = typeof data.id === "string" ? data.id : rest[0] ?? "";
    if (id === "") return false;
    if (kind === "ret") return this.#return(id, data, nowMs);
    if (kind === "outcome") return this.#outcome(id, data);
    if (kind === "out") return this.#output(id, data);
    if (kind === "prog") return this.#progress(id, data);
    return false;
  }

  /** Takes the result of runner `jobs.list_job`. */
  takeReport(report: unknown): void {
    if (!isRecord(report)) return;
    if (typeof report.Error === "string") this.error = report.Error;
    this.head = {
      ...this.head,
      fun: typeof report.Function === "string" ? report.Function : this.head.fun,
      arg: Array.isArray(report.Arguments) ? report.Arguments : this.head.arg,
      tgt: report.Target ?? this.head.tgt,
      tgtType: typeof report["Target-type"] === "string" ? report["Target-type"] : this.head.tgtType,
      ...(typeof report.User === "string" ? { user: report.User } : {}),
    };
    this.expect(report.Minions);
    if (!isRecord(report.Result)) return;
    for (const [id, result] of Object.entries(report.Result)) {
      if (!isRecord(result)) continue;
      const ofMaster = isOrchestration(this.head.fun) ? masterReturn(result.return) : undefined;
      if (ofMaster !== undefined && this.head.arg.length === 0) this.head = { ...this.head, arg: ofMaster.arg };
      this.#return(id, ofMaster === undefined ? result : { ...ofMaster }, undefined);
    }
  }

  /** Takes the result of runner `jobs.outcome` of a Brine master; known returns are kept. */
  takeOutcomes(report: unknown): void {
    if (!isRecord(report) || !isRecord(report.Outcomes)) return;
    const startMs = reportedMs(report.StartTime);
    for (const [id, outcome] of Object.entries(report.Outcomes)) {
      if (!isRecord(outcome) || !PART_STATES.includes(outcome.Outcome as PartState)) continue;
      const part = this.#part(id);
      this.#move(part, outcome.Outcome as PartState, undefined, textOf(outcome.Note ?? ""));
      if (ANSWERED.has(part.state)) part.tookMs ??= spanMs(startMs, reportedMs(outcome.At));
    }
  }

  /** Marks minions as `no answer`: they neither run the job nor have returned. */
  giveUp(ids: readonly string[]): void {
    for (const id of ids) {
      const part = this.#parts.get(id);
      if (part !== undefined && isPartOpen(part.state)) this.#move(part, "no answer");
    }
  }

  #return(id: string, data: Record<string, unknown>, nowMs: number | undefined): boolean {
    const part = this.#part(id);
    part.return = data.return;
    part.retcode = data.retcode;
    part.success = data.success;
    const tookMs = spanMs(this.#publishedMs, stampMs(data._stamp));
    if (tookMs !== undefined) part.tookMs = tookMs;
    this.#move(part, succeeded(data.retcode, data.success) ? "returned" : "failed", nowMs);
    return true;
  }

  #outcome(id: string, data: Record<string, unknown>): boolean {
    const state = data.outcome as PartState;
    if (!PART_STATES.includes(state)) return false;
    this.#move(this.#part(id), state, Number(data.at) * 1000, textOf(data.note ?? ""));
    return true;
  }

  #output(id: string, { text, dropped }: Record<string, unknown>): boolean {
    const part = this.#part(id);
    const lines = (part.tail + (typeof text === "string" ? text : "")).split("\n");
    part.tail = lines.pop()!;
    for (const line of lines) part.lines.push(line.replace(/\r$/, ""));
    if (typeof dropped === "number") part.lines.push(`[${dropped} bytes skipped; the return has all output]`);
    if (part.lines.length > OUTPUT_LINES) part.lines.splice(0, part.lines.length - OUTPUT_LINES);
    part.version++;
    if (part.state === "published" || part.state === "queued") this.#move(part, "started");
    return true;
  }

  #progress(id: string, data: Record<string, unknown>): boolean {
    const part = this.#part(id);
    // An event that a minion fires through the master is inside the load that carried it.
    const { ret, len } = isRecord(data.data) ? data.data : data;
    if (isRecord(ret)) part.lines.push(progressLine(ret, len));
    part.version++;
    if (part.state === "published" || part.state === "queued") this.#move(part, "started");
    return true;
  }

  #part(id: string): ShownPart {
    let part = this.#parts.get(id);
    if (part === undefined) {
      part = { id, state: "published", lines: [], tail: "", version: 0 };
      this.#parts.set(id, part);
      this.#counts.set("published", this.count("published") + 1);
    }
    return part;
  }

  #move(part: ShownPart, state: PartState, atMs?: number, note = ""): void {
    const hadReturn = part.return !== undefined || part.retcode !== undefined;
    // A return is final: an outcome that was reported before it no longer counts.
    if (hadReturn && state !== "returned" && state !== "failed") return;
    part.version++;
    if (atMs !== undefined && !Number.isNaN(atMs)) part.atMs = atMs;
    if (note !== "") part.note = note;
    if (part.state === state) return;
    this.#counts.set(part.state, this.count(part.state) - 1);
    this.#counts.set(state, this.count(state) + 1);
    part.state = state;
  }

  part(id: string): ShownPart | undefined {
    return this.#parts.get(id);
  }

  count(state: PartState): number {
    return this.#counts.get(state) ?? 0;
  }

  #sum(includes: (state: PartState) => boolean): number {
    return PART_STATES.reduce((sum, state) => includes(state) ? sum + this.count(state) : sum, 0);
  }

  get size(): number {
    return this.#parts.size;
  }

  get open(): number {
    return this.#sum(isPartOpen);
  }

  get bad(): number {
    return this.#sum(isBad);
  }

  /** True once the targets are known and none is still expected to return. */
  get done(): boolean {
    return this.#expectation && this.open === 0;
  }

  /** The targets by state, failures first; within a state in the order in which they were expected. */
  parts(only?: ReadonlySet<PartState>): ShownPart[] {
    const byState = new Map<PartState, ShownPart[]>();
    for (const part of this.#parts.values()) {
      if (only !== undefined && !only.has(part.state)) continue;
      const same = byState.get(part.state);
      if (same === undefined) byState.set(part.state, [part]);
      else same.push(part);
    }
    return PART_STATES.flatMap((state) => byState.get(state) ?? []);
  }

  /** The ids of minions that have not returned yet. */
  waiting(): string[] {
    return [...this.#parts.values()].filter(({ state }) => isPartOpen(state)).map(({ id }) => id);
  }

  /** The whole job as JSON, for the clipboard. */
  toJSON(): Record<string, unknown> {
    const { startedMs, tgtType, ...head } = this.head;
    return {
      ...head,
      tgt_type: tgtType,
      ...(startedMs === undefined ? {} : { started: new Date(startedMs).toISOString() }),
      result: Object.fromEntries(
        this.parts().map(({ id, state, return: value, retcode, note, tookMs }) => [id, {
          outcome: state,
          ...(tookMs === undefined ? {} : { seconds: tookMs / 1000 }),
          ...(value === undefined ? {} : { return: value }),
          ...(retcode === undefined ? {} : { retcode }),
          ...(note === undefined ? {} : { note }),
        }]),
      ),
    };
  }
}
