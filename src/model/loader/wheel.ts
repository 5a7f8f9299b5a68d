import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Args } from "../../language/python/values.ts";
import { type DeclareAll, declareFunctions, type Signature } from "./signature.ts";
import { type CustomPlace, loadOrLog } from "./custom_file.ts";
import { byName } from "./with_custom_files.ts";

/**
 * The directories of minion keys, by the names in listings.
 *
 * @internal
 */
export type KeyDirectory = "minions" | "minions_pre" | "minions_rejected" | "minions_denied";

/**
 * Directory of keys → ids of the keys in it.
 *
 * @internal
 */
export type KeyMatches = Partial<Record<KeyDirectory, string[]>>;

/**
 * One line of the history of keys.
 *
 * @internal
 */
export interface KeyDecision {
  /** Time in ISO 8601, UTC. */
  time: string;
  act: "accept" | "reject" | "delete" | "expire" | "rotate-asked" | "rotate-offered" | "rotate" | "rotate-ended";
  id: string;
  /** Status of the key before; absent for a new key. */
  was?: string;
  /** The fingerprint of the key, by `hash_type`. */
  finger?: string;
  /** Fingerprint of the new key that replaces this key. */
  new_finger?: string;
  /** Fingerprint of the accepted key with the same id that this key has replaced: its holder is not trusted any more. */
  replaced?: string;
  /** The user who decided, or the id of the minion. */
  user: string;
  /** How the decision was made, such as by `salt-key` or `autosign`. */
  via: string;
  /** Address that the request came from, if it came over the network. */
  from?: string;
}

/**
 * What the master knows about a key in addition to its text; times are in seconds since the epoch.
 *
 * @internal
 */
export interface KeyDetails {
  /** When the key was put into its directory. */
  since?: number;
  /** Address from which a key that is not accepted was last sent. */
  address?: string;
  /** When the minion of an accepted key connected. */
  up_since?: number;
}

/**
 * Changes keys for wheel functions. Ids are checked: files outside of the key directories are never touched.
 *
 * @internal
 */
export interface KeyAdministration {
  /** All directories of keys with the ids in them, sorted without regard to case. */
  list(): Record<KeyDirectory, string[]>;
  /** Names of the master's own key files. */
  local(): string[];
  /** Keys whose ids match a glob, or one of several globs separated by commas. */
  match(glob: string): KeyMatches;
  /** The PEM text of a minion's key. */
  text(status: KeyDirectory, id: string): string;
  /** Further facts about a minion's key. */
  details(status: KeyDirectory, id: string): KeyDetails;
  /** The PEM text of a key in {@link KeyAdministration.local}. */
  localText(name: string): string;
  /** @param hash Salt's `hash_type` @throws {RangeError} for an unknown hash */
  fingerprint(pem: string, hash?: string): string;
  /** Moves or deletes keys. An invalid key, or one that cannot be moved, stays where it is. */
  change(action: "accept" | "reject" | "delete", ids: KeyMatches): Promise<void>;
  /** A new pair of RSA keys, as PEM. */
  generate(bits: number): Promise<{ priv: string; pub: string }>;
  /** Accepts a public key. @returns false if the minion already has one and `force` is not set */
  accept(id: string, pem: string, force: boolean): Promise<boolean>;
  /** Asks minions with accepted keys to rotate them. @returns the ids of these minions */
  rotateKeys(glob: string): Promise<string[]>;
  /** Decisions on keys whose ids match a glob, oldest first. @param limit maximum number; the newest are returned */
  history(glob: string, limit: number): KeyDecision[];
  /**
   * Makes a key pair, `<name>.pem` and `<name>.pub`, and returns the fingerprint of the public key.
   *
   * @throws {SystemError} if the files cannot be written
   */
  generateFiles(directory: string, name: string, bits: number): Promise<string>;
  /**
   * Signs the master's public key with its signing key, for `master_use_pubkey_signature`.
   *
   * @returns true, or an error in Salt's words that names the missing key
   */
  signPublicKey(how: SignatureFiles): Promise<true | string>;
}

/**
 * The files for a signature of a master's public key; an empty text means the master's own file.
 *
 * @internal
 */
export interface SignatureFiles {
  /** The private key that makes the signature. */
  priv: string;
  /** The public key to sign. */
  pub: string;
  /** The file or directory to write the signature to. */
  target: string;
  /** Create the signing key pair if it is missing. */
  create: boolean;
  /** Bits of a key pair that is created. */
  bits: number;
}

export interface WheelContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  readonly keys: KeyAdministration;
  connected(): string[];
  /** Minions with accepted keys that have lost their connections. */
  lost(): LostMinions;
  /** Set by a function that has failed although it returns. @default 0 */
  retcode?: number;
}

/** Minions that were connected and are not connected any more. */
export interface LostMinions {
  /** Begin of the observation, in milliseconds since the epoch: the start of the master. */
  sinceMs: number;
  /** Id → end of its last connection, in milliseconds since the epoch. */
  lostMs: ReadonlyMap<string, number>;
  /** Connections of minions that have not said who they are. */
  unnamed: number;
}

export interface WheelFunction {
  signature: string | Signature;
  doc: string;
  /** True if the return is a secret: the record of the call then leaves it out. @default false */
  secret?: boolean;
  run(context: WheelContext, args: Args): unknown;
}

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const wheelFunctions: DeclareAll<WheelFunction> = declareFunctions as DeclareAll<WheelFunction>;

/** The export `wheel` of a file under `plugins/wheel/`. */
export interface WheelModule {
  functions: Record<string, WheelFunction>;
}

/** Wheel modules: name → function that loads the module. */
export type WheelRegistry = Record<string, () => Promise<{ wheel: WheelModule }>>;

/** Wheel modules with the custom ones among them, as the directories are now. One that does not load has no functions. */
export function withCustomWheels(wheels: WheelRegistry, place: CustomPlace): WheelRegistry {
  return byName(wheels, place, "wheel", async (file) => {
    const caller = async (context: object) => {
      const [{ pythonCallerOf }, { returnCodeOf }] = await Promise.all([
        import("./python/python_file.ts"),
        import("./python/return_code.ts"),
      ]);
      return { ...pythonCallerOf(place, place), code: returnCodeOf(context) };
    };
    const loaded = await loadOrLog(place, "wheel", file, undefined, { caller });
    const functions = [...loaded?.functions ?? []].map(([name, { run, signature, doc }]) => [
      name,
      { signature, doc, run: (context: WheelContext, args: Record<string, unknown>) => run(context, args) },
    ]);
    return { wheel: { functions: Object.fromEntries(functions) } };
  });
}
