import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DateText, parseDate } from "../../../src/language/python/dateutil.ts";
import { vectors } from "../../support/vectors.ts";

const two = (value: number) => String(value).padStart(2, "0");

/** As Python's `isoformat` has it, with milliseconds. */
function isoOf(date: DateText): string {
  const { year, month, day, hour, minute, second, millisecond, offsetMinutes: offset } = date;
  const fraction = millisecond === 0 ? "" : `.${String(millisecond).padStart(3, "0")}`;
  const minutes = Math.abs(offset ?? 0);
  const zone = offset === undefined
    ? ""
    : `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${
    two(second)
  }${fraction}${zone}`;
}

/** Texts of which we read less than dateutil, or more. */
const DIFFERENT: Record<string, string> = {
  "१०:३०": "only the digits 0 to 9 are read",
  "5pm-6pm": "the sign between two times is skipped",
};

describe("parseDate() reads as dateutil does", () => {
  const today = { year: 2026, month: 3, day: 2, hour: 0, minute: 0, second: 0 };
  for (const { text, time } of vectors("schedule/dates") as { text: string; time?: string }[]) {
    test(JSON.stringify(text), { skip: DIFFERENT[text] ?? false }, () => {
      const date = parseDate(text, today);
      assert.equal(date === undefined ? undefined : isoOf(date), time?.replace(/(\.\d{3})\d+/, "$1"));
    });
  }
  test("a day that the month does not have is its last one, where the text names no day", () => {
    const date = parseDate("Sep", { ...today, month: 10, day: 31 });
    assert.equal(date?.day, 30);
  });
  test("text of any length costs little, and long text is no date", () => {
    assert.equal(parseDate("1".repeat(1_000_000), today), undefined);
    assert.equal(parseDate(" at".repeat(60), today), undefined);
  });
});
