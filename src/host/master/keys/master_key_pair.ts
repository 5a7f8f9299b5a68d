import type { MasterIdentity } from "../../../protocol/channel/auth_server.ts";
import { type KeyPair, loadPair } from "../../../protocol/channel/key_pair.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { joinPath } from "../../../base/paths.ts";
import { rsaSign } from "../../../protocol/crypto/rsa.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { SignatureFiles } from "../../../model/loader/wheel.ts";
import { cleanPem } from "../../../protocol/crypto/rsa_key.ts";
import type { Runtime } from "../../../runtime/runtime.ts";

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
      `Cannot read the signature of the master's key, ${path}: make it with salt-key --gen-signature, or ` +
        "set master_use_pubkey_signature: False",
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

/**
 * Writes the signature over a public key, by default this master's, that `master_use_pubkey_signature` reads.
 *
 * @returns true, or in Salt's words which key is missing
 * @see salt/key.py Key.gen_keys_signature
 */
export async function signMasterKey(
  runtime: Runtime,
  log: Logger,
  opts: MasterOpts,
  how: SignatureFiles,
): Promise<true | string> {
  const { fs, crypto } = runtime;
  const { pki_dir, master_sign_key_name: name } = opts;
  const privatePath = how.priv || joinPath(pki_dir, `${name}.pem`);
  const publicPath = how.pub || joinPath(pki_dir, "master.pub");
  if (how.create && fs.stat(privatePath) === undefined) {
    await loadPair(runtime, log, { pkiDir: pki_dir, name, keySize: how.bits });
    if (fs.stat(publicPath) === undefined) {
      await loadPair(runtime, log, { pkiDir: pki_dir, name: "master", keySize: 2048 });
    }
  }
  if (fs.stat(privatePath) === undefined) {
    return how.priv ? `Private-key ${privatePath} does not exist` : "No usable private-key found";
  }
  if (fs.stat(publicPath) === undefined) {
    return how.pub ? `Public-key ${publicPath} does not exist` : "No usable public-key found";
  }
  const passphrase = typeof opts.signing_key_pass === "string" ? opts.signing_key_pass : undefined;
  const key = crypto.loadPrivateKey(fs.readText(privatePath), passphrase);
  const text = new TextEncoder().encode(cleanPem(fs.readText(publicPath)));
  const signature = rsaSign(crypto, opts.publish_signing_algorithm, key, text);
  fs.write(signatureTarget(fs, opts, how.target), btoa(String.fromCharCode(...signature)), { mode: 0o644 });
  return true;
}

/** Real Salt takes `--signature-path` for a directory; a file may be named, too. */
function signatureTarget(fs: Runtime["fs"], opts: MasterOpts, given: string): string {
  if (given === "") return joinPath(opts.pki_dir, opts.master_pubkey_signature);
  return fs.stat(given)?.kind === "directory" ? joinPath(given, opts.master_pubkey_signature) : given;
}
