/** The log of programs that are not daemons: to stderr, and to the file of the configuration or of `--log-file`. */
import { dirName, joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import { createLogger, formatText, type Logger, type LogRecord, passes } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LogFormats, LogLevels } from "./log_settings.ts";
import { granularLevels, leastLevel, levelFor, levelNamed, logFormats } from "./log_settings.ts";

interface LogSettings {
  /** Level of the console: `log_level`. */
  console: unknown;
  /** Level of the file: `log_level_logfile`. */
  file: unknown;
  /** Path of the log file; empty for none. */
  path: string;
  /** True if the user or the configuration sets the path: then its directory is created, and write errors are reported. */
  wanted: boolean;
  /** Options with the formats, and the levels of single parts. */
  opts: Record<string, unknown>;
}

/** Logs to the console first. The file is set later, because reading the configuration may already log. */
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

  /** @throws {ConfigError} for an invalid format */
  configure({ console, file, path, wanted, opts }: LogSettings): void {
    this.#formats = logFormats(opts);
    // A system logger is for daemons only.
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
      // Most users may not write to the master's log file.
      if (this.#wanted) this.#complain(`WARNING: the log file cannot be written: ${messageOf(error)}`);
      this.#path = "";
    }
  }
}
