import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { Engines } from "../../feature/engine/engines.ts";
import type { FileServer } from "../../content/fileserver/server.ts";
import type { HeavyWork } from "../../content/fileserver/heavy_work.ts";
import type { Expansion } from "../../model/target/expand.ts";
import type { Target } from "../../model/target/target.ts";
import type { EventBus } from "../../model/event/bus.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type { JidGenerator } from "../../model/job/jid.ts";
import type { Logger } from "../../base/log.ts";
import type { Steps } from "../../language/python/steps.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { WheelRegistry } from "../../model/loader/wheel.ts";
import type { AccessRules } from "./access/acl.ts";
import type { Audit } from "./audit/audit.ts";
import type { Callers } from "./access/callers.ts";
import type { Cluster } from "./cluster/contract.ts";
import type { ExternalAuth } from "./access/external_auth.ts";
import type { HourlyQuota } from "./jobs/hourly_quota.ts";
import type { JobStore } from "./jobs/durable_saves.ts";
import type { ReplayedReturns } from "./jobs/replayed_returns.ts";
import type { JobTraces } from "./jobs/job_traces.ts";
import type { KeyAdmin } from "./keys/key_admin.ts";
import type { KeyRotations } from "./keys/minion_key_rotations.ts";
import type { KeyDirectories } from "./keys/key_directories.ts";
import type { Ledger } from "./jobs/ledger.ts";
import type { Load } from "./load.ts";
import type { MasterTopsHost } from "./master_tops.ts";
import type { MasterMetrics } from "./master_metrics.ts";
import type { MinionCache } from "./minion_cache.ts";
import type { Presence } from "./presence.ts";
import type { SyndicTargets } from "./jobs/syndic_targets.ts";
import type { Syndics } from "./syndics.ts";
import type { RefusalEvents } from "./access/refusal_events.ts";
import type { TokenFiles } from "./access/tokens.ts";

/**
 * What the commands of a master work with.
 * @internal
 */
export interface MasterServices {
  /** The master's configuration. */
  readonly opts: MasterOpts;
  /** The runtime the master runs on. */
  readonly runtime: Runtime;
  /** Where the master logs. */
  readonly log: Logger;
  /** The master's event bus. */
  readonly bus: EventBus;
  /** The key directories. */
  readonly keys: KeyDirectories;
  /** Grains, pillar and mine of each minion. */
  readonly cache: MinionCache;
  /** Files under `salt://`. */
  readonly files: FileServer;
  /** Lists and hashes large files elsewhere; undefined where the master does it itself. */
  readonly heavyFiles: HeavyWork | undefined;
  /** The job cache. */
  readonly jobs: JobCache;
  /** Saves a publication in the external job cache (`ext_job_cache`), where minions save their returns; never rejects. */
  readonly extJobCache: ExtJobCache | undefined;
  /** The other masters; undefined where `cluster` is not set. */
  readonly cluster: Cluster | undefined;
  /** Sends the return of a scheduled runner to returners; never rejects. */
  readonly sendToReturners: SendToReturners | undefined;
  /** Makes what is saved in {@link MasterServices.jobs} durable. */
  readonly store: JobStore;
  readonly replayed: ReplayedReturns;
  /** Jobs that have not ended. */
  readonly ledger: Ledger;
  /** Which minions are connected. */
  readonly presence: Presence;
  /** The syndics below this master. */
  readonly syndics: Syndics;
  /** The minions that they name for jobs. */
  readonly syndicTargets: SyndicTargets;
  /** How many jobs that this master has not published a syndic may bring. */
  readonly syndicQuota: HourlyQuota;
  /** How many jobs, and bytes of them, that no master has published a minion may bring. */
  readonly minionQuota: { readonly jobs: HourlyQuota; readonly bytes: HourlyQuota };
  /** Returns that were refused since the master started, by reason. */
  readonly refused: Record<RefusedReturn, number>;
  /** Authenticates the callers of clear commands. */
  readonly callers: Callers;
  /** The backends of `external_auth`. */
  readonly externalAuth: ExternalAuth;
  /** Counts what the commands do. */
  readonly metrics: MasterMetrics;
  /** Traces jobs. */
  readonly traces: JobTraces;
  /** Decides what permissions allow. */
  readonly rules: AccessRules;
  /** Fires the events of refused publications. */
  readonly refusals: RefusalEvents;
  /** Records who asks for what, and what becomes of it; undefined where `audit_log` is off. */
  readonly audit?: Audit;
  /** Accepts, rejects and deletes keys. */
  readonly keyAdmin: KeyAdmin;
  /** Changes of minions' keys. */
  readonly rotations: KeyRotations;
  /** Wheel functions, which administer the master. */
  readonly wheels: WheelRegistry;
  /** What `master_tops` has for minions. */
  readonly tops: MasterTopsHost;
  /** Undefined where the master was started without runners. */
  readonly runners: Runners | undefined;
  /** Undefined where the master was started without engines. */
  readonly engines: Pick<Engines, "report"> | undefined;
  /** Makes job ids, each once. */
  readonly jids: JidGenerator;
  /** The tokens of logins. */
  readonly tokens: TokenFiles;
  /** What matching patterns may cost: a limit for one request is set by {@link Steps.within}. */
  readonly steps: Steps;
  /** Ids of the minions that a target means, as far as the master can tell. */
  expand(target: Target, options?: { greedy?: boolean }): Expansion;
  /** Seals a job load and sends it to the minions. @param minions its targets, for the topics of `zmq_filtering` */
  send(load: Record<string, unknown>, minions: readonly string[]): void;
  /** The same parts under other options: new requests are answered by what it returns, those under way by this. */
  reconfigured(opts: MasterOpts): MasterServices;
  /** Makes a new master key; every minion signs in again when it receives a publication under it. */
  rotateMasterKey(): void;
}

