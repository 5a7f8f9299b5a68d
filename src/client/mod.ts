/**
 * The functions for a program on the master's host: it runs jobs, and follows their outcomes and events.
 *
 * @example
 * ```ts
 * import { connect } from "brine/client";
 *
 * await using salt = await connect();
 * console.log(await salt.command({ tgt: "*", fun: "test.version" }));
 * ```
 *
 * @module
 */
export * from "./shared_exports.ts";
// Exported by name, so that a program can add its own functions to these interfaces.
export type { ExecutionFunctions } from "./functions/execution_functions.ts";
export type { RunnerFunctions } from "./functions/runner_functions.ts";
export type { WheelFunctions } from "./functions/wheel_functions.ts";
export { type BatchEvent, type BatchOptions, batchSize, runBatch } from "./batch.ts";
export { connect, type ConnectOptions } from "./connect.ts";
export { followJob, type FollowOptions } from "./follow_job.ts";
export { LocalClient, type LocalClientOptions } from "./local_client.ts";
export type { MasterLink } from "./bus_feed.ts";
export { callRunner, type RunnerJob, type RunnerRequest, startRunner } from "./runner.ts";
export { chooseSubset } from "./subset.ts";
export { deleteToken, makeToken, readToken, type TokenRecord } from "./tokens.ts";
export { callWheel, type WheelRequest, type WheelResult } from "./wheel.ts";
export type { Span, SpanAttributes, SpanOptions, Tracer } from "../base/telemetry/mod.ts";
export { BusEvent, type EventData } from "../model/event/bus.ts";
export type { Runtime } from "../runtime/runtime.ts";
