import { Pool } from "../async/pool.ts";
import type { Crypticle } from "../crypto/crypticle.ts";
import { cleanPem } from "../crypto/rsa_key.ts";
import { isEncryptionAlgorithm, isSigningAlgorithm, rsaDecrypt, rsaEncrypt, rsaSignAsync } from "../crypto/rsa.ts";
import { x931Sign } from "../crypto/x931.ts";
import { hex } from "../crypto/hex.ts";
import { isMinionId } from "../job/minion_id.ts";
import type { Logger } from "../log.ts";
import type { Crypto, RsaPrivateKey } from "../runtime/crypto.ts";
import { encode } from "../wire/msgpack.ts";
import { octets } from "../wire/payload.ts";
import { EXTENSION } from "./auth_client.ts";
import type { AcceptancePolicy, KeyStore, SessionStore } from "./key_store.ts";

/** What a minion sends to be let in (`_auth`), as it arrives: nothing of it is trusted. */
export type AuthLoad = Record<string, unknown>;

/** Data of the event `salt/auth`. */
export interface AuthEvent {
  result: boolean;
  act?: "accept" | "pend" | "reject" | "denied" | "full";
  id: unknown;
  pub: unknown;
}

/** What the key directories say of a request: let in, or the `ret` of the refusal. */
export type AuthDecision =
  | { accept: true; pem: string; event: AuthEvent }
  | { accept: false; ret: boolean | "full"; event?: AuthEvent };

export interface AuthRules {
  keys: KeyStore;
  policy: AcceptancePolicy;
  /** Accept any key, and let it replace the one on record. Dangerous; Salt's `open_mode`. */
  openMode: boolean;
  /** Salt's `max_minions`; 0 = no bound. */
  maxMinions: number;
  /** Ids of the minions that are connected now; asked only when there is a bound. */
  connected(): ReadonlySet<string>;
  log: Logger;
}

/**
 * Decides on an `_auth` request by the key directories, and moves keys between them. The steps and their order are
 * Salt's: where two rules contradict each other, the order is what operators rely on.
 *
 * @see salt/channel/server.py ReqServerChannel._auth
 */
export function decideAuth(load: AuthLoad, rules: AuthRules): AuthDecision {
  const { keys, policy, log } = rules;
  const id = load.id;
  const pub = load.pub;
  const event = (result: boolean, act?: AuthEvent["act"]): AuthEvent =>
    act === undefined ? { result, id, pub } : { result, act, id, pub };

  if (!isMinionId(id)) {
    log.warning("authentication refused: the minion id is not valid", { id });
    return { accept: false, ret: false };
  }
  if (rules.maxMinions > 0) {
    const connected = rules.connected();
    if (connected.size > rules.maxMinions && !connected.has(id)) {
      log.warning("authentication refused: max_minions is reached", { id, max_minions: rules.maxMinions });
      return { accept: false, ret: "full", event: event(false, "full") };
    }
  }
  if (typeof pub !== "string") {
    log.warning("authentication refused: no public key in the request", { id });
    return { accept: false, ret: false };
  }

  const autoReject = policy.autoReject(id);
  const autoSign = policy.autoSign(id, load.autosign_grains);
  const same = (stored: string | undefined) => stored !== undefined && cleanPem(stored) === cleanPem(pub);

  if (!rules.openMode) {
    if (keys.has("rejected", id)) {
      log.info("authentication refused: the key is rejected", { id });
      return { accept: false, ret: false, event: event(false) };
    }
    if (keys.has("accepted", id)) {
      if (!same(keys.read("accepted", id))) {
        keys.write("denied", id, pub);
        log.error(
          "authentication denied: the minion's key differs from the accepted one. If the minion was reinstalled, " +
            `delete the old key with: salt-key -d ${id}`,
          { id },
        );
        return { accept: false, ret: false, event: event(false, "denied") };
      }
    } else if (keys.obstructed("pre", id)) {
      log.error("authentication refused: a directory stands in the place of the pending key", { id });
      return { accept: false, ret: false, event: event(false) };
    } else if (!keys.has("pre", id)) {
      if (autoReject) {
        keys.write("rejected", id, pub);
        log.info("new key rejected by autoreject_file", { id });
        return { accept: false, ret: false, event: event(false, "reject") };
      }
      if (!autoSign) {
        keys.write("pre", id, pub);
        log.info("new key waits to be accepted", { id });
        return { accept: false, ret: true, event: event(true, "pend") };
      }
    } else {
      if (autoReject) {
        keys.write("rejected", id, keys.read("pre", id)!);
        keys.remove("pre", id);
        log.info("pending key rejected by autoreject_file", { id });
        return { accept: false, ret: false, event: event(false, "reject") };
      }
      const unchanged = same(keys.read("pre", id));
      if (!unchanged) {
        keys.write("denied", id, pub);
        log.error("authentication denied: another key is pending for this id", { id });
        return { accept: false, ret: false, event: autoSign ? event(false) : event(false, "denied") };
      }
      if (!autoSign) {
        log.debug("key is still pending", { id });
        return { accept: false, ret: true, event: event(true, "pend") };
      }
      keys.remove("pre", id);
    }
  }

  const stored = keys.read("accepted", id);
  if (rules.openMode) {
    if (pub === "") {
      log.error("authentication refused: empty public key", { id });
      return { accept: false, ret: false };
    }
    if (stored === undefined || cleanPem(stored) !== cleanPem(pub)) keys.write("accepted", id, pub);
  } else if (stored === undefined) keys.write("accepted", id, pub);
  if (keys.accepted(id)?.key === undefined) {
    log.error("authentication refused: the stored key is not an RSA public key", { id });
    return { accept: false, ret: false };
  }
  log.info("minion authenticated", { id });
  return { accept: true, pem: pub, event: event(true, "accept") };
}

