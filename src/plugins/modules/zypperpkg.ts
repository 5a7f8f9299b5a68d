import type { ExecutionModule } from "../../model/loader/family.ts";
import { splitWords } from "../../language/python/text.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { packageFunctions } from "../packages/functions.ts";
import { installedVersions, RPM_FUNCTIONS, versionFunctions } from "../packages/shared_functions.ts";
import {
  infoAvailable,
  zypperNewest,
  zypperRefresh,
  zypperRepoPackages,
  zypperUpgrades,
} from "./zypperpkg/available.ts";
import { zypperDiff, zypperDownload } from "./zypperpkg/download.ts";
import { remove, zypperInstall, zypperUpgrade } from "./zypperpkg/install.ts";
import { listFor, products, provides, zypperDownloaded } from "./zypperpkg/installed.ts";
import { addLocks, cleanLocks, heldPackages, listLocks } from "./zypperpkg/locks.ts";
import { callZypper } from "./zypperpkg/program.ts";
import { zypperDelRepo, zypperGetRepo, zypperListRepos, zypperModRepo } from "./zypperpkg/repositories.ts";
import {
  installedPatches,
  installedPatterns,
  patterns,
  resolveCapabilities,
  zypperPatches,
  zypperSearch,
} from "./zypperpkg/search.ts";

/** What zypper lists, after a refresh where it is asked for. */
const listing = <R>(doc: string, list: (...args: Parameters<typeof zypperPatches>) => Promise<R>) => ({
  doc,
  async run(...[context, args]: Parameters<ExecutionModule["functions"][string]["run"]>) {
    if (truthy(args.refresh)) await zypperRefresh(context, { root: args.root });
    return await list(context, args.root);
  },
});

const QUERIES = packageFunctions({
  ...versionFunctions({
    none: {},
    refresh: (context, { root }) => zypperRefresh(context, { root }),
    newest: zypperNewest,
  }),
  "list_pkgs(versions_as_list=False, root=None, includes=None, **kwargs)": {
    doc:
      "The installed packages with their versions; with `attr` further details, with `includes` products, patterns " +
      "and patches too.\n\n    salt '*' pkg.list_pkgs includes='[pattern]'",
    run: listFor,
  },
  async "version(*names, **kwargs)"(context, { names, kwargs }) {
    const found = await installedVersions(context, names.map(str), kwargs);
    return truthy(found) ? found : {};
  },
  "list_upgrades(refresh=True, root=None, **kwargs)": zypperUpgrades,
  "list_updates(refresh=True, root=None, **kwargs)": zypperUpgrades,
  "list_repo_pkgs(*args, **kwargs)": (context, { args, kwargs }) => zypperRepoPackages(context, args.map(str), kwargs),
  "info_available(*names, **kwargs)": {
    doc: "Details of available packages.\n\n    salt '*' pkg.info_available bash",
    run: (context, { names, kwargs }) => infoAvailable(context, names.map(str), kwargs),
  },
  "search(criteria: str, refresh: bool=False, **kwargs)": {
    doc: "Packages that fit: by name, or by what they provide, require and so on.\n\n" +
      "    salt '*' pkg.search vim match=exact provides=True\n\nmatch: exact, words or substrings",
    async run(context, { criteria, refresh: asked, kwargs }) {
      if (asked) await zypperRefresh(context, { root: kwargs.root });
      return await zypperSearch(context, criteria, kwargs);
    },
  },
  "resolve_capabilities(pkgs, refresh: bool=False, root=None, **kwargs)": {
    doc: "With `resolve_capabilities` the packages that have what is named; otherwise what is named.\n\n" +
      "    salt '*' pkg.resolve_capabilities '[w3m_ssl]' resolve_capabilities=True",
    async run(context, args) {
      if (args.refresh) await zypperRefresh(context, { root: args.root });
      return await resolveCapabilities(context, args);
    },
  },
  "list_provides(root=None, **kwargs)": {
    doc: "What installed packages provide, with the packages.\n\n    salt '*' pkg.list_provides",
    run: (context, { root }) => provides(context, root),
  },
  "services_need_restart(root=None, **kwargs)": async (context, { root }) =>
    splitWords((await callZypper(context, ["ps", "-sss"], { root, reading: true })).stdout),
});

