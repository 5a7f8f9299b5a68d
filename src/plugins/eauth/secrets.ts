import type { Crypto } from "../../runtime/crypto.ts";

const utf8 = new TextEncoder();

/** True if two texts are the same, in a time that tells nothing of where they differ or how long they are. */
export function sameSecret(crypto: Crypto, one: string, other: string): boolean {
  return crypto.equal(crypto.hash("sha256", utf8.encode(one)), crypto.hash("sha256", utf8.encode(other)));
}
