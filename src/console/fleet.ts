import type { KeyDirectory } from "../model/loader/wheel.ts";
import type { StreamedEvent } from "./event_stream.ts";
import { isRecord } from "../base/record.ts";
import { agoText, countText, stampMs } from "./text.ts";

export const KEY_LISTS: readonly KeyDirectory[] = [
  "minions_pre",
  "minions",
  "minions_rejected",
  "minions_denied",
];

export type MinionPresence = "up" | "down" | "unknown";

export interface FleetCounts {
  up: number;
  down: number;
  unknown: number;
  accepted: number;
  pending: number;
  rejected: number;
  denied: number;
}

/** The state that an event (`act`) moves a key to; undefined if it is deleted. */
const MOVES: Record<string, KeyDirectory | undefined> = {
  accept: "minions",
  reject: "minions_rejected",
  pend: "minions_pre",
  denied: "minions_denied",
  delete: undefined,
};

/** The time within which minions connect after a start of their master, in milliseconds. */
const SETTLE_MS = 90_000;

const START_TAG = /^salt\/minion\/(.+)\/start$/;
const RETURN_TAG = /^salt\/job\/[^/]+\/ret\/(.+)$/;
/** Matches tags of events that name the minion that fired them. */
const MINION_TAG = /^salt\/(?:minion|beacon)\/([^/]+)\//;

const texts = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];

/**
 * The minions by the state of their keys, and which of them are up: read once, then updated by events, each in constant time
 * for any number of minions.
 */
