import type { Clock } from "../../../base/async/clock.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import { HttpError } from "../wire/errors.ts";

/** How long a failure counts, in milliseconds. */
const WINDOW_MS = 60_000;
/** The most counters, and the most valid credentials, that are kept. */
const MAX_COUNTERS = 40_000;
const MAX_VALID = 20_000;
/** How long a valid credential is not counted, and its user is known at that address, in milliseconds. */
const VALID_MS = 30 * 86_400_000;
/** The most attempts of one address or user that wait for others to finish. */
const MAX_WAITING = 256;
/**
 * The factor by which the limit is higher for tokens, which cannot be guessed, so that only the work of refusing them has to be
 * bounded; and for networks, which many users share.
 */
const WIDER = 10;

export interface CredentialUse {
  address: string;
  /** The user whose password is tried; undefined for tokens and keys. */
  user?: string;
  /** The whole credential. Only a MAC of it is kept. */
  secret: string;
}

/**
 * The result of an attempt. `unknown`: it ended before the answer was known. This counts as a failure: otherwise a caller that always
 * disconnects early could continue to guess. `untried`: the master may not have checked the credential.
 */
export type Verdict = "valid" | "failed" | "unknown" | "untried";

interface Counter {
  key: string;
  limit: number;
  failures: number;
  pending: number;
  since: number;
  waiting: (() => void)[];
}

