import type { RsaPublicKey } from "../runtime/crypto.ts";

/** Where a minion's public key stands, by Salt's words for it. */
export type KeyState = "accepted" | "pre" | "rejected" | "denied";

/** A key that the master trusts. The same object comes back as long as the stored key is unchanged. */
export interface AcceptedKey {
  readonly id: string;
  /** As stored. */
  readonly pem: string;
  /** Undefined if what is stored is not a key. */
  readonly key: RsaPublicKey | undefined;
  /**
   * The token that this key has proven itself with. A token is deterministic, so that the same bytes under the same
   * stored key need no second RSA operation.
   */
  provenToken?: Uint8Array;
}

/** Public keys of minions, as the channel needs them; `master/keys/key_directories.ts` keeps them in Salt's directories. */
export interface KeyStore {
  /** The accepted key, read again each time: a key that was deleted a moment ago is not returned. */
  accepted(id: string): AcceptedKey | undefined;
  /** The stored text, or undefined. */
  read(state: KeyState, id: string): string | undefined;
  has(state: KeyState, id: string): boolean;
  /** True if the path of the key exists and is not a regular file. */
  obstructed(state: KeyState, id: string): boolean;
  write(state: KeyState, id: string, pem: string): void;
  remove(state: KeyState, id: string): void;
}

/** Which minions are accepted or rejected without an operator. */
export interface AcceptancePolicy {
  autoReject(id: string): boolean;
  /** May use up a stub that was created for this minion. */
  autoSign(id: string, grains: unknown): boolean;
}

/**
 * Bounds the keys of unknown senders: every directory that their requests can add to has a limit, and no sender can use all of
 * what is left.
 */
export interface StrangerKeys {
  /**
   * True if there is room for one more key from that sender.
   *
   * @param origin of `originOf`
   */
  admit(state: KeyState, origin: string): boolean;
  /** A key was stored that {@link StrangerKeys.admit} had admitted. */
  stored(state: KeyState, id: string, origin: string): void;
}

/** Session keys of minions: key strings, one for an id and its public key, made on first use. */
export interface SessionKeyStore {
  /** @param pem the accepted key: a new one gets a new session key */
  get(id: string, pem: string): string;
  /** Discards the key: what was sealed with it can never be opened again. */
  rotate(id: string): void;
  /** Newest time of a request that an earlier master accepted under this key, in seconds; undefined if none has used it. */
  floor(id: string): number | undefined;
}
