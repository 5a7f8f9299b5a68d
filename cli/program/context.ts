import type { Logger } from "../../src/log.ts";
import type { Runtime } from "../../src/runtime/mod.ts";
import type { ProgramLog } from "../daemon/program_log.ts";
import type { OptionValues } from "../options/mod.ts";

/** What a program is given. */
export interface ProgramContext {
  runtime: Runtime;
  options: OptionValues;
  positionals: string[];
  explicit: ReadonlySet<string>;
  /** Directory of the configuration files. */
  configDir: string;
  log: Logger;
  /** What {@link readConfig} tells how to log. @default it goes on as it began */
  logging?: ProgramLog;
  /** To stdout: data. On a terminal without what would steer it. */
  print(text: string): void;
  /** The same as it is, for whoever has set `strip_colors` to False. @default as `print` */
  printAsIs?(text: string): void;
  /** Resolves when there is room for more: whoever prints without end must not run ahead of its reader. */
  drained?(): Promise<void>;
  /** To stderr: what a person should see. */
  complain(text: string): void;
  stdinText(): Promise<string>;
  /** The next line of stdin without its line feed; undefined at its end. */
  stdinLine(): Promise<string | undefined>;
  /** Asks a person, on stderr, for a line of stdin; undefined at its end. A hidden answer is not shown as it is typed. */
  prompt(question: string, how?: { hidden?: boolean }): Promise<string | undefined>;
  /** True if stdout is a terminal. */
  terminal: boolean;
}
