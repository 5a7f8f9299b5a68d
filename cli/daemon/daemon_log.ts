/** The log of a daemon: to the console, and to the file or system logger of the configuration. */
import { messageOf } from "../../src/base/errors.ts";
import { createLogger, type Logger, type LogLevel, type LogRecord, passes } from "../../src/base/log.ts";
import { LogRate } from "../../src/base/log_rate.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LastErrors } from "./last_errors.ts";
import { LogFile } from "./log_file.ts";
import { granularLevels, leastLevel, levelFor, levelNamed, logFormats, type LogLevels } from "./log_settings.ts";
import type { LogTarget } from "./log_format.ts";
import { Syslog } from "./syslog.ts";
import { isSyslogAddress, syslogAddress } from "./syslog_address.ts";

declare const process: {
  stderr: { write(text: string): boolean };
  on(event: string, handler: () => void): void;
};

interface DaemonLogOptions {
  runtime: Runtime;
  /** Log options; `log_file` is the path or address of the log. */
  opts: Record<string, unknown>;
  /** Name of the option that sets `log_file`, for errors. @default "log_file" */
  option?: string;
  /** Tag of the lines at a system logger: `salt-master`. */
  program: string;
  /** Level from the command line, which overrides the configuration for the console. */
  consoleLevel?: unknown;
  /** True to log to stderr; false in the background, where nobody reads it. @default true */
  console?: boolean;
  /** Collects the errors for the status report. @default errors are not collected */
  errors?: LastErrors;
  /** Reports a failure of the log itself. */
  complain(text: string): void;
}

export class DaemonLog {
  readonly log: Logger;
  readonly #options: DaemonLogOptions;
  readonly #threshold: { level: LogLevel };
  readonly #rate: LogRate;
  #levels: LogLevels;
  readonly #formats;
  #target: LogTarget | undefined;

  /** @throws {ConfigError} for an invalid format or address of a system logger */
  constructor(options: DaemonLogOptions) {
    const { runtime, opts } = options;
    this.#options = options;
    this.#formats = logFormats(opts);
    this.#levels = this.#levelsOf(opts);
    this.#threshold = { level: leastLevel(this.#levels) };
    this.#target = this.#open();
    this.#rate = new LogRate((record) => this.#write(record), runtime.clock);
    process.on("exit", () => this.#rate.flush());
    this.log = createLogger(this.#rate.sink, this.#threshold);
  }

  /** Uses the levels of reloaded options. */
  configure(opts: Record<string, unknown>): void {
    this.#levels = this.#levelsOf(opts);
    this.#threshold.level = leastLevel(this.#levels);
    this.#target ??= this.#open();
  }

  /** Opens the file again: after a rotation, and after a change of the daemon's user. */
  reopen(): void {
    this.#target?.reopen();
  }

  #levelsOf(opts: Record<string, unknown>): LogLevels {
    return {
      console: levelNamed(this.#options.consoleLevel ?? opts.log_level),
      file: levelNamed(opts.log_level_logfile ?? opts.log_level),
      granular: granularLevels(opts),
    };
  }

  #open(): LogTarget | undefined {
    const { runtime, opts, option = "log_file", program, complain } = this.#options;
    const path = String(opts.log_file ?? "");
    if (path === "" || this.#levels.file === "quiet") return undefined;
    if (isSyslogAddress(path)) {
      return new Syslog({ runtime, address: syslogAddress(option, path), program, complain });
    }
    try {
      return new LogFile(runtime, path, {
        maxBytes: Number(opts.log_rotate_max_bytes ?? 0),
        backups: Number(opts.log_rotate_backup_count ?? 0),
      });
    } catch (error) {
      complain(`WARNING: the log file cannot be written: ${messageOf(error)}`);
      return undefined;
    }
  }

  #write(record: LogRecord): void {
    const { runtime: { clock, process: { pid } }, console = true, errors } = this.#options;
    errors?.note(record);
    const time = new Date(clock.now());
    if (console && passes(record.level, levelFor(this.#levels, record.name, "console"))) {
      process.stderr.write(`${this.#formats.console(record, time, pid)}\n`);
    }
    if (this.#target !== undefined && passes(record.level, levelFor(this.#levels, record.name, "file"))) {
      this.#target.write(`${this.#formats.file(record, time, pid)}\n`, record.level);
    }
  }
}
