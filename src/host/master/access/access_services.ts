import type { JobServices } from "../jobs/job_services.ts";
import type { Expansion } from "../../../model/target/expand.ts";
import type { Target } from "../../../model/target/target.ts";
import type { AccessRules } from "./acl.ts";
import type { Callers } from "./callers.ts";
import type { ExternalAuth } from "./external_auth.ts";
import type { RefusalEvents } from "./refusal_events.ts";
import type { TokenFiles } from "./tokens.ts";

/** The parts of the master that decide which caller may do what. */
export interface AccessServices extends Pick<JobServices, "opts" | "runtime" | "log" | "jobs" | "ledger"> {
  /** Authenticates the callers of clear commands. */
  readonly callers: Callers;
  readonly externalAuth: ExternalAuth;
  /** Decides what permissions allow. */
  readonly rules: AccessRules;
  /** Fires the events of refused publications. */
  readonly refusals: RefusalEvents;
  readonly tokens: TokenFiles;
  /** Returns the ids of the minions that a target means, as far as the master can tell. */
  expand(target: Target, options?: { greedy?: boolean }): Expansion;
}
