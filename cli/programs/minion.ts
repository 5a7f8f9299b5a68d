import { deferred } from "../../src/async/deferred.ts";
import { logReview, refuseHarmfulOptions, reviewOptions } from "../../src/config/review.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "../daemon/daemon.ts";
import { answerSignals } from "../daemon/signals.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { restWhenIdle } from "../daemon/rest.ts";
import { runAs } from "../daemon/run_as.ts";

export async function minionMain(context: ProgramContext): Promise<number> {
  const { runtime } = context;
  const { MINION_OPTIONS } = await import("../../src/config/minion_opts.ts");
  const config = await readConfig(context, "minion", MINION_OPTIONS, true);
  const { configureMinion } = await import("../configure.ts");
  const { opts, given } = config;
  refuseHarmfulOptions("minion", config);
  if (context.options.daemon === true) goToBackground(runtime);
  const log = daemonLogger(context, opts);
  logReview(log, reviewOptions("minion", config));
  surviveMishaps(log);
  restWhenIdle();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), "salt-minion", log);
  const rejected = deferred<number>();
  try {
    const user = await runAs(runtime, {
      opts,
      given: given.has("user"),
      directories: [opts.pki_dir, opts.cachedir, opts.sock_dir].map(String),
      files: [opts.log_file, opts.pidfile].map(String),
    });
    if (user !== undefined) log.info("running as another user from now on", { user });
    await using minion = await configureMinion(runtime, opts, given, log, {
      onRejected: (error) => rejected.resolve(error.exitCode),
    });
    answerSignals({
      runtime,
      log,
      program: "salt-minion",
      directory: String(opts.cachedir),
      status: () => minion.status(),
    });
    const stopped = await Promise.race([stopSignal(runtime), rejected.promise]);
    if (typeof stopped === "number") return stopped;
    log.info("stopping", { signal: stopped });
  } finally {
    releasePid();
  }
  return 0;
}
