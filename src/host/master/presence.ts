import type { KeyDirectories } from "./keys/key_directories.ts";
import { hostOf } from "../../protocol/zmtp/mod.ts";

/** The order of a minion's statements: they are numbered from its start on, so that the newer of two is known. */
export interface Order {
  life: string;
  number: number;
}

/** The bytes of a large return, of which a host's minions may send one each at once. */
const USUAL_BYTES = 2 ** 20;

/** The most connections of one minion that are shown: a minion has one or two, but may open thousands. */
const MAX_SHOWN = 4;

/**
 * Which minions are connected, by the connections over which they have authenticated themselves. A minion is connected from a request
 * of its own on, until the last of its connections ends: it may have several, and a `salt-call` beside it has one, too.
 */
export class Presence {
  /** Since when the master sees minions come and go: its start, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly #now: () => number;
  /** Minion → the connection of its last request. */
  readonly #last = new Map<string, string>();
  /** Minion → its open connections; a set only for those that have several. */
  readonly #open = new Map<string, string | Set<string>>();
  /** Connection → the minions that have authenticated over it. */
  readonly #minions = new Map<string, Set<string>>();
  /** Host → how many minions sent their last request from it. */
  readonly #hosts = new Map<string, number>();
  /** Host → the bytes of the largest message of its minions, of those that are larger than usual. */
  readonly #largest = new Map<string, number>();
  readonly #goneSince = new Map<string, number>();
  /** Minion → since when it is connected here. */
  readonly #upSince = new Map<string, number>();
  /** Brine minions, each with the newest of its statements; undefined for one that does not number them. */
  readonly #brine = new Map<string, Order | undefined>();
  /** Brine minions that were away since they last stated anything: another program may have taken their place. */
  readonly #doubted = new Set<string>();
  /** Minions that are connected here and take jobs: what is queued for them can be sent. */
  readonly #listening = new Set<string>();
  /** Other master of the cluster → the minions that take jobs there. */
  readonly #listeningElsewhere = new Map<string, Set<string>>();
  /** Other master of the cluster → the minions that are connected there. */
  readonly #peers = new Map<string, Set<string>>();
  /** Called when a minion connects to this master, or its last connection here ends. @default not called */
  onChange: ((id: string, connected: boolean) => void) | undefined;
  /** Called when a minion begins to take jobs at this master. @default not called */
  onListening: ((id: string) => void) | undefined;

