import type { MasterIdentity } from "../../channel/auth_server.ts";
import type { KeyPair } from "../../channel/key_pair.ts";
import { rsaSign } from "../../crypto/rsa.ts";
import { ConfigError } from "../../errors.ts";
import type { Runtime } from "../../runtime/mod.ts";

/**
 * Adds the signature that was made beforehand (`master_use_pubkey_signature`), so that the signing key need not be on this
 * host.
 *
 * @throws {ConfigError} if the file is not there
 */
export function withStoredSignature({ fs }: Runtime, master: MasterIdentity, path: string): MasterIdentity {
  if (fs.stat(path)?.kind !== "file") {
    throw new ConfigError(
      `Cannot read the signature of the master's key, ${path}: make it with salt-key --gen-signature, or turn ` +
        "master_use_pubkey_signature off",
      { path },
    );
  }
  const signature = fs.readText(path).trim();
  return { ...master, publicKeySignature: () => signature };
}

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
