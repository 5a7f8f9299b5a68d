import type { Clock } from "../../../base/async/clock.ts";
import type { AcceptedKey, KeyStore } from "../../../protocol/channel/key_store.ts";
import { verifyRotation } from "../../../protocol/channel/rotation_proof.ts";
import { joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { cleanPem, strangersKey } from "../../../protocol/crypto/rsa_key.ts";
import { messageOf } from "../../../base/errors.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import type { Logger } from "../../../base/log.ts";
import { isRecord } from "../../../base/record.ts";
import type { Crypto, RsaPublicKey } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { KeyActor } from "./key_history.ts";
import type { KeyDirectories } from "./key_directories.ts";

/** The directory in `pki_dir` with a file for each minion whose key changes. Real Salt does not look into it. */
const DIRECTORY = "minions_rotating";
/** How long a nonce is good, in milliseconds, and how soon a minion may ask for another. */
const NONCE_MS = 300_000;
const AGAIN_MS = 2_000;
/** The least time between two key changes that a minion starts, in milliseconds. */
const OWN_AGAIN_MS = 3_600_000;
/**
 * How soon a minion may offer another key instead of one that it has not used, in milliseconds; each offer doubles it, up to an
 * hour. Each offer is a line in the history of keys, whose size is bounded for all minions together.
 */
const OFFER_AGAIN_MS = 60_000;
const LEAST_BITS = 2048;
const MAX_FILE_BYTES = 65_536;

/** The rotation of one minion's key, as its file holds it. */
interface Rotation {
  /**
   * `asked`: the minion must be told. `offered`: the minion has shown its new key, and may use either. `done`: it has used the new key,
   * which is now the accepted one; the old key is good until `untilMs`.
   */
  state: "asked" | "offered" | "done";
  /** The key that is accepted at the begin of the rotation; a file for any other key is out of date. */
  old: string;
  next?: string;
  /** The number of keys that were offered one after another and not used. */
  offers?: number;
  /** Who asked for the rotation. */
  by: string;
  atMs: number;
  untilMs?: number;
}

/** The bytes of a signature in base64; undefined for anything else. */
function signatureOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== "string" || value.length > 4096) return undefined;
  try {
    return Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

interface RotationOffer {
  next: unknown;
  nonce: unknown;
  time: unknown;
  /** The signature by the present key, in base64; the next field is the one by the new key. */
  sig: unknown;
  proof: unknown;
}

/** Notes decisions for the history of keys. */
type Note = (
  act: "rotate-asked" | "rotate-offered" | "rotate" | "rotate-ended",
  id: string,
  old: string,
  next?: string,
) => void;

interface KeyRotationsOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Pick<Clock, "now" | "elapsed">;
  log: Logger;
  pkiDir: string;
  keys: KeyDirectories;
  /** The master's own public key, in PEM. */
  masterPem(): string;
  /** How long the old key stays good after the new one was used, in milliseconds. */
  overlapMs: number;
  /** True if minions may change their keys without being asked. */
  ownAllowed: boolean;
  /** Notes under a name; the notes are written with {@link KeyRotationsOptions.saved}. */
  note(actor: KeyActor): Note;
  /** Resolves once keys and notes are on the disk. */
  saved(): Promise<void>;
}

/**
 * Rotates minions' keys, with a time in which both keys are good. A new key counts only if the accepted key has signed it for this
 * master, with a nonce of this master; it replaces the old key once its minion has used it.
 *
 * @internal
 */
export class KeyRotations {
  readonly #options: KeyRotationsOptions;
  readonly #nonces = new Map<string, { nonce: string; at: number }>();
  readonly #loaded = new Map<string, { pem: string; key: AcceptedKey }>();

  constructor(options: KeyRotationsOptions) {
    this.#options = options;
  }

  /** Returns the key store with the second keys of minions whose key changes. */
  over(keys: KeyDirectories): KeyStore {
    return {
      accepted: (id) => keys.accepted(id),
      read: (state, id) => keys.read(state, id),
      has: (state, id) => keys.has(state, id),
      obstructed: (state, id) => keys.obstructed(state, id),
      write: (state, id, pem) => keys.write(state, id, pem),
      remove: (state, id) => keys.remove(state, id),
      second: (id) => this.#second(id),
      used: (id, key) => this.#used(id, key),
      rotationAsked: (id) => this.#current(id)?.state === "asked",
    };
  }

