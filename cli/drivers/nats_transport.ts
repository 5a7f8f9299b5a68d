// For the single-file program and clusters of masters. Named exports, because `export *` of a CommonJS module exports nothing.
export { connect } from "@nats-io/transport-node";
