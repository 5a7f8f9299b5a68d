import type { Packed } from "../../protocol/wire/msgpack.ts";

/** Lists that are kept: a minion asks for those of a few kinds of files, and all minions for the same ones. */
const KEPT = 100;
/** Bytes of all lists that are kept. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** Characters of what tells requests apart, which is the minion's word. */
const LONGEST_KEY = 1000;

/** Packed replies to requests for lists, each for as long as its listing is what it was. Those that were not asked for longest go first. */
export class KeptLists {
  readonly #kept = new Map<string, { version: string; reply: Packed }>();
  #bytes = 0;

  /** The reply that was made of this version of the listing. */
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
    if (key.length > LONGEST_KEY) return;
    this.#kept.set(key, { version, reply });
    this.#bytes += reply.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT && this.#bytes <= KEPT_BYTES) return;
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
