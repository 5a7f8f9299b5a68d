import type { MasterOpts } from "../config/master_opts.ts";
import type { EventBus } from "../event/bus.ts";
import type { JobCache } from "../job/job_cache.ts";
import type { JidGenerator } from "../job/jid.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { Expansion, Target } from "../target/mod.ts";
import type { ClientKeys } from "./client_keys.ts";
import type { KeyDirectories } from "./keys.ts";
import type { MinionCache } from "./minion_cache.ts";
import type { TokenFiles } from "./tokens.ts";

/** What the commands of a master work with. */
export interface MasterServices {
  readonly opts: MasterOpts;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly bus: EventBus;
  readonly keys: KeyDirectories;
  readonly cache: MinionCache;
  readonly jobs: JobCache;
  readonly clientKeys: ClientKeys;
  readonly jids: JidGenerator;
  readonly tokens: TokenFiles;
  /** Ids of the minions that a target means, as far as the master can tell. */
  expand(target: Target, options?: { greedy?: boolean }): Expansion;
  /** Seals a job load and sends it to the minions. @param minions whom it is for, when publications carry topics */
  send(load: Record<string, unknown>, minions: readonly string[]): void;
  /** Makes a new master key; every minion signs in again when it meets it. */
  rotateMasterKey(): void;
}

/** A load as it came: its fields are checked where they are used. */
export type Load = Record<string, unknown>;

/** True for a map with text keys, as most fields of loads must be. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map) &&
    !(value instanceof Uint8Array) && !(value instanceof Number);
}
