import type { Clock } from "../../async/clock.ts";
import { hex } from "../../crypto/hex.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { HttpError } from "../wire/errors.ts";

/** Failures are counted for so long, in milliseconds. */
const WINDOW_MS = 60_000;
/** Counters and marks that are kept. */
const MOST_COUNTERS = 40_000;
const MOST_MARKS = 10_000;
/** A credential that has held is no guess for so long, in milliseconds. */
const MARK_MS = 600_000;
/** Attempts of one address or user that may wait for others to end. */
const MOST_WAITING = 256;
/** Tokens cannot be guessed: what is bounded is the work that wrong ones make. So are networks, which have many people. */
const WIDER = 10;

/** A credential that is about to be tried. */
export interface CredentialUse {
  address: string;
  /** Whom a password is tried for; undefined for tokens and keys. */
  user?: string;
  /** The credential, all of it. It is not kept. */
  secret: string;
}

/**
 * How it went. `unsure` is an attempt of which nobody has heard whether the credential held: it counts, or whoever hangs up
 * first could go on for ever. `untried` says nothing of the credential: it may not have come before the master.
 */
export type Verdict = "held" | "failed" | "unsure" | "untried";

interface Counter {
  key: string;
  limit: number;
  failures: number;
  /** Attempts that are under way. */
  pending: number;
  since: number;
  waiting: (() => void)[];
}

/** The network of an address: the address itself for IPv4, and for IPv6 the /64 that one host has, and the /48 of a site. */
function networksOf(address: string): { host: string; site: string | undefined } {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return { host: plain, site: undefined };
  const [head = "", tail] = plain.toLowerCase().split("::");
  const words = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, 8 - words.length - after.length);
  const all = [...words, ...Array<string>(gap).fill("0"), ...after].map((word) => word.replace(/^0+(?=.)/, ""));
  return { host: all.slice(0, 4).join(":"), site: all.slice(0, 3).join(":") };
}

