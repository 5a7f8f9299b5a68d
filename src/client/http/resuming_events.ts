import { eventIn } from "../../model/api_answer.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import { codeOf, messageOf, TimeoutError } from "../../base/errors.ts";
import { ClientError } from "../client_error.ts";
import { isRecord } from "../../base/record.ts";
import type { SaltEvent } from "../salt.ts";
import { discard } from "./bounded_body.ts";
import { type ServerSentEvent, serverSentEvents } from "./server_sent_events.ts";

/** The options for following the events of a salt-api. */
interface ResumingOptions {
  clock: Clock;
  /** A random number in [0, 1). */
  random(): number;
  /** The most characters of one event. */
  most: number;
  /** How long the server may be unreachable, in milliseconds. */
  patienceMs: number;
  /** The time within which the stream has to begin after the server's answer, in milliseconds. */
  beginMs: number;
  /** Requests the stream of events after an id; `""` for events from now on. */
  open(after: string, signal: AbortSignal): Promise<Response>;
  /** The id after which to begin. @default events from now on */
  after?: string;
  signal: AbortSignal;
  /** Called each time the server has started the stream. */
  onOpen(): void;
  onMissed(count: number | undefined): void;
}

export interface HeardEvent {
  event: SaltEvent;
  /** The number of characters in which the event's data was received. */
  size: number;
}

/** The most characters of a tag: Salt's tags have the ids of a job and a minion, and a few words. */
const MAX_TAG_CHARACTERS = 65_536;
/** The waits between two attempts to connect, in milliseconds. */
const RETRY = { initialMs: 500, maxMs: 10_000 };
/** The age from which a stream counts as one that worked, in milliseconds. */
const WORKED_MS = 5000;
/** The silence after which a Brine server, which sends regular signs of life, counts as unreachable, in milliseconds. */
const SILENCE_MS = 60_000;
/** The codes of failures that another attempt cannot fix. */
const LASTING: readonly string[] = ["AUTHENTICATION", "PERMISSION", "REFUSED", "PROTOCOL", "INSECURE"];

/**
 * The events of a salt-api; the stream survives interruptions. If the server numbers its events, those of the interruption follow; if
 * it does not, or no longer has them, they are reported as missed.
 *
 * @throws {ClientError} `UNREACHABLE` once the server was unreachable for too long; an error of the first attempt at once
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

/** The error for a stream that was answered, but sent no data. */
const notBegun = (late: boolean, beginMs: number): Error =>
  late
    ? new TimeoutError(`The server did not start its event stream within ${beginMs} ms`, { timeoutMs: beginMs })
    : new ClientError("UNREACHABLE", "The server closed its event stream before it started");

/** The position of a listener in the stream of events. */
class Cursor {
  readonly #options: ResumingOptions;
  #after: string;
  /** True if the stream has to continue after an id: the caller gave one, or there was a connection before. */
  #resumes: boolean;
  everOpened = false;
  /** True if the latest connection has received data. */
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
        // Only servers with ids (Brine) send signs of life: Salt's server is silent while there are no events.
        if (this.#after !== "") stopTimer = clock.after(SILENCE_MS, () => link.abort());
      }
      // A connection without any data is an error: otherwise the listener would wait while the client reconnects forever.
      if (!this.opened) throw notBegun(link.signal.aborted, beginMs);
    } finally {
      stopTimer();
      signal.removeEventListener("abort", abort);
      link.abort();
    }
  }

  /** Handles the first bytes of a connection: from now on no event is missed. */
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
    if (event === undefined || event.tag.length > MAX_TAG_CHARACTERS) return undefined;
    return { event: { tag: event.tag, data: event.data, id }, size: data.length };
  }
}

/** The number of lost events; undefined if the server does not know it. */
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
