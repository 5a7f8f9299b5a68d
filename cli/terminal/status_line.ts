/** The last line of a terminal, which is rewritten in place. */
const ERASE = "\r\x1b[K";

export class StatusLine {
  readonly #write: (text: string) => void;
  #text = "";
  #visible = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Replaces the status line; an empty text removes it. */
  show(text: string): void {
    if (text === "") this.hide();
    this.#text = text;
    this.draw();
  }

  /** Removes the line from the screen, before other output. */
  hide(): void {
    if (this.#visible) this.#write(ERASE);
    this.#visible = false;
  }

  /** Shows the line again. */
  draw(): void {
    if (this.#text === "") return;
    this.#write(`${ERASE}${this.#text}`);
    this.#visible = true;
  }
}
