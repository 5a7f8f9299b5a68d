/** Dates and times as people write them: the forms of `dateutil.parser.parse` that are useful in a configuration. */
import { DAYS, MONTHS, type PlainTime } from "./strptime.ts";

export interface DateText extends PlainTime {
  /** The milliseconds, 0 to 999. */
  millisecond: number;
  /** How far the zone is ahead of UTC, in minutes; undefined for local time. */
  offsetMinutes?: number;
}

/** The most characters of a date; longer text is not read. */
const MAX_CHARACTERS = 200;

/** Words and signs that are skipped. */
const SKIPPED = /[\s.,;\-/']+|(?:at|on|and|ad|of|st|nd|rd|th|m|t)(?![a-z])/iy;
const TIME = /(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?(?![\d:])/y;
/** Three parts of a date with the same sign between them; the middle one may be a month's name. */
const DATE = /(\d{1,4}|[a-z]{3,9})([-/.])(\d{1,4}|[a-z]{3,9})\2(\d{1,4}|[a-z]{3,9})(?![\d])/iy;
const UNIT = /(\d{1,2})(?:\.(\d{1,9}))?\s*(hours?|h|minutes?|m|seconds?|s)(?![a-z])/iy;
const NUMBER = /(\d+)(?:[.,](\d+))?/y;
const HALF = /\s*([ap])(?:\.?m)?\.?(?![a-z])/iy;
const WORD = /[a-z]+/iy;
const OFFSET = /\s*([+-])(\d{2}):?(\d{2})?(?![\da-z:])/iy;
/** Names of zones: only those of UTC are known, others are taken for local time, as dateutil does. */
const ZONE = /\s*(Z|UTC|GMT|[A-Z]{3,5})(?![a-z])/y;

const indexOfName = (names: readonly string[], word: string) => {
  const name = word.toLowerCase();
  return names.findIndex((one) => one === name || one.slice(0, 3) === name);
};

const monthOf = (word: string) => word.toLowerCase() === "sept" ? 9 : indexOfName(MONTHS, word) + 1;

/** A part of a date, with its meaning if that is known. */
interface Part {
  value: number;
  is?: "year" | "month";
  /** True for a year of two digits, which is in the nearest century. */
  short: boolean;
}

type Wanted = { year?: Part; month?: Part; day?: Part };

/** Finds which part is the year, the month and the day. @returns undefined for parts that are not a date */
function resolve(parts: readonly Part[]): Wanted | undefined {
  const [a, b, c] = parts;
  const year = parts.find(({ is }) => is === "year");
  const month = parts.find(({ is }) => is === "month");
  const others = parts.filter((one) => one !== year && one !== month);
  if (parts.length === 0) return {};
  if (parts.length > 3) return undefined;
  if (parts.length === 1 || month !== undefined && parts.length === 2) {
    const [other] = parts.filter((one) => one !== month);
    if (other === undefined) return { month: month! };
    return { ...(month === undefined ? {} : { month }), ...(other.value > 31 ? { year: other } : { day: other }) };
  }
  if (parts.length === 2) {
    if (a!.value > 31) return { year: a!, month: b! };
    if (b!.value > 31) return { month: a!, year: b! };
    return { month: a!, day: b! };
  }
  if (year !== undefined && month !== undefined) return { year, month, day: others[0]! };
  if (month === a) return b!.value > 31 ? { month: a!, year: b!, day: c! } : { month: a!, day: b!, year: c! };
  if (month === b) return a!.value > 31 ? { year: a!, month: b!, day: c! } : { day: a!, month: b!, year: c! };
  if (month === c) return b!.value > 31 ? { day: a!, year: b!, month: c! } : { year: a!, day: b!, month: c! };
  if (a!.value > 31 || year === a) return { year: a!, month: b!, day: c! };
  if (a!.value > 12) return { day: a!, month: b!, year: c! };
  return { month: a!, day: b!, year: c! };
}

function fullYear({ value, short }: Part, thisYear: number): number {
  if (!short) return value;
  const year = Math.floor(thisYear / 100) * 100 + value;
  if (year >= thisYear + 50) return year - 100;
  return year < thisYear - 50 ? year + 100 : year;
}

const daysIn = (year: number, month: number) => {
  const date = new Date(Date.UTC(2000, month, 0));
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
};

/** Reads one text from its begin to its end. */
class Reader {
  readonly #text: string;
  #at = 0;
  readonly parts: Part[] = [];
  hour: number | undefined;
  minute: number | undefined;
  second: number | undefined;
  millisecond = 0;
  weekday: number | undefined;
  offsetMinutes: number | undefined;
  /** The unit of a number without one after a number with a unit: minutes in `10 h 36`. */
  #next: "minute" | "second" | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  /** Reads the whole text. @returns false if the text is not a date */
  read(): boolean {
    let isAny = false;
    while (this.#at < this.#text.length) {
      if (this.#zone()) continue;
      if (this.#take(SKIPPED)) continue;
      if (!this.#unit() && !this.#time() && !this.#date() && !this.#number() && !this.#word()) return false;
      isAny = true;
    }
    return isAny;
  }

  /** Reads the zone after a time. */
  #zone(): boolean {
    if (this.hour === undefined || this.offsetMinutes !== undefined) return false;
    const offset = this.#take(OFFSET);
    if (offset !== undefined) {
      const [, sign, hours, minutes] = offset;
      this.offsetMinutes = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
      return true;
    }
    ZONE.lastIndex = this.#at;
    const [whole, name = ""] = ZONE.exec(this.#text) ?? [];
    if (whole === undefined || /^(AM|PM|AD)$/.test(name) || this.#isName(name)) return false;
    this.#at += whole.length;
    if (/^(Z|UTC|GMT)$/.test(name)) this.offsetMinutes = 0;
    return true;
  }

  #isName(word: string): boolean {
    return monthOf(word) > 0 || indexOfName(DAYS, word) >= 0;
  }

  #unit(): boolean {
    const [, digits, fraction, unit] = this.#take(UNIT) ?? [];
    if (unit === undefined) return false;
    const value = Number(digits);
    if (/^h/i.test(unit)) {
      this.hour = value;
      this.#next = "minute";
    } else if (/^m/i.test(unit)) {
      this.minute = value;
      this.#next = "second";
    } else {
      this.second = value;
      this.millisecond = millisecondsOf(fraction);
    }
    return true;
  }

  #time(): boolean {
    if (this.hour !== undefined) return false;
    const [, hour, minute, second, fraction] = this.#take(TIME) ?? [];
    if (hour === undefined) return false;
    [this.hour, this.minute, this.second] = [Number(hour), Number(minute), Number(second ?? 0)];
    this.millisecond = millisecondsOf(fraction);
    this.#half();
    return true;
  }

  /** Reads `am` or `pm`. */
  #half(): boolean {
    const [, half] = this.#take(HALF) ?? [];
    if (half === undefined) return false;
    const isAfternoon = half.toLowerCase() === "p";
    if (isAfternoon && this.hour! < 12) this.hour! += 12;
    else if (!isAfternoon && this.hour === 12) this.hour = 0;
    return true;
  }

  #date(): boolean {
    const before = this.#at;
    const [, a, , b, c] = this.#take(DATE) ?? [];
    const parts = [a, b, c].map((part) => part === undefined ? undefined : partOf(part));
    if (this.parts.length === 0 && parts.every((part) => part !== undefined)) {
      this.parts.push(...parts as Part[]);
      return true;
    }
    this.#at = before;
    return false;
  }

  #number(): boolean {
    const [, digits, fraction] = this.#take(NUMBER) ?? [];
    if (digits === undefined || this.hour !== undefined && this.#isHour()) return false;
    const two = (at: number) => Number(digits.slice(at, at + 2));
    const hasDate = this.parts.length === 3;
    if (this.#next !== undefined && digits.length <= 2) {
      this[this.#next] = Number(digits);
      this.#next = undefined;
    } else if (hasDate && this.hour === undefined && [2, 4, 6].includes(digits.length)) {
      [this.hour, this.minute, this.second] = [two(0), two(2), two(4)];
      if (digits.length === 6) this.millisecond = millisecondsOf(fraction);
      this.#half();
    } else if (digits.length === 6 && !hasDate) {
      this.parts.push(...[0, 2, 4].map((at) => ({ value: two(at), short: true })));
    } else if ([8, 12, 14].includes(digits.length)) {
      this.parts.push({ value: Number(digits.slice(0, 4)), is: "year", short: false });
      this.parts.push(...[4, 6].map((at) => ({ value: two(at), short: true })));
      if (digits.length > 8) [this.hour, this.minute, this.second] = [two(8), two(10), two(12)];
    } else if (digits.length <= 2 && this.hour === undefined && this.#isHour()) {
      this.hour = Number(digits);
      this.#half();
    } else this.parts.push(partOf(digits)!);
    return true;
  }

  #isHour(): boolean {
    HALF.lastIndex = this.#at;
    return HALF.test(this.#text);
  }

  #word(): boolean {
    if (this.hour !== undefined && this.#half()) return true;
    const [word] = this.#take(WORD) ?? [];
    if (word === undefined) return false;
    const month = monthOf(word);
    if (month > 0) this.parts.push({ value: month, is: "month", short: false });
    else {
      const day = indexOfName(DAYS, word);
      if (day < 0) return false;
      this.weekday = day;
    }
    return this.parts.filter(({ is }) => is === "month").length < 2;
  }
}

function millisecondsOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(3, "0").slice(0, 3));
}

