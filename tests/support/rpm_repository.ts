import type { Runtime } from "../../src/runtime/runtime.ts";
import type { TestMinion } from "./context.ts";

const SPEC = (name: string, version: string) =>
  `Name: ${name}
Version: ${version}
Release: 1
Summary: for tests
License: MIT
BuildArch: noarch
%description
For tests, in
two lines.
%install
mkdir -p %{buildroot}/etc
echo ${version} > %{buildroot}/etc/${name}.conf
%files
%config /etc/${name}.conf
`;

/** Packages by rpmbuild, each with one file of configuration, and a repository of them in `repo` below a directory. */
export async function makeRepository(
  { fs }: Pick<Runtime, "fs">,
  minion: TestMinion,
  directory: string,
  packages: readonly (readonly [name: string, version: string])[],
): Promise<void> {
  fs.mkdir(`${directory}/repo`, 0o755);
  for (const [name, version] of packages) {
    const spec = `${directory}/${name}-${version}.spec`;
    fs.write(spec, SPEC(name, version));
    const words = [
      `_topdir ${directory}/build`,
      `_rpmdir ${directory}/repo`,
      "_rpmfilename %%{NAME}-%%{VERSION}.rpm",
    ];
    await minion.value("cmd.run", ["rpmbuild", "-bb", ...words.flatMap((one) => ["--define", one]), spec]);
  }
  await minion.value("cmd.run", ["createrepo_c", "-q", `${directory}/repo`]);
}
