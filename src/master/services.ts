import type { MasterOpts } from "../config/master_opts.ts";
import type { EventBus } from "../event/bus.ts";
import type { FileServer } from "../fileserver/mod.ts";
import type { JobCache } from "../job/job_cache.ts";
import type { JidGenerator } from "../job/jid.ts";
import type { Logger } from "../log.ts";
import type { Steps } from "../python/steps.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { Expansion, Target } from "../target/mod.ts";
import type { WheelRegistry } from "../loader/wheel.ts";
import type { AccessRules } from "./access/acl.ts";
import type { Callers } from "./access/callers.ts";
import type { ExternalAuth } from "./access/external_auth.ts";
import type { JobStore } from "./jobs/durable_saves.ts";
import type { KeyAdmin } from "./keys/key_admin.ts";
import type { KeyDirectories } from "./keys/key_directories.ts";
import type { Ledger } from "./jobs/ledger.ts";
import type { Load } from "./load.ts";
import type { MinionCache } from "./minion_cache.ts";
import type { Presence } from "./presence.ts";
import type { TokenFiles } from "./access/tokens.ts";

/** What the commands of a master work with. */
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
  /** The job cache. */
  readonly jobs: JobCache;
  /** Tells the external job cache of a job (`ext_job_cache`), to which minions send their returns themselves; never fails. */
  readonly extJobCache: ExtJobCache | undefined;
  /** Makes what is saved there durable. */
  readonly store: JobStore;
  /** Jobs that have not come to their end. */
  readonly ledger: Ledger;
  /** Which minions are connected. */
  readonly presence: Presence;
  /** Returns that were kept out of jobs, by why; since the master started. */
  readonly refused: Record<RefusedReturn, number>;
  /** Who calls a command that comes in clear. */
  readonly callers: Callers;
  /** The back ends of `external_auth`. */
  readonly externalAuth: ExternalAuth;
  /** What whom permissions are given to may do. */
  readonly rules: AccessRules;
  /** Accepts, rejects and deletes keys. */
  readonly keyAdmin: KeyAdmin;
  /** Functions that the master does to itself. */
  readonly wheels: WheelRegistry;
  /** Absent where runners cannot be had. */
  readonly runners: Runners | undefined;
  /** Makes job ids, each once. */
  readonly jids: JidGenerator;
  /** The tokens of logins. */
  readonly tokens: TokenFiles;
  /** What matching patterns may cost: a limit for one request is set by {@link Steps.within}. */
  readonly steps: Steps;
  /** Ids of the minions that a target means, as far as the master can tell. */
  expand(target: Target, options?: { greedy?: boolean }): Expansion;
  /** Seals a job load and sends it to the minions. @param minions whom it is for, when publications carry topics */
  send(load: Record<string, unknown>, minions: readonly string[]): void;
  /** Makes a new master key; every minion signs in again when it meets it. */
  rotateMasterKey(): void;
}

/** A runner to run: `low` has its arguments, as `arg` and `kwarg` or by their names. */
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

/** How the process of a runner ended. */
export interface RunnerEnd {
  /** `exit code 0`, `signal SIGKILL`. */
  status: string;
  /** The end of what it said on its error output. */
  printed: string;
}

/** Runs runners, each in a process of its own, which fires `salt/run/<jid>/new` and `/ret` on the master's bus. */
export interface Runners {
  /**
   * Runs a runner to its end.
   *
   * @throws {SystemError} if no process can be had
   */
  run(job: RunnerJob): Promise<RunnerEnd>;
  /** Lets go what waits for runners; those that run go on. */
  close(): void;
}

/** Saves a publication where minions save their returns. */
export type ExtJobCache = (jid: string, load: Record<string, unknown>, minions: readonly string[]) => Promise<void>;

/** Why a return was kept out of its job. */
export type RefusedReturn =
  | "malformed"
  /** In the name of another minion. */
  | "impostor"
  | "unsigned"
  /** Signed by something else than the minion's key, or not what it signed. */
  | "bad signature"
  /** Of a job that this master does not know. */
  | "unknown job"
  /** Of a minion that the job is not for. */
  | "not a target"
  | "returned before"
  /** Its value was larger than `max_return_size`; a failure is kept in its place. */
  | "too large";

export const REFUSALS: readonly RefusedReturn[] = [
  "malformed",
  "impostor",
  "unsigned",
  "bad signature",
  "unknown job",
  "not a target",
  "returned before",
  "too large",
];

export { isRecord, type Load } from "./load.ts";
