/** The last line of a terminal, which is rewritten in place. */
const ERASE = "\r\x1b[K";

export class StatusLine {
  readonly #write: (text: string) => void;
  #text = "";
  #visible = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Puts a line in the place of the one before; an empty one takes it away. */
  show(text: string): void {
    if (text === "") this.hide();
    this.#text = text;
    this.draw();
  }

  /** Takes it off the screen, for what is printed now. */
  hide(): void {
    if (this.#visible) this.#write(ERASE);
    this.#visible = false;
  }

  /** Puts it back. */
  draw(): void {
    if (this.#text === "") return;
    this.#write(`${ERASE}${this.#text}`);
    this.#visible = true;
  }
}
