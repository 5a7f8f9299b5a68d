import { SaltError } from "../../base/errors.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { sameBytes } from "../../runtime/bytes.ts";

export interface WorkerRequest {
  kind: string;
  /** The owner of the request, such as a minion's id: one request of an owner and kind runs at a time, and only a few wait. */
  owner: string;
  body: Uint8Array;
  /** The name of the request in messages: `the pillar of web1`. */
  label: string;
  /** False once the caller has disconnected. @default always true */
  wanted?(): boolean;
}

/** One request with all callers that wait for its answer. */
export interface QueuedRequest {
  readonly request: WorkerRequest;
  readonly callers: { answer: Deferred<unknown>; wanted(): boolean }[];
  deaths: number;
  isRunning: boolean;
}

export interface WorkerQueueOptions {
  /** The most requests that wait. @default 10000 */
  limit?: number;
  /** The most bytes of the requests that wait. @default 256 MiB */
  maxBytes?: number;
  /** The most requests of one owner and kind that wait. @default 64 */
  perOwner?: number;
}

/** The number of owners that can fill the queue together: one owner may use only its share. */
const OWNERS = 16;
/** The most callers that wait for one answer. */
const CALLERS = 64;

/**
 * The requests that wait for a worker, in order within each kind; kinds take turns. The queue is bounded in total and for each owner.
 * A request that waits already is not added a second time: its callers share the answer.
 */
export class WorkerQueue {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #perOwner: number;
  readonly #kinds = new Map<string, QueuedRequest[]>();
  /** The entries of each owner that wait or run. */
  readonly #owners = new Map<string, Set<QueuedRequest>>();
  #size = 0;
  #bytes = 0;

  constructor({ limit = 10_000, maxBytes = 2 ** 28, perOwner = 64 }: WorkerQueueOptions = {}) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
    this.#perOwner = perOwner;
  }

  /** The number of requests that wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds a request; undefined if there is no room for it. */
  add(request: WorkerRequest): Promise<unknown> | undefined {
    const { body, kind, wanted = () => true } = request;
    const owned = this.#owners.get(requestOwner(request)) ?? new Set<QueuedRequest>();
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
    const entry: QueuedRequest = { request, callers: [caller], deaths: 0, isRunning: false };
    this.#owners.set(requestOwner(request), owned.add(entry));
    this.#queue(kind).push(entry);
    this.#count(entry, 1);
    return caller.answer.promise;
  }

  #queue(kind: string): QueuedRequest[] {
    let queue = this.#kinds.get(kind);
    if (queue === undefined) this.#kinds.set(kind, queue = []);
    return queue;
  }

  #count({ request }: QueuedRequest, by: 1 | -1): void {
    this.#size += by;
    this.#bytes += by * request.body.length;
  }

  /** The next request that may run; its entry then counts as running. Requests whose callers have all disconnected are dropped. */
  take(): QueuedRequest | undefined {
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
        // Moves the kind to the end, so that the other kinds come first next time.
        this.#kinds.delete(kind);
        if (queue.length > 0) this.#kinds.set(kind, queue);
        return entry;
      }
    }
    return undefined;
  }

  #runs(request: WorkerRequest): boolean {
    return [...this.#owners.get(requestOwner(request)) ?? []].some(({ isRunning }) => isRunning);
  }

  /** Puts back a request whose worker has died, before all others. */
  putBack(entry: QueuedRequest): void {
    entry.isRunning = false;
    this.#queue(entry.request.kind).unshift(entry);
    this.#count(entry, 1);
  }

  /** Removes a request that was taken and has ended. */
  done(entry: QueuedRequest): void {
    const owner = requestOwner(entry.request);
    const owned = this.#owners.get(owner);
    owned?.delete(entry);
    if (owned?.size === 0) this.#owners.delete(owner);
  }

  /** Removes a waiting request that no caller waits for. */
  drop(entry: QueuedRequest): void {
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

  /** Removes and returns all waiting requests. */
  takeAll(): QueuedRequest[] {
    const all = [...this.#kinds.values()].flat();
    this.#kinds.clear();
    for (const entry of all) {
      this.#count(entry, -1);
      this.done(entry);
    }
    return all;
  }
}

/** The key under which a request is counted and put into quarantine. */
export function requestOwner({ kind, owner }: WorkerRequest): string {
  return `${kind} ${owner}`;
}

function isWanted({ wanted }: { wanted(): boolean }): boolean {
  return wanted();
}

/**
 * True if a caller may join the others of an entry. A running request may have read files before the caller changed them, so it is
 * closed; but if all its callers have disconnected, the new caller is one of them that tries again.
 */
function isOpenTo({ isRunning, callers }: QueuedRequest): boolean {
  return !isRunning || !callers.some(isWanted);
}

/** A request that was not taken, or whose callers have disconnected: there is no answer, and a caller that still waits tries again. */
export class NotTakenError extends SaltError {
  constructor() {
    super("NOT_TAKEN", "The request was refused: its caller has disconnected, or too many requests wait");
  }
}