/** The networks of an address: for IPv4 the address itself; for IPv6 the /64 of one host, and the /48 of a site. */
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
 * Counts credentials that were not valid, and refuses to try more for an address, a site or a user with too many failures
 * within a minute. An attempt takes a place before it starts, so that concurrent attempts are limited like successive ones.
 *
 * An attacker cannot lock out a user from another address: while a name is tried from many addresses, each address still has a first
 * try. Nor from the same address, such as that of a proxy: for a user who has logged in from an address, failures of other names
 * there do not count, and the credential itself is not counted there any more.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #crypto: Crypto;
  readonly #limit: number;
  readonly #most: number;
  #young = new Map<string, Counter>();
  #old = new Map<string, Counter>();
  /** The MAC of an address and a valid credential, with a key of this process → until when the credential is not counted. */
  readonly #valid = new Map<string, number>();
  readonly #key: Uint8Array;
  readonly #tried: (result: "valid" | "failed" | "limited") => void;

  /**
   * @param limit the most failures within a minute; 0 for no limit
   * @param most the most counters that are kept
   * @param tried called with the verdict on each attempt
   */
  constructor(
    clock: Clock,
    crypto: Crypto,
    limit: number,
    most = MAX_COUNTERS,
    tried: (result: "valid" | "failed" | "limited") => void = () => {},
  ) {
    this.#tried = tried;
    this.#most = most;
    this.#clock = clock;
    this.#crypto = crypto;
    this.#limit = limit;
    this.#key = crypto.randomBytes(32);
  }

  /** The number of kept counters, for tests. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #markOf({ address, user, secret }: CredentialUse): string {
    return this.#mac(JSON.stringify([networksOf(address).host, user ?? null, secret]));
  }

  /** The mark of a user who has logged in from an address. */
  #knownMark(host: string, name: string): string {
    return this.#mac(JSON.stringify([host, name]));
  }

  #mac(text: string): string {
    return hex(this.#crypto.hmac("sha256", this.#key, new TextEncoder().encode(text)));
  }

  /**
   * Takes a place for an attempt, and waits for one if necessary. The returned function MUST be called once, with the
   * verdict. Credentials that are tried together take their places together: otherwise an attempt could wait for its own
   * place.
   *
   * @throws {HttpError} 429 with `Retry-After`
   */
  async begin(...uses: CredentialUse[]): Promise<(verdict: Verdict) => void> {
    const settle = await this.#begin(uses);
    return (verdict) => {
      if (verdict === "valid" || verdict === "failed") this.#tried(verdict);
      settle(verdict);
    };
  }

  async #begin(uses: readonly CredentialUse[]): Promise<(verdict: Verdict) => void> {
    if (this.#limit === 0) return () => {};
    const marks = uses.map((use) => this.#markOf(use));
    const counted = uses.filter((_use, at) => !this.#wasValid(marks[at]!));
    if (counted.length === 0) {
      return (verdict) => {
        if (verdict !== "failed") return;
        for (const mark of marks) this.#valid.delete(mark);
        for (const counter of this.#countersOf(uses)) this.#fail(counter);
      };
    }
    const counters = await this.#place(counted);
    let open = true;
    return (verdict) => {
      if (!open) return;
      open = false;
      if (verdict === "valid") {
        marks.forEach((mark) => this.#remember(mark));
        uses.forEach((use) => this.#rememberUser(use));
      }
      for (const counter of counters) {
        counter.pending--;
        if (verdict === "failed" || verdict === "unknown") this.#fail(counter);
        this.#settle(counter);
      }
    };
  }

  /** Waits until all counters of an attempt have room, then adds the attempt to each of them. */
  async #place(uses: readonly CredentialUse[]): Promise<Counter[]> {
    for (;;) {
      const counters = this.#countersOf(uses);
      for (const counter of counters) {
        if (counter.failures >= counter.limit) this.#refuse(counter);
      }
      const busy = counters.find(({ failures, pending, limit }) => failures + pending >= limit);
      if (busy === undefined) {
        // Added in the same turn of the loop, so that the next attempt sees it.
        for (const counter of counters) {
          counter.pending++;
          this.#keep(counter);
        }
        return counters;
      }
      if (busy.waiting.length >= MAX_WAITING) this.#refuse(busy);
      await new Promise<void>((resolve) => busy.waiting.push(resolve));
    }
  }

  /** The counters of all uses, each once. */
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
    const name = this.#nameOf(user);
    const here = user !== "" && this.#wasValid(this.#knownMark(host, name));
    const known = user === "" ? undefined : this.#counter(`user ${name}`, limit);
    // Attempts in progress from other addresses must not delay the owner of the name either.
    const spent = known !== undefined && known.failures + known.pending >= limit;
    return [
      ...(here ? [] : [this.#counter(`host ${host}`, limit)]),
      ...(here || site === undefined ? [] : [this.#counter(`site ${site}`, limit * WIDER)]),
      ...(known === undefined || spent ? [] : [known]),
      ...(user === "" ? [] : [this.#counter(`pair ${host} ${name}`, spent ? 1 : limit)]),
    ];
  }

  /** The key of a user's name. The case is ignored, as some directories do. A name can have any length, so its MAC is used. */
  #nameOf(user: string): string {
    return this.#mac(user.normalize("NFKC").trim().toLowerCase());
  }

  /** The counter of a key. A new counter is not kept yet, so that a refused attempt takes no room. */
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

  /** Keeps a counter, even if it has been dropped meanwhile. */
  #keep(counter: Counter): void {
    if (this.#young.get(counter.key) === counter) return;
    this.#young.set(counter.key, counter);
    if (this.#young.size >= this.#most / 2) this.#age();
  }

  /** Drops half of all counters at once, which is cheaper than dropping one by one; counters that refuse or delay attempts stay if there is room. */
  #age(): void {
    const now = this.#clock.now();
    const dropped = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    for (const [key, counter] of dropped) {
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
    for (const resume of waiting) resume();
  }

  #refuse({ since }: Counter): never {
    this.#tried("limited");
    const left = Math.max(1, Math.ceil((since + WINDOW_MS - this.#clock.now()) / 1000));
    throw new HttpError(429, "Too many failed logins from this address", { "Retry-After": String(left) });
  }

  #wasValid(mark: string): boolean {
    const until = this.#valid.get(mark);
    return until !== undefined && until > this.#clock.now();
  }

  #rememberUser({ address, user }: CredentialUse): void {
    if (user !== undefined && user !== "") {
      this.#remember(this.#knownMark(networksOf(address).host, this.#nameOf(user)));
    }
  }

  #remember(mark: string): void {
    this.#valid.delete(mark);
    this.#valid.set(mark, this.#clock.now() + VALID_MS);
    if (this.#valid.size > MAX_VALID) this.#valid.delete(this.#valid.keys().next().value!);
  }
}
