import type { MasterKey } from "../../../protocol/channel/auth_server.ts";
import { Crypticle, newKeyString } from "../../../protocol/crypto/crypticle.ts";
import type { Crypto } from "../../../runtime/crypto.ts";

/** The key that publications are encrypted with. It is only in memory: a master that starts makes a new one. */
export class RotatingMasterKey {
  readonly #crypto: Crypto;
  #current: MasterKey;

  constructor(crypto: Crypto) {
    this.#crypto = crypto;
    this.#current = this.#make();
  }

  get current(): MasterKey {
    return this.#current;
  }

  /** Replaces the key. Minions sign in again when they receive the first publication that they cannot decrypt. */
  rotate(): void {
    this.#current = this.#make();
  }

  /** Sets the key that all masters of the cluster share. */
  set(keyString: string): void {
    if (keyString !== this.#current.keyString) this.#current = this.#make(keyString);
  }

  #make(keyString: string = newKeyString(this.#crypto)): MasterKey {
    return { keyString, crypticle: new Crypticle(this.#crypto, keyString) };
  }
}
