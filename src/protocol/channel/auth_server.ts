import type { Clock } from "../../base/async/clock.ts";
import type { Crypticle } from "../crypto/crypticle.ts";
import { cleanPem, strangersKey } from "../crypto/rsa_key.ts";
import { isEncryptionAlgorithm, isSigningAlgorithm, rsaDecrypt, rsaEncrypt, rsaSignAsync } from "../crypto/rsa.ts";
import { x931Sign } from "../crypto/x931.ts";
import { hex } from "../crypto/hex.ts";
import { messageOf } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Logger } from "../../base/log.ts";
import { isRecord } from "../../base/record.ts";
import type { Crypto, RsaPrivateKey } from "../../runtime/crypto.ts";
import { encode } from "../wire/msgpack.ts";
import { bytesOf } from "../wire/payload.ts";
import { BRINE_EXTENSION, LATER } from "./auth_client.ts";
import { type Counter, type Histogram, type Meter, METRICS, NO_METER } from "../../base/telemetry/mod.ts";
import { originOf } from "../zmtp/endpoint.ts";
import { type Sender, SignInQueue } from "./sign_in_queue.ts";
import type { AcceptancePolicy, KeyStore, SessionKeyStore, StrangerKeys } from "./key_store.ts";
import { sessionName } from "./key_store.ts";

/** The load of a sign-in (`_auth`) as received: no field is trusted. */
type AuthLoad = Record<string, unknown>;

export interface AuthEvent {
  result: boolean;
  act?: "accept" | "pend" | "reject" | "denied" | "full";
  id: unknown;
  pub: unknown;
}

/** The decision on a sign-in by the key directories: accepted, or the `ret` of the refusal. */
type AuthDecision =
  | { accept: true; pem: string; event: AuthEvent }
  | { accept: false; ret: boolean | "full"; event?: AuthEvent };

interface AuthRules {
  crypto: Crypto;
  keys: KeyStore;
  strangers: StrangerKeys;
  policy: AcceptancePolicy;
  /** Salt's `open_mode`: accepts any key and lets it replace the stored one. Dangerous. */
  openMode: boolean;
  /** Salt's `max_minions`; 0 = no bound. */
  maxMinions: number;
  /** Ids of the minions that are connected now; asked only when there is a bound. */
  connected(): ReadonlySet<string>;
  /** Called when a rule has decided on a key, without an operator. */
  onDecision?(decision: KeyRuling): void;
  log: Logger;
}

/** The decision of a master's rule on a key. */
export interface KeyRuling {
  act: "accept" | "reject";
  id: string;
  /** The status that the key had before; undefined for a new key. */
  was: "accepted" | "pre" | undefined;
  pem: string;
  origin: string;
}

/** The refusal of a malformed request; undefined for the others. */
function malformed(load: AuthLoad, { log, crypto, keys }: AuthRules): AuthDecision | undefined {
  const { id, pub } = load;
  if (!isMinionId(id)) {
    log.warning("authentication refused: the minion id is not valid", {
      id: typeof id === "string" ? id.slice(0, 255) : typeof id,
    });
    return { accept: false, ret: false };
  }
  // Read outside of the `try`: a key file that cannot be read now is not a fault of the request.
  const accepted = keys.accepted(id)?.pem;
  try {
    if (typeof pub !== "string") throw new SyntaxError("expected text");
    // Checked before any rule is applied: no rule may store text that is not a key. The accepted key was checked when it was stored.
    if (accepted !== pub) strangersKey(crypto, pub);
  } catch (error) {
    log.warning("authentication refused: no RSA public key in the request", { id, reason: messageOf(error) });
    return { accept: false, ret: false };
  }
  return undefined;
}

interface Applicant {
  id: string;
  /** The minion's public key, as clean PEM. */
  pub: string;
  /** The sender of the request, as `originOf` returns it. */
  origin: string;
  /** The decisions of lists, stubs and grains on the minion's key. */
  autoReject: boolean;
  autoSign: boolean;
  event(result: boolean, act?: AuthEvent["act"]): AuthEvent;
}

const isSameKey = (stored: string | undefined, pub: string) => stored !== undefined && cleanPem(stored) === pub;

/** True for the second valid key of a minion whose key is being changed. */
const isSecond = (keys: KeyStore, id: string, pub: string) => isSameKey(keys.second?.(id)?.pem, pub);

