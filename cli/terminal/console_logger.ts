import { createLogger, formatText, type Logger, type LogLevel } from "../../src/base/log.ts";

declare const process: { stderr: { write(text: string): boolean } };

/** A logger to stderr, in Salt's console form. */
export function consoleLogger(level: LogLevel): Logger {
  return createLogger((record) => void process.stderr.write(`${formatText(record)}\n`), level);
}
