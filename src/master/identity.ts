import type { MasterIdentity } from "../channel/auth_server.ts";
import type { KeyPair } from "../channel/key_pair.ts";
import { rsaSign } from "../crypto/rsa.ts";
import type { Runtime } from "../runtime/mod.ts";

/** Adds the signature by the signing pair (`master_sign_pubkey`) to what the master shows of itself. */
export function withKeySignature(runtime: Runtime, master: MasterIdentity, signing: KeyPair): MasterIdentity {
  const made = new Map<string, string>();
  return {
    ...master,
    publicKeySignature(algorithm) {
      let signature = made.get(algorithm);
      if (signature === undefined) {
        const bytes = rsaSign(runtime.crypto, algorithm, signing.key, new TextEncoder().encode(master.publicPem));
        signature = `${btoa(String.fromCharCode(...bytes))}\n`;
        made.set(algorithm, signature);
      }
      return signature;
    },
  };
}