  /** Marks an accepted minion for rotation; it is told once it is connected. @returns false if it has no accepted key */
  ask(id: string, actor: KeyActor): boolean {
    const { keys, clock, note } = this.#options;
    const old = keys.read("accepted", id);
    if (old === undefined) return false;
    if (this.#current(id)?.state === "offered") return true;
    this.#write(id, { state: "asked", old, by: actor.user, atMs: clock.now() });
    note(actor)("rotate-asked", id, old);
    return true;
  }

  /** Returns the ids of marked minions. @param wanted selects among them @param most how many at most */
  asked(wanted: (id: string) => boolean, most: number): string[] {
    const found: string[] = [];
    for (const id of this.#ids()) {
      if (found.length === most) break;
      if (wanted(id) && this.#current(id)?.state === "asked") found.push(id);
    }
    return found;
  }

  /** Returns the nonce for an offer, or why there can be none. */
  begin(id: string): { nonce: string } | { error: string } {
    const { crypto, clock, ownAllowed } = this.#options;
    const current = this.#current(id);
    const asked = current?.state === "asked" || current?.state === "offered";
    if (!asked && !ownAllowed) return { error: "allow_minion_key_rotation is off on this master" };
    if (current?.state === "done" && clock.now() - current.atMs < OWN_AGAIN_MS) {
      return { error: "this minion's key was changed less than an hour ago" };
    }
    const wait = Math.min(OWN_AGAIN_MS, OFFER_AGAIN_MS * 2 ** ((current?.offers ?? 1) - 1));
    if (current?.state === "offered" && Math.abs(clock.now() - current.atMs) < wait) {
      return { error: `a new key was offered less than ${wait / 1000} s ago: asked again too soon` };
    }
    const known = this.#nonces.get(id);
    if (known !== undefined && clock.elapsed() - known.at < AGAIN_MS) return { error: "asked again too soon" };
    const nonce = hex(crypto.randomBytes(16));
    this.#nonces.set(id, { nonce, at: clock.elapsed() });
    return { nonce };
  }

  /** Takes a new key beside the accepted one. Resolves once it is on the disk, or to the reason why it is not taken. */
  async offer(id: string, offer: RotationOffer): Promise<string | undefined> {
    const { keys, clock, log, note, saved } = this.#options;
    const accepted = keys.accepted(id);
    const given = this.#nonces.get(id);
    this.#nonces.delete(id);
    if (accepted?.key === undefined) return "no accepted key";
    if (given === undefined || given.nonce !== offer.nonce || clock.elapsed() - given.at > NONCE_MS) {
      return this.#refused(id, "the nonce is not the one that this master sent");
    }
    const why = this.#judge(id, accepted.pem, accepted.key, offer);
    if (why !== undefined) return this.#refused(id, why);
    const next = cleanPem(offer.next as string);
    const current = this.#current(id);
    const by = current?.by ?? id;
    const offers = (current?.state === "offered" ? current.offers ?? 1 : 0) + 1;
    try {
      this.#write(id, { state: "offered", old: accepted.pem, next, offers, by, atMs: clock.now() });
    } catch (error) {
      return this.#refused(id, `it cannot be stored: ${messageOf(error)}`);
    }
    note({ user: id, via: "rotation" })("rotate-offered", id, accepted.pem, next);
    await saved();
    log.info("new key of a minion accepted, the present one stays valid", { id });
    return undefined;
  }

  /** Ends the overlaps whose time is over. @returns how many */
  sweep(): number {
    const { clock, note } = this.#options;
    let gone = 0;
    for (const id of this.#ids()) {
      const rotation = this.#read(id);
      const stale = rotation === undefined || this.#current(id) === undefined;
      const over = rotation?.state === "done" && clock.now() >= (rotation.untilMs ?? 0);
      if (!stale && !over) continue;
      if (over && rotation.next !== undefined) {
        note({ user: rotation.by, via: "rotation" })("rotate-ended", id, rotation.old, rotation.next);
      }
      this.forget(id);
      gone++;
    }
    return gone;
  }

  /** Gives up a rotation: only the accepted key stays good. */
  forget(id: string): void {
    this.#options.fs.remove(this.#path(id), { sync: true });
    this.#loaded.delete(id);
  }

  #judge(id: string, old: string, key: RsaPublicKey, offer: RotationOffer): string | undefined {
    const { crypto, masterPem } = this.#options;
    const { next, nonce, time, sig, proof } = offer;
    if (typeof next !== "string" || typeof nonce !== "string" || !Number.isSafeInteger(time)) {
      return "a field is missing";
    }
    const [bySig, byProof] = [signatureOf(sig), signatureOf(proof)];
    if (bySig === undefined || byProof === undefined) return "a signature is missing";
    let nextKey: RsaPublicKey;
    try {
      strangersKey(crypto, next);
      nextKey = crypto.loadPublicKey(next);
    } catch (error) {
      return messageOf(error);
    }
    if (nextKey.size * 8 < LEAST_BITS) return `the new key has less than ${LEAST_BITS} bits`;
    if (cleanPem(next) === cleanPem(old)) return "the new key is the present one";
    const statement = { id, master: masterPem(), nonce, time: time as number, old, next };
    if (!verifyRotation(crypto, key, statement, bySig)) return "it is not signed by the accepted key";
    return verifyRotation(crypto, nextKey, statement, byProof) ? undefined : "it is not signed by the new key";
  }

  #refused(id: string, why: string): string {
    this.#options.log.warning("new key of a minion refused", { id, reason: why });
    return why;
  }

