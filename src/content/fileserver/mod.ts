/**
 * Files under `salt://`. A master serves them to its minions, and a minion without a master to itself: both hosts need both
 * halves, and neither knows the other.
 */
export * from "./backend.ts";
export * from "./client.ts";
export * from "./file_request.ts";
export * from "./file_workers.ts";
export * from "./heavy_work.ts";
export * from "./root_problems.ts";
export * from "./roots.ts";
export * from "./server.ts";
export * from "./url.ts";
