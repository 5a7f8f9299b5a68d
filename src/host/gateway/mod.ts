/**
 * The HTTP gateway of a Brine or Salt master: `salt-api` in both its flavours, and some extensions. For the master, the gateway is
 * a client like any other.
 */
export type { Backend } from "./backend/backend.ts";
export { HttpError, MasterDownError, type RefusalKind, RefusedError } from "./wire/errors.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { newApiKey } from "./auth/api_keys.ts";
export { masterBackend } from "./backend/master_backend.ts";
export { remoteBackend, type RemoteBackendOptions } from "./backend/remote_backend.ts";
export { type Flavour, FLAVOURS } from "./flavours/flavours.ts";
export { configured, gatewaySettings } from "./read_settings.ts";
export type { ApiKeySetting, GatewaySettings } from "./settings.ts";
export { masterOptions } from "../../model/config/given.ts";
export {
  type LogFields,
  type Logger,
  type LogLevel,
  type LogRecord,
  silentLogger,
  type Threshold,
} from "../../base/log.ts";
export { currentRuntime } from "../../runtime/current.ts";
// What their signatures name, as `brine` has it
export type {
  BatchEvent,
  CollectOptions,
  Credentials,
  JobOrigin,
  LocalClientOptions,
  MinionReturn,
  Outcome,
  Output,
  Previewed,
  Published,
  PublishRequest,
  RunnerJob,
  RunnerRequest,
  StateProgress,
  TargetStatus,
  TokenRecord,
  WheelRequest,
  WheelResult,
} from "../../client/mod.ts";
export type { Clock } from "../../base/async/clock.ts";
export type { MasterOpts } from "../../model/config/master_opts.ts";
export { type ErrorCode, SaltError } from "../../base/errors.ts";
export type { BusEvent, EventData } from "../../model/event/bus.ts";
export type { Runtime } from "../../runtime/runtime.ts";
export type { IpTarget } from "../../model/target/ipcidr.ts";
export type { TargetType } from "../../model/target/target.ts";
export type { Span, SpanAttributes, SpanOptions, Tracer } from "../../base/telemetry/mod.ts";
export { createGateway as default } from "./gateway.ts";
