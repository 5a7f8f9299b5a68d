import { deferred } from "../src/async/deferred.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "./daemon.ts";
import { type ProgramContext, readConfig } from "./program.ts";
import { restWhenIdle } from "./rest.ts";

export async function minionMain(context: ProgramContext): Promise<number> {
  const { runtime } = context;
  const { MINION_OPTIONS } = await import("../src/config/minion_opts.ts");
  const { opts, given } = await readConfig(context, "minion", MINION_OPTIONS, true);
  const { configureMinion } = await import("./configure.ts");
  if (context.options.daemon === true) goToBackground(runtime);
  const log = daemonLogger(context, opts);
  surviveMishaps(log);
  restWhenIdle();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), "salt-minion", log);
  const rejected = deferred<number>();
  try {
    await using _minion = await configureMinion(runtime, opts, given, log, (error) => rejected.resolve(error.exitCode));
    const stopped = await Promise.race([stopSignal(runtime), rejected.promise]);
    if (typeof stopped === "number") return stopped;
    log.info("stopping", { signal: stopped });
  } finally {
    releasePid();
  }
  return 0;
}
