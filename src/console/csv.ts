/** A cell of a table: texts come from minions and may be anything. */
export type Cell = string | number | boolean | null | undefined;

/** What makes a spreadsheet read a cell as a formula, also in its wide forms and after white space that it drops. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** A number is no formula, though it may begin with a sign. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** One cell: in quotes, and a text that a spreadsheet would take for a formula after a `'`, which it shows as text. */
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
