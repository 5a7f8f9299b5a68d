import type { MasterKey } from "../../../protocol/channel/auth_server.ts";
import { Crypticle, newKeyString } from "../../../protocol/crypto/crypticle.ts";
import type { Crypto } from "../../../runtime/crypto.ts";

/** The key that publications are sealed with. It lives in memory alone: a master that starts makes a new one. */
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

  /** Replaces the key. Minions sign in again when they receive the first publication that they cannot open. */
  rotate(): void {
    this.#current = this.#make();
  }

  /** The key of all masters of the cluster. */
  set(keyString: string): void {
    if (keyString !== this.#current.keyString) this.#current = this.#make(keyString);
  }

  #make(keyString: string = newKeyString(this.#crypto)): MasterKey {
    return { keyString, crypticle: new Crypticle(this.#crypto, keyString) };
  }
}
