import type { Clock } from "../../base/async/clock.ts";
import { isSigningAlgorithm, rsaVerify } from "../crypto/rsa.ts";
import { AuthenticationError, messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { encode } from "../wire/msgpack.ts";
import { packPayload, parsePublication, unpackPayload } from "../wire/payload.ts";
import type { SignedIn } from "./auth_client.ts";

/**
 * The introduction of a subscriber to a publisher that sends by id, sealed with the master key.
 *
 * @param id the id of the minion
 * @param proof the token that proves its key
 * @see salt/channel/client.py AsyncPubChannel.send_id
 */
export function packIntroduction({ publications }: SignedIn, id: string, proof: Uint8Array): Uint8Array {
  const load = publications.crypticle.seal(packPayload({ id, tok: proof }));
  return encode({ enc: "aes", load, version: 3 }, "wire");
}

interface PublicationReaderOptions {
  crypto: Crypto;
  clock: Pick<Clock, "elapsed">;
  log: Logger;
  signedIn(): SignedIn | undefined;
  /** Signs in again after a publication that cannot be opened with the master's keys as the minion has them. Concurrent calls share one attempt. */
  signIn(): Promise<SignedIn>;
  /** Refuses publications without a signature (the minion's `sign_pub_messages`). A signature that is present is always checked. */
  requireSignature: boolean;
  /** The topics of this minion; two-frame messages for others are dropped. */
  topics: ReadonlySet<string>;
}

/** The most publications that wait for a sign-in: further ones are dropped, and a Brine master sends them again. */
const MAX_WAITING = 256;
/** The pause after a sign-in that did not help, in milliseconds: anyone on the network path could provoke sign-ins by altered publications. */
const FUTILE_MS = 5000;

type Envelope = { load: Uint8Array; sig?: Uint8Array | undefined; sig_algo?: string | undefined };

/** Why a publication cannot be verified with the keys of the last sign-in. */
type Fault = "its signature is not the master's" | "it cannot be decrypted with the current key";

/**
 * Opens publications: signature, MAC, serial. A publication that is forged, replayed or for another minion yields undefined.
 *
 * @see salt/minion.py Minion._handle_payload, salt/channel/client.py AsyncPubChannel
 */
export class PublicationReader {
  readonly #options: PublicationReaderOptions;
  #waiting = 0;
  /** When the last sign-in did not help, in milliseconds of the even clock. */
  #futileAt = -Infinity;

  constructor(options: PublicationReaderOptions) {
    this.#options = options;
  }

  async read(frames: readonly Uint8Array[]): Promise<Record<string, unknown> | undefined> {
    const { log, topics } = this.#options;
    if (frames.length === 2) {
      // ZeroMQ filters by prefix only, so the topic is compared.
      if (!topics.has(new TextDecoder().decode(frames[0]))) return undefined;
    } else if (frames.length !== 1) {
      log.warning("publication ignored: expected one or two frames", { frames: frames.length });
      return undefined;
    }
    try {
      const envelope = parsePublication(frames[frames.length - 1]!);
      if (envelope === undefined) return undefined;
      const signedIn = this.#options.signedIn() ?? await this.#signIn();
      const opened = this.#open(envelope, signedIn);
      return typeof opened === "string" ? await this.#openAgain(envelope, opened) : opened;
    } catch (error) {
      log.warning("publication ignored", { reason: messageOf(error) });
      return undefined;
    }
  }

  /** Signs in. @throws {SaltError} if too many publications wait for a sign-in */
  async #signIn(): Promise<SignedIn> {
    if (this.#waiting >= MAX_WAITING) {
      throw new SaltError("BUSY", `${MAX_WAITING} publications wait for the sign-in to the master`);
    }
    this.#waiting++;
    try {
      return await this.#options.signIn();
    } finally {
      this.#waiting--;
    }
  }

  /** Signs in, since the master may have new keys by now, and tries again to open a publication. */
  async #openAgain(envelope: Envelope, fault: Fault): Promise<Record<string, unknown> | undefined> {
    const { clock, log } = this.#options;
    if (clock.elapsed() - this.#futileAt < FUTILE_MS) {
      log.warning(`publication ignored: ${fault}`);
      return undefined;
    }
    log.warning("publication cannot be verified: signing in again, because the master's keys may have changed", {
      reason: fault,
    });
    const renewed = this.#open(envelope, await this.#signIn());
    if (typeof renewed !== "string") return renewed;
    this.#futileAt = clock.elapsed();
    log.warning(`publication ignored: ${renewed}`);
    return undefined;
  }

  #open(
    envelope: Envelope,
    signedIn: SignedIn,
  ): Record<string, unknown> | undefined | Fault {
    const { crypto, log, requireSignature } = this.#options;
    const algorithm = envelope.sig_algo ?? "PKCS1v15-SHA1";
    if (envelope.sig === undefined) {
      if (requireSignature) {
        log.warning("publication ignored: it is not signed");
        return undefined;
      }
    } else if (
      !isSigningAlgorithm(algorithm) ||
      !rsaVerify(crypto, algorithm, signedIn.masterKey, envelope.load, envelope.sig)
    ) {
      return "its signature is not the master's";
    }
    const { crypticle, serials } = signedIn.publications;
    let plain: Uint8Array;
    try {
      plain = crypticle.open(envelope.load);
    } catch (error) {
      if (error instanceof AuthenticationError) return "it cannot be decrypted with the current key";
      throw error;
    }
    const load = unpackPayload(plain, {}) as Record<string, unknown>;
    if (typeof load !== "object" || load === null || Array.isArray(load)) return undefined;
    if (load.serial !== undefined) {
      const serial = load.serial;
      delete load.serial;
      if (!serials.admit(serial)) {
        log.warning("publication ignored: received before", { serial });
        return undefined;
      }
    }
    return load;
  }
}
