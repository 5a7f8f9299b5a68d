/** A system of its own for apt and dpkg: a directory of packages, and another that they are installed into. */
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { StateModule } from "../../src/model/loader/states.ts";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { TestMinion } from "./context.ts";
import { type StateMinion, stateMinion } from "./state_job.ts";
import { inTemporary } from "../plugins/temporary.ts";

const runtime = await currentRuntime();

/** Why there can be none here; false if there can. */
export const noApt: string | false =
  ["apt-get", "apt-cache", "dpkg", "dpkg-deb"].some((name) => programPath({ runtime }, name) === undefined)
    ? "there is no apt"
    : runtime.process.env("USER") !== "root" && runtime.fs.stat("/root")?.uid !== 0
    ? "only root installs packages"
    : false;

export interface AptRoot extends StateMinion {
  directory: string;
  /** Below which packages are installed. */
  root: string;
  runtime: Runtime;
}

/** A package with a configuration file; the path of its file. */
async function build(minion: TestMinion, directory: string, name: string, version: string): Promise<void> {
  const { fs } = runtime;
  const tree = `${directory}/build/${name}-${version}`;
  for (const part of ["DEBIAN", "etc"]) fs.mkdir(`${tree}/${part}`, 0o755);
  fs.write(`${tree}/etc/${name}.conf`, `version ${version}\n`);
  fs.write(`${tree}/DEBIAN/conffiles`, `/etc/${name}.conf\n`);
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    "Architecture: all",
    "Maintainer: A <a@example.org>",
    "Description: for tests",
  ];
  fs.write(`${tree}/DEBIAN/control`, `${control.join("\n")}\n`);
  const file = `${name}_${version}_all.deb`;
  const path = `${directory}/repo/${file}`;
  await minion.value("cmd.run", `chmod 755 ${tree} ${tree}/* && dpkg-deb --root-owner-group -b ${tree} ${path}`, {
    __kwarg__: true,
    python_shell: true,
  });
  const hash = await minion.value("hashutil.digest_file", path, "sha256");
  const entry = [...control, `Filename: ./${file}`, `Size: ${fs.stat(path)!.size}`, `SHA256: ${hash}`].join("\n");
  const index = `${directory}/repo/Packages`;
  fs.write(index, `${fs.stat(index) === undefined ? "" : fs.readText(index)}${entry}\n\n`);
}

/** Runs `use` with packages that apt knows: name and version of each. */
export async function withAptRoot(
  packages: [name: string, version: string][],
  states: Record<string, StateModule>,
  use: (apt: AptRoot) => Promise<void>,
): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const root = `${directory}/root`;
    const { fs } = runtime;
    const made = [
      "repo",
      "cache",
      ...["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/lib/apt/lists/partial"],
      ...["var/cache/apt/archives/partial", "var/log/apt", "etc/apt/preferences.d", "etc/apt/apt.conf.d"],
    ];
    for (const path of made) fs.mkdir(`${directory}/${/^(?:var|etc)/.test(path) ? `root/${path}` : path}`, 0o755);
    for (const path of ["status", "available"]) fs.write(`${root}/var/lib/dpkg/${path}`, "");
    fs.write(`${root}/etc/apt/sources.list`, `deb [trusted=yes] file:${directory}/repo ./\n`);
    fs.write(
      `${directory}/apt.conf`,
      `Dir "${root}";\nDir::Bin::dpkg "/usr/bin/dpkg";\nDir::Bin::methods "/usr/lib/apt/methods";\n` +
        `APT::Sandbox::User "root";\nDPkg::Options:: "--root=${root}";\nDPkg::Options:: "--force-not-root";\n`,
    );
    const { minion, state } = await stateMinion(
      { APT_CONFIG: `${directory}/apt.conf`, DPKG_ROOT: root },
      states,
      { opts: { cachedir: `${directory}/cache` }, grains: { os: "Debian", os_family: "Debian" } },
    );
    for (const [name, version] of packages) await build(minion, directory, name, version);
    await minion.value("cmd.run", "apt-get -q update");
    await use({ minion, directory, root, runtime: minion.runtime, state });
  });
}
