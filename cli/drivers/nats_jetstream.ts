// In the one file of all programs, for several masters as one. By name: of CommonJS, `export *` brings nothing.
export { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