/**
 * Counts credentials that did not hold, and refuses to try more of an address, a site or a user that had too many within a
 * minute. Whoever tries one takes a place first, so that many at once are no more than one after the other.
 *
 * Nobody can lock out a user from elsewhere: of a name that is tried from many addresses, each address still has its first try,
 * and a credential that has held from an address within ten minutes is not counted there.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #crypto: Crypto;
  readonly #limit: number;
  readonly #most: number;
  #young = new Map<string, Counter>();
  #old = new Map<string, Counter>();
  /** What has held, by address and a MAC of the credential under a key of this process. */
  readonly #marks = new Map<string, number>();
  readonly #key: Uint8Array;

  /**
   * @param limit failures within a minute; 0 is no limit
   * @param most counters that are kept
   */
  constructor(clock: Clock, crypto: Crypto, limit: number, most = MOST_COUNTERS) {
    this.#most = most;
    this.#clock = clock;
    this.#crypto = crypto;
    this.#limit = limit;
    this.#key = crypto.randomBytes(32);
  }

  /** Counters that are kept; for tests. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #markOf({ address, user, secret }: CredentialUse): string {
    return this.#mac(JSON.stringify([networksOf(address).host, user ?? null, secret]));
  }

  #mac(text: string): string {
    return hex(this.#crypto.hmac("sha256", this.#key, new TextEncoder().encode(text)));
  }

  /**
   * Takes a place for an attempt; what comes back MUST be called once, with how it went. Credentials that are tried together
   * take their places together: one that holds a place while it waits for another could wait for itself.
   *
   * @throws {HttpError} 429 with `Retry-After`
   */
  async begin(...uses: CredentialUse[]): Promise<(verdict: Verdict) => void> {
    if (this.#limit === 0) return () => {};
    const marks = uses.map((use) => this.#markOf(use));
    const guesses = uses.filter((_use, at) => !this.#held(marks[at]!));
    if (guesses.length === 0) {
      return (verdict) => {
        if (verdict !== "failed") return;
        for (const mark of marks) this.#marks.delete(mark);
        for (const counter of this.#countersOf(uses)) this.#fail(counter);
      };
    }
    const counters = await this.#place(guesses);
    let open = true;
    return (verdict) => {
      if (!open) return;
      open = false;
      if (verdict === "held") marks.forEach((mark) => this.#remember(mark));
      for (const counter of counters) {
        counter.pending--;
        if (verdict === "failed" || verdict === "unsure") this.#fail(counter);
        this.#settle(counter);
      }
    };
  }

  /** The counters of an attempt, which have been told of it, once all of them had room. */
  async #place(uses: readonly CredentialUse[]): Promise<Counter[]> {
    for (;;) {
      const counters = this.#countersOf(uses);
      for (const counter of counters) {
        if (counter.failures >= counter.limit) this.#refuse(counter);
      }
      const busy = counters.find(({ failures, pending, limit }) => failures + pending >= limit);
      if (busy === undefined) {
        // In the same turn: whoever looks next has to see it.
        for (const counter of counters) {
          counter.pending++;
          this.#keep(counter);
        }
        return counters;
      }
      if (busy.waiting.length >= MOST_WAITING) this.#refuse(busy);
      await new Promise<void>((resolve) => busy.waiting.push(resolve));
    }
  }

  /** Each once, whatever the uses have in common. */
  #countersOf(uses: readonly CredentialUse[]): Counter[] {
    const counters = uses.flatMap((use) => this.#countersFor(use));
    return [...new Map(counters.map((counter) => [counter.key, counter])).values()];
  }

  #countersFor({ user, address }: CredentialUse): Counter[] {
    const { host, site } = networksOf(address);
    const limit = this.#limit;
    if (user === undefined) {
      return [
        this.#counter(`token ${host}`, limit * WIDER),
        ...(site === undefined ? [] : [this.#counter(`token ${site}::/48`, limit * WIDER * WIDER)]),
      ];
    }
    // Of names that differ in case alone, a directory may make one user. A name may be of any length.
    const name = this.#mac(user.normalize("NFKC").trim().toLowerCase());
    const known = user === "" ? undefined : this.#counter(`user ${name}`, limit);
    // Nor may others' tries that are under way hold up the owner of the name.
    const spent = known !== undefined && known.failures + known.pending >= limit;
    return [
      this.#counter(`host ${host}`, limit),
      ...(site === undefined ? [] : [this.#counter(`site ${site}`, limit * WIDER)]),
      ...(known === undefined || spent ? [] : [known]),
      ...(user === "" ? [] : [this.#counter(`pair ${host} ${name}`, spent ? 1 : limit)]),
    ];
  }

  /** A counter as it stands; a new one is not kept yet, so that who is refused takes no room. */
  #counter(key: string, limit: number): Counter {
    const now = this.#clock.now();
    const counter = this.#young.get(key) ?? this.#old.get(key) ??
      { key, limit, failures: 0, pending: 0, since: now, waiting: [] };
    if (now - counter.since >= WINDOW_MS) {
      counter.failures = 0;
      counter.since = now;
    }
    counter.limit = limit;
    return counter;
  }

  /** It may also have given way to others meanwhile. */
  #keep(counter: Counter): void {
    if (this.#young.get(counter.key) === counter) return;
    this.#young.set(counter.key, counter);
    if (this.#young.size >= this.#most / 2) this.#age();
  }

  /** Half of all give way at once, which is cheap for each; those that hold somebody up stay, as far as there is room. */
  #age(): void {
    const now = this.#clock.now();
    const gone = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    for (const [key, counter] of gone) {
      if (this.#young.size >= this.#most / 8) break;
      const full = counter.failures >= counter.limit && now - counter.since < WINDOW_MS;
      if (full || counter.pending > 0) this.#young.set(key, counter);
    }
  }

  #fail(counter: Counter): void {
    if (counter.failures === 0) counter.since = this.#clock.now();
    counter.failures++;
    this.#keep(counter);
  }

  #settle(counter: Counter): void {
    const { waiting, key } = counter;
    counter.waiting = [];
    if (counter.pending === 0 && counter.failures === 0) {
      if (this.#young.get(key) === counter) this.#young.delete(key);
      if (this.#old.get(key) === counter) this.#old.delete(key);
    }
    for (const go of waiting) go();
  }

  #refuse({ since }: Counter): never {
    const left = Math.max(1, Math.ceil((since + WINDOW_MS - this.#clock.now()) / 1000));
    throw new HttpError(429, "Too many failed logins from this address", { "Retry-After": String(left) });
  }

  #held(mark: string): boolean {
    const until = this.#marks.get(mark);
    return until !== undefined && until > this.#clock.now();
  }

  #remember(mark: string): void {
    this.#marks.delete(mark);
    this.#marks.set(mark, this.#clock.now() + MARK_MS);
    if (this.#marks.size > MOST_MARKS) this.#marks.delete(this.#marks.keys().next().value!);
  }
}
