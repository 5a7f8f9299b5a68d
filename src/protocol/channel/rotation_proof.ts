import { rsaSign, rsaVerify } from "../crypto/rsa.ts";
import { cleanPem } from "../crypto/rsa_key.ts";
import type { Crypto, RsaPrivateKey, RsaPublicKey } from "../../runtime/crypto.ts";

/** The statement of a minion that changes its key; both of its keys sign it. */
interface RotationStatement {
  id: string;
  /** The public key of the master that the statement is for, in PEM: no other master can use it. */
  master: string;
  /** The master's nonce, valid for one offer. */
  nonce: string;
  /** The time of the statement, in seconds since the epoch, by the minion's clock. */
  time: number;
  /** The current public key and the new one, in PEM. */
  old: string;
  next: string;
}

/** The algorithm of both signatures. */
const ALGORITHM = "PKCS1v15-SHA224";

function bytesOf({ id, master, nonce, time, old, next }: RotationStatement): Uint8Array {
  const parts = ["brine key rotation", id, nonce, String(time), cleanPem(master), cleanPem(old), cleanPem(next)];
  // The parts are joined as JSON, so that one part cannot pass for two.
  return new TextEncoder().encode(JSON.stringify(parts));
}

export function signRotation(crypto: Crypto, key: RsaPrivateKey, statement: RotationStatement): Uint8Array {
  return rsaSign(crypto, ALGORITHM, key, bytesOf(statement));
}

/** True if the signature is by that key over this statement. */
export function verifyRotation(
  crypto: Crypto,
  key: RsaPublicKey,
  statement: RotationStatement,
  signature: Uint8Array,
): boolean {
  try {
    return rsaVerify(crypto, ALGORITHM, key, bytesOf(statement), signature);
  } catch {
    return false;
  }
}
