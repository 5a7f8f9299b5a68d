import type { Crypto, HashName } from "../../runtime/crypto.ts";

const DIGITS = "0123456789abcdef";
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => DIGITS[byte >> 4]! + DIGITS[byte & 15]!);

/** Bytes as lower-case hex, as Salt writes hashes, nonces and names of files. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at++) text += PAIRS[bytes[at]!]!;
  return text;
}

/** The bytes of a text of hex digits, which must be well-formed. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

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
