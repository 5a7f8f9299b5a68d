import type { KeyStatus } from "../../../protocol/channel/key_store.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { joinPath } from "../../../base/paths.ts";
import { fingerprint, generateKeyPair } from "../../../protocol/crypto/rsa_key.ts";
import { messageOf } from "../../../base/errors.ts";
import { KEY } from "../../../model/event/tag.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import type {
  KeyAdministration,
  KeyDecision,
  KeyDetails,
  KeyDirectory,
  KeyMatches,
  SignatureFiles,
} from "../../../model/loader/wheel.ts";
import type { Logger } from "../../../base/log.ts";
import type { HashName } from "../../../runtime/crypto.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import { signMasterKey } from "./master_key_pair.ts";
import { KEY_DIRECTORIES, type KeyDirectories, sortIds } from "./key_directories.ts";
import { type KeyActor, KeyHistory } from "./key_history.ts";
import { KeySenders } from "./key_senders.ts";
import { KeyRotations } from "./minion_key_rotations.ts";

/**
 * Statuses in the order of structured listings.
 *
 * @example
 * ```ts
 * import { KEY_STATES } from "brine/master";
 *
 * console.log(KEY_STATES.join(" ")); // accepted pre rejected denied
 * ```
 */
export const KEY_STATES: readonly KeyStatus[] = ["accepted", "pre", "rejected", "denied"];

/** What an operator can do with keys. */
export type KeyAction = "accept" | "reject" | "delete";

interface KeyAdminOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  keys: KeyDirectories;
  /** Fires an event on the master's bus. */
  fire(tag: string, data: Record<string, unknown>): void;
  /** Rotates the master key, so that minions whose key was removed cannot open publications any more. */
  rotate(): void;
  /** The history in which decisions are noted. @default `key_history` in `pki_dir` */
  history?: KeyHistory;
  /** The rotations of minions' keys. @default those of `pki_dir` */
  rotations?: KeyRotations;
  /** The addresses that keys which are not accepted came from. @default none is known */
  senders?: KeySenders;
  /** Tells since when minions are connected. @default it is known of none */
  presence?: { upSince(id: string): number | undefined };
  /** Who decides, for the history. @default the master's own user */
  actor?: KeyActor;
}

/** Why a key was not moved or removed. */
export interface KeyProblem {
  /** The minion's id. */
  id: string;
  /** `invalid`: it is not an RSA key. */
  reason: "invalid" | "failed";
  /** What is wrong with the key, for people. */
  message: string;
}

/** How many keys are moved before other work of the master has its turn. */
const AT_ONCE = 50;

