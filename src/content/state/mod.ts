/** States: from SLS files to low chunks in order, and from low chunks to returns. */
export * from "./check_result.ts";
export * from "./high_data.ts";
export * from "./compile/mod.ts";
export * from "./keywords.ts";
export * from "./run/mod.ts";
export * from "./state_queue.ts";
