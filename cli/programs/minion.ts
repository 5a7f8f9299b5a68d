/** The program `salt-minion`. */
import type { Daemon } from "../daemon/daemon.ts";
import { runDaemon } from "../daemon/run_daemon.ts";
import type { ProgramContext } from "../program/context.ts";

/** Runs `salt-minion` until a signal stops it, or its master refuses it for good. */
export async function minionMain(context: ProgramContext): Promise<number> {
  return await runDaemon(context, await minionDaemon(context));
}

export async function minionDaemon(context: ProgramContext): Promise<Daemon> {
  const [{ MINION_OPTIONS }, { configureMinion }, { MINION_CHECKS }] = await Promise.all([
    import("../../src/model/config/minion_opts.ts"),
    import("../configure.ts"),
    import("../daemon/check/check_minion.ts"),
  ]);
  return {
    kind: "minion",
    table: MINION_OPTIONS,
    checks: MINION_CHECKS,
    place: async ({ opts }, runtime) => {
      const [{ checkKeyPair }, { checkRoots }] = await Promise.all([
        import("../daemon/check/check_keys.ts"),
        import("../daemon/check/shared_checks.ts"),
      ]);
      const roots = opts.file_client === "local" ? checkRoots(runtime, opts) : [];
      return { findings: [...checkKeyPair(runtime, String(opts.pki_dir), "minion"), ...roots] };
    },
    start: ({ opts, given }, log, end) =>
      configureMinion(context.runtime, opts, given, log, { onRejected: (error) => end(error.exitCode) }),
  };
}
