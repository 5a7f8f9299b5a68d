import type { Packed } from "../../protocol/wire/msgpack.ts";

/** Replies that are kept at most: each minion asks for a few kinds of lists, and all minions ask for the same ones. */
const MAX_KEPT = 100;
/** Bytes of all kept replies together. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Characters of a request's key, which contains text from the minion. */
const MAX_KEY_CHARACTERS = 1000;

/** Keeps packed replies to requests for lists, each until its listing changes. The reply unused for longest is dropped first. */
export class KeptLists {
  readonly #kept = new Map<string, { version: string; reply: Packed }>();
  #bytes = 0;

  /** The kept reply for a request, if it was made from this version of the listing. */
  get(key: string, version: string): Packed | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#remove(key);
    if (kept.version !== version) return undefined;
    this.set(key, version, kept.reply);
    return kept.reply;
  }

  set(key: string, version: string, reply: Packed): void {
    this.#remove(key);
    if (key.length > MAX_KEY_CHARACTERS) return;
    this.#kept.set(key, { version, reply });
    this.#bytes += reply.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT && this.#bytes <= MAX_KEPT_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.reply.bytes.length;
  }
}
