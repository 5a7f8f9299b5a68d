import type { LoadedConfig } from "../../src/model/config/load.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import type { Host } from "../../src/model/config/review.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Port } from "./check/check_ports.ts";
import type { Check, Finding } from "./check/finding.ts";

/** What runs in a daemon once it has started. */
export interface Service extends AsyncDisposable {
  /** The daemon's fields in the report of SIGUSR1. */
  status(): Record<string, unknown>;
  /**
   * Takes options of a configuration that was read again, all at once.
   *
   * @returns the names of those it has taken; the others need a restart
   */
  reload?(opts: Record<string, unknown>): string[];
}

/** A daemon that is starting. */
export interface Startup {
  /** Aborted by a signal that asks the daemon to stop: what it waits for is given up. */
  readonly stopping: AbortSignal;
  /** It waits for a server of others, and may do so for long. To be called again at least each minute. */
  waiting(reason: string): void;
}

/** A master, minion or other daemon as a program runs it. */
export interface Daemon {
  /** The name of the program. @default `salt-` and the kind */
  program?: string;
  /** Whose configuration it reads. */
  kind: Host;
  table: OptionTable;
  /** Makes of the configuration what this daemon obeys. @default it stays as it is */
  settle?(config: LoadedConfig): Promise<LoadedConfig>;
  /** Its own log file and pid file, where these are not those of the configuration. */
  files?(opts: Record<string, unknown>): { log_file: string; pidfile: string };
  /** Directories that are made and given to its user. @default those of the configuration */
  directories?: readonly string[];
  /** What its configuration is checked for: by its start, by `--check` and by `salt-doctor`. */
  checks: readonly Check[];
  /** Checks for `--check`: unreadable keys, and the ports that the daemon would use. Changes nothing. */
  place?(config: LoadedConfig, runtime: Runtime): Promise<{ findings?: Finding[]; ports?: Port[] }>;
  /** Whether it listens at sockets that a service manager has opened. @default it opens its own */
  takesSockets?: boolean;
  /**
   * Starts it.
   *
   * @param end ends the daemon with an exit code of its own
   * @param runtime listens at the sockets that it was given
   * @param startup what a start that takes long tells, and is stopped by
   */
  start(
    config: LoadedConfig,
    log: Logger,
    end: (exitCode: number) => void,
    runtime: Runtime,
    startup: Startup,
  ): Promise<Service>;
}
