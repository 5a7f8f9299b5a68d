import type { Clock } from "../../base/async/clock.ts";
import { Crypticle, LONG_MESSAGE } from "../crypto/crypticle.ts";
import { rsaDecrypt, rsaSign, rsaVerify } from "../crypto/rsa.ts";
import { AuthenticationError, codeOf, messageOf, ProtocolError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { releaseWhole } from "../../runtime/bytes.ts";
import { decode, encode } from "../wire/msgpack.ts";
import { bytesOf, packPayload, unpackPayload } from "../wire/payload.ts";
import { type AuthClient, type MinionIdentity, newNonce, type SignedIn } from "./auth_client.ts";

/** Fields that are not signed: those that only serve the transport of the request, and the signature itself. */
const UNSIGNED: ReadonlySet<string> = new Set(["nonce", "tok", "sig"]);

/**
 * The bytes of a message that a minion signs (`minion_sign_messages`) and its master verifies: all fields in their order,
 * packed as the master sees them after it has opened the message.
 *
 * @see salt/channel/client.py AsyncReqChannel._package_load, salt/master.py AESFuncs._return
 */
export function signedBytes(load: Record<string, unknown>): Uint8Array {
  const signed: Record<string, unknown> = {};
  for (const field in load) if (!UNSIGNED.has(field)) signed[field] = load[field];
  // Encoded and decoded in the wire format first, which turns bytes that are text into text.
  return encode(decode(encode(signed, "wire"), { mode: "wire" }), "bin");
}

/** How a request may share a connection with others; see {@link Exchange}. */
export type RequestKind = "piece" | "slow";

/** The commands that a master answers once it has finished work that may take minutes. */
const SLOW: ReadonlySet<unknown> = new Set(["_pillar", "_master_tops", "minion_runner"]);

/** One request out, one reply in: a ZeroMQ REQ socket, or a function in a test. */
export type Exchange = (
  request: Uint8Array,
  options: {
    timeoutMs: number;
    signal?: AbortSignal | undefined;
    /**
     * `piece`: the reply is one of many large ones, and need not come in order; `slow`: the reply may take minutes. Both may use
     * another connection. @default the order of requests counts
     */
    kind?: RequestKind | undefined;
  },
) => Promise<Uint8Array>;

/**
 * Sends a load in clear, as programs on the master's host do. The reply is not encrypted either.
 *
 * @throws {TimeoutError} when the master does not answer
 */
export async function sendClear(
  exchange: Exchange,
  load: Record<string, unknown>,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<unknown> {
  return decode(await exchange(encode({ enc: "clear", load, version: 3 }, "wire"), options), { mode: "wire" });
}

/** The keys with which a minion seals and proves its requests. */
export interface SessionSeal {
  crypticle: Crypticle;
  /** The token that proves the minion's key. */
  proof: Uint8Array;
  algorithms: { encryption: string; signing: string };
}

interface SealedRequestsOptions {
  crypto: Crypto;
  clock: Clock;
  log: Logger;
  id: string;
  exchange: Exchange;
  /** The current seal; signs in first if there is none. */
  session(): Promise<SessionSeal>;
  /** Signs in again, after the master has refused the seal. */
  renew(): Promise<void>;
  /** Signs each message beside its seal: `minion_sign_messages`. @default nothing is signed */
  sign?: ((bytes: Uint8Array) => Uint8Array) | undefined;
}

interface RequestClientOptions {
  crypto: Crypto;
  clock: Clock;
  log: Logger;
  auth: AuthClient;
  identity: MinionIdentity;
  exchange: Exchange;
  /** Signs in again; resolves once the master has accepted the minion. Concurrent calls share one attempt. */
  signIn(): Promise<SignedIn>;
  /** Signs each message with the minion's key: `minion_sign_messages`. @default false */
  signMessages?: boolean;
}

interface SendOptions {
  /** The time for one try, in milliseconds. @default 60000 */
  timeoutMs?: number;
  /** How often a request is sent before it fails. @default 3 */
  tries?: number;
  /** Returns byte strings as bytes and does not decode them as text: for the contents of files. @default false */
  raw?: boolean;
  signal?: AbortSignal;
}

/**
 * Requests under a session: seals loads with the session key, opens the replies, and renews the session when the master no longer
 * knows the key.
 *
 * @see salt/channel/client.py AsyncReqChannel
 */
export class SealedRequests {
  readonly #options: SealedRequestsOptions;

  constructor(options: SealedRequestsOptions) {
    this.#options = options;
  }

  /**
   * The master's answer to a command.
   *
   * @throws {TimeoutError} after the last try; {AuthenticationError} if the master refuses the minion even after a new sign-in
   */
  async send(load: Record<string, unknown>, options: SendOptions = {}): Promise<unknown> {
    return await this.tries(options, async () => {
      const { crypticle, nonce, bytes } = await this.seal(load);
      const reply = await this.#options.exchange(bytes, {
        timeoutMs: options.timeoutMs ?? 60_000,
        signal: options.signal,
        kind: options.raw ? "piece" : kindOf(load),
      });
      const outer = decode(reply, { mode: "raw" });
      if (!(outer instanceof Uint8Array)) return this.plain(outer);
      // A sealed reply is at least an IV, one block and a MAC long; a shorter reply is plain text.
      if (outer.length < 64) return this.plain(new TextDecoder().decode(outer));
      const mode = options.raw ? "raw" : "wire";
      if (outer.length < LONG_MESSAGE) return unpackPayload(crypticle.open(outer), { nonce, mode });
      const opened = await crypticle.openLong(outer);
      releaseWhole(reply);
      return unpackPayload(opened, { nonce, mode });
    });
  }

  protected async seal(
    load: Record<string, unknown>,
  ): Promise<{ crypticle: Crypticle; nonce: string; bytes: Uint8Array }> {
    const { crypto, clock, id } = this.#options;
    const { crypticle, proof, algorithms: { encryption, signing } } = await this.#options.session();
    const nonce = newNonce(crypto);
    const full: Record<string, unknown> = { ...load, nonce, ts: Math.floor(clock.now() / 1000), tok: proof, id };
    const { sign } = this.#options;
    if (sign !== undefined) full.sig = sign(signedBytes(full));
    const sealed = crypticle.seal(packPayload(full));
    const envelope = { enc: "aes", load: sealed, version: 3, id, enc_algo: encryption, sig_algo: signing };
    return { crypticle, nonce, bytes: encode(envelope, "wire") };
  }

  /** Handles a reply that is not sealed: an error of the master, or the sign that it no longer accepts the session key. */
  protected plain(value: unknown): never {
    throw new AuthenticationError(
      `The master does not accept the session key: ${typeof value === "string" ? value : "bad reply"}`,
    );
  }

  protected async tries<T>(options: SendOptions, attempt: () => Promise<T>): Promise<T> {
    const { log } = this.#options;
    const tries = options.tries ?? 3;
    let renewed = false;
    for (let count = 1;; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (options.signal?.aborted) throw error;
        const untrusted = error instanceof AuthenticationError || error instanceof ProtocolError;
        if (untrusted && !renewed) {
          // Renews once, without counting a try: the master may have been restarted, or the session key has expired.
          renewed = true;
          count--;
          log.info("session key no longer accepted: signing in again", { reason: messageOf(error) });
          await this.#options.renew();
          continue;
        }
        if (count >= tries || untrusted) throw error;
        log.debug("request not answered: trying again", { attempt: count, of: tries, code: codeOf(error) });
      }
    }
  }
}

