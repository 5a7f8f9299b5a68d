import type { BusEvent } from "./event_stream.ts";
import { isRecord } from "../record.ts";
import { stampMs } from "./text.ts";

/** The states of a key, by Salt's names. */
export type KeyState = "minions" | "minions_pre" | "minions_rejected" | "minions_denied";

export const KEY_STATES: readonly KeyState[] = ["minions_pre", "minions", "minions_rejected", "minions_denied"];

export type Presence = "up" | "down" | "unknown";

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
const MOVES: Record<string, KeyState | undefined> = {
  accept: "minions",
  reject: "minions_rejected",
  pend: "minions_pre",
  denied: "minions_denied",
  delete: undefined,
};

const START_TAG = /^salt\/minion\/(.+)\/start$/;
const RETURN_TAG = /^salt\/job\/[^/]+\/ret\/(.+)$/;
/** Events of these kinds name the minion that fired them. */
const MINION_TAG = /^salt\/(?:minion|beacon)\/([^/]+)\//;

const texts = (value: unknown): string[] => Array.isArray(value) ? value.map(String) : [];

/**
 * The minions by the state of their keys, and which of them are up: read once, then updated by events, each in constant time
 * for any number of minions.
 */
export class Fleet {
  readonly #keys: Record<KeyState, Set<string>> = {
    minions: new Set(),
    minions_pre: new Set(),
    minions_rejected: new Set(),
    minions_denied: new Set(),
  };
  readonly #presence = new Map<string, "up" | "down">();
  /** When something was last heard of a minion, in milliseconds since the epoch. */
  readonly #seenMs = new Map<string, number>();
  /** Since when the master looks who comes and goes; undefined if it does not say. */
  watchedSinceMs: number | undefined;
  #up = 0;
  #down = 0;
  #sorted: string[] | undefined;

  /** Takes the result of wheel `key.list_all`. */
  setKeys(listed: unknown): void {
    const lists = (listed ?? {}) as Record<string, unknown>;
    for (const state of KEY_STATES) this.#keys[state] = new Set(texts(lists[state]));
    for (const id of [...this.#presence.keys()]) if (!this.#keys.minions.has(id)) this.#forget(id);
    for (const id of [...this.#seenMs.keys()]) if (!this.#keys.minions.has(id)) this.#seenMs.delete(id);
    this.#sorted = undefined;
  }

  /** Takes the ids of connected minions; every other accepted minion is down. */
  setConnected(ids: unknown): void {
    const up = new Set(texts(ids));
    for (const id of this.#keys.minions) this.#mark(id, up.has(id) ? "up" : "down");
  }

  /** Takes the result of wheel `minions.presence` of a Brine master; false if it is none. */
  setPresence(found: unknown): boolean {
    if (!isRecord(found) || !Array.isArray(found.connected) || !isRecord(found.lost)) return false;
    for (const [id, seconds] of Object.entries(found.lost)) {
      if (this.#keys.minions.has(id)) this.#saw(id, Number(seconds) * 1000);
    }
    this.watchedSinceMs = Number(found.since) * 1000 || undefined;
    this.setConnected(found.connected);
    return true;
  }

  /** Takes the result of runner `manage.status`. */
  setStatus(status: unknown): void {
    const { up, down } = (status ?? {}) as { up?: unknown; down?: unknown };
    for (const id of texts(up)) this.#mark(id, "up");
    for (const id of texts(down)) this.#mark(id, "down");
  }

  /**
   * True if the event changed something that the list of minions shows.
   *
   * @param nowMs counts where the event has no time of its own
   */
  apply(event: BusEvent, nowMs = 0): boolean {
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

  /** When a minion was last heard of, in milliseconds since the epoch; undefined if that is not known. */
  seenMs(id: string): number | undefined {
    return this.#seenMs.get(id);
  }

  #apply({ tag, data }: BusEvent): boolean {
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

  #keyEvent({ id, act }: Record<string, unknown>): boolean {
    if (typeof id !== "string" || typeof act !== "string" || !Object.hasOwn(MOVES, act)) return false;
    const to = MOVES[act];
    // A denied key is a second key of the same id.
    if (to === "minions_denied" ? this.#keys.minions_denied.has(id) : to !== undefined && this.#keys[to].has(id)) {
      return false;
    }
    for (const state of KEY_STATES) if (to !== "minions_denied") this.#keys[state].delete(id);
    if (to !== undefined) this.#keys[to].add(id);
    if (!this.#keys.minions.has(id)) {
      this.#forget(id);
      this.#seenMs.delete(id);
    }
    this.#sorted = undefined;
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

  presence(id: string): Presence {
    return this.#presence.get(id) ?? "unknown";
  }

  keys(state: KeyState): ReadonlySet<string> {
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

const collator = new Intl.Collator("en", { numeric: true });

/** Natural order of ids: web2 before web10. */
export function compareIds(left: string, right: string): number {
  return collator.compare(left, right);
}
