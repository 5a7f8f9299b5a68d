/**
 * The HTTP gateway of a master, Brine's or real Salt's: `salt-api` in both its flavours, and some extensions. To the master it is
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
export { masterOptions } from "../config/given.ts";
export { type LogFields, type Logger, type LogLevel, type LogRecord, silentLogger, type Threshold } from "../log.ts";
export { currentRuntime } from "../runtime/current.ts";
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
  Published,
  PublishRequest,
  RunnerJob,
  RunnerRequest,
  StateProgress,
  TargetStatus,
  TokenRecord,
  WheelRequest,
  WheelResult,
} from "../client/mod.ts";
export type { Clock } from "../async/clock.ts";
export type { MasterOpts } from "../config/master_opts.ts";
export { SaltError } from "../errors.ts";
export type { BusEvent, EventData } from "../event/bus.ts";
export type { Runtime } from "../runtime/mod.ts";
export type { IpTarget } from "../target/ipcidr.ts";
export type { TargetType } from "../target/target.ts";
export type { Span, SpanAttributes, SpanOptions, Tracer } from "../telemetry/mod.ts";
export { createGateway as default } from "./gateway.ts";
