/** Loads across the trust boundary: the only code that uses session keys and turns bytes into a trusted load. */
export * from "./auth_client.ts";
export * from "./auth_server.ts";
export * from "./key_pair.ts";
export * from "./key_store.ts";
export * from "./pub_client.ts";
export * from "./pub_server.ts";
export * from "./replay_guard.ts";
export * from "./req_client.ts";
export * from "./req_server.ts";
