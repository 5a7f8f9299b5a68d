import { Crypticle, newKeyString, SerialWindow } from "../crypto/crypticle.ts";
import { cleanPem, fingerprint } from "../crypto/rsa_key.ts";
import { rsaDecrypt, rsaEncrypt, rsaVerify } from "../crypto/rsa.ts";
import { x931Recover, x931Sign } from "../crypto/x931.ts";
import { AuthenticationError, messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Crypto, HashName, RsaPrivateKey, RsaPublicKey } from "../../runtime/crypto.ts";
import { decode, encode } from "../wire/msgpack.ts";
import { bytesOf } from "../wire/payload.ts";
import { hex } from "../crypto/hex.ts";

/** The record of the master's public key on the minion. */
interface MasterKeyRecord {
  readonly place: string;
  /** The recorded key; undefined until a master has been trusted. */
  read(): string | undefined;
  write(pem: string): void;
}

/** A minion's own pair, loaded. */
export interface MinionIdentity {
  id: string;
  key: RsaPrivateKey;
  publicPem: string;
}

export interface AuthClientOptions {
  crypto: Crypto;
  log: Logger;
  identity: MinionIdentity;
  masterKeyRecord: MasterKeyRecord;
  /** Salt's `encryption_algorithm`. @default "OAEP-SHA1" */
  encryption?: string;
  /** Salt's `signing_algorithm`. @default "PKCS1v15-SHA1" */
  signing?: string;
  /** Accept a master key that differs from the record. @default false */
  openMode?: boolean;
  /** Salt's `master_finger`: the fingerprint that the master key must have. */
  masterFinger?: string;
  hashType?: HashName;
  /** The key that signs the master's key (`verify_master_pubkey_sign`); when given, its signature is required. */
  signingKey?: RsaPublicKey;
  alwaysVerify?: boolean;
  /** Grains that are sent with the request (Salt's `autosign_grains`). */
  autosignGrains?: Record<string, unknown>;
  /** Announces a Brine minion, which acknowledges jobs and asks for those that it has missed. @default false */
  isBrine?: boolean;
}

/** The result of a sign-in that the master has accepted. */
export interface SignedIn {
  masterKey: RsaPublicKey;
  masterPem: string;
  publishPort: number;
  /** The key that opens publications, and the highest serial seen under it. */
  publications: { keyString: string; crypticle: Crypticle; serials: SerialWindow };
  session: { keyString: string; crypticle: Crypticle };
  /** True if the master is Brine: it takes acknowledgements, and sends jobs that were missed. */
  isBrine: boolean;
  /** True if the master asks the minion to change its key. */
  rotate: boolean;
  /** The time on the master's clock when it answered, in milliseconds; undefined if the reply has no time. */
  masterNow: number | undefined;
}

/** How an attempt to sign in ended, if it did not throw. */
type AuthOutcome =
  | { state: "accepted"; signedIn: SignedIn }
  | { state: "pending" }
  | { state: "rejected" }
  | { state: "full" }
  /** The master has too many sign-ins at once: the minion tries again after `afterMs` milliseconds. */
  | { state: "later"; afterMs: number };

/** The master's key is not the recorded one, or does not match `master_finger`: an operator must decide. */
export class MasterKeyError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("MASTER_KEY", message, options);
  }
}

/** Value of the field `extended`, by which Brine peers recognize each other; Salt ignores it. */
export const BRINE_EXTENSION = 1;

const text = new TextEncoder();

/** Value of the field `later`: this minion understands the reply "try again later". */
export const LATER = 1;
/** The longest wait after the reply "try again later", in milliseconds. The reply is not signed, so its time is bounded. */
const LATEST_MS = 90_000;

/** A random number that binds a reply to its request: 32 hex digits. */
export function newNonce(crypto: Crypto): string {
  return hex(crypto.randomBytes(16));
}

/**
 * A minion's half of the authentication, as pure steps: {@link AuthClient.request} makes the bytes to send,
 * {@link AuthClient.outcome} judges the bytes that came back.
 *
 * @see salt/crypt.py AsyncAuth.sign_in
 */
export class AuthClient {
  readonly #options: AuthClientOptions;
  /** A secret of this process: a master that returns it owns the master key on record. */
  readonly #token: string;
  /** The token, with the key that it was made with: it is made again after the minion has changed its key. */
  #proof: { key: RsaPrivateKey; token: Uint8Array } | undefined;
  #signedIn: SignedIn | undefined;

  constructor(options: AuthClientOptions) {
    this.#options = options;
    this.#token = newKeyString(options.crypto);
  }

  /** The result of the last successful sign-in; undefined before. */
  get signedIn(): SignedIn | undefined {
    return this.#signedIn;
  }

  get id(): string {
    return this.#options.identity.id;
  }