/** A minion's request channel: requests under the session of a sign-in, and requests with private replies. */
export class RequestClient extends SealedRequests {
  readonly #options: RequestClientOptions;

  constructor(options: RequestClientOptions) {
    const { crypto, clock, log, auth, identity, exchange, signIn, signMessages = false } = options;
    super({
      crypto,
      clock,
      log,
      id: identity.id,
      exchange,
      session: async () => {
        const { session } = auth.signedIn ?? await signIn();
        return { crypticle: session.crypticle, proof: auth.proof, algorithms: auth.algorithms };
      },
      renew: async () => void await signIn(),
      sign: signMessages ? (bytes) => rsaSign(crypto, auth.algorithms.signing, identity.key, bytes) : undefined,
    });
    this.#options = options;
  }

  /** As {@link RequestClient.send}, for replies that are sealed for this minion's key and signed by the master: pillar. */
  async sendPrivate(load: Record<string, unknown>, options: SendOptions = {}): Promise<unknown> {
    const { crypto, identity, auth } = this.#options;
    return await this.tries(options, async () => {
      const { nonce, bytes } = await this.seal(load);
      const outer = decode(
        await this.#options.exchange(bytes, {
          timeoutMs: options.timeoutMs ?? 60_000,
          signal: options.signal,
          kind: kindOf(load),
        }),
        { mode: "wire" },
      ) as Record<string, unknown> | string | null;
      if (typeof outer !== "object" || outer === null || outer.key === undefined) return this.plain(outer);
      const { encryption, signing } = auth.algorithms;
      const key = bytesOf(outer.key);
      const keyString = new TextDecoder().decode(rsaDecrypt(crypto, encryption, identity.key, key));
      const sealed = unpackPayload(new Crypticle(crypto, keyString).open(bytesOf(outer.pillar)), {}) as Record<
        string,
        unknown
      >;
      const data = bytesOf(sealed.data);
      const signedIn = auth.signedIn ?? await this.#options.signIn();
      if (!rsaVerify(crypto, signing, signedIn.masterKey, data, bytesOf(sealed.sig))) {
        throw new AuthenticationError("The private reply is not signed by the master");
      }
      const inner = decode(data, { mode: "wire" }) as Record<string, unknown>;
      if (inner.nonce !== nonce || !crypto.equal(bytesOf(inner.key), key)) {
        throw new AuthenticationError("The private reply belongs to another request");
      }
      return inner.pillar;
    });
  }
}

function kindOf({ cmd }: Record<string, unknown>): RequestKind | undefined {
  return SLOW.has(cmd) ? "slow" : undefined;
}
