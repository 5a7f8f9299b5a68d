/**
 * A minion in another program: `brine/minion`.
 *
 * @module
 */
import { configureMinion } from "../configure.ts";
import { jobCommand, programCommand } from "../programs/job_command.ts";
import { minionOptions } from "../../src/model/config/given.ts";
import { MINION_OPTIONS, type MinionOpts } from "../../src/model/config/minion_opts.ts";
import { ConfigError } from "../../src/base/errors.ts";
import type { ModuleRegistry } from "../../src/model/loader/loader.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import type { Minion, MinionOptions } from "../../src/host/minion/minion.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { checkKeys, type HostOptions, openHost } from "./options.ts";

export type { Minion } from "../../src/host/minion/minion.ts";
export type { OwnPillar } from "../../src/host/minion/pillar.ts";
export { RejectedError } from "../../src/host/minion/sign_in.ts";
export { minionOptions } from "../../src/model/config/given.ts";
export type { MinionOpts } from "../../src/model/config/minion_opts.ts";
export type { ExecutionFunction, ExecutionModule, JobContext } from "../../src/model/loader/family.ts";
export {
  createLogger,
  type LogFields,
  type Logger,
  type LogLevel,
  type LogRecord,
  silentLogger,
  type Threshold,
} from "../../src/base/log.ts";
export { type ErrorCode, SaltError } from "../../src/base/errors.ts";
export type { Clock } from "../../src/base/async/clock.ts";
export type { Runtime } from "../../src/runtime/runtime.ts";
export { LogRate } from "../../src/base/log_rate.ts";
export type { HostOptions } from "./options.ts";

/**
 * Parts that may replace those selected by the configuration.
 *
 * @internal
 */
type Parts = Pick<MinionOptions, "grains" | "sockets" | "returners" | "ownPillar" | "onRejected" | "hostMaster">;

/** Options for a minion in another program. */
export interface EmbeddedMinionOptions extends HostOptions<MinionOpts>, Partial<Parts> {
  /** Execution modules in addition to Brine's, by name; one of the same name replaces Brine's. @default none */
  modules?: Readonly<Record<string, ExecutionModule>>;
  /**
   * True runs each job in a separate process, as `salt-minion` does: a crash or an endless loop then harms only that job.
   * Modules of this program are not available there. @default false
   */
  processes?: boolean;
}

const PARTS: readonly (keyof Required<EmbeddedMinionOptions>)[] = [
  "grains",
  "sockets",
  "returners",
  "ownPillar",
  "onRejected",
  "hostMaster",
  "modules",
  "processes",
];

/**
 * Starts a minion; resolves when it begins to connect. `minion.ready` resolves when its masters have accepted it, which may
 * wait for the acceptance of its key. Each minion needs its own `rootDir`, which holds its key.
 *
 * @example
 * ```ts
 * await using minion = await startMinion({ rootDir: "/srv/web1", opts: { id: "web1", master: "127.0.0.1" } });
 * await minion.ready;
 * ```
 * @throws {ConfigError} and {SystemError} for mistakes that must be corrected first
 * @throws {TypeError} for unknown keys
 */
export async function startMinion(options: EmbeddedMinionOptions = {}): Promise<Minion> {
  checkKeys("a minion's options", options, PARTS, MINION_OPTIONS);
  const { rootDir, configFile, opts: values, log: given, runtime: own, modules = {}, processes, ...parts } = options;
  const host = { rootDir, configFile, opts: values, log: given, runtime: own };
  const { runtime, log, opts, given: names } = await openHost<MinionOpts>(
    host,
    "minion",
    MINION_OPTIONS,
    minionOptions,
  );
  const { MODULES } = await import("../../src/plugins/modules/mod.ts");
  const added: ModuleRegistry = Object.fromEntries(
    Object.entries(modules).map(([name, module]) => [name, () => Promise.resolve({ module })]),
  );
  return await configureMinion(runtime, opts, names, log, {
    modules: { ...MODULES, ...added },
    jobCommand: processes === true ? commandForJobs(runtime) : undefined,
    ...parts,
  }, (word) => programCommand(runtime, "salt-minion", word));
}

function commandForJobs(runtime: Runtime): MinionOptions["jobCommand"] {
  const argv = programCommand(runtime, "salt-minion", "--job-process");
  if (argv !== undefined) return jobCommand(runtime, argv);
  throw new ConfigError(
    "Cannot run jobs in separate processes: the file of salt-minion is missing here. Remove the option processes",
  );
}
