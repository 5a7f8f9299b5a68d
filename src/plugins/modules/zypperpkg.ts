import { executionFunction, executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { splitWords } from "../../language/python/whitespace.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { programPath } from "../commands.ts";
import { installedVersions } from "../packages/installed_versions.ts";
import { RPM_FUNCTIONS, versionFunctions } from "../packages/shared_functions.ts";
import { infoAvailable, latestVersion, refresh, repoPackages, upgrades } from "./zypperpkg/available.ts";
import { diff, download } from "./zypperpkg/download.ts";
import { install, remove, upgrade } from "./zypperpkg/install.ts";
import { downloaded, listFor, products, provides } from "./zypperpkg/installed.ts";
import { cleanLocks, hold, listHolds, listLocks } from "./zypperpkg/locks.ts";
import { callZypper } from "./zypperpkg/program.ts";
import { delRepo, getRepo, listRepos, modRepo } from "./zypperpkg/repositories.ts";
import {
  installedPatches,
  installedPatterns,
  patches,
  patterns,
  resolveCapabilities,
  search,
} from "./zypperpkg/search.ts";

const listUpgrades = executionFunction({
  signature: "refresh=True, root=None, **kwargs",
  doc: "The packages that an upgrade would update; with `fromrepo` from some repositories.\n\n" +
    "    salt '*' pkg.list_upgrades",
  run: upgrades,
});

const removing = (fun: string) =>
  executionFunction({
    signature: "name=None, pkgs=None, root=None, **kwargs",
    doc: `Removes packages.\n\n    salt '*' pkg.${fun} foo,bar`,
    run: remove,
  });

/** What zypper lists, after a refresh where it is asked for. */
const listing = <R>(
  signature: string,
  doc: string,
  list: (...args: Parameters<typeof patches>) => Promise<R>,
) =>
  executionFunction({
    signature,
    doc,
    async run(context, args) {
      if (truthy(args.refresh)) await refresh(context, { root: args.root });
      return await list(context, args.root);
    },
  });

const QUERIES = executionFunctions({
  ...versionFunctions(latestVersion),
  list_pkgs: listFor,
  "version(*names, **kwargs)": {
    doc: "The installed version; a map for several packages.\n\n    salt '*' pkg.version vim",
    async run(context, { names, kwargs }) {
      const found = await installedVersions(context, names.map(str), kwargs);
      return truthy(found) ? found : {};
    },
  },
  list_upgrades: listUpgrades,
  list_updates: listUpgrades,
  "list_repo_pkgs(*args, **kwargs)": {
    doc: "The available versions of packages; with `byrepo` by repository.\n\n    salt '*' pkg.list_repo_pkgs foo",
    run: (context, { args, kwargs }) => repoPackages(context, args.map(str), kwargs),
  },
  "info_available(*names, **kwargs)": {
    doc: "Details of available packages.\n\n    salt '*' pkg.info_available bash",
    run: (context, { names, kwargs }) => infoAvailable(context, names.map(str), kwargs),
  },
  "search(criteria: str, refresh: bool=False, **kwargs)": {
    doc: "Packages that fit: by name, or by what they provide, require and so on.\n\n" +
      "    salt '*' pkg.search vim match=exact provides=True\n\nmatch: exact, words or substrings",
    async run(context, { criteria, refresh: asked, kwargs }) {
      if (asked) await refresh(context, { root: kwargs.root });
      return await search(context, criteria, kwargs);
    },
  },
  "resolve_capabilities(pkgs, refresh: bool=False, root=None, **kwargs)": {
    doc: "With `resolve_capabilities` the packages that have what is named; otherwise what is named.\n\n" +
      "    salt '*' pkg.resolve_capabilities '[w3m_ssl]' resolve_capabilities=True",
    async run(context, args) {
      if (args.refresh) await refresh(context, { root: args.root });
      return await resolveCapabilities(context, args);
    },
  },
  "list_provides(root=None, **kwargs)": {
    doc: "What installed packages provide, with the packages.\n\n    salt '*' pkg.list_provides",
    run: (context, { root }) => provides(context, root),
  },
  "services_need_restart(root=None, **kwargs)": {
    doc: "The services that use files which were replaced.\n\n    salt '*' pkg.services_need_restart",
    run: async (context, { root }) =>
      splitWords((await callZypper(context, ["ps", "-sss"], { root, reading: true })).stdout),
  },
});

const CHANGES = executionFunctions({
  "refresh_db(force=None, root=None)": {
    doc: "Fetches the lists of packages: true for one that is new.\n\n    salt '*' pkg.refresh_db\n\n" +
      "force: fetch also what seems unchanged; by default as the pillar's `zypper:refreshdb_force`, else True",
    run: refresh,
  },
  install,
  remove: removing("remove"),
  purge: removing("purge"),
  upgrade,
  "hold(name=None, pkgs=None, root=None, **kwargs)": {
    doc: "Holds packages at their version.\n\n    salt '*' pkg.hold foo",
    run: (context, args) => hold(context, args, true),
  },
  "unhold(name=None, pkgs=None, root=None, **kwargs)": {
    doc: "Lets held packages be upgraded again.\n\n    salt '*' pkg.unhold foo",
    run: (context, args) => hold(context, args, false),
  },
  list_holds: listHolds,
  "list_locks(root=None)": {
    doc: "The locks of zypper.\n\n    salt '*' pkg.list_locks",
    run: (context, { root }) => listLocks(context, root),
  },
  "clean_locks(root=None)": {
    doc: "Removes locks that are of no use.\n\n    salt '*' pkg.clean_locks",
    run: (context, { root }) => cleanLocks(context, root),
  },
  "download(*packages, **kwargs)": {
    doc: "Fetches packages as files.\n\n    salt '*' pkg.download httpd",
    run: (context, { packages, kwargs }) => download(context, packages.map(str), kwargs),
  },
  "list_downloaded(root=None, **kwargs)": {
    doc: "The downloaded package files: name, version and path.\n\n    salt '*' pkg.list_downloaded",
    run: (context, { root }) => downloaded(context, root),
  },
});

const REPOSITORIES = executionFunctions({
  "list_repos(root=None, **kwargs)": {
    doc: "The configured repositories.\n\n    salt '*' pkg.list_repos",
    run: (context, { root }) => listRepos(context, root),
  },
  "get_repo(repo: str, root=None, **kwargs)": {
    doc: "A configured repository, or an empty map.\n\n    salt '*' pkg.get_repo oss",
    run: (context, { repo, root }) => getRepo(context, repo, root),
  },
  "mod_repo(repo: str, **kwargs)": {
    doc: "Adds a repository, or changes one: url (baseurl), enabled, refresh, cache, gpgcheck, priority, name, " +
      "gpgautoimport.\n\n    salt '*' pkg.mod_repo alias url=http://x.example.org/ gpgcheck=False",
    run: (context, { repo, kwargs }) => modRepo(context, repo, kwargs),
  },
  "del_repo(repo: str, root=None)": {
    doc: "Removes a repository.\n\n    salt '*' pkg.del_repo alias",
    run: (context, { repo, root }) => delRepo(context, repo, root),
  },
  "list_products(all=False, refresh: bool=False, root=None)": {
    doc: "The installed products, or all that there are.\n\n    salt '*' pkg.list_products all=True",
    async run(context, { all, refresh: asked, root }) {
      if (asked) await refresh(context, { root });
      return await products(context, all, root);
    },
  },
  list_patches: listing(
    "refresh=False, root=None, **kwargs",
    "All patches that there are.\n\n    salt '*' pkg.list_patches",
    patches,
  ),
  list_installed_patches: listing(
    "root=None, **kwargs",
    "The installed patches.\n\n    salt '*' pkg.list_installed_patches",
    installedPatches,
  ),
  list_patterns: listing(
    "refresh=False, root=None",
    "All patterns that there are.\n\n    salt '*' pkg.list_patterns",
    patterns,
  ),
  list_installed_patterns: listing(
    "root=None",
    "The installed patterns.\n\n    salt '*' pkg.list_installed_patterns",
    installedPatterns,
  ),
});

const RPM = executionFunctions({
  "version_cmp(ver1, ver2, ignore_epoch=False, **kwargs)": {
    doc: "-1, 0 or 1 for a version that is older than another, the same, or newer.\n\n" +
      "    salt '*' pkg.version_cmp 1.0-1 1.0-2",
    run: (context, { ver1, ver2, ignore_epoch }) => context.call("lowpkg.version_cmp", [ver1, ver2], { ignore_epoch }),
  },
  ...RPM_FUNCTIONS,
  "diff(*paths, **kwargs)": {
    doc: "What was changed of files since their packages had them.\n\n    salt '*' pkg.diff /etc/sudoers",
    run: (context, { paths, kwargs }) => diff(context, paths.map(str), kwargs),
  },
  "modified(*packages, **flags)": {
    doc: "What was changed of the files of packages.\n\n    salt '*' pkg.modified httpd",
    run: (context, { packages, flags }) => context.call("lowpkg.modified", packages, flags),
  },
});

/** Packages of SUSE's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Suse" && programPath(context, "zypper") !== undefined
      ? "pkg"
      : { unavailable: "Packages are not handled by zypper here" },
  functions: { ...QUERIES, ...CHANGES, ...REPOSITORIES, ...RPM },
};
