import { Crypticle, LONG_MESSAGE, newKeyString } from "../crypto/crypticle.ts";
import { isEncryptionAlgorithm, isSigningAlgorithm, rsaEncrypt, rsaSignAsync } from "../crypto/rsa.ts";
import { x931Recover } from "../crypto/x931.ts";
import { messageOf, SaltError, SystemError } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { Logger } from "../../base/log.ts";
import { isRecord } from "../../base/record.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { release } from "../../runtime/bytes.ts";
import { encode } from "../wire/msgpack.ts";
import type { ParseEnvelopeOptions, RefusedEnvelope, RequestEnvelope, UnpackPayloadOptions } from "../wire/payload.ts";
import {
  BYTES_HEAD,
  bytesOf,
  LONG_BYTES_HEAD,
  packBytes,
  packLongBytes,
  packPayload,
  packPayloadParts,
  parseEnvelope,
  unpackPayload,
} from "../wire/payload.ts";
import type { AuthServer, MasterIdentity, MasterKey } from "./auth_server.ts";
import { readClear } from "./clear_limits.ts";
import { ClearRoom } from "./clear_room.ts";
import { type AcceptedKey, type KeyStore, type SessionKeyStore, sessionName } from "./key_store.ts";
import { ReplayGuard } from "./replay_guard.ts";
import { type RefusedRequest, RequestMetrics } from "./request_metrics.ts";
import type { Sender } from "./sign_in_queue.ts";

/** Thrown by a handler that must not answer: the sender will ask again. */
export class WithheldReply extends SaltError {
  /**
   * Returns a {@link WithheldReply} for an error of a disk or a server, which may pass: an answer would acknowledge what was not stored.
   * Returns any other error unchanged.
   *
   * @param what the thing that the minion sends again, for the message
   */
  static unlessForGood(error: unknown, what: string): unknown {
    return error instanceof SystemError ? new WithheldReply(`${what} could not be stored`, { cause: error }) : error;
  }

  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("WITHHELD", message, options);
  }
}

/** A load whose sender is authenticated, or that came in clear; its fields are unchecked. */
export interface Request {
  load: Record<string, unknown>;
  /** The authenticated minion; undefined for a load in clear. */
  minion: string | undefined;
  version: number;
  /** The address of the peer, for logs. */
  remote: string;
  /** The connection that waits for the answer. */
  sender: Sender;
  /** The size of the sealed load; 0 for one in clear. */
  bytes: number;
}

export interface Reply {
  value: unknown;
  /** True if the reply is sealed for the minion's key and signed, as pillar is. */
  private?: boolean;
  /** True if only this reply refers to long bytes in the value: their memory is released once they are sealed. */
  once?: boolean;
}

/** The two command tables: a command of one can never be reached through the other. */
export interface RequestHandler {
  /** Commands that anyone may send. */
  clear(request: Request): Promise<Reply> | Reply;
  /** Commands of authenticated minions. */
  aes(request: Request): Promise<Reply> | Reply;
  /**
   * True if a cheap check finds the credential in a clear load valid: such a caller may send large loads.
   * @default no credential is valid
   */
  vouches?: ((fields: Record<string, unknown>) => boolean) | undefined;
}

export interface RequestServerOptions {
  crypto: Crypto;
  clock: Clock;
  log: Logger;
  identity: MasterIdentity;
  keys: KeyStore;
  sessionKeys: SessionKeyStore;
  auth: AuthServer;
  masterKey(): MasterKey;
  handler: RequestHandler;
  /** False while no sign-in is answered, so that minions try another master, or try again. @default true */
  signsIn?(): boolean;
  /** The lowest protocol version that is accepted. @default 3 */
  minimumVersion?: number;
  /** Sealed requests older than this many seconds are refused; 0 = no bound. Salt's `request_server_ttl`. @default 0 */
  ttlSeconds?: number;
  /** The top-level fields whose values stay packed, such as `return`. @default none */
  keep?: readonly string[];
  /** Records metrics of requests. @default none are recorded */
  metrics?: RequestMetrics;
}