/** Stores the key of a minion that is not accepted, if there is room; a key that replaces another one needs no room. */
function keep(state: "pre" | "denied" | "rejected", { id, pub, origin }: Applicant, rules: AuthRules): boolean {
  const { keys, strangers } = rules;
  const replaces = keys.has(state, id);
  if (!replaces && !strangers.admit(state, origin)) return false;
  if (replaces && isSameKey(keys.read(state, id), pub)) return true;
  keys.write(state, id, pub);
  if (!replaces) strangers.stored(state, id, origin);
  return true;
}

/** The decision by the stored keys of an id; undefined if the minion is to be accepted. */
function decideByKeys(minion: Applicant, rules: AuthRules): AuthDecision | undefined {
  const { keys, log } = rules;
  const { id, pub, origin, event } = minion;
  if (keys.has("rejected", id)) {
    log.info("authentication refused: the key is rejected", { id, from: origin });
    return { accept: false, ret: false, event: event(false) };
  }
  if (keys.has("accepted", id)) {
    if (isSameKey(keys.read("accepted", id), pub) || isSecond(keys, id, pub)) return undefined;
    keep("denied", minion, rules);
    log.error(
      "authentication denied: the minion's key differs from the accepted one. Compare them: salt-key -f <id>. If two hosts have " +
        "this id, give one of them another; delete the key (salt-key -d <id>) only if the host was reinstalled",
      { id, from: origin },
    );
    return { accept: false, ret: false, event: event(false, "denied") };
  }
  if (keys.obstructed("pre", id)) {
    log.error("authentication refused: the path of the pending key is a directory", { id });
    return { accept: false, ret: false, event: event(false) };
  }
  return keys.has("pre", id) ? decidePending(minion, rules) : decideNew(minion, rules);
}

/** Decides on the key of an id without any stored key. */
function decideNew(minion: Applicant, rules: AuthRules): AuthDecision | undefined {
  const { log } = rules;
  const { id, pub, origin, autoReject, autoSign, event } = minion;
  if (autoReject) {
    if (keep("rejected", minion, rules)) rules.onDecision?.({ act: "reject", id, was: undefined, pem: pub, origin });
    log.info("new key rejected by autoreject_file", { id });
    return { accept: false, ret: false, event: event(false, "reject") };
  }
  if (autoSign) return undefined;
  if (!keep("pre", minion, rules)) {
    log.debug("new key not stored: max_pending_keys is reached", { id });
    return { accept: false, ret: "full", event: event(false, "full") };
  }
  log.warning("new key pending", { id, from: origin });
  return { accept: false, ret: true, event: event(true, "pend") };
}

/** Decides on a key whose id has a pending key. */
function decidePending(minion: Applicant, rules: AuthRules): AuthDecision | undefined {
  const { keys, log } = rules;
  const { id, pub, origin, autoReject, autoSign, event } = minion;
  if (autoReject) {
    const pem = keys.read("pre", id)!;
    keys.write("rejected", id, pem);
    keys.remove("pre", id);
    rules.onDecision?.({ act: "reject", id, was: "pre", pem, origin });
    log.info("pending key rejected by autoreject_file", { id });
    return { accept: false, ret: false, event: event(false, "reject") };
  }
  if (!isSameKey(keys.read("pre", id), pub)) {
    keep("denied", minion, rules);
    log.error("authentication denied: another key is pending for this id", { id, from: origin });
    return { accept: false, ret: false, event: autoSign ? event(false) : event(false, "denied") };
  }
  if (!autoSign) {
    log.debug("key is still pending", { id });
    return { accept: false, ret: true, event: event(true, "pend") };
  }
  keys.remove("pre", id);
  return undefined;
}

/**
 * Decides on an `_auth` request by the key directories, and moves keys between them. The steps and their order are
 * Salt's: where two rules conflict, operators rely on their order.
 *
 * @param origin the sender, as `originOf` returns it
 * @see salt/channel/server.py ReqServerChannel._auth
 */
