import { executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { isMap, isTrue, str, truthy } from "../../language/python/values.ts";
import type { InstalledVersion, PackageList } from "../packages/lists.ts";
import { formatPkgList, formatVersion, sortPkglist, stringify } from "../packages/lists.ts";
import { packSources, parseTargets, type TargetOptions } from "../packages/targets.ts";
import { compareVersions, hostCompare } from "../packages/versions.ts";
import { installedVersions } from "../packages/shared_functions.ts";
import { hasFunction } from "../../model/loader/states.ts";

const lists = (value: unknown): PackageList => isMap(value) ? value as PackageList : {};

/** What the modules for packages share. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "parse_targets(name=None, pkgs=None, sources=None, saltenv='base', normalize=True, **kwargs)": {
      doc: "What is to be installed, and of which kind it is: names with versions from a repository, or files.\n\n" +
        "    salt '*' pkg_resource.parse_targets pkgs='[a, {b: 1.2}]'",
      async run(context, args) {
        const { kwargs, ...own } = args;
        const found = await parseTargets(context, { ...own, ...kwargs } as TargetOptions);
        if (found === undefined) return [null, null];
        if (found.kind === "repository") return [Object.fromEntries(found.wanted), "repository"];
        return found.kind === "file" ? [found.paths, "file"] : [found.ids, "advisory"];
      },
    },
    "pack_sources(sources, normalize: bool=True)": {
      doc: "The sources of packages as one map.\n\n    salt '*' pkg_resource.pack_sources '[{a: salt://a.rpm}]'",
      run: async (context, { sources, normalize }) =>
        Object.fromEntries(await packSources(context, sources, normalize)),
    },
    "version(*names, **kwargs)": {
      doc: "The installed versions of packages.\n\n    salt '*' pkg_resource.version bash",
      run: (context, { names, kwargs }) => installedVersions(context, names.map(str), kwargs),
    },
    "add_pkg(pkgs, name: str, pkgver)": {
      doc: "Adds a version of a package to a list.\n\n    salt '*' pkg_resource.add_pkg '{}' bind 9",
      run: (_, { pkgs, name, pkgver }) => ({
        ...pkgs as object,
        [name]: [...lists(pkgs)[name] ?? [], pkgver],
      }),
    },
    "sort_pkglist(pkgs)": {
      doc: "Sorts the versions of each package.\n\n    salt '*' pkg_resource.sort_pkglist '{a: [2, 1]}'",
      run: (_, { pkgs }) => sortPkglist(lists(pkgs)),
    },
    "stringify(pkgs)": {
      doc: "Joins the versions of each package with commas.\n\n    salt '*' pkg_resource.stringify '{a: [1, 2]}'",
      run: (_, { pkgs }) => stringify(lists(pkgs)),
    },
    "version_clean(verstr)": {
      doc:
        "A version without what the package manager writes beside it.\n\n    salt '*' pkg_resource.version_clean 1.2",
      run: async (context, { verstr }) =>
        truthy(verstr) && await hasFunction(context, "pkg.version_clean")
          ? await context.call("pkg.version_clean", [verstr])
          : verstr,
    },
    "version_compare(ver1: str, oper: str, ver2: str, ignore_epoch=False)": {
      doc: "Whether a comparison of versions holds.\n\n    salt '*' pkg_resource.version_compare 1.2 '>=' 1.1",
      run: async (context, { ver1, oper, ver2, ignore_epoch }) =>
        await compareVersions(await hostCompare(context), ver1, oper, ver2, isTrue(ignore_epoch)),
    },
    "check_extra_requirements(pkgname, pkgver)": {
      doc: "Whether a package is as it is wanted, beside its version.\n\n" +
        "    salt '*' pkg_resource.check_extra_requirements vim 9",
      run: async (context, { pkgname, pkgver }) =>
        truthy(pkgver) && await hasFunction(context, "pkg.check_extra_requirements")
          ? await context.call("pkg.check_extra_requirements", [pkgname, pkgver])
          : true,
    },
    "format_pkg_list(packages, versions_as_list: bool, attr)": {
      doc: "A list of packages as pkg.list_pkgs shows it.\n\n" +
        "    salt '*' pkg_resource.format_pkg_list '{a: [{epoch: 0, version: 1, release: 2}]}' True None",
      run: (_, { packages, versions_as_list, attr }) =>
        formatPkgList(packages as Record<string, InstalledVersion[]>, versions_as_list, attr),
    },
    "format_version(epoch, version, release)": {
      doc: "A version with its epoch and release.\n\n    salt '*' pkg_resource.format_version 1 2.0 3",
      run: (_, { epoch, version, release }) => formatVersion(epoch, version, release),
    },
  }),
};
