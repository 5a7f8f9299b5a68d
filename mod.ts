/**
 * Brine: Salt's remote execution in TypeScript. This module is what scripts import: the client, jobs, events, targets and
 * the wire. Masters and minions have entry points of their own (`./master`, `./minion`).
 *
 * Nothing in its graph is from npm or from a runtime, so that it can be imported from a URL.
 *
 * @module
 */
export * from "./src/client/mod.ts";
export * from "./src/errors.ts";
export * from "./src/event/mod.ts";
export * from "./src/job/mod.ts";
export * from "./src/log.ts";
export { currentRuntime } from "./src/runtime/current.ts";
export type * from "./src/runtime/mod.ts";
export * from "./src/target/mod.ts";
export * from "./src/version.ts";
export * from "./src/wire/mod.ts";
export * from "./src/zmtp/mod.ts";
