import { decode, encode } from "../wire/msgpack.ts";

/** Fields that only carry the request, and the signature itself. */
const UNSIGNED: ReadonlySet<string> = new Set(["nonce", "tok", "sig"]);

/**
 * The bytes that a minion signs of a message (`minion_sign_messages`), and its master verifies: all fields in their order,
 * packed as the master has them once it has opened the message.
 *
 * @see salt/channel/client.py AsyncReqChannel._package_load, salt/master.py AESFuncs._return
 */
export function signedBytes(load: Record<string, unknown>): Uint8Array {
  const signed: Record<string, unknown> = {};
  for (const field in load) if (!UNSIGNED.has(field)) signed[field] = load[field];
  // Through the wire format: it turns bytes that are text into text.
  return encode(decode(encode(signed, "wire"), { mode: "wire" }), "bin");
}
