import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { Engines } from "../../feature/engine/engines.ts";
import type { HeavyWork } from "../../content/fileserver/backend.ts";
import type { Supervisor } from "../../feature/supervise/supervisor.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type { EauthRegistry } from "../../model/loader/eauth.ts";
import type { CustomTops, TopsRegistry } from "../../model/loader/custom_tops.ts";
import type { WheelRegistry } from "../../model/loader/wheel.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Telemetry } from "../../base/telemetry/mod.ts";
import type { LedgerStorage } from "../../feature/cluster/storage.ts";
import type { ClusterLink } from "./cluster_contract.ts";
import type { MasterIdentity } from "../../protocol/channel/auth_server.ts";
import type { RotatingMasterKey } from "./keys/publication_key.ts";
import type { Presence } from "./presence.ts";
import type { Publisher } from "./publisher.ts";
import type { MasterServices } from "./services.ts";
import type { PillarCompiles } from "./commands/pillar.ts";
import type { ExtJobCache } from "./jobs/job_services.ts";
import type { Runners } from "./jobs/runners.ts";
import type { SendToReturners } from "./services.ts";

export interface ClusterHost {
  runtime: Runtime;
  log: Logger;
  id: string;
  identity: MasterIdentity;
  masterKey: RotatingMasterKey;
  /** The directory in which the master keeps its state of the cluster. */
  directory: string;
  presence: Presence;
  publisher: Publisher;
  /** Returns the parts of the master; called once they exist. */
  services(): MasterServices;
}

/** The parts that the masters of a cluster share: a master gets them if `cluster` is set. */
export interface OpenCluster {
  /** The storage of the cluster; its job cache is the master's job cache. */
  storage: LedgerStorage;
  join(host: ClusterHost): Promise<ClusterLink>;
}

/** What {@link startMaster} needs. */
export interface MasterOptions {
  runtime: Runtime;
  opts: MasterOpts;
  log: Logger;
  /** Where jobs and returns are kept; the master closes it. */
  jobs: JobCache;
  /** Where publications are saved beside {@link MasterOptions.jobs}: `ext_job_cache`. Must not reject. */
  extJobCache?: ExtJobCache;
  /** Calls the returners of scheduled runners. Must not reject. @default they are not called */
  sendToReturners?: SendToReturners;
  /** What the master shares with the other masters of its cluster; the master closes it. @default there is no cluster */
  cluster?: OpenCluster;
  /** @default the transport that the configuration asks for */
  sockets?: Transport;
  /** @default every pillar is empty */
  compilePillar?: PillarCompiles;
  /** Backends that `external_auth` may name. @default none */
  eauth?: EauthRegistry;
  /** @default none */
  wheels?: WheelRegistry;
  /** Modules that `master_tops` may name. @default none */
  tops?: TopsRegistry;
  /** Asks custom modules of `master_tops` elsewhere. @default the master does it itself */
  customTops?: CustomTops;
  /** @default runners are refused */
  runners?: Runners;
  /** Where the master counts and traces; the master closes it. @default nowhere */
  telemetry?: Telemetry;
  /** Lists and hashes large files elsewhere. @default the master does it itself */
  heavyFiles?: HeavyWork;
  /** Runs the parts that are processes of their own; the master closes it. @default there are none */
  supervisor?: Supervisor;
  /** The engines, which begin once the master runs and end before its bus. @default there are none */
  engines?: Engines;
  /** Called with the options that hold from now on, when a configuration was read again and some have changed. */
  reloaded?(opts: MasterOpts): void;
}
