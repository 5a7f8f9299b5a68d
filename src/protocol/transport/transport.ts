import type { Pub, PubOptions, Req, Router, SocketOptions, Sub } from "../zmtp/mod.ts";

/**
 * What carries messages between masters, minions and clients. Each message is the same bytes on every transport: a packed
 * envelope, of which only `channel/` knows the meaning.
 *
 * - A message MUST arrive whole or not at all, and those of one connection in order.
 * - Names of connections (`PeerInfo.remote`) MUST be the same on `requests` and its peers for as long as the connection lasts:
 *   the presence of minions is told by them.
 * - Bounds of `SocketOptions` apply on every transport alike.
 *
 * @internal
 */
export interface Transport {
  /** For logs. */
  readonly name: string;
  /** False if every subscriber receives every publication: then the master does not send by topic. @default true */
  readonly byTopic?: boolean;
  /** Sends publications. */
  pub(options?: PubOptions): Pub;
  /** Receives publications. */
  sub(options?: SocketOptions): Sub;
  /** Takes requests and replies to them. */
  router(options?: SocketOptions): Router;
  /** Sends requests, one at a time. */
  req(options?: SocketOptions): Req;
}
