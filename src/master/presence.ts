/**
 * Which minions are there: told by the connections over which they prove who they are. A minion is connected from a request
 * of its own on, until that connection ends.
 */
export class Presence {
  readonly #now: () => number;
  /** Minion → the connection over which it was heard last. */
  readonly #remote = new Map<string, string>();
  readonly #minions = new Map<string, Set<string>>();
  readonly #goneSince = new Map<string, number>();
  readonly #extended = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * A minion has proven itself over a connection. True if it counted as away before.
   *
   * @param remote names the connection while it lasts; empty where the socket library does not tell
   */
  heard(id: string, remote: string): boolean {
    const before = this.#remote.get(id);
    const wasAway = before === undefined || this.#goneSince.has(id);
    if (before === remote && !wasAway) return false;
    if (before !== undefined) this.#minions.get(before)?.delete(id);
    this.#remote.set(id, remote);
    this.#goneSince.delete(id);
    if (remote !== "") {
      const minions = this.#minions.get(remote);
      if (minions === undefined) this.#minions.set(remote, new Set([id]));
      else minions.add(id);
    }
    return wasAway;
  }

  /** A connection has ended. */
  left(remote: string): void {
    for (const id of this.#minions.get(remote) ?? []) this.#goneSince.set(id, this.#now());
    this.#minions.delete(remote);
  }

  connected(id: string): boolean {
    return this.#remote.has(id) && !this.#goneSince.has(id);
  }

  /** Milliseconds since the epoch; undefined if it is connected, or was not heard since this master started. */
  goneSince(id: string): number | undefined {
    return this.#goneSince.get(id);
  }

  /** The minion is one of ours: it acknowledges jobs, and asks for those that it has missed. */
  extend(id: string): void {
    this.#extended.add(id);
  }

  extended(id: string): boolean {
    return this.#extended.has(id);
  }

  /** Each minion that was ever heard, with the address of its last connection. */
  remotes(): Iterable<[string, string]> {
    return this.#remote;
  }
}