const BAD_LOAD = encode("bad load", "wire");
const NOT_A_MAP = encode("payload and load must be a dict", "wire");
const NO_COMMAND = encode("Some exception handling minion payload", "wire");
const NOT_MSGPACK = encode({ msg: "bad load" }, "wire");
/** The most values of a sealed load that are decoded, without those that stay packed; a minion's grains and mine must fit in. */
const SEALED_VALUES = 500_000;
/** The most bytes of a reply that {@link packBytes} can pack: sealed, it stays below 65536 bytes. */
const SHORT = 60_000;
const TOKEN_TEXT = new TextEncoder().encode("salt");

interface SealedEnvelope {
  load: Uint8Array;
  version: number;
  id?: unknown;
  enc_algo?: unknown;
  sig_algo?: unknown;
}

/** A sealed request that was opened: the session key, the load, and the minion's key that the session is for. */
interface Opened {
  crypticle: Crypticle;
  load: unknown;
  /** The fields of the load that only the channel uses. They are decoded separately: deleting keys from an object makes it slow. */
  channel: { nonce: unknown; tok: unknown };
  accepted: AcceptedKey | undefined;
}

/**
 * The master's end of the request channel: bytes of a request in, bytes of the reply out. Opens sealed requests, authenticates
 * their senders, refuses what is forged, replayed or downgraded, and seals the reply.
 *
 * @see salt/channel/server.py ReqServerChannel.handle_message
 */
export class RequestServer {
  readonly #options: RequestServerOptions;
  readonly #minimumVersion: number;
  readonly #crypticles = new Map<string, { keyString: string; crypticle: Crypticle }>();
  readonly #replays: ReplayGuard;
  readonly #room = new ClearRoom();
  /** The sender of the request that is being read, and the function that releases its room. */
  readonly #reading: { remote: string; giveBack: (() => void) | undefined } = { remote: "", giveBack: undefined };
  readonly #howToRead: ParseEnvelopeOptions = {
    readClear: (load) =>
      readClear(
        load,
        (fields) => this.#options.handler.vouches?.(fields) ?? false,
        (bytes) => (this.#reading.giveBack = this.#room.take(this.#reading.remote, bytes)) !== undefined,
      ),
  };
  readonly #howToUnpack: UnpackPayloadOptions;
  readonly #metrics: RequestMetrics;

  constructor(options: RequestServerOptions) {
    this.#options = options;
    this.#howToUnpack = { mode: "wire", keep: options.keep ?? [], maxValues: SEALED_VALUES };
    this.#metrics = options.metrics ?? new RequestMetrics();
    this.#minimumVersion = options.minimumVersion ?? 3;
    this.#replays = new ReplayGuard();
  }

  /**
   * Answers a request, always: a worker of Salt's queue that does not answer is lost for good. Undefined only if the handler has
   * withheld its reply, or if the sender has disconnected.
   *
   * This is not an async function: {@link RequestServer.#sealed} is the only one on the way of a sealed request. A thousand returns wait
   * here at once, and each additional promise is garbage.
   */
  handle(bytes: Uint8Array, sender: Sender): Promise<Uint8Array | undefined> {
    const began = this.#metrics.began();
    const reading = this.#reading;
    reading.remote = sender.remote;
    reading.giveBack = undefined;
    let envelope: RequestEnvelope;
    try {
      envelope = parseEnvelope(bytes, this.#howToRead);
    } catch (error) {
      this.#reading.giveBack?.();
      return Promise.resolve(this.#failed(error, sender));
    }
    const { giveBack } = this.#reading;
    switch (envelope.enc) {
      case "refused":
        giveBack?.();
        return Promise.resolve(this.#refused(envelope, sender));
      case "clear":
        return this.#clear(envelope.load, envelope.version, sender, began).finally(giveBack);
      case "aes":
        return this.#sealed(envelope, sender, began);
    }
  }

  #refused({ error, reason, reply }: RefusedEnvelope, { remote }: Sender): Uint8Array {
    this.#metrics.refused("not an envelope");
    this.#options.log.warning("request refused: not an envelope", { remote, reason: error?.message ?? reason });
    if (error !== undefined) return encode(reply, "wire");
    return reason === "not msgpack" ? NOT_MSGPACK : BAD_LOAD;
  }

  #failed(error: unknown, { remote }: Sender): Uint8Array | undefined {
    this.#metrics.failed();
    if (error instanceof WithheldReply) return undefined;
    this.#options.log.error("request failed", { remote, error: messageOf(error) });
    return NO_COMMAND;
  }

  #checkLoad(load: unknown, remote: string): Uint8Array | undefined {
    const refusal = this.#faultOf(load, remote);
    if (refusal !== undefined) this.#metrics.refused("bad load");
    return refusal;
  }

