import { rsaSignAsync } from "../crypto/rsa.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { encode } from "../wire/msgpack.ts";
import { packPayload } from "../wire/payload.ts";
import type { MasterIdentity, MasterKey } from "./auth_server.ts";

interface PublicationSealerOptions {
  crypto: Crypto;
  identity: MasterIdentity;
  masterKey(): MasterKey;
  /** Salt's `sign_pub_messages`. @default true */
  sign?: boolean;
  /** Salt's `publish_signing_algorithm`. @default "PKCS1v15-SHA1" */
  algorithm?: string;
}

/**
 * Turns job loads into publications: numbered, sealed with the master key, signed. The number starts again at 1 with each
 * new master key, since receivers count per key.
 *
 * @see salt/channel/server.py PubServerChannel.wrap_payload
 */
export class PublicationSealer {
  readonly #options: PublicationSealerOptions;
  #keyString = "";
  #serial = 0;

  constructor(options: PublicationSealerOptions) {
    this.#options = options;
  }

  /** The serial of the last publication under the current master key; 0 before the first. */
  get serial(): number {
    return this.#options.masterKey().keyString === this.#keyString ? this.#serial : 0;
  }

  /**
   * Seals a publication. It gets its number at once, in the order of the calls, and is signed off the event loop, since the signature
   * takes most of the time.
   *
   * @param number the publication's number in a cluster, where all masters use the same; larger than every number before
   */
  async seal(load: Record<string, unknown>, number?: number): Promise<Uint8Array> {
    const { crypto, identity, masterKey, sign = true, algorithm = "PKCS1v15-SHA1" } = this.#options;
    const { keyString, crypticle } = masterKey();
    if (keyString !== this.#keyString) {
      this.#keyString = keyString;
      this.#serial = 0;
    }
    // The numbers of a cluster continue to grow when the master key changes.
    this.#serial = number ?? this.#serial + 1;
    const sealed = crypticle.seal(packPayload({ ...load, serial: this.#serial }));
    const envelope: Record<string, unknown> = { enc: "aes", load: sealed };
    if (sign) {
      envelope.sig_algo = algorithm;
      envelope.sig = await rsaSignAsync(crypto, algorithm, identity.key, sealed);
    }
    return encode(envelope, "wire");
  }
}