  /** Returns the second key of a minion beside the accepted one: the new key before it was used, the old key for a while after. */
  #second(id: string): AcceptedKey | undefined {
    const current = this.#current(id);
    if (current === undefined || current.state === "asked") return undefined;
    if (current.state === "done" && this.#options.clock.now() >= (current.untilMs ?? 0)) return undefined;
    const pem = current.state === "offered" ? current.next! : current.old;
    const known = this.#loaded.get(id);
    if (known?.pem === pem) return known.key;
    const key: AcceptedKey = { id, pem, key: this.#options.crypto.loadPublicKey(pem), isSecond: true };
    this.#loaded.set(id, { pem, key });
    return key;
  }

  /** Called when a minion has proven that it uses its second key: if it is the new key, it becomes the accepted one. */
  #used(id: string, { pem }: AcceptedKey): void {
    const { keys, clock, log, overlapMs, note, saved } = this.#options;
    const current = this.#current(id);
    if (current?.state !== "offered" || current.next !== pem) return;
    const now = clock.now();
    // The order matters: after a loss of power between the two writes, the old key is accepted and the new key still offered.
    this.#write(id, { ...current, state: "done", atMs: now, untilMs: now + overlapMs });
    keys.write("accepted", id, pem);
    this.#loaded.delete(id);
    note({ user: current.by, via: "rotation" })("rotate", id, current.old, pem);
    void saved().catch(() => {});
    log.info("minion uses its new key, which is now the accepted key", { id });
  }

  /** Returns the rotation of a minion, if its file belongs to the accepted key. */
  #current(id: string): Rotation | undefined {
    const rotation = this.#read(id);
    if (rotation === undefined) return undefined;
    const accepted = this.#options.keys.read("accepted", id);
    if (accepted === undefined) return undefined;
    const pem = cleanPem(accepted);
    const isOld = cleanPem(rotation.old) === pem;
    // A loss of power came between the two writes: the new key was used but is not the accepted one yet.
    if (rotation.state === "done" && isOld) return { ...rotation, state: "offered" };
    return (rotation.state === "done" ? rotation.next === pem : isOld) ? rotation : undefined;
  }

  #read(id: string): Rotation | undefined {
    const { fs } = this.#options;
    const path = this.#path(id);
    const stat = fs.stat(path);
    if (stat?.kind !== "file" || stat.size > MAX_FILE_BYTES) return undefined;
    try {
      const value: unknown = JSON.parse(fs.readText(path));
      if (!isRecord(value) || typeof value.old !== "string") return undefined;
      const { state, next } = value;
      const known = state === "asked" || (state === "offered" || state === "done") && typeof next === "string";
      return known ? value as unknown as Rotation : undefined;
    } catch {
      return undefined;
    }
  }

  #write(id: string, rotation: Rotation): void {
    const { fs, pkiDir } = this.#options;
    fs.mkdir(joinPath(pkiDir, DIRECTORY), 0o700);
    fs.write(this.#path(id), JSON.stringify(rotation), { mode: 0o600, sync: true });
  }

  #ids(): string[] {
    const { fs, pkiDir } = this.#options;
    const directory = joinPath(pkiDir, DIRECTORY);
    return fs.stat(directory)?.kind === "directory" ? fs.list(directory).filter(isMinionId) : [];
  }

  #path(id: string): string {
    if (!isMinionId(id)) throw new RangeError(`Cannot look up the rotation of a key: "${id}" is not a minion id`);
    return joinPath(this.#options.pkiDir, DIRECTORY, id);
  }
}
