/** The event bus: inside a process, across processes in Salt's framing, and the tags that events go by. */
export * from "./bus.ts";
export * from "./bus_addresses.ts";
export * from "./bus_client.ts";
export * from "./bus_server.ts";
export * from "./bus_subscription.ts";
export * from "./event_history.ts";
export * from "./event_log.ts";
export * from "./event_right.ts";
export * from "./follow_bus.ts";
export * from "./tag.ts";