export function decideAuth(load: AuthLoad, rules: AuthRules, origin: string): AuthDecision {
  const { keys, log } = rules;
  const event = (result: boolean, act?: AuthEvent["act"]): AuthEvent =>
    act === undefined ? { result, id: load.id, pub: load.pub } : { result, act, id: load.id, pub: load.pub };

  const refusal = malformed(load, rules);
  if (refusal !== undefined) return refusal;
  const id = load.id as string;
  const pub = cleanPem(load.pub as string);
  if (rules.maxMinions > 0) {
    const connected = rules.connected();
    if (connected.size > rules.maxMinions && !connected.has(id)) {
      log.warning("authentication refused: max_minions is reached", { id, max_minions: rules.maxMinions });
      return { accept: false, ret: "full", event: event(false, "full") };
    }
  }

  // Both policies are always asked: that uses up a stub that accepts, whatever a later rule decides.
  const autoReject = rules.policy.autoReject(id);
  const autoSign = rules.policy.autoSign(id, load.autosign_grains);
  const minion: Applicant = { id, pub, origin, autoReject, autoSign, event };
  const wasPending = keys.has("pre", id);
  // In open mode, stored keys are not checked.
  const decided = rules.openMode ? undefined : decideByKeys(minion, rules);
  if (decided !== undefined) return decided;

  const known = keys.read("accepted", id);
  if (!isSameKey(known, pub) && !isSecond(keys, id, pub)) {
    keys.write("accepted", id, pub);
    const was = known !== undefined ? "accepted" : wasPending ? "pre" : undefined;
    rules.onDecision?.({ act: "accept", id, was, pem: pub, origin });
  }
  if (keys.accepted(id)?.key === undefined) {
    log.error("authentication refused: the stored key is not an RSA public key", { id });
    return { accept: false, ret: false };
  }
  log.info("minion authenticated", { id });
  return { accept: true, pem: pub, event: event(true, "accept") };
}

/** The master's loaded key pair. */
export interface MasterIdentity {
  key: RsaPrivateKey;
  publicPem: string;
  /** The signature over the public key by the signing pair (`master_sign_pubkey`), in base64, for an algorithm. */
  publicKeySignature?(algorithm: string): string;
}

/** The current master key, which seals publications. */
export interface MasterKey {
  keyString: string;
  crypticle: Crypticle;
}

interface AuthServerOptions extends AuthRules {
  clock: Pick<Clock, "now">;
  random(): number;
  identity: MasterIdentity;
  sessionKeys: SessionKeyStore;
  masterKey(): MasterKey;
  publishPort(): number;
  /** The serial of the last publication under the current master key. */
  serial(): number;
  /** The lowest protocol version that is accepted: under lower ones any minion can impersonate another. Salt's `minimum_auth_version`. */
  minimumVersion: number;
  /** Fires `salt/auth`. @param origin the sender, as `originOf` returns it */
  onEvent(event: AuthEvent, origin: string): void;
  /** The number of connections that have not been read yet. @default none */
  unread?(): number;
  /** Records metrics of sign-ins. @default none are recorded */
  meter?: Meter;
}

/** How a sign-in was answered, as a label of a metric. */
type SignInResult = "accepted" | "pending" | "refused" | "full" | "malformed";

function resultOf(decision: AuthDecision): SignInResult {
  if (decision.accept) return "accepted";
  if (decision.ret === "full") return "full";
  if (decision.ret) return "pending";
  return decision.event === undefined ? "malformed" : "refused";
}

/** The most sign-ins that are answered at the same time: enough to keep all threads signing while the event loop reads sockets. */
const AT_ONCE = 32;

/** The fields that are kept of a request, and the most characters or bytes of each; longer values are cut, and refused later. */
const FIELDS: Record<string, number> = { id: 256, pub: 4097, nonce: 129, token: 2049, enc_algo: 32, sig_algo: 32 };
/** The most characters of all grains together that are compared with the autosign lists. */
const MAX_GRAINS_CHARACTERS = 4096;
/** The most characters of a nonce: minions send 32 digits. */
const MAX_NONCE_CHARACTERS = 128;

/** The least time between two log lines about unanswered sign-ins, in milliseconds. */
const TELL_MS = 10_000;

