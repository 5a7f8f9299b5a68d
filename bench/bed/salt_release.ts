import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";

/** Where releases of real Salt are installed, each in a virtual environment named after the release. */
export const SALT_HOME = process.env.BRINE_SALT_HOME ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "brine", "salt");

/** A program of a release: `saltProgram("3006", "salt-key")`. It need not be installed. */
export function saltProgram(release: string, program: string): string {
  return path.join(SALT_HOME, release, "bin", program);
}
