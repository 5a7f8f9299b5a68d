import { strip } from "./text.ts";

// Python's textwrap splits a text into white space, words, and parts of hyphenated words; the expression is Python's.
const WORDS =
  /([\t\n\v\f\r ]+|(?<=[\p{L}\p{N}_!"'&.,?])-{2,}(?=[\p{L}\p{N}_])|[^\t\n\v\f\r ]+?(?:-(?:(?<=[\p{L}_]{2}-)|(?<=[\p{L}_]-[\p{L}\p{N}_!"'&.,?]-))(?=[\p{L}_]-?[\p{L}_])|(?=[\t\n\v\f\r ]|$)|(?<=[\p{L}\p{N}_!"'&.,?])(?=-{2,}[\p{L}\p{N}_])))/u;

const TAB = 8;

/**
 * Python's `textwrap.fill`: breaks lines at blanks and hyphens, and within words longer than a line.
 *
 * @param width columns of a line, its indentation included
 * @param indent text at the start of every line
 */
export function fill(text: string, width: number, indent = ""): string {
  return wrap(text, width, indent).join("\n");
}

/** As {@link fill}, as a list of lines. */
export function wrap(text: string, width: number, indent = ""): string[] {
  const room = width - indent.length;
  const chunks = expandTabs(text).replace(/[\t\n\v\f\r]/g, " ").split(WORDS).filter((chunk) => chunk !== "").reverse()
    .map((chunk) => Array.from(chunk));
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && isBlank(chunks[chunks.length - 1])) chunks.pop();
    const line: string[][] = [];
    let length = 0;
    while (chunks.length > 0) {
      const chunk = chunks[chunks.length - 1] ?? [];
      if (length + chunk.length > room) break;
      line.push(chunk);
      length += chunk.length;
      chunks.pop();
    }
    const long = chunks[chunks.length - 1];
    if (long !== undefined && long.length > room) line.push(long.splice(0, Math.max(1, room - length)));
    if (isBlank(line[line.length - 1])) line.pop();
    if (line.length > 0) lines.push(indent + line.flat().join(""));
  }
  return lines;
}

function isBlank(chunk: string[] | undefined): boolean {
  return chunk !== undefined && strip(chunk.join("")) === "";
}

function expandTabs(text: string): string {
  let column = 0;
  return text.replace(/[\n\r]|\t|[^\n\r\t]+/g, (part) => {
    if (part === "\t") part = " ".repeat(TAB - column % TAB);
    column = part === "\n" || part === "\r" ? 0 : column + Array.from(part).length;
    return part;
  });
}
