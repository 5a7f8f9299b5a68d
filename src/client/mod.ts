/** What a program on the master's host calls to run jobs and to hear of them. */
export * from "./batch.ts";
export * from "./connect.ts";
export * from "./local.ts";
export * from "./runner.ts";
export * from "./subset.ts";
export * from "./tokens.ts";
export * from "./wheel.ts";
