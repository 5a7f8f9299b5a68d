/**
 * The HTTP gateway of a master, ours or real Salt's: the interface of `salt-api` in both its flavours, and what it lacked.
 * It speaks to the master as any client does.
 */
export * from "./backend.ts";
export * from "./errors.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { newApiKey } from "./identities.ts";
export { masterBackend } from "./master_backend.ts";
export { remoteBackend, type RemoteBackendOptions } from "./remote_backend.ts";
export * from "./settings.ts";
export { masterOptions } from "../config/given.ts";
export { silentLogger } from "../log.ts";
export { currentRuntime } from "../runtime/current.ts";
export { createGateway as default } from "./gateway.ts";
