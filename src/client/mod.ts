/**
 * What a program on the master's host calls to run jobs, and to follow their outcomes and events.
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
export type {
  AnyRunner,
  AnyWheel,
  FunctionArguments,
  FunctionName,
  FunctionReturn,
  Functions,
  RunnerArguments,
  RunnerName,
  RunnerReturn,
  WheelArguments,
  WheelName,
  WheelReturn,
} from "./functions/call_types.ts";
export type { ExecutionFunctions } from "./functions/execution_functions.ts";
export type { FunctionSignature, StateResult, StateReturns, UserRecord } from "./functions/shapes.ts";
export type { RunnerFunctions } from "./functions/runner_functions.ts";
export type { WheelFunctions } from "./functions/wheel_functions.ts";
export { type BatchEvent, type BatchOptions, batchSize, runBatch } from "./batch.ts";
export { ClientError } from "./client_error.ts";
export { connect, type ConnectOptions } from "./connect.ts";
export type { Credentials } from "./credentials.ts";
export { followJob, type FollowOptions } from "./follow_job.ts";
export type { CollectOptions, Output, StateProgress } from "./job_collector.ts";
export { LocalClient, type LocalClientOptions } from "./local_client.ts";
export { HttpClient } from "./http/http_client.ts";
export type { HttpOptions } from "./http/http_options.ts";
export type { Login } from "./http/session.ts";
export type { MasterLink } from "./master_link.ts";
export type { Span, SpanAttributes, SpanOptions, Tracer } from "../base/telemetry/mod.ts";
export {
  hasReturn,
  highestRetcode,
  type MinionReturn,
  type Outcome,
  type ReturnOutcome,
  type TargetStatus,
} from "./outcome.ts";
export type { JobOrigin, Published, PublishRequest } from "./publish_request.ts";
export { callRunner, type RunnerJob, type RunnerRequest, startRunner } from "./runner.ts";
export type {
  CallOptions,
  EventFeed,
  EventsOptions,
  JobRequest,
  JobRun,
  Jobs,
  KeyFingerprint,
  Keys,
  KeyStatus,
  KnownMinion,
  ListedJob,
  ListJobsOptions,
  ListMinionsOptions,
  Minions,
  RecordedJob,
  RunnerCall,
  Salt,
  SaltEvent,
  Targets,
  WheelCall,
} from "./salt.ts";
export { chooseSubset } from "./subset.ts";
export { deleteToken, makeToken, readToken, type TokenRecord } from "./tokens.ts";
export { callWheel, type WheelRequest, type WheelResult } from "./wheel.ts";
export type { Clock } from "../base/async/clock.ts";
export { SaltError } from "../base/errors.ts";
export { BusEvent, type EventData } from "../model/event/bus.ts";
export type { LogFields, Logger, LogLevel, LogRecord, Threshold } from "../base/log.ts";
export type { Runtime } from "../runtime/runtime.ts";
export type { TargetType } from "../model/target/target.ts";
export type { Float } from "../protocol/wire/msgpack_values.ts";
