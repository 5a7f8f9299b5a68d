import type { RsaPublicKey } from "../../runtime/crypto.ts";

/**
 * Where a minion's public key stands, by Salt's words for it.
 *
 * @internal
 */
export type KeyState = "accepted" | "pre" | "rejected" | "denied";

/**
 * A key that the master trusts. The same object comes back as long as the stored key is unchanged.
 *
 * @internal
 */
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
  /** It is good beside the accepted key while that changes, and has a session of its own. */
  readonly isSecond?: boolean;
}

/** The name of a minion's session: a second key has one beside that of the accepted key, so that neither disturbs the other. */
export function sessionName(id: string, { isSecond = false }: Pick<AcceptedKey, "isSecond">): string {
  return isSecond ? `${id}\0second` : id;
}

/**
 * Public keys of minions, as the channel needs them; `master/keys/key_directories.ts` keeps them in Salt's directories.
 *
 * @internal
 */
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
  /** Another key that is good while the minion's key changes. @default there is none */
  second?(id: string): AcceptedKey | undefined;
  /** A request was proven by a second key. */
  used?(id: string, key: AcceptedKey): void;
  /** True if the minion is to change its key. */
  rotationAsked?(id: string): boolean;
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
  /** @param name of {@link sessionName} @param pem the minion's key: a new one gets a new session key */
  get(name: string, pem: string): string;
  /** Discards the key: what was sealed with it can never be opened again. */
  rotate(name: string): void;
  /** Newest time of a request that an earlier master accepted under this key, in seconds; undefined if none has used it. */
  floor(name: string): number | undefined;
}