const CHANGES = packageFunctions({
  "refresh_db(force=None, root=None)": {
    doc: "Fetches the lists of packages: true for one that is new.\n\n    salt '*' pkg.refresh_db\n\n" +
      "force: fetch also what seems unchanged; by default as the pillar's `zypper:refreshdb_force`, else True",
    run: zypperRefresh,
  },
  [
    `install(name=None, refresh: bool=False, fromrepo=None, pkgs=None, sources=None, downloadonly: bool=None,
    skip_verify=False, version=None, ignore_repo_failure: bool=False, no_recommends=False, root=None, **kwargs)` as const
  ]: zypperInstall,
  "remove(name=None, pkgs=None, root=None, **kwargs)": remove,
  "purge(name=None, pkgs=None, root=None, **kwargs)": {
    doc: "Another name of pkg.remove.\n\n    salt '*' pkg.purge foo,bar",
    run: remove,
  },
  [
    `upgrade(name=None, pkgs=None, refresh: bool=True, dryrun: bool=False, dist_upgrade: bool=False, fromrepo=None,
    novendorchange=False, skip_verify=False, no_recommends=False, root=None, diff_attr=None, **kwargs)` as const
  ]: zypperUpgrade,
  "hold(name=None, pkgs=None, root=None, **kwargs)": (context, args) => addLocks(context, args, true),
  "unhold(name=None, pkgs=None, root=None, **kwargs)": (context, args) => addLocks(context, args, false),
  "list_holds(pattern=None, full: bool=True, root=None, **kwargs)": heldPackages,
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
    run: (context, { packages, kwargs }) => zypperDownload(context, packages.map(str), kwargs),
  },
  "list_downloaded(root=None, **kwargs)": (context, { root }) => zypperDownloaded(context, root),
});

const REPOSITORIES = packageFunctions({
  "list_repos(root=None, **kwargs)": (context, { root }) => zypperListRepos(context, root),
  "get_repo(repo: str, root=None, **kwargs)": (context, { repo, root }) => zypperGetRepo(context, repo, root),
  "mod_repo(repo: str, **kwargs)": {
    doc: "Adds a repository, or changes one: url (baseurl), enabled, refresh, cache, gpgcheck, priority, name, " +
      "gpgautoimport.\n\n    salt '*' pkg.mod_repo alias url=http://x.example.org/ gpgcheck=False",
    run: (context, { repo, kwargs }) => zypperModRepo(context, repo, kwargs),
  },
  "del_repo(repo: str, root=None)": (context, { repo, root }) => zypperDelRepo(context, repo, root),
  "list_products(all=False, refresh: bool=False, root=None)": {
    doc: "The installed products, or all that there are.\n\n    salt '*' pkg.list_products all=True",
    async run(context, { all, refresh: asked, root }) {
      if (asked) await zypperRefresh(context, { root });
      return await products(context, all, root);
    },
  },
  "list_patches(refresh=False, root=None, **kwargs)": listing(
    "All patches that there are.\n\n    salt '*' pkg.list_patches",
    zypperPatches,
  ),
  "list_installed_patches(root=None, **kwargs)": listing(
    "The installed patches.\n\n    salt '*' pkg.list_installed_patches",
    installedPatches,
  ),
  "list_patterns(refresh=False, root=None)": listing(
    "All patterns that there are.\n\n    salt '*' pkg.list_patterns",
    patterns,
  ),
  "list_installed_patterns(root=None)": listing(
    "The installed patterns.\n\n    salt '*' pkg.list_installed_patterns",
    installedPatterns,
  ),
});

const RPM = packageFunctions({
  "version_cmp(ver1, ver2, ignore_epoch=False, **kwargs)": (context, { ver1, ver2, ignore_epoch }) =>
    context.call("lowpkg.version_cmp", [ver1, ver2], { ignore_epoch }),
  ...RPM_FUNCTIONS,
  "diff(*paths, **kwargs)": {
    doc: "What was changed of files since their packages had them.\n\n    salt '*' pkg.diff /etc/sudoers",
    run: (context, { paths, kwargs }) => zypperDiff(context, paths.map(str), kwargs),
  },
  "modified(*packages, **flags)": (context, { packages, flags }) => context.call("lowpkg.modified", packages, flags),
});

/** Packages of SUSE's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Suse" && programPath(context, "zypper") !== undefined
      ? "pkg"
      : { unavailable: "Packages are not handled by zypper here" },
  functions: { ...QUERIES, ...CHANGES, ...REPOSITORIES, ...RPM },
};
