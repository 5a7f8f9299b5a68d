import { createLogger, formatText, type Logger, type LogRecord } from "../../src/base/log.ts";

/** A log that is kept: every record of every level. */
export interface CapturedLog {
  log: Logger;
  records: LogRecord[];
  /** All of it as an operator would read it. */
  text(): string;
  /** Messages of warnings and worse. */
  complaints(): string[];
}

export function captureLog(): CapturedLog {
  const records: LogRecord[] = [];
  return {
    log: createLogger((record) => void records.push(record), "all"),
    records,
    text: () => records.map(formatText).join("\n"),
    complaints: () =>
      records.filter(({ level }) => ["warning", "error", "critical"].includes(level)).map(({ message }) => message),
  };
}
