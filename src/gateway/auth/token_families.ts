import type { Clock } from "../../async/clock.ts";
import { dirName } from "../../config/paths.ts";
import { codeOf } from "../../errors.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { Ending } from "../requests/call.ts";

/** What a token says of the login that it comes from. */
export interface Family {
  /** One for each login. */
  id: string;
  user: string;
  /** When the last token of it ends, in seconds since the epoch. */
  expire: number;
}

/** What is kept of a family: nothing, until it is renewed or revoked. */
interface Entry {
  user: string;
  expire: number;
  /** How often it was renewed. */
  generation: number;
  /** When it was renewed last, in milliseconds since the epoch. */
  renewed: number;
  revoked: boolean;
}

/** A line of the file: a family as it stands from here on, or a user all of whose tokens until then are void. */
type Line = [id: string, entry: Entry] | [user: string, until: { before: number; expire: number }];

export interface FamilyOptions {
  clock: Clock;
  fs: FileSystem;
  path: string;
  /** False keeps it in memory alone. */
  keep: boolean;
  /** Families that are kept. @default 100000 */
  most?: number;
}

const MOST = 100_000;
/** Users whose tokens were made void for want of room. */
const MOST_USERS = 10_000;
/** Whoever renews may not have heard the answer: the same token is good once more for so long, in milliseconds. */
const AGAIN_MS = 10_000;
/** Tokens whose end nobody knows have ended by then. */
const UNKNOWN_SECONDS = 366 * 86_400;
/** Stands for all users. */
const EVERYBODY = "";

/**
 * Which logins are over, and which refresh tokens have been used. What is revoked stays so until its last token has ended, also
 * after a restart: a change is in the file before anybody hears of it.
 *
 * When there is no room, the user with the most families loses all tokens that were made until then. A revoked token never
 * comes back for want of room, and nobody loses theirs because of somebody else's logins.
 */
export class TokenFamilies {
  readonly #options: FamilyOptions;
  readonly #families = new Map<string, Entry>();
  /** User → tokens made at or before that second are void. */
  readonly #void = new Map<string, { before: number; expire: number }>();
  readonly #ends = new Map<string, Set<() => void>>();
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
      // The first of its kind: from here on its name outlives a loss of power.
      if (codeOf(error) === "ENOENT") return this.#compact();
      throw error;
    }
    const lines = text.split("\n");
    // A last line without an end was being written when the process ended: nobody was told of that one.
    lines.pop();
    try {
      for (const line of lines) {
        const [name, kept] = JSON.parse(line) as Line;
        if ("before" in kept) this.#void.set(name, kept);
        else this.#families.set(name, kept);
      }
    } catch {
      // Who has been revoked is not known: nobody's old tokens are good.
      const before = Math.floor(this.#options.clock.now() / 1000);
      this.#void.set(EVERYBODY, { before, expire: before + UNKNOWN_SECONDS });
    }
    this.#compact();
  }

  /** @param issued when the token was made, in seconds since the epoch */
  isVoid({ id, user }: Family, issued: number): boolean {
    if (this.#families.get(id)?.revoked === true) return true;
    return [user, EVERYBODY].some((name) => issued <= (this.#void.get(name)?.before ?? -1));
  }

  /** Makes all tokens of a login void, at once; resolves when that outlives a loss of power. */
  async revoke(family: Family): Promise<void> {
    const { id, user, expire } = family;
    const known = this.#families.get(id);
    if (known?.revoked !== true) {
      this.#set(id, { user, expire, generation: known?.generation ?? 0, renewed: 0, revoked: true });
    }
    for (const end of [...this.#ends.get(id) ?? []]) end();
    this.#ends.delete(id);
    await this.#safe();
  }

  /**
   * Uses up a refresh token: the generation of those to come, or undefined if it was used before. Then somebody has it who
   * should not, and the whole family is revoked.
   */
  async renew(family: Family, generation: number): Promise<number | undefined> {
    const { id, user, expire } = family;
    const now = this.#options.clock.now();
    const known = this.#families.get(id);
    const latest = known?.generation ?? 0;
    if (known?.revoked === true) return undefined;
    if (generation === latest) {
      this.#set(id, { user, expire, generation: latest + 1, renewed: now, revoked: false });
      await this.#safe();
      return latest + 1;
    }
    if (generation === latest - 1 && now - known!.renewed < AGAIN_MS) return latest;
    await this.revoke(family);
    return undefined;
  }

  /** Functions that are called when the family is revoked. */
  endings({ id }: Family): Ending {
    return {
      add: (end) => {
        const ends = this.#ends.get(id) ?? new Set();
        this.#ends.set(id, ends.add(end));
      },
      delete: (end) => {
        const ends = this.#ends.get(id);
        ends?.delete(end);
        if (ends?.size === 0) this.#ends.delete(id);
      },
    };
  }

  #set(id: string, entry: Entry): void {
    const { most = MOST } = this.#options;
    this.#families.set(id, entry);
    this.#append([id, entry]);
    if (this.#families.size <= most) return;
    this.#compact();
    if (this.#families.size > most) this.#makeRoom();
  }

  #makeRoom(): void {
    const counts = new Map<string, number>();
    for (const { user } of this.#families.values()) counts.set(user, (counts.get(user) ?? 0) + 1);
    const [most] = [...counts].reduce((one, other) => other[1] > one[1] ? other : one);
    const user = this.#void.size < MOST_USERS ? most : EVERYBODY;
    const before = Math.floor(this.#options.clock.now() / 1000);
    let expire = before;
    for (const [id, entry] of this.#families) {
      if (user !== EVERYBODY && entry.user !== user) continue;
      expire = Math.max(expire, entry.expire);
      this.#families.delete(id);
    }
    this.#void.set(user, { before, expire });
    this.#compact();
  }

  /** Forgets what has ended, and writes the file anew. */
  #compact(): void {
    const { clock, fs, path, keep } = this.#options;
    const now = clock.now() / 1000;
    for (const [id, { expire }] of this.#families) if (expire <= now) this.#families.delete(id);
    for (const [user, { expire }] of this.#void) if (expire <= now) this.#void.delete(user);
    const lines = [...this.#void, ...this.#families].map((line) => `${JSON.stringify(line)}\n`);
    this.#lines = lines.length;
    if (!keep) return;
    fs.mkdir(dirName(path), 0o700);
    fs.write(path, lines.join(""), { mode: 0o600, sync: true });
  }

  async #safe(): Promise<void> {
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
