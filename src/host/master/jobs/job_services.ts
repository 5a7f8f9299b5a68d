import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import type { JobCache } from "../../../model/job/job_cache.ts";
import type { JidGenerator } from "../../../model/job/jid.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Cluster } from "../cluster_contract.ts";
import type { KeyDirectories } from "../keys/key_directories.ts";
import type { MasterMetrics } from "../master_metrics.ts";
import type { Presence } from "../presence.ts";
import type { Syndics } from "../syndics.ts";
import type { JobStore } from "./durable_saves.ts";
import type { HourlyQuota } from "./hourly_quota.ts";
import type { JobTraces } from "./job_traces.ts";
import type { Ledger } from "./ledger.ts";
import type { SyndicTargets } from "./syndic_targets.ts";

/** The parts of a master that publications, returns and runners use. */
export interface JobServices {
  readonly opts: MasterOpts;
  readonly runtime: Runtime;
  /** Where the master logs. */
  readonly log: Logger;
  readonly bus: EventBus;
  readonly keys: KeyDirectories;
  readonly jobs: JobCache;
  /** Saves a publication in the external job cache (`ext_job_cache`), in which minions save their returns; never rejects. */
  readonly extJobCache: ExtJobCache | undefined;
  /** The other masters of the cluster; undefined if `cluster` is not set. */
  readonly cluster: Cluster | undefined;
  /** Makes what is saved in {@link JobServices.jobs} durable. */
  readonly store: JobStore;
  /** Jobs that have not ended. */
  readonly ledger: Ledger;
  /** Which minions are connected. */
  readonly presence: Presence;
  readonly syndics: Syndics;
  readonly syndicTargets: SyndicTargets;
  /** Bounds the jobs that a syndic may bring and this master has not published. */
  readonly syndicQuota: HourlyQuota;
  /** Bounds the jobs, and their bytes, that a minion may bring and no master has published. */
  readonly minionQuota: { readonly jobs: HourlyQuota; readonly bytes: HourlyQuota };
  /** Returns that were refused since the master started, by reason. */
  readonly refused: Record<RefusedReturn, number>;
  readonly metrics: MasterMetrics;
  readonly traces: JobTraces;
  /** Makes job ids, each once. */
  readonly jids: JidGenerator;
  /** Encrypts a job load and sends it to the minions. @param minions the targets, for the topics of `zmq_filtering` */
  send(load: Record<string, unknown>, minions: readonly string[]): void;
}

/** Saves a publication where minions save their returns. */
export type ExtJobCache = (jid: string, load: Record<string, unknown>, minions: readonly string[]) => Promise<void>;

/** Why a return was refused. */
export type RefusedReturn =
  | "malformed"
  /** The return was sent in the name of another minion. */
  | "impostor"
  | "unsigned"
  /** The signature is not by the minion's key, or not over this return. */
  | "bad signature"
  | "unknown job"
  /** The minion is not a target of the job. */
  | "not a target"
  | "returned before"
  /** The sender has brought too many jobs that no master published: `syndic_jobs_hourly`, `minion_jobs_hourly`, `minion_job_bytes_hourly`. */
  | "too many jobs"
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