export class Fleet {
  readonly #keys: Record<KeyDirectory, Set<string>> = {
    minions: new Set(),
    minions_pre: new Set(),
    minions_rejected: new Set(),
    minions_denied: new Set(),
  };
  readonly #presence = new Map<string, "up" | "down">();
  /** Minion → when it was last heard from, in milliseconds since the epoch. */
  readonly #seenMs = new Map<string, number>();
  /** Since when the master tracks connections, by its own clock; undefined if it does not report that. */
  watchedSinceMs: number | undefined;
  /** Since when the master cannot be reached; undefined while it can. */
  awaySinceMs: number | undefined;
  /** When the master became reachable or was restarted, by the browser's clock: from then on its minions connect again. */
  #backMs: number | undefined;
  #up = 0;
  #down = 0;
  #sorted: string[] | undefined;

  /** Takes the result of wheel `key.list_all`. */
  setKeys(listed: unknown): void {
    const lists = (listed ?? {}) as Record<string, unknown>;
    for (const state of KEY_LISTS) this.#keys[state] = new Set(texts(lists[state]));
    for (const id of [...this.#presence.keys()]) if (!this.#keys.minions.has(id)) this.#forget(id);
    for (const id of [...this.#seenMs.keys()]) if (!this.#keys.minions.has(id)) this.#seenMs.delete(id);
    this.#sorted = undefined;
  }

  /**
   * Takes the ids of connected minions. Every other accepted minion is down. It is unknown, unless the master has seen it go, while the
   * master has just begun to look, or has connections of minions that have not said who they are.
   */
  setConnected(ids: unknown, nowMs: number, lost: Readonly<Record<string, unknown>> = {}, unnamed = 0): void {
    const up = new Set(texts(ids));
    const settled = this.isSettled(nowMs) && unnamed === 0;
    this.awaySinceMs = undefined;
    for (const id of this.#keys.minions) {
      if (up.has(id)) this.#mark(id, "up");
      else if (settled || Object.hasOwn(lost, id)) this.#mark(id, "down");
      else this.#forget(id);
    }
  }

  /** Takes the result of wheel `minions.presence` of a Brine master; false for any other value. */
  setPresence(found: unknown, nowMs: number): boolean {
    if (!isRecord(found) || !Array.isArray(found.connected) || !isRecord(found.lost)) return false;
    for (const [id, seconds] of Object.entries(found.lost)) {
      if (this.#keys.minions.has(id)) this.#saw(id, Number(seconds) * 1000);
    }
    const since = Number(found.since) * 1000 || undefined;
    // The clocks of master and browser may differ, but a changed time always means a restart of the master.
    if (this.watchedSinceMs !== undefined && since !== this.watchedSinceMs) this.#backMs = nowMs;
    else if (since !== undefined) this.#backMs = Math.max(since, this.#backMs ?? 0);
    this.watchedSinceMs = since;
    this.setConnected(found.connected, nowMs, found.lost, Number(found.unnamed) || 0);
    return true;
  }

  /** True once the master has had time to see its minions after a start. */
  isSettled(nowMs: number): boolean {
    // The time may come from the master, whose clock may be ahead of the browser's: hence the absolute value.
    return this.#backMs === undefined || Math.abs(nowMs - this.#backMs) >= SETTLE_MS;
  }

  /** Notes that the master cannot be reached: from now on it is unknown which minions are up. */
  lose(atMs: number): void {
    if (this.awaySinceMs !== undefined) return;
    this.awaySinceMs = atMs;
    for (const [id, presence] of this.#presence) if (presence === "up") this.#saw(id, atMs);
    this.#presence.clear();
    this.#up = 0;
    this.#down = 0;
  }

  /** Notes that the master can be reached again, and that its minions have yet to connect, unless the master itself reports since when it tracks them. */
  regain(nowMs: number): void {
    if (this.watchedSinceMs === undefined) this.#backMs = nowMs;
  }

  /** Takes the result of runner `manage.status`. */
  setStatus(status: unknown): void {
    const { up, down } = (status ?? {}) as { up?: unknown; down?: unknown };
    for (const id of texts(up)) this.#mark(id, "up");
    for (const id of texts(down)) this.#mark(id, "down");
  }

  /** True if the event changed something that the list of minions shows. @param nowMs the time of an event without one */
  apply(event: StreamedEvent, nowMs = 0): boolean {
    const changed = this.#apply(event);
    const { tag, data } = event;
    const heardOf = MINION_TAG.exec(tag)?.[1] ?? RETURN_TAG.exec(tag)?.[1];
    const atMs = stampMs(data._stamp) ?? nowMs;
    if (heardOf !== undefined && this.#keys.minions.has(heardOf)) this.#saw(heardOf, atMs);
    if (tag === "salt/presence/change") {
      for (const id of texts(data.lost)) if (this.#keys.minions.has(id)) this.#saw(id, atMs);
    }
    return changed;
  }

  #saw(id: string, atMs: number): void {
    if (atMs > (this.#seenMs.get(id) ?? 0)) this.#seenMs.set(id, atMs);
  }

  /** When a minion was last heard from, in milliseconds since the epoch; undefined if unknown. */
  seenMs(id: string): number | undefined {
    return this.#seenMs.get(id);
  }

  #apply({ tag, data }: StreamedEvent): boolean {
    if (tag === "salt/key" || tag === "salt/auth") return this.#keyEvent(data);
    if (tag === "salt/presence/change") {
      let changed = false;
      for (const id of texts(data.new)) changed = this.#mark(id, "up") || changed;
      for (const id of texts(data.lost)) changed = this.#mark(id, "down") || changed;
      return changed;
    }
    if (tag === "salt/presence/present") {
      const present = texts(data.present);
      return present.map((id) => this.#mark(id, "up")).includes(true);
    }
    const started = START_TAG.exec(tag)?.[1] ?? RETURN_TAG.exec(tag)?.[1];
    // The master returns runners under its own id: #mark() ignores unknown ids.
    return started !== undefined && this.#mark(started, "up");
  }

  #keyEvent({ id, act, replaced }: Record<string, unknown>): boolean {
    if (typeof id !== "string" || typeof act !== "string" || !Object.hasOwn(MOVES, act)) return false;
    const to = MOVES[act];
    if (to === "minions" && typeof replaced === "string" && this.#keys.minions.has(id)) return this.#replace(id);
    // A denied key is a second key of the same id.
    if (to === "minions_denied" ? this.#keys.minions_denied.has(id) : to !== undefined && this.#keys[to].has(id)) {
      return false;
    }
    for (const state of KEY_LISTS) if (to !== "minions_denied") this.#keys[state].delete(id);
    if (to !== undefined) this.#keys[to].add(id);
    if (!this.#keys.minions.has(id)) {
      this.#forget(id);
      this.#seenMs.delete(id);
    }
    this.#sorted = undefined;
    return true;
  }

  /** Handles the replacement of an accepted key by the key of another host, which has not been heard from yet. */
  #replace(id: string): true {
    for (const state of KEY_LISTS) if (state !== "minions") this.#keys[state].delete(id);
    this.#forget(id);
    return true;
  }

  #mark(id: string, presence: "up" | "down"): boolean {
    if (!this.#keys.minions.has(id) || this.#presence.get(id) === presence) return false;
    this.#forget(id);
    this.#presence.set(id, presence);
    if (presence === "up") this.#up++;
    else this.#down++;
    return true;
  }

  #forget(id: string): void {
    const before = this.#presence.get(id);
    if (before === "up") this.#up--;
    else if (before === "down") this.#down--;
    this.#presence.delete(id);
  }

  presence(id: string): MinionPresence {
    return this.#presence.get(id) ?? "unknown";
  }

  keys(state: KeyDirectory): ReadonlySet<string> {
    return this.#keys[state];
  }

  /** The ids with accepted keys, sorted. The same array until a key changes. */
  get ids(): readonly string[] {
    return this.#sorted ??= [...this.#keys.minions].sort(compareIds);
  }

  get counts(): FleetCounts {
    const accepted = this.#keys.minions.size;
    return {
      up: this.#up,
      down: this.#down,
      unknown: accepted - this.#up - this.#down,
      accepted,
      pending: this.#keys.minions_pre.size,
      rejected: this.#keys.minions_rejected.size,
      denied: this.#keys.minions_denied.size,
    };
  }
}

/** The most minions without an answer that are named. */
const NAMED_SILENT = 5;

/** The result of a ping of all minions (`manage.status`): `299 of 301 minions answered; no answer: db1, db2`. */
export function pingText(status: unknown): string {
  const { up, down } = isRecord(status) ? status : {};
  const [answered, silent] = [texts(up), texts(down)];
  const total = countText(answered.length + silent.length, "minion");
  if (silent.length === 0) return `${answered.length.toLocaleString("en")} of ${total} answered`;
  const more = silent.length > NAMED_SILENT ? ` and ${(silent.length - NAMED_SILENT).toLocaleString("en")} more` : "";
  return `${answered.length.toLocaleString("en")} of ${total} answered; no answer: ${
    silent.slice(0, NAMED_SILENT).join(", ")
  }${more}`;
}

const collator = new Intl.Collator("en", { numeric: true });

/** Natural order of ids: web2 before web10. */
export function compareIds(left: string, right: string): number {
  return collator.compare(left, right);
}

/** When a minion was last heard from: `now`, `3 h ago`, or that it has not connected since the master's start. */
export function seenText(minions: Fleet, id: string, nowMs: number): string {
  const presence = minions.presence(id);
  if (presence === "up") return "now";
  const seenMs = minions.seenMs(id);
  if (seenMs !== undefined) return nowMs - seenMs < 3000 ? "now" : `${agoText(nowMs - seenMs)} ago`;
  if (presence === "unknown" || minions.watchedSinceMs === undefined) return "";
  return `> ${agoText(nowMs - minions.watchedSinceMs)} ago`;
}
