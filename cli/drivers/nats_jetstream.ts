// For the single-file program and clusters of masters. Named exports, because `export *` of a CommonJS module exports nothing.
export { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
