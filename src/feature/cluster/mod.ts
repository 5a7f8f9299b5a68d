/** Several masters as one: what they share in a storage, and what they tell each other. The master uses it, plugins provide it. */
export * from "./bus.ts";
export * from "./cluster_key.ts";
export * from "./load_seal.ts";
export * from "./mirror.ts";
export * from "./mirrored_files.ts";
export { type BusOptions, openBus } from "./sealed_bus.ts";
export * from "./storage.ts";
