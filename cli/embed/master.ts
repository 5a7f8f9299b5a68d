/**
 * A master in another program: `brine/master`.
 *
 * @module
 */
import { configureMaster } from "../configure.ts";
import { programCommand } from "../programs/job_command.ts";
import { masterOptions } from "../../src/model/config/given.ts";
import { MASTER_OPTIONS, type MasterOpts } from "../../src/model/config/master_opts.ts";
import type { Master } from "../../src/host/master/master.ts";
import type { MasterOptions } from "../../src/host/master/master_options.ts";
import { checkKeys, type HostOptions, openHost } from "./options.ts";
import { portOf } from "../../src/host/master/start/sockets.ts";

export type { ExtJobCache } from "../../src/host/master/jobs/job_services.ts";
export type { MasterRunnerJob as RunnerJob, RunnerEnd, Runners } from "../../src/host/master/jobs/runners.ts";
export { KEY_STATES, type KeyAction, KeyAdmin, type KeyProblem } from "../../src/host/master/keys/key_admin.ts";
export { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
export type { Master } from "../../src/host/master/master.ts";
export { masterOptions } from "../../src/model/config/given.ts";
export type { MasterOpts } from "../../src/model/config/master_opts.ts";
export type { JobCache } from "../../src/model/job/job_cache.ts";
export {
  createLogger,
  type LogFields,
  type Logger,
  type LogLevel,
  type LogRecord,
  silentLogger,
  type Threshold,
} from "../../src/base/log.ts";
export type { Clock } from "../../src/base/async/clock.ts";
export type { Runtime } from "../../src/runtime/runtime.ts";
export { LogRate } from "../../src/base/log_rate.ts";
export { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
export type { HostOptions } from "./options.ts";

/**
 * Parts that may replace those selected by the configuration.
 *
 * @internal
 */
type Parts = Pick<MasterOptions, "jobs" | "compilePillar" | "eauth" | "wheels" | "runners" | "sockets" | "extJobCache">;

/** Options for a master in another program. */
export interface EmbeddedMasterOptions extends HostOptions<MasterOpts>, Partial<Parts> {}

const PARTS: readonly (keyof Required<Parts>)[] = [
  "jobs",
  "compilePillar",
  "eauth",
  "wheels",
  "runners",
  "sockets",
  "extJobCache",
];

/**
 * Starts a master; resolves when minions can connect. It works like `salt-master` with the same options, but does not handle
 * signals or write a pid file: its program does that.
 *
 * @example
 * ```ts
 * await using master = await startMaster({ rootDir: "/srv/run", opts: { interface: "127.0.0.1", auto_accept: true } });
 * console.log(master.requestEndpoint);
 * ```
 * @throws {ConfigError} for options that cannot be used
 * @throws {SystemError} naming the port, file or directory that cannot be used
 * @throws {TypeError} for unknown keys
 */
export async function startMaster(options: EmbeddedMasterOptions = {}): Promise<Master> {
  checkKeys("a master's options", options, PARTS, MASTER_OPTIONS);
  const { rootDir, configFile, opts: values, log: given, runtime: own, ...parts } = options;
  const host = { rootDir, configFile, opts: values, log: given, runtime: own };
  const { runtime, log, opts } = await openHost<MasterOpts>(host, "master", MASTER_OPTIONS, masterOptions);
  const program = (word: string) => programCommand(runtime, "salt-master", word);
  const master = await configureMaster(runtime, opts, log, parts, program);
  // With port 0, tell runners the port that was assigned.
  opts.publish_port = portOf(master.publishEndpoint);
  opts.ret_port = portOf(master.requestEndpoint);
  return master;
}
