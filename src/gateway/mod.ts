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
export { silentLogger } from "../log.ts";
export { currentRuntime } from "../runtime/current.ts";
export { createGateway as default } from "./gateway.ts";
