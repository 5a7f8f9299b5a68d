#!/usr/bin/env -S node
import "./compile_cache.ts";
import { claimPidFile, daemonLogger, goToBackground, stopSignal, surviveMishaps } from "./daemon.ts";
import { type ProgramContext, readConfig, runProgram } from "./program.ts";

async function main(context: ProgramContext): Promise<number> {
  const { runtime } = context;
  const { MASTER_OPTIONS } = await import("../src/config/master_opts.ts");
  const { opts } = await readConfig(context, "master", MASTER_OPTIONS, true);
  const { configureMaster } = await import("./configure.ts");
  if (context.options.daemon === true) goToBackground(runtime);
  const log = daemonLogger(context, opts);
  surviveMishaps(log);
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

await runProgram("salt-master", main);
