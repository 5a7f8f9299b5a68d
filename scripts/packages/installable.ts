/** What makes a folder one that `install.sh` installs from. */
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHELLS } from "../../cli/complete/shells.ts";
import { manPage, MANUALS } from "../../cli/options/man.ts";

/** What `install.sh` takes: programs, packages, units, manual pages, completions, and the script that they share with the packages. */
const SUMMED = /^(?:brine-linux-[a-z0-9-]+|.*\.deb|salt-[a-z]+\.service|[a-z_]+\.sh|[a-z-]+\.1|completion\.[a-z]+)$/;

/**
 * Puts `install.sh` and its parts into a folder of programs or packages, and `SHA256SUMS` of all that is there.
 *
 * @param root of the repository
 */
export function makeInstallable(root: string, folder: string): void {
  copyFileSync(join(root, "scripts/install.sh"), join(folder, "install.sh"));
  copyFileSync(join(root, "scripts/packages/after_job.sh"), join(folder, "after_job.sh"));
  const units = join(root, "examples/systemd");
  for (const name of readdirSync(units).filter((name) => name.endsWith(".service"))) {
    copyFileSync(join(units, name), join(folder, name));
  }
  for (const program of MANUALS) writeFileSync(join(folder, `${program}.1`), manPage(program));
  for (const [shell, text] of Object.entries(SHELLS)) writeFileSync(join(folder, `completion.${shell}`), text);
  const sums = readdirSync(folder).filter((name) => SUMMED.test(name)).sort().map((name) =>
    `${createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")}  ${name}\n`
  );
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
}
