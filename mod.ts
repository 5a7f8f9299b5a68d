/**
 * Brine: Salt's remote execution in TypeScript. This module is what a script imports: it connects to the master on this
 * host, runs jobs, follows events and reads outcomes. Masters and minions in a program of one's own are in `./master` and
 * `./minion`, the HTTP gateway in `./gateway`, message formats in `./wire`, ZeroMQ sockets in `./zmtp`.
 *
 * Nothing in its graph is from npm or from a runtime, so that it can be imported from a URL.
 *
 * @example Run a command and handle each outcome
 * ```ts
 * import { connect } from "brine";
 *
 * await using salt = await connect();
 * for await (const outcome of salt.run({ tgt: "*", fun: "cmd.run", arg: ["uptime"] })) {
 *   if (outcome.kind === "returned") console.log(outcome.id, outcome.return);
 *   else console.error(outcome.id, outcome.kind);
 * }
 * ```
 *
 * @module
 */
// Connection
export { ClientError } from "./src/client/client_error.ts";
export { connect, type ConnectOptions } from "./src/client/connect.ts";
export type { Credentials } from "./src/client/credentials.ts";
export { LocalClient, type LocalClientOptions } from "./src/client/local_client.ts";
export { HttpClient } from "./src/client/http/http_client.ts";
export type { HttpOptions } from "./src/client/http/http_options.ts";
export type { Login } from "./src/client/http/session.ts";
export type { MasterLink } from "./src/client/master_link.ts";
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
} from "./src/client/salt.ts";
export type { Span, SpanAttributes, SpanOptions, Tracer } from "./src/base/telemetry/mod.ts";

// Jobs and their outcomes
export { type BatchEvent, type BatchOptions, batchSize, runBatch } from "./src/client/batch.ts";
export type { CollectOptions, Output, StateProgress } from "./src/client/job_collector.ts";
export {
  hasReturn,
  highestRetcode,
  type MinionReturn,
  type Outcome,
  type ReturnOutcome,
  type TargetStatus,
} from "./src/client/outcome.ts";
export type { JobOrigin, Published, PublishRequest } from "./src/client/publish_request.ts";
export { followJob, type FollowOptions } from "./src/client/follow_job.ts";
export { chooseSubset } from "./src/client/subset.ts";
export { isJid, jidMs, newJid } from "./src/model/job/jid.ts";

// Runners, wheel functions, tokens
export { callRunner, type RunnerJob, type RunnerRequest, startRunner } from "./src/client/runner.ts";
export { deleteToken, makeToken, readToken, type TokenRecord } from "./src/client/tokens.ts";
export { callWheel, type WheelRequest, type WheelResult } from "./src/client/wheel.ts";

// Functions, their arguments and their returns
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
} from "./src/client/functions/call_types.ts";
export type { ExecutionFunctions } from "./src/client/functions/execution_functions.ts";
export type { FunctionSignature, StateResult, StateReturns, UserRecord } from "./src/client/functions/shapes.ts";
export type { RunnerFunctions } from "./src/client/functions/runner_functions.ts";
export type { WheelFunctions } from "./src/client/functions/wheel_functions.ts";
export type { Float } from "./src/protocol/wire/msgpack_values.ts";

// Events
export { BusEvent, type EventData } from "./src/model/event/bus.ts";
export {
  jobEvents,
  jobOutcome,
  jobOutput,
  jobReturn,
  jobReturns,
  tagMatcher,
  type TagMatchType,
} from "./src/model/event/tag.ts";

// Targets
export type { TargetType } from "./src/model/target/target.ts";

// Errors
export {
  AuthenticationError,
  codeOf,
  ConfigError,
  messageOf,
  ProtocolError,
  SaltError,
  SystemError,
  TimeoutError,
} from "./src/base/errors.ts";

// Runtime, log, version
export type { Clock } from "./src/base/async/clock.ts";
export {
  createLogger,
  type LogFields,
  type Logger,
  type LogLevel,
  type LogRecord,
  silentLogger,
  type Threshold,
} from "./src/base/log.ts";
export { currentRuntime } from "./src/runtime/current.ts";
export type { Runtime } from "./src/runtime/runtime.ts";
export { VERSION } from "./src/base/version.ts";
