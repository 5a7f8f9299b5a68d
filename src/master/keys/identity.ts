import type { MasterIdentity } from "../../channel/auth_server.ts";
import { type KeyPair, loadPair } from "../../channel/key_pair.ts";
import type { MasterOpts } from "../../config/master_opts.ts";
import { joinPath } from "../../config/paths.ts";
import { rsaSign } from "../../crypto/rsa.ts";
import { ConfigError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { Runtime } from "../../runtime/mod.ts";

/**
 * The master's own key pair, made if there is none, with the signature over its public key where `master_sign_pubkey` asks for
 * one.
 *
 * @throws {ConfigError} if a signature that was made beforehand is missing; {SystemError} if a key cannot be read or written
 */
export async function loadIdentity(runtime: Runtime, log: Logger, opts: MasterOpts): Promise<MasterIdentity> {
  const pair = (name: string, passphrase: unknown) =>
    loadPair(runtime, log, {
      pkiDir: opts.pki_dir,
      name,
      keySize: opts.keysize,
      passphrase: typeof passphrase === "string" ? passphrase : undefined,
    });
  const own = await pair("master", opts.key_pass);
  if (!opts.master_sign_pubkey) return own;
  if (opts.master_use_pubkey_signature) {
    return withStoredSignature(runtime, own, joinPath(opts.pki_dir, opts.master_pubkey_signature));
  }
  return withKeySignature(runtime, own, await pair(opts.master_sign_key_name, opts.signing_key_pass));
}

/**
 * Adds the signature that was made beforehand (`master_use_pubkey_signature`), so that the signing key need not be on this
 * host.
 *
 * @throws {ConfigError} if the file is missing
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