/**
 * A runner to run: `low` has its arguments, as `arg` and `kwarg` or by their names.
 */
export interface RunnerJob {
  /** The runner function, such as `"manage.up"`. */
  fun: string;
  /** The arguments as the caller sent them. */
  low: Load;
  /** The runner's job id, 20 digits. */
  jid: string;
  /** The name of the caller. */
  user: string;
}

/**
 * How the process of a runner ended.
 */
export interface RunnerEnd {
  /** `exit code 0`, `signal SIGKILL`. */
  status: string;
  /** The last part of its error output. */
  printed: string;
}

/**
 * Runs runners, each in a process of its own, which fires `salt/run/<jid>/new` and `/ret` on the master's bus.
 */
export interface Runners {
  /**
   * Runs a runner to its end.
   *
   * @throws {SystemError} if no process can be had
   */
  run(job: RunnerJob): Promise<RunnerEnd>;
  /** Ends processes that wait for runners; running ones go on. */
  close(): void;
}

/**
 * Saves a publication where minions save their returns.
 */
export type ExtJobCache = (jid: string, load: Record<string, unknown>, minions: readonly string[]) => Promise<void>;

/** Where the return of a scheduled runner goes besides. */
export interface WantedReturners {
  names: readonly string[];
  /** `return_config` and `return_kwargs` of the entry. */
  retConfig?: string;
  retKwargs?: Record<string, unknown>;
}

/** Sends a return to returners. */
export type SendToReturners = (wanted: WantedReturners, ret: Record<string, unknown>) => Promise<void>;

/** Why a return was refused. */
export type RefusedReturn =
  | "malformed"
  /** In the name of another minion. */
  | "impostor"
  | "unsigned"
  /** The signature is not by the minion's key, or not over this return. */
  | "bad signature"
  /** The job is unknown to this master. */
  | "unknown job"
  /** From a minion that is not a target of the job. */
  | "not a target"
  | "returned before"
  /** The sender has brought too many jobs that no master published: `syndic_jobs_hourly`, `minion_jobs_hourly`, `minion_job_bytes_hourly`. */
  | "too many jobs"
  /** The syndic has named too many minions for the job. */
  | "too many minions"
  /** The return was larger than `max_return_size`; a failure was stored instead. */
  | "too large";

export const REFUSALS: readonly RefusedReturn[] = [
  "malformed",
  "impostor",
  "unsigned",
  "bad signature",
  "unknown job",
  "not a target",
  "returned before",
  "too many jobs",
  "too many minions",
  "too large",
];

export { isRecord, type Load } from "./load.ts";
