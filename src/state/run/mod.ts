/** Running states: from low chunks in order to returns. */
export { type StateEntry, tagOf } from "./chunk.ts";
export { RequisiteError } from "./requisite_index.ts";
export { verifyChunk } from "./verify.ts";
export * from "./run_states.ts";