/** The fields of a request that the answer needs, small enough for thousands to wait in memory. */
function essence(load: AuthLoad): AuthLoad {
  const { extended, later } = load;
  const kept: AuthLoad = { extended: extended === BRINE_EXTENSION ? extended : undefined, later: later === LATER };
  for (const [name, longest] of Object.entries(FIELDS)) {
    const value = load[name];
    // Copies the value: bytes are a view of the whole message, which must not be kept.
    if (typeof value === "string" || value instanceof Uint8Array) kept[name] = value.slice(0, longest);
    else if (typeof value !== "object" || value === null) kept[name] = value;
  }
  const grains = load.autosign_grains;
  if (!isRecord(grains)) return kept;
  const few: Record<string, unknown> = Object.create(null);
  let left = MAX_GRAINS_CHARACTERS;
  for (const [name, value] of Object.entries(grains)) {
    // Lists and maps of an unauthenticated sender are skipped: they would have to be serialized to be compared.
    if (typeof value === "object" && !(value instanceof Number)) continue;
    left -= name.length + (typeof value === "string" ? value.length : 16);
    if (left < 0) break;
    few[name] = value;
  }
  kept.autosign_grains = few;
  return kept;
}

/** The text of a field, or the default if it is absent or not text. */
function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

/** The master's half of the authentication: a request in, the reply's bytes out. */
export class AuthServer {
  readonly #options: AuthServerOptions;
  readonly #line: SignInQueue;
  /** The X9.31 signature over the hash of the master key, made once for each key: it is deterministic and costs a private-key operation. */
  #proof: { keyString: string; signature: Uint8Array } | undefined;
  readonly #meter: Meter;
  readonly #results: Counter;
  readonly #seconds: Histogram;

