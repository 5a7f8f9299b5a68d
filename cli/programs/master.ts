import { logReview, refuseHarmfulOptions, reviewOptions } from "../../src/config/review.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "../daemon/daemon.ts";
import { answerSignals } from "../daemon/signals.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { restWhenIdle } from "../daemon/rest.ts";
import { runAs } from "../daemon/run_as.ts";

export async function masterMain(context: ProgramContext): Promise<number> {
  const { runtime } = context;
  const { MASTER_OPTIONS } = await import("../../src/config/master_opts.ts");
  const config = await readConfig(context, "master", MASTER_OPTIONS, true);
  const { configureMaster } = await import("../configure.ts");
  const { opts, given } = config;
  refuseHarmfulOptions("master", config);
  if (context.options.daemon === true) goToBackground(runtime);
  const log = daemonLogger(context, opts);
  logReview(log, reviewOptions("master", config));
  surviveMishaps(log);
  restWhenIdle();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), "salt-master", log);
  try {
    const user = await runAs(runtime, {
      opts,
      given: given.has("user"),
      directories: [opts.pki_dir, opts.cachedir, opts.sock_dir].map(String),
      files: [opts.log_file, opts.pidfile].map(String),
    });
    if (user !== undefined) log.info("running as another user from now on", { user });
    await using master = await configureMaster(runtime, opts, log);
    answerSignals({
      runtime,
      log,
      program: "salt-master",
      directory: String(opts.cachedir),
      status: () => master.status(),
    });
    const signal = await stopSignal(runtime);
    log.info("stopping", { signal });
  } finally {
    releasePid();
  }
  return 0;
}
