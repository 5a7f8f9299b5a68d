import { decode, encode } from "../wire/msgpack.ts";

/** Fields that are not signed: those that only serve the transport of the request, and the signature itself. */
const UNSIGNED: ReadonlySet<string> = new Set(["nonce", "tok", "sig"]);

/**
 * The bytes of a message that a minion signs (`minion_sign_messages`) and its master verifies: all fields in their order,
 * packed as the master sees them after it has opened the message.
 *
 * @see salt/channel/client.py AsyncReqChannel._package_load, salt/master.py AESFuncs._return
 */
export function signedBytes(load: Record<string, unknown>): Uint8Array {
  const signed: Record<string, unknown> = {};
  for (const field in load) if (!UNSIGNED.has(field)) signed[field] = load[field];
  // Encoded and decoded in the wire format first, which turns bytes that are text into text.
  return encode(decode(encode(signed, "wire"), { mode: "wire" }), "bin");
}
