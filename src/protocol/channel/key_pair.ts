import { joinPath } from "../../base/paths.ts";
import { cleanPem } from "../crypto/rsa_key.ts";
import type { Logger } from "../../base/log.ts";
import type { RsaPrivateKey } from "../../runtime/crypto.ts";
import type { Runtime } from "../../runtime/runtime.ts";

export interface KeyPair {
  key: RsaPrivateKey;
  publicPem: string;
}

interface KeyPairFiles {
  pkiDir: string;
  /** The name of the key files without extension, such as `"master"`. */
  name: string;
  /** The size of a new pair's modulus, in bits. */
  keySize: number;
  passphrase?: string | undefined;
}

/** Reads a key pair of `pki_dir`, or makes it on first use: only its owner can read the private half. */
export async function loadPair(runtime: Runtime, log: Logger, files: KeyPairFiles): Promise<KeyPair> {
  const { fs, crypto } = runtime;
  const privatePath = joinPath(files.pkiDir, `${files.name}.pem`);
  const publicPath = joinPath(files.pkiDir, `${files.name}.pub`);
  if (fs.stat(privatePath)?.kind !== "file") {
    log.info("generating a key pair", { path: privatePath, bits: files.keySize });
    const pair = await crypto.generateKeyPair(files.keySize, files.passphrase);
    fs.write(privatePath, pair.privatePem, { mode: 0o400, sync: true });
    fs.write(publicPath, pair.publicPem, { mode: 0o644, sync: true });
  }
  const key = crypto.loadPrivateKey(fs.readText(privatePath), files.passphrase);
  const publicPem = crypto.publicPem(key);
  if (fs.stat(publicPath)?.kind !== "file" || cleanPem(fs.readText(publicPath)) !== cleanPem(publicPem)) {
    fs.write(publicPath, publicPem, { mode: 0o644, sync: true });
  }
  return { key, publicPem: cleanPem(publicPem) };
}
