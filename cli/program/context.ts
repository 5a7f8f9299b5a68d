import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramLog } from "../daemon/program_log.ts";
import type { OptionValues } from "../options/request.ts";

/** What a program is given. */
export interface ProgramContext {
  runtime: Runtime;
  options: OptionValues;
  positionals: string[];
  explicit: ReadonlySet<string>;
  /** Directory of the configuration files. */
  configDir: string;
  log: Logger;
  /** The log, which {@link readConfig} configures. @default it stays as it is */
  logging?: ProgramLog;
  /** Prints data to stdout; on a terminal without control characters. */
  print(text: string): void;
  /** Prints without removing control characters, for the option `strip_colors: False`. @default as `print` */
  printAsIs?(text: string): void;
  /** Resolves when stdout takes more: a program that prints without end must not run ahead of its reader. */
  drained?(): Promise<void>;
  /** Prints a message for people to stderr. */
  complain(text: string): void;
  /** Prints advice for a person to stderr. @default stderr is no terminal, and scripts compare what is printed there */
  advise?(text: string): void;
  /**
   * Shows a line at the end of stderr in the place of the one before; an empty one takes it away. What is printed meanwhile comes above it.
   * @default stderr is no terminal
   */
  statusLine?(text: string): void;
  stdinText(): Promise<string>;
  /** The next line of stdin without its line feed; undefined at its end. */
  stdinLine(): Promise<string | undefined>;
  /** Asks a person, on stderr, for a line of stdin; undefined at its end. A hidden answer is not shown as it is typed. */
  prompt(question: string, how?: { hidden?: boolean }): Promise<string | undefined>;
  /** True if stdout is a terminal. */
  terminal: boolean;
}

/** What of a program opens the functions of this host: an engine has no command line. */
export type CallProgram = Pick<ProgramContext, "runtime" | "options" | "log">;
