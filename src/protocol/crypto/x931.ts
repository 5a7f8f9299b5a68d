import { AuthenticationError } from "../../base/errors.ts";
import type { Crypto, RsaPrivateKey, RsaPublicKey } from "../../runtime/crypto.ts";

const BARE = 0x6a;
const PADDED = 0x6b;
const FILL = 0xbb;
const FILL_END = 0xba;
const TRAILER = 0xcc;

/** Compares big-endian numbers of equal length: negative, zero or positive. */
function compare(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return a[at]! - b[at]!;
  }
  return 0;
}

/** Subtracts `b` from `a`: big-endian numbers of equal length, `a` not below `b`. */
function subtract(a: Uint8Array, b: Uint8Array): Uint8Array {
  const difference = new Uint8Array(a.length);
  let borrow = 0;
  for (let at = a.length - 1; at >= 0; at--) {
    const value = a[at]! - b[at]! - borrow;
    difference[at] = value;
    borrow = value < 0 ? 1 : 0;
  }
  return difference;
}

/**
 * Salt's "private encrypt": X9.31 padding, raw RSA, then the smaller of the result and its complement. Always the same for
 * the same key and message, so a minion makes its `tok` only once.
 *
 * @throws {RangeError} if the message is longer than the key's size in bytes minus 2
 * @see docs/internals/protocol.md 4.3
 */
export function x931Sign(crypto: Crypto, key: RsaPrivateKey, message: Uint8Array): Uint8Array {
  const fill = key.size - message.length - 2;
  if (fill < 0) {
    throw new RangeError(`Cannot sign ${message.length} bytes with this key: at most ${key.size - 2} fit`);
  }
  const block = new Uint8Array(key.size).fill(FILL);
  block[0] = fill === 0 ? BARE : PADDED;
  if (fill > 0) block[fill] = FILL_END;
  block.set(message, 1 + fill);
  block[key.size - 1] = TRAILER;
  const result = crypto.rawPrivate(key, block);
  const complement = subtract(key.modulus, result);
  return compare(result, complement) <= 0 ? result : complement;
}

/**
 * Salt's "public decrypt": the message in an X9.31 signature. The caller must still compare the message with the expected
 * one.
 *
 * @throws {AuthenticationError} if the signature was not made with the key
 * @see docs/internals/protocol.md 4.3
 */
export function x931Recover(crypto: Crypto, key: RsaPublicKey, signature: Uint8Array): Uint8Array {
  const { size, modulus } = key;
  if (signature.length > size) throw forged();
  const input = new Uint8Array(size);
  input.set(signature, size - signature.length);
  if (compare(input, modulus) >= 0) throw forged();
  let block = crypto.rawPublic(key, input);
  // The block ends in 0xCC; its complement to the odd modulus cannot.
  if ((block[size - 1]! & 0x0f) !== 0x0c) block = subtract(modulus, block);
  if (block[size - 1] !== TRAILER) throw forged();
  if (block[0] === BARE) return block.slice(1, size - 1);
  if (block[0] !== PADDED) throw forged();
  // Salt requires at least one 0xBB, and looks for the 0xBA only up to two bytes before the trailer. So an empty message, and one
  // that is three bytes shorter than the block, can be signed but not recovered.
  let at = 1;
  while (at < size - 2 && block[at] === FILL) at += 1;
  if (at === 1 || at >= size - 2 || block[at] !== FILL_END) throw forged();
  return block.slice(at + 1, size - 1);
}

function forged(): AuthenticationError {
  return new AuthenticationError("Cannot recover a message: the signature was not made with this key");
}
