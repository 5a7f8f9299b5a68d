import { fnmatch } from "../event/tag.ts";
import type { BusEvent } from "./event_stream.ts";

export interface LoggedEvent extends BusEvent {
  /** Rises by one with each event. */
  number: number;
  /** Milliseconds since the epoch at which it came in. */
  atMs: number;
}

/** True if an event matches. */
export type EventFilter = (event: BusEvent) => boolean;

/**
 * Parses a filter. All words have to match: a word with glob characters matches the whole tag, others a part of the tag or of
 * id, function, jid, user or act; a word after `-` must not match.
 */
export function eventFilter(text: string): EventFilter {
  const tests = text.trim().split(/\s+/).filter((word) => word !== "" && word !== "-").map((word): EventFilter => {
    const negated = word.startsWith("-");
    const wanted = negated ? word.slice(1) : word;
    const fits = /[*?[]/.test(wanted) ? tagTest(fnmatch(wanted)) : textTest(wanted.toLowerCase());
    return negated ? (event) => !fits(event) : fits;
  });
  return (event) => tests.every((test) => test(event));
}

const tagTest = (fits: (tag: string) => boolean): EventFilter => ({ tag }) => fits(tag);

const textTest = (wanted: string): EventFilter => ({ tag, data }) =>
  tag.toLowerCase().includes(wanted) || ["id", "fun", "jid", "user", "act"].some((name) => {
    const value = data[name];
    return typeof value === "string" && value.toLowerCase().includes(wanted);
  });

/** The last events, up to a limit; the oldest are dropped. While it is paused, new events wait and are not shown. */
export class EventLog {
  readonly #limit: number;
  #events: LoggedEvent[] = [];
  #waiting: LoggedEvent[] = [];
  #number = 0;
  #matching: LoggedEvent[] | undefined;
  #filter: EventFilter = () => true;
  paused = false;

  constructor(limit = 5000) {
    this.#limit = limit;
  }

  add(event: BusEvent, atMs: number): void {
    const logged = { ...event, number: this.#number++, atMs };
    if (this.paused) {
      this.#waiting.push(logged);
      trim(this.#waiting, this.#limit);
      return;
    }
    this.#events.push(logged);
    if (this.#matching !== undefined && this.#filter(logged)) this.#matching.push(logged);
    if (trim(this.#events, this.#limit)) this.#dropMatching();
  }

  #dropMatching(): void {
    const oldest = this.#events[0]?.number ?? Infinity;
    const matching = this.#matching;
    if (matching === undefined) return;
    const from = matching.findIndex(({ number }) => number >= oldest);
    matching.splice(0, from < 0 ? matching.length : from);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#events.push(...waiting);
    trim(this.#events, this.#limit);
    this.#matching = undefined;
  }

  clear(): void {
    this.#events = [];
    this.#waiting = [];
    this.#matching = undefined;
  }

  set filter(filter: EventFilter) {
    this.#filter = filter;
    this.#matching = undefined;
  }

  /** The events that match the filter, oldest first; computed again only after the filter has changed. */
  get matching(): readonly LoggedEvent[] {
    return this.#matching ??= this.#events.filter(this.#filter);
  }

  /** All events including those that wait, oldest first. */
  get all(): readonly LoggedEvent[] {
    return this.#waiting.length === 0 ? this.#events : [...this.#events, ...this.#waiting];
  }

  get size(): number {
    return this.#events.length;
  }

  /** Number of events since it was paused. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Number of events ever added. */
  get total(): number {
    return this.#number;
  }
}

/** Drops the oldest events once there are a tenth more than the limit: to drop one at each event would move all others. */
function trim(events: unknown[], limit: number): boolean {
  if (events.length <= limit * 1.1) return false;
  events.splice(0, events.length - limit);
  return true;
}
