import type { Args } from "../../model/loader/signature.ts";
import type { JobContext } from "../../model/loader/context.ts";
import { executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { isTrue } from "../../language/python/is_true.ts";
import { splitLines } from "../../language/python/lines.ts";
import { str } from "../../language/python/repr.ts";
import { versionFunctions } from "../packages/shared_functions.ts";
import { stringify } from "../packages/lists.ts";
import { groupDiff, groupInfo, groupList, latestVersion, repoPackages, upgrades } from "./pacmanpkg/available.ts";
import { install, refresh, remove, upgrade } from "./pacmanpkg/change.ts";
import { ask, installed } from "./pacmanpkg/program.ts";

async function latest(context: JobContext, names: string[], kwargs: Args): Promise<unknown> {
  if (isTrue(kwargs.refresh)) await refresh(context, kwargs.root);
  return await latestVersion(context, names, kwargs);
}

/** The files of packages, by package; and what pacman says of those that it does not know. */
async function files(context: JobContext, names: string[]) {
  const { stdout, stderr } = await ask(context, ["-Ql", ...names]);
  const packages: Record<string, string[]> = {};
  for (const line of splitLines(stdout)) {
    const at = line.indexOf(" ");
    if (at > 0) (packages[line.slice(0, at)] ??= []).push(line.slice(at + 1));
  }
  return { errors: splitLines(stderr).filter((line) => line.startsWith("error")), packages };
}

/** Packages of Arch's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Arch" ? "pkg" : { unavailable: "Packages are not handled by pacman here" },
  functions: executionFunctions({
    "list_pkgs(versions_as_list=False, **kwargs)": {
      doc: "The installed packages with their versions.\n\n    salt '*' pkg.list_pkgs",
      async run(context, { versions_as_list, kwargs }) {
        if (isTrue(kwargs.removed) || isTrue(kwargs.purge_desired)) return {};
        const found = await installed(context, kwargs.root);
        return isTrue(versions_as_list) ? found : stringify(found);
      },
    },
    ...versionFunctions(latest),
    "upgrade_available(name: str, **kwargs)": {
      doc: "True if there is a newer version of a package.\n\n    salt '*' pkg.upgrade_available vim",
      run: async (context, { name }) => await latestVersion(context, [name], {}) !== "",
    },
    "list_upgrades(refresh=False, root=None, **kwargs)": {
      doc: "The packages that an upgrade would update.\n\n    salt '*' pkg.list_upgrades",
      async run(context, args) {
        if (isTrue(args.refresh)) await refresh(context, args.root);
        return await upgrades(context, args.root);
      },
    },
    "list_repo_pkgs(*args, **kwargs)": {
      doc: "The available versions of packages; with `byrepo` by repository.\n\n    salt '*' pkg.list_repo_pkgs foo",
      async run(context, { args, kwargs }) {
        if (isTrue(kwargs.refresh)) await refresh(context);
        return await repoPackages(context, args.map(str), kwargs);
      },
    },
    "refresh_db(root=None, **kwargs)": {
      doc: "Fetches the lists of packages: true for one that is new.\n\n    salt '*' pkg.refresh_db",
      run: (context, { root }) => refresh(context, root),
    },
    install,
    "remove(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages.\n\n    salt '*' pkg.remove foo,bar",
      run: (context, args) => remove(context, args, "-R"),
    },
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages with what they needed, and what needs them.\n\n    salt '*' pkg.purge foo,bar",
      run: (context, args) => remove(context, args, "-Rsc"),
    },
    upgrade,
    "file_list(*packages, **kwargs)": {
      doc: "The files of packages in one list.\n\n    salt '*' pkg.file_list httpd",
      async run(context, { packages }) {
        const found = await files(context, packages.map(str));
        return { errors: found.errors, files: Object.values(found.packages).flat() };
      },
    },
    "file_dict(*packages, **kwargs)": {
      doc: "The files of packages by package.\n\n    salt '*' pkg.file_dict httpd",
      run: (context, { packages }) => files(context, packages.map(str)),
    },
    "owner(*paths, **kwargs)": {
      doc: "The package that a file belongs to; a map for several files.\n\n    salt '*' pkg.owner /usr/bin/ls",
      async run(context, { paths }) {
        const found: Record<string, string> = {};
        for (const path of paths.map(str)) found[path] = (await ask(context, ["-Qqo", path])).stdout.trim();
        const values = Object.values(found);
        return values.length === 0 ? "" : values.length === 1 ? values[0] : found;
      },
    },
    group_list: groupList,
    "group_info(name: str)": {
      doc: "The packages of a group.\n\n    salt '*' pkg.group_info xorg",
      run: (context, { name }) => groupInfo(context, name),
    },
    "group_diff(name: str)": {
      doc: "Which packages of a group are installed.\n\n    salt '*' pkg.group_diff xorg",
      run: (context, { name }) => groupDiff(context, name),
    },
  }),
};
