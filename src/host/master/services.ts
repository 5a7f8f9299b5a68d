import type { AccessServices } from "./access/access_services.ts";
import type { JobServices } from "./jobs/job_services.ts";
import type { Runners } from "./jobs/runners.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { Engines } from "../../feature/engine/engines.ts";
import type { FileServer } from "../../content/fileserver/server.ts";
import type { HeavyWork } from "../../content/fileserver/backend.ts";
import type { Steps } from "../../language/python/steps.ts";
import type { WheelRegistry } from "../../model/loader/wheel.ts";
import type { Audit } from "./audit/audit.ts";
import type { ReplayedReturns } from "./jobs/replayed_returns.ts";
import type { KeyAdmin } from "./keys/key_admin.ts";
import type { KeyRotations } from "./keys/minion_key_rotations.ts";
import type { MasterTopsHost } from "./master_tops.ts";
import type { MinionCache } from "./minion_cache.ts";

/** All parts of a master; each part takes those that it needs. */
export interface MasterServices extends JobServices, AccessServices {
  /** Grains, pillar and mine of each minion. */
  readonly cache: MinionCache;
  /** Files under `salt://`. */
  readonly files: FileServer;
  /** Lists and hashes large files elsewhere; undefined where the master does it itself. */
  readonly heavyFiles: HeavyWork | undefined;
  /** Sends the return of a scheduled runner to returners; never rejects. */
  readonly sendToReturners: SendToReturners | undefined;
  readonly replayed: ReplayedReturns;
  /** Records who asks for what, and the outcome; undefined if `audit_log` is off. */
  readonly audit?: Audit;
  /** Accepts, rejects and deletes keys. */
  readonly keyAdmin: KeyAdmin;
  readonly rotations: KeyRotations;
  /** Wheel functions, which administer the master. */
  readonly wheels: WheelRegistry;
  /** Looks up what `master_tops` has for minions. */
  readonly tops: MasterTopsHost;
  /** Undefined where the master was started without runners. */
  readonly runners: Runners | undefined;
  /** Undefined where the master was started without engines. */
  readonly engines: Pick<Engines, "report"> | undefined;
  /** Counts the cost of matching patterns: {@link Steps.within} limits it for one request. */
  readonly steps: Steps;
  /** Returns the same parts under other options: new requests are answered by them, requests under way by these parts. */
  reconfigured(opts: MasterOpts): MasterServices;
  /** Makes a new master key; every minion signs in again when it receives a publication under it. */
  rotateMasterKey(): void;
}

/** The returners that the return of a scheduled runner goes to as well. */
interface WantedReturners {
  names: readonly string[];
  /** `return_config` and `return_kwargs` of the entry. */
  retConfig?: string;
  retKwargs?: Record<string, unknown>;
}

export type SendToReturners = (wanted: WantedReturners, ret: Record<string, unknown>) => Promise<void>;
