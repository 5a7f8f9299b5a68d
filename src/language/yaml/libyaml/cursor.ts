/** The code that is returned at the end of the text. */
export const END = -1;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export function isBreakCode(code: number): boolean {
  if (code <= CARRIAGE_RETURN) return code === LINE_FEED || code === CARRIAGE_RETURN;
  return code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** True for white space, ends of lines and the text's end. */
export function isGapCode(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === END || isBreakCode(code);
}

/** A place in a text that moves on by characters, and knows its line and column. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  column = 0;
  /** The offset after the last white space with a line end that followed an unquoted text. */
  afterBreak = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** The code of the character `ahead` places ahead, or {@linkcode END}. */
  code(ahead = 0): number {
    const at = this.at + ahead;
    return at < this.text.length ? this.text.charCodeAt(at) : END;
  }

  /** The character `ahead` places ahead; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? "";
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  isBreak(ahead = 0): boolean {
    return isBreakCode(this.code(ahead));
  }

  isBlank(ahead = 0): boolean {
    const code = this.code(ahead);
    return code === 0x20 || code === 0x09;
  }

  /** True at white space, a line end or the end of the text. */
  isGap(ahead = 0): boolean {
    return isGapCode(this.code(ahead));
  }

  /** Moves forward by characters other than line ends. */
  skip(count: number): void {
    this.at += count;
    this.column += count;
  }

  skipBlanks(): void {
    let count = 0;
    while (this.isBlank(count)) count++;
    this.skip(count);
  }

  /** Moves after a line end; does nothing at the end of the text. @returns the line end in a value: a line feed, or one of Unicode's two */
  nextLine(): string {
    const code = this.code();
    if (code === END) return "";
    this.at += code === CARRIAGE_RETURN && this.code(1) === LINE_FEED ? 2 : 1;
    this.line++;
    this.column = 0;
    return code < 0x2028 ? "\n" : String.fromCharCode(code);
  }

  /** At the end of the text: moves as if there were a line end. */
  endLine(): void {
    this.at++;
    this.line++;
    this.column = 0;
  }

  /** Moves to the end of the line. @returns the passed text */
  takeLine(): string {
    const { text, at: start } = this;
    let at = start;
    while (at < text.length && !isBreakCode(text.charCodeAt(at))) at++;
    this.skip(at - start);
    return text.slice(start, at);
  }

  /** Moves after the match of a sticky expression, which must not match line ends. @returns the passed text */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.skip(found.length);
    return found;
  }

  /** True at `---` or `...` at the start of a line, followed by a gap. */
  isDocumentMark(): boolean {
    if (this.column !== 0) return false;
    const code = this.code();
    return (code === 0x2d || code === 0x2e) && this.code(1) === code && this.code(2) === code && this.isGap(3);
  }
}
