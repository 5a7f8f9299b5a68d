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
    const character = this.peek(ahead);
    return character === "\n" || character === "\r" || character === "\x85" || character === "\u2028" ||
      character === "\u2029";
  }

  isBlank(ahead = 0): boolean {
    const character = this.peek(ahead);
    return character === " " || character === "\t";
  }

  /** White space, a line's end or the text's. */
  isGap(ahead = 0): boolean {
    return this.peek(ahead) === "" || this.isBlank(ahead) || this.isBreak(ahead);
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
    if (this.column !== 0 || !this.isGap(3)) return false;
    const mark = this.text.slice(this.at, this.at + 3);
    return mark === "---" || mark === "...";
  }
}
