/** The texts in sources: string literals, templates and the text of JSX, each with its line. */
export interface Literal {
  /** From 1. */
  line: number;
  /** Values in a template are `x` in backticks, so that they count as one word of code. */
  text: string;
}

/** A literal with the place of its quotes in the source. */
interface Found {
  start: number;
  end: number;
  text: string;
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/y;
const PATTERN = /\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** A slash after one of these begins a regular expression, not a division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};>]|\breturn|\bcase)\s*$/;
const JSX_TEXT = />\s*([A-Z][^<>{}=;]{10,}?)\s*[<{]/g;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** Reads code from `at` up to the brace that closes it, or to the end. @returns where it ends */
function readCode(source: string, at: number, found: Found[]): number {
  let depth = 0;
  while (at < source.length) {
    const char = source[at]!;
    const comment = char === "/" ? matchAt(COMMENT, source, at) : null;
    if (comment !== null) at += comment[0].length;
    else if (char === "`") at = readTemplate(source, at, found);
    else if (char === '"' || char === "'") {
      const match = matchAt(QUOTED, source, at);
      if (match !== null) found.push({ start: at, end: at + match[0].length, text: match[1] ?? match[2]! });
      at += match === null ? 1 : match[0].length;
    } else if (char === "/" && BEFORE_PATTERN.test(source.slice(Math.max(0, at - 40), at))) {
      at += matchAt(PATTERN, source, at)?.[0].length ?? 1;
    } else {
      if (char === "{") depth++;
      if (char === "}" && depth-- === 0) return at;
      at++;
    }
  }
  return at;
}

function readTemplate(source: string, start: number, found: Found[]): number {
  let text = "";
  let at = start + 1;
  while (at < source.length && source[at] !== "`") {
    if (source.startsWith("${", at)) {
      at = readCode(source, at + 2, found) + 1;
      text += "`x`";
    } else {
      const length = source[at] === "\\" ? 2 : 1;
      text += source.slice(at, at + length);
      at += length;
    }
  }
  found.push({ start, end: at + 1, text });
  return at + 1;
}

/** Texts of at least three words. What is joined by `+` is one text. */
export function literalsOf(source: string, file: string): Literal[] {
  const found: Found[] = [];
  readCode(source, 0, found);
  if (file.endsWith(".tsx")) {
    for (const match of source.matchAll(JSX_TEXT)) {
      found.push({ start: match.index, end: match.index + match[0].length, text: match[1]! });
    }
  }
  const joined: Found[] = [];
  for (const one of found.sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && /^\s*\+\s*$/.test(source.slice(last.end, one.start))) {
      last.text += one.text;
      last.end = one.end;
    } else joined.push({ ...one });
  }
  return joined.filter(({ text }) => (text.match(/[A-Za-z]{2,}/g) ?? []).length >= 3).map(({ start, text }) => ({
    line: source.slice(0, start).split("\n").length,
    text: text.replace(/\\[nt]/g, " ").replace(/\\(.)/g, "$1").replace(/\s+/g, " ").trim(),
  }));
}
