/** The master: authenticates minions, publishes jobs to them, stores their returns, and fires events for all of it. */
export { KEY_STATES, type KeyAction, KeyAdmin, type KeyProblem } from "./keys/key_admin.ts";
export * from "./keys/key_directories.ts";
export * from "./master.ts";
export * from "./master_id.ts";
export { argumentsOf } from "./commands/low.ts";
export { MinionCache } from "./minion_cache.ts";
export type {
  ExtJobCache,
  MasterServices,
  RunnerEnd,
  RunnerJob,
  Runners,
  SendToReturners,
  WantedReturners,
} from "./services.ts";
export { tokenFiles } from "./access/tokens.ts";
