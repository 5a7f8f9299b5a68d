import { valueError } from "../../python/python_error.ts";

interface WrapOptions {
  /** The width of a line, in columns. */
  width: number;
  breakLongWords: boolean;
  breakOnHyphens: boolean;
}

/** The pieces that lines can be broken between: words, blanks, and the parts of hyphenated words. */
function piecesOf(text: string, onHyphens: boolean): string[] {
  const words = text.split(/([\t\n\v\f\r ]+)/).filter((piece) => piece !== "");
  if (!onHyphens) return words;
  return words.flatMap((word) => word.split(/(?<=[\p{L}_]{2}-|[\p{L}_]-[\p{L}_]-)(?=[\p{L}_]-?[\p{L}_])/u));
}

function wrapLine(text: string, { width, breakLongWords, breakOnHyphens }: WrapOptions): string[] {
  const pieces = piecesOf(text.replace(/[\t\v\f\r]/g, " "), breakOnHyphens).reverse();
  const isBlank = (piece: string | undefined) => piece !== undefined && piece.trim() === "";
  const lines: string[] = [];
  while (pieces.length > 0) {
    if (lines.length > 0 && isBlank(pieces.at(-1))) pieces.pop();
    const line: string[] = [];
    let length = 0;
    while (pieces.length > 0 && length + pieces.at(-1)!.length <= width) {
      line.push(pieces.pop()!);
      length += line.at(-1)!.length;
    }
    const next = pieces.at(-1);
    if (next !== undefined && next.length > width) {
      const room = breakLongWords ? Math.max(1, width - length) : length === 0 ? next.length : 0;
      if (room > 0) {
        line.push(next.slice(0, room));
        pieces[pieces.length - 1] = next.slice(room);
        if (pieces.at(-1) === "") pieces.pop();
      }
    }
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.join(""));
  }
  return lines;
}

/** Breaks each line of a text at a width, as Jinja2's `wordwrap`. @throws {PythonError} for a width below 1 */
export function wrapText(text: string, options: WrapOptions): string[] {
  if (options.width <= 0) throw valueError(`invalid width ${options.width} (must be > 0)`);
  const lines = text.split(/\r\n|[\n\r]/);
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line) => {
    const wrapped = wrapLine(line, options);
    return wrapped.length === 0 ? [""] : wrapped;
  });
}