const STATE_OF = new Map(KEY_STATES.map((state) => [KEY_DIRECTORIES[state] as KeyDirectory, state]));
const HASHES: readonly string[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/**
 * Administers keys for operators: `salt-key` and the wheel functions `key.*` use it.
 *
 * @example
 * ```ts
 * import type { KeyAdmin } from "brine/master";
 *
 * export const waiting = (keys: KeyAdmin): string[] => keys.list().minions_pre;
 * ```
 */
export class KeyAdmin implements KeyAdministration {
  readonly #options: KeyAdminOptions;
  readonly #history: KeyHistory;
  readonly #actor: KeyActor;
  readonly #rotations: KeyRotations;
  /** The addresses that keys which are not accepted came from. */
  readonly senders: KeySenders;
  /** Id → the fingerprint of the accepted key that was replaced, until the event tells it. */
  readonly #replaced = new Map<string, string>();

  /**
   * On the key directories, the log and the history that are given.
   *
   * @param options the key directories, and what has to hear of a change
   */
  constructor(options: KeyAdminOptions) {
    const { runtime: { fs, clock }, log, opts } = options;
    this.#options = options;
    this.#history = options.history ?? new KeyHistory({ fs, clock, log, pkiDir: opts.pki_dir });
    this.#actor = options.actor ?? { user: opts.user, via: "master" };
    this.senders = options.senders ?? new KeySenders();
    this.#rotations = options.rotations ?? this.#openRotations();
  }

  /** Returns the same administration under another name in the history. */
  as(actor: KeyActor): KeyAdmin {
    return new KeyAdmin({
      ...this.#options,
      history: this.#history,
      rotations: this.#rotations,
      senders: this.senders,
      actor,
    });
  }

  #openRotations(): KeyRotations {
    const { runtime: { fs, crypto, clock }, log, opts, keys } = this.#options;
    return new KeyRotations({
      fs,
      crypto,
      clock,
      log,
      pkiDir: opts.pki_dir,
      keys,
      masterPem: () => this.localText("master.pub"),
      overlapMs: opts.key_rotation_overlap * 1000,
      ownAllowed: opts.allow_minion_key_rotation,
      note: (actor) => {
        const admin = this.as(actor);
        return (act, id, old, next) => admin.note(act, id, "accepted", old, next);
      },
      saved: () => this.saved(),
    });
  }

  async rotateKeys(glob: string): Promise<string[]> {
    const asked = (this.matching(glob, ["accepted"]).minions ?? []).filter((id) =>
      this.#rotations.ask(id, this.#actor)
    );
    await this.saved();
    return asked;
  }

  /** The rotations of minions' keys, which are noted in the same history. */
  get rotations(): KeyRotations {
    return this.#rotations;
  }

  history(glob: string, limit: number): KeyDecision[] {
    return this.#history.read(glob, limit);
  }

  /** Notes a decision that was made elsewhere; {@link KeyAdmin.saved} must follow. */
  note(act: KeyDecision["act"], id: string, was: KeyStatus | undefined, pem: string, next?: string): void {
    const replaced = this.#replaced.get(id);
    this.#history.note(act, id, this.#actor, {
      ...(was === undefined ? {} : { was }),
      ...(pem === "" ? {} : { finger: this.fingerprint(pem) }),
      ...(next === undefined ? {} : { new_finger: this.fingerprint(next) }),
      ...(act !== "accept" || replaced === undefined ? {} : { replaced }),
    });
  }

  /** Returns the fingerprint of the accepted key that accepting this key would replace; undefined if there is none. */
  #wouldReplace(id: string, pem: string): string | undefined {
    const accepted = this.#options.keys.read("accepted", id);
    if (accepted === undefined) return undefined;
    const [old, next] = [this.fingerprint(accepted), this.fingerprint(pem)];
    return old === next ? undefined : old;
  }

  /** Writes an accepted key, and remembers which key it has replaced, for the history and the event. */
  #trust(id: string, pem: string): void {
    const replaced = this.#wouldReplace(id, pem);
    this.#options.keys.write("accepted", id, pem);
    if (replaced === undefined) this.#replaced.delete(id);
    else this.#replaced.set(id, replaced);
  }

  /** Resolves once all changes and their notes would survive a power failure. */
  async saved(): Promise<void> {
    await Promise.all([this.#options.keys.synced(), this.#history.saved()]);
  }

  list(): Record<KeyDirectory, string[]> {
    const { keys } = this.#options;
    return Object.fromEntries(KEY_STATES.map((state) => [KEY_DIRECTORIES[state], keys.list(state)])) as Record<
      KeyDirectory,
      string[]
    >;
  }

  local(): string[] {
    const { runtime: { fs }, opts } = this.#options;
    if (fs.stat(opts.pki_dir)?.kind !== "directory") return [];
    return fs.list(opts.pki_dir).filter((name) => /\.(pem|pub)$/.test(name)).sort();
  }

  localText(name: string): string {
    const { runtime: { fs }, opts } = this.#options;
    if (!this.local().includes(name)) {
      throw new RangeError(`Cannot read a key: "${name}" is not a key file of this master`);
    }
    return fs.readText(joinPath(opts.pki_dir, name));
  }

  match(glob: string): KeyMatches {
    return this.matching(glob, KEY_STATES);
  }

  /** Returns the matching keys of some states; states without a match are left out. */
  matching(glob: string, states: readonly KeyStatus[]): KeyMatches {
    const patterns = new PatternCache();
    const globs = glob.split(",").map((part) => patterns.glob(part));
    const found: KeyMatches = {};
    for (const state of states) {
      const ids = this.#options.keys.list(state).filter((id) => globs.some((matches) => matches(id)));
      if (ids.length > 0) found[KEY_DIRECTORIES[state] as KeyDirectory] = sortIds(ids);
    }
    return found;
  }

  text(status: KeyDirectory, id: string): string {
    return this.#options.keys.read(STATE_OF.get(status)!, id) ?? "";
  }

  /** The fingerprint of a public key in PEM, as Salt prints it. */
  fingerprint(pem: string, hash = this.#options.opts.hash_type): string {
    if (!HASHES.includes(hash)) throw new RangeError(`hash_type is "${hash}": expected one of ${HASHES.join(", ")}`);
    return fingerprint(this.#options.runtime.crypto, pem, hash as HashName);
  }

  details(status: KeyDirectory, id: string): KeyDetails {
    const { runtime: { fs }, opts, presence } = this.#options;
    const stat = fs.stat(joinPath(opts.pki_dir, status, id));
    const address = this.senders.addressOf(status, id);
    const up = status === "minions" ? presence?.upSince(id) : undefined;
    return {
      ...(stat === undefined ? {} : { since: stat.mtimeMs / 1000 }),
      ...(address === undefined ? {} : { address }),
      ...(up === undefined ? {} : { up_since: up / 1000 }),
    };
  }

  async change(action: KeyAction, ids: KeyMatches): Promise<void> {
    const work: [KeyStatus, string][] = Object.entries(ids).flatMap(([status, names]) =>
      (names ?? []).map((id): [KeyStatus, string] => [STATE_OF.get(status as KeyDirectory)!, id])
    );
    const done: string[] = [];
    for (const [at, [state, id]] of work.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await new Promise<void>((resolve) => this.#options.runtime.later(resolve));
      const problem = this.move(action, state, id);
      if (problem === undefined) done.push(id);
      else this.#options.log.error("key not changed", { action, ...problem });
    }
    await this.settle(action, done);
  }

  /** Moves or removes one key; returns the reason if that failed. {@link KeyAdmin.settle} must follow. */
  move(action: KeyAction, from: KeyStatus, id: string): KeyProblem | undefined {
    const { keys, runtime } = this.#options;
    const pem = keys.read(from, id) ?? "";
    try {
      if (action === "accept") runtime.crypto.loadPublicKey(pem);
    } catch (error) {
      return { id, reason: "invalid", message: messageOf(error) };
    }
    try {
      if (action === "accept") this.#trust(id, pem);
      else if (action === "reject") keys.write("rejected", id, pem);
      keys.remove(from, id);
      this.note(action, id, from, pem);
      return undefined;
    } catch (error) {
      return { id, reason: "failed", message: messageOf(error) };
    }
  }

  /** Makes the changes durable, fires their events, and removes the data of minions whose keys were removed. */
  async settle(
    action: KeyAction,
    ids: readonly string[],
    how: { preserve?: boolean; rotate?: boolean } = {},
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.saved();
    const { opts, keys, runtime: { fs }, fire, rotate } = this.#options;
    const replaced = ids.filter((id) => this.#replaced.has(id));
    for (const id of ids) {
      const finger = this.#replaced.get(id);
      fire(KEY, { result: true, act: action, id, ...(finger === undefined ? {} : { replaced: finger }) });
      this.#replaced.delete(id);
    }
    if (action === "accept") {
      // The holder of the replaced key could still decrypt publications.
      if (replaced.length > 0 && (how.rotate ?? true) && opts.rotate_aes_key) rotate();
      return;
    }
    if (!(how.preserve ?? false) && !opts.preserve_minion_cache) {
      for (const id of ids) {
        if (KEY_STATES.some((state) => keys.has(state, id))) continue;
        fs.remove(joinPath(opts.cachedir, "minions", id), { recursive: true });
      }
    }
    if ((how.rotate ?? true) && opts.rotate_aes_key) rotate();
  }

  async generate(bits: number): Promise<{ priv: string; pub: string }> {
    const pair = await generateKeyPair(this.#options.runtime.crypto, { bits });
    return { priv: pair.privatePem, pub: pair.publicPem };
  }

  async accept(id: string, pem: string, force: boolean): Promise<boolean> {
    if (!isMinionId(id)) throw new RangeError(`Cannot accept a key: "${id}" is not a minion id`);
    const { keys } = this.#options;
    if (keys.has("accepted", id) && !force) return false;
    const was = keys.has("accepted", id) ? "accepted" : undefined;
    this.#trust(id, pem);
    this.note("accept", id, was, pem);
    await this.settle("accept", [id]);
    return true;
  }

  async generateFiles(directory: string, name: string, bits: number): Promise<string> {
    const { runtime: { fs, crypto }, opts } = this.#options;
    const [privatePath, publicPath] = [joinPath(directory, `${name}.pem`), joinPath(directory, `${name}.pub`)];
    // A key that exists is kept, as in Salt: the name may be that of the master's own key.
    if (fs.stat(privatePath) === undefined) {
      const pair = await generateKeyPair(crypto, { bits });
      fs.mkdir(directory);
      fs.write(privatePath, pair.privatePem, { mode: 0o400, how: "create", sync: true });
      fs.write(publicPath, pair.publicPem, { mode: 0o644, sync: true });
    }
    return fingerprint(crypto, fs.readText(publicPath), opts.hash_type as HashName);
  }

  signPublicKey(how: SignatureFiles): Promise<true | string> {
    return signMasterKey(this.#options.runtime, this.#options.log, this.#options.opts, how);
  }
}
