import { Crypticle } from "../../protocol/crypto/crypticle.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import type { Crypto, RsaPrivateKey } from "../../runtime/crypto.ts";

const text = new TextEncoder();
const SHA256 = 32;

/**
 * The keys with which the masters of a cluster seal data for each other. They are derived (HKDF, RFC 5869) from the private key that
 * all these masters have (`master.pem`) and the name of the cluster. Each purpose has a separate key.
 */
export class ClusterKey {
  readonly #crypto: Crypto;
  readonly #secret: Uint8Array;
  /** A value to compare with that of other masters. It differs for each private key and name, and reveals neither. */
  readonly fingerprint: string;

  /** @param cluster the name of the cluster (option `cluster: name`) */
  constructor(crypto: Crypto, masterKey: RsaPrivateKey, cluster: string) {
    this.#crypto = crypto;
    const salt = text.encode(`brine cluster ${cluster}`);
    this.#secret = crypto.hmac("sha256", salt, privateValue(crypto, masterKey));
    this.fingerprint = hex(this.bytes("fingerprint", 16));
  }

  /** Derives bytes for one purpose, the same on all masters of the cluster. @param length at most 8160 */
  bytes(purpose: string, length: number): Uint8Array {
    const info = text.encode(purpose);
    const out = new Uint8Array(Math.ceil(length / SHA256) * SHA256);
    let block: Uint8Array = new Uint8Array();
    for (let at = 0; at < out.length; at += SHA256) {
      block = this.#crypto.hmac("sha256", this.#secret, join(block, info, Uint8Array.of(at / SHA256 + 1)));
      out.set(block, at);
    }
    return out.subarray(0, length);
  }

  /** The key that seals and opens data for one purpose. */
  crypticle(purpose: string): Crypticle {
    return new Crypticle(this.#crypto, btoa(String.fromCharCode(...this.bytes(`seal ${purpose}`, 56))));
  }
}

/**
 * A value that only the private key can compute, whatever form its file has: m^d mod n for a block that is made of a hash. No other
 * code computes this value, since signatures are padded.
 */
function privateValue(crypto: Crypto, key: RsaPrivateKey): Uint8Array {
  const block = new Uint8Array(key.size);
  for (let at = 0; at < block.length; at += SHA256) {
    const part = crypto.hash("sha256", text.encode(`brine cluster secret ${at}`));
    block.set(part.subarray(0, Math.min(SHA256, block.length - at)), at);
  }
  // The block has to be less than the modulus, whose first bit is set.
  block[0] = 0;
  return crypto.rawPrivate(key, block);
}

function join(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
