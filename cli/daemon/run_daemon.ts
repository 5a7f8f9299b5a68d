import type { LoadedConfig } from "../../src/config/load.ts";
import type { OptionTable } from "../../src/config/option.ts";
import { logReview, refuseHarmfulOptions, reviewOptions } from "../../src/config/review.ts";
import type { Logger } from "../../src/log.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "./daemon.ts";
import { LastErrors } from "./last_errors.ts";
import { restWhenIdle } from "./rest.ts";
import { runAs } from "./run_as.ts";
import { answerSignals } from "./signals.ts";

/** A master or minion as a program runs it. */
export interface Daemon {
  /** Whose configuration it reads; its program is `salt-` and this word. */
  kind: "master" | "minion";
  table: OptionTable;
  /** Its program, where that is not `salt-` and its kind. */
  program?: string;
  /** Makes of the configuration what this daemon obeys. @default it stays as it is */
  settle?(config: LoadedConfig): Promise<LoadedConfig>;
  /** Starts it. @param end ends the daemon with an exit code of its own */
  start(
    config: LoadedConfig,
    log: Logger,
    end: (exitCode: number) => void,
  ): Promise<{ status(): Record<string, unknown> } & AsyncDisposable>;
}

/**
 * Runs a daemon until a signal stops it, or it ends itself.
 *
 * @returns the exit code
 * @throws {ConfigError} for options that cannot be obeyed; {Exit} 1 if another instance is running
 */
export async function runDaemon(context: ProgramContext, daemonOf: Daemon): Promise<number> {
  const { kind, table, start, program = `salt-${kind}` } = daemonOf;
  const { runtime } = context;
  const read = await readConfig(context, kind, table, true);
  const config = await daemonOf.settle?.(read) ?? read;
  const { opts, given } = config;
  refuseHarmfulOptions(kind, config);
  if (context.options.daemon === true) goToBackground(runtime);
  const errors = new LastErrors(() => runtime.clock.now());
  const log = daemonLogger(context, opts, errors);
  logReview(log, reviewOptions(kind, config));
  surviveMishaps(log);
  restWhenIdle();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), program, log);
  try {
    const user = await runAs(runtime, {
      opts,
      given: given.has("user"),
      directories: [opts.pki_dir, opts.cachedir, opts.sock_dir].map(String),
      files: [opts.log_file, opts.pidfile].map(String),
    });
    if (user !== undefined) log.info("running as another user from now on", { user });
    const ended = Promise.withResolvers<number>();
    await using daemon = await start(config, log, ended.resolve);
    const directory = String(opts.cachedir);
    answerSignals({ runtime, log, program, directory, errors, status: () => daemon.status() });
    const stopped = await Promise.race([stopSignal(runtime), ended.promise]);
    if (typeof stopped === "number") return stopped;
    log.info("stopping", { signal: stopped });
  } finally {
    releasePid();
  }
  return 0;
}
