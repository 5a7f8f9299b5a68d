/** The log of programs that end by themselves: on stderr, and in the file that the configuration or `--log-file` names. */
import { dirName, joinPath } from "../../src/config/paths.ts";
import { messageOf } from "../../src/errors.ts";
import {
  createLogger,
  formatText,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
  type LogRecord,
  passes,
} from "../../src/log.ts";
import type { Runtime } from "../../src/runtime/mod.ts";
import { logLine } from "./log_line.ts";

/** A level by its name; `warning` for an unknown one. */
function levelOf(name: unknown): LogLevel {
  const word = String(name ?? "").toLowerCase();
  return (LOG_LEVELS as readonly string[]).includes(word) ? word as LogLevel : "warning";
}

export interface LogSettings {
  /** `log_level`. */
  console: unknown;
  /** `log_level_logfile`. */
  file: unknown;
  /** Empty for none. */
  path: string;
  /** True if the file was named: its directory is created, and a failure to write it is reported. */
  wanted: boolean;
}

/** Logs to the console at first: the rest is in the configuration, whose reading may have to be logged. */
export class ProgramLog {
  readonly log: Logger;
  readonly #runtime: Runtime;
  readonly #complain: (text: string) => void;
  readonly #threshold: { level: LogLevel };
  #console: LogLevel;
  #file: LogLevel = "quiet";
  #path = "";
  #wanted = false;

  constructor(runtime: Runtime, console: unknown, complain: (text: string) => void) {
    this.#runtime = runtime;
    this.#complain = complain;
    this.#console = levelOf(console);
    this.#threshold = { level: this.#console };
    this.log = createLogger((record) => this.#write(record), this.#threshold);
  }

  configure({ console, file, path, wanted }: LogSettings): void {
    this.#console = levelOf(console);
    // Files of a system logger are not written to.
    this.#path = path.includes("://") ? "" : path;
    this.#file = this.#path === "" ? "quiet" : levelOf(file);
    this.#wanted = wanted;
    this.#threshold.level = passes(this.#console, this.#file) ? this.#file : this.#console;
  }

  #write(record: LogRecord): void {
    if (passes(record.level, this.#console)) this.#complain(formatText(record));
    if (this.#path === "" || !passes(record.level, this.#file)) return;
    const { fs, clock, process } = this.#runtime;
    try {
      if (this.#wanted) fs.mkdir(dirName(joinPath(process.cwd(), this.#path)));
      fs.append(this.#path, logLine(record, new Date(clock.now()), process.pid), 0o640);
    } catch (error) {
      // Most users of a program may not write to the log of the master.
      if (this.#wanted) this.#complain(`WARNING: the log file cannot be written: ${messageOf(error)}`);
      this.#path = "";
    }
  }
}
