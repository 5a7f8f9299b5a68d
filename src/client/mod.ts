/** What a program on the master's host calls to run jobs and to hear of them. */
export * from "./batch.ts";
export * from "./client_error.ts";
export * from "./connect.ts";
export * from "./credentials.ts";
export * from "./job_collector.ts";
export * from "./local_client.ts";
export * from "./outcome.ts";
export type { Published, PublishRequest } from "./publish_request.ts";
export * from "./runner.ts";
export * from "./subset.ts";
export * from "./tokens.ts";
export * from "./wheel.ts";
