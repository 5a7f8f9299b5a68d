/**
 * Rules for the words of documents: headings, sentences, phrases, cells of tables, lengths of pages. They are checked on Markdown
 * without its code.
 */
import { PHRASES } from "./phrases.ts";

export interface Problem {
  /** From 1. */
  line: number;
  rule: "heading" | "sentence" | "phrase" | "cell" | "page";
  /** What was found, and the remedy. */
  text: string;
}

/** What holds for one document. */
export interface Bounds {
  /** Words of a page; without it, a page is as long as its facts. */
  page?: number;
  /** Words of a sentence. */
  sentence?: number;
  /** Words of a cell. */
  cell?: number;
}

export const SENTENCE = 20;
export const CELL = 15;
export const HEADING = 8;

/** A stretch of running text, with the line of each of its characters. */
interface Piece {
  kind: "heading" | "text" | "cell";
  text: string;
  lines: number[];
}

/** Code counts as one word, a link as its text; a picture is none. */
const plain = (text: string) =>
  text.replace(/``.+?``|`[^`]*`/g, "CODE").replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_]{2}/g, "");

/** `\`a\`, \`b\` and \`c\`` is one thing in a sentence: a list of names. */
const withListsAsOne = (text: string) => text.replace(/CODE(?:(?:,| and| or|, and|, or)? CODE)+/g, "CODE");

export const countWords = (text: string): number =>
  plain(text).split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The text without blocks of code and comments; lines keep their numbers. */
function withoutCode(text: string): string[] {
  const blank = (found: string) => found.replace(/[^\n]/g, "");
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/<!--[\s\S]*?-->/g, blank).split("\n");
}

const cellsOf = (line: string) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  const close = () => {
    if (open !== undefined) pieces.push(open);
    open = undefined;
  };
  const single = (kind: Piece["kind"], content: string, line: number) =>
    pieces.push({ kind, text: content, lines: Array.from(content, () => line) });
  for (const [at, line] of withoutCode(text).entries()) {
    const heading = /^#{1,6} +(.+)/.exec(line);
    const table = /^\s*\|/.test(line);
    if (line.trim() === "" || heading !== null || table) close();
    if (heading !== null) single("heading", heading[1]!, at + 1);
    else if (table) { for (const cell of cellsOf(line)) single("cell", cell, at + 1); }
    else if (line.trim() !== "" && !(open === undefined && /^ {4}/.test(line))) {
      if (/^\s*(?:[-*+]|\d+\.) /.test(line)) close();
      open ??= { kind: "text", text: "", lines: [] };
      const content = `${line.trim().replace(/^(?:[-*+]|\d+\.) /, "")} `;
      open.text += content;
      open.lines.push(...Array.from({ length: content.length }, () => at + 1));
    }
  }
  close();
  return pieces;
}

/** What ends where a reader can breathe: at a full stop, a colon or a semicolon. */
function sentencesOf({ text, lines }: Piece): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = [];
  // Code keeps its length here, so that the line of a character stays known.
  const code = text.replace(/`[^`]*`/g, (span) => `\`${"c".repeat(Math.max(0, span.length - 2))}\``)
    .replace(/!\[[^\]]*\]/g, (alt) => "!".repeat(alt.length));
  let from = 0;
  for (const end of code.matchAll(/[.!?:;]["')*]*\s+|$/g)) {
    const to = end.index + end[0].length;
    if (text.slice(from, to).trim() !== "") found.push({ text: text.slice(from, to).trim(), line: lines[from]! });
    from = to;
  }
  return found;
}

/** Questions and clauses that begin a heading. */
const CLAUSE = /^(?:what|who|whose|which|whether|that|say|those)\b|[.?:!]$/i;

function headingProblem(text: string): string | undefined {
  const said = plain(text);
  if (CLAUSE.test(said)) return `"${text}" is a clause: write a noun or an imperative that a reader would search for`;
  const words = countWords(text);
  return words > HEADING ? `"${text}" has ${words} words, at most ${HEADING}: shorten it` : undefined;
}

const PATTERNS = PHRASES.map(([phrase, instead]) => ({ pattern: new RegExp(`\\b(?:${phrase})\\b`, "gi"), instead }));

/** Code, addresses of links and quotations are not ours to change. */
function* phraseProblems({ text, lines }: Piece): Iterable<Problem> {
  const said = text.replace(/`[^`]*`|\]\([^)]*\)|"[^"]*"/g, (span) => "\u00a0".repeat(span.length));
  for (const { pattern, instead } of PATTERNS) {
    for (const match of said.matchAll(pattern)) {
      yield { line: lines[match.index]!, rule: "phrase", text: `"${match[0]}": write ${instead}` };
    }
  }
}

const beginning = (text: string) => text.length > 60 ? `${text.slice(0, 57)}…` : text;

function* pieceProblems(piece: Piece, bounds: Bounds): Iterable<Problem> {
  const line = piece.lines[0]!;
  yield* phraseProblems(piece);
  if (piece.kind === "heading") {
    const text = headingProblem(piece.text);
    if (text !== undefined) yield { line, rule: "heading", text };
  } else if (piece.kind === "cell" && bounds.cell !== undefined) {
    const words = countWords(piece.text);
    if (words > bounds.cell) {
      const remedy = "make it a list or a section";
      yield {
        line,
        rule: "cell",
        text: `"${beginning(piece.text)}" has ${words} words, at most ${bounds.cell}: ${remedy}`,
      };
    }
  } else if (piece.kind === "text" && bounds.sentence !== undefined) {
    for (const sentence of sentencesOf(piece)) {
      const words = withListsAsOne(plain(sentence.text)).split(/\s+/).filter((word) =>
        /[\p{L}\p{N}]/u.test(word)
      ).length;
      if (words <= bounds.sentence) continue;
      const text = `"${beginning(sentence.text)}" has ${words} words, at most ${bounds.sentence}: write two`;
      yield { line: sentence.line, rule: "sentence", text };
    }
  }
}

/** What breaks a rule in a document, in the order of its lines. */
export function problemsOf(text: string, bounds: Bounds): Problem[] {
  const problems = piecesOf(text).filter(({ lines }) => lines.length > 0).flatMap((
    piece,
  ) => [...pieceProblems(piece, bounds)]);
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  if (bounds.page !== undefined && words > bounds.page) {
    const remedy = "move what few readers need to another page";
    problems.unshift({ line: 1, rule: "page", text: `the page has ${words} words, at most ${bounds.page}: ${remedy}` });
  }
  return problems.sort((a, b) => a.line - b.line);
}
