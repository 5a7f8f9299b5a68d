/**
 * Salt over HTTP alone, through a salt-api: for browsers and workers, where nothing of a runtime is to be had. It is what `connect(url)`
 * of the main module opens, without the part for a master on the same host.
 *
 * @example Run a command from a worker
 * ```ts
 * import { connect } from "brine/http";
 *
 * await using salt = await connect("https://salt.example.com:8000", { token: "…" });
 * for await (const outcome of salt.run({ tgt: "*", fun: "test.ping" })) console.log(outcome.id, outcome.kind);
 * ```
 *
 * @module
 */
import { HttpClient } from "./http_client.ts";
import type { HttpOptions } from "./http_options.ts";

/**
 * Connects to a master over HTTP, through a salt-api: Brine's or real Salt's.
 *
 * @param url with the server's `root_prefix`, if it has one
 * @example
 * ```ts
 * import { connect } from "brine/http";
 *
 * export async function ping(token: string): Promise<void> {
 *   await using salt = await connect("https://salt.example.com:8000", { token });
 *   for await (const { id, kind } of salt.run({ tgt: "*", fun: "test.ping" })) console.log(id, kind);
 * }
 * ```
 * @throws {ClientError} `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`; `INSECURE` for plain HTTP to another machine
 * @throws {TypeError} for an unknown option, or an address that is none
 */
export function connect(url: string | URL, options: HttpOptions): Promise<HttpClient> {
  return HttpClient.open(url, options);
}

export { HttpClient };
export type { HttpOptions };
export type { Login } from "./session.ts";
export { ClientError } from "../client_error.ts";
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
} from "../functions/call_types.ts";
export type { ExecutionFunctions } from "../functions/execution_functions.ts";
export type { RunnerFunctions } from "../functions/runner_functions.ts";
export type { FunctionSignature, StateResult, StateReturns, UserRecord } from "../functions/shapes.ts";
export type { WheelFunctions } from "../functions/wheel_functions.ts";
export type { CollectOptions, Output, StateProgress } from "../job_collector.ts";
export {
  hasReturn,
  highestRetcode,
  type MinionReturn,
  type Outcome,
  type ReturnOutcome,
  type TargetStatus,
} from "../outcome.ts";
export type { JobOrigin, Published, PublishRequest } from "../publish_request.ts";
export type { Credentials } from "../credentials.ts";
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
} from "../salt.ts";
export { codeOf, messageOf, ProtocolError, SaltError, TimeoutError } from "../../base/errors.ts";
export type { Clock } from "../../base/async/clock.ts";
export type { LogFields, Logger, LogLevel, LogRecord, Threshold } from "../../base/log.ts";
export type { TargetType } from "../../model/target/target.ts";
export type { Float } from "../../protocol/wire/msgpack_values.ts";
