import { isSigningAlgorithm, rsaVerify } from "../crypto/rsa.ts";
import { AuthenticationError, messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Crypto } from "../runtime/crypto.ts";
import { encode } from "../wire/msgpack.ts";
import { packPayload, parsePublication, unpackPayload } from "../wire/payload.ts";
import type { SignedIn } from "./auth_client.ts";

/**
 * What a subscriber says of itself to a publisher that sends by id, sealed with the master key.
 *
 * @param id the minion's
 * @param proof the token that proves its key
 * @see salt/channel/client.py AsyncPubChannel.send_id
 */
export function packIntroduction({ publications }: SignedIn, id: string, proof: Uint8Array): Uint8Array {
  const load = publications.crypticle.seal(packPayload({ id, tok: proof }));
  return encode({ enc: "aes", load, version: 3 }, "wire");
}

export interface PublicationReaderOptions {
  crypto: Crypto;
  log: Logger;
  signedIn(): SignedIn | undefined;
  /** Signs in again after a publication that the minion's copy of the master key does not open. Concurrent calls share one attempt. */
  signIn(): Promise<SignedIn>;
  /** Refuse publications without a signature (the minion's `sign_pub_messages`). A signature that is present is always checked. */
  requireSignature: boolean;
  /** Topic of this minion; two-frame messages for others are dropped. */
  topics: ReadonlySet<string>;
}

/**
 * Opens publications: signature, MAC, serial. A publication that is forged, replayed or for another minion yields undefined.
 *
 * @see salt/minion.py Minion._handle_payload, salt/channel/client.py AsyncPubChannel
 */
export class PublicationReader {
  readonly #options: PublicationReaderOptions;

  constructor(options: PublicationReaderOptions) {
    this.#options = options;
  }

  async read(frames: readonly Uint8Array[]): Promise<Record<string, unknown> | undefined> {
    const { log, topics } = this.#options;
    if (frames.length === 2) {
      // ZeroMQ filters by prefix only.
      if (!topics.has(new TextDecoder().decode(frames[0]))) return undefined;
    } else if (frames.length !== 1) {
      log.warning("publication ignored: expected one or two frames", { frames: frames.length });
      return undefined;
    }
    try {
      const envelope = parsePublication(frames[frames.length - 1]!);
      if (envelope === undefined) return undefined;
      const signedIn = this.#options.signedIn() ?? await this.#options.signIn();
      const opened = this.#open(envelope, signedIn);
      if (opened !== "stale key") return opened;
      log.info("publication cannot be decrypted, signing in again");
      const renewed = this.#open(envelope, await this.#options.signIn());
      if (renewed === "stale key") {
        log.warning("publication ignored: it cannot be decrypted with the current key");
        return undefined;
      }
      return renewed;
    } catch (error) {
      log.warning("publication ignored", { reason: messageOf(error) });
      return undefined;
    }
  }

  #open(
    envelope: { load: Uint8Array; sig?: Uint8Array; sig_algo?: string },
    signedIn: SignedIn,
  ): Record<string, unknown> | undefined | "stale key" {
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
      log.warning("publication ignored: its signature is not the master's");
      return undefined;
    }
    const { crypticle, serials } = signedIn.publications;
    let plain: Uint8Array;
    try {
      plain = crypticle.open(envelope.load);
    } catch (error) {
      if (error instanceof AuthenticationError) return "stale key";
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
