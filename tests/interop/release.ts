/** Real Salt releases from PyPI, each in a virtual environment outside the tree. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { SALT_HOME, saltProgram } from "../../bench/bed/salt_release.ts";

/** The lines of Salt that are spoken with; the latest patch release of each is installed. */
export const RELEASES = ["3006", "3007", "3008"] as const;
export type Release = typeof RELEASES[number];

/** Where a program comes from: this tree, or a release of real Salt. */
export type Kind = "brine" | Release;

function run(argv: string[]): string | undefined {
  const [program, ...rest] = argv;
  const { status, stdout, stderr, error } = spawnSync(program!, rest, { encoding: "utf8", timeout: 600_000 });
  if (status === 0) return undefined;
  return `${argv.join(" ")}: ${error?.message ?? `exit ${status}`}\n${
    `${stdout}${stderr}`.trim().split("\n").slice(-5).join("\n")
  }`;
}

/**
 * Makes sure that a release is installed. The name of its interpreter is that of `BRINE_SALT_PYTHON`, else `python3`.
 *
 * @returns undefined once it is there, else why it cannot be
 */
export function installSalt(release: Release): string | undefined {
  // pip writes a package's programs after all that it depends on.
  if (existsSync(saltProgram(release, "salt-minion"))) return undefined;
  mkdirSync(SALT_HOME, { recursive: true });
  const where = path.join(SALT_HOME, release);
  console.error(`interop: installing Salt ${release} into ${where}`);
  return run([process.env.BRINE_SALT_PYTHON ?? "python3", "-m", "venv", where]) ??
    run([path.join(where, "bin", "pip"), "install", "--quiet", `salt==${release}.*`]);
}
