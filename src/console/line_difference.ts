import { unifiedDiff } from "../language/python/difflib.ts";

/** One line of a difference: `gap` stands for equal lines that are left out. */
export interface DifferenceLine {
  kind: "same" | "removed" | "added" | "gap";
  text: string;
}

/** The number of lines around a change that are shown. */
const AROUND = 3;
/** The most lines of each side that are compared, from the first difference: the time grows with the square of the number. */
const COMPARED = 500;
/** The most characters of a line that are shown. */
const MAX_CHARACTERS = 2000;

/**
 * The difference of two lists of lines, with some equal lines around each change; empty if they are equal. Equal lines at
 * both ends cost little, so that long texts with few changes are compared in full.
 */
export function differenceOf(before: readonly string[], after: readonly string[]): DifferenceLine[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  if (start === before.length && start === after.length) return [];
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const from = Math.max(0, start - AROUND);
  const some = (lines: readonly string[]) =>
    lines.slice(from, Math.min(lines.length, lines.length - end + AROUND, from + COMPARED));
  const [left, right] = [some(before), some(after)];
  const lines: DifferenceLine[] = [];
  const gap = (text: string) => lines.push({ kind: "gap", text });
  for (const line of unifiedDiff(left, right, { context: AROUND, lineEnd: "" }).slice(2)) {
    const hunk = /^@@ -(\d+)/.exec(line)?.[1];
    if (hunk !== undefined) gap(`line ${Number(hunk) + from}`);
    else lines.push({ kind: kindOf(line), text: shortened(line.slice(1)) });
  }
  const rest = Math.max(before.length, after.length) - end - from - COMPARED;
  if (rest > 0) gap(`${rest.toLocaleString("en")} more lines are not compared: copy as JSON to see all`);
  return lines;
}

const kindOf = (line: string): DifferenceLine["kind"] =>
  line.startsWith("-") ? "removed" : line.startsWith("+") ? "added" : "same";

const shortened = (line: string) => line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
