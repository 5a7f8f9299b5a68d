/** The log of programs that end by themselves: on stderr, and in the file that the configuration or `--log-file` names. */
import { dirName, joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import { createLogger, formatText, type Logger, type LogRecord, passes } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  granularLevels,
  leastLevel,
  levelFor,
  levelNamed,
  type LogFormats,
  logFormats,
  type LogLevels,
} from "./log_settings.ts";

export interface LogSettings {
  /** `log_level`. */
  console: unknown;
  /** `log_level_logfile`. */
  file: unknown;
  /** Empty for none. */
  path: string;
  /** True if the file was named: its directory is created, and a failure to write it is reported. */
  wanted: boolean;
  /** The formats and the levels of single parts. */
  opts: Record<string, unknown>;
}

/** Logs to the console at first: the rest is in the configuration, whose reading may have to be logged. */
export class ProgramLog {
  readonly log: Logger;
  readonly #runtime: Runtime;
  readonly #complain: (text: string) => void;
  readonly #threshold: { level: LogLevels["console"] };
  #levels: LogLevels;
  #formats: LogFormats | undefined;
  #path = "";
  #wanted = false;

  constructor(runtime: Runtime, console: unknown, complain: (text: string) => void) {
    this.#runtime = runtime;
    this.#complain = complain;
    this.#levels = { console: levelNamed(console), file: "quiet", granular: [] };
    this.#threshold = { level: leastLevel(this.#levels) };
    this.log = createLogger((record) => this.#write(record), this.#threshold);
  }

  /** @throws {ConfigError} for a format that cannot be read */
  configure({ console, file, path, wanted, opts }: LogSettings): void {
    this.#formats = logFormats(opts);
    // Only daemons write to a system logger.
    this.#path = path.includes("://") ? "" : path;
    this.#wanted = wanted;
    this.#levels = {
      console: levelNamed(console),
      file: this.#path === "" ? "quiet" : levelNamed(file),
      granular: granularLevels(opts),
    };
    this.#threshold.level = leastLevel(this.#levels);
  }

  #write(record: LogRecord): void {
    const { fs, clock, process } = this.#runtime;
    const time = new Date(clock.now());
    if (passes(record.level, levelFor(this.#levels, record.name, "console"))) {
      this.#complain(this.#formats?.console(record, time, process.pid) ?? formatText(record));
    }
    if (this.#path === "" || !passes(record.level, levelFor(this.#levels, record.name, "file"))) return;
    try {
      if (this.#wanted) fs.mkdir(dirName(joinPath(process.cwd(), this.#path)));
      fs.append(this.#path, `${this.#formats!.file(record, time, process.pid)}\n`, 0o640);
    } catch (error) {
      // Most users of a program may not write to the log of the master.
      if (this.#wanted) this.#complain(`WARNING: the log file cannot be written: ${messageOf(error)}`);
      this.#path = "";
    }
  }
}
