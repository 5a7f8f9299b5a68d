import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "./daemon.ts";
import { type ProgramContext, readConfig } from "./program.ts";
import { restWhenIdle } from "./rest.ts";

export async function masterMain(context: ProgramContext): Promise<number> {
  const { runtime } = context;
  const { MASTER_OPTIONS } = await import("../src/config/master_opts.ts");
  const { opts } = await readConfig(context, "master", MASTER_OPTIONS, true);
  const { configureMaster } = await import("./configure.ts");
  if (context.options.daemon === true) goToBackground(runtime);
  const log = daemonLogger(context, opts);
  surviveMishaps(log);
  restWhenIdle();
  const releasePid = claimPidFile(runtime, String(opts.pidfile), "salt-master", log);
  try {
    await using _master = await configureMaster(runtime, opts, log);
    const signal = await stopSignal(runtime);
    log.info("stopping", { signal });
  } finally {
    releasePid();
  }
  return 0;
}