  /** The token that proves the minion's key, sent with sealed requests. */
  get proof(): Uint8Array {
    const { crypto, identity: { key } } = this.#options;
    if (this.#proof?.key !== key) this.#proof = { key, token: x931Sign(crypto, key, text.encode("salt")) };
    return this.#proof.token;
  }

  get algorithms(): { encryption: string; signing: string } {
    return { encryption: this.#options.encryption ?? "OAEP-SHA1", signing: this.#options.signing ?? "PKCS1v15-SHA1" };
  }

  #recorded(): { pem: string; key: RsaPublicKey } | undefined {
    const stored = this.#options.masterKeyRecord.read();
    if (stored === undefined || stored.trim() === "") return undefined;
    const pem = cleanPem(stored);
    return { pem, key: this.#options.crypto.loadPublicKey(pem) };
  }

  /** A request to sign in, and the nonce that its answer must carry. */
  request(): { bytes: Uint8Array; nonce: string; withToken: boolean } {
    const { crypto, identity, autosignGrains } = this.#options;
    const { encryption, signing } = this.algorithms;
    const nonce = newNonce(crypto);
    const load: Record<string, unknown> = {
      cmd: "_auth",
      id: identity.id,
      nonce,
      enc_algo: encryption,
      sig_algo: signing,
    };
    if (autosignGrains !== undefined) load.autosign_grains = autosignGrains;
    if (this.#options.isBrine) Object.assign(load, { extended: BRINE_EXTENSION, later: LATER });
    const master = this.#recorded();
    if (master !== undefined) load.token = rsaEncrypt(crypto, encryption, master.key, text.encode(this.#token));
    load.pub = identity.publicPem;
    return { bytes: encode({ enc: "clear", load, version: 3 }, "wire"), nonce, withToken: master !== undefined };
  }

  /**
   * Checks a reply. If the minion is accepted, keeps the session of the reply, and records the master's key on first use.
   *
   * @throws {AuthenticationError} if the reply cannot be trusted; {@link MasterKeyError} if the master has another key
   */
  outcome(reply: Uint8Array, sent: { nonce: string; withToken: boolean }): AuthOutcome {
    const { crypto, openMode = false, log } = this.#options;
    const refused = (why: string): never => {
      throw new AuthenticationError(`Cannot sign in to the master as "${this.id}": ${why}`, { id: this.id });
    };

    const outer = decode(reply, { mode: "wire" }) as Record<string, unknown> | string | null;
    if (typeof outer !== "object" || outer === null || outer.load === undefined) {
      return refused(
        typeof outer === "string" ? `the master answers "${outer}"` : "the reply is malformed",
      );
    }
    const inner = outer.load as Record<string, unknown>;
    if (typeof inner === "object" && !(inner instanceof Uint8Array)) {
      if (inner.ret === "bad enc algo" || inner.ret === "bad sig algo") {
        return refused(`the master does not know the algorithm (${inner.ret})`);
      }
      const afterMs = Number(inner.after);
      if (inner.ret === "later" && inner.nonce === sent.nonce && afterMs > 0) {
        return { state: "later", afterMs: Math.min(afterMs, LATEST_MS) };
      }
      return refused("the reply is not signed");
    }
    const load = bytesOf(outer.load);
    const fields = decode(load, { mode: "wire" }) as Record<string, unknown>;
    if (typeof fields !== "object" || fields === null) refused("the reply is not a map");

    const accepted = fields.pub_key !== undefined;
    const offered = accepted ? this.#judgeMaster(fields, sent.withToken, openMode) : undefined;
    const master = offered ?? this.#recorded();
    if (master !== undefined) {
      if (outer.sig === undefined || outer.sig === null) refused("the reply is not signed");
      if (!rsaVerify(crypto, this.algorithms.signing, master.key, load, bytesOf(outer.sig))) {
        refused("the signature of the reply is not the master's");
      }
    }
    if (fields.nonce !== sent.nonce) refused("the reply belongs to another request");

    if (!accepted) {
      if (typeof fields.pub === "string") this.#checkFinger(cleanPem(fields.pub));
      if (fields.ret === "full") return { state: "full" };
      if (fields.ret === false) return { state: "rejected" };
      if (fields.ret === true) return { state: "pending" };
      return refused("the reply neither accepts nor refuses the key");
    }

    this.#checkFinger(master!.pem);
    log.debug("authenticated with the master", { id: this.id });
    // The token was encrypted with the recorded key: a master with another key cannot decrypt it. Such a key is trusted by its
    // own signature (or by open_mode), and the signature of this reply proves that the sender owns the key.
    const signedIn = this.#unlock(fields, sent.withToken && !offered!.store, master!, refused);
    // The key is recorded only after the reply was verified: an unproven key on record would shut out the true master.
    if (offered!.store) this.#options.masterKeyRecord.write(offered!.pem);
    this.#signedIn = signedIn;
    return { state: "accepted", signedIn };
  }

  /** Compares a key with `master_finger`. @throws {MasterKeyError} if the fingerprint differs */
  #checkFinger(pem: string): void {
    const { crypto, hashType = "sha256", masterFinger = "" } = this.#options;
    const found = masterFinger === "" ? "" : fingerprint(crypto, pem, hashType);
    if (found === masterFinger) return;
    throw new MasterKeyError(
      `The master's key has the fingerprint ${found}, but master_finger is ${masterFinger}. Compare with: ` +
        "salt-key -f master.pub (on the master)",
      { found, expected: masterFinger },
    );
  }

  /** Compares the key in the reply with the recorded one; `store` is true if it has to be recorded. */
  #judgeMaster(
    fields: Record<string, unknown>,
    withToken: boolean,
    openMode: boolean,
  ): { pem: string; key: RsaPublicKey; store: boolean } {
    const { crypto, signingKey, alwaysVerify = false, log } = this.#options;
    const brought = cleanPem(String(fields.pub_key));
    const recorded = this.#recorded();
    const offer = (store: boolean) => ({ pem: brought, key: crypto.loadPublicKey(brought), store });
    const signed = () => {
      if (signingKey === undefined || typeof fields.pub_sig === "undefined" || fields.pub_sig === null) return false;
      try {
        const encoded = new TextDecoder().decode(bytesOf(fields.pub_sig)).replace(/\s+/g, "");
        const signature = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
        return rsaVerify(crypto, this.algorithms.signing, signingKey, text.encode(brought), signature);
      } catch {
        return false;
      }
    };
    if (recorded !== undefined && withToken && !openMode) {
      if (recorded.pem !== brought) {
        if (signingKey !== undefined && signed()) {
          log.warning("master key replaced: the new one carries a valid signature", {
            was: fingerprint(crypto, recorded.pem, this.#options.hashType ?? "sha256"),
            now: fingerprint(crypto, brought, this.#options.hashType ?? "sha256"),
          });
          return offer(true);
        }
        throw this.#changed(recorded.pem, brought);
      }
      if (signingKey !== undefined && alwaysVerify && !signed()) {
        throw new MasterKeyError("The master's key does not carry a valid signature (always_verify_signature)");
      }
      return { ...recorded, store: false };
    }
    if (signingKey !== undefined) {
      if (!signed()) {
        throw new MasterKeyError("The master's key does not carry a valid signature (verify_master_pubkey_sign)");
      }
      return offer(true);
    }
    if (fields.pub_sig !== undefined && fields.pub_sig !== null) {
      throw new MasterKeyError(
        "The master signs its key, but verify_master_pubkey_sign is not set here: copy its signing key and set the option",
      );
    }
    if (recorded === undefined) return offer(true);
    return openMode ? offer(recorded.pem !== brought) : { ...recorded, store: false };
  }

  #changed(known: string, brought: string): MasterKeyError {
    const { crypto, hashType = "sha256", masterKeyRecord: { place } } = this.#options;
    const [expected, found] = [known, brought].map((pem) => fingerprint(crypto, pem, hashType));
    return new MasterKeyError(
      `The master's key has changed: its fingerprint is ${found}, but ${place} has ${expected}. ` +
        `Compare with: salt-key -f master.pub (on the master). If it is the same, delete ${place}: the minion then signs in`,
      { found, known: expected, path: place },
    );
  }

  #unlock(
    fields: Record<string, unknown>,
    withToken: boolean,
    master: { pem: string; key: RsaPublicKey },
    refused: (why: string) => never,
  ): SignedIn {
    const { crypto, identity } = this.#options;
    const { encryption } = this.algorithms;
    const open = (name: string): string => {
      try {
        return new TextDecoder().decode(rsaDecrypt(crypto, encryption, identity.key, bytesOf(fields[name])));
      } catch (error) {
        return refused(`its field "${name}" cannot be decrypted with the minion's key (${messageOf(error)})`);
      }
    };
    const aes = open("aes");
    let proven: string;
    try {
      proven = new TextDecoder().decode(x931Recover(crypto, master.key, bytesOf(fields.sig)));
    } catch {
      return refused("its master key is not signed by the master");
    }
    if (proven !== hex(crypto.hash("sha256", text.encode(aes)))) {
      refused("its master key is not the signed key");
    }
    if (withToken) {
      if (fields.token === undefined || fields.token === null) refused("the master did not prove that it has its key");
      if (open("token") !== this.#token) refused("the master did not prove that it has its key");
    }
    if (fields.session === undefined || fields.session === null) {
      return refused("it has no session key: the master is older than protocol version 3");
    }
    const session = open("session");
    const before = this.#signedIn;
    const port = Number(fields.publish_port);
    // After the minion's start, publications up to this serial are refused: missed jobs come by `_jobs`, others are replays.
    const heard = before === undefined && Number.isSafeInteger(fields.serial) ? fields.serial as number : 0;
    // The same key keeps its counter: otherwise a new sign-in would let old publications be accepted again.
    return {
      masterKey: master.key,
      masterPem: master.pem,
      publishPort: Number.isInteger(port) && port > 0 && port < 65536 ? port : 4505,
      publications: before?.publications.keyString === aes
        ? before.publications
        : { keyString: aes, crypticle: new Crypticle(crypto, aes), serials: new SerialWindow(heard) },
      session: before?.session.keyString === session
        ? before.session
        : { keyString: session, crypticle: new Crypticle(crypto, session) },
      isBrine: fields.extended === BRINE_EXTENSION,
      rotate: fields.rotate === true,
      masterNow: typeof fields.now === "number" && Number.isFinite(fields.now) ? fields.now : undefined,
    };
  }
}
