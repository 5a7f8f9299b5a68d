import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { sameBytes } from "../../runtime/bytes.ts";

/** A request to a pool of workers. */
export interface WorkerRequest {
  /** Which handler of the workers answers it. */
  kind: string;
  /** Who asked, such as a minion's id: one request of an owner and kind is run at a time, and few wait. */
  owner: string;
  /** What the handler is given. */
  body: Uint8Array;
  /** For messages: `the pillar of web1`. */
  label: string;
  /** False once its caller has gone. @default it stays */
  wanted?(): boolean;
}

/** One request with all callers that wait for its answer. */
export interface Entry {
  readonly request: WorkerRequest;
  readonly callers: { answer: Deferred<unknown>; wanted(): boolean }[];
  /** Workers that have died of it. */
  deaths: number;
  isRunning: boolean;
}

export interface WorkerQueueOptions {
  /** Requests that wait. @default 10000 */
  limit?: number;
  /** Bytes of the requests that wait. @default 256 MiB */
  maxBytes?: number;
  /** Requests of one owner and kind that wait. @default 64 */
  perOwner?: number;
}

/** Owners that may fill the line together: none may fill it alone. */
const OWNERS = 16;
/** Callers that wait for one answer. */
const CALLERS = 64;

/**
 * The requests that wait for a worker, in order within each kind; kinds take turns. Bounded in all and for each owner. A
 * request that waits already is not added a second time: its callers share the answer.
 */
export class WorkerQueue {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #perOwner: number;
  readonly #kinds = new Map<string, Entry[]>();
  /** Entries that wait or run. */
  readonly #owners = new Map<string, Set<Entry>>();
  #size = 0;
  #bytes = 0;

  constructor({ limit = 10_000, maxBytes = 2 ** 28, perOwner = 64 }: WorkerQueueOptions = {}) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
    this.#perOwner = perOwner;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds a request; undefined if there is no room for it. */
  add(request: WorkerRequest): Promise<unknown> | undefined {
    const { body, kind, wanted = () => true } = request;
    const owned = this.#owners.get(ownerOf(request)) ?? new Set<Entry>();
    const caller = { answer: deferred<unknown>(), wanted };
    const same = [...owned].find((entry) => isOpenTo(entry) && sameBytes(entry.request.body, body));
    if (same !== undefined) {
      if (same.callers.length >= CALLERS) same.callers.splice(0, same.callers.length, ...same.callers.filter(isWanted));
      if (same.callers.length >= CALLERS) return undefined;
      same.callers.push(caller);
      return caller.answer.promise;
    }
    const waiting = [...owned].filter(({ isRunning }) => !isRunning);
    for (const entry of waiting) if (!entry.callers.some(isWanted)) this.drop(entry);
    const mine = [...owned].filter(({ isRunning }) => !isRunning);
    const bytes = mine.reduce((sum, one) => sum + one.request.body.length, body.length);
    if (mine.length >= this.#perOwner || this.#size >= this.#limit) return undefined;
    if (this.#bytes + body.length > this.#maxBytes || bytes > this.#maxBytes / OWNERS) return undefined;
    const entry: Entry = { request, callers: [caller], deaths: 0, isRunning: false };
    this.#owners.set(ownerOf(request), owned.add(entry));
    this.#queue(kind).push(entry);
    this.#count(entry, 1);
    return caller.answer.promise;
  }

  #queue(kind: string): Entry[] {
    let queue = this.#kinds.get(kind);
    if (queue === undefined) this.#kinds.set(kind, queue = []);
    return queue;
  }

  #count({ request }: Entry, by: 1 | -1): void {
    this.#size += by;
    this.#bytes += by * request.body.length;
  }

  /** The next request that may run; its entry counts as running. Those whose callers have all gone are dropped. */
  take(): Entry | undefined {
    for (const [kind, queue] of this.#kinds) {
      for (let at = 0; at < queue.length;) {
        const entry = queue[at]!;
        if (!entry.callers.some(isWanted)) {
          this.drop(entry);
          continue;
        }
        if (this.#runs(entry.request)) {
          at++;
          continue;
        }
        queue.splice(at, 1);
        this.#count(entry, -1);
        entry.isRunning = true;
        // The other kinds come first next time.
        this.#kinds.delete(kind);
        if (queue.length > 0) this.#kinds.set(kind, queue);
        return entry;
      }
    }
    return undefined;
  }

  #runs(request: WorkerRequest): boolean {
    return [...this.#owners.get(ownerOf(request)) ?? []].some(({ isRunning }) => isRunning);
  }

  /** A request whose worker has died waits again, before all others. */
  putBack(entry: Entry): void {
    entry.isRunning = false;
    this.#queue(entry.request.kind).unshift(entry);
    this.#count(entry, 1);
  }

  /** A request that was taken is over. */
  done(entry: Entry): void {
    const owner = ownerOf(entry.request);
    const owned = this.#owners.get(owner);
    owned?.delete(entry);
    if (owned?.size === 0) this.#owners.delete(owner);
  }

  /** Takes a waiting request out; nobody waits for it any more. */
  drop(entry: Entry): void {
    const { kind } = entry.request;
    const queue = this.#queue(kind);
    const at = queue.indexOf(entry);
    if (at >= 0) {
      queue.splice(at, 1);
      this.#count(entry, -1);
    }
    if (queue.length === 0) this.#kinds.delete(kind);
    this.done(entry);
    for (const { answer } of entry.callers) answer.reject(new NotTakenError());
  }

  /** Takes all waiting requests out. */
  takeAll(): Entry[] {
    const all = [...this.#kinds.values()].flat();
    this.#kinds.clear();
    for (const entry of all) {
      this.#count(entry, -1);
      this.done(entry);
    }
    return all;
  }
}

/** What a request is counted and poisoned under. */
export function ownerOf({ kind, owner }: WorkerRequest): string {
  return `${kind} ${owner}`;
}

function isWanted({ wanted }: { wanted(): boolean }): boolean {
  return wanted();
}

/**
 * Whether a caller may wait with the others of an entry. One that is running may have read files before the caller changed
 * them; if its callers have all gone, though, this is one of them that asks again.
 */
function isOpenTo({ isRunning, callers }: Entry): boolean {
  return !isRunning || !callers.some(isWanted);
}

/** A request that was not taken, or whose caller has gone: nobody is to be answered, and who still cares asks again. */
export class NotTakenError extends Error {
  constructor() {
    super("The request was refused: its caller has disconnected, or too many requests wait");
    this.name = "NotTakenError";
  }
}
