/**
 * Transports: what carries requests and publications between masters, minions and clients. The channel above them does not
 * know which one it is on.
 *
 * @module
 */
export { openTransport, type TransportOptions } from "./open_transport.ts";
export type { Transport } from "./transport.ts";
