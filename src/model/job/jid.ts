import type { Clock } from "../../base/async/clock.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";

/** Names of months, as Salt writes them. */
export const MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Microseconds since the epoch. A double counts them exactly until the year 2255. */
function microsOf(clock: Pick<Clock, "now">): number {
  return Math.round(clock.now() * 1000);
}

/** The time as 20 digits in UTC: `YYYYMMDDhhmmssffffff`. */
function digitsOf(micros: number): string {
  const fraction = micros % 1_000_000;
  const seconds = new Date((micros - fraction) / 1000).toISOString();
  return seconds.slice(0, 19).replace(/[-:T]/g, "") + String(fraction).padStart(6, "0");
}

/**
 * A jid of the current time. Two calls within a microsecond return the same jid: see {@link JidGenerator}.
 *
 * @example
 * ```ts
 * const jid = newJid({ now: () => Date.UTC(2026, 10, 21, 10, 15) });
 * console.log(jid); // 20261121101500000000
 * ```
 */
export function newJid(clock: Pick<Clock, "now">): string {
  return digitsOf(microsOf(clock));
}

interface JidGeneratorOptions {
  /** Process id to append as `_<pid>`, so that two processes never make the same jid: Salt's `unique_jid`. @default none */
  pid?: number;
}

/** Makes strictly increasing jids, also when the clock stands still or is set back. */
export class JidGenerator {
  readonly #clock: Pick<Clock, "now">;
  readonly #suffix: string;
  #last = -1;

  constructor(clock: Pick<Clock, "now">, options: JidGeneratorOptions = {}) {
    this.#clock = clock;
    this.#suffix = options.pid === undefined ? "" : `_${options.pid}`;
  }

  next(): string {
    this.#last = Math.max(microsOf(this.#clock), this.#last + 1);
    return digitsOf(this.#last) + this.#suffix;
  }
}

function hasJidLength(text: string): boolean {
  return text.length === 20 || (text.length > 21 && text[20] === "_");
}

/**
 * True if a value is a jid to Salt: 20 characters that Python reads as an integer, or those, `_` and anything at all. Before
 * it becomes a file name, check {@link isPlainJid}.
 *
 * @example
 * ```ts
 * console.log(isJid("20261121101500000000")); // true
 * console.log(isJid("yesterday")); // false
 * ```
 * @see salt/utils/jid.py is_jid
 */
export function isJid(value: unknown): value is string {
  return typeof value === "string" && hasJidLength(value) && /^\s*[+-]?\d+(_\d+)*\s*$/.test(value.slice(0, 20));
}

/** True for the jids that masters make, `20240229010203000004` and `…_4242`: safe as a file name and in a tag. */
export function isPlainJid(value: unknown): value is string {
  return typeof value === "string" && value.length <= 64 && /^\d{20}(_[0-9A-Za-z]+)?$/.test(value);
}

/**
 * The time at which a jid was made, in milliseconds since the epoch, if its master uses UTC; 0 if the jid has no time.
 *
 * @example
 * ```ts
 * console.log(new Date(jidMs("20261121101500000000")).toISOString()); // 2026-11-21T10:15:00.000Z
 * ```
 */
export function jidMs(jid: string): number {
  const [, year, month, day, hour, minute, second, micros] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})/.exec(jid) ?? [];
  if (year === undefined) return 0;
  return Date.UTC(+year, +month! - 1, +day!, +hour!, +minute!, +second!) + Number(micros) / 1000;
}

/**
 * The time in a jid as Salt shows it, `2024, Feb 29 01:02:03.000004`; `""` for text of another length.
 *
 * @throws {RangeError} if there is no such month
 * @see salt/utils/jid.py jid_to_time
 */
export function jidToTime(jid: string | bigint): string {
  const text = String(jid);
  if (!hasJidLength(text)) return "";
  const month = MONTH_NAMES[Number(text.slice(4, 6)) - 1];
  if (month === undefined) {
    throw new RangeError(`Cannot show the time of jid "${text}": there is no month ${text.slice(4, 6)}`);
  }
  const [year, day, hour, minute, second] = [[0, 4], [6, 8], [8, 10], [10, 12], [12, 14]].map(([a, b]) =>
    text.slice(a, b)
  );
  return `${year}, ${month} ${day} ${hour}:${minute}:${second}.${text.slice(14, 20)}`;
}

/**
 * The directory of a job in Salt's local job cache: `<cacheDir>/jobs/<hh>/<the other digits of the hash>`. Any text is safe as
 * a jid here, because it is hashed.
 *
 * @param hashName Salt's `hash_type`, which must not change while the cache exists
 */
export function jidDirectory(crypto: Crypto, cacheDir: string, jid: string, hashName: HashName = "sha256"): string {
  const digest = crypto.hash(hashName, new TextEncoder().encode(jid));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${cacheDir === "" ? "" : `${cacheDir.replace(/\/+$/, "")}/`}jobs/${hex.slice(0, 2)}/${hex.slice(2)}`;
}