function partOf(text: string): Part | undefined {
  if (/^\d/.test(text)) {
    const isLong = text.length > 2;
    return { value: Number(text), short: !isLong, ...(isLong ? { is: "year" as const } : {}) };
  }
  const month = monthOf(text);
  return month > 0 ? { value: month, is: "month", short: false } : undefined;
}

/**
 * Reads a date or time: `2026-03-02T10:00`, `11/29/2026 4:00pm`, `Monday 5:00pm`, `10:30`. Parts that are missing in the text are
 * those of `today`, at midnight; a weekday alone is the next one from today on.
 *
 * @returns undefined if the text is not a date
 */
export function parseDate(text: string, today: PlainTime): DateText | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const reader = new Reader(text);
  if (!reader.read()) return undefined;
  const found = resolve(reader.parts);
  if (found === undefined) return undefined;
  const year = found.year === undefined ? today.year : fullYear(found.year, today.year);
  const month = found.month?.value ?? today.month;
  if (year < 1 || year > 9999 || month < 1 || month > 12) return undefined;
  const day = found.day?.value ?? Math.min(today.day, daysIn(year, month));
  if (day < 1 || day > daysIn(year, month)) return undefined;
  const { hour = 0, minute = 0, second = 0, millisecond, weekday, offsetMinutes } = reader;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = { year, month, day };
  if (weekday !== undefined && found.day === undefined) {
    const at = new Date(Date.UTC(year, month - 1, day));
    at.setUTCDate(day + (weekday + 1 - at.getUTCDay() + 7) % 7);
    Object.assign(date, { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() });
  }
  return { ...date, hour, minute, second, millisecond, ...(offsetMinutes === undefined ? {} : { offsetMinutes }) };
}
