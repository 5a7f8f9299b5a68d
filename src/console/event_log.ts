import { fnmatch } from "../model/event/tag.ts";
import type { StreamedEvent } from "./event_stream.ts";

export interface LoggedEvent extends StreamedEvent {
  number: number;
  /** When the event was received, in milliseconds since the epoch. */
  atMs: number;
}

type EventFilter = (event: StreamedEvent) => boolean;

/**
 * Parses a filter. All words have to match: a word with glob characters matches the whole tag, others a part of the tag or of
 * id, function, jid, user or act; a word after `-` must not match.
 */
export function shownEventFilter(text: string): EventFilter {
  const tests = text.trim().split(/\s+/).filter((word) => word !== "" && word !== "-").map((word): EventFilter => {
    const negated = word.startsWith("-");
    const wanted = negated ? word.slice(1) : word;
    const fits = /[*?[]/.test(wanted) ? tagTest(fnmatch(wanted)) : textTest(wanted.toLowerCase());
    return negated ? (event) => !fits(event) : fits;
  });
  return (event) => tests.every((test) => test(event));
}

/** Functions that pages of this console call, with the events of their runs. */
const OWN_FUNCTIONS =
  /^(?:wheel\.(?:key\.(?:finger|list_all|details|history)|minions\.(?:presence|connected))|runner\.(?:cache\.grains|jobs\.(?:list_jobs|list_job|outcome|tally|open|active)|config\.get|reactor\.(?:list|status)|engines\.status|manage\.issues|audit\.list|auth\.signed_in|doc\.\w+|fileserver\.(?:sls_list|file_list))|saltutil\.(?:running|find_job)|sys\.(?:argspec|doc|list_functions))$/;

/**
 * True for events that pages of this console cause, and for the bare jids before the event of each new job: both hide the
 * important events.
 */
export function isNoise({ tag, data }: StreamedEvent): boolean {
  if (/^\d{20}$/.test(tag)) return true;
  return typeof data.fun === "string" && OWN_FUNCTIONS.test(data.fun);
}

const tagTest = (fits: (tag: string) => boolean): EventFilter => ({ tag }) => fits(tag);

const textTest = (wanted: string): EventFilter => ({ tag, data }) =>
  tag.toLowerCase().includes(wanted) || ["id", "fun", "jid", "user", "act"].some((name) => {
    const value = data[name];
    return typeof value === "string" && value.toLowerCase().includes(wanted);
  });

/** The most characters of all events that are kept: minions fire events of any size. */
const MAX_CHARACTERS = 32_000_000;

/** The last events, up to a limit in number and in characters; the oldest are dropped. While paused, new events wait and are not shown. */
export class ShownEvents {
  readonly #limit: number;
  readonly #most: number;
  #events: LoggedEvent[] = [];
  #waiting: LoggedEvent[] = [];
  /** The number of characters in {@link #events} and in {@link #waiting}. */
  #sizes = { events: 0, waiting: 0 };
  #number = 0;
  #matching: LoggedEvent[] | undefined;
  #filter: EventFilter = () => true;
  paused = false;

  constructor(limit = 5000, most = MAX_CHARACTERS) {
    this.#limit = limit;
    this.#most = most;
  }

  add(event: StreamedEvent, atMs: number): void {
    const logged = { ...event, number: this.#number++, atMs };
    if (this.paused) {
      this.#waiting.push(logged);
      this.#sizes.waiting += event.size ?? 0;
      this.#trim("waiting", this.#waiting);
      return;
    }
    this.#events.push(logged);
    this.#sizes.events += event.size ?? 0;
    if (this.#matching !== undefined && this.#filter(logged)) this.#matching.push(logged);
    if (this.#trim("events", this.#events)) this.#dropMatching();
  }

  /** Drops the oldest events once there are a tenth more than the limit: dropping one at each event would move all others. */
  #trim(of: "events" | "waiting", events: LoggedEvent[]): boolean {
    const tooMany = events.length > this.#limit * 1.1;
    if (!tooMany && this.#sizes[of] <= this.#most * 1.1) return false;
    let dropped = tooMany ? events.length - this.#limit : 0;
    for (const { size = 0 } of events.slice(0, dropped)) this.#sizes[of] -= size;
    while (dropped < events.length - 1 && this.#sizes[of] > this.#most) this.#sizes[of] -= events[dropped++]!.size ?? 0;
    events.splice(0, dropped);
    return true;
  }

  #dropMatching(): void {
    const oldest = this.#events[0]?.number ?? Infinity;
    const matching = this.#matching;
    if (matching === undefined) return;
    const from = matching.findIndex(({ number }) => number >= oldest);
    // Makes a new array, since a drawn list may still use the old one.
    this.#matching = from < 0 ? [] : matching.slice(from);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#events.push(...waiting);
    this.#sizes = { events: this.#sizes.events + this.#sizes.waiting, waiting: 0 };
    this.#trim("events", this.#events);
    this.#matching = undefined;
  }

  clear(): void {
    this.#events = [];
    this.#waiting = [];
    this.#sizes = { events: 0, waiting: 0 };
    this.#matching = undefined;
  }

  set filter(filter: EventFilter) {
    this.#filter = filter;
    this.#matching = undefined;
  }

  /** The events that match the filter, oldest first. The array only grows: when events are dropped, a new array is made. */
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

  /** The number of events since the log was paused. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Number of events ever added. */
  get total(): number {
    return this.#number;
  }
}