  /** The remote ends of the connections that take publications; nobody has said over one of them who it is. @default none are known */
  subscribers: (() => Iterable<string>) | undefined;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
    this.sinceMs = now();
  }

  /**
   * Notes that a minion has authenticated itself over a connection. True if it counted as away before.
   *
   * @param remote names the connection while it lasts; empty where the socket library does not report it
   * @param bytes the size of the message that proved it
   */
  heard(id: string, remote: string, bytes = 0): boolean {
    if (bytes > USUAL_BYTES) this.#noteLarge(remote, bytes);
    const open = this.#open.get(id);
    const last = this.#last.get(id);
    if (last === remote && open === remote) return false;
    this.#last.set(id, remote);
    if (last !== remote) this.#move(last, remote);
    this.#goneSince.delete(id);
    if (open === undefined) this.#open.set(id, remote);
    else if (typeof open !== "string") open.add(remote);
    else if (open !== remote) this.#open.set(id, new Set([open, remote]));
    if (remote !== "") {
      const minions = this.#minions.get(remote);
      if (minions === undefined) this.#minions.set(remote, new Set([id]));
      else minions.add(id);
    }
    if (open === undefined) {
      this.#upSince.set(id, this.#now());
      this.onChange?.(id, true);
    }
    return open === undefined;
  }

  /** True if a minion has authenticated itself from a host. */
  knows(host: string): boolean {
    return this.#hosts.has(host);
  }

  /** How many minions have sent their last request from that host. */
  minionsAt(host: string): number {
    return this.#hosts.get(host) ?? 0;
  }

  /** How many bytes the minions of a host send at once, as far as they have shown. */
  bytesOf(host: string): number {
    return this.minionsAt(host) * USUAL_BYTES + (this.#largest.get(host) ?? 0);
  }

  #noteLarge(remote: string, bytes: number): void {
    const host = hostOf(remote);
    if (bytes > (this.#largest.get(host) ?? 0)) this.#largest.set(host, bytes);
  }

  #move(from: string | undefined, to: string): void {
    const host = hostOf(to);
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    if (from === undefined) return;
    const before = hostOf(from);
    const left = this.#hosts.get(before)! - 1;
    if (left > 0) this.#hosts.set(before, left);
    else {
      this.#hosts.delete(before);
      this.#largest.delete(before);
    }
  }

  /** Notes that a connection has ended. */
  left(remote: string): void {
    for (const id of this.#minions.get(remote) ?? []) {
      const open = this.#open.get(id);
      if (open instanceof Set) {
        open.delete(remote);
        if (open.size > 1) continue;
        const [only] = open;
        this.#open.set(id, only!);
      } else if (open === remote) {
        this.#open.delete(id);
        this.#upSince.delete(id);
        this.#listening.delete(id);
        if (this.#brine.has(id)) this.#doubted.add(id);
        if (!this.#elsewhere(id)) this.#goneSince.set(id, this.#now());
        this.onChange?.(id, false);
      }
    }
    this.#minions.delete(remote);
  }

  /** True if a minion is connected to this master or to another master of the cluster. */
  connected(id: string): boolean {
    return this.#open.has(id) || this.#peers.size > 0 && this.#elsewhere(id);
  }

  /** Ids of the minions that are connected here, or to another master of the cluster. */
  ids(): Iterable<string> {
    if (this.#peers.size === 0) return this.#open.keys();
    return new Set([...this.#open.keys(), ...[...this.#peers.values()].flatMap((ids) => [...ids])]);
  }

  /** The newest connections to this master over which a minion has authenticated itself, {@link MAX_SHOWN} at most. */
  connectionsOf(id: string): readonly string[] {
    const open = this.#open.get(id);
    return open === undefined ? [] : typeof open === "string" ? [open] : [...open].slice(-MAX_SHOWN);
  }

  /**
   * Connections that take publications from hosts with fewer connected minions. After a restart of the master these are minions of real
   * Salt: they connect again, and send nothing until the next job.
   */
  unnamed(): number {
    const open = new Map<string, number>();
    for (const remote of this.subscribers?.() ?? []) {
      const host = hostOf(remote);
      open.set(host, (open.get(host) ?? 0) + 1);
    }
    for (const id of this.#open.keys()) {
      const host = hostOf(this.#last.get(id)!);
      const left = open.get(host);
      if (left !== undefined) open.set(host, left - 1);
    }
    return [...open.values()].reduce((sum, left) => sum + Math.max(0, left), 0);
  }

  /** Ids of the minions that are connected to this master. */
  here(): Iterable<string> {
    return this.#open.keys();
  }

  #elsewhere(id: string): boolean {
    for (const ids of this.#peers.values()) if (ids.has(id)) return true;
    return false;
  }

  /** Notes that a minion takes jobs, also queued ones, from now on: a Brine minion has asked for them, a Salt minion has subscribed by now. */
  listensHere(id: string): void {
    if (this.#listening.has(id) || !this.#open.has(id)) return;
    this.#listening.add(id);
    this.onListening?.(id);
  }

  /** True if a job sent now reaches the minion, by what is known of its connection. */
  listens(id: string): boolean {
    if (this.#listening.has(id)) return true;
    for (const ids of this.#listeningElsewhere.values()) if (ids.has(id)) return true;
    return false;
  }

  /** Ids of the minions that take jobs at this master. */
  listening(): Iterable<string> {
    return this.#listening;
  }

  /** Notes that a minion takes jobs at another master. @returns false if that was known */
  peerListens(master: string, id: string, isBrine: boolean): boolean {
    let ids = this.#listeningElsewhere.get(master);
    if (ids === undefined) this.#listeningElsewhere.set(master, ids = new Set());
    if (isBrine) this.markBrine(id);
    else this.#brine.delete(id);
    if (ids.has(id)) return false;
    ids.add(id);
    return true;
  }

  /** Takes the minions that have come to another master and left it. @param whole true if these are all of its minions */
  peerSays(master: string, come: Iterable<string>, left: Iterable<string>, whole: boolean): void {
    let ids = this.#peers.get(master);
    if (ids === undefined) this.#peers.set(master, ids = new Set());
    const before = whole ? [...ids] : [...left];
    if (whole) ids.clear();
    for (const id of come) {
      ids.add(id);
      this.#goneSince.delete(id);
    }
    if (!whole) { for (const id of before) ids.delete(id); }
    const listening = this.#listeningElsewhere.get(master);
    for (const id of listening ?? []) if (!ids.has(id)) listening!.delete(id);
    this.#missing(before);
  }

  /** Forgets another master that is gone, with the connections to it. */
  peerGone(master: string): void {
    const ids = this.#peers.get(master) ?? [];
    this.#peers.delete(master);
    this.#listeningElsewhere.delete(master);
    this.#missing(ids);
  }

  /** The other masters that have reported minions. */
  get peers(): Iterable<string> {
    return this.#peers.keys();
  }

  #missing(ids: Iterable<string>): void {
    for (const id of ids) if (!this.connected(id)) this.#goneSince.set(id, this.#now());
  }

  /** Since when a minion is away, in milliseconds since the epoch; undefined if it is connected, or silent since this master started. */
  goneSince(id: string): number | undefined {
    return this.#goneSince.get(id);
  }

  /** Since when a minion is connected to this master, in milliseconds since the epoch; undefined if it is not. */
  upSince(id: string): number | undefined {
    return this.#upSince.get(id);
  }

  /**
   * Notes that a minion is a Brine minion: it acknowledges jobs, and asks for those that it has missed.
   *
   * @param order the number of its present statement
   * @returns false if a newer statement has come before: the two have overtaken each other
   */
  markBrine(id: string, order?: Order): boolean {
    this.#doubted.delete(id);
    const newest = this.#brine.get(id);
    const stale = order !== undefined && newest !== undefined && order.life === newest.life &&
      order.number < newest.number;
    if (!stale) this.#brine.set(id, order ?? newest);
    return !stale;
  }

  /** Notes a minion's start event. A Brine minion has stated its jobs before it; a minion that has not is now a Salt minion. */
  started(id: string): void {
    if (this.#doubted.delete(id)) this.#brine.delete(id);
  }

  isBrine(id: string): boolean {
    return this.#brine.has(id);
  }

  /** Yields each minion that has sent a request, with the address of its last connection. */
  remotes(): Iterable<[string, string]> {
    return this.#last;
  }
}

/** The connected minions whose keys are accepted, sorted. */
export function presentMinions(
  { keys, presence }: { keys: Pick<KeyDirectories, "list">; presence: Pick<Presence, "connected"> },
): string[] {
  return keys.list("accepted").filter((id) => presence.connected(id));
}
