import { type OutcomeState, succeeded } from "../job/outcome.ts";
import { isRecord } from "../record.ts";
import type { BusEvent } from "./event_stream.ts";

/** The nine outcomes of a target, and what beside a master without them is known of a silent one. */
export type PartState = OutcomeState | "no answer";

/** All of them in the order in which people look at them: what went wrong first, then what is still to come. */
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

export const isOpen = (state: PartState) => OPEN.has(state);
export const isBad = (state: PartState) => BAD.has(state);

/** The most lines of live output that are kept of one minion. */
export const OUTPUT_LINES = 2000;

/** One target of a job. */
export interface Part {
  id: string;
  state: PartState;
  /** Milliseconds since the epoch at which it came to this, if that is known. */
  atMs?: number;
  return?: unknown;
  retcode?: unknown;
  success?: unknown;
  /** Why, for people. */
  note?: string;
  /** What it has printed so far, without the line that is not ended. */
  lines: string[];
  tail: string;
  /** Counts changes, so that what was worked out of an earlier state can be told from this one. */
  version: number;
}

export interface JobHead {
  jid: string;
  fun: string;
  arg: unknown[];
  tgt: unknown;
  tgtType: string;
  user?: string;
  startedMs?: number;
}

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "";

/**
 * A job as it is followed: built up by events or read from the job cache, in any order, each event in constant time.
 * Counters are kept, not counted.
 */
export class Job {
  head: JobHead;
  /** Milliseconds since the epoch of the last thing heard of it. */
  heardMs = 0;
  /** Why nothing of it can be shown. */
  error: string | undefined;
  readonly #parts = new Map<string, Part>();
  readonly #counts = new Map<PartState, number>();
  #expectation = false;

  constructor(head: JobHead) {
    this.head = head;
  }

  /** Makes those that are expected to answer into waiting parts. */
  expect(ids: unknown): void {
    if (!Array.isArray(ids)) return;
    this.#expectation = true;
    for (const id of ids) this.#part(String(id));
  }

  /** True if the event belongs to this job and changed something. */
  apply({ tag, data }: BusEvent, nowMs: number): boolean {
    const prefix = `salt/job/${this.head.jid}/`;
    if (!tag.startsWith(prefix)) return false;
    const [kind = "", ...rest] = tag.slice(prefix.length).split("/");
    this.heardMs = nowMs;
    if (kind === "new") {
      this.head = { ...this.head, ...headOf(this.head.jid, data), startedMs: this.head.startedMs ?? nowMs };
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

  /** Takes what runner `jobs.list_job` returned. */
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
      if (isRecord(result)) this.#return(id, result, undefined);
    }
  }

  /** Takes what runner `jobs.outcome` of a Brine master returned; a return that is known stays. */
  takeOutcomes(report: unknown): void {
    if (!isRecord(report) || !isRecord(report.Outcomes)) return;
    for (const [id, outcome] of Object.entries(report.Outcomes)) {
      if (!isRecord(outcome) || !PART_STATES.includes(outcome.Outcome as PartState)) continue;
      this.#move(this.#part(id), outcome.Outcome as PartState, undefined, textOf(outcome.Note ?? ""));
    }
  }

  /** Says of these that they are neither working on it nor have returned. */
  giveUp(ids: readonly string[]): void {
    for (const id of ids) {
      const part = this.#parts.get(id);
      if (part !== undefined && OPEN.has(part.state)) this.#move(part, "no answer");
    }
  }

