/** Engines beside a master or a minion: which there are to be, their processes, and what each is given. */
export { Engines, type EngineState, type EngineStatus, type FireStatus } from "./engines.ts";
export { type BusPaths } from "./bus_link.ts";
export { observeEngines } from "./observe.ts";
export { EngineRun } from "./run_engine.ts";
