/** A directory of keys for GnuPG, with one to which values are encrypted. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why tests are skipped; false where there is the program. */
export const noGpg = spawnSync("gpg", ["--version"]).status === 0 ? false : "there is no program gpg";

export interface GpgKeys {
  home: string;
  /** A text in armour. */
  encrypted(text: string): string;
  remove(): void;
}

/** Makes one; its key is made where there is the program. */
export function gpgKeys(): GpgKeys {
  const home = mkdtempSync(join(tmpdir(), "brine-gpg-"));
  const gpg = (args: string[], input?: string) =>
    execFileSync("gpg", ["--homedir", home, "--batch", "--no-tty", ...args], {
      input,
      stdio: ["pipe", "pipe", "ignore"],
    }).toString();
  if (noGpg === false) gpg(["--passphrase", "", "--quick-gen-key", "salt@example.com", "rsa2048", "encr", "never"]);
  return {
    home,
    encrypted: (text) => gpg(["--armor", "--trust-model", "always", "--encrypt", "-r", "salt@example.com"], text),
    remove() {
      spawnSync("gpgconf", ["--homedir", home, "--kill", "all"]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
