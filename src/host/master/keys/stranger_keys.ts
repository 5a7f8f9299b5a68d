import type { Clock } from "../../../base/async/clock.ts";
import type { KeyStatus, StrangerKeys } from "../../../protocol/channel/key_store.ts";
import type { Logger } from "../../../base/log.ts";
import { KEY_DIRECTORIES, type KeyDirectories } from "./key_directories.ts";

/** How long the count of a directory is good, in milliseconds: `salt-key` changes the directory in another process. */
const COUNT_GOOD_MS = 1000;

interface Count {
  /** The number of keys in the directory: counted once, then increased. */
  total: number;
  countedMs: number;
  /** Key → its sender, if this process has received the key. */
  origins: Map<string, string>;
  /** Sender → the number of its keys. */
  held: Map<string, number>;
  /** True if the last key was refused, which is logged once. */
  full: boolean;
}

interface StrangerKeyOptions {
  keys: KeyDirectories;
  clock: Pick<Clock, "now">;
  log: Logger;
  /** The most keys in each directory (`max_pending_keys`); 0 for no bound. */
  limit: number;
}

/**
 * Counts the keys that strangers have sent. A sender may have as many keys as there is free room: the first sender can take
 * half of a directory, each further sender half of what remains, so that there is always room for a new sender. Once the operator
 * has accepted or deleted some keys, minions that were refused are admitted with their next attempt.
 */
export class CountedStrangerKeys implements StrangerKeys {
  readonly #options: StrangerKeyOptions;
  readonly #counts = new Map<KeyStatus, Count>();

  constructor(options: StrangerKeyOptions) {
    this.#options = options;
  }

  admit(state: KeyStatus, origin: string): boolean {
    const { limit, log } = this.#options;
    if (limit <= 0) return true;
    const count = this.#count(state);
    const held = count.held.get(origin) ?? 0;
    const room = held < limit - count.total;
    if (!room && !count.full) {
      log.error(
        "no room for another key: accept or delete some with salt-key, or raise max_pending_keys",
        { directory: KEY_DIRECTORIES[state], keys: count.total, max_pending_keys: limit, from: origin, of_it: held },
      );
    }
    count.full = !room;
    return room;
  }

  stored(state: KeyStatus, id: string, origin: string): void {
    const count = this.#counts.get(state);
    if (count === undefined) return;
    count.total++;
    count.origins.set(id, origin);
    count.held.set(origin, (count.held.get(origin) ?? 0) + 1);
  }

  #count(state: KeyStatus): Count {
    const { keys, clock } = this.#options;
    const now = clock.now();
    const known = this.#counts.get(state);
    // A clock that was set back must not make an old count valid for ever.
    if (known !== undefined && Math.abs(now - known.countedMs) < COUNT_GOOD_MS) return known;
    const ids = new Set(keys.list(state));
    const count: Count = { total: ids.size, countedMs: now, origins: new Map(), held: new Map(), full: false };
    for (const [id, origin] of known?.origins ?? []) {
      if (!ids.has(id)) continue;
      count.origins.set(id, origin);
      count.held.set(origin, (count.held.get(origin) ?? 0) + 1);
    }
    // A full directory is logged again once there was room, or when other keys have filled it.
    count.full = known?.full === true && count.total >= known.total;
    this.#counts.set(state, count);
    return count;
  }
}
