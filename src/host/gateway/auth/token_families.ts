import type { Clock } from "../../../base/async/clock.ts";
import { dirName } from "../../../base/paths.ts";
import { codeOf } from "../../../base/errors.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

/** Functions to call when a session or login ends. */
export interface EndListeners {
  add(onEnd: () => void): void;
  delete(onEnd: () => void): void;
}

/** The login that a token comes from; all tokens of one login are a family. */
export interface Family {
  id: string;
  user: string;
  /** When the last token of the family expires, in seconds since the epoch. */
  expire: number;
}

/** The state of a family, which is kept once the family was renewed or revoked. */
interface Entry {
  user: string;
  expire: number;
  /** How often the family was renewed. */
  generation: number;
  /** When the family was renewed last, in milliseconds since the epoch. */
  renewed: number;
  revoked: boolean;
}

/** A line of the file: the state of a family from then on, or a user whose tokens are all revoked up to a time. */
type Line = [id: string, entry: Entry] | [user: string, until: { before: number; expire: number }];

interface FamilyOptions {
  clock: Clock;
  fs: FileSystem;
  path: string;
  /** False keeps the state in memory only. */
  keep: boolean;
  /** The most families that are kept. @default 100000 */
  most?: number;
}

const MAX_FAMILIES = 100_000;
/** The most users whose tokens were all revoked to make room. */
const MAX_USERS = 10_000;
/** How long the same refresh token is accepted again, in milliseconds, since the client may not have received the answer. */
const REPEAT_MS = 10_000;
/** The seconds after which every token has expired. */
const MAX_TOKEN_SECONDS = 366 * 86_400;
const EVERY_USER = "";

/**
 * Revoked logins, and used refresh tokens. A revoked login stays revoked until its last token has expired, also after a
 * restart: a change is in the file before its request is answered.
 *
 * When there are too many families, all current tokens of the user with the most families are revoked. So a revoked token never
 * becomes valid again for lack of room, and no user loses tokens because of another user's logins.
 */
export class TokenFamilies {
  readonly #options: FamilyOptions;
  readonly #families = new Map<string, Entry>();
  /** User → tokens issued at or before that second are revoked. */
  readonly #revokedUsers = new Map<string, { before: number; expire: number }>();
  readonly #endListeners = new Map<string, Set<() => void>>();
  #lines = 0;

  constructor(options: FamilyOptions) {
    this.#options = options;
    if (options.keep) this.#load();
  }

  #load(): void {
    const { fs, path } = this.#options;
    let text: string;
    try {
      text = fs.readText(path);
    } catch (error) {
      // The file is created at once, so that its name survives a loss of power.
      if (codeOf(error) === "ENOENT") return this.#compact();
      throw error;
    }
    const lines = text.split("\n");
    // A last line without a line end was cut off by the end of the process: its request was never answered.
    lines.pop();
    try {
      for (const line of lines) {
        const [name, kept] = JSON.parse(line) as Line;
        if ("before" in kept) this.#revokedUsers.set(name, kept);
        else this.#families.set(name, kept);
      }
    } catch {
      // The revoked logins are unknown after a read error, so all old tokens are refused.
      const before = Math.floor(this.#options.clock.now() / 1000);
      this.#revokedUsers.set(EVERY_USER, { before, expire: before + MAX_TOKEN_SECONDS });
    }
    this.#compact();
  }

  /** True if a token is revoked. @param issued when the token was made, in seconds since the epoch */
  isRevoked({ id, user }: Family, issued: number): boolean {
    if (this.#families.get(id)?.revoked === true) return true;
    return [user, EVERY_USER].some((name) => issued <= (this.#revokedUsers.get(name)?.before ?? -1));
  }

  /** Revokes all tokens of a login, at once; resolves when the revocation survives a loss of power. */
  async revoke(family: Family): Promise<void> {
    const { id, user, expire } = family;
    const known = this.#families.get(id);
    if (known?.revoked !== true) {
      this.#set(id, { user, expire, generation: known?.generation ?? 0, renewed: 0, revoked: true });
    }
    for (const end of [...this.#endListeners.get(id) ?? []]) end();
    this.#endListeners.delete(id);
    await this.#sync();
  }

  /**
   * Uses a refresh token. Returns the generation of its successors, or undefined if the token was used before: then it was probably
   * stolen, and the whole family is revoked.
   */
  async renew(family: Family, generation: number): Promise<number | undefined> {
    const { id, user, expire } = family;
    const now = this.#options.clock.now();
    const known = this.#families.get(id);
    const latest = known?.generation ?? 0;
    if (known?.revoked === true) return undefined;
    if (generation === latest) {
      this.#set(id, { user, expire, generation: latest + 1, renewed: now, revoked: false });
      await this.#sync();
      return latest + 1;
    }
    if (generation === latest - 1 && now - known!.renewed < REPEAT_MS) return latest;
    await this.revoke(family);
    return undefined;
  }

  /** Functions to call when the family is revoked. */
  endListeners({ id }: Family): EndListeners {
    return {
      add: (end) => {
        const ends = this.#endListeners.get(id) ?? new Set();
        this.#endListeners.set(id, ends.add(end));
      },
      delete: (end) => {
        const ends = this.#endListeners.get(id);
        ends?.delete(end);
        if (ends?.size === 0) this.#endListeners.delete(id);
      },
    };
  }

  #set(id: string, entry: Entry): void {
    const { most = MAX_FAMILIES } = this.#options;
    this.#families.set(id, entry);
    this.#append([id, entry]);
    if (this.#families.size <= most) return;
    this.#compact();
    if (this.#families.size > most) this.#revokeMostFrequentUser();
  }

  #revokeMostFrequentUser(): void {
    const counts = new Map<string, number>();
    for (const { user } of this.#families.values()) counts.set(user, (counts.get(user) ?? 0) + 1);
    const [most] = [...counts].reduce((one, other) => other[1] > one[1] ? other : one);
    const user = this.#revokedUsers.size < MAX_USERS ? most : EVERY_USER;
    const before = Math.floor(this.#options.clock.now() / 1000);
    let expire = before;
    for (const [id, entry] of this.#families) {
      if (user !== EVERY_USER && entry.user !== user) continue;
      expire = Math.max(expire, entry.expire);
      this.#families.delete(id);
    }
    this.#revokedUsers.set(user, { before, expire });
    this.#compact();
  }

  /** Drops expired entries, and rewrites the file. */
  #compact(): void {
    const { clock, fs, path, keep } = this.#options;
    const now = clock.now() / 1000;
    for (const [id, { expire }] of this.#families) if (expire <= now) this.#families.delete(id);
    for (const [user, { expire }] of this.#revokedUsers) if (expire <= now) this.#revokedUsers.delete(user);
    const lines = [...this.#revokedUsers, ...this.#families].map((line) => `${JSON.stringify(line)}\n`);
    this.#lines = lines.length;
    if (!keep) return;
    fs.mkdir(dirName(path), 0o700);
    fs.write(path, lines.join(""), { mode: 0o600, sync: true });
  }

  async #sync(): Promise<void> {
    const { fs, path, keep } = this.#options;
    if (keep) await fs.sync(path);
  }

  #append(line: Line): void {
    const { fs, path, keep } = this.#options;
    if (!keep) return;
    if (++this.#lines > 2 * this.#families.size + 1000) return this.#compact();
    fs.mkdir(dirName(path), 0o700);
    fs.append(path, `${JSON.stringify(line)}\n`, 0o600);
  }
}
