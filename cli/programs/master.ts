/** The program `salt-master`. */
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { runDaemon } from "../daemon/run_daemon.ts";
import type { ProgramContext } from "../program/context.ts";

/** Runs `salt-master` until a signal stops it. */
export async function masterMain(context: ProgramContext): Promise<number> {
  return await runDaemon(context, await masterDaemon());
}

export async function masterDaemon(): Promise<Daemon> {
  const [{ MASTER_OPTIONS }, { configureMaster }, { MASTER_CHECKS, masterPlace }] = await Promise.all([
    import("../../src/model/config/master_opts.ts"),
    import("../configure.ts"),
    import("../daemon/check/check_master.ts"),
  ]);
  return {
    kind: "master",
    table: MASTER_OPTIONS,
    checks: MASTER_CHECKS,
    place: ({ opts }, runtime) => Promise.resolve(masterPlace(runtime, opts as MasterOpts)),
    takesSockets: true,
    start: ({ opts }, log, _end, runtime, startup) => configureMaster(runtime, opts, log, {}, undefined, startup),
  };
}
