/** The exports that all entry points for scripts share: {@link ./http/mod.ts}, {@link ./mod.ts} and the main module. */
export { HttpClient } from "./http/http_client.ts";
export type { HttpOptions } from "./http/http_options.ts";
export type { HttpLogin as Login } from "./http/session.ts";
export { ClientError } from "./client_error.ts";
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
export type { FunctionSignature, StateResult, StateReturns, UserRecord } from "./functions/shapes.ts";
export type { FunctionType } from "./functions/signature_types.ts";
export type { CollectOptions, Output, StateProgress } from "./job_collector.ts";
export {
  hasReturn,
  highestRetcode,
  type MinionReturn,
  type Outcome,
  type ReturnOutcome,
  type TargetStatus,
} from "./outcome.ts";
export type { Credentials, JobOrigin, Previewed, Published, PublishRequest } from "./publish_request.ts";
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
export { codeOf, type ErrorCode, messageOf, ProtocolError, SaltError, TimeoutError } from "../base/errors.ts";
export type { Clock } from "../base/async/clock.ts";
export type { LogFields, Logger, LogLevel, LogRecord, Threshold } from "../base/log.ts";
export type { TargetType } from "../model/target/target.ts";
export type { Float } from "../protocol/wire/msgpack_values.ts";