/** The master's own pair, loaded. */
export interface MasterIdentity {
  key: RsaPrivateKey;
  /** Clean PEM. */
  publicPem: string;
  /** Base64 signature over the public key by the signing pair (`master_sign_pubkey`), for the algorithm asked for. */
  publicKeySignature?(algorithm: string): string;
}

/** The master key in force: what publications are sealed with. */
export interface MasterKey {
  keyString: string;
  crypticle: Crypticle;
}

export interface AuthServerOptions extends AuthRules {
  crypto: Crypto;
  identity: MasterIdentity;
  sessions: SessionStore;
  masterKey(): MasterKey;
  publishPort(): number;
  /** Versions below are refused; they let any minion speak for any other. Salt's `minimum_auth_version`. */
  minimumVersion: number;
  /** Fires `salt/auth`. */
  onEvent(event: AuthEvent): void;
}

/** Requests that are being answered. */
const AT_ONCE = 16;

/** Text of a field that a peer chose, or the default when it is absent. */
function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

/** The master's half of the authentication: a request in, the reply's octets out. */
export class AuthServer {
  readonly #options: AuthServerOptions;
  /** Enough to keep all threads at signing; what waits is the request and not the far larger half-made reply. */
  readonly #pool = new Pool(AT_ONCE);
  /** Id → the key that its session was made for. */
  readonly #sessionsFor = new Map<string, string>();
  /** X9.31 over the master key's hash is deterministic and costs a private-key operation: once a key is enough. */
  #proof: { keyString: string; signature: Uint8Array } | undefined;

  constructor(options: AuthServerOptions) {
    this.#options = options;
  }

  /** Answers one `_auth` load; always with a reply. A fleet that comes back at once is let in a few at a time. */
  answer(load: AuthLoad, version: number): Promise<Uint8Array> {
    return this.#pool.run(() => this.#answer(load, version));
  }

  async #answer(load: AuthLoad, version: number): Promise<Uint8Array> {
    const { minimumVersion, log } = this.#options;
    if (version < minimumVersion) {
      log.warning("authentication refused: protocol version below minimum_auth_version", {
        id: load.id,
        version,
        minimum_auth_version: minimumVersion,
      });
      return encode("bad load", "wire");
    }
    if (version >= 2 && typeof load.nonce !== "string") {
      log.warning("authentication refused: no nonce in the request", { id: load.id });
      return encode("bad load", "wire");
    }
    const decision = decideAuth(load, this.#options);
    const signing = textOr(load.sig_algo, "PKCS1v15-SHA1");
    const encryption = textOr(load.enc_algo, "OAEP-SHA1");
    const clear = (ret: unknown) => encode({ enc: "clear", load: { ret } }, "wire");

    if (!decision.accept) {
      if (decision.event !== undefined) this.#options.onEvent(decision.event);
      if (version < 2) return clear(decision.ret);
      if (!isSigningAlgorithm(signing)) return clear("bad sig algo");
      return await this.#sign({ ret: decision.ret, nonce: load.nonce }, signing);
    }

    if (!isEncryptionAlgorithm(encryption)) {
      log.warning("authentication refused: unknown encryption algorithm", { id: load.id, enc_algo: encryption });
      return clear("bad enc algo");
    }
    this.#options.onEvent(decision.event);
    if (!isSigningAlgorithm(signing)) {
      log.warning("authentication refused: unknown signing algorithm", { id: load.id, sig_algo: signing });
      return clear("bad sig algo");
    }
    const reply = this.#accepted(load, encryption, signing);
    if (version < 2) return encode(reply, "wire");
    return await this.#sign({ ...reply, nonce: load.nonce }, signing);
  }

  #accepted(load: AuthLoad, encryption: string, signing: string): Record<string, unknown> {
    const { crypto, identity, keys, sessions, masterKey, publishPort } = this.#options;
    const id = load.id as string;
    const minion = keys.accepted(id)!.key!;
    const { keyString } = masterKey();
    const text = new TextEncoder();
    const reply: Record<string, unknown> = { enc: "pub", pub_key: identity.publicPem, publish_port: publishPort() };
    if (identity.publicKeySignature !== undefined) reply.pub_sig = identity.publicKeySignature(signing);
    if (load.token !== undefined && load.token !== null) {
      try {
        const token = rsaDecrypt(crypto, encryption, identity.key, octets(load.token));
        reply.token = rsaEncrypt(crypto, encryption, minion, token);
      } catch {
        // The minion has another master's key on record; it will say so itself when no token comes back.
      }
    }
    reply.aes = rsaEncrypt(crypto, encryption, minion, text.encode(keyString));
    // A minion that was replaced under the same id must not share a secret with its successor.
    const pem = keys.accepted(id)!.pem;
    if ((this.#sessionsFor.get(id) ?? pem) !== pem) sessions.rotate(id);
    this.#sessionsFor.set(id, pem);
    reply.session = rsaEncrypt(crypto, encryption, minion, text.encode(sessions.get(id)));
    if (this.#proof?.keyString !== keyString) {
      const digest = hex(crypto.hash("sha256", text.encode(keyString)));
      this.#proof = { keyString, signature: x931Sign(crypto, identity.key, text.encode(digest)) };
    }
    reply.sig = this.#proof.signature;
    if (load.extended === EXTENSION) reply.extended = EXTENSION;
    return reply;
  }

  async #sign(fields: Record<string, unknown>, algorithm: string): Promise<Uint8Array> {
    const load = encode(fields, "wire");
    const sig = await rsaSignAsync(this.#options.crypto, algorithm, this.#options.identity.key, load);
    return encode({ enc: "clear", load, sig }, "wire");
  }
}
