import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import {
  type Args,
  type Declare,
  type DeclareAll,
  declareFunction,
  declareFunctions,
  type Signature,
} from "./signature.ts";

/**
 * The directories of minion keys, by their names in listings.
 *
 * @internal
 */
export type KeyStatus = "minions" | "minions_pre" | "minions_rejected" | "minions_denied";

/**
 * Ids by the directory of their key.
 *
 * @internal
 */
export type KeyMatches = Partial<Record<KeyStatus, string[]>>;

/**
 * One line of the history of keys.
 *
 * @internal
 */
export interface KeyDecision {
  /** ISO 8601, UTC. */
  time: string;
  act: "accept" | "reject" | "delete" | "expire" | "rotate-asked" | "rotate-offered" | "rotate" | "rotate-ended";
  /** The minion's id. */
  id: string;
  /** The status that the key had before; absent for a new key. */
  was?: string;
  /** The fingerprint of the key, by `hash_type`. */
  finger?: string;
  /** Of the key that takes its place. */
  new_finger?: string;
  /** Of the accepted key of the same id that it has replaced: its holder is not trusted any more. */
  replaced?: string;
  /** Who decided: a user, or a minion's id. */
  user: string;
  /** By which way, such as `salt-key` or `autosign`. */
  via: string;
  /** The address that it came from, if it came over the network. */
  from?: string;
}

/**
 * What the master knows of a key besides its text; times are in seconds since the epoch.
 *
 * @internal
 */
export interface KeyDetails {
  /** When the key came into its directory. */
  since?: number;
  /** From which address a key that is not accepted was last sent. */
  address?: string;
  /** Since when the minion of an accepted key is connected. */
  up_since?: number;
}

/**
 * Changes to keys by wheel functions. Ids are checked: files outside of the key directories are never touched.
 *
 * @internal
 */
export interface KeyAdministration {
  /** Every directory with its ids, sorted without regard to case. */
  list(): Record<KeyStatus, string[]>;
  /** Names of the master's own key files. */
  local(): string[];
  /** The directories that have ids of a glob, or of a comma separated list of them. */
  match(glob: string): KeyMatches;
  /** The text of a minion's key. */
  text(status: KeyStatus, id: string): string;
  /** What else is known of a minion's key. */
  details(status: KeyStatus, id: string): KeyDetails;
  /** The text of one of {@link KeyAdministration.local}. */
  localText(name: string): string;
  /** @param hash Salt's `hash_type` @throws {RangeError} for an unknown hash */
  fingerprint(pem: string, hash?: string): string;
  /** Moves or deletes keys. An invalid key, or one that could not be moved, stays where it is. */
  change(action: "accept" | "reject" | "delete", ids: KeyMatches): Promise<void>;
  /** A new pair of RSA keys, as PEM. */
  generate(bits: number): Promise<{ priv: string; pub: string }>;
  /** Accepts a public key. @returns false if the minion has one already and `force` is not set */
  accept(id: string, pem: string, force: boolean): Promise<boolean>;
  /** Asks minions with accepted keys to change them. @returns the ids that are asked */
  rotateKeys(glob: string): Promise<string[]>;
  /** Decisions on the keys of a glob, oldest first. @param limit the newest so many */
  history(glob: string, limit: number): KeyDecision[];
  /**
   * Makes a pair of key files, `<name>.pem` and `<name>.pub`, and returns the fingerprint of the public one.
   *
   * @throws {SystemError} if they cannot be written
   */
  generateFiles(directory: string, name: string, bits: number): Promise<string>;
  /**
   * Signs the master's public key with its signing key, for `master_use_pubkey_signature`.
   *
   * @returns true, or in Salt's words which key is missing
   */
  signPublicKey(how: SignatureFiles): Promise<true | string>;
}

/**
 * The files of a signature over a master's public key; empty text means the master's own.
 *
 * @internal
 */
export interface SignatureFiles {
  /** The private key that signs. */
  priv: string;
  /** The public key that is signed. */
  pub: string;
  /** The file, or the directory, that the signature is written to. */
  target: string;
  /** Make the signing pair if it does not exist. */
  create: boolean;
  /** Bits of a pair that is made. */
  bits: number;
}

/** What a wheel function is called with. */
export interface WheelContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  readonly keys: KeyAdministration;
  /** Ids of the minions that have a connection. */
  connected(): string[];
  /** When minions with accepted keys were lost. */
  lost(): LostMinions;
  /** Set by a function that has failed although it returns. @default 0 */
  retcode?: number;
}

/** Minions that were connected, and are not any more. */
export interface LostMinions {
  /** Since when the master has seen: its start, in milliseconds since the epoch. */
  sinceMs: number;
  /** Id → when its last connection ended, in milliseconds since the epoch. */
  lostMs: ReadonlyMap<string, number>;
  /** Connections of minions that have not said who they are. */
  unnamed: number;
}

/** One function of a wheel module. */
export interface WheelFunction {
  /** As of an execution function. */
  signature: string | Signature;
  doc: string;
  /** True if its return is a secret: it is left out of the record of the call. @default false */
  secret?: boolean;
  run(context: WheelContext, args: Args): unknown;
}

/** Declares a wheel function: its arguments have the names and types that its signature says. */
export const wheelFunction: Declare<WheelFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const wheelFunctions: DeclareAll<WheelFunction> = declareFunctions as DeclareAll<WheelFunction>;

/** What a file under `plugins/wheel/` exports as `wheel`. */
export interface WheelModule {
  functions: Record<string, WheelFunction>;
}

/** Wheel modules by name → how to load them. */
export type WheelRegistry = Record<string, () => Promise<{ wheel: WheelModule }>>;