  #return(id: string, data: Record<string, unknown>, nowMs: number | undefined): boolean {
    const part = this.#part(id);
    part.return = data.return;
    part.retcode = data.retcode;
    part.success = data.success;
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
    if (typeof dropped === "number") part.lines.push(`[${dropped} bytes more; all of it is in the return]`);
    if (part.lines.length > OUTPUT_LINES) part.lines.splice(0, part.lines.length - OUTPUT_LINES);
    part.version++;
    if (part.state === "published" || part.state === "queued") this.#move(part, "started");
    return true;
  }

  #progress(id: string, data: Record<string, unknown>): boolean {
    const part = this.#part(id);
    if (isRecord(data.data) && typeof data.data.ret === "object") {
      const { __id__: name, comment, result } = data.data.ret as Record<string, unknown>;
      part.lines.push(`${result === false ? "failed" : "done"}: ${textOf(name)} ${textOf(comment ?? "")}`);
    }
    part.version++;
    if (part.state === "published" || part.state === "queued") this.#move(part, "started");
    return true;
  }

  #part(id: string): Part {
    let part = this.#parts.get(id);
    if (part === undefined) {
      part = { id, state: "published", lines: [], tail: "", version: 0 };
      this.#parts.set(id, part);
      this.#counts.set("published", this.count("published") + 1);
    }
    return part;
  }

  #move(part: Part, state: PartState, atMs?: number, note = ""): void {
    const hadReturn = part.return !== undefined || part.retcode !== undefined;
    // What was said of a target before its return came is of no interest after it.
    if (hadReturn && state !== "returned" && state !== "failed") return;
    part.version++;
    if (atMs !== undefined && !Number.isNaN(atMs)) part.atMs = atMs;
    if (note !== "") part.note = note;
    if (part.state === state) return;
    this.#counts.set(part.state, this.count(part.state) - 1);
    this.#counts.set(state, this.count(state) + 1);
    part.state = state;
  }

  part(id: string): Part | undefined {
    return this.#parts.get(id);
  }

  count(state: PartState): number {
    return this.#counts.get(state) ?? 0;
  }

  get size(): number {
    return this.#parts.size;
  }

  get open(): number {
    let open = 0;
    for (const state of OPEN) open += this.count(state);
    return open;
  }

  get bad(): number {
    let bad = 0;
    for (const state of BAD) bad += this.count(state);
    return bad;
  }

  /** True once it is known who should answer and nothing more is expected. */
  get done(): boolean {
    return this.#expectation && this.open === 0;
  }

  /** The parts as people look at them, failures first; in one state by the order in which they were expected. */
  parts(only?: ReadonlySet<PartState>): Part[] {
    const byState = new Map<PartState, Part[]>();
    for (const part of this.#parts.values()) {
      if (only !== undefined && !only.has(part.state)) continue;
      const same = byState.get(part.state);
      if (same === undefined) byState.set(part.state, [part]);
      else same.push(part);
    }
    return PART_STATES.flatMap((state) => byState.get(state) ?? []);
  }

  /** The ids of those from which something is still expected. */
  waiting(): string[] {
    return [...this.#parts.values()].filter(({ state }) => OPEN.has(state)).map(({ id }) => id);
  }

  /** Everything there is, to be copied. */
  toJSON(): Record<string, unknown> {
    const { startedMs, tgtType, ...head } = this.head;
    return {
      ...head,
      tgt_type: tgtType,
      ...(startedMs === undefined ? {} : { started: new Date(startedMs).toISOString() }),
      result: Object.fromEntries(
        this.parts().map(({ id, state, return: value, retcode, note }) => [id, {
          outcome: state,
          ...(value === undefined ? {} : { return: value }),
          ...(retcode === undefined ? {} : { retcode }),
          ...(note === undefined ? {} : { note }),
        }]),
      ),
    };
  }
}

/** What a `salt/job/<jid>/new` event says of its job. */
export function headOf(jid: string, data: Record<string, unknown>): JobHead {
  return {
    jid,
    fun: Array.isArray(data.fun) ? data.fun.join(", ") : String(data.fun ?? ""),
    arg: Array.isArray(data.arg) ? data.arg : [],
    tgt: data.tgt ?? "",
    tgtType: String(data.tgt_type ?? "glob"),
    ...(typeof data.user === "string" ? { user: data.user } : {}),
  };
}

/**
 * The arguments of a recorded job taken apart into positional and named ones: named ones are kept as a mapping with the
 * mark `__kwarg__`, or as `name=value`.
 */
export function argumentsOfRecord(arg: readonly unknown[]): { arg: unknown[]; kwarg: Record<string, unknown> } {
  const positional: unknown[] = [];
  const kwarg: Record<string, unknown> = {};
  for (const one of arg) {
    if (isRecord(one) && one.__kwarg__ === true) {
      for (const [name, value] of Object.entries(one)) if (name !== "__kwarg__") kwarg[name] = value;
    } else positional.push(one);
  }
  return { arg: positional, kwarg };
}

/** Arguments on one line, as they would be typed. */
export function argumentText(arg: readonly unknown[]): string {
  const { arg: positional, kwarg } = argumentsOfRecord(arg);
  return [
    ...positional.map(textOf),
    ...Object.entries(kwarg).map(([name, value]) => `${name}=${textOf(value)}`),
  ].join(" ");
}

/** Functions by which Salt itself asks about jobs and minions; of no interest among the jobs of people. */
const INTERNAL: ReadonlySet<string> = new Set([
  "saltutil.find_job",
  "saltutil.running",
  "sys.argspec",
  "sys.doc",
  "sys.list_functions",
]);

export const isInternal = (fun: string) => INTERNAL.has(fun) || fun.startsWith("runner.") || fun.startsWith("wheel.");
