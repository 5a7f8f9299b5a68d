/** Handles SIGHUP in a daemon: opens the log again, and reloads the options that can change without a restart. */
import type { LoadedConfig } from "../../src/model/config/load.ts";
import { refuseHarmfulOptions } from "../../src/model/config/review.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { equal } from "../../src/language/python/values.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { checkConfig } from "./check/check_config.ts";
import { logFindings } from "./check/finding.ts";
import type { Daemon, Service } from "./daemon.ts";
import type { DaemonLog } from "./daemon_log.ts";
import type { DaemonManager } from "./service_manager.ts";
import { logFormats } from "./log_settings.ts";
import { atTerminal } from "./stop_signal.ts";

/** A running daemon, with what a reload needs. */
interface Reloadable {
  context: ProgramContext;
  daemon: Daemon;
  config: LoadedConfig;
  logging: DaemonLog;
  manager: DaemonManager;
  service: Service;
}

const LEVELS = ["log_level", "log_level_logfile", "log_granular_levels"];

/** Options that the program sets, not the files. */
const OWN = new Set(["conf_file", "id", "__sdb"]);

/** Listens for SIGHUP from the start. A signal before the daemon runs takes effect when it runs. */
export class DaemonReloads {
  readonly #off: () => void;
  /** The running daemon and its configuration as in the files; undefined before the start. */
  #running: { parts: Reloadable; held: Record<string, unknown> } | undefined;
  #reading: Promise<void> | undefined;
  #wanted = false;

  constructor(runtime: Pick<Runtime, "process">, logging: DaemonLog) {
    // At a terminal, SIGHUP stops the daemon instead.
    if (atTerminal()) this.#off = () => {};
    else {
      this.#off = runtime.process.onSignal("SIGHUP", () => {
        logging.reopen();
        this.#wanted = true;
        this.#read();
      });
    }
  }

  /** Enables reloads, because the daemon runs. */
  begin(parts: Reloadable): void {
    this.#running = { parts, held: { ...parts.config.opts } };
    if (this.#wanted) this.#read();
  }

  /** Disables reloads, because the daemon stops; its log is still reopened. */
  end(): void {
    this.#running = undefined;
  }

  close(): void {
    this.end();
    this.#off();
  }

  #read(): void {
    this.#reading ??= this.#readAll().finally(() => this.#reading = undefined);
  }

  /** Runs one reload at a time, and another one for a signal in the meantime. */
  async #readAll(): Promise<void> {
    while (this.#wanted && this.#running !== undefined) {
      this.#wanted = false;
      const running = this.#running;
      running.held = await readAgain(running.parts, running.held);
    }
  }
}

/** @returns the configuration that is in use now */
async function readAgain(
  { context, daemon, logging, manager, service }: Reloadable,
  held: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { log } = logging;
  const { kind, table } = daemon;
  manager.reloading();
  try {
    const files = await readConfig(context, kind, table, true);
    const read = await daemon.settle?.(files) ?? files;
    refuseHarmfulOptions(kind, read);
    logFormats(read.opts);
    logFindings(log, (await checkConfig(daemon, read, context.runtime)).found);
    const opts: Record<string, unknown> = { ...read.opts, ...daemon.files?.(read.opts) };
    const changed = [...new Set([...Object.keys(held), ...Object.keys(opts)])]
      .filter((name) => !OWN.has(name) && !equal(held[name] ?? null, opts[name] ?? null));
    // All in one turn of the event loop, so that no request is answered in between.
    const taken = [...LEVELS.filter((name) => changed.includes(name)), ...service.reload?.(opts) ?? []];
    logging.configure(opts);
    const rest = changed.filter((name) => !taken.includes(name));
    log.warning("configuration reloaded", {
      taken: taken.join(", ") || "nothing",
      ...(rest.length === 0 ? {} : { "needs a restart": rest.join(", ") }),
    });
    return { ...held, ...Object.fromEntries(taken.map((name) => [name, opts[name]])) };
  } catch (error) {
    log.error("configuration not reloaded: the previous one stays in use", { error: messageOf(error) });
    return held;
  } finally {
    manager.ready("running");
  }
}
