import type { Crypto, HashName } from "../../runtime/crypto.ts";
import { hex } from "./hex.ts";

/**
 * The ten hex digits of a minion's id in the names of its bus sockets, `minion_event_<hash>_pub.ipc`.
 *
 * @param hashName Salt's `hash_type`
 */
export function ipcHash(crypto: Crypto, id: string, hashName: HashName = "sha256"): string {
  return hex(crypto.hash(hashName, new TextEncoder().encode(id))).slice(0, 10);
}

/** The topic of publications for one minion, with `zmq_filtering`: SHA-1 of its id in hex. */
export function publicationTopic(crypto: Crypto, id: string): string {
  return hex(crypto.hash("sha1", new TextEncoder().encode(id)));
}
