/** The master: lets minions in, publishes jobs to them, takes their returns, and tells it all on its event bus. */
export * from "./keys.ts";
export * from "./master.ts";
export { MinionCache } from "./minion_cache.ts";
export type { ExtJobCache, MasterServices } from "./services.ts";
