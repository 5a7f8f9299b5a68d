function isBreakCode(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** True for white space, ends of lines and the text's end, which is no number. */
export function isGapCode(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || isBreakCode(code) || Number.isNaN(code);
}

/** A place in a text that moves on by characters, and knows its line and column. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The character so many places ahead; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? "";
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  isBreak(ahead = 0): boolean {
    return isBreakCode(this.text.charCodeAt(this.at + ahead));
  }

  isBlank(ahead = 0): boolean {
    const code = this.text.charCodeAt(this.at + ahead);
    return code === 0x20 || code === 0x09;
  }

  /** White space, a line's end or the text's. */
  isGap(ahead = 0): boolean {
    return isGapCode(this.text.charCodeAt(this.at + ahead));
  }

  next(count = 1): void {
    for (let moved = 0; moved < count && !this.isAtEnd; moved++) {
      if (this.isBreak() && !(this.peek() === "\r" && this.peek(1) === "\n")) {
        this.line++;
        this.column = 0;
      } else this.column++;
      this.at++;
    }
  }

  /** Moves on by characters that are no ends of lines. */
  skip(count: number): void {
    this.at += count;
    this.column += count;
  }

  /** Moves behind a line's end. */
  nextLine(): void {
    this.next(this.peek() === "\r" && this.peek(1) === "\n" ? 2 : 1);
  }

  /** At the text's end: behind a line's end that is not there. */
  endLine(): void {
    this.at++;
    this.line++;
    this.column = 0;
  }

  /** Moves on while a test holds. @returns what was passed */
  take(test: () => boolean): string {
    const start = this.at;
    while (!this.isAtEnd && test()) this.next();
    return this.text.slice(start, this.at);
  }

  /** True at `---` or `...` that fills a line's beginning. */
  isDocumentMark(): boolean {
    if (this.column !== 0) return false;
    return (this.text.startsWith("---", this.at) || this.text.startsWith("...", this.at)) && this.isGap(3);
  }
}
