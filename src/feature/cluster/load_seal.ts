import type { Crypto } from "../../runtime/crypto.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { ClusterKey } from "./cluster_key.ts";

/** Proves that a master of the cluster has published a stored job with this jid, this load and these targets. */
export class LoadSeal {
  readonly #crypto: Crypto;
  readonly #key: Uint8Array;

  constructor(crypto: Crypto, key: ClusterKey) {
    this.#crypto = crypto;
    this.#key = key.bytes("seal of loads", 32);
  }

  /** Makes the seal, 32 bytes to be stored with the job. */
  make(jid: string, load: Record<string, unknown>, minions: readonly string[]): Uint8Array {
    const sealed = [jid, asStored(load), [...new Set(minions)].sort()];
    return this.#crypto.hmac("sha256", this.#key, encode(sealed, "bin"));
  }

  /** False if there is no seal, or the job was changed. */
  isGood(
    seal: Uint8Array | undefined,
    jid: string,
    load: Record<string, unknown>,
    minions: readonly string[],
  ): boolean {
    return seal !== undefined && this.#crypto.equal(seal, this.make(jid, load, minions));
  }
}

/** The bytes of a load after it was stored and read: 1.0 becomes 1. */
const asStored = (load: Record<string, unknown>) => encode(decode(encode(load, "bin"), { mode: "bin" }), "bin");
