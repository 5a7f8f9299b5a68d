import type { LogLevel } from "../../src/base/log.ts";

/** Where lines of a log go. Nothing in it throws once it is open: a log must not stop what it reports on. */
export interface LogTarget {
  /** @param text a line with its line feed */
  write(text: string, level: LogLevel): void;
  /** Opens it again, after a rotation or as another user. */
  reopen(): void;
  close(): void;
}
