/** Checks the key pair of a daemon: both files must be readable, and of the same kind. */
import { joinPath } from "../../../src/base/paths.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { messageOf } from "../../../src/base/errors.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, type Finding, wrong } from "./finding.ts";

/** @param name name of the pair, without extension. @returns nothing for a missing pair, because the daemon creates it */
export function checkKeyPair(
  { fs, crypto }: Pick<Runtime, "fs" | "crypto">,
  directory: string,
  name: string,
  passphrase?: string,
): Finding[] {
  const [secret, open] = [joinPath(directory, `${name}.pem`), joinPath(directory, `${name}.pub`)];
  try {
    if (fs.stat(secret) === undefined) return [];
    const publicPem = crypto.publicPem(crypto.loadPrivateKey(fs.readText(secret), passphrase));
    if (fs.stat(open)?.kind !== "file" || cleanPem(fs.readText(open)) === cleanPem(publicPem)) return [];
    return [doubtful(`${open} does not belong to ${secret}`, "the daemon replaces it when it starts")];
  } catch (error) {
    const remedy =
      "restore it from a backup, make it readable for the user of the daemon, or correct its passphrase. " +
      `As a last resort, move ${secret} and ${open} away and keep them. The daemon then makes a new ` +
      "pair, which every other side must accept again";
    return [wrong(`the key ${secret} cannot be used: ${messageOf(error)}`, remedy)];
  }
}
