/** Python's `datetime.strptime` for times without a zone. */

/** The parts of a time, as a calendar shows them. */
export interface PlainTime {
  year: number;
  /** The month, 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

export const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
export const DAYS = "monday tuesday wednesday thursday friday saturday sunday".split(" ");

const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3));

/** The regular expression of each directive. */
const DIRECTIVES: Record<string, string> = {
  a: short(DAYS).join("|"),
  A: DAYS.join("|"),
  b: short(MONTHS).join("|"),
  B: MONTHS.join("|"),
  d: "3[01]|[12]\\d|0[1-9]|[1-9]| [1-9]",
  f: "\\d{1,6}",
  H: "2[0-3]|[01]\\d|\\d",
  I: "1[0-2]|0[1-9]|[1-9]",
  j: "36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]",
  m: "1[0-2]|0[1-9]|[1-9]",
  M: "[0-5]\\d|\\d",
  p: "am|pm",
  S: "6[01]|[0-5]\\d|\\d",
  w: "[0-6]",
  y: "\\d\\d",
  Y: "\\d{4}",
};

/** Directives that are short for several others. */
const SHORTHANDS: Record<string, string> = {
  c: "%a %b %d %H:%M:%S %Y",
  D: "%m/%d/%y",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

function patternOf(format: string): RegExp {
  const full = format.replace(/%([cDTxX])/g, (_, letter: string) => SHORTHANDS[letter]!);
  const seen = new Set<string>();
  const source = full.replace(/%(.)|(\s+)|([\\.^$*+?(){}[\]|/-])/gs, (_, letter, blank, special) => {
    if (blank !== undefined) return "\\s+";
    if (special !== undefined) return `\\${special}`;
    if (letter === "%") return "%";
    if (!Object.hasOwn(DIRECTIVES, letter)) {
      throw new RangeError(`'${letter}' is a bad directive in format '${format}'`);
    }
    if (seen.has(letter)) throw new RangeError(`Directive '%${letter}' occurs twice in format '${format}'`);
    seen.add(letter);
    return `(?<${letter}>${DIRECTIVES[letter]})`;
  });
  return new RegExp(`^${source}$`, "i");
}

function yearOf(found: Record<string, string | undefined>): number {
  if (found.Y !== undefined) return Number(found.Y);
  if (found.y === undefined) return 1900;
  const year = Number(found.y);
  return year < 69 ? 2000 + year : 1900 + year;
}

function hourOf(found: Record<string, string | undefined>): number {
  if (found.H !== undefined) return Number(found.H);
  if (found.I === undefined) return 0;
  const hour = Number(found.I) % 12;
  return found.p?.toLowerCase() === "pm" ? hour + 12 : hour;
}

/**
 * A reader of times in a format of `strftime`.
 *
 * @returns a function that returns undefined for text that is not in the format, or not a day of the calendar
 * @throws {RangeError} if the format has an unsupported directive
 */
export function timeReader(format: string): (text: string) => PlainTime | undefined {
  const pattern = patternOf(format);
  return (text) => {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) return undefined;
    const year = yearOf(found);
    let month = found.m === undefined ? 1 : Number(found.m);
    if (found.b !== undefined) month = short(MONTHS).indexOf(found.b.toLowerCase()) + 1;
    if (found.B !== undefined) month = MONTHS.indexOf(found.B.toLowerCase()) + 1;
    let day = found.d === undefined ? 1 : Number(found.d);
    if (found.j !== undefined) {
      const date = new Date(Date.UTC(year, 0, Number(found.j)));
      [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
    }
    if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return undefined;
    const time = { hour: hourOf(found), minute: Number(found.M ?? 0), second: Number(found.S ?? 0) };
    return { year, month, day, ...time };
  };
}
