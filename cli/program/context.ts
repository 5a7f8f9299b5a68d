import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramLog } from "../daemon/program_log.ts";
import type { OptionValues } from "../options/request.ts";

export interface ProgramContext {
  runtime: Runtime;
  options: OptionValues;
  positionals: string[];
  explicit: ReadonlySet<string>;
  configDir: string;
  log: Logger;
  /** The log, which {@link readConfig} configures. @default the log is not configured */
  logging?: ProgramLog;
  /** Prints data to stdout; on a terminal, control characters are removed. */
  print(text: string): void;
  /** Prints without removing control characters, for `strip_colors: False`. @default as `print` */
  printAsIs?(text: string): void;
  /** Resolves when stdout accepts more: a program with endless output must wait for its reader. */
  drained?(): Promise<void>;
  /** Prints a message for people to stderr. */
  complain(text: string): void;
  /** Prints advice for a person to stderr. @default no advice, because stderr is not a terminal and scripts compare it */
  advise?(text: string): void;
  /**
   * Replaces the status line at the end of stderr; an empty text removes it. Other output appears above it. @default none,
   * because stderr is not a terminal
   */
  statusLine?(text: string): void;
  stdinText(): Promise<string>;
  /** The next line of stdin without its line feed; undefined at the end of stdin. */
  stdinLine(): Promise<string | undefined>;
  /** Asks a person, on stderr, for a line of stdin; undefined at the end of stdin. With `hidden`, the answer is not echoed. */
  prompt(question: string, how?: { hidden?: boolean }): Promise<string | undefined>;
  terminal: boolean;
}

/** The parts of a program that the functions of this host need: an engine has no command line. */
export type CallProgram = Pick<ProgramContext, "runtime" | "options" | "log">;
