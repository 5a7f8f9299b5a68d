import type { LoadedConfig } from "../../src/model/config/load.ts";
import { logReview } from "../../src/model/config/review.ts";
import type { Logger } from "../../src/base/log.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { goToBackground, takeBackground, tellStarted } from "./background.ts";
import { checkConfig } from "./check/check_config.ts";
import { logFindings, refuseToStart } from "./check/finding.ts";
import { DaemonLog } from "./daemon_log.ts";
import type { Daemon, Service, Startup } from "./daemon.ts";
import { LastErrors } from "./last_errors.ts";
import { raiseOpenFiles } from "./open_files.ts";
import { takePassedSockets } from "./passed_sockets.ts";
import { claimPidFile } from "./pid_file.ts";
import { DaemonReloads } from "./reload.ts";
import { restWhenIdle } from "./rest.ts";
import { runAs, userNumber } from "./run_as.ts";
import { DaemonManager } from "./service_manager.ts";
import { answerSignals } from "./signals.ts";
import { boundStop, stopSignal } from "./stop_signal.ts";
import { logPlaceProblems, verifyEnv } from "./verify_env.ts";
import { messageOf } from "../../src/base/errors.ts";

declare const process: { on(event: string, handler: (error: unknown) => void): void };

/** Logs unexpected errors instead of ending: a mistake in one request must not stop the daemon. */
function surviveMishaps(log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => {
      log.critical("unexpected error: the daemon continues. Please report this line", {
        error: messageOf(error),
        stack: (error as Error)?.stack ?? "",
      });
    });
  }
}

/**
 * Runs a daemon until a signal stops it, or it ends by itself.
 *
 * @returns the exit code
 * @throws {ConfigError} for options that cannot be used; {Exit} 1 if another instance is running
 */
export async function runDaemon(context: ProgramContext, daemon: Daemon): Promise<number> {
  const { runtime, options } = context;
  const { kind, table, program = `salt-${kind}` } = daemon;
  if (options.check === true) return await (await import("./check/check_daemon.ts")).checkDaemon(context, daemon);
  const { check_tree: tree } = options;
  if (tree !== null && tree !== undefined) {
    return await (await import("../compat/compat.ts")).checkTree(context, kind, tree === "json" ? "json" : "text");
  }
  const background = takeBackground(runtime);
  if (options.daemon === true && !background) return await goToBackground(runtime);
  const read = await readConfig(context, kind, table, true);
  const config = await daemon.settle?.(read) ?? read;
  const { opts, given } = config;
  Object.assign(opts, daemon.files?.(opts));
  const { review, found } = await checkConfig(daemon, config, runtime);
  refuseToStart(found);
  const errors = new LastErrors(() => runtime.clock.now());
  const logging = openLog(context, program, opts, { errors, background });
  const { log } = logging;
  logReview(log, review);
  logFindings(log, found);
  surviveMishaps(log);
  restWhenIdle();
  const reloads = new DaemonReloads(runtime, logging);
  const manager = new DaemonManager(runtime, log);
  const passed = takePassedSockets(runtime, log, daemon.takesSockets === true);
  await raiseOpenFiles(runtime, Number(opts.max_open_files ?? 0), given.has("max_open_files"), log);
  await using stack = new AsyncDisposableStack();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), program, log);
  stack.defer(releasePid);
  stack.defer(() => reloads.close());
  await prepareUser(context, daemon, config, log);
  logging.reopen();
  const ended = Promise.withResolvers<number>();
  // Listen for signals before the start, so that a slow start can be stopped.
  const stop = stopSignal(runtime);
  let unbound = () => {};
  stack.defer(() => unbound());
  void Promise.race([stop, ended.promise]).then(() => unbound = boundStop(runtime, log, releasePid));
  const startup = startupOf(stop, manager, background);
  let started: Service;
  try {
    started = await daemon.start(config, log, ended.resolve, { ...runtime, net: passed.net(runtime.net) }, startup);
  } catch (error) {
    if (!startup.stopping.aborted) throw error;
    await manager.stopping();
    log.info("stopping", { signal: await stop });
    return 0;
  }
  await using service = started;
  passed.nameUnused();
  const directory = String(opts.cachedir);
  answerSignals({ runtime, log, program, directory, errors, status: () => service.status() });
  manager.ready("running");
  reloads.begin({ context, daemon, config, logging, manager, service });
  if (background) tellStarted();
  const stopped = await Promise.race([stop, ended.promise]);
  reloads.end();
  await manager.stopping();
  if (typeof stopped === "number") return stopped;
  log.info("stopping", { signal: stopped });
  return 0;
}

/** Reports waits during the start. A daemon in the background counts as started while it waits for other servers. */
function startupOf(stop: Promise<string>, manager: DaemonManager, background: boolean): Startup {
  const stopping = new AbortController();
  void stop.then(() => stopping.abort());
  let told = !background;
  return {
    stopping: stopping.signal,
    waiting(reason) {
      manager.waiting(reason);
      if (!told) tellStarted();
      told = true;
    },
  };
}

function openLog(
  { runtime, options, explicit, complain }: ProgramContext,
  program: string,
  opts: Record<string, unknown>,
  { errors, background }: { errors: LastErrors; background: boolean },
): DaemonLog {
  return new DaemonLog({
    runtime,
    opts,
    program,
    errors,
    complain,
    console: !background,
    ...(explicit.has("log_level") ? { consoleLevel: options.log_level } : {}),
  });
}

/** Creates the daemon's directories, and becomes its user. */
async function prepareUser(
  { runtime }: ProgramContext,
  { kind, directories }: Daemon,
  { opts, given }: LoadedConfig,
  log: Logger,
): Promise<void> {
  const verified = opts.verify_env !== false;
  if (verified && directories === undefined) {
    const uid = given.has("user") ? await userNumber(runtime, String(opts.user)) : runtime.process.uid();
    logPlaceProblems(log, verifyEnv({ runtime, kind, opts, uid, mend: true }));
  }
  const own = directories ?? [opts.pki_dir, opts.cachedir, opts.sock_dir].map(String);
  const user = await runAs(runtime, {
    opts,
    given: given.has("user"),
    directories: verified ? own : [],
    files: [opts.log_file, opts.pidfile].map(String).filter((path) => !path.includes("://")),
  });
  if (user !== undefined) log.info("switched to another user", { user });
}
