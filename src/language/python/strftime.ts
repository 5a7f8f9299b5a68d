/** Days and months by their English names: what Python uses without a locale, as in a daemon. */
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const two = (value: number) => String(value).padStart(2, "0");

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000) + 1;
}

/** How far local time is ahead of UTC, as `+0130`. */
export function offsetText(minutes: number): string {
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(absolute / 60))}${two(absolute % 60)}`;
}

/** The short name of the zone that applies at that time: `UTC`, `CET`. */
function zoneName(date: Date): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(date);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "UTC";
}

const FIELDS: Record<string, (date: Date) => string> = {
  a: (date) => DAYS[date.getDay()]!.slice(0, 3),
  A: (date) => DAYS[date.getDay()]!,
  b: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  B: (date) => MONTHS[date.getMonth()]!,
  c: (date) => strftime(date, "%a %b %e %H:%M:%S %Y"),
  C: (date) => two(Math.floor(date.getFullYear() / 100)),
  d: (date) => two(date.getDate()),
  D: (date) => strftime(date, "%m/%d/%y"),
  e: (date) => String(date.getDate()).padStart(2),
  f: (date) => String(date.getMilliseconds() * 1000).padStart(6, "0"),
  F: (date) => strftime(date, "%Y-%m-%d"),
  h: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  H: (date) => two(date.getHours()),
  I: (date) => two(date.getHours() % 12 === 0 ? 12 : date.getHours() % 12),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  m: (date) => two(date.getMonth() + 1),
  M: (date) => two(date.getMinutes()),
  n: () => "\n",
  p: (date) => date.getHours() < 12 ? "AM" : "PM",
  r: (date) => strftime(date, "%I:%M:%S %p"),
  R: (date) => strftime(date, "%H:%M"),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  S: (date) => two(date.getSeconds()),
  t: () => "\t",
  T: (date) => strftime(date, "%H:%M:%S"),
  u: (date) => String(date.getDay() === 0 ? 7 : date.getDay()),
  U: (date) => two(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7)),
  w: (date) => String(date.getDay()),
  W: (date) => two(Math.floor((dayOfYear(date) + 6 - (date.getDay() + 6) % 7) / 7)),
  x: (date) => strftime(date, "%m/%d/%y"),
  X: (date) => strftime(date, "%H:%M:%S"),
  y: (date) => two(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  z: (date) => offsetText(-date.getTimezoneOffset()),
  Z: zoneName,
  "%": () => "%",
};

/** Formats a local time by a pattern of Python's `strftime`; unknown directives stay unchanged. */
export function strftime(date: Date, pattern: string): string {
  return pattern.replace(
    /%(.)/gs,
    (whole, letter: string) => Object.hasOwn(FIELDS, letter) ? FIELDS[letter]!(date) : whole,
  );
}
