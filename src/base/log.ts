import { printable } from "./printable.ts";

/** Salt's log levels, quietest last. */
export type LogLevel =
  | "all"
  | "garbage"
  | "trace"
  | "debug"
  | "profile"
  | "info"
  | "warning"
  | "error"
  | "critical"
  | "quiet";

/** Every {@link LogLevel}, quietest last. */
export const LOG_LEVELS: readonly LogLevel[] = [
  "all",
  "garbage",
  "trace",
  "debug",
  "profile",
  "info",
  "warning",
  "error",
  "critical",
  "quiet",
];

/** The values that belong to a message. Never key material; payloads at `trace` only. */
export type LogFields = Record<string, unknown>;

/** The log of one part of Brine: the message is a constant, the values are fields. */
export interface Logger {
  /** Returns a logger with the same sink and a longer name: `child("req")` of the logger `"channel"` is `"channel.req"`. */
  child(name: string): Logger;
  /** False when a message of that level would be dropped; for callers whose fields are expensive to compute. */
  enabled(level: LogLevel): boolean;
  /** Logs what makes the program unusable. */
  critical(message: string, fields?: LogFields): void;
  /** Logs a failure that needs an operator. */
  error(message: string, fields?: LogFields): void;
  /** Logs what may become a failure. */
  warning(message: string, fields?: LogFields): void;
  /** Logs what an operator wants to know about normal operation. */
  info(message: string, fields?: LogFields): void;
  /** Logs what a developer wants to know. */
  debug(message: string, fields?: LogFields): void;
  /** Logs single messages and payloads. */
  trace(message: string, fields?: LogFields): void;
}

/** One message on its way to a sink. */
export interface LogRecord {
  /** The level it was logged at. */
  level: LogLevel;
  /** The part of the program, such as `channel.req`. */
  name: string;
  /** Constant text. */
  message: string;
  /** The values that belong to the message. */
  fields: LogFields;
}

const RANK = new Map<LogLevel, number>(LOG_LEVELS.map((level, rank) => [level, rank]));

export function passes(level: LogLevel, threshold: LogLevel): boolean {
  return (RANK.get(level) ?? 0) >= (RANK.get(threshold) ?? 0);
}

/** The threshold of a logger, which may change while the logger is used. */
export interface Threshold {
  /** The least level that is logged. */
  readonly level: LogLevel;
}

class SinkLogger implements Logger {
  readonly #sink: (record: LogRecord) => void;
  readonly #threshold: Threshold;
  readonly #name: string;

  constructor(sink: (record: LogRecord) => void, threshold: Threshold, name: string) {
    this.#sink = sink;
    this.#threshold = threshold;
    this.#name = name;
  }

  child(name: string): Logger {
    return new SinkLogger(this.#sink, this.#threshold, this.#name === "" ? name : `${this.#name}.${name}`);
  }

  enabled(level: LogLevel): boolean {
    return passes(level, this.#threshold.level);
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (passes(level, this.#threshold.level)) this.#sink({ level, name: this.#name, message, fields });
  }

  critical(message: string, fields?: LogFields): void {
    this.#log("critical", message, fields);
  }
  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }
  warning(message: string, fields?: LogFields): void {
    this.#log("warning", message, fields);
  }
  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }
  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }
  trace(message: string, fields?: LogFields): void {
    this.#log("trace", message, fields);
  }
}

/**
 * A logger that passes every record of at least `threshold`, which may change, to `sink`.
 *
 * @example
 * ```ts
 * const log = createLogger(({ level, message, fields }) => console.log(level, message, fields.id), "info", "my_program");
 * log.info("minion is back", { id: "web1" }); // info minion is back web1
 * ```
 */
export function createLogger(
  sink: (record: LogRecord) => void,
  threshold: LogLevel | Threshold = "warning",
  name = "",
): Logger {
  return new SinkLogger(sink, typeof threshold === "string" ? { level: threshold } : threshold, name);
}

/**
 * A logger that drops everything.
 *
 * @example
 * ```ts
 * silentLogger.error("nobody hears of this");
 * console.log(silentLogger.enabled("critical")); // false
 * ```
 */
export const silentLogger: Logger = createLogger(() => {}, "quiet");

/** The most characters that are shown of a message, and of each of its values. */
const MAX_SHOWN_CHARACTERS = 1000;

function fieldText(value: unknown): string {
  const text = typeof value === "string"
    ? value
    : value instanceof Error
    ? value.message
    : typeof value === "bigint"
    ? value.toString()
    : JSON.stringify(value, (_key, item) => typeof item === "bigint" ? item.toString() : item) ?? String(value);
  return printable(text, MAX_SHOWN_CHARACTERS);
}

/** Salt's console form: `[WARNING ] message`, then the fields as `key=value`. */
export function formatText(record: LogRecord): string {
  const fields = Object.entries(record.fields).map(([key, value]) => ` ${key}=${fieldText(value)}`).join("");
  const message = printable(record.message, MAX_SHOWN_CHARACTERS);
  return `[${record.level.toUpperCase().padEnd(8)}] ${message}${fields === "" ? "" : ":" + fields}`;
}
