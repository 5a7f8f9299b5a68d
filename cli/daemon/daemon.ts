import type { LoadedConfig } from "../../src/model/config/load.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import type { Host } from "../../src/model/config/review.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Port } from "./check/check_ports.ts";
import type { Check, Finding } from "./check/finding.ts";

export interface Service extends AsyncDisposable {
  /** The daemon's fields in the report of SIGUSR1. */
  status(): Record<string, unknown>;
  /**
   * Takes the options of a reloaded configuration, all at once.
   *
   * @returns the names of the changed options that it uses now; other changes need a restart
   */
  reload?(opts: Record<string, unknown>): string[];
}

export interface Startup {
  /** Aborted by a signal that asks the daemon to stop: the start must give up any wait. */
  readonly stopping: AbortSignal;
  /** Reports that the start waits for another server, possibly for long. Must be called again at least every minute. */
  waiting(reason: string): void;
}

/** The description of a master, minion or other daemon for the program that runs it. */
export interface Daemon {
  /** Name of the program. @default `salt-` and the kind */
  program?: string;
  kind: Host;
  table: OptionTable;
  /** Adapts the configuration for this daemon. @default the configuration stays as it is */
  settle?(config: LoadedConfig): Promise<LoadedConfig>;
  /** Its own log file and pid file, if they differ from those of the configuration. */
  files?(opts: Record<string, unknown>): { log_file: string; pidfile: string };
  /** Directories to create and to give to its user. @default those of the configuration */
  directories?: readonly string[];
  /** Checks of its configuration, for the start, for `--check` and for `salt-doctor`. */
  checks: readonly Check[];
  /** Further checks for `--check`: unreadable keys, and the ports that the daemon would use. Changes nothing. */
  place?(config: LoadedConfig, runtime: Runtime): Promise<{ findings?: Finding[]; ports?: Port[] }>;
  /** True if the daemon can use sockets that a service manager has opened. @default it opens its own sockets */
  takesSockets?: boolean;
  /**
   * Starts the daemon.
   *
   * @param end ends the daemon with an exit code
   * @param runtime listens on the sockets of the service manager, if there are any
   * @param startup is told while the start waits, and can stop it
   */
  start(
    config: LoadedConfig,
    log: Logger,
    end: (exitCode: number) => void,
    runtime: Runtime,
    startup: Startup,
  ): Promise<Service>;
}
