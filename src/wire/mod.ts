/**
 * Bytes to messages: Salt's msgpack, the envelopes of requests and publications, events and the frames of the local bus.
 * Nothing here encrypts, connects or decides.
 */
export * from "./event_frame.ts";
export * from "./ipc_frame.ts";
export * from "./msgpack.ts";
export * from "./payload.ts";
