import { type LogLevel, type LogRecord, passes } from "./log.ts";

/** The part of a clock that {@link LogRate} uses. */
interface LogClock {
  now(): number;
  after(ms: number, callback: () => void): () => void;
}

/** The length of a window, in milliseconds: records within one window are counted together. */
const WINDOW_MS = 10_000;
/** The most loggers that are counted separately; all further ones are counted together. */
const MAX_NAMES = 500;

/** The most records that pass within a window: those of one message, and those of one logger over all its messages. */
interface Limit {
  message: number;
  logger: number;
}
/** Warnings have a low limit: a few lines show the problem. Lower levels may be a record of what was done, and have a high one. */
const WARNINGS: Limit = { message: 20, logger: 200 };
const NOTES: Limit = { message: 1000, logger: 5000 };

/** The records of one logger and level within a window. */
interface Group {
  name: string;
  level: LogLevel;
  limit: Limit;
  since: number;
  passed: number;
  /** For each message, how many passed and how many were held back; at most as many messages as may pass. */
  messages: Map<string, { passed: number; held: number }>;
  /** Records held back whose message is not in `messages`. */
  others: number;
  stop: (() => void) | undefined;
}

/**
 * Bounds what is logged. Most warnings of a daemon are caused by a remote peer, which can cause them again as fast as the
 * network allows: of the same message 20 pass in ten seconds (a thousand below `warning`), then one that counts the
 * others. Memory is bounded, too: a message is counted for one window only.
 *
 * ```ts
 * import type { Clock } from "./async/clock.ts";
 * import { createLogger } from "./log.ts";
 * import { LogRate } from "./log_rate.ts";
 *
 * export function quiet(clock: Clock) {
 *   const rate = new LogRate((record) => console.error(record.message), clock);
 *   return createLogger(rate.sink);
 * }
 * ```
 */
export class LogRate {
  readonly #sink: (record: LogRecord) => void;
  readonly #clock: LogClock;
  readonly #groups = new Map<string, Group>();

  /** Hands the records that it lets through to `sink`. @param sink takes the records that are let through */
  constructor(sink: (record: LogRecord) => void, clock: LogClock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Passes a record on, or counts it. */
  readonly sink = (record: LogRecord): void => {
    const group = this.#group(record);
    const { limit, messages } = group;
    const full = group.passed >= limit.logger;
    let message = messages.get(record.message);
    if (message === undefined && !full) messages.set(record.message, message = { passed: 0, held: 0 });
    if (message !== undefined && !full && message.passed < limit.message) {
      message.passed++;
      group.passed++;
      this.#sink(record);
      return;
    }
    if (message === undefined) group.others++;
    else message.held++;
    group.stop ??= this.#clock.after(group.since + WINDOW_MS - this.#clock.now(), () => this.#end(group));
  };

  /** Reports now how many records were held back, as before the program ends. */
  flush(): void {
    for (const group of [...this.#groups.values()]) this.#end(group);
  }

  #group({ name, level }: LogRecord): Group {
    const now = this.#clock.now();
    let key = `${level} ${name}`;
    let group = this.#groups.get(key);
    if (group === undefined && this.#groups.size >= MAX_NAMES) {
      name = "";
      key = `${level} `;
      group = this.#groups.get(key);
    }
    // A clock that was set back must not keep a window open.
    if (group !== undefined && (now - group.since >= WINDOW_MS || now < group.since)) {
      this.#end(group);
      group = undefined;
    }
    if (group === undefined) {
      const limit = passes(level, "warning") ? WARNINGS : NOTES;
      group = { name, level, limit, since: now, passed: 0, messages: new Map(), others: 0, stop: undefined };
      this.#groups.set(key, group);
    }
    return group;
  }

  #end(group: Group): void {
    group.stop?.();
    this.#groups.delete(`${group.level} ${group.name}`);
    const { name, level } = group;
    const tell = (count: number, message: string) => {
      if (count > 0) this.#sink({ level, name, message, fields: {} });
    };
    for (const [message, { held }] of group.messages) {
      tell(held, `${message} … and ${grouped(held)} more like this in ${WINDOW_MS / 1000} s`);
    }
    tell(group.others, `… and ${grouped(group.others)} other messages in ${WINDOW_MS / 1000} s`);
  }
}

/** `1,234` of 1234. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
