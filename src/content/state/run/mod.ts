/** Running states: from low chunks in order to returns. */
export { type StateEntry, tagOf } from "./chunk.ts";
export type { Reloads } from "./refresh.ts";
export { RequisiteError } from "./requisite_index.ts";
export { type UnfinishedRun, unfinishedRuns } from "./run_record.ts";
export * from "./run_states.ts";
export { verifyChunk } from "./verify.ts";
