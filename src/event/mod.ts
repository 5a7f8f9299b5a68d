/** The event bus: inside a process, across processes in Salt's framing, and the tags that events go by. */
export * from "./bus.ts";
export * from "./ipc.ts";
export * from "./tag.ts";
