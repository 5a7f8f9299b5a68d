import { jidMs } from "../model/job/jid.ts";
import { printableLines } from "../base/printable.ts";

const QUARTER_MS = 15 * 60_000;

/**
 * How far the time in a master's jids is behind UTC, in milliseconds: some masters make jids in UTC, others in local time.
 *
 * @param stamp UTC time, without a zone, of an event that was fired right after the jid was made
 */
export function zoneOf(jid: string, stamp: string): number {
  const offset = Date.parse(`${stamp.slice(0, 23)}Z`) - jidMs(jid);
  return Number.isNaN(offset) ? 0 : Math.round(offset / QUARTER_MS) * QUARTER_MS;
}

/** Milliseconds since the epoch at which a jid was made; undefined if the jid holds no time. */
export function jidTime(jid: string, zoneMs: number): number | undefined {
  const at = jidMs(jid);
  return at === 0 ? undefined : at + zoneMs;
}

/** Milliseconds since the epoch of the stamp of an event, which is UTC without a zone; undefined if it is none. */
export function stampMs(stamp: unknown): number | undefined {
  if (typeof stamp !== "string") return undefined;
  return finite(Date.parse(`${stamp.slice(0, 23).replace(/Z$/, "")}Z`));
}

/** Parses a time of job reports, `2026, Nov 21 08:43:31.391697`, as if it were UTC: only differences are meaningful. */
export function reportedMs(time: unknown): number | undefined {
  const [, year, day, clock] = /^(\d{4}), (\w{3} \d{1,2}) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)/.exec(String(time)) ?? [];
  return clock === undefined ? undefined : finite(Date.parse(`${day} ${year} ${clock} UTC`));
}

/** The duration between two times; undefined unless both are known and in order. */
export function spanMs(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined || toMs < fromMs ? undefined : toMs - fromMs;
}

const finite = (ms: number) => Number.isNaN(ms) ? undefined : ms;

const two = (value: number) => String(value).padStart(2, "0");

/** The text of a time: `08:43:27`, with the date unless it is today. */
export function clockText(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const now = new Date(nowMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === now.toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** The time zone of the times that are shown: `UTC+1`. */
export function zoneText(nowMs: number): string {
  const minutes = -new Date(nowMs).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${Math.floor(size / 60)}${size % 60 === 0 ? "" : `:${two(size % 60)}`}`;
}

/** The text of an age: `now`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 3) return "now";
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** A number with its noun: `5,000 minions`, `1 minion`. */
export function countText(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** A target on one line; a long list is cut. */
export function targetText(tgt: unknown): string {
  const text = Array.isArray(tgt) ? tgt.join(",") : String(tgt);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

export const errorText = (error: unknown): string => error instanceof Error ? error.message : String(error);

/** The most characters of one text that are shown: a browser takes seconds to lay out millions in a line. */
const MAX_SHOWN_CHARACTERS = 50_000;
const PLAIN = /^[\x20-\x7e\n\t]*$/;

/**
 * An untrusted text for display: all control characters are escaped, including those that change the direction of writing.
 * Otherwise an id could look like that of another minion.
 */
export function shownText(text: string): string {
  const cut = text.length > MAX_SHOWN_CHARACTERS ? text.slice(0, MAX_SHOWN_CHARACTERS) : text;
  const shown = PLAIN.test(cut) ? cut : printableLines(cut);
  if (cut === text) return shown;
  return `${shown}… (${(text.length - MAX_SHOWN_CHARACTERS).toLocaleString("en")} characters more: copy to have all)`;
}

// deno-lint-ignore no-control-regex
const COLOUR = /\x1b\[[0-9;]{0,20}m/g;

/** A line of a program's output, without terminal colors and the carriage return of Windows. */
export function printedLine(text: string): string {
  // deno-lint-ignore no-control-regex
  if (text.length > MAX_SHOWN_CHARACTERS || !/[\x1b\r]/.test(text)) return text;
  return text.replace(COLOUR, "").replace(/\r$/, "");
}
