import { isRecord } from "../base/record.ts";

/** One line of the master's option `reactor`. */
export interface ReactorRule {
  match: string;
  sls: string[];
}

/** One reaction: whether it was called, and why not. */
export interface ListedReaction {
  /** The time of the reaction, in milliseconds since the epoch; undefined if the master does not report it. */
  atMs?: number;
  tag: string;
  sls: string;
  id: string;
  fun: string;
  outcome: string;
  error: string;
  jid: string;
  /** The number of minions of the reaction's job; undefined for other calls. */
  minions?: number;
}

export interface ReactorStatus {
  counts: [string, number][];
  waiting: number;
  isLeader: boolean;
  /** The latest reactions, newest first. */
  latest: ListedReaction[];
}

export interface Engine {
  name: string;
  module: string;
  state: string;
  /** Why the engine is absent. */
  reason: string;
  sinceMs?: number;
  restarts: number;
  memory?: number;
  /** When and how the engine ended the last time, and its last output. */
  lastError: string;
  /** The whole status that the master reports. */
  whole: Record<string, unknown>;
}

/** Rows of a list that are shown, and characters of a text: they come from events, which may have any size. */
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 1000;

const text = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value).slice(0, MAX_CHARACTERS);
const number = (value: unknown): number | undefined => typeof value === "number" ? value : undefined;

/** Parses the result of runner `reactor.list`; undefined for any other value, such as the text if no reactor runs. */
export function readRules(value: unknown): ReactorRule[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_ROWS).filter(isRecord).flatMap((entry) =>
    Object.entries(entry).map(([match, sls]) => ({
      match,
      sls: (Array.isArray(sls) ? sls : [sls]).map(text),
    }))
  );
}

/** Parses the result of runner `reactor.status` of a Brine master; undefined for any other value. */
export function readStatus(value: unknown): ReactorStatus | undefined {
  if (!isRecord(value) || !Array.isArray(value.latest)) return undefined;
  const counts = isRecord(value.counts) ? value.counts : {};
  return {
    counts: Object.entries(counts).map(([name, count]) => [name, Number(count) || 0]),
    waiting: Number(value.waiting) || 0,
    isLeader: value.is_leader !== false,
    latest: value.latest.slice(-MAX_ROWS).filter(isRecord).map(reactionOf).reverse(),
  };
}

function reactionOf({ at, tag, sls, id, fun, outcome, error, jid, minions }: Record<string, unknown>): ListedReaction {
  const [seconds, count] = [number(at), number(minions)];
  return {
    ...(seconds === undefined ? {} : { atMs: seconds * 1000 }),
    tag: text(tag),
    sls: text(sls),
    id: text(id),
    fun: text(fun),
    outcome: text(outcome),
    error: text(error),
    jid: text(jid),
    ...(count === undefined ? {} : { minions: count }),
  };
}

/** Parses the result of runner `engines.status` of a Brine master; undefined for any other value. */
export function readEngines(value: unknown): Engine[] | undefined {
  if (!isRecord(value)) return undefined;
  return Object.entries(value).slice(0, MAX_ROWS).flatMap(([name, whole]) =>
    isRecord(whole) ? [engineOf(name, whole)] : []
  );
}

/** The status of an engine of a minion, from its last event. */
export interface MinionEngine extends Engine {
  minion: string;
}

/** The engine in an event `salt/minion/<id>/engines/<name>`; undefined for any other event. */
export function minionEngineOf(tag: string, data: Record<string, unknown>): MinionEngine | undefined {
  const found = /^salt\/minion\/([^/]{1,255})\/engines\/(.{1,255})$/s.exec(tag);
  if (found === null || typeof data.state !== "string") return undefined;
  const { _stamp, ...whole } = data;
  return { ...engineOf(text(found[2]), { since: _stamp, ...whole }), minion: found[1]! };
}

function engineOf(name: string, whole: Record<string, unknown>): Engine {
  const { module, state, reason, since, restarts, memory, last_error: last } = whole;
  const sinceMs = Date.parse(`${text(since).slice(0, 23)}Z`);
  const { how, words } = isRecord(last) ? last : {};
  const bytes = number(memory);
  return {
    name,
    module: text(module),
    state: text(state),
    reason: text(reason),
    ...(Number.isNaN(sinceMs) ? {} : { sinceMs }),
    restarts: Number(restarts) || 0,
    ...(bytes === undefined ? {} : { memory: bytes }),
    lastError: [text(how), text(words).trim().split("\n").at(-1)!].filter((part) => part !== "").join(": "),
    whole,
  };
}
