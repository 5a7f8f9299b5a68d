import type { LogLevel } from "../../src/base/log.ts";

/** A destination for log lines. After opening, its functions must not throw: a log must not stop the program. */
export interface LogTarget {
  /** @param text a line, with its line feed */
  write(text: string, level: LogLevel): void;
  /** Opens the destination again, after a rotation or as another user. */
  reopen(): void;
  close(): void;
}
