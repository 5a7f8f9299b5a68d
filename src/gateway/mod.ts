/**
 * The HTTP gateway of a master, Brine's or real Salt's: the interface of `salt-api` in both its flavours, and what it lacked.
 * It speaks to the master as any client does.
 */
export * from "./backend/backend.ts";
export * from "./wire/errors.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { newApiKey } from "./auth/identities.ts";
export { masterBackend } from "./backend/master_backend.ts";
export { remoteBackend, type RemoteBackendOptions } from "./backend/remote_backend.ts";
export * from "./settings.ts";
export { masterOptions } from "../config/given.ts";
export { silentLogger } from "../log.ts";
export { currentRuntime } from "../runtime/current.ts";
export { createGateway as default } from "./gateway.ts";
