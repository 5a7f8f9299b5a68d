/** A cell of a table: texts come from minions and may be anything. */
export type Cell = string | number | boolean | null | undefined;

/** Matches a text that a spreadsheet reads as a formula, also with wide characters and after white space. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Matches a number, which is not a formula although it may begin with a sign. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** One cell in quotes. A text that looks like a formula gets a `'` before it, so that a spreadsheet shows it as text. */
function cellText(cell: Cell): string {
  const text = cell === null || cell === undefined ? "" : String(cell);
  const safe = typeof cell === "string" && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/**
 * One row as CSV with its line end.
 *
 * @see RFC 4180
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;
