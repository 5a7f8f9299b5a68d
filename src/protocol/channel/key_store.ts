import type { RsaPublicKey } from "../../runtime/crypto.ts";

/**
 * The status of a minion's public key; a key with the status `pre` waits for a decision.
 *
 * @internal
 */
export type KeyStatus = "accepted" | "pre" | "rejected" | "denied";

/**
 * A key that the master trusts. As long as the stored key is unchanged, each read returns the same object.
 *
 * @internal
 */
export interface AcceptedKey {
  readonly id: string;
  readonly pem: string;
  /** The loaded key; undefined if the stored text is not a key. */
  readonly key: RsaPublicKey | undefined;
  /**
   * The token that this key has proven itself with. A token is deterministic, so that the same bytes under the same
   * stored key need no second RSA operation.
   */
  provenToken?: Uint8Array;
  /** True for the second valid key of a minion whose key is being changed; it has a separate session. */
  readonly isSecond?: boolean;
}

/** The name of a minion's session. A second key has a separate session, so that it does not disturb the session of the accepted key. */
export function sessionName(id: string, { isSecond = false }: Pick<AcceptedKey, "isSecond">): string {
  return isSecond ? `${id}\0second` : id;
}

/**
 * Public keys of minions, as the channel needs them; `host/master/keys/key_directories.ts` keeps them in Salt's directories.
 *
 * @internal
 */
export interface KeyStore {
  /** The accepted key, read again each time: a key that was deleted a moment ago is not returned. */
  accepted(id: string): AcceptedKey | undefined;
  /** The stored text of a key, or undefined. */
  read(state: KeyStatus, id: string): string | undefined;
  has(state: KeyStatus, id: string): boolean;
  /** True if the path of the key exists and is not a regular file. */
  obstructed(state: KeyStatus, id: string): boolean;
  write(state: KeyStatus, id: string, pem: string): void;
  remove(state: KeyStatus, id: string): void;
  /** The second valid key of a minion whose key is being changed. @default none */
  second?(id: string): AcceptedKey | undefined;
  /** Called when a request was proven by a second key. */
  used?(id: string, key: AcceptedKey): void;
  /** True if the master asks the minion to change its key. */
  rotationAsked?(id: string): boolean;
}

/** Which minions are accepted or rejected without an operator. */
export interface AcceptancePolicy {
  autoReject(id: string): boolean;
  /** True if the key is accepted without an operator; may use up a stub that was created for this minion. */
  autoSign(id: string, grains: unknown): boolean;
}

/**
 * Bounds the keys of unknown senders: every directory that their requests can add to has a limit, and no sender can use up the
 * rest of it.
 */
export interface StrangerKeys {
  /** True if there is room for one more key from that sender. @param origin the sender, as `originOf` returns it */
  admit(state: KeyStatus, origin: string): boolean;
  /** Called when a key was stored that {@link StrangerKeys.admit} had admitted. */
  stored(state: KeyStatus, id: string, origin: string): void;
}

/** Session keys of minions: key strings, one for an id and its public key, made on first use. */
export interface SessionKeyStore {
  /** Returns a session's key. @param name of {@link sessionName} @param pem the minion's key: a new one gets a new session key */
  get(name: string, pem: string): string;
  /** Discards a session's key: messages that were sealed with it can never be opened again. */
  rotate(name: string): void;
  /** The newest time of a request that an earlier master process accepted under this session's key, in seconds; undefined if there was none. */
  floor(name: string): number | undefined;
}
