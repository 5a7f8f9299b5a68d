// In the one file of all programs, for several masters as one. By name: of CommonJS, `export *` brings nothing.
export { connect } from "@nats-io/transport-node";
