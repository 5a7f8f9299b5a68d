import { eventIn } from "../../model/api_answer.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import { codeOf, messageOf, TimeoutError } from "../../base/errors.ts";
import { ClientError } from "../client_error.ts";
import { isRecord } from "../../base/record.ts";
import type { SaltEvent } from "../salt.ts";
import { discard } from "./bounded_body.ts";
import { type ServerSentEvent, serverSentEvents } from "./server_sent_events.ts";

/** How the events of a salt-api are followed. */
export interface ResumingOptions {
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Characters of one event at most. */
  most: number;
  /** For how long the server may be away, in milliseconds. */
  patienceMs: number;
  /** In what time the stream has to begin once the server has answered, in milliseconds. */
  beginMs: number;
  /** Requests the stream, from after that id on; `""` for what comes now. */
  open(after: string, signal: AbortSignal): Promise<Response>;
  /** The id to begin after. @default what comes now */
  after?: string;
  signal: AbortSignal;
  /** Called each time that the server listens for us. */
  onOpen(): void;
  onMissed(count: number | undefined): void;
}

/** An event as it was heard. */
export interface HeardEvent {
  event: SaltEvent;
  /** Characters that its data has come in. */
  size: number;
}

/** Characters of a tag at most: Salt's have the ids of a job and a minion, and a few words. */
const LONGEST_TAG = 65_536;
/** Waits between two attempts to listen. */
const RETRY = { initialMs: 500, maxMs: 10_000 };
/** A stream that has lasted so long counts as one that worked. */
const WORKED_MS = 5000;
/** How often a server of ours says that it is still there, and after how much silence it counts as gone. */
const SILENCE_MS = 60_000;
/** Failures that another attempt does not mend. */
const LASTING: readonly string[] = ["AUTHENTICATION", "PERMISSION", "REFUSED", "PROTOCOL", "INSECURE"];

/**
 * The events of a salt-api, across interruptions. Where the server numbers them, what was fired meanwhile comes after; where
 * it does not, or no longer has them, that is reported as missed.
 *
 * @throws {ClientError} `UNREACHABLE` once the server has been away for too long; at once what a first attempt shows
 */
export async function* resumingEvents(options: ResumingOptions): AsyncGenerator<HeardEvent, void, void> {
  const { clock, random, patienceMs, signal } = options;
  const cursor = new Cursor(options);
  let awaySinceMs: number | undefined;
  for (let attempt = 0; !signal.aborted;) {
    const startedMs = clock.elapsed();
    try {
      for await (const event of cursor.connection()) {
        attempt = 0;
        awaySinceMs = undefined;
        yield event;
      }
      if (cursor.opened && clock.elapsed() - startedMs > WORKED_MS) attempt = 0;
      if (cursor.opened) awaySinceMs = undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!cursor.everOpened || LASTING.includes(codeOf(error))) throw error;
      awaySinceMs ??= startedMs;
      if (clock.elapsed() - awaySinceMs >= patienceMs) throw gone(error, patienceMs);
    }
    if (signal.aborted) break;
    await clock.sleep(backoffDelay(attempt++, RETRY, random()), signal);
  }
  signal.throwIfAborted();
}

const gone = (error: unknown, patienceMs: number): ClientError =>
  new ClientError(
    "UNREACHABLE",
    `The event stream has ended: the server could not be reached for ${patienceMs} ms (${messageOf(error)})`,
    { cause: error },
  );

/** The error for a stream that has an answer and no contents. */
const notBegun = (late: boolean, beginMs: number): Error =>
  late
    ? new TimeoutError(`The server did not start its event stream within ${beginMs} ms`, { timeoutMs: beginMs })
    : new ClientError("UNREACHABLE", "The server closed its event stream before it started");

/** Where a listener is in the stream of events. */
class Cursor {
  readonly #options: ResumingOptions;
  #after: string;
  /** True if ids of the past have to be resolved: the caller named one, or there was a connection before. */
  #resumes: boolean;
  everOpened = false;
  /** Of the latest connection. */
  opened = false;

  constructor(options: ResumingOptions) {
    this.#options = options;
    this.#after = options.after ?? "";
    this.#resumes = options.after !== undefined;
  }

  /** The events of one connection, until it ends. */
  async *connection(): AsyncGenerator<HeardEvent, void, void> {
    const { clock, open, most, signal, beginMs } = this.#options;
    this.opened = false;
    const link = new AbortController();
    const abort = () => link.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    let stopTimer = () => {};
    try {
      const response = await open(this.#after, link.signal);
      checkType(response);
      stopTimer = clock.after(beginMs, () => link.abort());
      for await (const messages of serverSentEvents(response.body!, most, link.signal)) {
        stopTimer();
        this.#begin(messages);
        for (const message of messages) {
          const event = this.#take(message);
          if (event !== undefined) yield event;
        }
        // Real Salt's says nothing while nothing happens.
        if (this.#after !== "") stopTimer = clock.after(SILENCE_MS, () => link.abort());
      }
      // Nothing of it was ever heard: to ask again and again would be all that its listener waits for.
      if (!this.opened) throw notBegun(link.signal.aborted, beginMs);
    } finally {
      stopTimer();
      signal.removeEventListener("abort", abort);
      link.abort();
    }
  }

  /** The first bytes of a connection: from now on the server listens for us. */
  #begin(messages: readonly ServerSentEvent[]): void {
    if (this.opened) return;
    this.opened = this.everOpened = true;
    const numbered = messages.some(({ id }) => id !== "");
    if (this.#resumes && !numbered) this.#options.onMissed(undefined);
    this.#resumes = true;
    if (!numbered) this.#after = "";
    this.#options.onOpen();
  }

  #take({ type, id, data }: ServerSentEvent): HeardEvent | undefined {
    if (id !== "") this.#after = id;
    if (data === undefined) return undefined;
    if (type === "lost") {
      this.#options.onMissed(missedIn(data));
      return undefined;
    }
    const event = eventIn(data);
    if (event === undefined || event.tag.length > LONGEST_TAG) return undefined;
    return { event: { tag: event.tag, data: event.data, id }, size: data.length };
  }
}

/** How many events were lost; undefined if the server does not know. */
function missedIn(data: string): number | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) && typeof value.missed === "number" ? value.missed : undefined;
  } catch {
    return undefined;
  }
}

function checkType(response: Response): void {
  if (response.body !== null && /^text\/event-stream\b/.test(response.headers.get("Content-Type") ?? "")) return;
  discard(response);
  throw new ClientError("PROTOCOL", "The server answered GET /events without an event stream");
}