  #faultOf(load: unknown, remote: string): Uint8Array | undefined {
    if (!isRecord(load)) {
      this.#options.log.warning("request refused: the load is not a map", { remote });
      return NOT_A_MAP;
    }
    const { id } = load;
    if (id === undefined) return undefined;
    if (typeof id !== "string") {
      this.#options.log.warning("request refused: the id is not text", { remote });
      const shown = typeof id === "number" || typeof id === "boolean" ? String(id) : "of another type";
      return encode(`bad load: id ${shown} is not a string`, "wire");
    }
    if (id.includes("\0")) {
      this.#options.log.warning("request refused: the id contains NUL", { remote });
      return encode("bad load: id contains a null byte", "wire");
    }
    return undefined;
  }

  async #clear(
    load: unknown,
    version: number,
    sender: Sender,
    began: number,
  ): Promise<Uint8Array | undefined> {
    try {
      const { remote } = sender;
      const refusal = this.#checkLoad(load, remote);
      if (refusal !== undefined) return refusal;
      const fields = load as Record<string, unknown>;
      if (fields.cmd === "_auth") return await this.#signIn(fields, version, sender, began);
      if (typeof fields.cmd !== "string") return NO_COMMAND;
      const { value } = await this.#options.handler.clear({
        load: fields,
        minion: undefined,
        version,
        remote,
        sender,
        bytes: 0,
      });
      this.#metrics.answered(fields.cmd, began);
      return encode(value, "wire");
    } catch (error) {
      return this.#failed(error, sender);
    }
  }

  /** Answers a sign-in. @throws {WithheldReply} while sign-ins are not answered */
  async #signIn(
    fields: Record<string, unknown>,
    version: number,
    sender: Sender,
    began: number,
  ): Promise<Uint8Array | undefined> {
    if (this.#options.signsIn?.() === false) throw new WithheldReply("Sign-ins are not accepted now");
    try {
      return await this.#options.auth.answer(fields, version, sender);
    } catch (error) {
      this.#options.log.error("authentication failed", { remote: sender.remote, error: messageOf(error) });
      return BAD_LOAD;
    } finally {
      this.#metrics.answered("_auth", began);
    }
  }

  /** As {@link ReplayGuard.newest}, for requests accepted under the minion's current session key. */
  newest(id: string): number | "unknown" | undefined {
    return this.#replays.newest(id);
  }

  #session(accepted: AcceptedKey): Crypticle {
    const { sessionKeys } = this.#options;
    const name = sessionName(accepted.id, accepted);
    const keyString = sessionKeys.get(name, accepted.pem);
    const known = this.#crypticles.get(name);
    if (known?.keyString === keyString) return known.crypticle;
    const crypticle = new Crypticle(this.#options.crypto, keyString);
    this.#crypticles.set(name, { keyString, crypticle });
    this.#replays.begin(name, sessionKeys.floor(name));
    return crypticle;
  }

  async #sealed(envelope: SealedEnvelope, sender: Sender, began: number): Promise<Uint8Array | undefined> {
    try {
      const { remote } = sender;
      const { version } = envelope;
      const opened = this.#open(envelope, remote);
      if (opened instanceof Uint8Array) return opened;
      const malformed = this.#checkLoad(opened.load, remote);
      if (malformed !== undefined) return malformed;
      const fields = opened.load as Record<string, unknown>;
      const nonce = version >= 2 && opened.channel.nonce instanceof Uint8Array ? opened.channel.nonce : undefined;
      const minion = this.#authenticate(fields, envelope, opened, remote);
      if (minion instanceof Uint8Array) return minion;
      if (typeof fields.cmd !== "string") return NO_COMMAND;

      const reply = await this.#answer({ load: fields, minion, version, remote, sender, bytes: envelope.load.length });
      const sealing = reply.private
        ? this.#private(reply.value, nonce, version, envelope, fields.id, opened.accepted)
        : seal(opened.crypticle, reply, nonce);
      const bytes = sealing instanceof Promise ? await sealing : sealing;
      this.#metrics.answered(fields.cmd, began);
      return bytes;
    } catch (error) {
      return this.#failed(error, sender);
    }
  }

  /** The handler's answer; empty text if the command fails. @throws {WithheldReply} */
  #answer(request: Request): Reply | Promise<Reply> {
    const failed = (error: unknown): Reply => {
      if (error instanceof WithheldReply) throw error;
      const { cmd, id } = request.load;
      this.#metrics.failed();
      this.#options.log.error("command of a minion failed", { cmd, id, error: messageOf(error) });
      return { value: "" };
    };
    try {
      const reply = this.#options.handler.aes(request);
      return reply instanceof Promise ? reply.catch(failed) : reply;
    } catch (error) {
      return failed(error);
    }
  }

  /** Counts and logs why a request is refused, and makes the reply. @param id the minion's id that the request claims */
  #refuse(reason: RefusedRequest, why: string, id: unknown, remote: string): Uint8Array {
    this.#metrics.refused(reason);
    this.#options.log.warning(`request refused: ${why}`, { id, remote });
    return BAD_LOAD;
  }

  /** Finds the key that a request is sealed with, and opens the request; otherwise returns the reply that refuses the request. */
  #open(envelope: SealedEnvelope, remote: string): Uint8Array | Opened {
    const { keys } = this.#options;
    const { version, id } = envelope;
    if (!(version >= this.#minimumVersion)) {
      return this.#refuse("old version", "protocol version below minimum_auth_version", id, remote);
    }
    let accepted: AcceptedKey | undefined;
    if (version >= 3) {
      if (!isMinionId(id)) return this.#refuse("bad load", "no valid minion id on the envelope", id, remote);
      // The accepted key is read before the session key, so that no session key is made for an id that is not accepted.
      accepted = keys.accepted(id);
      if (accepted === undefined) return this.#refuse("no accepted key", "the minion has no accepted key", id, remote);
    }
    try {
      return this.#openWith(accepted, envelope);
    } catch (error) {
      const second = accepted && keys.second?.(accepted.id);
      if (second?.key !== undefined) {
        try {
          return this.#openWith(second, envelope);
        } catch {
          // The request is refused below, as one for the accepted key.
        }
      }
      const why = `it cannot be decrypted with the ${version >= 3 ? "session" : "master"} key (${messageOf(error)})`;
      return this.#refuse("does not open", why, id, remote);
    }
  }

  #openWith(accepted: AcceptedKey | undefined, envelope: SealedEnvelope): Opened {
    const crypticle = accepted === undefined ? this.#options.masterKey().crypticle : this.#session(accepted);
    const channel = { nonce: undefined, tok: undefined };
    this.#howToUnpack.apart = channel;
    return { crypticle, load: unpackPayload(crypticle.open(envelope.load), this.#howToUnpack), channel, accepted };
  }

  /**
   * Returns the id of the minion that sent a request, or the reply that refuses it. Undefined only for versions below 3 without a token.
   * There is no `await` between reading the key and this check.
   */
  #authenticate(
    fields: Record<string, unknown>,
    envelope: SealedEnvelope,
    { channel: { tok }, accepted }: Opened,
    remote: string,
  ): Uint8Array | string | undefined {
    const { crypto, keys, clock, ttlSeconds = 0, sessionKeys } = this.#options;
    if (envelope.version < 3) {
      if (tok === undefined || fields.id === undefined) return undefined;
      if (!isMinionId(fields.id) || !provesKey(crypto, tok, keys.accepted(fields.id))) {
        return this.#refuse("bad token", "the token does not prove the minion's key", fields.id, remote);
      }
      return fields.id;
    }
    const id = envelope.id as string;
    const { ts } = fields;
    if (ttlSeconds > 0 && !(typeof ts === "number" && clock.now() / 1000 - ts <= ttlSeconds)) {
      return this.#refuse("replayed", "it is older than request_server_ttl", id, remote);
    }
    if (fields.id !== id) {
      return this.#refuse("bad token", "the id inside differs from the one on the envelope", id, remote);
    }
    if (!provesKey(crypto, tok, accepted)) {
      return this.#refuse("bad token", "the token does not prove the minion's key", id, remote);
    }
    const session = sessionName(id, accepted!);
    if (!this.#replays.admit(session, envelope.load, typeof ts === "number" ? ts : undefined)) {
      // The message was captured, or the minion's clock was set back. A new session key makes every captured message useless;
      // an honest minion signs in again and continues.
      sessionKeys.rotate(session);
      const why = "it was received before, or is much older than this minion's last request";
      return this.#refuse("replayed", why, id, remote);
    }
    if (accepted!.isSecond) keys.used?.(id, accepted!);
    return id;
  }

  /** Packs a reply in the form of pillar: sealed with a fresh key that only this minion can open, signed, and bound to the nonce. */
  async #private(
    value: unknown,
    nonce: Uint8Array | undefined,
    version: number,
    envelope: { enc_algo?: unknown; sig_algo?: unknown },
    id: unknown,
    accepted: AcceptedKey | undefined,
  ): Promise<Uint8Array> {
    const { crypto, keys, identity } = this.#options;
    if (version >= 2 && nonce === undefined) return encode({ error: "Nonce not included in request" }, "wire");
    const minion = accepted?.key ?? (typeof id === "string" && isMinionId(id) ? keys.accepted(id)?.key : undefined);
    if (minion === undefined) return encode({ error: "AES key not found" }, "wire");
    const encryption = envelope.enc_algo ?? "OAEP-SHA1";
    const signing = envelope.sig_algo ?? "PKCS1v15-SHA1";
    if (!isEncryptionAlgorithm(encryption) || !isSigningAlgorithm(signing)) {
      return encode({ error: "bad load" }, "wire");
    }
    const keyString = newKeyString(crypto);
    const crypticle = new Crypticle(crypto, keyString);
    const key = rsaEncrypt(crypto, encryption, minion, new TextEncoder().encode(keyString));
    if (version < 2) return encode({ key, pillar: crypticle.seal(packPayload(value)) }, "wire");
    const data = encode({ key, pillar: value, nonce }, "wire");
    const sig = await rsaSignAsync(crypto, signing, identity.key, data);
    return encode({ key, pillar: crypticle.seal(packPayload({ data, sig })) }, "wire");
  }
}