  constructor(options: AuthServerOptions) {
    this.#options = options;
    this.#meter = options.meter ?? NO_METER;
    this.#results = this.#meter.counter(METRICS.signIns);
    this.#seconds = this.#meter.histogram(METRICS.signInSeconds);
    this.#line = new SignInQueue({
      now: () => options.clock.now(),
      random: options.random,
      atOnce: AT_ONCE,
      unread: () => options.unread?.() ?? 0,
    });
  }

  /** Answers one `_auth` load when its turn comes; undefined if the sender has disconnected. */
  async answer(received: AuthLoad, version: number, sender: Sender): Promise<Uint8Array | undefined> {
    const load = essence(received);
    const patient = load.later === true && typeof load.nonce === "string";
    const key = `${textOr(load.id, "")} ${textOr(load.pub, "")}`;
    const served = await this.#line.run(
      sender,
      key,
      patient,
      () => this.#measured(load, version, originOf(sender.remote)),
    );
    this.#tell();
    switch (served.state) {
      case "done":
        return served.value;
      case "later":
        // This reply is not signed: the signature would cost the operation that it saves. An attacker who can forge the reply could also drop it.
        return encode({ enc: "clear", load: { ret: "later", after: served.afterMs, nonce: load.nonce } }, "wire");
      case "dropped":
        return undefined;
    }
  }

  readonly counts: Record<SignInResult, number> = { accepted: 0, pending: 0, refused: 0, full: 0, malformed: 0 };

  #count(result: SignInResult): void {
    this.counts[result]++;
    this.#results.add(1, result);
  }

  /** The number of sign-ins that wait, that may wait, and that were dropped. */
  get line(): { waiting: number; limit: number; dropped: number } {
    const { waiting, limit, dropped } = this.#line;
    return { waiting, limit, dropped };
  }

  /** Drops all sign-ins that wait. */
  close(): void {
    this.#line.close();
  }

  /** Logs how many sign-ins were not answered, at most once in {@link TELL_MS}. */
  #tell(): void {
    const { clock, log } = this.#options;
    const { dropped, waiting } = this.#line;
    if (dropped === this.#told.dropped || clock.now() - this.#told.atMs < TELL_MS) return;
    log.warning("too many sign-ins: the newest are answered first, the others retry", {
      waiting,
      not_answered: dropped - this.#told.dropped,
    });
    this.#told = { dropped, atMs: clock.now() };
  }
  #told = { dropped: 0, atMs: -Infinity };

  async #measured(load: AuthLoad, version: number, origin: string): Promise<Uint8Array> {
    const began = this.#meter.now();
    try {
      return await this.#answer(load, version, origin);
    } finally {
      this.#seconds.observe(this.#meter.now() - began);
    }
  }

  async #answer(load: AuthLoad, version: number, origin: string): Promise<Uint8Array> {
    const { minimumVersion, log } = this.#options;
    if (version < minimumVersion) {
      log.warning("authentication refused: protocol version below minimum_auth_version", {
        id: load.id,
        version,
        minimum_auth_version: minimumVersion,
      });
      this.#count("malformed");
      return encode("bad load", "wire");
    }
    if (version >= 2 && (typeof load.nonce !== "string" || load.nonce.length > MAX_NONCE_CHARACTERS)) {
      log.warning("authentication refused: nonce missing or too long", { id: load.id });
      this.#count("malformed");
      return encode("bad load", "wire");
    }
    const decision = decideAuth(load, this.#options, origin);
    this.#count(resultOf(decision));
    const signing = textOr(load.sig_algo, "PKCS1v15-SHA1");
    const encryption = textOr(load.enc_algo, "OAEP-SHA1");
    const clear = (ret: unknown) => encode({ enc: "clear", load: { ret } }, "wire");

    if (!decision.accept) {
      if (decision.event !== undefined) this.#options.onEvent(decision.event, origin);
      if (version < 2) return clear(decision.ret);
      if (!isSigningAlgorithm(signing)) return clear("bad sig algo");
      // The reply has the master's key, so that a minion that is not accepted can compare it with its `master_finger`.
      const own = load.extended === BRINE_EXTENSION ? { pub: this.#options.identity.publicPem } : {};
      return await this.#sign({ ret: decision.ret, nonce: load.nonce, ...own }, signing);
    }

    if (!isEncryptionAlgorithm(encryption)) {
      log.warning("authentication refused: unknown encryption algorithm", { id: load.id, enc_algo: encryption });
      return clear("bad enc algo");
    }
    this.#options.onEvent(decision.event, origin);
    if (!isSigningAlgorithm(signing)) {
      log.warning("authentication refused: unknown signing algorithm", { id: load.id, sig_algo: signing });
      return clear("bad sig algo");
    }
    const reply = this.#accepted(load, decision.pem, encryption, signing);
    if (version < 2) return encode(reply, "wire");
    return await this.#sign({ ...reply, nonce: load.nonce }, signing);
  }

  /** The reply to an accepted minion. @param pub the key that signs in, in PEM: the accepted one, or the second */
  #accepted(load: AuthLoad, pub: string, encryption: string, signing: string): Record<string, unknown> {
    const { crypto, clock, identity, keys, sessionKeys, masterKey, publishPort, serial } = this.#options;
    const id = load.id as string;
    const own = keys.accepted(id)!;
    const accepted = isSameKey(own.pem, pub) ? own : keys.second?.(id) ?? own;
    const minion = accepted.key!;
    const { keyString } = masterKey();
    const text = new TextEncoder();
    const reply: Record<string, unknown> = { enc: "pub", pub_key: identity.publicPem, publish_port: publishPort() };
    if (identity.publicKeySignature !== undefined) reply.pub_sig = identity.publicKeySignature(signing);
    if (load.token !== undefined && load.token !== null) {
      try {
        const token = rsaDecrypt(crypto, encryption, identity.key, bytesOf(load.token));
        reply.token = rsaEncrypt(crypto, encryption, minion, token);
      } catch {
        // The minion has recorded the key of another master; it reports that itself when the token is missing.
      }
    }
    const session = sessionKeys.get(sessionName(id, accepted), accepted.pem);
    reply.aes = rsaEncrypt(crypto, encryption, minion, text.encode(keyString));
    reply.session = rsaEncrypt(crypto, encryption, minion, text.encode(session));
    if (this.#proof?.keyString !== keyString) {
      const digest = hex(crypto.hash("sha256", text.encode(keyString)));
      this.#proof = { keyString, signature: x931Sign(crypto, identity.key, text.encode(digest)) };
    }
    reply.sig = this.#proof.signature;
    if (load.extended === BRINE_EXTENSION) {
      reply.extended = BRINE_EXTENSION;
      // A minion that has just started does not know the current serial: without it, older publications could be replayed.
      reply.serial = serial();
      // The minion compares the clocks: if they are far apart, messages are refused.
      reply.now = Math.round(clock.now());
      if (keys.rotationAsked?.(id)) reply.rotate = true;
    }
    return reply;
  }

  async #sign(fields: Record<string, unknown>, algorithm: string): Promise<Uint8Array> {
    const load = encode(fields, "wire");
    const sig = await rsaSignAsync(this.#options.crypto, algorithm, this.#options.identity.key, load);
    return encode({ enc: "clear", load, sig }, "wire");
  }
}
