import { decodeText } from "../../../language/python/codecs.ts";

/** Bytes of output that are kept of each stream, where the option `cmd_max_output` names no other number. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Collects what a command prints, up to a bound; what comes after is counted and dropped. */
export class Capture {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #kept = 0;
  #dropped = 0;

  constructor(limit: unknown) {
    this.#limit = typeof limit === "number" && limit > 0 ? limit : MAX_OUTPUT;
  }

  add(chunk: Uint8Array): void {
    const room = this.#limit - this.#kept;
    if (chunk.length > room) this.#dropped += chunk.length - room;
    if (room <= 0) return;
    // A copy: the runtime may hand out slices of one large buffer, and a short one would keep it all alive.
    const part = chunk.slice(0, room);
    this.#chunks.push(part);
    this.#kept += part.length;
  }

  /**
   * What was collected, as text; bytes that are none in this encoding become U+FFFD.
   *
   * @throws {PythonError} LookupError if there is no encoding of that name
   */
  text(encoding = "utf-8"): string {
    const whole = new Uint8Array(this.#kept);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks.length = 0;
    this.#chunks.push(whole);
    const text = decodeText(whole, encoding, "replace");
    return this.#dropped === 0 ? text : `${text}\n[output cut: ${this.#dropped} more bytes were dropped]`;
  }
}
