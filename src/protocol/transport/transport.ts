import type { Pub, PubOptions, Req, Router, SocketOptions, Sub } from "../zmtp/mod.ts";
import { ProtocolError } from "../../base/errors.ts";
import { encode } from "../wire/msgpack.ts";
import { contentOf, kindOf, MAP } from "../wire/msgpack_types.ts";

/**
 * Carries messages between masters, minions and clients. A message has the same bytes on every transport: a packed envelope,
 * whose meaning only `channel/` knows.
 *
 * - A message MUST arrive whole or not at all, and the messages of one connection in order.
 * - Names of connections (`PeerInfo.remote`) MUST be the same on `requests` and its peers for as long as the connection lasts:
 *   the presence of minions is found by these names.
 * - Bounds of `SocketOptions` apply on every transport alike.
 *
 * @internal
 */
export interface Transport {
  readonly name: string;
  /** False if every subscriber receives every publication: then the master does not send by topic. @default true */
  readonly byTopic?: boolean;
  pub(options?: PubOptions): Pub;
  sub(options?: SocketOptions): Sub;
  /** Takes requests and replies to them. */
  router(options?: SocketOptions): Router;
  /** Sends requests, one at a time. */
  req(options?: SocketOptions): Req;
}

/** Packs a publication for the transports tcp and ws: the packed envelope is packed once more as bytes. */
export function packPublicationValue(publication: Uint8Array): Uint8Array {
  return encode(publication, "bin");
}

/** Reverses {@link packPublicationValue}; an envelope that was not packed again is accepted, too. @throws {ProtocolError} for any other value */
export function unpackPublication(value: Uint8Array): Uint8Array {
  if (kindOf(value[0] ?? 0) === MAP) return value;
  const content = contentOf(value);
  if (content === undefined) throw new ProtocolError("Cannot read publication: expected bytes or a map");
  return content;
}
