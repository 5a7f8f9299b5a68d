import type { Crypto } from "../../runtime/crypto.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { ClusterKey } from "./cluster_key.ts";

/** Says of a stored job that a master of the cluster has published it so: with this jid, this load, and these targets. */
export class LoadSeal {
  readonly #crypto: Crypto;
  readonly #key: Uint8Array;

  constructor(crypto: Crypto, key: ClusterKey) {
    this.#crypto = crypto;
    this.#key = key.bytes("seal of loads", 32);
  }

  /** 32 bytes, to be stored beside the job. */
  make(jid: string, load: Record<string, unknown>, minions: readonly string[]): Uint8Array {
    const sealed = [jid, asStored(load), [...new Set(minions)].sort()];
    return this.#crypto.hmac("sha256", this.#key, encode(sealed, "bin"));
  }

  /** False if there is no seal, or any of it was changed. */
  isGood(
    seal: Uint8Array | undefined,
    jid: string,
    load: Record<string, unknown>,
    minions: readonly string[],
  ): boolean {
    return seal !== undefined && this.#crypto.equal(seal, this.make(jid, load, minions));
  }
}

/** The bytes of a load as they are once it was stored and read: 1.0 is 1 by then. */
const asStored = (load: Record<string, unknown>) => encode(decode(encode(load, "bin"), { mode: "bin" }), "bin");
