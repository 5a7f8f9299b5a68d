/** The program `salt-syndic`. */
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { runDaemon } from "../daemon/run_daemon.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";

/** Runs `salt-syndic` until a signal stops it, or a higher master refuses it for good. */
export async function syndicMain(context: ProgramContext): Promise<number> {
  return await runDaemon(context, await syndicDaemon(context));
}

export async function syndicDaemon(context: ProgramContext): Promise<Daemon> {
  const [
    { MASTER_OPTIONS },
    { MINION_OPTIONS },
    { configureSyndic },
    { commonChecks, transportCheck },
    { doubtful, fatal, unlessItThrows },
    { syndicProblems },
  ] = await Promise.all([
    import("../../src/model/config/master_opts.ts"),
    import("../../src/model/config/minion_opts.ts"),
    import("../configure.ts"),
    import("../daemon/check/shared_checks.ts"),
    import("../daemon/check/finding.ts"),
    import("../../src/host/syndic/syndic.ts"),
  ]);
  // As in Salt, the master's configuration names the higher masters; id and keys are those of this host's minion.
  const minion = await readConfig(context, "minion", MINION_OPTIONS, true);
  const { explicit } = context;
  return {
    kind: "master",
    program: "salt-syndic",
    table: MASTER_OPTIONS,
    settle: (config) => {
      const { opts, given } = config;
      const pidfile = explicit.has("pidfile") ? opts.pidfile : opts.syndic_pidfile;
      const log_file = explicit.has("log_file") ? opts.log_file : opts.syndic_log_file;
      const own = !explicit.has("user") && opts.syndic_user !== "";
      const user = own ? { user: opts.syndic_user } : {};
      return Promise.resolve({
        ...config,
        opts: { ...opts, pidfile, log_file, ...user },
        given: own ? new Set([...given, "user"]) : given,
      });
    },
    checks: [
      ...commonChecks("master"),
      ({ given, opts }) =>
        given.has("syndic_master")
          ? []
          : [doubtful(`syndic_master is not set: using the default ${opts.syndic_master}`, "set it")],
      ({ opts }) => syndicProblems(opts as MasterOpts, minion.opts).map((problem) => fatal(problem)),
      unlessItThrows(async ({ opts }) => (await import("../job_caches.ts")).jobCacheName(opts as MasterOpts)),
      (config, runtime) => transportCheck(false)({ ...config, opts: minion.opts }, runtime),
    ],
    place: async (_config, runtime) => {
      const { checkKeyPair } = await import("../daemon/check/check_keys.ts");
      return { findings: checkKeyPair(runtime, String(minion.opts.pki_dir), "minion") };
    },
    start: ({ opts }, log, end) =>
      configureSyndic(context.runtime, opts as MasterOpts, minion.opts, minion.given, log, {
        onRejected: (error) => end(error.exitCode),
      }),
  };
}