/** True if a token was made with a minion's private key. A proven token is remembered, since it stays the same. */
function provesKey(crypto: Crypto, tok: unknown, accepted: AcceptedKey | undefined): boolean {
  if (accepted === undefined || tok === undefined || tok === null) return false;
  const token = bytesOf(tok);
  if (accepted.provenToken !== undefined && crypto.equal(accepted.provenToken, token)) return true;
  const { key } = accepted;
  if (key === undefined) return false;
  try {
    if (!crypto.equal(x931Recover(crypto, key, token), TOKEN_TEXT)) return false;
  } catch {
    return false;
  }
  accepted.provenToken = token.slice();
  return true;
}

/** Seals a reply with the key of its request; returns a promise only for long replies. */
function seal(crypticle: Crypticle, reply: Reply, nonce: Uint8Array | undefined): Uint8Array | Promise<Uint8Array> {
  const parts = packPayloadParts(reply.value, nonce);
  if (parts.length === 1 && parts[0]!.length < SHORT) return packBytes(crypticle.seal(parts[0]!, BYTES_HEAD));
  if (parts.length === 1 && parts[0]!.length < LONG_MESSAGE) return encode(crypticle.seal(parts[0]!), "wire");
  return sealLong(crypticle, parts, reply);
}

async function sealLong(crypticle: Crypticle, parts: readonly Uint8Array[], reply: Reply): Promise<Uint8Array> {
  const sealed = packLongBytes(await crypticle.sealLong(parts, LONG_BYTES_HEAD));
  if (reply.once) { for (const part of parts) if (part.length >= LONG_MESSAGE) release(part); }
  return sealed;
}
